"""The agent: learned from recordings, it decides where to go and how to move there, frame by frame.

Angles are counter-clockwise as seen from above; in positions the second number grows downwards, as
in recordings.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.imitation.chain import chain_distribution, learn_chain
from believable.imitation.goal_memory import GoalMemory, GoalSet, goal_moments, goal_set
from believable.imitation.guides import GuideSet, PassageFollower, learn_guides, speed_to
from believable.imitation.motion import MotionCounts, MotionStep, count_motion
from believable.imitation.next_node import (
    FROM_NOWHERE,
    MoveHabit,
    WayCounts,
    count_ways,
    drawn_node,
    habitual_weights,
    utilities,
)
from believable.imitation.observations import Floats, Observations
from believable.imitation.paths import Item, item_paths, path_goals, path_rewards, picked_item
from believable.imitation.primitives import PrimitiveSet, learn_primitives, moving_frames
from believable.imitation.prototypes import InventoryScheme, learn_scheme
from believable.imitation.topology import Topology, learn_topology, node_course, nodes_ahead
from believable.imitation.values import DISCOUNT, iterate_values

#: The share of the angle to the person's view, or to the next node, that is turned in a frame in
#: addition to the hand's own turn.
STEER = 0.5
#: An edge that takes this many times as long as it took the person is abandoned.
PATIENCE = 2.0
#: Of all turns this share is slower than the fastest that count.
_HARDLY_EVER = 0.999
#: Of all steps this share is shorter than one at top speed.
_SELDOM = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningOptions:
    """The numbers of the method that its description leaves open."""

    nodes: int = 64
    primitives: int = 50
    discount: float = DISCOUNT
    seed: int = 1
    respawn_ms: Mapping[str, float] = field(default_factory=dict)
    moves: MoveHabit = field(default_factory=MoveHabit)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Imitation:
    """All that was learned. `item_places`: where items were picked up; `gains`: the amount that a
    pickup adds to each quantity.
    """

    options: LearningOptions
    frame_ms: float
    topology: Topology
    scheme: InventoryScheme
    aims: GoalSet
    values: Floats
    primitives: PrimitiveSet
    motion: MotionCounts
    chain: Floats
    item_places: Mapping[Item, tuple[float, float, float]]
    gains: Mapping[str, Mapping[str, float]]
    top_speed_tiles_per_s: float
    ways: WayCounts
    guides: GuideSet
    fastest_turn: float
    sources: tuple[str, ...] = ()


def learn(
    recordings: Sequence[Observations],
    options: LearningOptions | None = None,
    sources: Sequence[str] = (),
) -> Imitation:
    """Learn from one person's recordings, all of one map and one frame length."""
    chosen = options or LearningOptions()
    known = {name: value for seen in recordings for name, value in seen.respawn_ms.items()}
    chosen = replace(chosen, respawn_ms=known | dict(chosen.respawn_ms))
    lengths = sorted({seen.frame_ms for seen in recordings})
    if len(lengths) != 1:
        raise InvalidInput(
            f"recordings: frames of {lengths} ms. Learning needs recordings of one frame length."
        )
    topology = learn_topology(recordings, chosen.nodes, _rng(chosen.seed, "topology"))
    scheme = learn_scheme(recordings)
    goals = path_goals([path for seen in recordings for path in item_paths(topology, scheme, seen)])
    if not goals:
        raise InvalidInput(
            "recordings: nothing was picked up in any of them, so there is no goal to learn."
        )
    rewards = np.array([path_rewards(goal, len(topology.nodes)) for goal in goals])
    aims = goal_set(goals, chosen.respawn_ms)
    primitives = learn_primitives(recordings, chosen.primitives, _rng(chosen.seed, "primitives"))
    steps = [motion_steps(topology, primitives, seen) for seen in recordings]
    weighed = (
        (by_frame[moment.frame], moment.mixture)
        for seen, by_frame in zip(recordings, steps, strict=True)
        for moment in goal_moments(aims, topology, scheme, seen, frozenset(by_frame))
    )
    return Imitation(
        options=chosen,
        frame_ms=lengths[0],
        topology=topology,
        scheme=scheme,
        aims=aims,
        values=iterate_values(
            rewards, topology.edges, [goal.item.node for goal in goals], chosen.discount
        ),
        primitives=primitives,
        motion=count_motion(weighed, topology.edges, len(goals), primitives.count),
        chain=learn_chain(
            [step for by_frame in steps for step in by_frame.values()], primitives.count
        ),
        item_places=_item_places(topology, recordings),
        gains=_gains(recordings),
        top_speed_tiles_per_s=person_speed(recordings),
        ways=count_ways(topology, recordings, goals, scheme),
        guides=learn_guides(topology, recordings),
        fastest_turn=_fastest_turn(recordings),
        sources=tuple(sources),
    )


def motion_steps(
    topology: Topology, primitives: PrimitiveSet, seen: Observations
) -> dict[int, MotionStep]:
    """The hand's actions on the way from one node to the next, by frame."""
    if seen.frames < 2:
        return {}
    course = node_course(topology, seen)
    ahead = nodes_ahead(course)
    labels = primitives.label(seen)
    moving = moving_frames(seen).tolist()
    before = dict(zip([frame + 1 for frame in moving], labels[moving].tolist(), strict=True))
    return {
        frame: MotionStep(
            int(course[frame]), int(ahead[frame]), int(labels[frame]), before.get(frame, -1)
        )
        for frame in moving
        if ahead[frame] >= 0
    }


def _item_places(
    topology: Topology, recordings: Sequence[Observations]
) -> dict[Item, tuple[float, float, float]]:
    places: dict[Item, list[Floats]] = defaultdict(list)
    for seen in recordings:
        course = node_course(topology, seen)
        for pickup in seen.pickups:
            if course[pickup.frame] >= 0:
                spot = (
                    seen.position[pickup.frame] if pickup.place is None else np.array(pickup.place)
                )
                places[picked_item(topology, course, pickup)].append(spot)
    means = {item: np.mean(points, axis=0) for item, points in places.items()}
    return {item: (float(x), float(y), float(z)) for item, (x, y, z) in means.items()}


def _gains(recordings: Sequence[Observations]) -> dict[str, dict[str, float]]:
    changes: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for seen in recordings:
        for pickup in seen.pickups:
            for name, values in seen.quantities.items():
                if pickup.frame:
                    changes[pickup.item][name].append(
                        float(values[pickup.frame] - values[pickup.frame - 1])
                    )
    return {
        item: {name: max(0.0, float(np.mean(steps))) for name, steps in by_name.items()}
        for item, by_name in changes.items()
    }


def person_speed(recordings: Sequence[Observations]) -> float:
    """Tiles a second that the person hardly ever exceeds: the speed of a player who never turns."""
    steps = np.concatenate(
        [
            np.linalg.norm(np.diff(seen.position[:, :2], axis=0)[moving_frames(seen)], axis=1)
            for seen in recordings
        ]
    )
    moved = steps[steps > 0]
    return float(np.quantile(moved, _SELDOM)) * 1000 / recordings[0].frame_ms if len(moved) else 0.0


def _fastest_turn(recordings: Sequence[Observations]) -> float:
    """Degrees in a frame that the person's hand hardly ever goes beyond."""
    turns = [np.diff(seen.yaw)[moving_frames(seen)] for seen in recordings]
    angles = np.abs((np.concatenate(turns) + 180.0) % 360.0 - 180.0)
    return float(np.quantile(angles, _HARDLY_EVER)) if len(angles) else 180.0


def _rng(seed: int, *names: str) -> np.random.Generator:
    return np.random.default_rng(derive(seed, "imitation", *names))


# ----------------------------------------------------------------------------------------------
# acting


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """The agent's input in a frame: its own state, and its last pickup."""

    now_ms: float
    position: tuple[float, float, float]
    yaw: float
    pitch: float
    alive: bool
    carried: frozenset[str]
    quantities: Mapping[str, float]
    picked_up: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveCommand:
    """The agent's action in a frame: turn the view by this number of degrees, walk in `direction`
    (None: do not move) at `tiles_per_s` (None: at full speed).
    """

    turn: float
    pitch: float
    direction: float | None
    jump: bool
    fire: bool
    weapon: str
    tiles_per_s: float | None = None


class Imitator:
    """Plays like the person of the recordings; its actions follow from the model, the seed and
    its observations.
    """

    def __init__(self, model: Imitation, seed: int) -> None:
        self._model = model
        self._rng = _rng(seed, "acting")
        self._memory = GoalMemory(model.aims, len(model.topology.nodes))
        self._node = -1
        self._came_over: tuple[int, ...] = FROM_NOWHERE
        self._target: int | None = None
        self._follower = PassageFollower(model.guides, model.frame_ms)
        self._frames_on_edge = 0
        self._given_up: set[int] = set()
        self._before: int | None = None
        self._was_alive = False

    def act(self, sight: Sight) -> MoveCommand:
        if not sight.alive:
            self._was_alive = False
            return MoveCommand(
                turn=0.0, pitch=0.0, direction=None, jump=False, fire=True, weapon=""
            )  # firing asks for the next life
        model = self._model
        node = int(model.topology.node_of(np.array(sight.position))[0])
        situation = model.scheme.vector(sight.carried, sight.quantities)
        if not self._was_alive:
            self._memory.begin_life(situation)
            self._was_alive, self._before, self._target = True, None, None
            self._follower.leave()
            self._node, self._came_over = -1, FROM_NOWHERE
        if sight.picked_up:
            items = [self._nearest(name, node, sight.position) for name in sight.picked_up]
            self._memory.pick_up(items, sight.now_ms, situation)
            self._given_up.clear()
            self._target = None
        mixture = self._memory.mixture(sight.now_ms)
        self._choose(node, mixture)
        if self._target is None:
            return MoveCommand(
                turn=0.0, pitch=0.0, direction=None, jump=False, fire=False, weapon=""
            )
        chances = chain_distribution(
            model.motion.given_goals(self._node, self._target), mixture, model.chain, self._before
        )
        primitive = int(self._rng.choice(len(chances), p=chances))
        self._before = primitive
        turn, pitch = model.primitives.turn(primitive, self._rng)
        guide = self._follower.ahead(
            self._came_over[-1], self._node, self._target, sight.position, sight.yaw
        )
        aim = (guide.x, guide.y) if guide else tuple(model.topology.nodes[self._target])
        direction = direction_to(sight.position, aim)
        turn += STEER * angle_between(sight.yaw + turn, guide.yaw if guide else direction)
        return MoveCommand(
            turn=max(-model.fastest_turn, min(model.fastest_turn, turn)),
            pitch=pitch,
            direction=direction,
            jump=model.primitives.jumps(primitive),
            fire=model.primitives.fires(primitive),
            weapon=model.primitives.weapon(primitive),
            tiles_per_s=speed_to(guide, sight.position) if guide else model.top_speed_tiles_per_s,
        )

    def _nearest(self, name: str, node: int, position: Sequence[float]) -> Item:
        """The known item of this name that lies nearest; one at the own node if none is known."""
        known = [
            (math.dist(place, position), item.node)
            for item, place in self._model.item_places.items()
            if item.name == name
        ]
        return Item(name, min(known)[1] if known else node)

    def _choose(self, node: int, mixture: Floats) -> None:
        """Keep to the edge until its end is reached, something else is entered, or it takes too
        long.
        """
        model = self._model
        if node != self._node:
            if self._node >= 0:
                self._memory.entered[node] += 1
                self._came_over = (*self._came_over[1:], self._node)
            self._node = node
            self._target, self._frames_on_edge = None, 0
            self._given_up.clear()
        self._frames_on_edge += 1
        if self._target is not None:
            usual = float(model.topology.edge_frames[node, self._target])
            longest = PATIENCE * max(1.0, usual, self._follower.frames)
            if self._frames_on_edge <= longest:
                return
            self._given_up.add(self._target)
            self._frames_on_edge = 0
        weights = self._weights(node, mixture)
        weights[list(self._given_up)] = 0.0
        if not weights[model.topology.neighbours(node)].any():
            self._given_up.clear()
            weights = self._weights(node, mixture)
        self._target = drawn_node(model.topology, node, weights, self._rng)

    def _weights(self, node: int, mixture: Floats) -> Floats:
        model = self._model
        utility = utilities(model.values, mixture, self._memory.entered, model.options.discount)
        shares = model.ways.shares(self._came_over, node, mixture, model.options.moves)
        return habitual_weights(utility, shares, model.options.moves)


def direction_to(start: Sequence[float], end: Sequence[float]) -> float:
    """The angle of the way from one place to another."""
    return math.degrees(math.atan2(start[1] - end[1], end[0] - start[0]))


def angle_between(start: float, end: float) -> float:
    """How far to turn, −180 to 180."""
    return (end - start + 180.0) % 360.0 - 180.0

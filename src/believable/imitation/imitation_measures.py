"""How near the agent is to the person: moves and actions it would have made, its positions, its
ways, how it turned.

Every number has an interval from resampling lives: frames of one life hang together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from believable.core.errors import InvalidInput
from believable.imitation.chain import chain_distribution
from believable.imitation.goal_memory import goal_moments
from believable.imitation.imitator import Imitation, motion_steps
from believable.imitation.motion import COUNT_OF_THE_UNSEEN
from believable.imitation.next_node import (
    FROM_NOWHERE,
    MoveHabit,
    habitual_weights,
    next_node,
    utilities,
)
from believable.imitation.observations import Floats, Observations
from believable.imitation.paths import visited_nodes
from believable.imitation.primitives import moving_frames
from believable.imitation.topology import Topology, node_course, node_moves

RESAMPLES = 1000
#: A turn within a tenth of a second that a viewer notices as sharp.
SHARP_DEGREES = 27.0


@dataclass(frozen=True, slots=True)
class ImitationMeasure:
    """A mean with its 95 % interval over lives; n is how many moves, actions or lives it is of."""

    value: float
    low: float
    high: float
    n: int


def measure(by_life: Sequence[Floats], rng: np.random.Generator) -> ImitationMeasure:
    """The mean of all values, lives resampled."""
    lives = [values for values in by_life if len(values)]
    if not lives:
        raise InvalidInput("measure: there is nothing to take the mean of.")
    sums = np.array([values.sum() for values in lives])
    sizes = np.array([len(values) for values in lives])
    chosen = rng.integers(len(lives), size=(RESAMPLES, len(lives)))
    drawn = sums[chosen].sum(1) / sizes[chosen].sum(1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return ImitationMeasure(
        float(sums.sum() / sizes.sum()), float(low), float(high), int(sizes.sum())
    )


# ----------------------------------------------------------------------------------------------
# where to


def most_frequent_moves(topology: Topology, recordings: Sequence[Observations]) -> dict[int, int]:
    """From each node the move made most often: the simplest guess."""
    counts: dict[int, Counter[int]] = {}
    for seen in recordings:
        for move in node_moves(node_course(topology, seen)):
            counts.setdefault(move.start, Counter())[move.end] += 1
    return {node: max(sorted(ends), key=lambda end: ends[end]) for node, ends in counts.items()}


def next_node_hits(
    model: Imitation, seen: Observations, habit: MoveHabit | None = None
) -> list[Floats]:
    """For each life, 1 where the person went to the node that the utilities name, else 0. Unknown
    moves are misses.
    """
    settled = model.options.moves if habit is None else habit
    before, life = FROM_NOWHERE, -1
    moves = frozenset(move.frame for move in node_moves(node_course(model.topology, seen)))
    hits: list[list[float]] = [[] for _ in seen.lives()]
    for moment in goal_moments(model.aims, model.topology, model.scheme, seen, moves):
        if moment.move is not None:
            node = moment.move.start
            if moment.life != life:
                before, life = FROM_NOWHERE, moment.life
            utility = utilities(
                model.values, moment.mixture, moment.entered, model.options.discount
            )
            shares = model.ways.shares(before, node, moment.mixture, settled)
            weighed = habitual_weights(utility, shares, settled)
            hits[moment.life].append(
                float(next_node(model.topology, node, weighed) == moment.move.end)
            )
            before = (*before[1:], node)
    return [np.array(values) for values in hits]


def frequent_move_hits(
    guesses: Mapping[int, int], topology: Topology, seen: Observations
) -> list[Floats]:
    moves = node_moves(node_course(topology, seen))
    return [
        np.array([float(guesses.get(m.start) == m.end) for m in moves if first <= m.frame < last])
        for first, last in seen.lives()
    ]


# ---------------------------------------------------------------------------------------------- how


def action_bits(model: Imitation, seen: Observations, *, with_chain: bool = True) -> list[Floats]:
    """Surprise at each action, in bits, given the node that the person really went to next. Unknown
    moves are left out.
    """
    steps = {
        frame: step
        for frame, step in motion_steps(model.topology, model.primitives, seen).items()
        if model.topology.edges[step.node, step.next_node]
    }
    bits: list[list[float]] = [[] for _ in seen.lives()]
    for moment in goal_moments(model.aims, model.topology, model.scheme, seen, frozenset(steps)):
        step = steps[moment.frame]
        before = step.before if with_chain and step.before >= 0 else None
        chances = chain_distribution(
            model.motion.given_goals(step.node, step.next_node), moment.mixture, model.chain, before
        )
        bits[moment.life].append(float(-np.log2(chances[step.action])))
    return [np.array(values) for values in bits]


def plain_bits(
    model: Imitation, recordings: Sequence[Observations], seen: Observations
) -> list[Floats]:
    """The same without anything learned but how often each action is made: what there is to
    gain.
    """
    counts = np.full(model.primitives.count, COUNT_OF_THE_UNSEEN)
    for learned in recordings:
        counts += np.bincount(
            model.primitives.label(learned)[moving_frames(learned)],
            minlength=model.primitives.count,
        )
    return _bits_by_life(model, seen, lambda before: counts / counts.sum())


def chain_bits(model: Imitation, seen: Observations) -> list[Floats]:
    """The same with the chain alone: the last actions, without position or goal."""
    return _bits_by_life(model, seen, lambda before: model.chain[before])


def _bits_by_life(
    model: Imitation, seen: Observations, chances: Callable[[int], Floats]
) -> list[Floats]:
    labels = model.primitives.label(seen)
    return [
        np.array(
            [
                -np.log2(chances(labels[frame - 1])[labels[frame]])
                for frame in range(first + 1, last - 1)
            ]
        )
        for first, last in seen.lives()
    ]


# ----------------------------------------------------------------------------------------------
# where and which way


def occupancy(topology: Topology, recordings: Sequence[Observations]) -> Floats:
    """The share of time at each node."""
    course = np.concatenate([node_course(topology, seen) for seen in recordings])
    counts = np.bincount(course[course >= 0], minlength=len(topology.nodes)).astype(float)
    if counts.sum() == 0:
        raise InvalidInput("recordings: nobody is alive in any frame.")
    return np.asarray(counts / counts.sum())


def earth_movers_distance(first: Floats, second: Floats, places: Floats) -> float:
    """How far the one distribution over places has to be carried to become the other, in tiles: an
    exact transport.
    """
    sources, sinks = np.flatnonzero(first > 0), np.flatnonzero(second > 0)
    costs = np.linalg.norm(places[sources, None] - places[None, sinks], axis=2)
    rows, columns = costs.shape
    constraints = np.zeros((rows + columns, rows * columns))
    for row in range(rows):
        constraints[row, row * columns : (row + 1) * columns] = 1
    for column in range(columns):
        constraints[rows + column, column::columns] = 1
    amounts = np.concatenate([first[sources], second[sinks]])
    plan = linprog(costs.ravel(), A_eq=constraints[:-1], b_eq=amounts[:-1], method="highs")
    if not plan.success:
        raise InvalidInput(f"distributions: no transport between them was found ({plan.message}).")
    return float(plan.fun)


def occupancy_distance(
    topology: Topology,
    played: Sequence[Observations],
    held_out: Sequence[Observations],
    rng: np.random.Generator,
    resamples: int = 100,
) -> ImitationMeasure:
    """Where the agent was against where the person was. The interval is of the agent's recordings;
    one recording has none.
    """
    target = occupancy(topology, held_out)
    parts = np.array([occupancy(topology, [seen]) * seen.alive.sum() for seen in played])
    value = earth_movers_distance(parts.sum(0) / parts.sum(), target, topology.nodes)
    if len(played) < 2:
        return ImitationMeasure(value, float("nan"), float("nan"), len(played))
    drawn = []
    for _ in range(resamples):
        chosen = parts[rng.integers(len(parts), size=len(parts))].sum(0)
        drawn.append(earth_movers_distance(chosen / chosen.sum(), target, topology.nodes))
    low, high = np.quantile(drawn, (0.025, 0.975))
    return ImitationMeasure(value, float(low), float(high), len(played))


def route_overlap(
    topology: Topology,
    played: Sequence[Observations],
    held_out: Sequence[Observations],
    rng: np.random.Generator,
    resamples: int = 200,
) -> ImitationMeasure:
    """The share of ways over three nodes that both have in common: 0 none, 1 the same ways as
    often. The interval is of the agent's recordings; one recording has none.
    """
    own = [_routes(topology, [seen]) for seen in played]
    other = _shares([_routes(topology, held_out)])
    value = _in_common(_shares(own), other)
    if len(own) < 2:
        return ImitationMeasure(value, float("nan"), float("nan"), len(own))
    drawn = [
        _in_common(_shares([own[n] for n in rng.integers(len(own), size=len(own))]), other)
        for _ in range(resamples)
    ]
    low, high = np.quantile(drawn, (0.025, 0.975))
    return ImitationMeasure(value, float(low), float(high), len(own))


def _routes(topology: Topology, recordings: Sequence[Observations]) -> Counter[tuple[int, ...]]:
    routes: Counter[tuple[int, ...]] = Counter()
    for seen in recordings:
        course = node_course(topology, seen)
        for first, last in seen.lives():
            way = visited_nodes(course[first:last])
            routes.update(way[place : place + 3] for place in range(len(way) - 2))
    return routes


def _shares(counted: Sequence[Counter[tuple[int, ...]]]) -> Mapping[tuple[int, ...], float]:
    routes: Counter[tuple[int, ...]] = Counter()
    for counts in counted:
        routes.update(counts)
    total = routes.total()
    return {route: count / total for route, count in routes.items()} if total else {}


def _in_common(
    first: Mapping[tuple[int, ...], float], second: Mapping[tuple[int, ...], float]
) -> float:
    return sum(min(share, second.get(route, 0.0)) for route, share in first.items())


def lifetimes_s(seen: Observations) -> Floats:
    return np.array([(last - first) * seen.frame_ms / 1000 for first, last in seen.lives()])


def turning(
    recordings: Sequence[Observations], rng: np.random.Generator
) -> Mapping[str, ImitationMeasure]:
    """Degrees turned a second, and the share of tenths of a second with a sharp turn."""
    turned, sharp = [], []
    for seen in recordings:
        step = max(1, round(100 / seen.frame_ms))
        for first, last in seen.lives():
            yaw = seen.yaw[first:last:step]
            angles = np.abs((np.diff(yaw) + 180) % 360 - 180)
            turned.append(angles * 1000 / (seen.frame_ms * step))
            sharp.append((angles > SHARP_DEGREES).astype(float))
    return {"turned_deg_per_s": measure(turned, rng), "sharp_turns": measure(sharp, rng)}

"""A player's memory: when each item was taken, how often nodes were entered since, and the current
situation.

The same memory serves learning, acting and being tested. A situation is the inventory at its last
change by a pickup or a new life: losing health on the way does not change the goal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from believable.core.errors import InvalidInput
from believable.imitation.mixture import goal_mixture, items_present
from believable.imitation.observations import Floats, Integers, Observations
from believable.imitation.paths import Item, PathGoal, picked_item
from believable.imitation.prototypes import (
    InventoryScheme,
    PrototypeSet,
    frame_vector,
    prototype_set,
)
from believable.imitation.topology import NodeMove, Topology, node_course, node_moves


@dataclass(frozen=True, slots=True, eq=False)
class GoalSet:
    """The goals of a person: situations, the item fetched in each, and the times at which items
    return.
    """

    goals: tuple[PathGoal, ...]
    situations: PrototypeSet
    respawn_ms: Mapping[str, float]

    @property
    def items(self) -> list[Item]:
        return [goal.item for goal in self.goals]


def goal_set(goals: Sequence[PathGoal], respawn_ms: Mapping[str, float]) -> GoalSet:
    return GoalSet(
        tuple(goals), prototype_set(np.array([goal.situation for goal in goals])), dict(respawn_ms)
    )


class GoalMemory:
    """Of one player in one round."""

    def __init__(self, goals: GoalSet, nodes: int) -> None:
        self._goals = goals
        self._items = goals.items
        self._taken_ms: dict[Item, float] = {}
        self._situation: Floats | None = None
        self.entered: Integers = np.zeros(nodes, np.int64)

    def begin_life(self, situation: Floats) -> None:
        self._situation = situation
        self.entered[:] = 0

    def pick_up(self, items: Sequence[Item], now_ms: float, situation: Floats) -> None:
        for item in items:
            self._taken_ms[item] = now_ms
        self.begin_life(situation)

    def mixture(self, now_ms: float) -> Floats:
        if self._situation is None:
            raise InvalidInput("a life has to begin before goals can be weighed.")
        present = items_present(self._items, self._taken_ms, now_ms, self._goals.respawn_ms)
        return goal_mixture(self._goals.situations, self._situation, present)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GoalMoment:
    """A frame of a recording with the goals of that moment; `move` where a node was entered in
    it.
    """

    life: int
    frame: int
    mixture: Floats
    entered: Integers
    move: NodeMove | None


def goal_moments(
    goals: GoalSet,
    topology: Topology,
    scheme: InventoryScheme,
    seen: Observations,
    frames: frozenset[int],
) -> Iterator[GoalMoment]:
    """Goes through a recording and stops at the frames asked for. A pickup in a frame counts from
    the next frame on.
    """
    course = node_course(topology, seen)
    moves = {move.frame: move for move in node_moves(course)}
    taken: dict[int, list[Item]] = {}
    for pickup in seen.pickups:
        taken.setdefault(pickup.frame, []).append(picked_item(topology, course, pickup))
    memory = GoalMemory(goals, len(topology.nodes))
    for life, (first, last) in enumerate(seen.lives()):
        memory.begin_life(frame_vector(scheme, seen, first))
        for frame in range(first, last):
            now_ms = frame * seen.frame_ms
            move = moves.get(frame)
            if frame in frames:
                yield GoalMoment(
                    life=life,
                    frame=frame,
                    mixture=memory.mixture(now_ms),
                    entered=memory.entered,
                    move=move,
                )
            if move is not None:
                memory.entered[move.end] += 1
            if frame in taken:
                memory.pick_up(taken[frame], now_ms, frame_vector(scheme, seen, frame))

"""Where to go: the neighbour with the highest utility, less the more often it was entered since the
last pickup.

Published utilities of neighbours differ by a few percent, so that near ties decide most moves. The
previous nodes decide as the person does: ways continue, and lead to goals of the moment. The share
of moves from the three nodes before over this one to each neighbour, each move counted by its goal,
times the utility to a power; the published rule is the power 1 without the share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from believable.imitation.observations import Floats, Integers, Observations
from believable.imitation.paths import PathGoal, item_paths
from believable.imitation.prototypes import InventoryScheme
from believable.imitation.topology import Topology, node_course, node_moves
from believable.imitation.values import DISCOUNT


def utilities(
    values: Floats, mixture: Floats, entered: Integers, discount: float = DISCOUNT
) -> Floats:
    """U(c) = discount^e(c) · Σ_p V_p(c) m_p."""
    return discount**entered * (mixture @ values)


def next_node(topology: Topology, node: int, utility: Floats) -> int | None:
    """The best neighbour, the lowest number where several are as good; None where no way leads
    on.
    """
    neighbours = topology.neighbours(node)
    return int(neighbours[utility[neighbours].argmax()]) if len(neighbours) else None


def drawn_node(
    topology: Topology, node: int, weights: Floats, rng: np.random.Generator
) -> int | None:
    """A neighbour by its weight, so that rounds differ as a person's do; None where no way leads
    on.
    """
    neighbours = topology.neighbours(node)
    if not len(neighbours):
        return None
    shares = weights[neighbours]
    return (
        int(rng.choice(neighbours, p=shares / shares.sum()))
        if shares.sum() > 0
        else int(neighbours[0])
    )


@dataclass(frozen=True, slots=True)
class MoveHabit:
    """How much ways and goals decide: share^habit · U^utility, U as a share of the highest. In a
    share a way counts by the goal it led to, m^goals, m as a share of the highest; 0 counts all
    alike. Chosen on rounds kept for that.
    """

    habit: float = 1.0
    utility: float = 4.0
    goals: float = 0.25


AS_PUBLISHED = MoveHabit(0.0, 1.0, 0.0)
#: Ways alone, whatever the goals are.
WAYS_ALONE = MoveHabit(1.0, 0.0, 0.0)
#: How many moves the shares of the shorter way count for, where the longer one is known.
_PRIOR_MOVES = 2.0
#: This number of previous nodes makes up a way.
NODES_BEFORE = 3
#: The nodes before, this one, the next, and the goal.
WAY_COLUMNS = NODES_BEFORE + 3
NO_GOAL = -1
#: What ways to the least likely goals count at least, and ways count that led to nothing.
_LEAST_WEIGHT, _NOTHING_WEIGHT = 0.05, 0.3
#: The previous node of a player that has just begun.
FROM_NOWHERE = (-1,) * NODES_BEFORE


@dataclass(frozen=True, slots=True, eq=False)
class WayCounts:
    """How often ways were gone. A row of `ways` is a, b, c, d, e, g: the player went from a over b
    and c to d and then to e, and the next goal reached was g (−1: none); a node −1 is "from
    nowhere", before a life's beginning. Each row is unique, in order.
    """

    ways: Integers
    counts: Floats
    nodes: int

    def shares(self, before: Sequence[int], node: int, mixture: Floats, habit: MoveHabit) -> Floats:
        """The shares of the next nodes after the nodes `before`, the latest one last. Shares of
        longer ways are drawn towards those of shorter ones.
        """
        column = NODES_BEFORE
        rows = slice(*np.searchsorted(self.ways[:, column], (node, node + 1)).tolist())
        ways, counts = self.ways[rows], self.counts[rows]
        shares = np.bincount(ways[:, column + 1], counts, self.nodes) / max(
            1.0, float(counts.sum())
        )
        weighed = counts * goal_weights(mixture, habit)[ways[:, -1]]
        known = np.ones(len(ways), bool)
        for back in range(NODES_BEFORE + 1):
            if back:
                known = known & (ways[:, column - back] == before[-back])
            own = np.bincount(ways[known, column + 1], weighed[known], self.nodes)
            shares = (own + _PRIOR_MOVES * shares) / (float(own.sum()) + _PRIOR_MOVES)
        return np.asarray(shares)


def goal_weights(mixture: Floats, habit: MoveHabit) -> Floats:
    """The weight of a way by its goal; the last number is for ways without a goal."""
    if habit.goals == 0:
        return np.ones(len(mixture) + 1)
    relative = np.maximum((mixture / mixture.max()) ** habit.goals, _LEAST_WEIGHT)
    return np.append(relative, _NOTHING_WEIGHT)


def count_ways(
    topology: Topology,
    recordings: Sequence[Observations],
    goals: Sequence[PathGoal],
    scheme: InventoryScheme,
) -> WayCounts:
    numbers = {(goal.situation, goal.item): number for number, goal in enumerate(goals)}
    counted: Counter[tuple[int, ...]] = Counter()
    for seen in recordings:
        course = node_course(topology, seen)
        towards = np.full(seen.frames, NO_GOAL)
        for path in item_paths(topology, scheme, seen):
            towards[path.first_frame + 1 : path.last_frame + 1] = numbers[path.situation, path.item]
        for first, last in seen.lives():
            before = FROM_NOWHERE
            for move in node_moves(course[first:last]):
                counted[*before, move.start, move.end, int(towards[first + move.frame])] += 1
                before = (*before[1:], move.start)
    ways = sorted(counted, key=lambda way: (way[NODES_BEFORE], way))
    table = np.array(ways, np.int64).reshape(-1, WAY_COLUMNS)
    return WayCounts(table, np.array([counted[way] for way in ways], float), len(topology.nodes))


def habitual_weights(utility: Floats, shares: Floats, habit: MoveHabit) -> Floats:
    """What each node weighs as the next one."""
    highest = float(utility.max())
    relative = utility / highest if highest > 0 else np.ones_like(utility)
    return np.asarray(shares**habit.habit * relative**habit.utility)

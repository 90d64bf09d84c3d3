"""Where to go: the neighbour with the highest utility, less the more often it was entered since the last pickup.

Published utilities of neighbours differ by a few percent, so that near ties decide most moves. What settles them as the person
does is where somebody comes from: ways go on. The share of moves from the two nodes before over this one to each neighbour, times
the utility to a power; the published rule is the power 1 without the share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from believable.imitation.observations import Floats, Integers, Observations
from believable.imitation.topology import Topology, node_course, node_moves
from believable.imitation.values import DISCOUNT


def utilities(values: Floats, mixture: Floats, entered: Integers, discount: float = DISCOUNT) -> Floats:
    """U(c) = discount^e(c) · Σ_p V_p(c) m_p."""
    return discount**entered * (mixture @ values)


def next_node(topology: Topology, node: int, utility: Floats) -> int | None:
    """The best neighbour, the lowest number where several are as good; None where no way leads on."""
    neighbours = topology.neighbours(node)
    return int(neighbours[utility[neighbours].argmax()]) if len(neighbours) else None


def drawn_node(topology: Topology, node: int, weights: Floats, rng: np.random.Generator) -> int | None:
    """A neighbour by its weight, so that rounds differ as a person's do; None where no way leads on."""
    neighbours = topology.neighbours(node)
    if not len(neighbours):
        return None
    shares = weights[neighbours]
    return int(rng.choice(neighbours, p=shares / shares.sum())) if shares.sum() > 0 else int(neighbours[0])


@dataclass(frozen=True, slots=True)
class MoveHabit:
    """How much ways and goals decide: share^habit · U^utility, U as a share of the highest. Chosen on rounds kept for that."""

    habit: float = 1.0
    utility: float = 4.0


AS_PUBLISHED = MoveHabit(0.0, 1.0)
#: Ways alone, whatever the goals are.
WAYS_ALONE = MoveHabit(1.0, 0.0)
#: How many moves the shares of the shorter way count for, where the longer one is known.
_PRIOR_MOVES = 2.0
#: So many nodes make up a way: the two before, this one, and the next.
WAY_NODES = 4


@dataclass(frozen=True, slots=True, eq=False)
class WayCounts:
    """How often ways were gone. A row of `ways` is a, b, c, d: somebody who came from a over b to c went on to d; −1 is "from
    nowhere", before a life's beginning. Each row stands once, in order."""

    ways: Integers
    counts: Floats
    nodes: int

    def shares(self, earlier: int, before: int, node: int) -> Floats:
        """Which share of those who come from `earlier` over `before` (−1: from nowhere) goes on to each node."""
        rows = slice(*np.searchsorted(self.ways[:, 2], (node, node + 1)).tolist())
        ways, counts = self.ways[rows], self.counts[rows]
        shares = np.zeros(self.nodes)
        for known, prior in (
            (np.ones(len(ways), bool), 0.0),
            (ways[:, 1] == before, _PRIOR_MOVES),
            ((ways[:, 1] == before) & (ways[:, 0] == earlier), _PRIOR_MOVES),
        ):
            own = np.bincount(ways[known, 3], counts[known], self.nodes)
            shares = (own + prior * shares) / max(1.0, float(own.sum()) + prior)
        return shares


def count_ways(topology: Topology, recordings: Sequence[Observations]) -> WayCounts:
    counted: Counter[tuple[int, int, int, int]] = Counter()
    for seen in recordings:
        course = node_course(topology, seen)
        for first, last in seen.lives():
            earlier = before = -1
            for move in node_moves(course[first:last]):
                counted[earlier, before, move.start, move.end] += 1
                earlier, before = before, move.start
    ways = sorted(counted, key=lambda way: (way[2], way))
    table = np.array(ways, np.int64).reshape(-1, WAY_NODES)
    return WayCounts(table, np.array([counted[way] for way in ways], float), len(topology.nodes))


def habitual_weights(utility: Floats, shares: Floats, habit: MoveHabit) -> Floats:
    """What each node weighs as the next one."""
    highest = float(utility.max())
    relative = utility / highest if highest > 0 else np.ones_like(utility)
    return np.asarray(shares**habit.habit * relative**habit.utility)

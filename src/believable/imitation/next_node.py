"""Where to go: the neighbour with the highest utility, less the more often it was entered since the last pickup.

Published utilities of neighbours differ by a few percent, so that near ties decide most moves. Two weights settle them as the
person does: ways that were often taken are preferred a little, and nobody turns back without having picked something up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from believable.imitation.observations import Floats, Integers
from believable.imitation.topology import Topology
from believable.imitation.values import DISCOUNT


def utilities(values: Floats, mixture: Floats, entered: Integers, discount: float = DISCOUNT) -> Floats:
    """U(c) = discount^e(c) · Σ_p V_p(c) m_p."""
    return discount**entered * (mixture @ values)


def next_node(topology: Topology, node: int, utility: Floats) -> int | None:
    """The best neighbour, the lowest number where several are as good; None where no way leads on."""
    neighbours = topology.neighbours(node)
    return int(neighbours[utility[neighbours].argmax()]) if len(neighbours) else None


@dataclass(frozen=True, slots=True)
class MoveHabit:
    """How near ties are settled: U · share^habit, times `turn_back` for the node that was just left. 0 and 1: as published."""

    habit: float = 0.2
    turn_back: float = 0.5


AS_PUBLISHED = MoveHabit(0.0, 1.0)
#: The share of a way that was never taken, so that it stays possible.
_RARE = 0.01


def move_shares(frames_on_edge: Floats, topology: Topology) -> Floats:
    """Which share of the moves from a node (row) led to another, from the frames spent on the way and how long a move takes."""
    moves = np.where(topology.edges, frames_on_edge / np.maximum(topology.edge_frames, 1.0), 0.0)
    return np.asarray(moves / np.maximum(moves.sum(1, keepdims=True), 1e-9))


def habitual_utilities(
    utility: Floats, node: int, shares: Floats, entered: Integers, came_from: int, habit: MoveHabit
) -> Floats:
    """Utilities as seen from a node. Right after a pickup, when nothing was entered since, turning back is as good as any way."""
    weighed = utility * (shares[node] + _RARE) ** habit.habit
    if came_from >= 0 and entered.any():
        weighed[came_from] *= habit.turn_back
    return np.asarray(weighed)

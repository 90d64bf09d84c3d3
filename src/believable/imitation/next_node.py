"""Where to go: the neighbour with the highest utility, less the more often it was entered since the last pickup."""

from __future__ import annotations

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

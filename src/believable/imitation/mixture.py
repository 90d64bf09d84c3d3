"""Weights of the goals at a moment: near situations count more, and only goals whose item is
present.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from believable.imitation.observations import Booleans, Floats
from believable.imitation.paths import Item
from believable.imitation.prototypes import PrototypeSet

#: An item returns after this time if nothing else is known about it.
RESPAWN_MS = 30_000


def goal_mixture(situations: PrototypeSet, vector: Floats, present: Booleans) -> Floats:
    """The share of each goal; they sum to 1. Where no item is there, all goals count by closeness
    alone.
    """
    weights = situations.closeness(vector)
    available = weights * present
    chosen = available if available.sum() > 0 else weights
    return np.asarray(chosen / chosen.sum())


def is_present(
    item: Item, taken_ms: Mapping[Item, float], now_ms: float, respawn_ms: Mapping[str, float]
) -> bool:
    """Whether an item is at its position: it is until it is taken, and again after its time."""
    return item not in taken_ms or now_ms - taken_ms[item] >= respawn_ms.get(item.name, RESPAWN_MS)


def items_present(
    items: Sequence[Item],
    taken_ms: Mapping[Item, float],
    now_ms: float,
    respawn_ms: Mapping[str, float],
) -> Booleans:
    return np.array([is_present(item, taken_ms, now_ms, respawn_ms) for item in items], bool)

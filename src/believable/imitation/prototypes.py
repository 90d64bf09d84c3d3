"""Situations: the inventory, as a vector; and the goals that followed from them.

Things are carried or not (0, 1); a quantity has one of three levels, by thirds of the most that was
seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from believable.imitation.observations import Floats, Observations

LEVELS = 3


@dataclass(frozen=True, slots=True)
class InventoryScheme:
    """How an inventory becomes a vector: first the things, then the quantities with the most that
    was seen of each.
    """

    things: tuple[str, ...]
    most: Mapping[str, float]

    @property
    def size(self) -> int:
        return len(self.things) + len(self.most)

    def vector(self, carried: frozenset[str], quantities: Mapping[str, float]) -> Floats:
        have = [float(thing in carried) for thing in self.things]
        levels = [level(quantities.get(name, 0.0), most) for name, most in self.most.items()]
        return np.array(have + levels)

    def words(self, vector: Floats) -> str:
        """A vector for people: "Railgun, health 2"."""
        things = [name for name, value in zip(self.things, vector, strict=False) if value]
        levels = [
            f"{name} {int(value)}"
            for name, value in zip(self.most, vector[len(self.things) :], strict=True)
        ]
        return ", ".join(things + levels)


def level(value: float, most: float) -> float:
    """0, 1 or 2: the lower, middle or upper third of the observed values."""
    return float(min(LEVELS - 1, max(0, int(value / most * LEVELS)))) if most > 0 else 0.0


def learn_scheme(recordings: Sequence[Observations]) -> InventoryScheme:
    """All that was ever carried, and every quantity that varies."""
    things = sorted({thing for seen in recordings for carried in seen.carried for thing in carried})
    most: dict[str, float] = {}
    for seen in recordings:
        for name, values in seen.quantities.items():
            while_alive = values[seen.alive]
            most[name] = max(
                most.get(name, 0.0), float(while_alive.max()) if len(while_alive) else 0.0
            )
    return InventoryScheme(tuple(things), dict(sorted(most.items())))


@dataclass(frozen=True, slots=True, eq=False)
class PrototypeSet:
    """The different situations, one row each, and how far numbers spread in them."""

    vectors: Floats
    spread: Floats

    def closeness(self, vector: Floats) -> Floats:
        """1 / (.001 + distance) to each situation, in standardised numbers."""
        distances = np.sqrt((((self.vectors - vector) / self.spread) ** 2).sum(1))
        return np.asarray(1 / (0.001 + distances))


def prototype_set(vectors: Floats) -> PrototypeSet:
    spread = vectors.std(0)
    return PrototypeSet(vectors, np.where(spread > 0, spread, 1.0))


def frame_vector(scheme: InventoryScheme, seen: Observations, frame: int) -> Floats:
    """The situation in a frame."""
    return scheme.vector(
        seen.carried[frame],
        {name: float(values[frame]) for name, values in seen.quantities.items()},
    )

"""Action primitives: the actions of a hand in a frame, in a few dozen kinds.

A hand's vector is [Δyaw, Δpitch, jump, firing, weapon]: angles in units of 20°, the weapon as one
number per weapon, so that turns, jumps, shots and changes of weapon weigh alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from believable.imitation.clusters import k_means, nearest
from believable.imitation.observations import Floats, Integers, Observations

ANGLE_UNIT = 20.0
#: Δyaw, Δpitch, jump, firing precede the weapons.
_PLAIN = 4


@dataclass(frozen=True, slots=True, eq=False)
class PrimitiveSet:
    """`centres` and `spread` have one row per primitive; `explained` is the share of the variance
    that the centres keep.
    """

    weapons: tuple[str, ...]
    centres: Floats
    spread: Floats
    explained: float

    @property
    def count(self) -> int:
        return len(self.centres)

    def label(self, seen: Observations) -> Integers:
        """The primitive of each frame's movement into the next; the last frame has none."""
        return nearest(hand_vectors(seen, self.weapons), self.centres)

    def turn(self, primitive: int, rng: np.random.Generator) -> tuple[float, float]:
        """Δyaw and Δpitch in degrees, drawn around the centre with the spread that was seen."""
        drawn = rng.normal(self.centres[primitive, :2], self.spread[primitive, :2])
        return float(drawn[0] * ANGLE_UNIT), float(drawn[1] * ANGLE_UNIT)

    def jumps(self, primitive: int) -> bool:
        return bool(self.centres[primitive, 2] > 0.5)

    def fires(self, primitive: int) -> bool:
        return bool(self.centres[primitive, 3] > 0.5)

    def weapon(self, primitive: int) -> str:
        return self.weapons[int(self.centres[primitive, _PLAIN:].argmax())] if self.weapons else ""


def hand_vectors(seen: Observations, weapons: Sequence[str]) -> Floats:
    """One row per frame but the last. A weapon that was never learned is none of them."""
    turned = (np.diff(seen.yaw) + 180.0) % 360.0 - 180.0
    after = slice(1, None)
    columns = [
        turned / ANGLE_UNIT,
        np.diff(seen.pitch) / ANGLE_UNIT,
        seen.jumps[after],
        seen.firing[after],
    ]
    columns += [np.array([weapon == name for name in seen.weapon[1:]], float) for weapon in weapons]
    return np.column_stack(columns).astype(float)


def moving_frames(seen: Observations) -> Integers:
    """Frames that are alive and so is the next one: what happens across a death is no movement of a
    hand.
    """
    return np.flatnonzero(seen.alive[:-1] & seen.alive[1:])


def learn_primitives(
    recordings: Sequence[Observations], count: int, rng: np.random.Generator
) -> PrimitiveSet:
    weapons = tuple(sorted({weapon for seen in recordings for weapon in seen.weapon if weapon}))
    vectors = np.concatenate(
        [hand_vectors(seen, weapons)[moving_frames(seen)] for seen in recordings]
    )
    centres, labels = k_means(vectors, count, rng)
    rest = vectors - centres[labels]
    sizes = np.maximum(np.bincount(labels, minlength=len(centres)), 1)
    squares = np.zeros_like(centres)
    np.add.at(squares, labels, rest**2)
    total = ((vectors - vectors.mean(0)) ** 2).sum()
    explained = 1.0 - (rest**2).sum() / total if total > 0 else 1.0
    return PrimitiveSet(weapons, centres, np.sqrt(squares / sizes[:, None]), float(explained))

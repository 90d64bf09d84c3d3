"""A list of paired comparisons, checked and coded once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.stats.inputs import FloatArray

WINNERS = ("left", "right", "tie")
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Pairs shown and their outcomes, by position in `items`; 1 left won, 0 right won, ½ tie."""

    items: tuple[str, ...]
    left: IntArray
    right: IntArray
    score: FloatArray
    judges: IntArray | None

    @property
    def n(self) -> int:
        return len(self.score)


def comparisons(
    left: Sequence[Hashable],
    right: Sequence[Hashable],
    winner: Sequence[str],
    *,
    judges: Sequence[Hashable] | None = None,
) -> Comparisons:
    """Check and code a list of comparisons; `winner` is "left", "right" or "tie" for each."""
    lengths = {len(left), len(right), len(winner)} | ({len(judges)} if judges is not None else set())
    if len(lengths) > 1:
        raise InvalidInput(f"left, right, winner, judges: expected one length, got {sorted(lengths)}.")
    for row, (a, b, won) in enumerate(zip(left, right, winner, strict=True)):
        if won not in WINNERS:
            raise InvalidInput(
                f"winner[{row}]: unknown value {won!r}. {did_you_mean(str(won), list(WINNERS))}"
            )
        if a == b:
            raise InvalidInput(f"left[{row}]: {a!r} is compared with itself. Leave the row out.")
    items = tuple(sorted({str(item) for item in left} | {str(item) for item in right}))
    place = {item: index for index, item in enumerate(items)}
    codes = [np.array([place[str(item)] for item in side], dtype=np.int64) for side in (left, right)]
    score = np.array([{"left": 1.0, "right": 0.0, "tie": 0.5}[won] for won in winner])
    by_judge = None
    if judges is not None:
        by_judge = np.unique(np.array([str(judge) for judge in judges]), return_inverse=True)[1].astype(
            np.int64
        )
    return Comparisons(items, codes[0], codes[1], score, by_judge)

"""Comparisons of two agents at a time: the checked list and shares won."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.stats.bootstrap import bootstrap
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray

WINNERS = ("left", "right", "tie")
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """Pairs shown and their outcomes, by position in `items`; 1 left won, 0 right won, ½ tie.

    judges  a number from 0 for the judge of each pair; None: unknown
    clips   the numbers of the left and the right clip of each pair; None: unknown
    """

    items: tuple[str, ...]
    left: IntArray
    right: IntArray
    score: FloatArray
    judges: IntArray | None
    clips: IntArray | None = None

    @property
    def n(self) -> int:
        return len(self.score)


def comparisons(
    left: Sequence[Hashable],
    right: Sequence[Hashable],
    winner: Sequence[str],
    *,
    judges: Sequence[Hashable] | None = None,
    clips: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None,
) -> Comparisons:
    """Check and code a list of comparisons; `winner` is "left", "right" or "tie" for each.

    clips  the clips that showed the left and the right item. A clip belongs to one item.
    """
    shown = clips or ()
    lengths = {
        len(part) for part in (left, right, winner, *shown, *(() if judges is None else (judges,)))
    }
    if len(lengths) > 1:
        raise InvalidInput(
            f"left, right, winner, judges, clips: expected one length, got {sorted(lengths)}."
        )
    checked = (
        ("left, right", (*left, *right)),
        ("judges", judges or ()),
        ("clips", [clip for side in shown for clip in side]),
    )
    for name, labels in checked:
        kinds = sorted(
            {
                "numbers" if isinstance(label, (int, float, np.number)) else "texts"
                for label in labels
            }
        )
        if len(kinds) > 1:  # 1 and "1" would become one and the same
            raise InvalidInput(
                f"{name}: expected names of one kind, got {' and '.join(kinds)}. Give all as texts."
            )
    for row, (a, b, won) in enumerate(zip(left, right, winner, strict=True)):
        if won not in WINNERS:
            raise InvalidInput(
                f"winner[{row}]: unknown value {won!r}. {did_you_mean(str(won), list(WINNERS))}"
            )
        if a == b:
            raise InvalidInput(f"left[{row}]: {a!r} is compared with itself. Leave the row out.")
    items = tuple(sorted({str(item) for item in left} | {str(item) for item in right}))
    place = {item: index for index, item in enumerate(items)}
    codes = [
        np.array([place[str(item)] for item in side], dtype=np.int64) for side in (left, right)
    ]
    score = np.array([{"left": 1.0, "right": 0.0, "tie": 0.5}[won] for won in winner])
    by_judge = None
    if judges is not None:
        by_judge = np.unique(np.array([str(judge) for judge in judges]), return_inverse=True)[
            1
        ].astype(np.int64)
    return Comparisons(
        items=items,
        left=codes[0],
        right=codes[1],
        score=score,
        judges=by_judge,
        clips=None if clips is None else _code_clips((left, right), clips),
    )


def _code_clips(
    shown: tuple[Sequence[Hashable], Sequence[Hashable]],
    clips: tuple[Sequence[Hashable], Sequence[Hashable]],
) -> IntArray:
    """The number of each clip, which must belong to one item."""
    item_of: dict[str, str] = {}
    for items, sides in zip(shown, clips, strict=True):
        for row, (item, clip) in enumerate(zip(items, sides, strict=True)):
            known = item_of.setdefault(str(clip), str(item))
            if known != str(item):
                raise InvalidInput(
                    f"clips, row {row}: {clip!r} shows {item!r} here and {known!r} elsewhere. Give"
                    " clips of different agents different names."
                )
    number = {clip: index for index, clip in enumerate(sorted(item_of))}
    coded = np.array([[number[str(clip)] for clip in side] for side in clips], dtype=np.int64)
    return coded.reshape(2, -1).T


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRate:
    """How one item did.

    share    of its comparisons won, ties counting half; interval by judge when judges are known
    average  the mean over opponents of the share won against each, so that uneven pairing does not
             matter
    score    wins plus half the ties
    """

    item: str
    wins: int
    losses: int
    ties: int
    share: Estimate
    average: float | None
    score: float


def win_rates(
    data: Comparisons, *, rng: np.random.Generator | None = None, level: float = 0.95
) -> tuple[WinRate, ...]:
    """Wins, losses and shares of every item, sorted by name.

    Interval     without judges in the data: Wilson's for an item that never tied, otherwise a t
                 interval of the scores 0, ½, 1. With judges: expanded percentile bootstrap over
                 judges (needs `rng`).
    Undefined    a share without comparisons.
    Checked      the Python library evalica (average win rate, counting).
    """
    check_level(level)
    if data.judges is not None and rng is None:
        raise InvalidInput(
            "rng: expected a generator, since intervals by judge are bootstrapped; got None."
        )
    return tuple(_win_rate(data, index, rng, level) for index in range(len(data.items)))


def _win_rate(
    data: Comparisons, index: int, rng: np.random.Generator | None, level: float
) -> WinRate:
    as_left, as_right = data.left == index, data.right == index
    scores = np.concatenate([data.score[as_left], 1 - data.score[as_right]])
    opponents = np.concatenate([data.right[as_left], data.left[as_right]])
    counts = [int((scores == value).sum()) for value in (1.0, 0.0, 0.5)]
    share = _share(
        data,
        scores,
        np.concatenate([np.flatnonzero(as_left), np.flatnonzero(as_right)]),
        rng,
        level,
    )
    against = [float(scores[opponents == other].mean()) for other in np.unique(opponents)]
    average = float(np.mean(against)) if against else None
    return WinRate(
        item=data.items[index],
        wins=counts[0],
        losses=counts[1],
        ties=counts[2],
        share=share,
        average=average,
        score=float(scores.sum()),
    )


def _share(
    data: Comparisons,
    scores: FloatArray,
    rows: IntArray,
    rng: np.random.Generator | None,
    level: float,
) -> Estimate:
    n = len(scores)
    if n == 0:
        return undefined("no comparisons", method="share won", n=0, level=level)
    if data.judges is not None and rng is not None:
        return bootstrap(
            scores,
            "mean",
            rng=rng,
            method="expanded",
            clusters=data.judges[rows],
            resamples=2000,
            level=level,
        )
    if not (scores == 0.5).any():
        return proportion(int(scores.sum()), n, level=level)
    mean = float(scores.mean())
    if n < 2 or scores.min() == scores.max():
        return Estimate(
            value=mean,
            low=None,
            high=None,
            level=level,
            n=n,
            method="share won, t interval",
            reason="no variance among its scores",
        )
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * float(scores.std(ddof=1)) / math.sqrt(n)
    return Estimate(
        value=mean,
        low=max(0.0, mean - half),
        high=min(1.0, mean + half),
        level=level,
        n=n,
        method="share won, t interval",
    )

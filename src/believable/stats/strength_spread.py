"""How much the strengths of a paired-comparison model vary with the choice of judges and of clips.

A judgement of two clips belongs to one judge and to two clips. Two judgements depend on each other
if they share the judge or a clip.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from believable.core.deferred import special
from believable.stats.estimate import Estimate, t_estimate, without_interval
from believable.stats.inputs import FloatArray
from believable.stats.pairs import Comparisons

IntArray = NDArray[np.int64]
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthSpread:
    """The influences of judges and clips on the fitted values.

    values     the centred log strengths, and log ν of a model with ties
    base       their covariance if judgements are independent
    judges     by how much each judge (row) moves each value; None: unknown judges
    clips      the same of each clip; None: unknown clips
    clip_item  the item that each clip shows
    twice      the squares that the sums over clips contain twice: those of the same two clips
    cells      the squares that judges and clips both contain: those of a clip of one judge
    """

    values: FloatArray
    base: FloatArray
    judges: FloatArray | None
    clips: FloatArray | None
    clip_item: IntArray | None
    twice: FloatArray | None
    cells: FloatArray | None

    def estimate(self, weights: FloatArray, *, n: int, level: float, method: str) -> Estimate:
        """A weighted sum of the values with its interval, or the reason why it has none. `n` counts
        the comparisons.
        """
        value = float(self.values @ weights)
        parts = [part for part in (self.judges, self.clips) if part is not None]
        n = min((len(part) for part in parts), default=n)
        se, df = self.se(weights)
        if df is None:
            half = float(special.ndtri((1 + level) / 2)) * se
            return Estimate(
                value=value,
                low=value - half,
                high=value + half,
                level=level,
                n=n,
                method=method,
                se=se,
            )
        if df >= 1 and se > 0:
            return t_estimate(value, se, df, level=level, n=n, method=method)
        few = self.judges is not None and len(self.judges) < 2
        reason = (
            "one judge only: no interval by judge"
            if few
            else "one clip only of an agent: no interval by clip"
            if df < 1
            else "no spread between judges or clips"
        )
        return without_interval(value, reason, method=method, n=n, level=level)

    def se(self, weights: FloatArray) -> tuple[float, float | None]:
        """The standard error of a weighted sum of the values, and the degrees of freedom of its t
        (None: normal).
        """
        if self.judges is None:
            return math.sqrt(max(float(weights @ self.base @ weights), 0.0)), None
        by_judge = (self.judges @ weights) ** 2
        judges, judges_df = float(by_judge.sum()), float(len(by_judge) - 1)
        if self.clips is None or self.twice is None or self.cells is None:
            return math.sqrt(judges), judges_df
        clips, clips_df = self._over_clips(weights, self.clips, self.twice)
        cells = float(weights @ self.cells @ weights)
        variance = max(judges + clips - cells, judges, clips)
        return math.sqrt(variance), min(judges_df, clips_df)

    def shares(self, weights: FloatArray) -> tuple[float, float, float] | None:
        """The shares of judges, clips and single judgements in the variance of a weighted sum; None
        without judges or clips.
        """
        if self.judges is None or self.clips is None or self.twice is None or self.cells is None:
            return None
        judges = float(((self.judges @ weights) ** 2).sum())
        clips = self._over_clips(weights, self.clips, self.twice)[0]
        cells = float(weights @ self.cells @ weights)
        parts = (max(judges - cells, 0.0), max(clips - cells, 0.0), cells)
        total = sum(parts)
        return (
            None if total <= _NEGLIGIBLE**2 else (parts[0] / total, parts[1] / total, cells / total)
        )

    def _over_clips(
        self, weights: FloatArray, clips: FloatArray, twice: FloatArray
    ) -> tuple[float, float]:
        """The variance over clips, and Welch–Satterthwaite's degrees of freedom over the items'
        parts.
        """
        by_clip = (clips @ weights) ** 2
        total = float(by_clip.sum())
        variance = max(total - float(weights @ twice @ weights), 0.0)
        if total <= _NEGLIGIBLE**2 or self.clip_item is None:
            return variance, math.inf
        parts = np.bincount(self.clip_item, by_clip)
        counts = np.bincount(self.clip_item, minlength=len(parts))
        known = counts > 1
        if not known.all():
            return variance, 0.0
        return variance, total**2 / float((parts**2 / (counts - 1)).sum())


def strength_spread(
    data: Comparisons,
    slopes: FloatArray,
    bread: FloatArray,
    full: FloatArray,
    values: FloatArray,
    *,
    robust: bool,
) -> StrengthSpread:
    """Sum the influences of the judgements over judges and clips.

    slopes  the derivative of each judgement's −log-likelihood by the free parameters
    bread   the inverse of the curvature; `full` turns free parameters into values
    robust  without judges: take the spread of the judgements, not the curvature
    Formula judges: sums of a judge's influences, times J/(J − 1) once squared. Clips: sums over the
            judgements that show the clip, each square divided by 1 − the clip's share of its item's
            judgements; less the squared sums over judgements of the same two clips. Cells, which
            judges and clips both hold: the same sums within each judge, without corrections.
    Source  Cameron, Gelbach & Miller (2011); Aronow, Samii & Assenova (2015) for judgements that
            share one of two clips; Bell & McCaffrey (2002) for the weights.
    """
    influence = slopes @ bread @ full.T
    base = full @ bread @ full.T
    if robust:
        base = influence.T @ influence * (len(slopes) / max(len(slopes) - 1, 1))
    judges = clips = clip_item = twice = cells = None
    if data.judges is not None:
        judges = _sums(influence, data.judges)
        judges *= math.sqrt(len(judges) / max(len(judges) - 1, 1))
    if data.clips is not None and data.judges is not None:
        shown = np.unique(data.clips, return_inverse=True)[1].reshape(-1, 2).astype(np.int64)
        clips, clip_item = _over_clips(data, shown, influence)
        pair = _codes(shown.min(axis=1), shown.max(axis=1))
        twice = _squares(influence, pair)
        cell = _codes(np.tile(data.judges, 2), shown.T.ravel())
        within = _squares(np.tile(influence, (2, 1)), cell)
        cells = within - _squares(influence, _codes(data.judges, pair))
    return StrengthSpread(
        values=values,
        base=base,
        judges=judges,
        clips=clips,
        clip_item=clip_item,
        twice=twice,
        cells=cells,
    )


def _over_clips(
    data: Comparisons, clips: IntArray, influence: FloatArray
) -> tuple[FloatArray, IntArray]:
    """The corrected sums over clips, and the item of each clip."""
    count = int(clips.max()) + 1
    item = np.zeros(count, np.int64)
    item[clips[:, 0]], item[clips[:, 1]] = data.left, data.right
    shown = np.bincount(clips.ravel(), minlength=count)
    of_item = np.bincount(item, shown)
    share = shown / of_item[item]
    sums = _sums(influence, clips[:, 0], count) + _sums(influence, clips[:, 1], count)
    return sums / np.sqrt(np.maximum(1 - share, _NEGLIGIBLE))[:, None], item


def _codes(first: IntArray, second: IntArray) -> IntArray:
    whole = first * (int(second.max(initial=0)) + 1) + second
    codes: IntArray = np.unique(whole, return_inverse=True)[1].astype(np.int64)
    return codes


def _sums(rows: FloatArray, groups: IntArray, count: int = 0) -> FloatArray:
    return np.stack([np.bincount(groups, column, minlength=count) for column in rows.T], axis=1)


def _squares(rows: FloatArray, groups: IntArray) -> FloatArray:
    sums = _sums(rows, groups)
    return sums.T @ sums

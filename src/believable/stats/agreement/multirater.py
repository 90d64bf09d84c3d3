"""Two or more raters, categories, cells may be missing: percent agreement, Fleiss' κ, Gwet's AC1
and relatives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from believable.core.deferred import special
from believable.core.errors import InvalidInput
from believable.stats.agreement.coefficient import (
    IntArray,
    code_labels,
    coefficient,
    count_table,
    few_ratings,
    no_items,
    number_table,
    one_item,
    pair_counts,
    unseen_share,
)
from believable.stats.estimate import Estimate, check_level, mean_share, undefined
from believable.stats.inputs import FloatArray, one_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _ItemAgreement:
    """The parts from which the category coefficients are computed. `usable`: items with at least
    two ratings.
    """

    counts: IntArray
    usable: NDArray[np.bool_]
    per_item: FloatArray  # share of agreeing pairs of ratings, 0 for items that are not usable
    shares: FloatArray  # of the categories, mean over items of the item's own shares
    item_shares: FloatArray
    raters: int

    @property
    def n(self) -> int:
        return len(self.counts)

    @property
    def observed_share(self) -> float:
        return float(self.per_item[self.usable].mean())

    @property
    def complete(self) -> bool:
        return bool((self.counts.sum(axis=1) == self.raters).all())


def percent_agreement(
    ratings: Any,
    *,
    rule: Literal["pairs", "all"] = "pairs",
    tolerance: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """How often do raters say the same?

    Formula     rule "pairs": mean over items of the share of agreeing pairs of ratings; rule "all":
                share of items on which all ratings agree. With `tolerance` (numbers) two ratings
                agree when they differ by at most that much. Two raters: both rules are the same.
    Range       0 to 1, higher is better. Not corrected for chance: with one dominant category it is
                high anyway.
    Interval    Wilson's score interval; rule "pairs" with the effective number of items, from their
                spread.
    Missing     allowed; items with fewer than two ratings are left out and noted.
    Undefined   no item has two ratings.
    Checked     R irr 0.84.1 `agree`, irrCAC 1.0 `pa.coeff.raw`.
    """
    check_level(level)
    one_of(rule, ("pairs", "all"), name="rule")
    if tolerance is not None and tolerance < 0:
        raise InvalidInput(
            f"tolerance: expected 0 or more, got {tolerance}. Give None for equal labels."
        )
    method = f"percent_agreement ({rule}; Wilson interval)"
    if tolerance is None:
        coded = code_labels(ratings, name="ratings", ndim=2)
        pairs, agreeing = pair_counts(count_table(coded))
    else:
        pairs, agreeing = _near_pair_counts(number_table(ratings, name="ratings"), tolerance)
    usable = pairs > 0
    notes = few_ratings(usable)
    if not usable.any():
        return no_items(method, level, notes=notes)
    shares = agreeing[usable] / pairs[usable]
    if rule == "all":
        shares = (agreeing[usable] == pairs[usable]).astype(np.float64)
    n, value = len(shares), float(shares.mean())
    if n < 2:
        return one_item(value, method, level, notes=notes)
    low, high = mean_share(shares, level=level)
    return Estimate(value=value, low=low, high=high, level=level, n=n, method=method, notes=notes)


def fleiss_kappa(
    ratings: Any, *, categories: Sequence[Any] | None = None, level: float = 0.95
) -> Estimate:
    """Do several interchangeable raters agree beyond chance, chance being the pooled use of the
    categories?

    Formula     κ = (p_o − p_e)/(1 − p_e), p_o the mean share of agreeing pairs, p_e = Σ_c p_c².
    Range       ≤ 1, 0 is chance, higher is better.
    Interval    Gwet's linearised standard error over items, scale log(1 − κ), Student's t.
    Test        statistic = κ / Fleiss' 1979 standard error under chance only (complete tables),
                two-sided p_value.
    Missing     allowed (Gwet's extension): p_o over items with two ratings or more, p_c over items
                with any.
    Undefined   one rater, no item with two ratings, or one category throughout.
    Source      Fleiss 1971; Fleiss, Nee & Landis 1979; Gwet 2014.
    Checked     R irr 0.84.1 `kappam.fleiss` (value, z), irrCAC 1.0 (missing cells), statsmodels.
    """
    method = "fleiss_kappa (log-scale linearised interval)"
    parts = _parts(ratings, categories, method, level)
    if isinstance(parts, Estimate):
        return parts
    expected = float(parts.shares @ parts.shares)
    # Each item's own pull on p_e is (π_i·p), so the linearised term is 2(π_i·p − p_e).
    return _chance_corrected(
        parts, expected, parts.item_shares @ parts.shares, method, level, z=_fleiss_z(parts)
    )


def gwet_ac1(
    ratings: Any, *, categories: Sequence[Any] | None = None, level: float = 0.95
) -> Estimate:
    """Do several raters agree beyond chance, when one category is much more frequent than the
    others?

    Formula     AC1 = (p_o − p_e)/(1 − p_e), p_e = Σ_c p_c(1 − p_c)/(q − 1). Stays high where κ
                collapses.
    Range       ≤ 1, 0 is chance, higher is better.
    Interval    Gwet's linearised standard error over items, scale log(1 − AC1), Student's t.
    Missing     allowed, as in `fleiss_kappa`.
    Undefined   one rater, no item with two ratings, or fewer than two categories (give `categories`
                when only one of the scale's categories was used: AC1 is then 1).
    Source      Gwet 2008, 2014.
    Checked     R irrCAC 1.0 `gwet.ac1.raw`, Python irrCAC 0.4.4 (value and standard error).
    """
    method = "gwet_ac1 (log-scale linearised interval)"
    parts = _parts(ratings, categories, method, level)
    if isinstance(parts, Estimate):
        return parts
    width = len(parts.shares)
    expected = float((parts.shares * (1 - parts.shares)).sum()) / (width - 1)
    pull = (parts.item_shares @ (1 - parts.shares)) / (width - 1)
    return _chance_corrected(parts, expected, pull, method, level)


def _parts(
    ratings: Any, categories: Sequence[Any] | None, method: str, level: float
) -> _ItemAgreement | Estimate:
    """The common ground of the coefficients, or the undefined estimate with the reason why there is
    none.
    """
    check_level(level)
    coded = code_labels(ratings, name="ratings", ndim=2, categories=categories)
    counts = count_table(coded)
    pairs, agreeing = pair_counts(counts)
    usable = pairs > 0
    if coded.codes.shape[1] < 2:
        return undefined(
            "there is one rater only; agreement needs two", method=method, n=0, level=level
        )
    if not usable.any():
        return undefined("no item has two ratings to compare", method=method, n=0, level=level)
    if len(coded.categories) < 2:
        reason = "one category was used throughout, so chance agreement is 1"
        return undefined(reason, method=method, n=int((counts.sum(axis=1) > 0).sum()), level=level)
    rated = counts.sum(axis=1)
    if not rated.all():
        some = rated > 0
        counts, usable, rated, pairs, agreeing = (
            part[some] for part in (counts, usable, rated, pairs, agreeing)
        )
    per_item = np.divide(agreeing, pairs, out=np.zeros(len(counts)), where=usable)
    item_shares = counts / rated[:, None]
    return _ItemAgreement(
        counts=counts,
        usable=usable,
        per_item=per_item,
        shares=item_shares.mean(axis=0),
        item_shares=item_shares,
        raters=coded.codes.shape[1],
    )


def _chance_corrected(
    parts: _ItemAgreement,
    expected: float,
    pull: FloatArray,
    method: str,
    level: float,
    *,
    z: float | None = None,
) -> Estimate:
    """(p_o − p_e)/(1 − p_e) with Gwet's linearised variance; `pull` is each item's contribution to
    p_e.
    """
    if expected >= 1 - 1e-15:
        reason = "one category was used throughout, so chance agreement is 1"
        return undefined(reason, method=method, n=parts.n, level=level)
    n, usable = parts.n, int(parts.usable.sum())
    value = (parts.observed_share - expected) / (1 - expected)
    scaled = np.where(parts.usable, n / usable * (parts.per_item - expected), 0.0) / (1 - expected)
    mean_pull = float(pull.mean())
    terms = scaled - 2 * (1 - value) * (pull - mean_pull) / (1 - expected)
    se = math.sqrt(float(((terms - value) ** 2).sum()) / (n * (n - 1))) if n > 1 else 0.0
    at_one = 1 - unseen_share(usable, level=level) / (1 - expected)
    p_value = None if z is None else float(2 * special.ndtr(-abs(z)))
    return coefficient(
        value,
        se,
        n=n,
        level=level,
        method=method,
        at_one=at_one,
        notes=few_ratings(parts.usable),
        statistic=z,
        p_value=p_value,
    )


def _fleiss_z(parts: _ItemAgreement) -> float | None:
    """κ over its standard error under chance only; defined for complete tables."""
    if not parts.complete:
        return None
    p, m = parts.shares, parts.raters
    spread = float((p * (1 - p)).sum())
    if spread <= 1e-15:
        return None
    variance = (
        2
        / (parts.n * m * (m - 1) * spread**2)
        * (spread**2 - float((p * (1 - p) * (1 - 2 * p)).sum()))
    )
    expected = float(p @ p)
    if variance <= 0:
        return None
    return (parts.observed_share - expected) / (1 - expected) / math.sqrt(variance)


def _near_pair_counts(table: FloatArray, tolerance: float) -> tuple[FloatArray, FloatArray]:
    present = ~np.isnan(table)
    rated = present.sum(axis=1)
    agreeing = np.zeros(len(table))
    for column in range(table.shape[1]):
        near = np.abs(table - table[:, [column]]) <= tolerance
        near[:, column] = False
        agreeing += near.sum(axis=1)  # a comparison with NaN is False, so missing cells never agree
    return (rated * (rated - 1)).astype(np.float64), agreeing

"""Comparisons on the scale of a paired-comparison model: contrasts of two items, ranks, and whether
an item is as strong as people.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from believable.core.deferred import special
from believable.stats.bradley_terry import BradleyTerry
from believable.stats.crossed import t_against
from believable.stats.equivalence import EquivalenceResult, tost_estimate
from believable.stats.estimate import Estimate, undefined
from believable.stats.result import Alternative, TestResult, holm

_TEST = "t test of the difference of log strengths"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthContrast:
    """One item against another: the difference of their log strengths, its test, and Holm's p value
    over all contrasts of the family.
    """

    first: str
    second: str
    difference: Estimate
    test: TestResult
    p_adjusted: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthRank:
    """The rank of an item, 1 for the strongest, with the ranks that the contrasts leave open; None
    without an estimate.
    """

    item: str
    rank: int | None
    best: int | None
    worst: int | None


def strength_contrasts(
    fit: BradleyTerry,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    alternatives: Mapping[tuple[str, str], Alternative] | None = None,
    level: float = 0.95,
) -> tuple[StrengthContrast, ...]:
    """Compare items on the scale of the whole model, not by the choices between the two alone.

    Says         whether the first of a pair is preferred over the second, from all comparisons.
    pairs        the family of contrasts; without it every pair of items
    alternatives pairs with a one-sided test; the others are two-sided
    Formula      difference of log strengths ± t·SE; the SE is that of the fit (clustered by judge
                 and clip if both are known); Holm's adjustment over the family.
    Undefined    if the fit is; without an interval there is no test.
    Source       Davidson (1970); Holm (1979).
    Checked      in R: Davidson's model as a Poisson log-linear model, its sandwich from the matrix
                 of judgements that share a judge or a clip; coverage by `python -m
                 validation.ladder`.
    """
    family = list(combinations(fit.items, 2)) if pairs is None else list(pairs)
    sides = alternatives or {}
    differences = [_difference(fit, first, second, level) for first, second in family]
    tests = [
        t_against(difference, 0.0, method=_TEST, alternative=sides.get(pair, "two-sided"))
        for pair, difference in zip(family, differences, strict=True)
    ]
    adjusted = holm([test.p_value for test in tests])
    return tuple(
        StrengthContrast(
            first=first, second=second, difference=difference, test=test, p_adjusted=p_adjusted
        )
        for (first, second), difference, test, p_adjusted in zip(
            family, differences, tests, adjusted, strict=True
        )
    )


def _difference(fit: BradleyTerry, first: str, second: str, level: float) -> Estimate:
    own, other = fit.of(first), fit.of(second)
    method = "difference of log strengths"
    if fit.spread is None:
        return undefined(
            own.reason or other.reason or "no estimate", method=method, n=own.n, level=level
        )
    weights = np.zeros(len(fit.spread.values))
    weights[fit.items.index(first)] += 1
    weights[fit.items.index(second)] -= 1
    difference = fit.spread.estimate(weights, n=fit.n, level=level, method=method)
    # Without judges the interval is a normal one: t with infinitely many degrees of freedom.
    return difference if difference.df or not difference.se else replace(difference, df=(math.inf,))


def strength_lead(fit: BradleyTerry, first: str, second: str, *, level: float = 0.95) -> Estimate:
    """The share of choices of one item less that of another, if the two are compared.

    Says         how far the first leads: .10 means 55 % against 45 % without ties.
    Formula      2 sinh(d/2) / (2 cosh(d/2) + ν), with d the difference of log strengths and ν
                 Davidson's tie parameter (0 without one); interval: delta method on the scale of
                 its inverse hyperbolic tangent, t with the degrees of freedom of the fit.
    Range        −1 to 1.
    Undefined    if the fit is; no interval if the difference of log strengths has none.
    Source       Davidson (1970); the formula follows from his chances.
    Checked      in R: the model's chances, and the delta method with numeric derivatives.
    """
    method = "lead: difference of shares by the model"
    apart = _difference(fit, first, second, level)
    if fit.spread is None or apart.value is None:
        return undefined(apart.reason or "no estimate", method=method, n=fit.n, level=level)
    values = fit.spread.values
    tied = len(values) > len(fit.items)
    nu = math.exp(values[-1]) if tied else 0.0
    half = apart.value / 2
    whole = 2 * math.cosh(half) + nu
    lead = 2 * math.sinh(half) / whole
    if apart.low is None or apart.se is None:
        return replace(apart, value=lead, method=method)
    weights = np.zeros(len(values))
    slope = (2 + nu * math.cosh(half)) / whole**2
    weights[fit.items.index(first)] += slope
    weights[fit.items.index(second)] -= slope
    if tied:
        weights[-1] = -2 * math.sinh(half) * nu / whole**2
    se, df = fit.spread.se(weights)
    free = math.inf if df is None else df
    reach = float(special.stdtrit(free, (1 + level) / 2)) * se / (1 - lead**2)
    low, high = (math.tanh(math.atanh(lead) + side * reach) for side in (-1, 1))
    return Estimate(
        value=lead, low=low, high=high, level=level, n=apart.n, method=method, se=se, df=(free,)
    )


def rank_strengths(
    fit: BradleyTerry, contrasts: Sequence[StrengthContrast], *, alpha: float = 0.05
) -> tuple[StrengthRank, ...]:
    """Rank the items, strongest first, with the ranks that cannot be excluded.

    Says         which ranks an item may have; all of the statements hold together with at least 1 −
                 alpha.
    contrasts    two-sided, of every pair of items
    Formula      best rank: 1 + the number of items that are significantly stronger after Holm's
                 adjustment; worst rank: the number of items less those significantly weaker.
    Undefined    None if the fit has no estimates.
    Source       Mogstad, Romano, Shaikh & Wilhelm (2024).
    Checked      the definition, in R.
    """
    values = {item: fit.of(item).value for item in fit.items}
    if fit.spread is None:
        return tuple(
            StrengthRank(item=item, rank=None, best=None, worst=None) for item in fit.items
        )
    stronger, weaker = dict.fromkeys(fit.items, 0), dict.fromkeys(fit.items, 0)
    for contrast in contrasts:
        value, p_value = contrast.difference.value, contrast.p_adjusted
        if value is None or p_value is None or p_value >= alpha:
            continue
        above, below = (
            (contrast.first, contrast.second) if value > 0 else (contrast.second, contrast.first)
        )
        stronger[below] += 1
        weaker[above] += 1
    order = sorted(fit.items, key=lambda item: (-(values[item] or 0.0), item))
    return tuple(
        StrengthRank(
            item=item, rank=index, best=1 + stronger[item], worst=len(order) - weaker[item]
        )
        for index, item in enumerate(order, start=1)
    )


def human_equivalence(
    fit: BradleyTerry, item: str, people: str, *, margin: float, alpha: float = 0.05
) -> EquivalenceResult:
    """Decide whether an item is as strong as people, within a margin of the log strength.

    Says         whether an agent is chosen about as often as people would be. A margin of .41 means
                 shares from .40 to .60 against people.
    margin       the largest difference of log strengths that counts as none, stated beforehand
    Formula      TOST on the difference of log strengths with the SE of the fit.
    Undefined    without an interval of the difference.
    Source       Schuirmann (1987).
    Checked      in R, by `pt` on the difference and its SE.
    """
    difference = _difference(fit, item, people, 1 - 2 * alpha)
    return tost_estimate(
        difference,
        low=-margin,
        high=margin,
        alpha=alpha,
        method="TOST on the difference of log strengths",
    )


def lead_equivalence(
    fit: BradleyTerry, first: str, second: str, *, margin: float, alpha: float = 0.05
) -> EquivalenceResult:
    """Decide whether two items are chosen about equally often, if the two are compared.

    Says         whether the lead is smaller than a margin: .10 means from 45 % to 55 % without
                 ties.
    margin       the largest lead that counts as none, stated beforehand
    Formula      TOST on the inverse hyperbolic tangent of the lead, with the SE of `strength_lead`.
    Undefined    without an interval of the lead.
    Source       Schuirmann (1987).
    Checked      in R, by `pt` on the lead and its SE.
    """
    lead = strength_lead(fit, first, second, level=1 - 2 * alpha)
    scaled = lead
    if lead.value is not None and lead.se is not None:
        scaled = replace(lead, value=math.atanh(lead.value), se=lead.se / (1 - lead.value**2))
    found = tost_estimate(
        scaled,
        low=-math.atanh(margin),
        high=math.atanh(margin),
        alpha=alpha,
        method="TOST on the lead",
    )
    kept = found.estimate if found.estimate.low is None else lead
    return replace(found, margin_low=-margin, margin_high=margin, estimate=kept)

"""Evidence that may be read after every judge: is an agent distinguishable from people, and is it
equivalent to them?

Each judge contributes one number from 0 to 1, the share of correct answers; .5 is chance. An
e-value multiplies a bet of each judge. If the null hypothesis is true, the product exceeds 1/alpha
in at most a share alpha of studies, however often it is read. All bets are fixed beforehand, so
the evidence depends on how often each share occurred and not on the order of arrival.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from believable.core.errors import InvalidInput
from believable.stats.e_values import (
    T_FIRST,
    T_SPREAD,
    add_levels,
    best_growth,
    capital_evidence,
    capital_factors,
    count_levels,
    symmetric_evidence,
    symmetric_factors,
    t_evidence,
    t_growth,
    t_moments,
    two_sided_evidence,
)
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray, finite_array
from believable.stats.stopping_rule import CHANCE, Form, StoppingRule

#: Steps of the bisection that ends an interval: 2**-40 of its range.
_STEPS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The evidence after n judges.

    log_different    log e-value against "not distinguishable"
    log_equivalent   log e-value against "outside the margin"
    log_outside      log e-value against "inside the margin"
    threshold        the log evidence that decides
    mean             the mean share with the interval that holds at every number of judges
    more_different, more_equivalent
                     the approximate number of further judges that a verdict needs if the
                     shares stay the same; 0 after the verdict, None if the evidence does not grow
    """

    n: int
    form: Form
    log_different: float
    log_equivalent: float
    log_outside: float
    threshold: float
    mean: Estimate
    more_different: int | None
    more_equivalent: int | None

    @property
    def different(self) -> bool:
        """Return whether the agent is distinguishable by now."""
        return self.log_different >= self.threshold

    @property
    def equivalent(self) -> bool:
        """Return whether the agent is inside the margin by now."""
        return self.log_equivalent >= self.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePath:
    """The evidence after each judge, in the order of arrival.

    low, high        the interval, which only narrows
    different_at, equivalent_at
                     the number of judges at which each verdict was reached; None if it was not
    """

    log_different: FloatArray
    log_equivalent: FloatArray
    low: FloatArray
    high: FloatArray
    threshold: float
    different_at: int | None
    equivalent_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppingTimes:
    """The number of judges at which each of many studies reached a verdict; infinity if it did
    not.
    """

    different: FloatArray
    equivalent: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvidence:
    """The log e-values of `Evidence` alone, without its interval."""

    n: int
    different: float
    equivalent: float
    outside: float


def log_evidence(shares: ArrayLike, rule: StoppingRule) -> LogEvidence:
    """Weigh the evidence of all judges to date, without the interval, which takes most of the time.

    Formula  that of `weigh_evidence`
    """
    levels, counts, n = _count(shares)
    return LogEvidence(
        n=n,
        different=float(_log_difference(levels, counts, rule)),
        equivalent=float(_log_equivalence(levels, counts, rule)),
        outside=float(_log_outside(levels, counts, rule)),
    )


def _count(shares: ArrayLike) -> tuple[FloatArray, FloatArray, int]:
    """Return the distinct shares, how often each occurred, and how many there are."""
    values = _check_shares(shares)
    levels, counts = np.unique(values, return_counts=True)
    return levels, counts.astype(np.float64), len(values)


def weigh_evidence(shares: ArrayLike, rule: StoppingRule) -> Evidence:
    """Weigh the evidence of all judges to date.

    Says         whether an agent is distinguishable from people, and whether it is equivalent to
                 them, at any time and without a number of judges fixed beforehand.
    shares       one share of correct answers per judge, in any order: same shares, same bytes
    Formula      symmetric: the mean over λ = ±.5, ±1, ±2 … ±32 of Π exp(λd)/cosh(λd), d = share −
                 .5. betting: K(m, ±) = the mean over g = .05, .15 … .95 of Π (1 ± g·b·(share − m)),
                 b = 1/m for + and 1/(1 − m) for −. Different: ½ (K(.5 + h, +) + K(.5 − h, −)) with
                 the widening h. Equivalent: the smaller of K(.5 + δ, −) and K(.5 − δ, +), with δ =
                 margin − h. Outside: ½ (K(.5 + δ, +) + K(.5 − δ, −)), with δ = margin + h. The
                 interval holds all m with ½ (K(m, +) + K(m, −)) < 1/alpha, and is
                 widened by h. t: −½ ln(1 + nc²) + (n/2) (ln(1 + t²/ν) − ln(1 + t²/(ν(1 + nc²)))),
                 c² = .5, ν = n − 1, from 5 judges on; a variance below .0001 counts as .0001. The
                 symmetric form takes interval and equivalence from the betting form.
    Undefined    without judges there is no mean; the evidence is then that of no bet, ln 1 = 0.
    Source       Ramdas & Wang (2025) for e-values; Waudby-Smith & Ramdas (2024) for betting; de la
                 Peña (1999) for the symmetric form; Lai (1976) and Wang & Ramdas (2023) for the t
                 form.
    Checked      the products, and the t form by numerical integration, in R; error rates by
                 simulation (`python -m validation.sequential`).
    """
    levels, counts, n = _count(shares)
    different = float(_log_difference(levels, counts, rule))
    equivalent = float(_log_equivalence(levels, counts, rule))
    return Evidence(
        n=n,
        form=rule.form,
        log_different=different,
        log_equivalent=equivalent,
        log_outside=float(_log_outside(levels, counts, rule)),
        threshold=rule.log_threshold,
        mean=_estimate_mean(levels, counts, rule),
        more_different=_judges_needed(different, _difference_growth(levels, counts, rule), rule),
        more_equivalent=_judges_needed(equivalent, _equivalence_growth(levels, counts, rule), rule),
    )


def follow_evidence(shares: ArrayLike, rule: StoppingRule) -> EvidencePath:
    """Weigh the evidence after each judge. A verdict that was reached stays.

    shares    one share of correct answers per judge, in the order in which sessions were closed
    Formula   `weigh_evidence` of the first 1, 2 … n judges; intervals are intersected, because all
              of them hold at once
    """
    values = _check_shares(shares)
    levels, counts = count_levels(values[None])
    ends = [_interval(levels, row, rule) for row in counts[0]]
    log_different = _log_difference(levels, counts[0], rule)
    log_equivalent = _log_equivalence(levels, counts[0], rule)
    return EvidencePath(
        log_different=log_different,
        log_equivalent=log_equivalent,
        low=np.maximum.accumulate(np.array([low for low, _ in ends])),
        high=np.minimum.accumulate(np.array([high for _, high in ends])),
        threshold=rule.log_threshold,
        different_at=_first_crossing(log_different, rule),
        equivalent_at=_first_crossing(log_equivalent, rule),
    )


def stopping_times(shares: ArrayLike, rule: StoppingRule) -> StoppingTimes:
    """Find when each of many studies reaches its verdicts, for planning and simulation.

    shares    a row per study, one share per judge in the order of arrival
    Formula   `follow_evidence` of every row
    """
    table = _check_shares(shares, ndim=2)
    levels, counts = count_levels(table)
    return StoppingTimes(
        different=_crossings(_log_difference(levels, counts, rule), rule),
        equivalent=_crossings(_log_equivalence(levels, counts, rule), rule),
    )


def always_covers(shares: ArrayLike, mean: float, rule: StoppingRule) -> FloatArray:
    """Return for each study whether its interval contained `mean` after every judge (1 or 0).

    shares    a row per study, one share per judge in the order of arrival
    """
    table = _check_shares(shares, ndim=2)
    levels, counts = count_levels(table)
    if rule.form == "t":
        outside = t_evidence(levels, counts, mean) >= rule.log_threshold
    else:
        low, high = mean - rule.widening, mean + rule.widening
        if low <= 0 or high >= 1:
            raise InvalidInput(
                f"mean: expected a number between {rule.widening:g} and {1 - rule.widening:g}, got"
                f" {mean:g}. Give a mean that the interval can leave."
            )
        outside = two_sided_evidence(levels, counts, high, low) >= rule.log_threshold
    covered: FloatArray = np.logical_not(outside.any(axis=-1)).astype(np.float64)
    return covered


# ----------------------------------------------------------------------------------------------
# evidence from counts: shares are few distinct numbers, and products do not depend on their order


def _check_shares(shares: ArrayLike, *, ndim: int = 1) -> FloatArray:
    values = finite_array(shares, name="shares", ndim=ndim)
    outside = values[(values < 0) | (values > 1)]
    if len(outside):
        raise InvalidInput(
            f"shares: expected numbers from 0 to 1, got {outside[0]:g}. Give the share of correct"
            " answers of each judge."
        )
    return values


def _log_difference(levels: FloatArray, counts: FloatArray, rule: StoppingRule) -> FloatArray:
    if rule.form == "symmetric":
        return symmetric_evidence(levels, counts)
    if rule.form == "t":
        return t_evidence(levels, counts, CHANCE)
    return two_sided_evidence(levels, counts, CHANCE + rule.widening, CHANCE - rule.widening)


def _log_equivalence(levels: FloatArray, counts: FloatArray, rule: StoppingRule) -> FloatArray:
    margin = rule.margin - rule.widening
    if margin <= 0:
        return np.full(counts.shape[:-1], -np.inf)
    if rule.form != "t":
        return np.minimum(
            capital_evidence(levels, counts, CHANCE + margin, -1),
            capital_evidence(levels, counts, CHANCE - margin, 1),
        )
    _, mean, _ = t_moments(levels, counts)
    weaker = np.minimum(
        t_evidence(levels, counts, CHANCE + margin), t_evidence(levels, counts, CHANCE - margin)
    )
    return np.where(np.abs(mean - CHANCE) < margin, weaker, np.minimum(weaker, 0.0))


def _log_outside(levels: FloatArray, counts: FloatArray, rule: StoppingRule) -> FloatArray:
    """Evidence for the opposite of equivalence: bets that the mean is beyond either end of the
    margin.
    """
    margin = rule.margin + rule.widening
    high, low = CHANCE + margin, CHANCE - margin
    if low <= 0:
        return np.full(counts.shape[:-1], -np.inf)
    if rule.form != "t":
        return two_sided_evidence(levels, counts, high, low)
    _, mean, _ = t_moments(levels, counts)
    weaker = np.minimum(t_evidence(levels, counts, high), t_evidence(levels, counts, low))
    return np.where(np.abs(mean - CHANCE) > margin, weaker, np.minimum(weaker, 0.0))


def _crossings(log_evidence: FloatArray, rule: StoppingRule) -> FloatArray:
    reached = log_evidence >= rule.log_threshold
    first = np.where(reached, np.arange(1.0, reached.shape[-1] + 1), np.inf)
    crossings: FloatArray = first.min(axis=-1, initial=np.inf)
    return crossings


def _first_crossing(log_evidence: FloatArray, rule: StoppingRule) -> int | None:
    first = float(_crossings(log_evidence, rule))
    return None if math.isinf(first) else int(first)


def _judges_needed(log_evidence: float, growth: float, rule: StoppingRule) -> int | None:
    """About how many further judges a verdict needs, if evidence grows as under the best bet."""
    if log_evidence >= rule.log_threshold:
        return 0
    if growth <= 0 or not math.isfinite(log_evidence):
        return None
    return math.ceil((rule.log_threshold - log_evidence) / growth)


def _difference_growth(levels: FloatArray, counts: FloatArray, rule: StoppingRule) -> float:
    """The log evidence that a judge adds under the best fixed bet to date; 0 without judges."""
    if rule.form == "symmetric":
        return best_growth(counts, symmetric_factors(levels))
    if rule.form == "t":
        return t_growth(levels, counts, CHANCE)
    return max(
        best_growth(counts, capital_factors(levels, CHANCE + sign * rule.widening, sign))
        for sign in (1, -1)
    )


def _equivalence_growth(levels: FloatArray, counts: FloatArray, rule: StoppingRule) -> float:
    margin = rule.margin - rule.widening
    if margin <= 0:
        return 0.0
    if rule.form != "t":
        return min(
            best_growth(counts, capital_factors(levels, CHANCE + sign * margin, -sign))
            for sign in (1, -1)
        )
    _, mean, _ = t_moments(levels, counts)
    if abs(float(mean) - CHANCE) >= margin:
        return 0.0
    return min(t_growth(levels, counts, CHANCE + sign * margin) for sign in (1, -1))


# ----------------------------------------------------------------------------------------------
# intervals


def _estimate_mean(levels: FloatArray, counts: FloatArray, rule: StoppingRule) -> Estimate:
    n, level = int(counts.sum()), 1 - rule.alpha
    name = f"mean share, interval at all times ({'t' if rule.form == 't' else 'betting'} form)"
    if not n:
        return undefined("no judges", method=name, n=0, level=level)
    low, high = _interval(levels, counts, rule)
    return Estimate(
        value=float(add_levels(counts, levels)) / n,
        low=low,
        high=high,
        level=level,
        n=n,
        method=name,
    )


def _interval(levels: FloatArray, counts: FloatArray, rule: StoppingRule) -> tuple[float, float]:
    """Return all means that the evidence does not exclude, widened for a pool."""
    n = float(counts.sum())
    if rule.form == "t":
        return _t_interval(levels, counts, rule)
    centre = float(add_levels(counts, levels)) / n
    low = _bisect(levels, counts, 0.0, centre, rule) - rule.widening
    high = _bisect(levels, counts, 1.0, centre, rule) + rule.widening
    return max(0.0, low), min(1.0, high)


def _bisect(
    levels: FloatArray, counts: FloatArray, outside: float, inside: float, rule: StoppingRule
) -> float:
    """Return the end of the interval between a mean outside and one inside. The excluded means on
    each side are connected, because both bets are log-convex in the mean.
    """
    for _ in range(_STEPS):
        middle = (outside + inside) / 2
        if not 0 < middle < 1:
            return inside
        if float(two_sided_evidence(levels, counts, middle, middle)) >= rule.log_threshold:
            outside = middle
        else:
            inside = middle
    return outside


def _t_interval(levels: FloatArray, counts: FloatArray, rule: StoppingRule) -> tuple[float, float]:
    n, mean, squares = (float(part) for part in t_moments(levels, counts))
    grown = 1 + n * T_SPREAD
    bound = math.exp(2 / n * (rule.log_threshold + 0.5 * math.log(grown)))
    if n < T_FIRST or bound >= grown:
        return 0.0, 1.0
    half = math.sqrt((bound - 1) / (1 - bound / grown) * squares / n)
    return max(0.0, mean - half), min(1.0, mean + half)

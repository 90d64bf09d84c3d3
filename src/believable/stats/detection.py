"""Signal detection: telling human from machine, and the leaning towards one answer."""

from __future__ import annotations

import math

from scipy import stats

from believable.core.errors import InvalidInput
from believable.stats.counts import check_counts
from believable.stats.estimate import Estimate, check_level, undefined, without_interval
from believable.stats.inputs import one_of

CORRECTIONS = ("loglinear", "none")


def d_prime(
    hits: int,
    misses: int,
    false_alarms: int,
    correct_rejections: int,
    *,
    correction: str = "loglinear",
    level: float = 0.95,
) -> Estimate:
    """Sensitivity: how well judges distinguish two kinds of stimuli (such as human and machine).

    Formula      z(hit rate) − z(false-alarm rate), z the normal quantile; interval by the delta
                 method (variance p(1 − p)/(n·φ(z)²) of each z).
    correction   "loglinear" (default): 0.5 is added to both counts and 1 to both totals, always, so
                 that rates of 0 and 1 have a defined z and the bias is small; "none": the raw
                 rates.
    Range        unbounded; 0 is chance, negative means answering the wrong way round. About 1 is 69
                 % correct without bias.
    Undefined    no stimulus of one kind; with "none", a rate of 0 or 1.
    Source       Green & Swets (1966); Hautus (1995) for the correction; Gourevitch & Galanter
                 (1967).
    Checked      R: qnorm, and glm(family = binomial("probit")), whose slope is d′.
    """
    counts = hits, misses, false_alarms, correct_rejections
    return _weigh(counts, (1.0, -1.0), f"d′ ({correction}), delta interval", correction, level)


def criterion(
    hits: int,
    misses: int,
    false_alarms: int,
    correct_rejections: int,
    *,
    correction: str = "loglinear",
    level: float = 0.95,
) -> Estimate:
    """Bias: the leaning towards one answer, whatever is shown.

    Formula      c = −(z(hit rate) + z(false-alarm rate))/2; interval by the delta method,
                 corrections as in `d_prime`.
    Range        unbounded; 0 is no leaning, positive a leaning towards "no" (conservative),
                 negative to "yes".
    Undefined    as `d_prime`.
    Source       Macmillan & Creelman (2005).
    Checked      R: qnorm, and glm(family = binomial("probit")) with the kinds coded ±½, whose
                 intercept is −c.
    """
    counts = hits, misses, false_alarms, correct_rejections
    return _weigh(
        counts, (-0.5, -0.5), f"criterion c ({correction}), delta interval", correction, level
    )


def _scores(
    hits: int, misses: int, false_alarms: int, correct_rejections: int, correction: str
) -> tuple[tuple[float, float], tuple[float, float]] | str:
    """The normal score of both rates with its variance, or the reason why there is none."""
    one_of(correction, CORRECTIONS, name="correction")
    for name, count in zip(
        ("hits", "misses", "false_alarms", "correct_rejections"),
        (hits, misses, false_alarms, correct_rejections),
        strict=True,
    ):
        if isinstance(count, bool) or count < 0 or count != int(count):
            raise InvalidInput(
                f"{name}: expected a count, got {count!r}. Give whole numbers, not rates."
            )
    check_counts(hits, hits + misses)
    check_counts(false_alarms, false_alarms + correct_rejections)
    if hits + misses == 0 or false_alarms + correct_rejections == 0:
        return "one kind of stimulus was never shown"
    add = 0.5 if correction == "loglinear" else 0.0
    scores = []
    for yes, total in ((hits, hits + misses), (false_alarms, false_alarms + correct_rejections)):
        rate, trials = (yes + add) / (total + 2 * add), total + 2 * add
        if not 0 < rate < 1:
            return "a rate is 0 or 1 and has no normal score; use correction='loglinear'"
        z = float(stats.norm.ppf(rate))
        scores.append((z, rate * (1 - rate) / (trials * float(stats.norm.pdf(z)) ** 2)))
    return scores[0], scores[1]


def _weigh(
    counts: tuple[int, int, int, int],
    weights: tuple[float, float],
    method: str,
    correction: str,
    level: float,
) -> Estimate:
    """A weighted sum of the normal scores of hits and of false alarms."""
    check_level(level)
    n, pair = sum(counts), _scores(*counts, correction)
    if isinstance(pair, str):
        return undefined(pair, method=method, n=n, level=level)
    value = sum(weight * score for weight, (score, _) in zip(weights, pair, strict=True))
    variance = sum(weight**2 * spread for weight, (_, spread) in zip(weights, pair, strict=True))
    if not math.isfinite(variance):
        return without_interval(
            value, "the variance is not finite", method=method, n=n, level=level
        )
    se = math.sqrt(variance)
    half = float(stats.norm.ppf((1 + level) / 2)) * se
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        level=level,
        n=n,
        method=method,
        se=se,
        statistic=value / se,
        p_value=2 * float(stats.norm.sf(abs(value) / se)),
    )

"""Verdicts on types of players: estimates from ratings whose intervals allow for other respondents,
and for other clips.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from believable.protocols.clips.clip_ratings import MIDDLE, Ratings, effective_number
from believable.stats.crossed import (
    CrossedVariance,
    Over,
    VarianceSplit,
    crossed_estimate,
    crossed_share,
    crossed_variance,
    difference_split,
    t_against,
    variance_split,
)
from believable.stats.equivalence import EquivalenceResult, tost_estimate
from believable.stats.estimate import Estimate, undefined
from believable.stats.indices import ARTIFICIAL, ARTIFICIAL_ANSWERS, HUMAN_ANSWERS
from believable.stats.inputs import FloatArray
from believable.stats.result import Alternative, TestResult, no_result

#: Types whose clips are rightly called human.
_RIGHTLY_HUMAN = ("human", "imitation")


def humanness(survey: Ratings) -> FloatArray:
    """h = |r − 5|/4 of each rating."""
    result: FloatArray = np.abs(survey.rating - ARTIFICIAL) / (ARTIFICIAL - 1)
    return result


def _index_weights(survey: Ratings, own: NDArray[np.bool_]) -> FloatArray:
    """The weight of each of these ratings in the index: the respondent's experience, shared among
    the respondent's ratings.
    """
    respondent = survey.respondent[own]
    count = np.bincount(respondent, minlength=len(survey.experience))
    experience = np.where(count > 0, survey.experience, 0.0)
    weights: FloatArray = experience[respondent] / count[respondent] / np.nansum(experience)
    return weights


def _known(survey: Ratings) -> NDArray[np.bool_]:
    """Ratings of respondents whose experience is known."""
    known: NDArray[np.bool_] = ~np.isnan(survey.experience)[survey.respondent]
    return known


def believability(
    survey: Ratings, type_: str, *, level: float = 0.95
) -> tuple[Estimate, VarianceSplit | None]:
    """b with an interval for other respondents and other clips, and what its variance is made
    of.
    """
    method = "believability index, Wilson interval for other respondents and clips"
    own = survey.of(type_) & _known(survey)
    if not own.any():
        return undefined("no respondent", method=method, n=0, level=level), None
    weights, h = _index_weights(survey, own), humanness(survey)[own]
    b = float(weights @ h)
    variance = _effective(
        crossed_variance(weights * (h - b), weights, survey.respondent[own], survey.stimulus[own]),
        survey,
        own,
    )
    split = variance_split(h, survey.respondent[own], survey.stimulus[own].astype(str), weights)
    return crossed_share(b, variance, over="both", level=level, method=method), split


def _effective(
    variance: CrossedVariance, survey: Ratings, own: NDArray[np.bool_]
) -> CrossedVariance:
    """Respondents have weights: their effective number gives the degrees of freedom."""
    units = effective_number(survey.experience[np.unique(survey.respondent[own])])
    return replace(variance, judges_df=max(1.0, units - 1))


def contrast(
    survey: Ratings,
    first: str,
    second: str,
    *,
    over: Over,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> tuple[TestResult, VarianceSplit | None]:
    """b of one type minus b of another, over respondents who rated both, and what its variance is
    made of.

    Variance by `crossed_variance`; t with the smaller of the effective number of respondents and
    (Welch's) of clips, minus 1, degrees of freedom.
    """
    what = "respondents and clips" if over == "both" else "respondents"
    method, named = (
        f"t test of weighted differences over {what}",
        f"difference of indices, t interval over {what}",
    )
    of_first, of_second = (
        np.unique(survey.respondent[survey.of(type_)]) for type_ in (first, second)
    )
    both = np.intersect1d(of_first, of_second)
    own = (survey.of(first) | survey.of(second)) & np.isin(survey.respondent, both) & _known(survey)
    n = len(np.unique(survey.respondent[own]))
    if n < 2:
        reason = f"needs at least 2 respondents, got {n}"
        nothing = undefined(reason, method=named, n=n, level=level)
        return (
            no_result(reason, method=method, n=n, alternative=alternative, estimate=nothing),
            None,
        )
    h = humanness(survey)[own]
    is_first = survey.of(first)[own]
    weights = np.empty(len(h))
    weights[is_first] = _index_weights(survey, own & survey.of(first))
    weights[~is_first] = _index_weights(survey, own & survey.of(second))
    means = float(weights[is_first] @ h[is_first]), float(weights[~is_first] @ h[~is_first])
    influence = weights * np.where(is_first, h - means[0], means[1] - h)
    respondent, stimulus = survey.respondent[own], survey.stimulus[own].astype(str)
    variance = _effective(
        crossed_variance(influence, weights, respondent, stimulus, is_first), survey, own
    )
    estimate = crossed_estimate(means[0] - means[1], variance, over=over, level=level, method=named)
    if estimate.low is None and variance.n_clips >= 2:
        estimate = replace(estimate, reason="all respondents differ alike")
    test = replace(t_against(estimate, 0.0, method=method, alternative=alternative), n=n)
    return test, difference_split(h, weights, respondent, stimulus, is_first, variance)


def equivalent(difference: TestResult, *, margin: float, alpha: float) -> EquivalenceResult:
    """Two one-sided tests of a contrast against ± margin, with the interval at 1 − 2·alpha that
    decides alike.
    """
    estimate = difference.estimate
    if estimate is None:
        raise AssertionError("a contrast always has its estimate")
    over = difference.method.partition(" of weighted differences ")[2]
    method = f"TOST within ±{margin:g}, {over.replace('over', 't tests over')}"
    return replace(
        tost_estimate(estimate, low=-margin, high=margin, alpha=alpha, method=method),
        n=difference.n,
    )


def recall(
    survey: Ratings, type_: str, *, middle: str = "not_human", level: float = 0.95
) -> Estimate:
    """Share of a type's ratings that say human (1 or 2); the answer 3 is not human, or is left
    out.
    """
    own = survey.of(type_) & ((survey.rating != MIDDLE) | (middle != "left_out"))
    return _share(survey, own, np.isin(survey.rating, HUMAN_ANSWERS), "share of ratings", level)


def precision(survey: Ratings, answer: str, *, level: float = 0.95) -> Estimate:
    """Of all clips called human (artificial), the share that is human or imitation (artificial)."""
    called = np.isin(survey.rating, HUMAN_ANSWERS if answer == "human" else ARTIFICIAL_ANSWERS)
    rightly = _RIGHTLY_HUMAN if answer == "human" else ("artificial",)
    right = np.any([survey.of(type_) for type_ in rightly], axis=0)
    return _share(survey, called, right, "share of calls", level)


def _share(
    survey: Ratings, own: NDArray[np.bool_], yes: NDArray[np.bool_], name: str, level: float
) -> Estimate:
    method = f"{name}, Wilson interval for other respondents and clips"
    if not own.any():
        return undefined("there is nothing to count", method=method, n=0, level=level)
    value = yes[own].astype(np.float64)
    weights = np.full(len(value), 1 / len(value))
    p = float(value.mean())
    variance = crossed_variance(
        weights * (value - p), weights, survey.respondent[own], survey.stimulus[own]
    )
    return crossed_share(p, variance, over="both", level=level, method=method)


def detection(
    survey: Ratings, other: str, *, middle: str, level: float = 0.95
) -> tuple[Estimate, Estimate]:
    """d′ and criterion c with intervals for other respondents and other clips (delta method,
    loglinear correction).
    """
    counted = (survey.rating != MIDDLE) | (middle != "left_out")
    said = np.isin(survey.rating, HUMAN_ANSWERS).astype(np.float64)
    names = "d′ (loglinear)", "criterion c (loglinear)"
    methods = [f"{name}, t interval for other respondents and clips" for name in names]
    human, others = (np.flatnonzero(survey.of(type_) & counted) for type_ in ("human", other))
    if not len(human) or not len(others):
        nothing = [
            undefined("one kind of clip was never shown", method=method, n=0, level=level)
            for method in methods
        ]
        return nothing[0], nothing[1]
    z, slope, rates = [], [], []
    for rows in (human, others):
        rates.append(float(said[rows].mean()))
        z.append(float(special.ndtri((said[rows].sum() + 0.5) / (len(rows) + 1))))
        slope.append(1 / (len(rows) * math.exp(-(z[-1] ** 2) / 2) / math.sqrt(2 * math.pi)))
    rows = np.concatenate([human, others])
    group = np.repeat([0, 1], [len(human), len(others)])
    weights = np.where(group == 0, 1 / len(human), 1 / len(others))
    moved = np.where(
        group == 0, slope[0] * (said[rows] - rates[0]), slope[1] * (said[rows] - rates[1])
    )
    signs = np.where(group == 0, 1.0, -1.0), np.full(len(rows), -0.5)
    values = z[0] - z[1], -(z[0] + z[1]) / 2
    found = [
        crossed_estimate(
            value,
            crossed_variance(
                sign * moved, weights, survey.respondent[rows], survey.stimulus[rows], group
            ),
            over="both",
            level=level,
            method=method,
        )
        for value, sign, method in zip(values, signs, methods, strict=True)
    ]
    return found[0], found[1]

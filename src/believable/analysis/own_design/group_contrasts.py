"""One group against another: a model in which judgements of one person hang together, or the exact
test where each person judges once.

Each contrast is fitted on the judgements of its two groups alone, so that a third group changes
nothing about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import stats

from believable.analysis.own_design.measured_rows import IntArray, MeasuredRows, person_means
from believable.core.errors import InvalidInput
from believable.stats.counts import binomial, fisher, mcnemar
from believable.stats.crossed import VarianceSplit
from believable.stats.effects import dz, g
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray
from believable.stats.location import mann_whitney, paired_t, wilcoxon
from believable.stats.means import welch_t
from believable.stats.models import MixedModel, mixed_linear, mixed_logistic
from believable.stats.result import Alternative, TestResult, no_result, tail

#: A random effect needs this number of levels; with fewer, means of people are compared.
LEAST_LEVELS = 5
#: This number of judgements of each group per person identifies the person's own effect of the
#: group.
LEAST_FOR_SLOPES = 2

#: The part of a formula by which a verdict speaks of other stimuli, too.
OF_STIMULI = "(1 | stimulus)"

Design = Literal["within", "between"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """The first group minus the second (for shares: the odds of the first over those of the
    second).

    test      with the estimate in the unit of the measure and the standardised effect
    ranks     the same question asked of the order of the people's means alone; None for shares and
              counts
    formula   of the model, as in lme4; empty for a test without one
    split     the sources of variance of the difference; None if no stimulus is known, or if there
              is nothing to compare
    clips     how many stimuli of both groups were judged, and how many of the group with fewer;
              zeros if they are not known
    """

    first: str
    second: str
    design: Design
    test: TestResult
    formula: str = ""
    ranks: TestResult | None = None
    split: VarianceSplit | None = None
    clips: tuple[int, int] = (0, 0)


def mean_contrast(
    rows: MeasuredRows, first: str, second: str, *, alternative: Alternative, level: float
) -> Contrast:
    """The difference of two means: a linear mixed model; with few people, or one row each, a t test
    of people's means.
    """
    a, b = rows.of(first), rows.of(second)
    design, paired = _design(a, b)
    blank = _empty(
        a,
        b=b,
        first=first,
        second=second,
        method="linear mixed model",
        side=alternative,
        level=level,
    )
    if blank is not None:
        return Contrast(first=first, second=second, design=design, test=blank)
    of_a, of_b = person_means(a), person_means(b)
    if design == "within":
        values = _of(paired, *of_a), _of(paired, *of_b)
        effect = dz(*values, level=level)
        ranks = wilcoxon(*values, alternative=alternative, level=level)
        simple = paired_t(*values, alternative=alternative, level=level)
    else:
        effect = g(of_a[1], of_b[1], level=level)
        ranks = mann_whitney(of_a[1], of_b[1], alternative=alternative, level=level)
        simple = welch_t(of_a[1], of_b[1], alternative=alternative, level=level)
    simple = replace(simple, method=f"{simple.method} of people's means", effect=effect)
    formula = _formula("value", a, b, design, slopes=_has_slopes(a, b, paired))
    if formula is None:
        return Contrast(first=first, second=second, design=design, test=simple, ranks=ranks)
    try:
        model = mixed_linear(
            formula, _table(a, b, first, second), levels={"group": (second, first)}, level=level
        )
    except InvalidInput:
        return Contrast(first=first, second=second, design=design, test=simple, ranks=ranks)
    if not model.convergence.converged:
        note = (*simple.notes, "the mixed model did not converge")
        return Contrast(
            first=first, second=second, design=design, test=replace(simple, notes=note), ranks=ranks
        )
    people = len(np.union1d(a.person, b.person))
    test = _test_coefficient(
        model,
        f"group[{first}]",
        people,
        alternative,
        "linear mixed model, Satterthwaite's t",
        effect,
    )
    return Contrast(
        first=first, second=second, design=design, test=test, formula=formula, ranks=ranks
    )


def share_contrast(
    rows: MeasuredRows, first: str, second: str, *, alternative: Alternative, level: float
) -> Contrast:
    """The odds ratio of yes: McNemar's or Fisher's exact test where each person answers once per
    group, else a mixed logistic model.
    """
    a, b = rows.of(first), rows.of(second)
    design, paired = _design(a, b)
    blank = _empty(
        a, b=b, first=first, second=second, method="odds ratio", side=alternative, level=level
    )
    if blank is not None:
        return Contrast(first=first, second=second, design=design, test=blank)
    both = np.concatenate([a.number, b.number])
    if both.min() == both.max():
        answer = "yes" if both[0] else "no"
        reason = f"everybody answered {answer} in both groups"
        return Contrast(
            first=first,
            second=second,
            design=design,
            test=_none(reason, "odds ratio", len(both), alternative, level),
        )
    once = _most_per_person(a) == 1 and _most_per_person(b) == 1
    if once and design == "within":
        yes_a, yes_b = _of(paired, *person_means(a)) > 0, _of(paired, *person_means(b)) > 0
        return Contrast(
            first=first,
            second=second,
            design=design,
            test=_exact_pairs(yes_a, yes_b, alternative, level),
        )
    if once:
        table = [[int(part.number.sum()), int(len(part) - part.number.sum())] for part in (a, b)]
        return Contrast(
            first=first,
            second=second,
            design=design,
            test=fisher(table, alternative=alternative, level=level),
        )
    counts = _table(a, b, first, second)
    return _logistic(
        counts,
        a,
        b,
        first,
        second,
        design,
        slopes=_has_slopes(a, b, paired),
        side=alternative,
        level=level,
    )


def count_contrast(
    rows: MeasuredRows,
    wholes: FloatArray,
    first: str,
    second: str,
    *,
    alternative: Alternative,
    level: float,
) -> Contrast:
    """The odds ratio of counts out of `wholes`, one per row, by a mixed logistic model in which
    people differ in the effect.
    """
    keep = wholes > 0
    rows, wholes = rows.where(keep), wholes[keep]
    a, b = rows.of(first), rows.of(second)
    design, _ = _design(a, b)
    blank = _empty(
        a, b=b, first=first, second=second, method="odds ratio", side=alternative, level=level
    )
    if blank is not None:
        return Contrast(first=first, second=second, design=design, test=blank)
    both = np.concatenate([a.number, b.number])
    if both.sum() == 0:
        return Contrast(
            first=first,
            second=second,
            design=design,
            test=_none("nothing was flagged", "odds ratio", len(both), alternative, level),
        )
    table = _table(a, b, first, second) | {
        "whole": np.concatenate([wholes[rows.group == first], wholes[rows.group == second]])
    }
    return _logistic(
        table, a, b, first, second, design, slopes=design == "within", side=alternative, level=level
    )


def equivalence(contrast: Contrast, margin: float, alpha: float) -> TestResult:
    """Two one-sided tests on the estimate of a contrast: is the difference within ± margin?"""
    test, estimate = contrast.test, contrast.test.estimate
    method = f"two one-sided tests ({test.method})"
    known = estimate is not None and estimate.value is not None and test.statistic and test.df
    if not known or estimate is None or estimate.value is None or not test.statistic:
        return no_result(
            test.reason or "no standard error", method=method, n=test.n, estimate=estimate
        )
    se, spread = abs(estimate.value / test.statistic), stats.t(test.df[0])
    below, above = (estimate.value + margin) / se, (estimate.value - margin) / se
    p_low, p_high = float(spread.sf(below)), float(spread.cdf(above))
    harder_low = p_low >= p_high
    half = float(spread.ppf(1 - alpha)) * se
    narrow = Estimate(
        value=estimate.value,
        low=estimate.value - half,
        high=estimate.value + half,
        level=1 - 2 * alpha,
        n=estimate.n,
        method=estimate.method,
        se=se,
    )
    return TestResult(
        statistic=below if harder_low else above,
        p_value=max(p_low, p_high),
        n=test.n,
        method=method,
        df=test.df,
        alternative="greater" if harder_low else "less",
        estimate=narrow,
        symbol="t",
    )


# ---------------------------------------------------------------------------------------------- the
# rows of two groups


def _design(a: MeasuredRows, b: MeasuredRows) -> tuple[Design, IntArray]:
    """Within, where at least two people, and at least half of those in the smaller group, judged
    both; and who they are.
    """
    people_a, people_b = np.unique(a.person), np.unique(b.person)
    paired = np.intersect1d(people_a, people_b)
    least = max(2, min(len(people_a), len(people_b)) / 2)
    if len(paired) >= least or (len(paired) and len(paired) == len(people_a) == len(people_b)):
        return "within", paired
    return "between", paired


def _empty(
    a: MeasuredRows,
    b: MeasuredRows,
    first: str,
    second: str,
    method: str,
    side: Alternative,
    level: float,
) -> TestResult | None:
    """Why nothing can be compared, if so."""
    absent = [name for name, part in ((first, a), (second, b)) if not len(part)]
    if not absent:
        return None
    reason = f"there is no judgement of {' and none of '.join(absent)}"
    return _none(reason, method, len(a) + len(b), side, level)


def _none(reason: str, method: str, n: int, side: Alternative, level: float) -> TestResult:
    estimate = undefined(reason, method=method, n=n, level=level)
    return no_result(reason, method=method, n=n, alternative=side, estimate=estimate)


def _of(wanted: IntArray, people: IntArray, means: FloatArray) -> FloatArray:
    return means[np.searchsorted(people, wanted)]


def _most_per_person(rows: MeasuredRows) -> int:
    return int(np.unique(rows.person, return_counts=True)[1].max()) if len(rows) else 0


def _has_slopes(a: MeasuredRows, b: MeasuredRows, paired: IntArray) -> bool:
    """Whether most people who judged both groups judged them often enough for an individual
    effect.
    """
    if len(paired) < LEAST_LEVELS:
        return False
    counts = [
        np.unique(part.person[np.isin(part.person, paired)], return_counts=True)[1]
        for part in (a, b)
    ]
    return all(float(np.median(count)) >= LEAST_FOR_SLOPES for count in counts)


def _formula(
    response: str, a: MeasuredRows, b: MeasuredRows, design: Design, *, slopes: bool
) -> str | None:
    """As in lme4; None where no group has enough levels, or each person has one row."""
    people = len(np.union1d(a.person, b.person))
    if people < LEAST_LEVELS or people == len(a) + len(b):
        return None
    varying = "1 + group" if slopes and design == "within" else "1"
    parts = [f"({varying} | person)"]
    stimuli = [{str(name) for name in part.stimulus if name is not None} for part in (a, b)]
    whole = all(name is not None for part in (a, b) for name in part.stimulus)
    # A stimulus belongs to one group: with a single one in a group, stimulus and group cannot be
    # separated.
    if whole and len(stimuli[0] | stimuli[1]) >= LEAST_LEVELS and min(map(len, stimuli)) > 1:
        parts.append(OF_STIMULI)
    return f"{response} ~ group + {' + '.join(parts)}"


def _table(a: MeasuredRows, b: MeasuredRows, first: str, second: str) -> dict[str, Any]:
    return {
        "value": np.concatenate([a.number, b.number]),
        "group": np.array([first] * len(a) + [second] * len(b)),
        "person": np.concatenate([a.person, b.person]).astype(str),
        "stimulus": np.concatenate([a.stimulus, b.stimulus]).astype(str),
    }


# ----------------------------------------------------------------------------------------------
# tests


def _test_coefficient(
    model: MixedModel,
    term: str,
    n: int,
    side: Alternative,
    method: str,
    effect: Estimate | None,
    *,
    odds: bool = False,
) -> TestResult:
    """A coefficient of a model as a test."""
    fitted = model.term(term)
    coefficient = fitted.estimate
    notes = (
        *model.notes,
        *(
            ("a spread between people or stimuli is estimated as zero",)
            if model.convergence.singular
            else ()
        ),
    )
    shown = fitted.odds_ratio if odds and fitted.odds_ratio is not None else coefficient
    shown = replace(shown, n=n)
    if coefficient.statistic is None:
        return no_result(
            coefficient.reason or "no standard error",
            method=method,
            n=n,
            alternative=side,
            estimate=shown,
        )
    spread = stats.t(coefficient.df[0]) if coefficient.df else stats.norm
    p = tail(
        float(spread.cdf(coefficient.statistic)), float(spread.sf(coefficient.statistic)), side
    )
    return TestResult(
        statistic=coefficient.statistic,
        p_value=p,
        n=n,
        method=method,
        df=coefficient.df,
        alternative=side,
        estimate=shown,
        effect=effect,
        notes=notes,
        symbol="t" if coefficient.df else "z",
    )


def _exact_pairs(first: Any, second: Any, side: Alternative, level: float) -> TestResult:
    """McNemar's exact test with a side: the pairs that differ, against one half."""
    table = [
        [int((first & second).sum()), int((first & ~second).sum())],
        [int((~first & second).sum()), int((~first & ~second).sum())],
    ]
    whole = mcnemar(table, level=level)
    method, pairs = "exact McNemar test", len(first)
    odds = whole.effect
    apart = table[0][1] + table[1][0]
    if apart == 0:
        return no_result(
            "nobody answered the two groups differently",
            method=method,
            n=pairs,
            alternative=side,
            estimate=odds,
        )
    test = binomial(table[0][1], apart, alternative=side, level=level)
    return replace(test, n=pairs, method=method, estimate=odds, effect=whole.estimate)


def _logistic(
    table: Mapping[str, Any],
    a: MeasuredRows,
    b: MeasuredRows,
    first: str,
    second: str,
    design: Design,
    *,
    slopes: bool,
    side: Alternative,
    level: float,
) -> Contrast:
    method = "mixed logistic model, Wald test"
    n = len(np.union1d(a.person, b.person))
    formula = _formula("value", a, b, design, slopes=slopes)
    if formula is None:
        reason = f"a model needs at least {LEAST_LEVELS} people with several answers, got {n}"
        return Contrast(
            first=first, second=second, design=design, test=_none(reason, method, n, side, level)
        )
    trials = "whole" if "whole" in table else None
    try:
        model = mixed_logistic(
            formula, table, trials=trials, levels={"group": (second, first)}, level=level
        )
    except InvalidInput as error:
        return Contrast(
            first=first,
            second=second,
            design=design,
            test=_none(str(error), method, n, side, level),
            formula=formula,
        )
    if not model.convergence.converged and not model.convergence.separated:
        reason = (
            model.convergence.messages[-1]
            if model.convergence.messages
            else "the model did not converge"
        )
        return Contrast(
            first=first,
            second=second,
            design=design,
            test=_none(reason, method, n, side, level),
            formula=formula,
        )
    if model.criterion.startswith("penalised"):
        method = "mixed logistic model, penalised because the answers are sparse, Wald test"
    test = _test_coefficient(model, f"group[{first}]", n, side, method, None, odds=True)
    return Contrast(first=first, second=second, design=design, test=test, formula=formula)

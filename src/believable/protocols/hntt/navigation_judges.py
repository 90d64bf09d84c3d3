"""The judges: uncertainty, familiarity, groups against each other; and all conditions on one scale,
where agents met agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import (
    LOOSE_CELL,
    Finding,
    Section,
    Undefined,
    estimate_cells,
    number_or,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, degrees_of_freedom, estimate_words, listed, number
from believable.analysis.settled_plan import Plan
from believable.core.errors import InvalidInput
from believable.protocols.hntt.agent_verdict import decide
from believable.protocols.hntt.navigation_judgements import (
    AgentContest,
    NavigationJudgements,
    ObjectArray,
    coded_familiarity,
    familiarity_regression,
)
from believable.stats.bootstrap import median_interval
from believable.stats.bradley_terry import bradley_terry
from believable.stats.inputs import FloatArray
from believable.stats.location import mann_whitney
from believable.stats.pairs import comparisons, win_rates
from believable.stats.result import TestResult

LAYOUTS = Layouts(__file__)


def uncertainty_section(contests: Sequence[AgentContest], plan: Plan) -> Section:
    """How uncertain judges were, and whether more so when they were wrong."""
    rows, findings = [], []
    for contest in contests:
        means = contest.mean_uncertainty()
        median = median_interval(means, level=plan.level)
        quartiles = np.quantile(means, [0.25, 0.75]).tolist() if len(means) else [None, None]
        right, wrong = (contest.uncertainty[contest.correct == side] for side in (True, False))
        cells = [
            number_or(float(np.nanmean(part)) if (~np.isnan(part)).any() else None, "no such trial")
            for part in (right, wrong)
        ]
        spread = number_or(
            float(means.std(ddof=1)) if len(means) > 1 else None, "one judge has no spread"
        )
        mean = number_or(
            float(means.mean()) if len(means) else None, "nobody said how certain they were"
        )
        rows.append(
            (
                contest.agent,
                len(means),
                *estimate_cells(median),
                *(number_or(value, "no values") for value in quartiles),
                mean,
                spread,
                *cells,
            )
        )
        findings.append(
            Finding(
                outcome="uncertainty",
                title=f"Uncertainty, {contest.agent}",
                sentence=(
                    f"Against {contest.agent}, no judge said how certain they were."
                    if median.value is None
                    else (
                        f"Against {contest.agent}, the judges' mean uncertainty (1 certain to 5"
                        f" uncertain) had a median of {estimate_words(median)}."
                    )
                ),
                estimate=median,
                about=contest.agent,
            )
        )
    return LAYOUTS.section(
        "uncertainty", findings=findings, tables=(LAYOUTS.table("uncertainty", rows),)
    )


def familiarity_section(data: Data, contests: Sequence[AgentContest], plan: Plan) -> Section:
    """Do those who know the game or the genre judge better?"""
    words = plan.option("familiarity")
    predictors = {
        name: coded_familiarity(data, role, words)
        for name, role in (("game", "familiarity_game"), ("genre", "familiarity_genre"))
        if data.has(role)
    }
    rows: list[tuple[LOOSE_CELL, ...]] = []
    fits: list[tuple[LOOSE_CELL, ...]] = []
    findings, paragraphs = [], []
    for contest in contests:
        own = {name: values[contest.judges] for name, values in predictors.items()}
        fit, left_out = familiarity_regression(contest.accuracy(), own, level=plan.level)
        if left_out:
            paragraphs.append(
                f"{counted(left_out, 'judge')} of {contest.agent} gave another answer about"
                f" familiarity and {'is' if left_out == 1 else 'are'} missing here."
            )
        if isinstance(fit, str):
            paragraphs.append(f"No regression for {contest.agent}: {fit}")
            fits.append(
                (
                    contest.agent,
                    Undefined(fit),
                    Undefined(fit),
                    Undefined(fit),
                    Undefined(fit),
                    Undefined(fit),
                )
            )
            continue
        rows += [
            (
                contest.agent,
                term.name.strip("()").lower(),
                *estimate_cells(term.estimate),
                term.estimate.statistic,
                term.estimate.p_value,
            )
            for term in fit.terms
        ]
        test = fit.f_test
        none = test.reason or "undefined"
        fits.append(
            (
                contest.agent,
                fit.n,
                number_or(fit.r_squared, none),
                number_or(test.statistic, none),
                degrees_of_freedom(test),
                number_or(test.p_value, none),
            )
        )
        findings.append(
            Finding(
                outcome="familiarity",
                title=f"Familiarity, {contest.agent}",
                sentence=f"In a regression of {counted(fit.n, 'judge')}' accuracy against"
                f" {contest.agent} on familiarity with {listed(list(own))},"
                f" R² = {number(fit.r_squared)}.",
                estimate=None,
                test=test,
                about=contest.agent,
            )
        )
    coding = ", ".join(
        f"{place} {word.replace('_', ' ')}" for place, word in enumerate(words, start=1)
    )
    paragraphs.insert(0, f"Familiarity is coded {coding}; any other answer is missing.")
    return LAYOUTS.section(
        "familiarity",
        paragraphs=paragraphs,
        findings=findings,
        tables=(LAYOUTS.table("familiarity", rows), LAYOUTS.table("familiarity_fit", fits)),
    )


@dataclass(frozen=True, slots=True)
class JudgeOutcome:
    """One number per session, NaN where the judge has none."""

    name: str
    title: str
    values: FloatArray


def per_judge(
    data: Data, judged: NavigationJudgements, contests: Sequence[AgentContest]
) -> tuple[JudgeOutcome, ...]:
    """What judges can be compared by: accuracy over all agents, mean uncertainty, the share
    choosing one agent over another.
    """
    n = len(data)
    judge = (
        np.concatenate([contest.judge for contest in contests])
        if contests
        else np.empty(0, np.int64)
    )
    correct = (
        np.concatenate([contest.correct for contest in contests]).astype(float)
        if contests
        else np.empty(0)
    )
    unsure = (
        np.concatenate([contest.uncertainty for contest in contests]) if contests else np.empty(0)
    )
    known = ~np.isnan(unsure)
    outcomes = [JudgeOutcome("accuracy", "Accuracy", _means(judge, correct, n))]
    if known.any():
        outcomes.append(
            JudgeOutcome("uncertainty", "Uncertainty", _means(judge[known], unsure[known], n))
        )
    for first, second in _agent_pairs(judged, [contest.agent for contest in contests]):
        chose, own = _chose(judged, first, second)
        outcomes.append(
            JudgeOutcome(
                f"{first}_over_{second}",
                f"{first} over {second}",
                _means(judged.judge[own], chose, n),
            )
        )
    return tuple(outcomes)


def _means(judge: np.ndarray, values: FloatArray, n: int) -> FloatArray:
    count = np.bincount(judge, minlength=n)
    means = np.full(n, np.nan)
    means[count > 0] = np.bincount(judge, weights=values, minlength=n)[count > 0] / count[count > 0]
    return means


def _agent_pairs(judged: NavigationJudgements, agents: Sequence[str]) -> Iterator[tuple[str, str]]:
    for first, second in combinations(sorted(agents), 2):
        if _chose(judged, first, second)[1].any():
            yield first, second


def _chose(judged: NavigationJudgements, first: str, second: str) -> tuple[FloatArray, np.ndarray]:
    """Whether `first` was chosen, in trials that showed exactly these two; and which trials those
    are.
    """
    straight, crossed = (
        (judged.first == a) & (judged.second == b) for a, b in ((first, second), (second, first))
    )
    own = straight | crossed
    chosen = np.where(straight, judged.chose_first, ~judged.chose_first)
    return chosen[own].astype(np.float64), own


def agents_section(
    data: Data, judged: NavigationJudgements, contests: Sequence[AgentContest], plan: Plan
) -> Section | None:
    """Agents compared with each other directly."""
    shares = [outcome for outcome in per_judge(data, judged, contests) if "_over_" in outcome.name]
    if not shares:
        return None
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for share in shares:
        known = share.values[~np.isnan(share.values)]
        first, _, second = share.name.partition("_over_")
        chose, own = _chose(judged, first, second)
        verdict = decide(
            chose, judged.judge[own], judged.pair[own].astype(str), over=plan.over, alpha=plan.alpha
        )
        mean, test = verdict.mean, verdict.test
        sd = number_or(
            float(known.std(ddof=1)) if len(known) > 1 else None, "one judge has no spread"
        )
        rows.append(
            (
                share.title,
                len(known),
                *estimate_cells(mean),
                sd,
                number_or(test.p_value, test.reason or ""),
            )
        )
    return LAYOUTS.section("agents", tables=(LAYOUTS.table("agents", rows),))


def groups_section(
    data: Data, judged: NavigationJudgements, contests: Sequence[AgentContest], plan: Plan
) -> Section | None:
    """Judges of different arms compared: each measure by a two-sided Mann–Whitney test for every
    two levels.
    """
    arms = (
        tuple(name.removeprefix("arm_") for name in data.people.columns if name.startswith("arm_"))
        if data.study is None
        else tuple(name for name, levels in data.study.arms.items() if len(levels) > 1)
    )
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings: list[Finding] = []
    for arm in arms:
        level_of = data.arm(arm)
        for outcome in per_judge(data, judged, contests):
            for first, second in combinations(
                sorted({str(level) for level in level_of if level is not None}), 2
            ):
                row, finding = _compare(arm, outcome, level_of, first, second, plan)
                rows.append(row)
                findings.append(finding)
    if not rows:
        return None
    return LAYOUTS.section("groups", findings=findings, tables=(LAYOUTS.table("groups", rows),))


def _compare(
    arm: str, outcome: JudgeOutcome, level_of: ObjectArray, first: str, second: str, plan: Plan
) -> tuple[tuple[LOOSE_CELL, ...], Finding]:
    known = ~np.isnan(outcome.values)
    a, b = (outcome.values[known & (level_of == level)] for level in (first, second))
    test = mann_whitney(a, b, level=plan.level)
    u = smaller_u(test, len(a), len(b))
    printed = replace(test, statistic=u)
    none = test.reason or "undefined"
    effect = estimate_cells(test.effect) if test.effect is not None else (Undefined(none),) * 3
    row = (
        arm,
        outcome.title,
        first,
        second,
        len(a),
        len(b),
        *_mean_sd(a),
        *_mean_sd(b),
        number_or(u, none),
        number_or(test.p_value, none),
        *effect,
    )
    sentence = (
        f"{outcome.title} of judges in {arm} {first} (mean {number(_value(a))}, n = {len(a)})"
        f" against {second} (mean {number(_value(b))}, n = {len(b)})."
    )
    return row, Finding(
        outcome="groups",
        title=f"{outcome.title}, {first} against {second}",
        sentence=sentence,
        estimate=None,
        test=printed,
        about=arm,
    )


def smaller_u(test: TestResult, m: int, n: int) -> float | None:
    """U as tables print it: the smaller of the two."""
    return None if test.statistic is None else min(test.statistic, m * n - test.statistic)


def _mean_sd(values: FloatArray) -> tuple[LOOSE_CELL, LOOSE_CELL]:
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    return number_or(_value(values), "nobody"), number_or(sd, "no spread")


def _value(values: FloatArray) -> float | None:
    return float(values.mean()) if len(values) else None


def strength_section(
    data: Data, judged: NavigationJudgements, plan: Plan, rng: np.random.Generator
) -> Section | None:
    """All conditions on one scale, where more than one pairing was judged."""
    known = np.array(
        [
            a is not None and b is not None and a != b
            for a, b in zip(judged.first, judged.second, strict=True)
        ],
        dtype=bool,
    )
    own = judged.where(known)
    pairings = {tuple(sorted((str(a), str(b)))) for a, b in zip(own.first, own.second, strict=True)}
    if len(pairings) < 2:
        return None
    compared = comparisons(
        own.first.tolist(),
        own.second.tolist(),
        ["left" if won else "right" for won in own.chose_first],
        judges=own.judge.tolist(),
    )
    rates = {rate.item: rate for rate in win_rates(compared, rng=rng, level=plan.level)}
    try:
        fit = bradley_terry(compared, level=plan.level)
    except InvalidInput as error:
        return Section(
            name="strength", title="Strengths", paragraphs=(f"No Bradley–Terry fit: {error}",)
        )
    order = sorted(fit.items, key=lambda item: -(fit.of(item).value or 0.0))
    rows = []
    for item in order:
        strength, rate = fit.of(item), rates[item]
        rows.append(
            (item, *estimate_cells(strength), rate.wins, rate.losses, *estimate_cells(rate.share))
        )
    findings = tuple(
        Finding(
            outcome="strength",
            title=f"Strength, {item}",
            sentence=f"{item}: log strength {estimate_words(fit.of(item))}, relative to the mean of"
            " all conditions.",
            estimate=fit.of(item),
            about=item,
        )
        for item in order
    )
    paragraphs = (
        (
            f"{counted(len(pairings), 'pairing')} of {counted(len(fit.items), 'condition')} were"
            f" judged. {fit.method}."
        ),
        *((fit.reason,) if fit.reason else ()),
        *fit.notes,
    )
    return LAYOUTS.section(
        "strength",
        paragraphs=paragraphs,
        findings=findings,
        tables=(LAYOUTS.table("strength", rows),),
        charts=(LAYOUTS.chart("strength"),),
    )

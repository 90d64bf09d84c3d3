"""The sections of a navigation Turing test: accuracy and verdict, robustness, uncertainty, familiarity, strengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from believable.analysis.cells import (
    LOOSE_CELL,
    Undefined,
    estimate_cells,
    estimate_columns,
    number_or,
    table,
)
from believable.analysis.data import Data
from believable.analysis.hntt import measures
from believable.analysis.hntt.judgements import Against, Judgements
from believable.analysis.plan import Plan
from believable.analysis.records import Chart, Column, Finding, Section
from believable.analysis.words import (
    counted,
    estimate_words,
    fixed,
    interval_words,
    listed,
    p_words,
    test_words,
)
from believable.core.errors import InvalidInput
from believable.stats.counts import binomial, proportion
from believable.stats.indices import HnttVerdict
from believable.stats.pairs import bradley_terry, comparisons, win_rates
from believable.stats.resample import median_interval

AGENT = Column("agent", "Agent", about="condition compared with humans")


def accuracy_section(found: Sequence[Against], plan: Plan, rng: np.random.Generator) -> Section:
    """The published table and verdict, the test against chance and the equivalence test."""
    rows, charted, findings = [], [], []
    for one in found:
        accuracy = one.accuracy()
        verdict = measures.verdict(accuracy, plan, rng)
        mean = measures.mean_accuracy(accuracy, level=plan.level)
        exact = median_interval(accuracy, level=plan.level)
        rows.append(
            (
                one.agent, len(accuracy), len(one.correct), *estimate_cells(mean),
                number_or(float(accuracy.std(ddof=1)) if len(accuracy) > 1 else None, "one judge has no spread"),
                *estimate_cells(verdict.median), verdict.quartile_low, verdict.quartile_high,
                Undefined("no interval") if verdict.passes is None else "passes" if verdict.passes else "does not pass",
                exact.low, exact.high,
            )
        )  # fmt: skip
        shares, counts = np.unique(accuracy, return_counts=True)
        charted += [
            (one.agent, fixed(float(share)), float(share), int(count))
            for share, count in zip(shares, counts, strict=True)
        ]
        findings += _findings(one, verdict, plan)
    chance = float(plan.option("chance"))
    main = table(
        "accuracy", "Accuracy of the judges: share of trials in which the human one was chosen",
        (
            AGENT, Column("judges", "Judges", "integer"), Column("trials", "Trials", "integer"),
            *estimate_columns("mean", "Mean", about="mean over judges; Wilson interval with the effective number"),
            Column("sd", "SD", "number", 2, "standard deviation over judges"),
            *estimate_columns("median", "Median", about="median over judges; percentile bootstrap over judges"),
            Column("q1", "Q1", "number", 2, "lower quartile"), Column("q3", "Q3", "number", 2, "upper quartile"),
            Column("verdict", "Verdict", about=f"passes: the interval of the median contains {chance:g}"),
            Column("exact_low", "exact low", "number", 2, "exact order-statistic interval of the median"),
            Column("exact_high", "exact high", "number", 2, "exact order-statistic interval of the median"),
        ),
        rows, status="exploratory",
        note=f"The agent passes, by the published criterion, if the bootstrap interval of the median contains {chance:g}."
        " Passing is not yet sameness: see the equivalence test.",
    )  # fmt: skip
    spread = table(
        "accuracy_judges", "Judges by accuracy",
        (AGENT, Column("accuracy", "Accuracy"), Column("share", "Share right", "number"), Column("judges", "Judges", "integer")),
        charted,
    )  # fmt: skip
    charts = (
        Chart(
            "accuracy", "Median accuracy of the judges", "points", "accuracy",
            {"category": "agent", "value": "median", "low": "median_low", "high": "median_high"},
            x_title="Median accuracy", caption="Points: medians over judges; bars: percentile bootstrap intervals.",
            rules=(("x", chance, "chance"),), x_range=(0, 1),
        ),
        Chart(
            "accuracy_judges", "How many judges were how accurate", "bars", "accuracy_judges",
            {"category": "accuracy", "value": "judges", "facet": "agent"}, x_title="Judges", y_title="Accuracy",
        ),
    )  # fmt: skip
    return Section(
        "accuracy", "Accuracy and verdict", (_question(found),), tuple(findings), (main, spread), charts
    )


def _question(found: Sequence[Against]) -> str:
    if not found:
        return "No judgement of a human against an agent is left: there is nothing to say."
    names = listed([one.agent for one in found])
    return f"Judges saw a human and an agent side by side and chose the one that is more like a human. Agents: {names}."


def _findings(one: Against, verdict: HnttVerdict, plan: Plan) -> list[Finding]:
    accuracy, chance = one.accuracy(), float(plan.option("chance"))
    test = measures.against_chance(
        accuracy, chance=chance, alternative=plan.alternative("accuracy", one.agent), level=plan.level
    )
    margin = float(plan.test_option("accuracy", "margin"))
    same = measures.equivalence(accuracy, chance=chance, margin=margin, alpha=plan.alpha)
    stated = "declared" if plan.test_declared("accuracy", "margin") else "default, not declared"
    mean = test.estimate
    words = "undefined" if mean is None else estimate_words(mean)
    shown = (
        f"equivalence could not be tested ({same.reason})" if same.p_value is None
        else "equivalence is shown" if same.equivalent else "equivalence is not shown"
    )  # fmt: skip
    passing = {
        True: f"which contains {chance:g}: the agent passes by the published criterion. That it contains chance does not"
        " by itself show that people cannot tell the two apart.",
        False: f"which does not contain {chance:g}: the agent does not pass.",
        None: "so that there is no verdict.",
    }[verdict.passes]
    return [
        Finding(
            "accuracy", f"Accuracy, {one.agent}",
            f"Judges chose the human over {one.agent} in a mean share of {words} of their trials"
            f" ({counted(len(accuracy), 'judge')}; {test_words(test, 't')}).",
            "exploratory", mean, test, about=one.agent,
        ),
        Finding(
            "accuracy", f"Equivalence with chance, {one.agent}",
            f"Within a margin of {margin:g} around {chance:g} ({stated}), {shown}: mean {fixed(same.estimate.value)}"
            f" ({interval_words(same.estimate)}); {same.method}, {p_words(same.p_value)}.",
            "exploratory", same.estimate, measures.as_test(same), about=one.agent, kind="equivalence",
        ),
        Finding(
            "median_accuracy", f"Verdict, {one.agent}",
            f"The median accuracy against {one.agent} is {fixed(verdict.median.value)}"
            f" ({interval_words(verdict.median)}), {passing}",
            "exploratory", verdict.median, about=one.agent,
        ),
    ]  # fmt: skip


def robustness_section(found: Sequence[Against], plan: Plan, rng: np.random.Generator) -> Section:
    """Would other judges, other clips or fewer judges have told the same?"""
    subsamples: list[tuple[LOOSE_CELL, ...]] = []
    intervals: list[tuple[LOOSE_CELL, ...]] = []
    for one in found:
        accuracy = one.accuracy()
        fewer = measures.subsampled(accuracy, plan, rng)
        if isinstance(fewer, str):
            why = Undefined(fewer)
            subsamples.append((one.agent, plan.option("subsample"), plan.option("subsamples"), why, why, why))
        else:
            subsamples.append(
                (one.agent, fewer.n, fewer.repeats, fewer.passed, fewer.mean_low, fewer.mean_high)
            )
        by = measures.clustered(one, rng=rng, resamples=int(plan.option("resamples")), level=plan.level)
        for unit, estimate in (
            ("judges", by.judges),
            ("pairs of clips", by.clips),
            ("judges and pairs", by.both),
        ):
            intervals.append((one.agent, unit, estimate.n, *estimate_cells(estimate), estimate.method))
    return Section(
        "robustness", "Other judges, other clips, fewer judges",
        ("An interval over judges says what other judges of the same kind would have done with these clips. Only the interval"
         " over judges and pairs also speaks of other clips.",),
        tables=(
            table(
                "clustered", "Mean accuracy with intervals for new judges, new clips, and both",
                (AGENT, Column("resampled", "Resampled"), Column("units", "Units", "integer"),
                 *estimate_columns("mean", "Mean"), Column("method", "Method")),
                intervals,
            ),
            table(
                "subsampling", "The verdict with fewer judges",
                (AGENT, Column("judges", "Judges drawn", "integer"), Column("repeats", "Repeats", "integer"),
                 Column("passed", "Passed", "integer", about="how many subsamples' median intervals contain chance"),
                 Column("mean_low", "mean low", "number", 2, "mean lower bound"),
                 Column("mean_high", "mean high", "number", 2, "mean upper bound")),
                subsamples,
            ),
        ),
        charts=(
            Chart("clustered", "Mean accuracy, three ways to resample", "points", "clustered",
                  {"category": "resampled", "value": "mean", "low": "mean_low", "high": "mean_high", "facet": "agent"},
                  x_title="Mean accuracy", rules=(("x", float(plan.option("chance")), "chance"),), x_range=(0, 1)),
        ),
    )  # fmt: skip


def pairs_section(judged: Judgements, found: Sequence[Against], plan: Plan) -> Section:
    """Pair by pair, and whether one side of the screen was preferred."""
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for one in found:
        for pair in sorted(set(one.pair.tolist())):
            own = one.pair == pair
            share = proportion(int(one.correct[own].sum()), int(own.sum()), level=plan.level)
            known = one.uncertainty[own & ~np.isnan(one.uncertainty)]
            mean = number_or(float(known.mean()) if len(known) else None, "nobody said how certain they were")
            rows.append(
                (one.agent, str(one.scenario[own][0]), pair, int(own.sum()), *estimate_cells(share), mean)
            )
    first = int(judged.chose_first.sum())
    side = binomial(first, len(judged), level=plan.level)
    words = f"Player A (left) was chosen in {first} of {counted(len(judged), 'trial')} ({p_words(side.p_value)}, {side.method})."
    if judged.undecided:
        words += (
            f" {counted(judged.undecided, 'choice')} named neither or were left open, and are not counted."
        )
    return Section(
        "pairs", "Pair by pair", (words,),
        tables=(
            table(
                "pairs", "Accuracy of each pair",
                (AGENT, Column("scenario", "Scenario"), Column("pair", "Pair"), Column("judges", "Judges", "integer"),
                 *estimate_columns("share", "Share right", about="share of judges who chose the human one; Wilson interval"),
                 Column("uncertainty", "Uncertainty", "number", 2, "mean, 1 certain to 5 uncertain")),
                rows,
            ),
        ),
        charts=(
            Chart("pairs", "Accuracy of each pair", "points", "pairs",
                  {"category": "pair", "value": "share", "low": "share_low", "high": "share_high", "facet": "agent"},
                  x_title="Share of judges who chose the human", rules=(("x", float(plan.option("chance")), "chance"),),
                  x_range=(0, 1)),
        ),
    )  # fmt: skip


def uncertainty_section(found: Sequence[Against], plan: Plan) -> Section:
    """How uncertain judges were, and whether more so when they were wrong."""
    rows, findings = [], []
    for one in found:
        means = one.mean_uncertainty()
        median = median_interval(means, level=plan.level)
        quartiles = np.quantile(means, [0.25, 0.75]).tolist() if len(means) else [None, None]
        right, wrong = (one.uncertainty[one.correct == side] for side in (True, False))
        cells = [
            number_or(float(np.nanmean(part)) if (~np.isnan(part)).any() else None, "no such trial")
            for part in (right, wrong)
        ]
        spread = number_or(float(means.std(ddof=1)) if len(means) > 1 else None, "one judge has no spread")
        mean = number_or(float(means.mean()) if len(means) else None, "nobody said how certain they were")
        rows.append((one.agent, len(means), *estimate_cells(median),
                     *(number_or(value, "no values") for value in quartiles), mean, spread, *cells))  # fmt: skip
        findings.append(
            Finding(
                "uncertainty", f"Uncertainty, {one.agent}",
                f"Against {one.agent}, the judges' mean uncertainty (1 certain to 5 uncertain) had a median of"
                f" {estimate_words(median)}.",
                "exploratory", median, about=one.agent,
            )
        )  # fmt: skip
    return Section(
        "uncertainty", "Uncertainty", (), tuple(findings),
        (
            table(
                "uncertainty", "Uncertainty of the judges, 1 extremely certain to 5 extremely uncertain",
                (AGENT, Column("judges", "Judges", "integer"),
                 *estimate_columns("median", "Median", about="median of the judges' means; exact order-statistic interval"),
                 Column("q1", "Q1", "number"), Column("q3", "Q3", "number"), Column("mean", "Mean", "number"),
                 Column("sd", "SD", "number"),
                 Column("when_right", "when right", "number", 2, "mean over trials with a right choice"),
                 Column("when_wrong", "when wrong", "number", 2, "mean over trials with a wrong choice")),
                rows, status="exploratory",
            ),
        ),
    )  # fmt: skip


def familiarity_section(data: Data, found: Sequence[Against], plan: Plan) -> Section:
    """Do those who know the game or the genre judge better?"""
    words = plan.option("familiarity")
    predictors = {
        name: measures.coded_familiarity(data, role, words)
        for name, role in (("game", "familiarity_game"), ("genre", "familiarity_genre"))
        if data.has(role)
    }
    rows: list[tuple[LOOSE_CELL, ...]] = []
    fits: list[tuple[LOOSE_CELL, ...]] = []
    findings, paragraphs = [], []
    for one in found:
        own = {name: values[one.judges] for name, values in predictors.items()}
        fit, left_out = measures.familiarity_regression(one.accuracy(), own, level=plan.level)
        if left_out:
            paragraphs.append(
                f"{counted(left_out, 'judge')} of {one.agent} gave another answer about familiarity and are missing here."
            )
        if isinstance(fit, str):
            paragraphs.append(f"No regression for {one.agent}: {fit}")
            fits.append(
                (one.agent, Undefined(fit), Undefined(fit), Undefined(fit), Undefined(fit), Undefined(fit))
            )
            continue
        rows += [
            (
                one.agent,
                term.name,
                *estimate_cells(term.estimate),
                term.estimate.statistic,
                term.estimate.p_value,
            )
            for term in fit.terms
        ]
        test = fit.f_test
        none = test.reason or "undefined"
        fits.append((one.agent, fit.n, number_or(fit.r_squared, none), number_or(test.statistic, none),
                     ", ".join(f"{df:g}" for df in test.df), number_or(test.p_value, none)))  # fmt: skip
        findings.append(
            Finding(
                "familiarity", f"Familiarity, {one.agent}",
                f"Familiarity with {listed(list(own))} accounted for {fixed(fit.r_squared)} of the variance of accuracy against"
                f" {one.agent} ({test_words(test, 'F')}; {fit.method}).",
                "exploratory", None, test, about=one.agent,
            )
        )  # fmt: skip
    coding = ", ".join(f"{place} {word}" for place, word in enumerate(words, start=1))
    paragraphs.insert(0, f"Familiarity is coded {coding}; any other answer is missing.")
    return Section(
        "familiarity", "Familiarity", tuple(paragraphs), tuple(findings),
        (
            table(
                "familiarity", "Accuracy by familiarity: coefficients",
                (AGENT, Column("term", "Term"), *estimate_columns("beta", "β"), Column("t", "t", "number"),
                 Column("p", "p", "p")),
                rows, note="Ordinary least squares with an intercept; t intervals.", status="exploratory",
            ),
            table(
                "familiarity_fit", "Accuracy by familiarity: the fit",
                (AGENT, Column("judges", "Judges", "integer"), Column("r_squared", "R²", "number"), Column("f", "F", "number"),
                 Column("df", "df"), Column("p", "p", "p")),
                fits, status="exploratory",
            ),
        ),
    )  # fmt: skip


def strength_section(data: Data, judged: Judgements, plan: Plan, rng: np.random.Generator) -> Section | None:
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
        own.first.tolist(), own.second.tolist(), ["left" if won else "right" for won in own.chose_first],
        judges=own.judge.tolist(),
    )  # fmt: skip
    rates = {rate.item: rate for rate in win_rates(compared, rng=rng, level=plan.level)}
    try:
        fit = bradley_terry(compared, level=plan.level)
    except InvalidInput as error:
        return Section("strength", "Strengths", (f"No Bradley–Terry fit: {error}",))
    order = sorted(fit.items, key=lambda item: -(fit.of(item).value or 0.0))
    rows = []
    for item in order:
        strength, rate = fit.of(item), rates[item]
        rows.append((item, *estimate_cells(strength), rate.wins, rate.losses, *estimate_cells(rate.share)))
    findings = tuple(
        Finding(
            "strength", f"Strength, {item}",
            f"{item}: log strength {estimate_words(fit.of(item))}, relative to the mean of all conditions.",
            "exploratory", fit.of(item), about=item,
        )
        for item in order
    )  # fmt: skip
    paragraphs = (
        f"{counted(len(pairings), 'pairing')} of {counted(len(fit.items), 'condition')} were judged. {fit.method}.",
        *((fit.reason,) if fit.reason else ()),
        *fit.notes,
    )
    return Section(
        "strength", "All conditions on one scale (Bradley–Terry)", paragraphs, findings,
        (
            table(
                "strength", "How strongly each condition is chosen as the more human",
                (Column("condition", "Condition"),
                 *estimate_columns("strength", "Log strength", about="sum to 0; clustered by judge"),
                 Column("wins", "Chosen", "integer"), Column("losses", "Not chosen", "integer"),
                 *estimate_columns("share", "Share", about="share of its comparisons; bootstrap over judges")),
                rows, status="exploratory",
            ),
        ),
        (
            Chart("strength", "Log strength of each condition", "points", "strength",
                  {"category": "condition", "value": "strength", "low": "strength_low", "high": "strength_high"},
                  x_title="Log strength", rules=(("x", 0.0, "mean"),)),
        ),
    )  # fmt: skip

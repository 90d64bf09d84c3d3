"""The sections about accuracy: the verdict, its robustness, and the pairs one by one."""

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
from believable.stats.counts import binomial, proportion
from believable.stats.indices import HnttVerdict
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
            caption="Accuracy is a judge's share of right choices.",
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
            f"Equivalence with {chance:g} within a margin of {margin:g} ({stated}): mean {fixed(same.estimate.value)}"
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
                  x_title="Mean accuracy", caption="Points: means over judges; bars: intervals for new judges, clips, and both.",
                  rules=(("x", float(plan.option("chance")), "chance"),), x_range=(0, 1)),
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
                  x_title="Share of judges who chose the human", caption="Points: shares; bars: their intervals.",
                  rules=(("x", float(plan.option("chance")), "chance"),),
                  x_range=(0, 1)),
        ),
    )  # fmt: skip

"""The sections of the analysis of `trace`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import (
    LOOSE_CELL,
    Cell,
    Finding,
    Section,
    Table,
    estimate_cells,
    number_or,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, estimate_words, in_words, listed, number
from believable.analysis.procedure import questions
from believable.analysis.settled_plan import Plan
from believable.analysis.trace_windows import CENTRES, tool_title
from believable.contracts.registries import INSTRUMENTS
from believable.protocols.trace import DECLARATION
from believable.protocols.trace.outcomes import (
    CORRELATED,
    by_time,
    declared_measure,
    named_conditions,
    outcome_tests,
    tools_in,
)
from believable.protocols.trace.trace_cleaning import CleanedTraces, Pair, cleaning_of
from believable.protocols.trace.trace_figures import (
    ChoiceAgreement,
    agreements,
    all_traces,
    by_epsilon,
    by_rule,
    counts_table,
    examples,
    group_means,
    means_table,
    slopes_table,
)
from believable.stats.correlations import correlations_compared
from believable.stats.counts import binomial
from believable.stats.estimate import Estimate, undefined
from believable.stats.result import TestResult, no_result

LAYOUTS = Layouts(__file__)


PHRASES = {
    "high": "windows of high believability (H1 − H2)",
    "low": "windows of low believability (L1 − L2)",
    "difference": "high minus low windows (D1 − D2)",
    "mean": "the traces' means (μ1 − μ2)",
    "gradient": "rising minus falling windows",
}


MEASURE_LABELS = {
    "high": "high windows, H1 − H2",
    "low": "low windows, L1 − L2",
    "difference": "high minus low, D1 − D2",
    "mean": "means, μ1 − μ2",
    "gradient": "rising minus falling windows",
}


TIME_LABELS = {"last": "after annotating", "first": "before annotating"}


RULE_LABELS = {
    "sign": "the sign of the mean",
    "mean": "the mean",
    "minmax": "the mean, scaled from its lowest to its highest,",
}


def choice_section(
    pairs: Sequence[Pair], correlations: Sequence[ChoiceAgreement], plan: Plan
) -> Section:
    findings = [
        Finding(
            outcome=outcome,
            title=f"{DECLARATION.outcome(outcome).title}, {tool_title(tool)}",
            sentence=_sentence(outcome, tool, test, plan, named_conditions(pairs)),
            estimate=test.estimate,
            test=test,
            about=tool,
        )
        for tool in tools_in(pairs)
        for outcome, test in outcome_tests(pairs, tool, plan).items()
    ]
    tables = [counts_table(correlations, centre) for centre in CENTRES]
    tables.append(means_table(correlations, alpha=plan.alpha))
    tables.append(slopes_table(correlations))
    other = _other_rule(pairs, plan)
    drawn, chart = by_epsilon(correlations)
    return LAYOUTS.section(
        "choice",
        paragraphs=(
            f"{counted(len(pairs), 'participant')} with two valid traces and a final choice"
            + (
                ": "
                + listed(
                    [
                        f"{sum(p.tool == tool for p in pairs)} with {tool_title(tool)}"
                        for tool in tools_in(pairs)
                    ]
                )
                if pairs
                else ""
            )
            + ". Positive correlations mean that the round with more of a measure was chosen.",
        ),
        findings=tuple(findings),
        tables=(*tables, *other, drawn),
        charts=(chart,),
    )


def _other_rule(pairs: Sequence[Pair], plan: Plan) -> list[Table]:
    """The table of BTrace by the rule that the plan did not choose, on the same participants."""
    if not any(pair.tool == "btrace" for pair in pairs):
        return []
    rule = "mean" if plan.option("btrace_window") != "mean" else "sign"
    turned = by_rule(
        CleanedTraces(
            traces=(), pairs=tuple(pairs), drops=(), funnel=(), inactive={}, consensus={}
        ),
        rule,
    )
    correlations = agreements(turned, "btrace", epsilons=plan.option("epsilons"), level=plan.level)
    note = (
        f"BTrace windows count as {RULE_LABELS[rule]} of their marks, for the same participants as"
        " above."
    )
    counts = counts_table(correlations, "mean", note=note)
    name, title = (
        f"counts_mean_btrace_{rule}",
        f"{counts.title} (BTrace windows: {RULE_LABELS[rule]})",
    )
    return [replace(counts, name=name, title=title)]


def _sentence(
    outcome: str, tool: str, test: TestResult, plan: Plan, conditions: Sequence[str]
) -> str:
    if outcome == "condition":
        if test.estimate is None or test.estimate.value is None:
            return f"With {tool_title(tool)}, the conditions cannot be compared ({test.reason})."
        return (
            f"With {tool_title(tool)} (n = {test.n}), the mean of the trace under"
            f" {in_words(conditions[0])} minus that under {in_words(conditions[1])} is"
            f" {estimate_words(test.estimate, 3)}."
        )
    if test.estimate is None or test.estimate.value is None:
        return (
            f"With {tool_title(tool)}, the choice cannot be correlated with {PHRASES[outcome]}"
            f" ({test.reason})."
        )
    where = "" if outcome == "mean" else f" at ε = {plan.option('epsilon'):g}"
    return (
        f"With {tool_title(tool)} (n = {test.n}), the final choice and {PHRASES[outcome]}{where}"
        f" have a correlation of r = {estimate_words(test.estimate, 3)}."
    )


def instrument_section(pairs: Sequence[Pair], plan: Plan) -> Section:
    """One test between two tools: do their traces agree with the choice to the same degree? Also
    the choices themselves.
    """
    tools = tools_in(pairs)
    rows: list[tuple[Cell, ...]] = []
    for tool in tools:
        chosen = Counter(pair.choice for pair in pairs if pair.tool == tool)
        rows.append((tool_title(tool), sum(chosen.values()), chosen[1], chosen[-1], chosen[0]))
    chosen_table = LAYOUTS.table("tools", rows)
    findings = [_recency(pairs, plan)] if pairs else []
    if len(tools) < 2:
        return LAYOUTS.section("tools", findings=findings, tables=(chosen_table,))
    measure = declared_measure(plan)
    compared: list[tuple[LOOSE_CELL, ...]] = []
    for first, second in combinations(tools, 2):
        tests = [outcome_tests(pairs, tool, plan) for tool in (first, second)]
        for name in CORRELATED:
            own = [test[name] for test in tests]
            between = correlations_compared(*own, level=plan.level)
            names = f"{tool_title(first)} minus {tool_title(second)}"
            compared.append(
                (
                    names,
                    MEASURE_LABELS[name],
                    *(_r(test) for test in own),
                    *estimate_cells(_estimate(between)),
                    number_or(between.statistic, between.reason or ""),
                    number_or(between.p_value, between.reason or ""),
                )
            )
            if name == measure:
                findings.append(_tools_finding(first, second, name, own, between))
    table_ = LAYOUTS.table("tools_compared", compared)
    return LAYOUTS.section("tools", findings=findings, tables=(table_, chosen_table))


def _r(test: TestResult) -> LOOSE_CELL:
    return number_or(
        None if test.estimate is None else test.estimate.value, test.reason or "undefined"
    )


def _estimate(test: TestResult) -> Estimate:
    reason = test.reason or "undefined"
    return test.estimate or undefined(reason, method=test.method, n=test.n)


def _tools_finding(
    first: str, second: str, measure: str, own: Sequence[TestResult], between: TestResult
) -> Finding:
    difference = between.estimate
    title = f"{tool_title(first)} against {tool_title(second)}"
    if difference is None or difference.value is None:
        sentence = (
            f"The agreement of {title} with the choice cannot be compared ({between.reason})."
        )
    else:
        values = [number(test.estimate.value, 3) for test in own if test.estimate is not None]
        sentence = (
            f"The choice and {PHRASES[measure]} have correlations of r = {values[0]} with"
            f" {tool_title(first)} and r = {values[1]} with {tool_title(second)}; on the Fisher z"
            f" scale they differ by {estimate_words(difference)}."
        )
    return Finding(
        outcome="tools", title=title, sentence=sentence, estimate=difference, test=between
    )


def _recency(pairs: Sequence[Pair], plan: Plan) -> Finding:
    """Whether the later round is chosen more often, whatever was played."""
    decided = [pair for pair in pairs if pair.choice]
    later = sum(pair.choice == -1 for pair in decided)
    if not decided:
        none = "nobody chose one of the two rounds"
        test = no_result(none, method="exact binomial test", n=0)
        return Finding(
            outcome="recency",
            title="First or second round",
            sentence=f"{none.capitalize()}.",
            test=test,
        )
    test = binomial(later, len(decided), level=plan.level)
    share = "" if test.estimate is None else f": a share of {estimate_words(test.estimate)}"
    sentence = (
        f"Of {counted(len(decided), 'participant')} who chose one of the two rounds, {later} chose"
        f" the second{share}."
    )
    return Finding(
        outcome="recency",
        title="First or second round",
        sentence=sentence,
        estimate=test.estimate,
        test=test,
    )


def time_section(pairs: Sequence[Pair], times: Mapping[str, str], plan: Plan) -> Section:
    """Whether it matters that people choose before they annotate: agreement with the choice, and
    who chose the later round.
    """
    findings: list[Finding] = []
    rows: list[tuple[LOOSE_CELL, ...]] = []
    measure = declared_measure(plan)
    for tool in tools_in(pairs):
        own, between = by_time(pairs, times, tool, plan)
        for level, test in own.items():
            mine = [
                pair for pair in pairs if pair.tool == tool and times.get(pair.session) == level
            ]
            later = sum(pair.choice == -1 for pair in mine)
            decided = sum(pair.choice != 0 for pair in mine)
            rows.append((tool_title(tool), TIME_LABELS[level], len(mine), _r(test), decided, later))
        if between is not None:
            findings.append(_time_finding(tool, measure, own, between))
    compared = LAYOUTS.table("choice_time", rows, measure=MEASURE_LABELS[measure])
    return LAYOUTS.section("choice_time", findings=findings, tables=(compared,))


def _time_finding(
    tool: str, measure: str, own: Mapping[str, TestResult], between: TestResult
) -> Finding:
    difference = between.estimate
    title = f"Chosen {TIME_LABELS['last']} and {TIME_LABELS['first']}, {tool_title(tool)}"
    if difference is None or difference.value is None:
        sentence = (
            f"With {tool_title(tool)}, the two moments of the choice cannot be compared"
            f" ({between.reason})."
        )
    else:
        values = [
            number(test.estimate.value, 3) for test in own.values() if test.estimate is not None
        ]
        sentence = (
            f"With {tool_title(tool)}, the choice and {PHRASES[measure]} have correlations of r ="
            f" {values[0]} among those who chose after annotating and r = {values[1]} among those"
            f" who chose before; on the Fisher z scale they differ by {estimate_words(difference)}."
        )
    return Finding(
        outcome="choice_time",
        title=title,
        sentence=sentence,
        estimate=difference,
        test=between,
        about=tool,
    )


def trace_section(pairs: Sequence[Pair], plan: Plan) -> Section:
    cleaning = cleaning_of(plan)
    positive = [epsilon for epsilon in plan.option("epsilons") if epsilon > 0]
    shown, shown_chart = examples(
        pairs,
        cleaning,
        min(positive, key=lambda e: abs(e - 0.1), default=0.0),
        int(plan.option("examples")),
    )
    means, agreement, chart = group_means(pairs, cleaning)
    return LAYOUTS.section(
        "traces",
        tables=(agreement, means, shown, all_traces(pairs, cleaning)),
        charts=(chart, shown_chart) if shown.rows else (chart,),
    )


def people_section(data: Data, pairs: Sequence[Pair], plan: Plan) -> Section:
    """Who took part: age, gender, how often they play."""
    rows: list[tuple[Cell, ...]] = []
    kept = {pair.session for pair in pairs}
    if data.has("age"):
        ages = data.number_by_session("age")
        known = np.array(
            [
                age
                for session, age in zip(data.sessions, ages, strict=True)
                if session in kept and age == age
            ]
        )
        if len(known):
            spread = float(known.std(ddof=1)) if len(known) > 1 else None
            rows.append(
                (
                    "age",
                    f"mean, from {known.min():g} to {known.max():g}",
                    len(known),
                    float(known.mean()),
                    spread,
                )
            )
            for low in range(int(known.min()) // 10 * 10, int(known.max()) + 1, 10):
                count = int(((known >= low) & (known < low + 10)).sum())
                if count:
                    rows.append(("age", f"{low} to {low + 9}", count, count / len(known), None))
    for role in ("gender", "games"):
        if data.has(role):
            answers = [
                str(answer)
                for session, answer in zip(data.sessions, data.text_by_session(role), strict=True)
                if session in kept and answer is not None
            ]
            counts = Counter(answers)
            scale = [
                *(value for value in _scale(data, plan, role) if value in counts),
                *sorted(counts),
            ]
            rows += [
                (role, answer, counts[answer], counts[answer] / len(answers), None)
                for answer in dict.fromkeys(scale)
            ]
    answers_table = LAYOUTS.table("demographics", rows)
    return LAYOUTS.section("demographics", tables=(answers_table,) if rows else ())


def _scale(data: Data, plan: Plan, role: str) -> list[str]:
    """The answers in the order in which people read them."""
    asked = [] if data.study is None else questions(data.study, plan, role)
    return [
        str(value)
        for question in asked
        for value in INSTRUMENTS[question.kind].options(question.params)
    ]

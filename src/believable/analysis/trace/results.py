"""The analysis of `trace`: cleaning, main outcomes, sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from believable.analysis.data import Data
from believable.analysis.plan import Plan
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.records import Cell, Column, Drop, Finding, Section, Step, Table
from believable.analysis.trace import collect, pictures
from believable.analysis.trace.agreement import (
    Agreement,
    agreements,
    by_rule,
    counts_table,
    means_table,
    one_agreement,
    slopes_table,
)
from believable.analysis.trace.clean import (
    NOT_TWO,
    REASON_WORDS,
    TOOL_NAMES,
    TOOLS,
    Cleaned,
    Pair,
    Tool,
    windowed,
)
from believable.analysis.trace.clean import clean as cleaned_of
from believable.analysis.trace.measures import CENTRES, Centre
from believable.analysis.trace.telemetry import overlaid
from believable.analysis.words import estimate_words, listed, p_words, test_words
from believable.stats.location import paired_t
from believable.stats.result import TestResult
from believable.study.declarations.trace import TRACE

ROLES, OPTIONS, OUTCOMES = TRACE.roles, TRACE.options, TRACE.outcomes
CORRELATED = ("high", "low", "difference", "mean", "gradient")
_WORDS = {
    "high": "windows of high believability (H1 − H2)",
    "low": "windows of low believability (L1 − L2)",
    "difference": "high minus low windows (D1 − D2)",
    "mean": "the traces' means (μ1 − μ2)",
    "gradient": "rising minus falling windows",
}


def clean(data: Data, plan: Plan) -> Data:
    """Without outlying traces and without participants who are left with fewer than two, or made no choice."""
    found, unknown = collect.annotated(data, plan)
    cleaned = cleaned_of(found, collect.choices(data), collect.cleaning_of(plan))
    data = data.with_drops([*unknown, *(drop for drop in cleaned.drops if drop.level == "answer")])
    for step in cleaned.funnel[:-2]:
        mine = [drop for drop in cleaned.drops if _belongs(drop, step)]
        words = REASON_WORDS[step.reason].format(tool=step.title.partition(":")[0])
        data = data.with_drops(mine, replace(step, reason=words))
    seen = {annotation.session for annotation in found}
    silent = {session: "no trace was recorded" for session in data.sessions if session not in seen}
    for step in cleaned.funnel[-2:]:
        dropped = {
            drop.session: drop.detail
            for drop in cleaned.drops
            if drop.reason == step.reason and drop.level == "session"
        }
        if step.reason == NOT_TWO:
            dropped |= silent
        data = data.without(dropped, reason=step.reason, title=step.title, words=REASON_WORDS[step.reason])
    return data


def pairs_of(data: Data, plan: Plan) -> tuple[Pair, ...]:
    """The participants of cleaned data with both traces and their choice."""
    found, _ = collect.annotated(data, plan)
    chosen = collect.choices(data)
    by_session: dict[str, dict[int, int]] = {}
    for index, annotation in enumerate(found):
        by_session.setdefault(annotation.session, {})[annotation.place] = index
    traces, _ = windowed(found, collect.cleaning_of(plan))
    return tuple(
        Pair(session, traces[places[1]].annotation.tool, traces[places[1]], traces[places[2]], choice)
        for session, places in by_session.items()
        if set(places) == {1, 2} and (choice := chosen[session]) is not None
    )


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """The declared outcomes, `outcome:tool` each, on cleaned data."""
    pairs = pairs_of(data, plan)
    return {
        f"{outcome}:{tool}": test
        for tool in _tools(pairs)
        for outcome, test in _main(pairs, tool, plan).items()
    }


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """All sections, on cleaned data."""
    pairs = pairs_of(data, plan)
    found = [
        one
        for tool in _tools(pairs)
        for one in agreements(pairs, tool, epsilons=plan.option("epsilons"), level=plan.level)
    ]
    sections = [
        _choice_section(pairs, found, plan),
        _instrument_section(pairs, found, plan),
        _trace_section(pairs, plan),
        _people_section(data, pairs, plan),
    ]
    telemetry = overlaid(data, plan, pairs)
    return (*sections, telemetry) if telemetry is not None else tuple(sections)


def methods(data: Data, plan: Plan) -> str:
    """How traces were processed, in sentences."""
    cleaning = collect.cleaning_of(plan)
    rule = {
        "sign": "the sign of the mean",
        "mean": "the mean",
        "minmax": "the mean, scaled from its lowest to its highest",
    }
    return (
        f"Annotations were resampled to bins of {cleaning.step_ms:g} ms (mean within a bin; RankTrace and GTrace carried"
        f" forward, BTrace 0 where nothing was marked) and averaged over windows of {cleaning.window_ms / 1000:g} s. RankTraces"
        f" were scaled to [0, 1] per video; a BTrace window counts as {rule[cleaning.btrace_window]} of its marks, mapped to"
        " [0, 1]. Per tool, "
        "traces whose dynamic-time-warping distance to an untouched trace lay more than "
        f"{cleaning.outlier_sd:g} SD below the mean were dropped, then those whose summed distance to all others lay more than "
        f"{cleaning.outlier_sd:g} SD from its mean; participants without two valid traces and a final choice were dropped last. "
        "The choice (1 first, −1 second, 0 both or neither) was correlated (Pearson) with differences between the two rounds; "
        "intervals of r are jackknife intervals on the Fisher z scale."
    )


def _belongs(drop: Drop, step: Step) -> bool:
    """Whether a trace was dropped in this step; titles of steps and details of drops begin with the tool."""
    tool = step.title.partition(":")[0]
    return drop.reason == step.reason and drop.detail.startswith(f"{tool}:")


def _tools(pairs: Sequence[Pair]) -> tuple[Tool, ...]:
    present = {pair.tool for pair in pairs}
    return tuple(tool for tool in TOOLS if tool in present)


def _main(pairs: Sequence[Pair], tool: Tool, plan: Plan) -> dict[str, TestResult]:
    epsilon, centre = float(plan.option("epsilon")), _centre(plan)
    found = {
        outcome: one_agreement(pairs, tool, outcome, epsilon, centre, level=plan.level)
        for outcome in CORRELATED
    }
    between = _between_conditions([pair for pair in pairs if pair.tool == tool], plan)
    return found if between is None else found | {"condition": between}


def _centre(plan: Plan) -> Centre:
    return "neutral" if plan.option("centre") == "neutral" else "mean"


def _between_conditions(pairs: Sequence[Pair], plan: Plan) -> TestResult | None:
    """The paired difference of means between two conditions; None where there are not two."""
    named = sorted(
        {trace.annotation.condition for pair in pairs for trace in (pair.first, pair.second)} - {""}
    )
    if len(named) != 2:
        return None
    rows = [
        {trace.annotation.condition: float(trace.values.mean()) for trace in (pair.first, pair.second)}
        for pair in pairs
    ]
    both = [row for row in rows if set(row) == set(named)]
    return paired_t([row[named[0]] for row in both], [row[named[1]] for row in both], level=plan.level)


def _choice_section(pairs: Sequence[Pair], found: Sequence[Agreement], plan: Plan) -> Section:
    findings = [
        Finding(
            outcome,
            f"{next(one.title for one in OUTCOMES if one.name == outcome)}, {TOOL_NAMES[tool]}",
            _sentence(outcome, tool, test, plan),
            "exploratory",
            estimate=test.estimate,
            test=test,
            about=tool,
        )
        for tool in _tools(pairs)
        for outcome, test in _main(pairs, tool, plan).items()
    ]
    tables = [counts_table(found, centre, alpha=plan.alpha) for centre in CENTRES]
    tables.append(means_table(found, alpha=plan.alpha))
    tables.append(slopes_table(found, alpha=plan.alpha))
    other = _other_rule(pairs, plan)
    drawn, chart = pictures.by_epsilon(found)
    return Section(
        "choice",
        "Do traces agree with the final choice?",
        (
            f"{len(pairs)} participants have two valid traces and a final choice: "
            + listed(
                [f"{sum(p.tool == tool for p in pairs)} with {TOOL_NAMES[tool]}" for tool in _tools(pairs)]
            )
            + ". Positive correlations mean that the round with more of a measure was chosen.",
        ),
        tuple(findings),
        (*tables, *other, drawn),
        (chart,),
    )


def _other_rule(pairs: Sequence[Pair], plan: Plan) -> list[Table]:
    """The table of BTrace by the rule that the plan did not choose, on the same participants."""
    if not any(pair.tool == "btrace" for pair in pairs):
        return []
    rule = "mean" if plan.option("btrace_window") != "mean" else "sign"
    turned = by_rule(Cleaned((), tuple(pairs), (), (), {}, {}), rule)
    found = agreements(turned, "btrace", epsilons=plan.option("epsilons"), level=plan.level)
    note = f"BTrace windows by the rule `{rule}`, for the same participants as above."
    made = counts_table(found, "mean", alpha=plan.alpha, note=note)
    name, title = f"counts_mean_btrace_{rule}", f"{made.title} (BTrace windows: {rule})"
    return [replace(made, name=name, title=title)]


def _sentence(outcome: str, tool: Tool, test: TestResult, plan: Plan) -> str:
    if outcome == "condition":
        if test.estimate is None:
            return f"{TOOL_NAMES[tool]}: the conditions cannot be compared ({test.reason})."
        return (
            f"{TOOL_NAMES[tool]}: the mean of the trace differs between the conditions by "
            f"{estimate_words(test.estimate, 3)}; {test_words(test, 't')}; n = {test.n}."
        )
    if test.estimate is None or test.estimate.value is None:
        return f"{TOOL_NAMES[tool]}: the correlation with {_WORDS[outcome]} is undefined ({test.reason})."
    where = "" if outcome == "mean" else f" at ε = {plan.option('epsilon'):g}"
    return (
        f"{TOOL_NAMES[tool]}: the final choice correlates with {_WORDS[outcome]}{where}, "
        f"r = {estimate_words(test.estimate, 3)}, {p_words(test.p_value)}, n = {test.n}."
    )


def _instrument_section(pairs: Sequence[Pair], found: Sequence[Agreement], plan: Plan) -> Section:
    """How the tools compare, beside each other."""
    rows: list[tuple[Cell, ...]] = []
    for tool in _tools(pairs):
        mine = [pair for pair in pairs if pair.tool == tool]
        chosen = Counter(pair.choice for pair in mine)
        best = max(
            (
                one
                for one in found
                if one.tool == tool and one.test.estimate is not None and one.test.estimate.value is not None
            ),
            key=lambda one: abs(one.test.estimate.value or 0.0) if one.test.estimate else 0.0,
            default=None,
        )
        significant = sum(
            one.test.significant(plan.alpha)
            for one in found
            if one.tool == tool and one.measure in ("high", "low", "difference")
        )
        cells = sum(one.tool == tool and one.measure in ("high", "low", "difference") for one in found)
        strongest = None if best is None or best.test.estimate is None else best.test.estimate.value
        rows.append(
            (TOOL_NAMES[tool], len(mine), chosen[1], chosen[-1], chosen[0], significant, cells, strongest)
        )
    table = Table(
        "tools",
        "Annotation tools beside each other",
        (
            Column("tool", "Tool"),
            Column("n", "Participants", "integer"),
            Column("first", "First chosen", "integer"),
            Column("second", "Second chosen", "integer"),
            Column("neither", "Both or neither", "integer"),
            Column("significant", "Significant", "integer", about="Of H, L, D with p below alpha, over ε and centres."),
            Column("of", "of", "integer", about="Correlations of H, L, D looked at."),
            Column("strongest", "Strongest r", "number", 3, "The correlation furthest from 0 among all measures."),
        ),
        tuple(rows),
        "The strongest of many correlations is too strong by selection; it describes, it tests nothing.",
    )  # fmt: skip
    return Section("tools", "Tools compared", tables=(table,))


def _trace_section(pairs: Sequence[Pair], plan: Plan) -> Section:
    cleaning = collect.cleaning_of(plan)
    positive = [epsilon for epsilon in plan.option("epsilons") if epsilon > 0]
    shown, shown_chart = pictures.examples(
        pairs, cleaning, min(positive, key=lambda e: abs(e - 0.1), default=0.0), int(plan.option("examples"))
    )
    means, agreement, chart = pictures.group_means(pairs, cleaning)
    return Section(
        "traces",
        "Traces over time",
        tables=(agreement, means, shown, pictures.all_traces(pairs, cleaning)),
        charts=(chart, shown_chart) if shown.rows else (chart,),
    )


def _people_section(data: Data, pairs: Sequence[Pair], plan: Plan) -> Section:
    """Who took part: age, gender, how often they play."""
    rows: list[tuple[Cell, ...]] = []
    kept = {pair.session for pair in pairs}
    if data.has("age"):
        ages = data.number_by_session("age")
        known = np.array(
            [age for session, age in zip(data.sessions, ages, strict=True) if session in kept and age == age]
        )
        if len(known):
            spread = float(known.std(ddof=1)) if len(known) > 1 else None
            rows.append(("age", "mean", len(known), float(known.mean()), spread))
            rows.append(("age", f"{known.min():g} to {known.max():g}", len(known), None, None))
    for role in ("gender", "games"):
        if data.has(role):
            answers = [
                str(one)
                for session, one in zip(data.sessions, data.text_by_session(role), strict=True)
                if session in kept and one is not None
            ]
            rows += [
                (role, answer, count, count / len(answers), None)
                for answer, count in Counter(answers).most_common()
            ]
    table = Table(
        "demographics",
        "Age, gender, games",
        (
            Column("what", "Question"),
            Column("answer", "Answer"),
            Column("n", "n", "integer"),
            Column("value", "Mean or share", "number", 2),
            Column("sd", "SD", "number", 2),
        ),
        tuple(rows),
    )
    return Section("demographics", "Who they are", tables=(table,) if rows else ())


PROTOCOL = ProtocolAnalysis(TRACE, analyse, main, methods, clean)

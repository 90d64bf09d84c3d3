"""The analysis of `trace`: cleaning, main outcomes, sections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Drop, FlowStep, Section
from believable.analysis.procedure import Verb
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.settled_plan import Plan
from believable.analysis.trace_windows import cut_windows
from believable.protocols.trace import DECLARATION
from believable.protocols.trace.outcomes import by_time, choice_times, outcome_tests, tools_in
from believable.protocols.trace.round_telemetry import overlay_telemetry
from believable.protocols.trace.sections import (
    LAYOUTS,
    RULE_LABELS,
    choice_section,
    instrument_section,
    people_section,
    time_section,
    trace_section,
)
from believable.protocols.trace.trace_cleaning import (
    NOT_TWO,
    REASON_WORDS,
    Pair,
    annotated_rounds,
    choices,
    cleaning_of,
)
from believable.protocols.trace.trace_cleaning import clean as cleaned_of
from believable.protocols.trace.trace_figures import agreements


def clean(data: Data, plan: Plan) -> Data:
    """Without outlying traces and without participants who are left with fewer than two, or made no
    choice.
    """
    recorded, unknown = annotated_rounds(data, plan)
    cleaned = cleaned_of(recorded, choices(data), cleaning_of(plan))
    data = data.with_drops([*unknown, *(drop for drop in cleaned.drops if drop.level == "answer")])
    for step in cleaned.funnel[:-2]:
        mine = [drop for drop in cleaned.drops if _belongs(drop, step)]
        data = data.with_drops(mine, replace(step, reason=REASON_WORDS[step.reason]))
    seen = {annotation.session for annotation in recorded}
    silent = {session: "no trace was recorded" for session in data.sessions if session not in seen}
    for step in cleaned.funnel[-2:]:
        dropped = {
            drop.session: drop.detail
            for drop in cleaned.drops
            if drop.reason == step.reason and drop.level == "session"
        }
        if step.reason == NOT_TWO:
            dropped |= silent
        data = data.without(
            dropped, reason=step.reason, title=step.title, words=REASON_WORDS[step.reason]
        )
    return data


def pairs_of(data: Data, plan: Plan) -> tuple[Pair, ...]:
    """The participants of cleaned data with both traces and their choice."""
    recorded, _ = annotated_rounds(data, plan)
    chosen = choices(data)
    by_session: dict[str, dict[int, int]] = {}
    for index, annotation in enumerate(recorded):
        by_session.setdefault(annotation.session, {})[annotation.place] = index
    traces, _ = cut_windows(recorded, cleaning_of(plan))
    return tuple(
        Pair(
            session=session,
            tool=traces[places[1]].annotation.tool,
            first=traces[places[1]],
            second=traces[places[2]],
            choice=choice,
        )
        for session, places in by_session.items()
        if set(places) == {1, 2} and (choice := chosen[session]) is not None
    )


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """The declared outcomes, `outcome:tool` each, on cleaned data."""
    pairs = pairs_of(data, plan)
    tests = {
        f"{outcome}:{tool}": test
        for tool in tools_in(pairs)
        for outcome, test in outcome_tests(pairs, tool, plan).items()
    }
    times = choice_times(data, plan)
    return tests | {
        f"choice_time:{tool}": test
        for tool in tools_in(pairs)
        for _, test in [by_time(pairs, times, tool, plan)]
        if test
    }


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """All sections, on cleaned data."""
    pairs = pairs_of(data, plan)
    correlations = [
        agreement
        for tool in tools_in(pairs)
        for agreement in agreements(pairs, tool, epsilons=plan.option("epsilons"), level=plan.level)
    ]
    sections = [
        choice_section(pairs, correlations, plan),
        instrument_section(pairs, plan),
        trace_section(pairs, plan),
        people_section(data, pairs, plan),
    ]
    times = choice_times(data, plan)
    if times:
        sections.insert(2, time_section(pairs, times, plan))
    telemetry = overlay_telemetry(data, plan, pairs)
    return (*sections, telemetry) if telemetry is not None else tuple(sections)


def methods(data: Data, plan: Plan, verb: Verb) -> str:
    """How traces were processed, in sentences."""
    cleaning = cleaning_of(plan)
    be = verb("were", "will be")
    return LAYOUTS.paragraph(
        "methods.md", be=be, cleaning=cleaning, rule=RULE_LABELS[cleaning.btrace_window], verb=verb
    )


def _belongs(drop: Drop, step: FlowStep) -> bool:
    """Return whether a trace was dropped in this step."""
    return (drop.reason, drop.branch) == (step.reason, step.branch)


ANALYSIS = ProtocolAnalysis(
    declaration=DECLARATION, analyse=analyse, main=main, methods=methods, clean=clean
)

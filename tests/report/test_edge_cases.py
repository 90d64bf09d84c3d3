"""What reports claim when there is almost nothing to report: nobody, one or two people, a condition
that nobody saw, everybody alike. Every printed statistic is that of a record, every claim has its
record, and no word is one of the code.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from believable.analysis.findings import Analysis
from believable.analysis.run import run
from believable.bundle.memory import bundle
from believable.contracts.registries import PROTOCOLS
from believable.simulate import straight
from believable.simulate.simulated_sessions import Conduct
from believable.study.definition import Definition
from believable.study.load import load

from .test_every_statistic import (
    FIVE,
    analysed,
    check_cells,
    check_own_records,
    check_statistics,
    text_of,
)

Tables = dict[str, list[dict[str, Any]]]
CAREFUL = Conduct(drop_out=0, careless=0, hasty=0)


@cache
def definition_of(protocol: str) -> Definition:
    return load(PROTOCOLS[protocol].folder)


def tables_of(protocol: str, people: int) -> Tables:
    if not people:
        return {}
    sessions = straight.sessions(
        definition_of(protocol), people, np.random.default_rng(5), conduct=CAREFUL
    )
    made = sessions.bundle()
    return {name: [dict(row) for row in table.rows()] for name, table in made.tables.items()}


def nobody(protocol: str) -> Tables:
    return tables_of(protocol, 0)


def one(protocol: str) -> Tables:
    return tables_of(protocol, 1)


def two(protocol: str) -> Tables:
    return tables_of(protocol, 2)


def condition_missing(protocol: str) -> Tables:
    """Nobody saw the last condition."""
    gone = (
        definition_of(protocol).study.conditions[-1]
        if definition_of(protocol).study.conditions
        else ""
    )
    stimuli = {
        stimulus.id
        for stimulus in definition_of(protocol).study.stimuli
        if stimulus.condition == gone
    }
    tables = tables_of(protocol, 8)
    return {
        name: [
            row
            for row in rows
            if row.get("condition") != gone and row.get("stimulus") not in stimuli
        ]
        for name, rows in tables.items()
    }


def all_alike(protocol: str) -> Tables:
    """Everybody gives the first answer to each question, draws the same flat trace and flags
    nothing.
    """
    tables = tables_of(protocol, 8)
    first: dict[tuple[Any, Any], dict[str, Any]] = {}
    for row in tables.get("answers", []):
        kept = first.setdefault((row["trial"], row["question"]), row)
        row["value_number"], row["value_text"] = kept["value_number"], kept["value_text"]
    for row in tables.get("traces", []):
        row["value"] = 1.0
    tables["flags"] = []
    return tables


CASES: dict[str, Callable[[str], Tables]] = {
    "nobody": nobody,
    "one": one,
    "two": two,
    "condition_missing": condition_missing,
    "all_alike": all_alike,
}


@cache
def edge(protocol: str, case: str) -> Analysis:
    definition = definition_of(protocol)
    plan = definition.study.analysis
    assert plan is not None
    known = {option.name for option in PROTOCOLS[protocol].declaration.options}
    quick = {
        name: value
        for name, value in {"resamples": 200, "criterion_studies": 20}.items()
        if name in known
    }
    plan = plan.model_copy(update={"options": {**plan.options, **quick}})
    return run(bundle(CASES[case](protocol), definition), plan=plan)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("protocol", FIVE)
def test_the_report_of_an_edge_case_is_made_and_says_only_what_is(protocol: str, case: str) -> None:
    analysis = edge(protocol, case)
    check_hypotheses(analysis, protocol)
    check_statistics(analysis, text_of(analysis), some=False)
    check_own_records(analysis)
    check_cells(analysis)
    check_claims(analysis)
    check_words(text_of(analysis))


@pytest.mark.parametrize("protocol", FIVE)
def test_the_five_reports_say_only_what_is(protocol: str) -> None:
    analysis = analysed(protocol)
    check_hypotheses(analysis, protocol)
    check_claims(analysis)
    check_words(text_of(analysis))


def check_hypotheses(analysis: Analysis, protocol: str) -> None:
    """Every declared hypothesis has its row, with a verdict in words."""
    plan = definition_of(protocol).study.analysis
    assert plan is not None
    assert {row.id for row in analysis.hypotheses} == {
        hypothesis.id for hypothesis in plan.hypotheses
    }
    for row in analysis.hypotheses:
        assert re.match(
            r"(not )?met( for these \w+ clips)?: |not judged: |cannot be judged, because ",
            row.verdict,
        ), row.verdict
        assert f"{row.id}" in analysis.results


def check_claims(analysis: Analysis, alpha: float = 0.05) -> None:
    """What a sentence claims is what its record holds."""
    for finding in analysis.findings:
        test, p = finding.test, finding.p_adjusted
        if p is None:
            p = None if test is None else test.p_value
        for words, holds in (
            (": significant at", finding.kind == "estimate" and p is not None and p < alpha),
            (": not significant at", finding.kind == "estimate" and p is not None and p >= alpha),
            ("equivalence is shown", finding.kind == "equivalence" and p is not None and p < alpha),
            (
                "equivalence is not shown",
                finding.kind == "equivalence" and p is not None and p >= alpha,
            ),
        ):
            if words in finding.sentence:
                assert holds, finding.sentence
        if "passes by the published criterion" in finding.sentence:
            assert finding.estimate is not None
            assert finding.estimate.contains(0.5)
    for row in analysis.hypotheses:
        lead = next(
            part
            for part in analysis.results.split("\n\n")
            if part.startswith((f"{row.id},", f"{row.id} "))
        )
        assert ("is supported:" in lead) == (row.supported is True)
        assert ("is not supported" in lead) == (row.supported is False)


#: What only the code says: names with underscores, terms with brackets, raw values and errors.
_CODE_WORDS = (
    re.compile(r"\b[a-z][a-z0-9]*_[a-z0-9_]+\b"),
    re.compile(r"\b[a-z]+\[[a-z_]+\]"),
    re.compile(
        r"without variance|got \[|got \(|\bNone\b(?! of)|\bnan\b|\binf\b|−∞|∞|InvalidInput|Leave"
        r" terms out|[a-z]\(s\)"
    ),
    re.compile(r"optimiser:|\bg0\b"),
    re.compile(
        r"\b1 (?:texts|judges|people|sessions|participants|simulated sessions|annotators|replays) "
    ),
)


def check_words(text: str) -> None:
    body = text[text.index("At a glance") :]
    for pattern in _CODE_WORDS:
        for match in pattern.finditer(body):
            raise AssertionError(
                f"{match.group()!r} in …{body[max(0, match.start() - 90) : match.end() + 40]}…"
            )

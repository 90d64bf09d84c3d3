"""Nobody, one person, two, a condition that nobody saw, everybody alike: every hypothesis keeps its
row, with the reason.
"""

from __future__ import annotations

from typing import Any

import pytest

from believable.analysis import procedure
from believable.analysis.findings import Analysis
from believable.analysis.run import run
from believable.bundle import memory
from believable.protocols.templates import TEMPLATES
from believable.report.page import page
from believable.study.load import load

CONDITIONS = ("first", "second", "third")


def study(
    people: int, conditions: tuple[str, ...] = CONDITIONS, rating: int | None = None
) -> Analysis:
    answers: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for person in range(people):
        for place, condition in enumerate(conditions):
            page = {
                "session": f"s{person}",
                "position": place,
                "trial": "clip",
                "condition": condition,
            }
            value = rating if rating is not None else 1 + (person * 3 + place * 2) % 7
            answers.append(
                {
                    **page,
                    "question": "humanness",
                    "kind": "likert",
                    "value_number": value,
                    "stimulus": f"n_{condition}",
                }
            )
            answers.append(
                {**page, "question": "why", "kind": "long_text", "value_text": "it moved"}
            )
        for place, (left, right) in enumerate(
            (("first", "second"), ("first", "third"), ("second", "third")), start=5
        ):
            if left in conditions and right in conditions:
                page = {"session": f"s{person}", "position": place, "trial": f"{left}_{right}"}
                side = "first" if rating is not None or (person + place) % 3 else "second"
                answers.append(
                    {**page, "question": "preferred", "kind": "preference", "value_text": side}
                )
                shown += [
                    {**page, "player": player, "condition": name}
                    for player, name in enumerate((left, right))
                ]
    definition = load(TEMPLATES["blank"].folder)
    tables = {
        "participants": [{"session": f"s{person}"} for person in range(people)],
        "answers": answers,
        "shown": shown,
    }
    assert definition.study.analysis is not None
    plan = definition.study.analysis.model_copy(
        update={"stopping": None}
    )  # tests of hypotheses are shown
    return run(memory.bundle(tables, definition), plan=plan)


CASES = {
    "nobody": study(0),
    "one person": study(1),
    "two people": study(2),
    "no third condition": study(12, ("first", "second")),
    "everybody alike": study(12, rating=4),
    "enough": study(45),
}


@pytest.mark.parametrize("name", CASES)
def test_every_hypothesis_has_its_row(name: str) -> None:
    analysis = CASES[name]
    rows = {
        part
        for finding in analysis.findings
        if finding.hypothesis
        for part in finding.hypothesis.split(", ")
    }
    assert rows == {"H1", "H2", "H3"}
    assert all(finding.sentence.endswith(".") for finding in analysis.findings)


@pytest.mark.parametrize("name", CASES)
def test_a_cell_without_a_number_says_why(name: str) -> None:
    for table in CASES[name].tables:
        if not table.name.startswith(("humanness", "preferred")):
            continue
        for row, cells in enumerate(table.rows):
            for column, cell in zip(table.columns, cells, strict=True):
                assert cell is not None or table.undefined.get((row, column.name)), (
                    table.name,
                    row,
                    column.name,
                )


def test_a_condition_that_nobody_saw_is_named() -> None:
    analysis = CASES["no third condition"]
    h1 = next(finding for finding in analysis.findings if finding.hypothesis == "H1")
    assert "there is no judgement of third" in h1.sentence
    assert any("third" in warning for warning in analysis.warnings)


def test_everybody_alike_is_no_result() -> None:
    h1 = next(
        finding for finding in CASES["everybody alike"].findings if finding.hypothesis == "H1"
    )
    assert h1.supported is None
    assert h1.test is not None
    assert h1.test.reason


def test_methods_tell_what_was_asked_and_results_are_in_units() -> None:
    analysis = CASES["enough"]
    assert (
        "Participants were asked: “How human-like did the player act?” (1 to 7, not at all"
        " human-like to" in analysis.methods
    )
    assert "“Which one acted more like a person?”" in analysis.methods
    assert {row.id: row.unit for row in analysis.hypotheses} == {
        "H1": "difference of means",
        "H2": "share of decided choices",
        "H3": "difference of means",
    }


def test_a_design_of_ones_own_is_not_called_a_protocol() -> None:
    document = page(CASES["enough"], draw=lambda spec: "<svg></svg>", script=lambda: "").html
    assert '<p class="eyebrow">Report · own design</p>' in document


def test_a_table_says_which_p_are_one_sided_and_which_rows_nobody_foretold() -> None:
    notes = {
        table.name: table.note for section in CASES["enough"].sections for table in section.tables
    }
    assert (
        "One-sided, as their hypotheses are: p of first − second and first − third; the others are"
        " two-sided. Without a hypothesis, and therefore exploratory: second − third."
        in notes["humanness_contrasts"]
    )
    assert (
        notes["preferred_pairs"]
        == "One-sided, as their hypotheses are: p of first over third; the others are two-sided."
        " Without a hypothesis, and therefore exploratory: first over second and second over third."
    )


def test_stimuli_of_no_condition_are_counted_with_the_others() -> None:
    blank = load(TEMPLATES["blank"].folder).study
    practice = blank.stimuli[0].model_copy(update={"id": "practice", "condition": None})
    told = procedure.stimuli(
        blank.model_copy(update={"stimuli": (*blank.stimuli, practice)}), {}, lambda past, _: past
    )
    assert (
        next(told)
        == "There were 13 stimuli: 4 of first, 4 of second, 4 of third and 1 of no condition."
    )

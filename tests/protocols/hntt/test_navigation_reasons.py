"""Coded reasons in the report: simulated texts, simulated coders, shares per side and group."""

from __future__ import annotations

import copy
import random

import pytest

from believable.analysis.run import run
from believable.bundle.memory import bundle
from believable.coding.phrases import simulated_answer
from believable.coding.responses import SessionTexts, prompts_of, responses_of
from believable.study.codebook import Codebook, resolve_codebook
from tests.coding.simulated_coding import simulate_coding


@pytest.fixture(scope="module")
def coded(studies):
    tree = copy.deepcopy(studies.COMPARING)
    tree["codebooks"] = [{"id": "reasons", "ready": "hntt", "of": ["pairs.why"]}]
    kept = {}

    def write(tables):
        rng = random.Random(1)
        for row in tables["answers"]:
            if row["question"] == "why":
                row["value_text"] = simulated_answer("hntt", rng)
        kept.update(tables)

    made = studies.judges(40, seed=2, accuracy=0.7, tree=tree, change=write)
    definition = studies.definition_of(tree)
    responses = []
    for session in {row["session"] for row in kept["participants"]}:
        rows = {
            name: [row for row in made[name].rows() if row["session"] == session]
            for name in ("answers", "shown")
        }
        texts = SessionTexts(rows["answers"], [], rows["shown"], [])
        responses += responses_of(texts, prompts_of(definition, "en"), ["pairs.why"])
    book = Codebook.model_validate({"id": "reasons", "ready": "hntt", "of": ("pairs.why",)})
    rows = simulate_coding(book, responses, phrases="hntt", seed=1)
    tables = {**kept, **{name: list(part) for name, part in asdict_rows(rows).items()}}
    return run(bundle(tables, definition))


def asdict_rows(rows):
    return {"codes": rows.codes, "code_labels": rows.labels, "code_final": rows.final}


def test_shares_of_a_side_add_up_to_one(coded):
    table = next(table for table in coded.tables if table.name == "reasons_reasons_overall")
    sides = {row[0] for row in table.rows}
    assert sides == {"more human-like", "less human-like"}
    for side in sides:
        assert sum(row[5] for row in table.rows if row[0] == side) == pytest.approx(1)


def test_groups_are_agents_and_judges_by_accuracy(coded):
    table = next(table for table in coded.tables if table.name == "reasons_reasons_groups")
    assert {(row[0], row[1]) for row in table.rows} == {
        ("agent", "agent"),
        ("judges", "high accuracy"),
        ("judges", "low accuracy"),
    }


def test_agreement_of_the_coders_is_beside(coded):
    table = next(table for table in coded.tables if table.name == "reasons_reasons_kappa")
    assert table.rows[-1][0] == "Average"
    assert table.rows[-1][2] > 0.6


def test_the_sentence_counts_texts_and_tests(coded):
    (finding,) = [finding for finding in coded.findings if finding.outcome == "reasons"]
    assert "adjusted by Benjamini and Hochberg" in finding.sentence


def test_nothing_was_coded(studies):
    assert not any(
        section.name.startswith("reasons") for section in run(studies.judges(4)).sections
    )


def test_accurate_and_other_judges_stand_side_by_side_in_a_figure(coded):
    """The published figure: a panel for each side, both groups of judges beside each other in
    it.
    """
    chart = next(
        chart
        for section in coded.sections
        for chart in section.charts
        if chart.name == "reasons_reasons_judges"
    )
    assert (chart.kind, chart.use["colour"], chart.use["facet"]) == ("bars", "group", "side")
    table = next(table for table in coded.tables if table.name == chart.table)
    assert set(table.column("group")) == {"high accuracy", "low accuracy"}
    assert {*chart.use.values()} <= {column.name for column in table.columns}


def test_the_codes_are_defined_with_an_example_each(coded):
    """The published table of codes: name, shorthand, definition, words, example."""
    table = next(table for table in coded.tables if table.name == "reasons_reasons_codes")
    assert [column.name for column in table.columns] == [
        "code",
        "short",
        "definition",
        "keywords",
        "example",
    ]
    codes = resolve_codebook(Codebook.model_validate({"id": "reasons", "ready": "hntt"})).codes
    assert [row[0] for row in table.rows] == [code.label for code in codes]
    for row, code in zip(table.rows, codes, strict=True):
        assert row[2] == code.definition
        assert all(example in row[4] for example in code.examples)
    assert sum(bool(row[4]) for row in table.rows) >= 6

"""The whole analysis of clip ratings: golden tables, incomplete responses, the validity warning."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from believable.analysis.run import run
from believable.protocols.clips import analysis as clips


@pytest.fixture(scope="module")
def analysis(studies):
    return run(studies.ratings(30, seed=3))


TABLES = (
    "indices",
    "contrasts",
    "recall",
    "precision",
    "answers",
    "experience",
    "detection",
    "clips",
    "views",
    "comments",
    "published",
    "comments_mistaken",
)


@pytest.mark.parametrize("name", TABLES)
def test_golden(analysis, same_as_golden, name):
    same_as_golden("clips", next(table for table in analysis.tables if table.name == name))


def test_no_table_is_forgotten(analysis):
    assert {table.name for table in analysis.tables} == set(TABLES)


def test_every_chart_draws_columns_of_its_table(analysis):
    tables = {table.name: {column.name for column in table.columns} for table in analysis.tables}
    for section in analysis.sections:
        for chart in section.charts:
            assert set(chart.use.values()) <= tables[chart.table], chart.name


def test_every_gap_has_its_reason(analysis):
    for table in analysis.tables:
        for place, row in enumerate(table.rows):
            for column, cell in zip(table.columns, row, strict=True):
                assert cell is not None or table.undefined.get((place, column.name)), (
                    table.name,
                    place,
                    column.name,
                )


def test_incomplete_responses_are_discarded_and_counted(studies):
    def change(tables):
        rows = [row for row in tables["answers"] if row["question"] == "rating"]
        next(row for row in rows if row["session"] == "r0001")["value_number"] = None
        next(
            row
            for row in tables["answers"]
            if row["session"] == "r0002" and row["question"] == "experience"
        )["value_number"] = None

    made = run(studies.ratings(8, change=change))
    assert {(drop.session, drop.reason, drop.detail) for drop in made.drops} == {
        ("r0001", "incomplete_response", "1 of 12 clips not rated"),
        ("r0002", "incomplete_response", "no answer about experience"),
    }
    assert (made.funnel[-1].before, made.funnel[-1].after) == (8, 6)
    assert next(table for table in made.tables if table.name == "indices").column("ratings") == (
        24,
        24,
        24,
    )


def test_pages_of_one_composition_get_a_validity_warning(studies, analysis):
    assert any(
        words.startswith("Validity: every page held 1 human, 1 imitation and 1 artificial")
        for words in analysis.warnings
    )

    def mixed(tables):
        for name in ("answers", "shown"):
            for row in tables[name]:
                if row["position"] == 1 if "position" in row else False:
                    row["condition"] = "human"

    made = run(studies.ratings(8, change=mixed))
    assert not any("elimination" in words for words in made.warnings)


def test_the_plan_decides_which_hypothesis_is_met(analysis):
    verdicts = {
        finding.hypothesis: (finding.about, finding.supported)
        for finding in analysis.findings
        if finding.hypothesis
    }
    assert set(verdicts) == {"H1", "H2"}
    assert verdicts["H1"][0] == "human-imitation"


def test_equivalence_is_only_told_where_it_is_of_interest(analysis):
    told = {finding.about for finding in analysis.findings if finding.kind == "equivalence"}
    assert told == {"human-imitation"}


def test_clips_that_differ_carry_no_verdict_about_their_types_in_the_report(studies):
    """One of four imitations is taken for artificial by everybody. Other clips might be taken for
    human.
    """
    other = {"i0": 5.0}

    def change(tables):
        for row in tables["answers"]:
            if row["question"] == "rating" and row["condition"] in ("human", "imitation"):
                row["value_number"] = other.get(row["stimulus"], 1.0 + int(row["session"][1:]) % 2)

    tree = copy.deepcopy(studies.RATING)
    tree["analysis"] |= {"about": "these clips", "hypotheses": []}
    found = {}
    for about, options in (("agent", {}), ("these clips", {"tree": tree})):
        made = run(studies.ratings(30, seed=3, change=change, **options))
        found[about] = next(
            one
            for one in made.findings
            if (one.outcome, one.about, one.kind) == ("contrast", "human-imitation", "estimate")
        )
    assert found["these clips"].test.p_value < 1e-6
    assert found["these clips"].sentence.startswith("For these ")
    assert found["agent"].test.p_value > 0.2
    assert "clips (" in found["agent"].sentence, "most of the variance is that of clips"


@pytest.mark.parametrize("turned", [False, True])
def test_a_contrast_names_the_type_that_is_taken_for_more_human(studies, turned):
    def change(tables):
        human, artificial = (5.0, 1.0) if turned else (1.0, 5.0)  # 1 says human, 5 says artificial
        for row in tables["answers"]:
            if row["question"] == "rating" and row["condition"] in ("human", "artificial"):
                row["value_number"] = human if row["condition"] == "human" else artificial

    made = run(studies.ratings(12, seed=3, change=change))
    finding = next(
        one for one in made.findings if (one.outcome, one.about) == ("contrast", "human-artificial")
    )
    more, less = ("artificial", "human") if turned else ("human", "artificial")
    assert (
        finding.direction.meaning(finding.estimate)
        == f"{more} clips are taken for more human than {less} ones"
    )


def test_a_study_with_two_types(studies):
    tree = copy.deepcopy(studies.RATING)
    tree["conditions"] = ["human", "artificial"]
    tree["stimuli"] = [one for one in tree["stimuli"] if one["condition"] != "imitation"]
    tree["analysis"]["hypotheses"] = []

    def change(tables):
        for name in ("answers", "shown"):
            tables[name] = [row for row in tables[name] if row.get("condition") != "imitation"]

    made = run(studies.ratings(10, tree=tree, change=change))
    contrasts = next(table for table in made.tables if table.name == "contrasts")
    assert contrasts.column("contrast") == ("human-artificial",)


def test_main_is_what_the_sections_say(studies):
    made = studies.ratings(20, seed=3)
    data, plan = studies.data_of(made)
    main = clips.main(clips.clean(data, plan), plan, np.random.default_rng(1))
    findings = {
        (finding.outcome, finding.about): finding
        for finding in run(made).findings
        if finding.kind == "estimate"
    }
    assert main["believability.human"].value == findings["believability", "human"].estimate.value
    assert (
        main["contrast.human-imitation"].p_value
        == findings["contrast", "human-imitation"].test.p_value
    )
    assert main["confidence"].value == findings["confidence", ""].estimate.value
    assert main["recall.artificial"] == findings["recall", "artificial"].estimate


@pytest.mark.parametrize("n", [0, 1, 2])
def test_almost_nobody(studies, n):
    made = run(studies.ratings(n))
    assert len(made.sections) >= 2
    if n == 0:
        assert made.sections[1].paragraphs == ("No rating is left: there is nothing to say.",)


def test_the_published_form_says_what_the_other_tables_say(analysis):
    tables = {table.name: table for table in analysis.tables}
    published = tables["published"]
    assert published.column("b") == tables["indices"].column("b")
    assert published.column("recall") == tables["recall"].column("recall")
    precise = tables["precision"].column("precision")
    assert [share for share in published.column("precision") if share != ""] == list(precise)


def test_comments_on_imitations_taken_for_human_come_with_experience(analysis):
    tables = {table.name: table for table in analysis.tables}
    mistaken = [
        row for row in tables["comments"].rows if row[0] == "imitation" and row[2] in (1, 2)
    ]
    assert sorted(tables["comments_mistaken"].rows, key=str) == sorted(
        ((row[3], row[4]) for row in mistaken), key=str
    )
    experience = [row[0] for row in tables["comments_mistaken"].rows]
    assert experience == sorted(experience, reverse=True)

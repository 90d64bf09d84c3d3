"""The whole analysis of comparisons: golden tables, what it says and what it never says, several
agents, undefined cases.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from believable.analysis.run import run
from believable.protocols.hntt import analysis as hntt
from believable.protocols.hntt.agent_verdict import averages
from believable.protocols.hntt.navigation_judgements import agents, judgements


def two_agents(studies):
    tree = copy.deepcopy(studies.COMPARING)
    tree |= {"conditions": ["human", "agent", "other"], "arms": {"panel": ["lab", "online"]}}
    tree["analysis"]["options"]["subsample"] = 20
    tree["analysis"]["options"]["subsamples"] = 10
    tree["analysis"]["options"]["criterion_studies"] = 400

    def spread(tables):
        for place, row in enumerate(tables["participants"]):
            row["arm_panel"] = ("lab", "online")[place % 2]

    return studies.judges(
        40, seed=3, accuracy=0.62, agents=("agent", "other"), tree=tree, change=spread
    )


@pytest.fixture(scope="module")
def analysis(studies):
    return run(two_agents(studies))


TABLES = (
    "accuracy",
    "decision",
    "variance",
    "accuracy_judges",
    "clustered",
    "subsampling",
    "pairs",
    "uncertainty",
    "familiarity",
    "familiarity_fit",
    "strength",
    "groups",
    "criterion",
)


@pytest.mark.parametrize("name", TABLES)
def test_golden(analysis, same_as_golden, name):
    same_as_golden("hntt", next(table for table in analysis.tables if table.name == name))


def test_no_table_is_forgotten(analysis):
    assert {table.name for table in analysis.tables} == {*TABLES, "balance"}


def test_every_chart_draws_columns_of_its_table(analysis):
    tables = {table.name: {column.name for column in table.columns} for table in analysis.tables}
    for section in analysis.sections:
        for chart in section.charts:
            assert set(chart.use.values()) <= tables[chart.table], chart.name


def test_the_same_data_give_the_same_numbers(analysis, studies):
    assert run(two_agents(studies)) == analysis


def test_every_interval_states_its_method_and_every_gap_its_reason(analysis):
    for finding in analysis.findings:
        for estimate in (finding.estimate, finding.test and finding.test.estimate):
            assert estimate is None or estimate.method
    for table in analysis.tables:
        for place, row in enumerate(table.rows):
            for column, cell in zip(table.columns, row, strict=True):
                assert cell is not None or table.undefined.get((place, column.name)), (
                    table.name,
                    place,
                    column.name,
                )


def said(made):
    return " ".join(
        [made.results, made.methods, *(finding.sentence for finding in made.findings)]
    ).lower()


def test_passing_is_never_called_indistinguishable(studies):
    words = said(run(studies.judges(60, seed=4, accuracy=0.5)))
    assert "the agent passes by the published criterion" in words
    assert "does not by itself show" in words
    assert "indistinguish" not in words


def test_telling_apart_and_equivalence_are_two_questions(studies):
    apart = run(studies.judges(60, seed=5, accuracy=0.85))
    verdicts = {finding.hypothesis: finding.supported for finding in apart.findings}
    assert (verdicts["H1"], verdicts["H2"], verdicts["H3"]) == (True, False, False)
    alike = run(studies.judges(300, seed=5, accuracy=0.5))
    verdicts = {finding.hypothesis: finding.supported for finding in alike.findings}
    # The interval of the median has no width: no verdict by the published criterion.
    assert (verdicts["H1"], verdicts["H2"], verdicts["H3"]) == (False, None, True)


def test_an_accuracy_below_chance_is_taken_for_the_human(studies):
    """Judges are wrong three times out of four: that is not the verdict on an agent that everybody
    recognises.
    """
    wrong = run(studies.judges(40, seed=5, accuracy=0.25))
    sentences = {finding.title.partition(",")[0]: finding.sentence for finding in wrong.findings}
    assert "taken for the human more often than the human" in sentences["Accuracy"]
    assert (
        "the agent is taken for the human more often than the human"
        in sentences["Published criterion"]
    )
    assert "does not pass" not in said(wrong)
    table = next(table for table in wrong.tables if table.name == "accuracy")
    assert table.column("verdict") == ("taken for the human more often than the human",)


def test_every_verdict_about_these_clips_says_so_and_has_a_variance_split(studies):
    tree = {
        **studies.COMPARING,
        "analysis": {**studies.COMPARING["analysis"], "about": "these clips"},
    }
    these = run(studies.judges(60, seed=5, accuracy=0.85, tree=tree))
    judged = [
        finding for finding in these.findings if finding.outcome in ("accuracy", "median_accuracy")
    ]
    assert len(judged) == 3
    for finding in judged:
        assert finding.sentence.startswith("For these six clips: ")
        for sentence in finding.sentence.split(". ")[1:]:
            assert "these six clips" in sentence, sentence
    for row in these.hypotheses:
        assert "for these six clips" in row.verdict, row
    assert "supported for these six clips" in these.results
    agent = run(studies.judges(60, seed=5, accuracy=0.85))
    for made in (these, agent):
        accuracy = [finding for finding in made.findings if finding.outcome == "accuracy"]
        assert all("variance is made of judges (" in finding.sentence for finding in accuracy)
    assert agent.findings[0].test.df == (5.0,)


def test_judges_with_different_numbers_of_trials_are_named(studies):
    made = studies.judges(30, seed=3)
    data, plan = studies.data_of(made)
    (contest,) = agents(judgements(data), plan.roles["human"])
    keep = (contest.judge % 2 == 0) | (contest.pair == contest.pair[0])
    unequal = replace(
        contest, correct=contest.correct[keep], judge=contest.judge[keep], pair=contest.pair[keep]
    )
    row, sentence = averages(unequal)
    assert row[2:4] == (1, 6)
    assert row[4] != pytest.approx(row[6])
    assert "from 1 to 6" in sentence
    assert averages(contest) is None


def test_few_judges_pass_but_show_no_equivalence(studies):
    tree = {
        **studies.COMPARING,
        "analysis": {**studies.COMPARING["analysis"], "stopping": {"rule": "complete", "n": 8}},
    }
    few = run(studies.judges(8, seed=6, accuracy=0.5, tree=tree))
    assert {row.id: row.supported for row in few.hypotheses if row.id != "H1"} == {
        "H2": True,
        "H3": False,
    }
    assert "the agent passes by the published criterion" in few.results


def test_nobody_passes_before_the_stopping_rule_is_met(studies):
    early = run(studies.judges(2, seed=6, accuracy=0.5))
    assert {row.verdict for row in early.hypotheses} == {"not judged: the stopping rule is not met"}
    words = " ".join([early.results, *(finding.sentence for finding in early.findings)]).replace(
        "“The agent passes”", ""
    )
    assert "passes" not in words
    table = next(table for table in early.tables if table.name == "accuracy")
    assert table.column("verdict") == (None,)


def test_main_is_what_the_sections_say(studies):
    made = studies.judges(40, seed=3)
    data, plan = studies.data_of(made)
    main = hntt.main(data, plan, np.random.default_rng(1))
    findings = {(finding.outcome, finding.kind): finding for finding in run(made).findings}
    assert main["accuracy"] == findings["accuracy", "estimate"].estimate
    assert main["accuracy_test"].p_value == findings["accuracy", "estimate"].test.p_value
    assert main["equivalence"].p_value == findings["accuracy", "equivalence"].test.p_value
    assert main["median_accuracy_bootstrap"].value == main["median_accuracy"].value


@pytest.mark.parametrize("n", [0, 1, 2])
def test_almost_nobody(studies, n):
    made = run(studies.judges(n))
    assert len(made.sections) >= 2
    for finding in made.findings:
        assert finding.sentence
    if n == 0:
        assert "No session is left after exclusions." in made.warnings
        assert "No judgement of a human against an agent is left" in made.sections[1].paragraphs[0]


def test_a_study_without_certainty_and_familiarity(studies):
    tree = copy.deepcopy(studies.COMPARING)
    compare = tree["timeline"][1]["block"]["each"][0]["compare"]
    compare["ask"] = compare["ask"][:1]
    del tree["timeline"][0]
    tree["analysis"]["outcomes"]["secondary"] = []

    def change(tables):
        tables["answers"] = [row for row in tables["answers"] if row["question"] == "which"]

    made = run(studies.judges(12, tree=tree, change=change))
    assert {section.name for section in made.sections} == {
        "participants",
        "accuracy",
        "criterion",
        "robustness",
        "pairs",
    }

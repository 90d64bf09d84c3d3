"""Blinded results: the same numbers, and no way to tell which condition is which."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from believable.analysis.data import load as load_data
from believable.analysis.findings import Analysis, Column, Finding, Section, Table
from believable.analysis.registered import Registration, plan_hash, tree_of
from believable.analysis.resolution import resolve
from believable.analysis.result_files import results_json
from believable.analysis.run import run, study_of
from believable.bundle.read import Bundle
from believable.protocols import READY_STUDIES
from believable.protocols.templates import TEMPLATES
from believable.report import blind
from believable.report.blind import (
    UNJUDGED,
    WITHHELD,
    blinded_bundle,
    blinded_run,
    hide_names,
    letters,
)
from believable.simulate import straight
from believable.study.load import load
from tests.quick_studies import simulate_little


def simulated(protocol: str, folder: Path) -> Bundle:
    READY_STUDIES[protocol].copy(folder)
    if protocol == "hntt":
        simulate_little(folder)
    definition = load(folder)
    return straight.bundle(definition, 30, np.random.default_rng(3))


@pytest.fixture(scope="module")
def hntt(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return simulated("hntt", tmp_path_factory.mktemp("hntt") / "study")


def values(analysis: Analysis) -> list[float]:
    found = [
        finding.estimate.value for finding in analysis.findings if finding.estimate is not None
    ]
    return sorted(value for value in found if value is not None)


def test_letters_are_drawn_from_the_definition(hntt: Bundle) -> None:
    assert sorted(letters(hntt).values()) == ["A", "B"]
    assert letters(hntt) == letters(hntt)


def test_letters_follow_no_order_of_the_study(
    hntt: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first condition is A for about as many definitions as it is B."""
    _, study = study_of(hntt)
    assert study is not None
    drawn = []
    for number in range(40):
        monkeypatch.setattr(blind, "study_of", lambda bundle, digest=str(number): (digest, study))
        drawn.append(letters(hntt)[study.conditions[0]])
    assert 8 < drawn.count("A") < 32


def test_conditions_stand_in_the_order_of_their_letters(hntt: Bundle) -> None:
    """In the study's order the first row would be the study's first condition, whatever its
    letter.
    """
    _, study = study_of(hntt)
    assert study is not None
    for drawn in (("A", "B"), ("B", "A")):
        blind = blinded_bundle(hntt, dict(zip(study.conditions, drawn, strict=True)))
        _, blind_study = study_of(blind)
        assert blind_study is not None
        assert blind_study.conditions == ("A", "B")
        assert study.analysis is not None
        assert load_data(blind, resolve(study.analysis, study), blind_study).conditions == (
            "A",
            "B",
        )


def test_numbers_are_the_same_and_names_are_gone(hntt: Bundle) -> None:
    blind, seen = blinded_run(hntt), run(hntt)
    assert values(blind) == pytest.approx(values(seen), rel=1e-12)
    written = results_json(blind)
    _, study = study_of(hntt)
    assert study is not None
    for name in (*study.conditions, *(stimulus.id for stimulus in study.stimuli)):
        assert name not in written
    assert '"B"' in written or '"A"' in written


def test_hashes_are_those_of_the_true_study(hntt: Bundle) -> None:
    assert blinded_run(hntt).source == run(hntt).source


def test_a_registered_plan_stays_registered(hntt: Bundle) -> None:
    _, study = study_of(hntt)
    assert study is not None
    assert study.analysis is not None
    plan = resolve(study.analysis, study)
    record = Registration(
        tree=json.loads(json.dumps(tree_of(plan))), hash=plan_hash(plan), registered_on=""
    )
    blind, seen = (blinded_run(hntt, record), run(hntt, record))
    assert blind.deviations == seen.deviations
    assert [finding.status for finding in blind.findings] == [
        finding.status for finding in seen.findings
    ]
    assert any(finding.status == "confirmatory" for finding in blind.findings)
    assert record.hash[:12] in blind.methods


def test_roles_become_letters_and_rows_follow_the_letters(analysis: Analysis) -> None:
    table = Table(
        name="t",
        title="T",
        columns=(
            Column(name="type", title="Type"),
            Column(name="pair", title="Pair"),
            Column(name="b", title="b", form="number"),
        ),
        rows=(("human", "human-artificial", 0.7), ("artificial", "called human", None)),
        undefined={(1, "b"): "no clips"},
        marked=frozenset({(0, "b")}),
    )
    finding = Finding(
        outcome="recall", title="Recall, human", sentence="Human clips were called human."
    )
    section = Section(
        name="s", title="S", paragraphs=("Human clips.",), findings=(finding,), tables=(table,)
    )
    blind = hide_names(replace(analysis, sections=(section,)), {"human": "B", "artificial": "A"})
    found = blind.sections[0]
    assert found.tables[0].rows == (("A", "called human", None), ("B", "B-A", 0.7))
    assert found.tables[0].undefined == {(0, "b"): "no clips"}
    assert found.tables[0].marked == {(1, "b")}
    assert found.findings[0].title == "Recall, B"
    assert found.findings[0].sentence == WITHHELD
    assert found.paragraphs == ()


def test_replay_gives_no_sign_of_who_is_ours(tmp_path: Path) -> None:
    READY_STUDIES["replay"].copy(tmp_path / "study")
    definition = load(tmp_path / "study")
    bundle = straight.bundle(definition, 30, np.random.default_rng(3))
    blind, seen = blinded_run(bundle), run(bundle)
    assert [abs(value) for value in values(blind)][:1] != []
    magnitude = {round(abs(value), 6) for value in values(blind) if value is not None}
    overall = next(
        finding
        for finding in seen.findings
        if finding.outcome == "believability" and finding.estimate is not None
    )
    assert overall.estimate is not None
    assert overall.estimate.value is not None
    assert round(abs(overall.estimate.value), 6) in magnitude
    assert all(finding.supported is None for finding in blind.findings)
    for table in blind.tables:
        for column in table.columns:
            cells = [cell for cell in table.column(column.name) if cell in ("A", "B")]
            if len(cells) == 2:
                assert cells == ["A", "B"], table.name
    assert not re.search(r"standin\b|stand-in", results_json(blind))


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Conditions called first, second and third, and choices that are answered with first or
    second.
    """
    folder = tmp_path_factory.mktemp("own") / "study"
    TEMPLATES["blank"].copy(folder)
    definition = load(folder)
    return straight.bundle(definition, 46, np.random.default_rng(3))


def shares(
    analysis: Analysis, names: dict[str, str]
) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Choices of each pair from both sides, by the letters of the conditions."""
    table = next(table for table in analysis.tables if table.name == "preferred_pairs")
    counts = {}
    for pair, first, second, undecided in zip(
        *(table.column(name) for name in ("pair", "first", "second", "undecided")), strict=True
    ):
        a, b = (names.get(part, part) for part in str(pair).split(" over "))
        counts[a, b], counts[b, a] = (first, second, undecided), (second, first, undecided)
    return counts


def test_answers_that_are_spelled_like_conditions_stay_answers(own: Bundle) -> None:
    """A choice of the `first` of a page is not the condition called first."""
    blind, seen = blinded_run(own), run(own)
    names = letters(own)
    assert set(names) == {"first", "second", "third"}
    assert shares(blind, {}) == shares(seen, names)
    means = [
        next(table for table in part.tables if table.name == "humanness_groups")
        for part in (blind, seen)
    ]
    assert sorted(means[0].rows) == sorted((names[str(row[0])], *row[1:]) for row in means[1].rows)


def test_a_design_of_ones_own_gives_no_sign_of_which_is_which(own: Bundle) -> None:
    _, study = study_of(own)
    assert study is not None
    assert study.analysis is not None
    blind = blinded_run(own)
    said = " ".join(
        [
            blind.methods,
            blind.results,
            *(f.sentence + f.title for f in blind.findings),
            *blind.warnings,
        ]
    )
    for name in study.conditions:
        assert not re.search(rf"\b{name}\b", said), name
    assert all(hypothesis.supported is None for hypothesis in blind.hypotheses)
    assert all(UNJUDGED in hypothesis.verdict for hypothesis in blind.hypotheses)
    # Which pairs hypotheses name, from which side they look, and the order of the study file would
    # each tell.
    asked = [
        (finding.outcome, finding.about)
        for finding in blind.findings
        if finding.outcome in ("humanness", "preferred")
    ]
    pairs = ["A-B", "A-C", "B-C"]
    assert sorted(asked) == [
        (outcome, pair) for outcome in ("humanness", "preferred") for pair in pairs
    ]
    assert {finding.test.alternative for finding in blind.findings if finding.test is not None} == {
        "two-sided"
    }
    assert all(finding.p_adjusted is None for finding in blind.findings)
    assert "4 of A, 4 of B and 4 of C" in blind.methods
    definition = next(iter(blinded_bundle(own, letters(own)).definitions.values()))
    assert "assume" not in definition
    assert "more human-like than" not in definition


def test_deviations_of_a_design_of_ones_own_are_counted_without_their_names(own: Bundle) -> None:
    _, study = study_of(own)
    assert study is not None
    assert study.analysis is not None
    plan = resolve(study.analysis, study)
    tree = json.loads(json.dumps(tree_of(plan)))
    tree["plan"]["hypotheses"][0]["about"] = "first-second"
    tree["plan"]["measures"]["why"]["question"] = "about.remarks"
    record = Registration(tree=tree, hash="0" * 64, registered_on="")
    blind, seen = (blinded_run(own, record), run(own, record))
    assert "hypothesis H1, about: registered first-second, now first-third." in seen.deviations
    assert "hypotheses, H1, about changed: in words after unblinding." in blind.deviations
    assert "measure why, question: registered about.remarks, now clip.why." in blind.deviations
    assert len(blind.deviations) == len(seen.deviations)
    assert all(finding.test is None or finding.test.p_value is None for finding in blind.findings)
    status = {
        one.outcome: one.status
        for one in blind.findings
        if one.outcome in ("humanness", "preferred")
    }
    assert status == {"humanness": "exploratory", "preferred": "confirmatory"}


@pytest.mark.parametrize("name", ["compare-agents", "rate-clips", "play-and-annotate"])
def test_every_template_can_be_looked_at_blind(name: str, tmp_path: Path) -> None:
    TEMPLATES[name].copy(tmp_path / "study")
    definition = load(tmp_path / "study")
    bundle = straight.bundle(definition, 64, np.random.default_rng(5))
    blind, seen = blinded_run(bundle), run(bundle)
    assert {len(part.sections) for part in (blind, seen)} == {len(seen.sections)}
    said = " ".join([blind.methods, blind.results, *(str(table.rows) for table in blind.tables)])
    for condition in definition.study.conditions:
        if condition != "person":  # also an answer of rate-clips
            assert not re.search(rf"\b{condition}\b", said), condition


def test_levels_of_an_arm_that_is_compared_are_letters_too(tmp_path: Path) -> None:
    TEMPLATES["blank"].copy(tmp_path / "study")
    file = tmp_path / "study" / "study.yaml"
    text = file.read_text("utf-8")
    text = text.replace(
        "conditions: [first, second, third]",
        "conditions: [first, second, third]\narms: {hint: [told, untold]}",
    )
    text = text.replace(
        "- text: {id: task,", "- text: {id: task, skip_if: {arm: hint, is: untold},"
    )
    text = text.replace(
        "  hypotheses:\n",
        "    age: {question: about.age, title: Age, by: hint}\n  hypotheses:\n",
        1,
    )
    file.write_text(text.replace("secondary: [why]", "secondary: [why, age]"), "utf-8")
    definition = load(tmp_path / "study")
    bundle = straight.bundle(definition, 30, np.random.default_rng(5))
    blind, seen = blinded_run(bundle), run(bundle)
    said = [results_json(part) for part in (blind, seen)]
    assert [bool(re.search(r"\b(?:un)?told\b", words)) for words in said] == [False, True]
    groups = [
        next(table for table in part.tables if table.name == "age_groups") for part in (blind, seen)
    ]
    assert [row[0] for row in groups[0].rows] == ["hint_A", "hint_B"]
    assert sorted(map(str, (row[1:] for row in groups[0].rows))) == sorted(
        map(str, (row[1:] for row in groups[1].rows))
    )


def test_a_hypothesis_about_a_pair_follows_its_letters() -> None:
    """Else the rule of a sequential ladder looks for a pair that the blinded study has not."""
    names = {"bot": "B", "human": "A"}
    plan = {"hypotheses": [{"outcome": "strength", "about": "bot-human"}], "about": "agent"}
    assert blind._rename_plan(plan, names) == {
        "hypotheses": [{"outcome": "strength", "about": "B-A"}],
        "about": "agent",
    }

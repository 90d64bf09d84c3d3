"""Blinded results: the same numbers, and no way to tell which condition is which."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from believable.analysis.plan import resolve
from believable.analysis.records import Analysis, Column, Finding, Section, Table
from believable.analysis.registered import Registration, plan_hash, tree_of
from believable.analysis.run import run, study_of
from believable.analysis.write import results_json
from believable.bundle.read import Bundle
from believable.instruments import INSTRUMENTS
from believable.report.blind import blinded_run, letters
from believable.report.unnamed import WITHHELD, unnamed
from believable.simulate import straight
from believable.study.load import load
from believable.study.protocols import copy


def simulated(protocol: str, folder: Path) -> Bundle:
    copy(protocol, folder)
    definition = load(folder, instruments=INSTRUMENTS)
    return straight.bundle(definition, 30, np.random.default_rng(3))


@pytest.fixture(scope="module")
def hntt(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return simulated("hntt", tmp_path_factory.mktemp("hntt") / "study")


def values(analysis: Analysis) -> list[float]:
    found = [one.estimate.value for one in analysis.findings if one.estimate is not None]
    return sorted(value for value in found if value is not None)


def test_letters_are_drawn_from_the_definition(hntt: Bundle) -> None:
    assert sorted(letters(hntt).values()) == ["A", "B"]
    assert letters(hntt) == letters(hntt)


def test_numbers_are_the_same_and_names_are_gone(hntt: Bundle) -> None:
    blind, seen = blinded_run(hntt), run(hntt)
    assert values(blind) == values(seen)
    written = results_json(blind)
    _, study = study_of(hntt)
    assert study is not None
    for name in (*study.conditions, *(one.id for one in study.stimuli)):
        assert name not in written
    assert '"B"' in written or '"A"' in written


def test_hashes_are_those_of_the_true_study(hntt: Bundle) -> None:
    assert blinded_run(hntt).source == run(hntt).source


def test_a_registered_plan_stays_registered(hntt: Bundle) -> None:
    _, study = study_of(hntt)
    assert study is not None
    assert study.analysis is not None
    plan = resolve(study.analysis, study)
    record = Registration(json.loads(json.dumps(tree_of(plan))), plan_hash(plan), "")
    blind, seen = blinded_run(hntt, record), run(hntt, record)
    assert blind.deviations == seen.deviations
    assert [one.status for one in blind.findings] == [one.status for one in seen.findings]
    assert any(one.status == "confirmatory" for one in blind.findings)
    assert record.hash[:12] in blind.methods


def test_roles_become_letters_and_rows_follow_the_letters(analysis: Analysis) -> None:
    table = Table(
        "t",
        "T",
        (Column("type", "Type"), Column("pair", "Pair"), Column("b", "b", "number")),
        (("human", "human-artificial", 0.7), ("artificial", "called human", None)),
        undefined={(1, "b"): "no clips"},
        marked=frozenset({(0, "b")}),
    )
    finding = Finding("recall", "Recall, human", "Human clips were called human.", "exploratory")
    section = Section("s", "S", ("Human clips.",), (finding,), (table,))
    blind = unnamed(replace(analysis, sections=(section,)), {"human": "B", "artificial": "A"})
    found = blind.sections[0]
    assert found.tables[0].rows == (("A", "called human", None), ("B", "B-A", 0.7))
    assert found.tables[0].undefined == {(0, "b"): "no clips"}
    assert found.tables[0].marked == {(1, "b")}
    assert found.findings[0].title == "Recall, B"
    assert found.findings[0].sentence == WITHHELD
    assert found.paragraphs == ()


def test_replay_gives_no_sign_of_who_is_ours(tmp_path: Path) -> None:
    copy("replay", tmp_path / "study")
    definition = load(tmp_path / "study", instruments=INSTRUMENTS)
    bundle = straight.bundle(definition, 30, np.random.default_rng(3))
    blind, seen = blinded_run(bundle), run(bundle)
    assert [abs(value) for value in values(blind)][:1] != []
    magnitude = {round(abs(value), 6) for value in values(blind) if value is not None}
    overall = next(
        one for one in seen.findings if one.outcome == "believability" and one.estimate is not None
    )
    assert overall.estimate is not None
    assert overall.estimate.value is not None
    assert round(abs(overall.estimate.value), 6) in magnitude
    assert all(one.supported is None for one in blind.findings)
    for table in blind.tables:
        for column in table.columns:
            cells = [cell for cell in table.column(column.name) if cell in ("A", "B")]
            if len(cells) == 2:
                assert cells == ["A", "B"], table.name
    assert "standin" not in results_json(blind)

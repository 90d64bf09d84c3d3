"""Simulated studies straight to bundles: the same pages, names and rules as through the routes,
only faster.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from believable.analysis.run import run
from believable.bundle.read import Bundle
from believable.contracts.registries import PROTOCOLS
from believable.core.errors import InvalidInput
from believable.protocols import READY_STUDIES
from believable.protocols.hntt import people as hntt
from believable.simulate import straight
from believable.simulate.simulated_sessions import Conduct
from believable.study.definition import Definition
from believable.study.load import load
from believable.study.plan import Assignment, plan

NAMES = PROTOCOLS.names


@pytest.fixture(scope="module")
def definition_of() -> Callable[[str], Definition]:
    known: dict[str, Definition] = {}

    def get(name: str) -> Definition:
        if name not in known:
            known[name] = load(PROTOCOLS[name].folder)
        return known[name]

    return get


def rows_of(bundle: Bundle) -> dict[str, list[dict[str, object]]]:
    return {name: list(table.rows()) for name, table in bundle.tables.items()}


def test_every_protocol_has_a_behaviour() -> None:
    assert set(NAMES) == {"trace", "replay", "clips", "hntt", "qa", "ladder"}


@pytest.mark.parametrize("name", NAMES)
def test_the_same_state_of_chance_gives_the_same_study(
    name: str, definition_of: Callable[[str], Definition]
) -> None:
    one, two, three = (
        straight.bundle(definition_of(name), 8, np.random.default_rng(seed)) for seed in (4, 4, 5)
    )
    assert rows_of(one) == rows_of(two)
    assert rows_of(one)["answers"] != rows_of(three)["answers"]


@pytest.mark.parametrize("name", NAMES)
def test_pages_are_those_of_a_plan_of_the_study(
    name: str, definition_of: Callable[[str], Definition]
) -> None:
    definition = definition_of(name)
    sessions = straight.sessions(definition, 12, np.random.default_rng(1))
    bundle = sessions.bundle()
    for person in range(12):
        assignment: Assignment = sessions.pool.assignments[sessions.plan[person]]
        expected = [page.key for page in plan(definition.study, assignment)]
        found = [
            row for row in bundle["trials"].rows() if row["session"] == sessions.session[person]
        ]
        assert [row["trial_key"] for row in found] == expected[: len(found)]
        ends = [row["closed_ms"] for row in found if row["closed_ms"] is not None]
        assert ends == sorted(ends)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_answered_and_traced_belongs_to_pages_that_were_done(
    name: str, definition_of: Callable[[str], Definition]
) -> None:
    bundle = straight.bundle(
        definition_of(name), 40, np.random.default_rng(2), conduct=Conduct(drop_out=0.4)
    )
    done = {
        (row["session"], row["position"], row["trial_key"])
        for row in bundle["trials"].rows()
        if row["status"] != "open"
    }
    for table in ("answers", "traces", "shown"):
        assert {
            (row["session"], row["position"], row["trial_key"]) for row in bundle[table].rows()
        } <= done
    left = [row for row in bundle["participants"].rows() if row["state"] == "active"]
    assert 5 <= len(left) <= 30
    excluded = {
        row["session"] for row in bundle["exclusions"].rows() if row["reason"] == "incomplete"
    }
    assert {row["session"] for row in left} == excluded


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_analysis_takes_it(name: str, definition_of: Callable[[str], Definition]) -> None:
    analysis = run(straight.bundle(definition_of(name), 40, np.random.default_rng(3)))
    assert analysis.sections
    assert any(section.findings for section in analysis.sections)


def test_arms_are_balanced(definition_of: Callable[[str], Definition]) -> None:
    people = straight.bundle(definition_of("trace"), 30, np.random.default_rng(1))["participants"]
    assert people["arm_tool"].cells().count("btrace") == 15


def test_careless_people_fail_checks(
    definition_of: Callable[[str], Definition], tmp_path: Path
) -> None:
    careless = Conduct(drop_out=0, careless=1.0, hasty=0)
    folder = tmp_path / "strict"
    shutil.copytree(PROTOCOLS["clips"].folder, folder)
    study = folder / "study.yaml"
    study.write_text(
        study.read_text(encoding="utf-8").replace("on_fail: continue", "on_fail: fail"),
        encoding="utf-8",
    )
    strict = load(folder)
    ended = straight.bundle(strict, 20, np.random.default_rng(1), conduct=careless)
    assert set(ended["participants"]["outcome"].cells()) == {"failed_checks"}
    assert {row["reason"] for row in ended["exclusions"].rows()} == {"failed_checks"}
    goes_on = straight.bundle(
        definition_of("clips"), 20, np.random.default_rng(1), conduct=careless
    )
    assert set(goes_on["participants"]["outcome"].cells()) == {"complete"}
    wrong = [row["correct"] for row in goes_on["answers"].rows() if row["trial"] == "attention"]
    assert wrong == [False] * 20


def test_hasty_people_take_a_fraction_of_the_time(
    definition_of: Callable[[str], Definition],
) -> None:
    sessions = straight.sessions(
        definition_of("replay"),
        200,
        np.random.default_rng(1),
        conduct=Conduct(drop_out=0, careless=0, hasty=0.2),
    )
    duration = sessions.bundle()["participants"]["duration_ms"].values
    assert (
        duration[sessions.hasty].max() < np.median(duration) / 3 < duration[~sessions.hasty].min()
    )


def test_a_study_without_an_analysis_is_told_what_to_add(tmp_path: Path) -> None:
    READY_STUDIES["demo"].copy(tmp_path / "demo")
    file = tmp_path / "demo" / "study.yaml"
    file.write_text(file.read_text("utf-8").partition("\nanalysis:")[0], encoding="utf-8")
    demo = load(tmp_path / "demo")
    with pytest.raises(InvalidInput, match="no `analysis`"):
        straight.bundle(demo, 5, np.random.default_rng(1))


def test_the_truth_has_to_be_of_the_protocol(definition_of: Callable[[str], Definition]) -> None:
    with pytest.raises(InvalidInput, match="truth: expected a record of"):
        straight.bundle(
            definition_of("clips"),
            5,
            np.random.default_rng(1),
            truth=replace(hntt.HnttTruth(), skill=1.0),
        )

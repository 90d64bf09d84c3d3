"""The report's test of versions finds a planted effect of a change, and no more than chance if
there is none.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from believable.analysis.run import prepare_data, settle, study_of
from believable.analysis.version_answers import session_values
from believable.analysis.version_records import data_versions
from believable.bundle.read import read
from believable.stats.permutation import permutation_anova
from tests.cli.test_changed_study import NEW, OLD, REASON, believe

pytestmark = pytest.mark.slow

N_EACH = 16
#: Added to every mean in the second version. People differ by .7 and answers by 1.1, so that the
#: mean over a session's clips differs by about .9: with 16 sessions each, d is about 2, and the
#: power of a t test at .01 is .99.
PLANTED = 2.0


def take_part(study: Path, seed: int, *truth: str) -> None:
    believe("simulate", study, "--participants", N_EACH, "--seed", seed, "--drop-out", 0, *truth)
    with sqlite3.connect(study / ".believable" / "believable.db") as database:
        (last,) = database.execute(
            "select coalesce(max(number), 0) from sessions where link_kind = 'open'"
        ).fetchone()
        database.execute(
            "update sessions set link_kind = 'open', number = number + ? where link_kind ="
            " 'simulated'",
            (last,),
        )


def run_study(room: Path, *truth: str) -> Path:
    study = room / "study"
    believe("new", study, "--template", "rate-clips")
    text = (study / "study.yaml").read_text()
    text = text.replace("n: 40}", "n: 20}").replace(
        "person: 4.8, imitation: 4.6, script: 3.5", "person: 3, imitation: 3, script: 3"
    )
    (study / "study.yaml").write_text(text)
    take_part(study, 1)
    (study / "study.yaml").write_text(text.replace(OLD, NEW))
    believe("revise", study, "--reason", REASON)
    take_part(study, 2, *truth)
    believe("report", study, "--out", room / "report", "--formats", "")
    believe("export", study, "--out", room / "bundle")
    return room


def p_values(room: Path) -> dict[str, float]:
    results = json.loads((room / "report" / "results.json").read_text())
    tables = {
        table["name"]: table for section in results["sections"] for table in section["tables"]
    }
    names = [column["name"] for column in tables["version_tests"]["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in tables["version_tests"]["rows"]]
    return {row["quantity"]: row["p_adjusted"] for row in rows}


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_study(tmp_path_factory.mktemp("without"))


def test_a_planted_effect_of_the_change_is_found(tmp_path: Path) -> None:
    truth = [
        word
        for name in ("person", "imitation", "script")
        for word in ("--truth", f"humanness_{name}={3 + PLANTED}")
    ]
    found = p_values(run_study(tmp_path, *truth))
    assert found["clip.humanness"] < 0.01


def test_versions_without_an_effect_differ_no_more_than_by_chance(without: Path) -> None:
    """One dataset may be unlucky, so the sessions of this one are given to versions by lot, many
    times. By chance a twentieth of the p values are below .05; 12 of 100 or more have a probability
    of .004.
    """
    bundle = read(without / "bundle")
    _, study = study_of(bundle)
    settled = settle(study, None, None)
    data = prepare_data(bundle, settled, study)
    (humanness,) = [
        quantity for quantity in session_values(data, settled) if quantity.title == "clip.humanness"
    ]
    rng = np.random.default_rng(5)
    groups = np.repeat([0, 1], [len(data) // 2, len(data) - len(data) // 2])
    found = [
        permutation_anova(humanness.values, rng.permutation(groups), rng=rng, resamples=199).p_value
        or 0
        for _ in range(100)
    ]
    assert sum(p_value <= 0.05 for p_value in found) < 12
    assert np.mean(found) == pytest.approx(0.5, abs=3 * 0.29 / 10), (
        "uniform p values have the mean 1/2"
    )


def test_the_same_version_test_is_reported_without_an_effect(without: Path) -> None:
    assert p_values(without)["clip.humanness"] > 0.001


def test_versions_keep_their_order_in_a_release(without: Path) -> None:
    """Session numbers are random in a release: the first session by number may have the second
    version.
    """
    bundle = read(without / "bundle")
    people = bundle["participants"]
    numbers = people["number"]
    turned = replace(numbers, values=numbers.values[::-1].copy())
    tables = {
        **bundle.tables,
        "participants": replace(people, columns={**people.columns, "number": turned}),
    }
    before, after = data_versions(bundle), data_versions(replace(bundle, tables=tables))
    assert [version.definition for version in after] == [version.definition for version in before]
    assert [(change.was, change.now) for change in after[1].changes] == [(OLD, NEW)]

"""What a release is made from: the sessions behind a platform's list, who was too fast, and the
reasons of changes.
"""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.analysis.followed_plan import plan_to_follow
from believable.analysis.run import run
from believable.app.publish import _recruited_sessions
from believable.app.study_data import StudyDataOptions
from believable.bundle.cells import csv_line
from believable.bundle.read import Bundle, read
from believable.cli import group
from believable.collect.context import load_key
from believable.collect.recruiting import participant_hash
from believable.report.coarsen import coarsen, exact_facts
from believable.report.precision import PRECISIONS
from believable.report.privacy import spots
from believable.report.redact import redact, reseal

KEY = b"0" * 32
#: Of the platform's people `ann` has one session, `bob` came twice, and `cleo` never came.
PEOPLE = {1: "ann", 2: "bob", 3: "bob"}


def believe(*arguments: object) -> None:
    result = CliRunner().invoke(
        group, [str(argument) for argument in arguments], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Simulated sessions that count as those of people, some of them from a platform."""
    made = tmp_path_factory.mktemp("release") / "study"
    believe("new", made, "--template", "rate-clips")
    text = (made / "study.yaml").read_text("utf-8")
    assert "below: 0.33" in text
    (made / "study.yaml").write_text(text.replace("below: 0.33", "below: 0.9"), "utf-8")
    believe("simulate", made, "--participants", "12", "--drop-out", "0", "--seed", "2")
    key = load_key(made / ".believable")
    with sqlite3.connect(made / ".believable" / "believable.db") as database:
        database.execute("update sessions set link_kind = 'open' where link_kind = 'simulated'")
        for number, person in PEOPLE.items():
            hashed = participant_hash(key, "study", person)
            database.execute(
                "update sessions set recruiter_hash = ? where number = ?", (hashed, number)
            )
    believe("export", made, "--out", made.with_name("bundle"))
    return made


@pytest.fixture(scope="module")
def exact(study: Path) -> Bundle:
    return read(study.with_name("bundle"))


def test_a_platform_list_finds_the_session_of_each_person_with_one(
    study: Path, exact: Bundle
) -> None:
    people = exact["participants"]
    session = dict(
        zip(people["number"].values.tolist(), people["session"].values.tolist(), strict=True)
    )
    found = _recruited_sessions(
        StudyDataOptions(study=study).study_data(), exact, ["ann", "bob", "cleo"]
    )
    assert found == {"ann": session[1]}


def test_a_platform_list_finds_nobody_with_another_key(
    study: Path, exact: Bundle, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(study / ".believable" / "believable.db", data)
    load_key(data)
    assert (
        _recruited_sessions(
            StudyDataOptions(study=study, data=data).study_data(), exact, ["ann", "bob", "cleo"]
        )
        == {}
    )


def test_a_release_without_times_leaves_out_who_was_too_fast(
    study: Path, exact: Bundle, tmp_path: Path
) -> None:
    """The exact times decide; the release keeps the decision and not the times."""
    plan = plan_to_follow(study)
    wanted = run(exact, plan=plan)
    fast = {drop.session for drop in wanted.drops if drop.reason == "too_fast"}
    assert 0 < len(fast) < len(exact["participants"])
    facts = exact_facts(exact, plan, None)
    assert facts.too_fast == fast
    coarsen(
        exact.folder, tmp_path / "released", key=KEY, facts=facts, known=None, precisions=PRECISIONS
    )
    released = read(tmp_path / "released")
    people = released["participants"]
    assert all(people["duration_ms"].missing)
    included = dict(zip(people["session"].values, people["included"].values, strict=True))
    assert {session for session, is_in in included.items() if not is_in} >= fast
    noted = [row for row in released["exclusions"].rows() if row["reason"] == "too_fast"]
    assert {row["session"] for row in noted} == fast
    assert not any(row["detail"] for row in noted), "how fast would be a time"
    found = run(released, plan=plan)
    assert {drop.session for drop in found.drops if drop.reason == "too_fast"} == fast
    assert found.funnel[-1].after == wanted.funnel[-1].after


def test_the_reason_of_a_change_is_searched_and_redacted(exact: Bundle, tmp_path: Path) -> None:
    bundle = Path(shutil.copytree(exact.folder, tmp_path / "bundle"))
    table = next((bundle / "data").glob("*versions*.csv"))
    header, *_ = table.read_text("utf-8").splitlines()
    row = next(iter(exact["versions"].rows()))
    cells = {name: "" if row.get(name) is None else str(row[name]) for name in header.split(",")}
    cells["reason"] = "Asked by jane.doe@example.org to shorten it."
    table.write_text(header + "\n" + csv_line([cells[name] for name in header.split(",")]), "utf-8")
    reseal(bundle)
    assert "jane.doe" in str(next(iter(read(bundle)["versions"].rows()))["reason"])
    found = [spot for spot in spots(bundle) if spot.question == "reason"]
    assert [spot.kind for spot in found] == ["e-mail address"]
    redact(bundle, found)
    reason = str(next(iter(read(bundle)["versions"].rows()))["reason"])
    assert "jane.doe" not in reason
    assert reason.startswith("Asked by ")
    assert reason.endswith(" to shorten it.")
    assert not [spot for spot in spots(bundle) if spot.question == "reason"]

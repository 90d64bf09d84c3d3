"""Attacks on `publish`: half a character, a browser's false clock, days and exact durations, a
platform's list.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from believable.bundle.cells import csv_line
from believable.bundle.package import EVENTS
from believable.bundle.read import read
from believable.cli import group
from believable.core import event_chain
from believable.core.errors import Conflict
from believable.report import redact
from tests.red_team.released_times import TEN_YEARS_MS, times_in


def publish(*arguments: str) -> Result:
    return CliRunner().invoke(
        group, ["publish", *arguments, "--formats", "", "--licence", "CC-BY-4.0"]
    )


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    room = tmp_path_factory.mktemp("exported")
    for command in (
        ["new", str(room / "study"), "--protocol", "hntt"],
        ["simulate", str(room / "study"), "--participants", "4", "--drop-out", "0", "--care", "1"],
        ["export", str(room / "study"), "--simulated", "--out", str(room / "bundle")],
    ):
        assert CliRunner().invoke(group, command, catch_exceptions=False).exit_code == 0
    return room / "bundle"


@pytest.fixture
def bundle(exported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(exported, tmp_path / "data" / "bundle"))


def change_first_event(bundle: Path, kind: str, change: Callable[[dict[str, Any]], None]) -> str:
    """Change the first event of this kind as its browser could have sent it. Returns its
    session.
    """
    with gzip.open(bundle / EVENTS, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    line = next(line for line in lines if json.loads(line["body"])["kind"] == kind)
    body = json.loads(line["body"])
    change(body)
    line["body"] = json.dumps(body)
    with gzip.open(bundle / EVENTS, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in lines)
    session = str(line["session"])
    bodies = [entry["body"] for entry in lines if entry["session"] == session]
    path = next((bundle / "data").glob("*participants_data.csv"))
    with path.open(newline="", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    for row in rows:
        if row["session"] == session:
            row["receipt"] = event_chain.extend(event_chain.origin(session), bodies)
    path.write_text(
        csv_line(list(rows[0])) + "".join(csv_line(list(row.values())) for row in rows),
        encoding="utf-8",
    )
    if hasattr(redact, "reseal"):
        redact.reseal(bundle)
    else:  # the name in the first version
        redact._reseal(bundle, {path, bundle / EVENTS})
    read(bundle)
    return session


def test_half_an_emoji_does_not_stop_a_release(bundle: Path, tmp_path: Path) -> None:
    change_first_event(
        bundle, "answer.change", lambda body: body["data"].update(value="nice \ud83d")
    )
    result = publish(str(bundle), "--out", str(tmp_path / "release"), "--redact", "all")
    assert result.exception is None, result.output
    with gzip.open(tmp_path / "release" / "bundle" / EVENTS, "rt", encoding="utf-8") as file:
        bodies = [json.loads(json.loads(line)["body"]) for line in file]
    assert "nice \ud83d" in [body["data"].get("value") for body in bodies], (
        "the text is kept, escaped"
    )


def test_half_an_emoji_next_to_an_address_can_be_redacted(bundle: Path, tmp_path: Path) -> None:
    change_first_event(
        bundle, "answer.change", lambda body: body["data"].update(value="\ud83d anna.b@example.org")
    )
    refused = publish(str(bundle), "--out", str(tmp_path / "release"))
    assert "e-mail address" in str(refused.exception)
    str(refused.exception).encode()  # a terminal can print it
    assert (
        publish(str(bundle), "--out", str(tmp_path / "release"), "--redact", "all").exception
        is None
    )


@pytest.mark.parametrize("false_ms", [0, 10**15, None])
def test_a_false_clock_of_one_browser_leaves_no_clock_in_the_release(
    bundle: Path, tmp_path: Path, false_ms: object
) -> None:
    session = change_first_event(bundle, "page.open", lambda body: body.update(at_ms=false_ms))
    result = publish(str(bundle), "--out", str(tmp_path / "release"), "--redact", "all")
    assert result.exception is None, result.output
    released = tmp_path / "release" / "bundle"
    assert max(times_in(bundle)) > TEN_YEARS_MS
    assert max(times_in(released)) <= TEN_YEARS_MS
    with gzip.open(released / EVENTS, "rt", encoding="utf-8") as file:
        mine = [line for line in map(json.loads, file) if line["session"] == session]
    assert min(line["received_ms"] for line in mine) == 0


def test_no_day_and_no_exact_duration_remains(bundle: Path, tmp_path: Path) -> None:
    assert (
        publish(str(bundle), "--out", str(tmp_path / "release"), "--redact", "all").exception
        is None
    )
    people = read(tmp_path / "release" / "bundle")["participants"]
    assert all(day is None for day in people["started_on"].cells())
    assert all(cell is None for cell in people["duration_ms"].cells())
    text = (tmp_path / "release" / "README.md").read_text("utf-8")
    assert (
        "Lengths of sessions and times on their clocks are left out; times within pages are left"
        " out." in text
    )
    assert "Nobody has tried to re-identify" in text
    day = next(str(day) for day in read(bundle)["participants"]["started_on"].cells())
    for path in (tmp_path / "release" / "bundle").rglob("*"):
        if path.suffix in (".md", ".json", ".csv"):
            assert day not in path.read_text("utf-8"), path


def test_publish_attacks_reports_and_coarsens(bundle: Path, tmp_path: Path) -> None:
    people = read(bundle)["participants"]
    lines = ["Participant id,Submission id,Started at,Time taken,Session\n"]
    for number, (session, duration) in enumerate(
        zip(people["session"].values, people["duration_ms"].cells(), strict=True)
    ):
        started = f"2026-05-04T1{number}:00:00Z"
        lines.append(f"p{number},s{number},{started},{(duration or 0) / 1000 + 20:.0f},{session}\n")
    (tmp_path / "prolific.csv").write_text("".join(lines), encoding="utf-8")
    arguments = [
        "--redact",
        "all",
        "--attack",
        str(tmp_path / "prolific.csv"),
        "--accept",
        "attack",
    ]
    result = publish(str(bundle), "--out", str(tmp_path / "release"), *arguments)
    assert result.exception is None, result.output
    assert re.search(r"Before: \d\.\d of 4 by ", result.output)
    assert "tried to re-identify participants" in (tmp_path / "release" / "README.md").read_text(
        "utf-8"
    )
    assert json.loads((tmp_path / "release" / "release.json").read_text("utf-8"))["attack"]


def test_files_that_a_user_added_or_edited_are_never_deleted(bundle: Path, tmp_path: Path) -> None:
    out = tmp_path / "release"
    assert publish(str(bundle), "--out", str(out), "--redact", "all").exception is None
    assert publish(str(bundle), "--out", str(out), "--redact", "all").exception is None, (
        "a pristine release may be replaced"
    )
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    with (out / "README.md").open("a", encoding="utf-8") as file:
        file.write("my line\n")
    again = publish(str(bundle), "--out", str(out), "--redact", "all")
    assert isinstance(again.exception, Conflict)
    assert "notes.txt" in str(again.exception)
    assert "README.md" in str(again.exception)
    assert (out / "notes.txt").read_text("utf-8") == "mine"
    assert (out / "README.md").read_text("utf-8").endswith("my line\n")

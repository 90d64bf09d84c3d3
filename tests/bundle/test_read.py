"""Reading back: typed, frozen, and suspicious of every change."""

from __future__ import annotations

import gzip
import hashlib
import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import frictionless
import numpy as np
import pytest

from believable.bundle.read import read
from believable.bundle.session_records import CollectedSession, EventRecord
from believable.bundle.write import write
from believable.core.errors import InvalidInput, NotFound


@pytest.fixture
def folder(making: Any, tmp_path: Path) -> Path:
    target = tmp_path / "bundle"
    write(
        making.study(), [making.session(1), making.session(2), making.session(3, until=2)], target
    )
    return target


def seal_again(folder: Path) -> None:
    """Correct the checksums, as somebody would who changes data on purpose."""
    lines = []
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        name = line.split("  ")[1]
        lines.append(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n")
    (folder / "SHA256SUMS").write_text("".join(lines))


def test_columns_have_types_and_cannot_be_changed(folder: Path) -> None:
    participants = read(folder)["participants"]
    assert participants["number"].values.dtype == np.int64
    assert participants["included"].values.dtype == np.bool_
    assert participants["duration_ms"].missing.tolist() == [False, False, True]
    assert participants["duration_ms"].cells()[2] is None
    with pytest.raises(ValueError, match="read-only"):
        participants["number"].values[0] = 7
    with pytest.raises(TypeError):
        participants.columns["number"] = participants["number"]  # type: ignore[index]


def test_a_column_is_asked_once_for_equal_values_below_each_other(folder: Path) -> None:
    column = read(folder)["trials"]["session"]
    asked: list[str] = []

    def length(session: str) -> int:
        asked.append(session)
        return len(session)

    assert column.map_values(length, np.int64).tolist() == [
        len(session) for session in column.values
    ]
    assert asked == list(dict.fromkeys(column.values))
    nothing = replace(column, values=column.values[:0], missing=column.missing[:0])
    assert nothing.map_values(length, np.int64).tolist() == []


def test_unknown_names_get_a_suggestion(folder: Path) -> None:
    bundle = read(folder)
    with pytest.raises(NotFound, match=r"no table 'answer'. Did you mean 'answers'"):
        bundle["answer"]
    with pytest.raises(NotFound, match=r"no column 'outcom'. Did you mean 'outcome'"):
        bundle["participants"]["outcom"]


def test_hostile_text_is_neutralised_and_comes_back_equal(
    making: Any, hostile_texts: list[str], hostile_sessions: list[CollectedSession], tmp_path: Path
) -> None:
    study = making.study(title="=Evil <b>title</b>")
    write(study, hostile_sessions, tmp_path / "bundle")
    bundle = read(tmp_path / "bundle")
    answers = [row["value_text"] for row in bundle["answers"].rows() if row["question"] == "words"]
    assert answers == hostile_texts
    sent = [json.loads(event.body) for event in bundle.events() if '"trial.submit"' in event.body]
    assert len(sent) == 5 * len(hostile_texts)
    raw = next((tmp_path / "bundle" / "data").glob("*answers*")).read_bytes()
    assert b"\x00" not in raw
    assert b"\r" not in raw
    assert "\u202e".encode() not in raw
    for line in raw.decode().split("\n"):
        for cell in line.split(","):
            assert not cell.lstrip('"').startswith(("=", "+", "@", "\t"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = frictionless.Package(str(tmp_path / "bundle" / "datapackage.json")).validate()
    assert report.valid, report.flatten(["name", "type", "note"])


@pytest.mark.parametrize(
    "name", ["README.md", "data/raw/events.jsonl.gz", "documentation/codebook.csv"]
)
def test_a_changed_or_missing_file_is_found(folder: Path, name: str) -> None:
    path = folder / name
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(InvalidInput, match="changed or damaged after the export"):
        read(folder)
    path.unlink()
    with pytest.raises(InvalidInput, match="the file is missing"):
        read(folder)


def rewrite_events(folder: Path, change: Any) -> None:
    path = folder / "data/raw/events.jsonl.gz"
    records = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    change(records)
    path.write_bytes(
        gzip.compress("".join(json.dumps(record) + "\n" for record in records).encode(), mtime=0)
    )
    seal_again(folder)


def changed(records: list[dict[str, Any]]) -> None:
    records[5]["body"] = records[5]["body"].replace("at_ms", "at_mS")


def lost(records: list[dict[str, Any]]) -> None:
    del records[5]


def swapped(records: list[dict[str, Any]]) -> None:
    records[4]["body"], records[5]["body"] = records[5]["body"], records[4]["body"]


@pytest.mark.parametrize("change", [changed, lost, swapped])
def test_the_chain_finds_changed_lost_and_reordered_events_behind_new_checksums(
    folder: Path, change: Any
) -> None:
    rewrite_events(folder, change)
    with pytest.raises(InvalidInput, match="does not lead to its receipt"):
        read(folder)


def test_a_session_without_its_events_is_found(folder: Path) -> None:
    def without_the_first(records: list[dict[str, Any]]) -> None:
        first = records[0]["session"]
        records[:] = [record for record in records if record["session"] != first]

    rewrite_events(folder, without_the_first)
    with pytest.raises(InvalidInput, match="are missing"):
        read(folder)


def test_a_damaged_table_names_file_and_line(folder: Path) -> None:
    path = next((folder / "data").glob("*participants*"))
    path.write_text(path.read_text().replace(",true,", ",maybe,", 1))
    seal_again(folder)
    with pytest.raises(
        InvalidInput,
        match=r"participants_data.csv:2: column included: expected true or false, got 'maybe'",
    ):
        read(folder)


def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="this is no bundle"):
        read(tmp_path)
    (tmp_path / "datapackage.json").write_text("{}")
    with pytest.raises(InvalidInput, match="expected format 'believable-bundle/1', got None"):
        read(tmp_path)
    (tmp_path / "datapackage.json").write_text("{")
    with pytest.raises(InvalidInput, match="expected JSON"):
        read(tmp_path)


def test_checksums_cannot_point_outside(folder: Path) -> None:
    (folder / "SHA256SUMS").write_text("0" * 64 + "  ../../etc/passwd\n")
    with pytest.raises(InvalidInput, match="expected a checksum and a path"):
        read(folder)


def test_events_behind_a_gap_are_kept_and_do_not_disturb_the_chain(
    making: Any, tmp_path: Path
) -> None:
    """A session whose browser vanished while sending: 1 to n are chained, n + 2 waits for n + 1 for
    ever.
    """
    session = making.session(1, until=2)
    late: EventRecord = (len(session.events) + 2, session.events[-1][1], 5)
    write(making.study(), [replace(session, events=(*session.events, late))], tmp_path / "bundle")
    bundle = read(tmp_path / "bundle")
    assert [event.seq for event in bundle.events()][-1] == late[0]
    assert bundle["participants"]["events"].cells() == (len(session.events),)


def test_a_path_may_be_a_string(making: Any, tmp_path: Path) -> None:
    write(making.study(), [making.session(1)], tmp_path / "bundle")
    assert len(read(str(tmp_path / "bundle"))["participants"]) == 1

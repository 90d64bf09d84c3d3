"""Writing the dataset: every row in its place, same bytes for the same data, and other tools accept
it.
"""

from __future__ import annotations

import gzip
import json
import re
import tracemalloc
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import frictionless
import pytest

from believable.bundle.folder import zip_folder
from believable.bundle.judgements import JUDGEMENTS
from believable.bundle.read import Bundle, read
from believable.bundle.session_records import CollectedSession
from believable.bundle.tables import BY_NAME, TABLES
from believable.bundle.write import write
from believable.core import event_chain
from believable.core.errors import Conflict, InvalidInput, Refused


@pytest.fixture(scope="module")
def bundle(
    making: Any,
    some_sessions: tuple[CollectedSession, ...],
    tmp_path_factory: pytest.TempPathFactory,
) -> Bundle:
    folder = tmp_path_factory.mktemp("out") / "bundle"
    written = write(making.study(withdrawn=2, previews=3), some_sessions, folder)
    assert (written.sessions, written.events) == (
        6,
        sum(len(session.events) for session in some_sessions),
    )
    return read(folder)


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_participants_are_all_there_with_arms_and_orders(
    bundle: Bundle, some_sessions: tuple[CollectedSession, ...]
) -> None:
    rows = list(bundle["participants"].rows())
    assert [row["session"] for row in rows] == [session.session.id for session in some_sessions]
    assert [row["included"] for row in rows] == [True, True, True, False, False, False]
    assert {row["arm_tool"] for row in rows} == {"ranktrace", "btrace"}
    assert {row["order_clips"] for row in rows} == {0, 1}
    assert rows[0]["started_on"] == "2025-10-09"
    assert rows[5]["duration_ms"] is None
    assert "recruiter_hash" not in bundle["participants"].columns


def test_trials_carry_condition_stimulus_and_times(
    bundle: Bundle, some_sessions: tuple[CollectedSession, ...]
) -> None:
    first = [
        row for row in bundle["trials"].rows() if row["session"] == some_sessions[0].session.id
    ]
    watched = [row for row in first if row["kind"] == "watch"]
    assert {(row["condition"], row["scenario"], row["stimulus"]) for row in watched} == {
        ("human", "atrium", "h1"),
        ("scripted", "atrium", "s1"),
    }
    # shown, then interval, hidden, visible, change and submit at 500 ms each
    assert all(row["rt_ms"] == 2500 for row in watched)
    assert all(row["hidden_ms"] == 500 for row in watched)
    assert first[0]["opened_ms"] == 500
    unfinished = [
        row for row in bundle["trials"].rows() if row["session"] == some_sessions[5].session.id
    ]
    assert [row["status"] for row in unfinished] == ["done", "done", "open"]
    assert unfinished[-1]["trial"] == "attention"


def test_answers_are_laid_out_by_their_instruments(
    bundle: Bundle, some_sessions: tuple[CollectedSession, ...]
) -> None:
    rows = [
        row for row in bundle["answers"].rows() if row["session"] == some_sessions[0].session.id
    ]
    by_question: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        by_question.setdefault(row["question"], []).append(row)
    assert by_question["agree"][0]["value_text"] == "true"
    assert by_question["agree"][0]["kind"] == "consent"
    assert by_question["words"][0]["value_text"] == "It looked around."
    assert (by_question["words"][0]["changes"], by_question["words"][0]["pasted"]) == (1, 12)
    assert by_question["experience"][0]["value_number"] in (1, 2, 3, 4, 5)
    assert by_question["colour"][0]["correct"] is True
    assert [row["item"] for row in by_question["feel"]] == ["alive", "clever"] * 2
    assert {row["condition"] for row in by_question["feel"]} == {"human", "scripted"}
    stored = {trial.key: trial.answers for trial in some_sessions[0].trials}
    for row in by_question["feel"]:
        assert row["value_number"] == stored[str(row["trial_key"])]["feel"][row["item"]]


def test_views_come_from_what_was_played(bundle: Bundle) -> None:
    rows = list(bundle["views"].rows())
    assert len(rows) == 2 * 4
    assert {(row["from_ms"], row["to_ms"], row["rate"]) for row in rows} == {(0.0, 1234.5, 1.0)}
    assert {row["stimulus"] for row in rows} == {"h1", "s1"}


def test_every_reason_to_exclude_is_a_row(
    bundle: Bundle, some_sessions: tuple[CollectedSession, ...]
) -> None:
    rows = list(bundle["exclusions"].rows())
    found = [
        (row["session"], row["scope"], row["reason"], row["detail"], row["count"]) for row in rows
    ]
    ids = [session.session.id for session in some_sessions]
    assert found == [
        (ids[3], "session", "rejected", "=cheated", 1),
        (ids[3], "answer", "text_excluded", "copied", 1),
        (ids[4], "session", "screened_out", None, 1),
        (ids[5], "session", "incomplete", "stopped at attention", 1),
        (None, "session", "withdrawn", None, 2),
        (None, "session", "preview", None, 3),
    ]
    assert (rows[1]["trial_key"], rows[1]["question"]) == ("about", "words")
    reviewed = dict(
        zip(
            bundle["participants"]["session"].cells(),
            bundle["participants"]["texts_reviewed"].cells(),
            strict=True,
        )
    )
    assert reviewed == {session: int(session == ids[3]) for session in ids}, (
        "kept and excluded texts are counted, sessions not"
    )


def test_later_instruments_have_their_empty_tables(bundle: Bundle) -> None:
    for name in ("traces", "flags", "actions"):
        assert len(bundle[name]) == 0
        assert tuple(bundle[name].columns) == BY_NAME[name].columns


def test_raw_events_are_kept_to_the_letter(
    bundle: Bundle, some_sessions: tuple[CollectedSession, ...]
) -> None:
    wanted = [
        (session.session.id, seq, body)
        for session in some_sessions
        for seq, body, _ in session.events
    ]
    assert [(event.session, event.seq, event.body) for event in bundle.events()] == wanted
    assert [(event.session, event.epoch, event.seq) for event in bundle.strays()] == [
        (some_sessions[2].session.id, 1, 99)
    ]


def test_codebook_explains_every_column_and_question(bundle: Bundle) -> None:
    rows = list(bundle["codebook"].rows())
    for table in TABLES:
        assert set(bundle[table.name].columns) == {
            row["column"] for row in rows if row["table"] == table.name and row["question"] is None
        }
    questions = {(row["trial"], row["question"]) for row in rows if row["question"]}
    assert questions == {
        ("consent", "agree"),
        ("about", "experience"),
        ("about", "words"),
        ("about", "age"),
        ("attention", "colour"),
        ("clip", "feel"),
    }
    matrix = next(row for row in rows if row["question"] == "feel")
    assert matrix["prompt"] == "It seemed"
    assert json.loads(str(matrix["parameters"]))["points"] == 5
    text = (bundle.folder / "documentation" / "codebook.md").read_text()
    assert "Why \\| really?" in text


def test_definition_goes_along(bundle: Bundle, making: Any) -> None:
    assert dict(bundle.definitions) == {making.definition.hash: making.definition.to_json()}


def test_names_follow_psych_ds(bundle: Bundle) -> None:
    names = [path.name for path in (bundle.folder / "data").iterdir() if path.is_file()]
    assert len(names) == len((*TABLES, JUDGEMENTS))
    for name in names:
        assert re.fullmatch(r"([a-z]+-[A-Za-z0-9]+)(_[a-z]+-[A-Za-z0-9]+)*_data\.csv", name), name
    description = json.loads((bundle.folder / "dataset_description.json").read_text())
    assert (description["@type"], description["@context"]) == ("Dataset", "https://schema.org/")
    measured = {one["name"] for one in description["variableMeasured"]}
    for table in TABLES:
        assert set(bundle[table.name].columns) <= measured


def test_frictionless_finds_no_error(bundle: Bundle) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = frictionless.Package(str(bundle.folder / "datapackage.json"))
        report = package.validate()
    assert report.valid, report.flatten(["name", "type", "note"])
    assert {task.name for task in report.tasks} >= {table.name for table in TABLES}


def test_same_data_same_bytes(
    making: Any, some_sessions: tuple[CollectedSession, ...], tmp_path: Path
) -> None:
    for name in ("one", "two"):
        write(making.study(), iter(some_sessions), tmp_path / name / "bundle")
    assert content(tmp_path / "one") == content(tmp_path / "two")
    zips = [
        zip_folder(tmp_path / name / "bundle", tmp_path / f"{name}.zip").read_bytes()
        for name in ("one", "two")
    ]
    assert zips[0] == zips[1]


def test_nothing_names_a_person_unless_asked(
    making: Any, some_sessions: tuple[CollectedSession, ...], tmp_path: Path
) -> None:
    hashes = [str(session.session.recruiter_hash).encode() for session in some_sessions]
    write(making.study(), some_sessions, tmp_path / "plain")
    everything = b"".join(content(tmp_path / "plain").values()) + gzip.decompress(
        (tmp_path / "plain/data/raw/events.jsonl.gz").read_bytes()
    )
    assert not any(name in everything for name in hashes)
    write(making.study(), some_sessions, tmp_path / "hashed", with_recruiter_hashes=True)
    column = read(tmp_path / "hashed")["participants"]["recruiter_hash"]
    assert [str(cell).encode() for cell in column.cells()] == hashes


def test_simulated_and_real_never_share_a_bundle(making: Any, tmp_path: Path) -> None:
    simulated = making.session(1, link_kind="simulated")
    with pytest.raises(InvalidInput, match="never share a bundle"):
        write(making.study(), [simulated], tmp_path / "x")
    with pytest.raises(InvalidInput, match="never share a bundle"):
        write(making.study(simulated=True), [making.session(1)], tmp_path / "x")
    with pytest.raises(InvalidInput, match="previews are never exported"):
        write(making.study(), [making.session(1, link_kind="preview")], tmp_path / "x")
    assert list(tmp_path.iterdir()) == []
    write(making.study(simulated=True), [simulated], tmp_path / "sim")
    found = read(tmp_path / "sim")
    assert found.simulated
    assert found["participants"]["simulated"].cells() == (True,)
    assert (
        "Every session in this dataset is simulated" in (tmp_path / "sim" / "README.md").read_text()
    )
    assert all("simulated" in path.name for path in (tmp_path / "sim" / "data").glob("*.csv"))


def test_an_older_bundle_is_replaced_and_anything_else_is_not(making: Any, tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    write(making.study(), [making.session(1), making.session(2)], folder)
    write(making.study(), [making.session(1)], folder)
    assert len(read(folder)["participants"]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("years of work")
    with pytest.raises(Conflict, match="not a bundle"):
        write(making.study(), [], tmp_path / "thesis")
    assert (tmp_path / "thesis" / "chapter1.tex").exists()


def test_a_failure_half_way_leaves_the_older_bundle(making: Any, tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    write(making.study(), [making.session(1)], folder)
    before = content(folder)

    def breaking() -> Iterator[CollectedSession]:
        yield making.session(1)
        raise OSError("disk gone")

    with pytest.raises(Refused, match=r"bundle: disk gone\. Check that it is there"):
        write(making.study(), breaking(), folder)
    assert content(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]


def test_memory_does_not_grow_with_the_number_of_sessions(making: Any, tmp_path: Path) -> None:
    def peak_bytes(count: int) -> int:
        tracemalloc.start()
        sessions = (making.session(number, extra_events=100) for number in range(1, count + 1))
        write(making.study(), sessions, tmp_path / str(count))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak_bytes(2)
    assert peak_bytes(60) < 1.5 * peak_bytes(15)


def test_a_session_that_began_again_keeps_its_runs_apart(making: Any, tmp_path: Path) -> None:
    """The first try at a page counts for its own run only."""
    first = making.session(1, until=2)
    again = making.session(1)
    shift = len(first.events)
    events = (
        *first.events,
        *((seq + shift, body, received_ms) for seq, body, received_ms in again.events),
    )
    closed = [
        replace(trial, run=1, submit_seq=(trial.submit_seq or 0) + shift) for trial in again.trials
    ]
    session = replace(
        again.session,
        id=first.session.id,
        run=1,
        run_after_seq=shift,
        head_seq=len(events),
        head_hash=event_chain.extend(
            event_chain.origin(first.session.id), [body for _, body, _ in events]
        ),
    )
    collected = CollectedSession(
        session=session, trials=(*first.trials[:1], *closed), events=events
    )
    write(making.study(), [collected], tmp_path / "bundle")
    found = read(tmp_path / "bundle")
    words = [row for row in found["answers"].rows() if row["question"] == "words"]
    assert [(row["run"], row["changes"], row["pasted"]) for row in words] == [(1, 1, 12)]
    assert [row["run"] for row in found["trials"].rows()] == [0, 1, 1, 1, 1, 1]
    assert found["participants"]["trials"].cells() == (5,)

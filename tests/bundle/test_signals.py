"""Known signals, lists of annotators and prepared traces: what is read, and what is refused in
which words.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from believable.bundle.annotators import choose_recordings, read_annotators
from believable.bundle.imports import (
    contradictory,
    pagan_traces,
    prepared_traces,
    read_prepared,
    sessions_of,
    write_traces_bundle,
)
from believable.bundle.read import read
from believable.bundle.signals import attach_signals, read_signal
from believable.core.errors import InvalidInput, NotFound
from believable.recordings.importers.pagan import read_pagan

EXPORT = """OriginalName,DatabaseName,Participant,SessionID,Timestamp,VideoTime,Value,Group
film,v,anna,s1,1000,0,0,x
film,v,anna,s1,1500,500,2,x
film,v,anna,s2,9000,0,1,x
film,v,bert,s3,1000,0,0,y
film,v,bert,s3,1600,600,1,y
film,v,carl,s4,1000,0,5,y
"""


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_a_signal_has_one_sample_per_picture(tmp_path: Path) -> None:
    found = read_signal(
        written(tmp_path, "s.csv", "Value,Frame\n225,1\n226,2\n"), test="auditory", frames_per_s=50
    )
    assert found.t_ms == (0.0, 20.0)
    assert found.values == (225.0, 226.0)


def test_a_signal_that_cannot_be_read_says_where(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="Name the CSV file"):
        read_signal(tmp_path / "none.csv", test="visual")
    with pytest.raises(InvalidInput, match=r"s.csv:1: expected a column `value`, got Pitch"):
        read_signal(written(tmp_path, "s.csv", "Pitch\n1\n"), test="visual")
    with pytest.raises(
        InvalidInput, match=r"t.csv:3: expected a number in the column `value`, got 'x'"
    ):
        read_signal(written(tmp_path, "t.csv", "value\n1\nx\n"), test="visual")
    with pytest.raises(InvalidInput, match="no sample"):
        read_signal(written(tmp_path, "u.csv", "value\n"), test="visual")


def test_the_list_keeps_the_last_recording_of_each(tmp_path: Path) -> None:
    export = read_pagan(written(tmp_path, "e.csv", EXPORT))
    listed = read_annotators(
        written(tmp_path, "l.csv", "Participant,Group,until_ms\nanna,x,750\nbert,y,\n"), [export]
    )
    found = choose_recordings([export], listed)
    assert [(own.trace.session_id, own.until_ms) for own in found.recordings] == [
        ("s2", 750.0),
        ("s3", None),
    ]
    assert (found.not_listed, found.repeated) == (1, 1)


def test_the_list_is_checked(tmp_path: Path) -> None:
    export = read_pagan(written(tmp_path, "e.csv", EXPORT))
    with pytest.raises(InvalidInput, match="expected a column `Participant`"):
        read_annotators(written(tmp_path, "a.csv", "Group\nx\n"), [export])
    with pytest.raises(
        InvalidInput, match=r"the export has no column 'grup'\. Did you mean 'Group'"
    ):
        read_annotators(written(tmp_path, "b.csv", "Participant,Grup\nanna,x\n"), [export])
    with pytest.raises(InvalidInput, match="expected milliseconds in `until_ms`, got 'late'"):
        read_annotators(written(tmp_path, "c.csv", "Participant,until_ms\nanna,late\n"), [export])
    with pytest.raises(InvalidInput, match=r"f.csv:1: expected a column `Participant`, got group"):
        read_annotators(written(tmp_path, "f.csv", "Group\n"), [export])
    with pytest.raises(InvalidInput, match=r"g.csv:4: expected 2 cells, as in line 1, got 3"):
        read_annotators(
            written(tmp_path, "g.csv", "Participant,Group\nanna,x\n\nbert,y,z\n"), [export]
        )
    with pytest.raises(NotFound, match="Name the CSV file with the annotators"):
        read_annotators(tmp_path / "none.csv", [export])
    listed = read_annotators(written(tmp_path, "d.csv", "Participant,Group\nanna,y\n"), [export])
    with pytest.raises(InvalidInput, match="nobody in the exports fits anna"):
        choose_recordings([export], listed)


def test_signal_ends_and_left_out_recordings_are_in_the_bundle(tmp_path: Path) -> None:
    export = read_pagan(written(tmp_path, "e.csv", EXPORT))
    signal = read_signal(written(tmp_path, "s.csv", "value\n1\n2\n3\n"), test="auditory")
    folder = tmp_path / "bundle"
    listed = read_annotators(
        written(tmp_path, "l.csv", "Participant,until_ms\nanna,250\nbert,\n"), [export]
    )
    sessions = sessions_of(
        pagan_traces([export], choose_recordings([export], listed).recordings, {})
    )
    write_traces_bundle(
        sessions,
        folder,
        name="e",
        title="E",
        signals={"v": signal},
        left_out=[("session", "rejected", "not listed", 3)],
    )
    found = read(folder)
    assert [row["value"] for row in found["signals"].rows()] == [1.0, 2.0, 3.0]
    assert [(row["session"], row["to_ms"]) for row in found["views"].rows()] == [("s2", 250.0)]
    assert [(row["detail"], row["count"]) for row in found["exclusions"].rows()] == [
        ("not listed", 3)
    ]


def test_prepared_traces_keep_their_values_and_their_length(tmp_path: Path) -> None:
    text = "session,group,participant,bin_250ms,value\nS1,x,anna,0,0.5\nS1,x,anna,1,0.25\nS1,y,bert,0,1\n"
    traces = read_prepared(written(tmp_path, "p.csv", text), stimulus="tone")
    assert [(trace.participant, trace.group, trace.until_ms) for trace in traces] == [
        ("anna", "x", 500.0),
        ("bert", "y", 250.0),
    ]
    sessions = sessions_of(prepared_traces(traces, {}))
    write_traces_bundle(sessions, tmp_path / "bundle", name="p", title="P")
    found = read(tmp_path / "bundle")
    assert [(row["session"], row["media_ms"], row["value"]) for row in found["traces"].rows()] == [
        ("trace1", 0.0, 0.5),
        ("trace1", 250.0, 0.25),
        ("trace2", 0.0, 1.0),
    ]
    assert [row["extra_group"] for row in found["participants"].rows()] == ["x", "y"]
    assert "anna" not in (tmp_path / "bundle" / "datapackage.json").read_text()


def test_prepared_traces_with_gaps_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"p.csv:3: expected bin 1 of anna, got '2'"):
        read_prepared(
            written(tmp_path, "p.csv", "participant,bin_250ms,value\nanna,0,1\nanna,2,1\n"),
            stimulus="t",
        )
    with pytest.raises(InvalidInput, match="expected the columns participant, bin_<n>ms and value"):
        read_prepared(written(tmp_path, "q.csv", "participant,time,value\n"), stimulus="t")


def test_a_signal_may_have_times_of_its_own(tmp_path: Path) -> None:
    signal = read_signal(written(tmp_path, "s.csv", "t_ms,value\n0,1\n250,4\n"), test="visual")
    assert (signal.t_ms, signal.values) == ((0.0, 250.0), (1.0, 4.0))
    with pytest.raises(InvalidInput, match="expected times that grow in the column `t_ms`"):
        read_signal(written(tmp_path, "t.csv", "t_ms,value\n250,1\n0,4\n"), test="visual")
    with pytest.raises(
        InvalidInput, match=r"u.csv:2: expected a number in the column `t_ms`, got 'x'"
    ):
        read_signal(written(tmp_path, "u.csv", "t_ms,value\nx,4\n"), test="visual")


def test_signals_belong_to_a_file_or_a_video(tmp_path: Path) -> None:
    signal = read_signal(written(tmp_path, "s.csv", "value\n1\n"), test="visual")
    stimuli = {"DB1": {"green.csv", "green", "DB1"}, "DB2": {"film.csv", "film", "DB2"}}
    assert list(attach_signals([("green", signal)], stimuli)) == ["DB1"]
    with pytest.raises(
        InvalidInput, match=r"visual: no file or video is called 'gren'\. Did you mean 'green'"
    ):
        attach_signals([("gren", signal)], stimuli)
    with pytest.raises(InvalidInput, match="'DB1' has two signals to follow"):
        attach_signals([("green", signal), ("DB1", signal)], stimuli)


def test_recordings_of_one_person_are_one_session_and_repetitions_another(tmp_path: Path) -> None:
    film = EXPORT.replace("film,v", "other,w")
    exports = [
        read_pagan(written(tmp_path, "e.csv", EXPORT)),
        read_pagan(written(tmp_path, "f.csv", film)),
    ]
    sessions = sessions_of(pagan_traces(exports, None, {}))
    assert [(own.person, [trace.stimulus for trace in own.traces]) for own in sessions] == [
        ("P1", ["film", "other"]),
        ("P1", ["film", "other"]),
        ("P2", ["film", "other"]),
        ("P3", ["film", "other"]),
    ]
    assert [own.id for own in sessions] == ["s1", "s2", "s3", "s4"]


def test_a_column_that_says_several_things_is_left_empty(tmp_path: Path) -> None:
    export = read_pagan(written(tmp_path, "e.csv", EXPORT.replace("1500,500,2,x", "1500,500,2,y")))
    sessions = sessions_of(pagan_traces([export], None, {}))
    assert dict(contradictory(sessions)) == {"Group": [("x", "y")]}
    write_traces_bundle(sessions, tmp_path / "bundle", name="e", title="E")
    assert [row["extra_group"] for row in read(tmp_path / "bundle")["participants"].rows()] == [
        None,
        "x",
        "y",
        "y",
    ]


def test_a_list_may_speak_of_one_file(tmp_path: Path) -> None:
    film = (
        EXPORT.replace("film,v", "other,w")
        .replace(",Group", "")
        .replace(",x\n", "\n")
        .replace(",y\n", "\n")
    )
    exports = [
        read_pagan(written(tmp_path, "e.csv", EXPORT)),
        read_pagan(written(tmp_path, "f.csv", film)),
    ]
    text = "Participant,Group,File,until_ms\nanna,x,e.csv,750\nanna,x,f,500\nbert,y,,\n"
    picked = choose_recordings(exports, read_annotators(written(tmp_path, "l.csv", text), exports))
    kept = [
        (own.trace.participant, own.trace.database_name, own.until_ms) for own in picked.recordings
    ]
    assert kept == [
        ("anna", "v", 750.0),
        ("bert", "v", None),
        ("anna", "w", 500.0),
        ("bert", "w", None),
    ]
    assert len({own.person for own in picked.recordings}) == 2
    with pytest.raises(InvalidInput, match=r"l.csv:2: unknown file 'g.csv'\. Did you mean 'f.csv'"):
        read_annotators(written(tmp_path, "l.csv", "Participant,File\nanna,g.csv\n"), exports)

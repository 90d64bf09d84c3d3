"""Known signals, lists of annotators and prepared traces: what is read, and what is refused in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from believable.bundle.annotators import chosen, read_annotators
from believable.bundle.imports import write_pagan_bundle, write_prepared_bundle
from believable.bundle.prepared import read_prepared
from believable.bundle.read import read
from believable.bundle.signals import read_signal
from believable.core.errors import InvalidInput, NotFound
from believable.instruments import INSTRUMENTS
from believable.replay.importers.pagan import read_pagan

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
    with pytest.raises(InvalidInput, match=r"s.csv:1: expected a column `value`, got pitch"):
        read_signal(written(tmp_path, "s.csv", "Pitch\n1\n"), test="visual")
    with pytest.raises(InvalidInput, match=r"t.csv:3: expected a number in the column `value`, got 'x'"):
        read_signal(written(tmp_path, "t.csv", "value\n1\nx\n"), test="visual")
    with pytest.raises(InvalidInput, match="no sample"):
        read_signal(written(tmp_path, "u.csv", "value\n"), test="visual")


def test_the_list_keeps_the_last_recording_of_each(tmp_path: Path) -> None:
    export = read_pagan(written(tmp_path, "e.csv", EXPORT))
    listed = read_annotators(
        written(tmp_path, "l.csv", "Participant,Group,until_ms\nanna,x,750\nbert,y,\n"), export
    )
    found = chosen(export, listed)
    assert [trace.session_id for trace in found.export.traces] == ["s2", "s3"]
    assert found.until_ms == (750.0, None)
    assert (found.not_listed, found.repeated) == (1, 1)


def test_the_list_is_checked(tmp_path: Path) -> None:
    export = read_pagan(written(tmp_path, "e.csv", EXPORT))
    with pytest.raises(InvalidInput, match="expected a column `Participant`"):
        read_annotators(written(tmp_path, "a.csv", "Group\nx\n"), export)
    with pytest.raises(InvalidInput, match=r"the export has no column 'grup'\. Did you mean 'Group'"):
        read_annotators(written(tmp_path, "b.csv", "Participant,Grup\nanna,x\n"), export)
    with pytest.raises(InvalidInput, match="expected milliseconds in `until_ms`, got 'late'"):
        read_annotators(written(tmp_path, "c.csv", "Participant,until_ms\nanna,late\n"), export)
    listed = read_annotators(written(tmp_path, "d.csv", "Participant,Group\nanna,y\n"), export)
    with pytest.raises(InvalidInput, match="nobody in the export fits anna"):
        chosen(export, listed)


def test_signal_ends_and_left_out_recordings_are_in_the_bundle(tmp_path: Path) -> None:
    export = read_pagan(written(tmp_path, "e.csv", EXPORT))
    signal = read_signal(written(tmp_path, "s.csv", "value\n1\n2\n3\n"), test="auditory")
    folder = tmp_path / "bundle"
    write_pagan_bundle(
        export, folder, name="e", title="E", instruments=INSTRUMENTS, until_ms=(None, 250.0, None, None),
        left_out={"not listed": 3}, signal=signal,
    )  # fmt: skip
    found = read(folder)
    assert [row["value"] for row in found["signals"].rows()] == [1.0, 2.0, 3.0]
    assert [(row["session"], row["to_ms"]) for row in found["views"].rows()] == [("s2", 250.0)]
    assert [(row["detail"], row["count"]) for row in found["exclusions"].rows()] == [("not listed", 3)]


def test_prepared_traces_keep_their_values_and_their_length(tmp_path: Path) -> None:
    text = "session,group,participant,bin_250ms,value\nS1,x,anna,0,0.5\nS1,x,anna,1,0.25\nS1,y,bert,0,1\n"
    traces = read_prepared(written(tmp_path, "p.csv", text), stimulus="tone")
    assert [(one.participant, one.group, one.until_ms) for one in traces] == [
        ("anna", "x", 500.0),
        ("bert", "y", 250.0),
    ]
    write_prepared_bundle(traces, tmp_path / "bundle", name="p", title="P", instruments=INSTRUMENTS)
    found = read(tmp_path / "bundle")
    assert [(row["session"], row["media_ms"], row["value"]) for row in found["traces"].rows()] == [
        ("trace1", 0.0, 0.5), ("trace1", 250.0, 0.25), ("trace2", 0.0, 1.0),
    ]  # fmt: skip
    assert [row["extra_group"] for row in found["participants"].rows()] == ["x", "y"]
    assert "anna" not in (tmp_path / "bundle" / "datapackage.json").read_text()


def test_prepared_traces_with_gaps_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"p.csv:3: expected bin 1 of anna, got '2'"):
        read_prepared(
            written(tmp_path, "p.csv", "participant,bin_250ms,value\nanna,0,1\nanna,2,1\n"), stimulus="t"
        )
    with pytest.raises(InvalidInput, match="expected the columns participant, bin_<n>ms and value"):
        read_prepared(written(tmp_path, "q.csv", "participant,time,value\n"), stimulus="t")

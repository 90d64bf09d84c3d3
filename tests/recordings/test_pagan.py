"""PAGAN exports: a real one with everything that happens to them, and each kind of damage by
itself.
"""

from __future__ import annotations

import io
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

import numpy as np
import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from believable.bundle.cells import csv_line
from believable.bundle.folder import PAGAN_HEADER, PaganRow, pagan_line
from believable.core.errors import InvalidInput, NotFound
from believable.recordings.importers.pagan import KINDS, PaganExport, read_pagan

HEAD = "OriginalName,DatabaseName,Participant,SessionID,Timestamp,VideoTime,Value"


def given(tmp_path: Path, *lines: str, head: str = HEAD, end: str = "\n") -> PaganExport:
    path = tmp_path / "export.csv"
    path.write_bytes(("\n".join([head, *lines]) + end).encode())
    return read_pagan(path)


def row(
    at: int = 1000, media: float = 0, value: float = 0, session: str = "S1", who: str = "P1"
) -> str:
    return f"video - 32.5,DB_1,{who},{session},{at},{media},{value}"


@pytest.fixture(scope="module")
def real_file(public_data: Callable[[str], Path]) -> Path:
    return public_data("pagan_auditory_qa") / "raw_pagan_export.csv"


@pytest.fixture(scope="module")
def real(real_file: Path) -> PaganExport:
    return read_pagan(real_file)


def test_the_real_export_is_read_with_every_row_accounted_for(real: PaganExport) -> None:
    assert real.report.rows == 14_711
    assert len(real.traces) == 92
    assert real.report.counts == {"duplicate": 3_524, "out_of_order": 354, "extra_differs": 3_524}
    assert real.report.used + real.report.counts["duplicate"] == real.report.rows
    assert real.report.extra_columns == ("PaganSession", "Group")


def test_sessions_of_the_real_export_are_in_order_of_time(real: PaganExport) -> None:
    for trace in real.traces:
        assert (np.diff(trace.timestamp_ms) > 0).all()
        assert (np.diff(trace.media_ms) >= 0).all()


def test_contradicting_groups_of_the_real_export_are_reported_not_decided(
    real: PaganExport,
) -> None:
    both = [trace for trace in real.traces if len(trace.extra["Group"]) > 1]
    assert len(both) == 25
    assert {tuple(sorted(trace.extra["Group"])) for trace in both} == {("Expert", "Mturk")}


def test_the_real_export_agrees_with_an_independent_count(
    real: PaganExport, real_file: Path
) -> None:
    """Counted without a CSV parser and without the importer: the distinct (time, media time, value)
    of each session.
    """
    cells: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for line in real_file.read_text().splitlines()[1:]:
        parts = line.split(",")
        cells[parts[4]].add(tuple(parts[5:8]))
    assert {trace.session_id: len(trace.value) for trace in real.traces} == {
        name: len(found) for name, found in cells.items()
    }


def write_pagan(rows: Iterable[PaganRow], file: TextIO) -> int:
    """The rows as a whole file; how many they are."""
    lines = [pagan_line(row) for row in rows]
    file.writelines([csv_line(list(PAGAN_HEADER)), *lines])
    return len(lines)


def test_round_trip_through_the_seven_column_file(real: PaganExport, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        count = write_pagan(
            (
                PaganRow(
                    original_name=trace.original_names[0],
                    database_name=trace.database_name,
                    participant=trace.participant,
                    session_id=trace.session_id,
                    timestamp_ms=int(at),
                    media_ms=media,
                    value=value,
                )
                for trace in real.traces
                for at, media, value in zip(
                    trace.timestamp_ms, trace.media_ms.tolist(), trace.value.tolist(), strict=True
                )
            ),
            file,
        )
    again = read_pagan(path)
    assert count == real.report.used == again.report.used
    assert again.report.findings == ()
    for one, other in zip(real.traces, again.traces, strict=True):
        assert one.session_id == other.session_id
        for name in ("timestamp_ms", "media_ms", "value"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_the_writer_keeps_the_format(tmp_path: Path) -> None:
    out = io.StringIO(newline="")
    assert (
        write_pagan(
            [
                PaganRow(
                    original_name='=a "b", c\nd',
                    database_name="DB",
                    participant="P",
                    session_id="S",
                    timestamp_ms=5,
                    media_ms=1.5,
                    value=-2.0,
                )
            ],
            out,
        )
        == 1
    )
    assert out.getvalue() == ",".join(PAGAN_HEADER) + '\n"\'=a ""b"", c d",DB,P,S,5,1.5,-2\n'
    path = tmp_path / "x.csv"
    path.write_text(out.getvalue())
    assert read_pagan(path).traces[0].value.tolist() == [-2.0]


@given_any(
    st.lists(
        st.binary(max_size=60) | st.sampled_from([row(n).encode() for n in range(3)]), max_size=8
    )
)
def test_whatever_stands_in_a_line_every_line_is_accounted_for(lines: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.csv"
        content = b"\n".join([HEAD.encode(), *lines]) + b"\n"
        path.write_bytes(content)
        found = read_pagan(path)
    left_out = {
        line
        for finding in found.report.findings
        if finding.fate == "left out"
        for line in finding.lines
    }
    assert found.report.rows == content.count(b"\n") - 1 == found.report.used + len(left_out)


def test_interleaved_sessions_are_taken_apart(tmp_path: Path) -> None:
    found = given(tmp_path, row(1, 0, 5), row(1, 0, 7, "S2"), row(2, 10, 6), row(2, 10, 8, "S2"))
    assert [(trace.session_id, trace.value.tolist()) for trace in found.traces] == [
        ("S1", [5, 6]),
        ("S2", [7, 8]),
    ]
    assert found.report.findings == ()


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("columns", "video,DB_1,P1,S1,5,1"),
        ("columns", row() + ",7"),
        ("header", HEAD),
        ("blank", ""),
        ("blank", "  "),
        ("number", row(value=0).replace(",0,0", ",0,high")),
        ("number", row().replace(",1000,", ",1e3,")),
        ("number", row().replace(",0,0", ",nan,0")),
        ("number", row().replace(",0,0", ",0,inf")),
        ("number", row().replace(",0,0", ",0,")),
        ("number", row().replace(",0,0", ",0,1_0")),
        ("no_id", row(who="")),
        ("no_id", row(session="")),
        ("quoting", 'a "b,"DB_1,P1,S1,5,1,2'),
        ("quoting", '"never closed,DB_1,P1,S1,5,1,2'),
    ],
)
def test_damaged_rows_are_left_out_and_named(tmp_path: Path, kind: str, line: str) -> None:
    found = given(tmp_path, row(1, 0, 1), line, row(2, 10, 2))
    assert found.report.counts == {kind: 1}
    assert found.report.findings[0].lines == (3,)
    assert found.report.findings[0].fate == "left out"
    assert "(lines 3)" in str(found.report.findings[0])
    assert [trace.value.tolist() for trace in found.traces] == [[1, 2]]


def test_bytes_that_are_no_text_cost_one_row(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(
        b"\xef\xbb\xbf"
        + HEAD.encode()
        + b"\r\n"
        + row(1).encode()
        + b"\r\nvid\xffeo,DB,P1,S1,2,0,0\r\n"
    )
    found = read_pagan(path)
    assert found.report.counts == {"not_utf8": 1}
    assert found.report.used == 1


def test_repeated_conflicting_and_late_rows(tmp_path: Path) -> None:
    found = given(
        tmp_path,
        row(1, 0, 1),
        row(3, 30, 3),
        row(2, 20, 2),
        row(3, 30, 3),
        row(3, 30, 9),
        row(4, 10, 4),
    )
    assert found.report.counts == {
        "duplicate": 1,
        "conflict": 2,
        "out_of_order": 1,
        "media_back": 1,
    }
    lines = {finding.kind: finding.lines for finding in found.report.findings}
    assert lines == {
        "duplicate": (5,),
        "conflict": (3, 6),
        "out_of_order": (4,),
        "media_back": (7,),
    }
    assert found.traces[0].value.tolist() == [1, 2, 3, 9, 4]
    assert found.traces[0].lines.tolist() == [2, 4, 3, 6, 7]


def test_a_last_line_without_an_end_is_noted(tmp_path: Path) -> None:
    found = given(tmp_path, row(1), row(2, 1, 12), end="")
    assert found.report.counts == {"no_line_end": 1}
    assert found.report.used == 2
    cut = given(tmp_path, row(1), row(2, 1, 12)[:-6], end="")
    assert cut.report.counts == {"columns": 1}


def test_the_eight_column_variant_keeps_the_external_id_apart(tmp_path: Path) -> None:
    found = given(
        tmp_path,
        row(1) + ",5f3a",
        row(2) + ",",
        row(3, session="S2") + ",77",
        head=HEAD + ",ExternalPID",
    )
    assert [trace.external_pid for trace in found.traces] == ["5f3a", "77"]
    assert found.report.extra_columns == ()


def test_other_delimiters_and_spellings_of_the_header(tmp_path: Path) -> None:
    found = given(tmp_path, row(1).replace(",", ";"), head=HEAD.lower().replace(",", ";"))
    assert found.report.used == 1


def test_what_is_no_export_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such file"):
        read_pagan(tmp_path / "none.csv")
    with pytest.raises(InvalidInput, match=r"'VideoTime' is not there. Did you mean 'VideoTim'"):
        given(tmp_path, head=HEAD.replace("VideoTime", "VideoTim"))
    with pytest.raises(InvalidInput, match="'Value' is there twice"):
        given(tmp_path, head=HEAD + ",value")
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(InvalidInput, match="the file is empty"):
        read_pagan(tmp_path / "empty.csv")


def test_arrays_cannot_be_changed(tmp_path: Path) -> None:
    trace = given(tmp_path, row(1)).traces[0]
    with pytest.raises(ValueError, match="read-only"):
        trace.value[0] = 1


def test_every_kind_of_trouble_says_what_becomes_of_the_row() -> None:
    assert {fate for fate, _ in KINDS.values()} == {"left out", "kept", "noted"}

"""Import an export of the PAGAN annotation platform: traces, and a report of every row that is not
as it should be.

An export has the columns `OriginalName, DatabaseName, Participant, SessionID, Timestamp, VideoTime,
Value`, newer ones also `ExternalPID`; any others are kept as extras. Rows arrive as the network
delivered them: sessions interleave, rows are duplicated or out of order. Rows are sorted by their
timestamps, and exact repetitions are counted and left out; nothing is filled in
or repaired, and contradictions between rows are not resolved.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput, NotFound, parsing
from believable.core.registry import did_you_mean

COLUMNS = (
    "OriginalName",
    "DatabaseName",
    "Participant",
    "SessionID",
    "Timestamp",
    "VideoTime",
    "Value",
)
EXTERNAL = "ExternalPID"

#: What can be wrong with a row, and what becomes of it.
KINDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "not_utf8": ("left out", "bytes that are no UTF-8 text"),
        "quoting": ("left out", "quotation marks that do not close on their line"),
        "columns": ("left out", "more or fewer cells than the header"),
        "header": ("left out", "the header again"),
        "blank": ("left out", "an empty line"),
        "number": ("left out", "a Timestamp, VideoTime or Value that is no number"),
        "no_id": ("left out", "no Participant, SessionID or DatabaseName"),
        "duplicate": (
            "left out",
            "a row of this session came before, equal in all of PAGAN's columns",
        ),
        "conflict": (
            "kept",
            "another row of this session has the same Timestamp and says something else",
        ),
        "out_of_order": ("kept", "its Timestamp is before that of an earlier row of its session"),
        "media_back": ("kept", "VideoTime goes back although time went on"),
        "extra_differs": ("noted", "an extra column differs from the session's first row"),
        "no_line_end": ("kept", "the last line does not end; its last cell may be cut off"),
    }
)

Number = TypeVar("Number", np.int64, np.float64)
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One participant's annotation of one video, in the order of time. Arrays are read-only.

    `source` is the file, `lines` are line numbers in it. `original_names` and `extra` hold every
    value found, in order of appearance: usually one each.
    """

    session_id: str
    participant: str
    database_name: str
    original_names: tuple[str, ...]
    external_pid: str | None
    extra: Mapping[str, tuple[str, ...]]
    timestamp_ms: NDArray[np.int64]
    media_ms: NDArray[np.float64]
    value: NDArray[np.float64]
    lines: NDArray[np.int64]
    source: str = ""

    @property
    def source_names(self) -> tuple[str, ...]:
        """How its file may be called."""
        return self.source, Path(self.source).name, Path(self.source).stem


@dataclass(frozen=True, slots=True)
class PaganFinding:
    """One kind of trouble and every line that has it."""

    kind: str
    fate: str
    about: str
    lines: tuple[int, ...]

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.lines[:10])) + (" …" if len(self.lines) > 10 else "")
        return f"{len(self.lines)} rows {self.fate}: {self.about} (lines {shown})"


@dataclass(frozen=True, slots=True)
class Report:
    """The data that was read: `rows` lines after the header, of which `used` are in the traces."""

    rows: int
    used: int
    findings: tuple[PaganFinding, ...]
    extra_columns: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        return {finding.kind: len(finding.lines) for finding in self.findings}


@dataclass(frozen=True, slots=True)
class PaganExport:
    traces: tuple[Trace, ...]
    report: Report


@dataclass(frozen=True, slots=True, kw_only=True)
class PaganSample:
    """A row that can be used."""

    line: int
    original_name: str
    database_name: str
    participant: str
    session_id: str
    timestamp_ms: int
    media_ms: float
    value: float
    external_pid: str
    extra: tuple[str, ...]

    @property
    def content(self) -> tuple[str, int, float, float, str]:
        return self.original_name, self.timestamp_ms, self.media_ms, self.value, self.external_pid


class _Findings(dict[str, list[int]]):
    """Lines by the kind of trouble."""

    def add(self, kind: str, line: int) -> None:
        self.setdefault(kind, []).append(line)

    def all(self) -> tuple[PaganFinding, ...]:
        return tuple(
            PaganFinding(kind, *KINDS[kind], tuple(sorted(self[kind])))
            for kind in KINDS
            if kind in self
        )


@dataclass(frozen=True, slots=True)
class _Header:
    cells: tuple[str, ...]
    place: Mapping[str, int]
    extra: tuple[tuple[str, int], ...]
    delimiter: str


def read_pagan(path: Path) -> PaganExport:
    """Read an export. Raises only when it is no PAGAN export at all; damaged rows are in the
    report.
    """
    if not path.is_file():
        raise NotFound(f"{path}: there is no such file. Name the CSV file that PAGAN exported.")
    with parsing(path, "Export it again from PAGAN."):
        return _read(path)


def _read(path: Path) -> PaganExport:
    content = path.read_bytes()
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    ended = lines[-1] == b""
    if ended:
        lines.pop()
    if not lines:
        raise InvalidInput(f"{path}: the file is empty. Export it again.")
    header = _header(path, lines[0])
    findings = _Findings()
    rows = list(_rows(lines, header, findings))
    if not ended and rows and rows[-1].line == len(lines):
        findings.add("no_line_end", len(lines))
    groups: dict[tuple[str, str, str], list[PaganSample]] = {}
    for row in rows:
        groups.setdefault((row.session_id, row.participant, row.database_name), []).append(row)
    names = tuple(name for name, _ in header.extra)
    traces = tuple(
        replace(_trace(group, names, findings), source=str(path)) for group in groups.values()
    )
    used = sum(len(trace.value) for trace in traces)
    return PaganExport(traces, Report(len(lines) - 1, used, findings.all(), names))


def _header(path: Path, line: bytes) -> _Header:
    text = line.decode("utf-8", "replace").rstrip("\r")
    for delimiter in ",;\t":
        cells = tuple(cell.strip() for cell in next(csv.reader([text], delimiter=delimiter), []))
        folded = [cell.casefold() for cell in cells]
        if all(name.casefold() in folded for name in COLUMNS):
            known = (*COLUMNS, EXTERNAL)
            twice = [name for name in known if folded.count(name.casefold()) > 1]
            if twice:
                raise InvalidInput(
                    f"{path}:1: the column {twice[0]!r} is there twice. Remove the one that is"
                    " wrong."
                )
            place = {
                name: folded.index(name.casefold()) for name in known if name.casefold() in folded
            }
            taken = set(place.values())
            extra = tuple(
                (cell, number) for number, cell in enumerate(cells) if number not in taken and cell
            )
            return _Header(cells, MappingProxyType(place), extra, delimiter)
    names = next(csv.reader([text]), [])
    missing = next(
        name
        for name in COLUMNS
        if name.casefold() not in [cell.strip().casefold() for cell in names]
    )
    raise InvalidInput(
        f"{path}:1: expected the columns {', '.join(COLUMNS)}, but {missing!r} is not there."
        f" {did_you_mean(missing, [cell for cell in names if cell.strip()][:20])}"
    )


def _rows(lines: Sequence[bytes], header: _Header, findings: _Findings) -> Iterator[PaganSample]:
    for number, line in enumerate(lines[1:], start=2):
        kind, cells = _cells(line, header)
        row = _row(number, cells, header) if not kind else None
        if isinstance(row, PaganSample):
            yield row
        else:
            findings.add(kind or str(row), number)


def _cells(line: bytes, header: _Header) -> tuple[str, list[str]]:
    """The cells of one line, or the kind of trouble."""
    try:
        text = line.decode().removesuffix("\r")
    except UnicodeDecodeError:
        return "not_utf8", []
    if not text.strip():
        return "blank", []
    try:
        cells = next(csv.reader([text], delimiter=header.delimiter, strict=True))
    except csv.Error:
        return "quoting", []
    if tuple(cell.strip() for cell in cells) == header.cells:
        return "header", []
    return ("columns", []) if len(cells) != len(header.cells) else ("", cells)


def _row(number: int, cells: Sequence[str], header: _Header) -> PaganSample | str:
    """The row, or the kind of trouble."""
    cell = {name: cells[place].strip() for name, place in header.place.items()}
    timestamp, media, value = cell["Timestamp"], cell["VideoTime"], cell["Value"]
    if not (_WHOLE.fullmatch(timestamp) and _NUMBER.fullmatch(media) and _NUMBER.fullmatch(value)):
        return "number"
    if not (math.isfinite(float(media)) and math.isfinite(float(value))):
        return "number"
    if not (cell["Participant"] and cell["SessionID"] and cell["DatabaseName"]):
        return "no_id"
    extra = tuple(cells[place].strip() for _, place in header.extra)
    return PaganSample(
        line=number,
        original_name=cell["OriginalName"],
        database_name=cell["DatabaseName"],
        participant=cell["Participant"],
        session_id=cell["SessionID"],
        timestamp_ms=int(timestamp),
        media_ms=float(media),
        value=float(value),
        external_pid=cell.get(EXTERNAL, ""),
        extra=extra,
    )


def _trace(rows: Sequence[PaganSample], names: Sequence[str], findings: _Findings) -> Trace:
    kept: list[PaganSample] = []
    seen: set[tuple[str, int, float, float, str]] = set()
    times: dict[int, list[PaganSample]] = {}
    latest_ms = rows[0].timestamp_ms
    for row in rows:
        if row.extra != rows[0].extra:
            findings.add("extra_differs", row.line)
        if row.content in seen:
            findings.add("duplicate", row.line)
            continue
        seen.add(row.content)
        if row.timestamp_ms < latest_ms:
            findings.add("out_of_order", row.line)
        latest_ms = max(latest_ms, row.timestamp_ms)
        times.setdefault(row.timestamp_ms, []).append(row)
        kept.append(row)
    for same in times.values():
        if len(same) > 1:
            for row in same:
                findings.add("conflict", row.line)
    kept.sort(key=lambda row: (row.timestamp_ms, row.line))
    for before, after in pairwise(kept):
        if after.media_ms < before.media_ms:
            findings.add("media_back", after.line)
    return _built(kept, rows, names)


def _built(kept: Sequence[PaganSample], rows: Sequence[PaganSample], names: Sequence[str]) -> Trace:
    first = kept[0]
    external = tuple(dict.fromkeys(row.external_pid for row in rows if row.external_pid))
    extra = {
        name: tuple(dict.fromkeys(row.extra[number] for row in rows))
        for number, name in enumerate(names)
    }
    if len(external) > 1:
        extra[EXTERNAL] = external
    return Trace(
        session_id=first.session_id,
        participant=first.participant,
        database_name=first.database_name,
        original_names=tuple(dict.fromkeys(row.original_name for row in rows)),
        external_pid=external[0] if len(external) == 1 else None,
        extra=MappingProxyType(extra),
        timestamp_ms=_to_array([row.timestamp_ms for row in kept], np.int64),
        media_ms=_to_array([row.media_ms for row in kept], np.float64),
        value=_to_array([row.value for row in kept], np.float64),
        lines=_to_array([row.line for row in kept], np.int64),
    )


def _to_array(values: Sequence[float], kind: type[Number]) -> NDArray[Number]:
    array = np.array(values, kind)
    array.flags.writeable = False
    return array

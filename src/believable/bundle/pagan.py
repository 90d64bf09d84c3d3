"""Traces as the 7-column CSV of the PAGAN platform, which other people's scripts read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TextIO

from believable.bundle.cells import csv_line, neutralised

HEADER = ("OriginalName", "DatabaseName", "Participant", "SessionID", "Timestamp", "VideoTime", "Value")


@dataclass(frozen=True, slots=True)
class PaganRow:
    """One change of an annotation. Times in milliseconds: since 1970, and in the video."""

    original_name: str
    database_name: str
    participant: str
    session_id: str
    timestamp_ms: int
    media_ms: float
    value: float


def write_pagan(rows: Iterable[PaganRow], file: TextIO) -> int:
    """Write the rows as they come; returns how many. Open `file` with `newline=""`."""
    file.write(csv_line(list(HEADER)))
    count = 0
    for row in rows:
        file.write(pagan_line(row))
        count += 1
    return count


def pagan_line(row: PaganRow) -> str:
    """One line. Names are kept from being run by spreadsheets; PAGAN has one line per row, so line breaks become spaces."""
    names = (row.original_name, row.database_name, row.participant, row.session_id)
    cells = [" ".join(neutralised(name).split()) for name in names]
    return csv_line([*cells, str(row.timestamp_ms), _plain(row.media_ms), _plain(row.value)])


def _plain(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))

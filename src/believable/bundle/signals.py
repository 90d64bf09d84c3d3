"""Known signals: what annotators were to follow, where a dataset comes from another tool and there is no study file."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from believable.bundle.tables import Cell, Field, Table
from believable.core.errors import InvalidInput, NotFound

Test = Literal["visual", "auditory"]

SIGNALS = Table(
    "signals",
    "What annotators were to follow, moment by moment. Only bundles made of other tools' recordings have it.",
    (
        Field("stimulus", "string", "Id of the stimulus.", required=True),
        Field("test", "string", "Which quality test it is.", required=True, one_of=("visual", "auditory")),
        Field("t_ms", "number", "Time in the medium.", required=True),
        Field("value", "number", "Brightness, pitch, or whatever was to be followed.", required=True),
    ),
    key=("stimulus", "t_ms"),
    refers=False,
)


@dataclass(frozen=True, slots=True)
class KnownSignal:
    """A signal by its samples, equally far apart."""

    test: Test
    t_ms: tuple[float, ...]
    values: tuple[float, ...]

    def rows(self, stimulus: str) -> Iterator[Mapping[str, Cell]]:
        for t_ms, value in zip(self.t_ms, self.values, strict=True):
            yield {"stimulus": stimulus, "test": self.test, "t_ms": t_ms, "value": value}


def read_signal(path: Path, *, test: Test, frames_per_s: float = 60) -> KnownSignal:
    """One sample per picture from the column `value` of a CSV file."""
    if not path.is_file():
        raise NotFound(f"{path}: there is no such file. Name the CSV file with the known signal.")
    if not (math.isfinite(frames_per_s) and frames_per_s > 0):
        raise InvalidInput(f"frames per second: expected a positive number, got {frames_per_s}.")
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        header = [cell.strip().casefold() for cell in next(reader, [])]
        if "value" not in header:
            raise InvalidInput(f"{path}:1: expected a column `value`, got {', '.join(header) or 'nothing'}.")
        place = header.index("value")
        values = [_number(path, reader.line_num, row, place) for row in reader if row]
    if not values:
        raise InvalidInput(f"{path}: there is no sample in it. Export the signal again.")
    times = tuple(frame * 1000 / frames_per_s for frame in range(len(values)))
    return KnownSignal(test, times, tuple(values))


def _number(path: Path, line: int, row: list[str], place: int) -> float:
    cell = row[place].strip() if place < len(row) else ""
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidInput(f"{path}:{line}: expected a number in the column `value`, got {cell!r}.")
    return value

"""Traces that somebody else has already resampled: one value per bin, as a CSV file."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from pathlib import Path

from believable.core.errors import InvalidInput, NotFound

_BIN = re.compile(r"bin_([0-9]+)ms")


@dataclass(frozen=True, slots=True)
class Prepared:
    """One annotator's trace of one stimulus. Bins without gaps, from 0."""

    session: str
    participant: str
    group: str
    stimulus: str
    bin_ms: int
    values: tuple[float, ...]

    @property
    def until_ms(self) -> float:
        return float(self.bin_ms * len(self.values))


def read_prepared(path: Path, *, stimulus: str) -> tuple[Prepared, ...]:
    """Columns `participant`, `bin_<n>ms` (the bin's number) and `value`; `session`, `group`, `stimulus` where there are any."""
    if not path.is_file():
        raise NotFound(f"{path}: there is no such file. Name the CSV file with the traces.")
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        names = [name.strip() for name in reader.fieldnames or []]
        bins = [match for name in names if (match := _BIN.fullmatch(name))]
        if "participant" not in names or "value" not in names or len(bins) != 1:
            raise InvalidInput(
                f"{path}:1: expected the columns participant, bin_<n>ms and value, got {', '.join(names) or 'nothing'}."
            )
        column, bin_ms = bins[0].group(0), int(bins[0].group(1))
        found: dict[tuple[str, str, str, str], list[float]] = {}
        for row in reader:
            key = (
                row.get("session") or "",
                row["participant"],
                row.get("group") or "",
                row.get("stimulus") or stimulus,
            )
            trace = found.setdefault(key, [])
            number, value = _numbers(path, reader.line_num, row[column], row["value"])
            if number != len(trace):
                raise InvalidInput(
                    f"{path}:{reader.line_num}: expected bin {len(trace)} of {row['participant']}, got {row[column]!r}."
                    " Bins go from 0 without gaps, one trace after the other."
                )
            trace.append(value)
    return tuple(Prepared(*key, bin_ms, tuple(values)) for key, values in found.items())


def _numbers(path: Path, line: int, number: str, value: str) -> tuple[int, float]:
    try:
        found = int(number), float(value)
    except ValueError:
        raise InvalidInput(
            f"{path}:{line}: expected a bin and a number, got {number!r} and {value!r}."
        ) from None
    if not math.isfinite(found[1]):
        raise InvalidInput(f"{path}:{line}: expected a finite value, got {value!r}.")
    return found

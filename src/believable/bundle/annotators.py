"""Which annotators of an imported export count: a list says who is in, in which group, and how far a recording goes."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.replay.importers.pagan import PaganExport, Trace

PARTICIPANT, UNTIL = "participant", "until_ms"


@dataclass(frozen=True, slots=True)
class Listed:
    """One line: the participant, what other columns of the export must be, and where the recording ends (None: where it does)."""

    participant: str
    columns: Mapping[str, str]
    until_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The recordings that are in, each with the end that the list gives it, and how many were left out."""

    export: PaganExport
    until_ms: tuple[float | None, ...]
    not_listed: int
    repeated: int


def read_annotators(path: Path, export: PaganExport) -> tuple[Listed, ...]:
    """A CSV file with a column `Participant`, any columns that the export has beside PAGAN's own, and perhaps `until_ms`."""
    if not path.is_file():
        raise NotFound(f"{path}: there is no such file. Name the CSV file that lists the annotators.")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    extra = {name.casefold(): name for name in export.report.extra_columns}
    found: list[Listed] = []
    for line, row in enumerate(rows, start=2):
        cells = {str(key).strip().casefold(): str(value or "").strip() for key, value in row.items()}
        if PARTICIPANT not in cells:
            raise InvalidInput(f"{path}:1: expected a column `Participant`, got {', '.join(cells)}.")
        unknown = [name for name in cells if name not in (PARTICIPANT, UNTIL) and name not in extra]
        if unknown:
            raise InvalidInput(
                f"{path}:1: the export has no column {unknown[0]!r}. {did_you_mean(unknown[0], list(extra.values()))}"
            )
        until = cells.pop(UNTIL, "")
        who = cells.pop(PARTICIPANT)
        found.append(
            Listed(
                who,
                MappingProxyType({extra[name]: cell for name, cell in cells.items()}),
                _until(path, line, until),
            )
        )
    return tuple(found)


def chosen(export: PaganExport, listed: Sequence[Listed]) -> Chosen:
    """The last recording of each listed annotator. The list settles columns that the export gives several values for."""
    kept: dict[int, tuple[Trace, float | None]] = {}
    repeated = 0
    matched: set[int] = set()
    for line in listed:
        fitting = [(number, trace) for number, trace in enumerate(export.traces) if _fits(trace, line)]
        matched |= {number for number, _ in fitting}
        if not fitting:
            raise InvalidInput(
                f"annotators: nobody in the export fits {line.participant} {dict(line.columns)}. Check the spelling."
            )
        number, trace = fitting[-1]
        repeated += len(fitting) - 1
        settled = {**trace.extra, **{name: (value,) for name, value in line.columns.items()}}
        kept[number] = replace(trace, extra=MappingProxyType(settled)), line.until_ms
    ordered = [kept[number] for number in sorted(kept)]
    report = replace(export.report, used=sum(len(trace.value) for trace, _ in ordered))
    return Chosen(
        PaganExport(tuple(trace for trace, _ in ordered), report),
        tuple(until for _, until in ordered),
        len(export.traces) - len(matched),
        repeated,
    )


def _fits(trace: Trace, line: Listed) -> bool:
    return trace.participant == line.participant and all(
        value in trace.extra.get(name, ()) for name, value in line.columns.items()
    )


def _until(path: Path, line: int, cell: str) -> float | None:
    if not cell:
        return None
    try:
        return float(cell)
    except ValueError:
        raise InvalidInput(f"{path}:{line}: expected milliseconds in `until_ms`, got {cell!r}.") from None

"""Which annotators of imported exports count: a list says who is in, in which group, and how far a
recording goes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from believable.bundle.foreign_csv import foreign_rows
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.recordings.importers.pagan import PaganExport, Trace

PARTICIPANT, UNTIL, FILE = "participant", "until_ms", "file"


@dataclass(frozen=True, slots=True)
class ListedAnnotator:
    """One line: the participant, required values of other columns of the exports, the end of the
    recording (None: its own end), and the file to which the line applies (None: all of them).
    """

    participant: str
    columns: Mapping[str, str]
    until_ms: float | None = None
    file: str | None = None

    @property
    def person(self) -> Hashable:
        """Lines about several files, or ends, speak of one person."""
        return self.participant, tuple(sorted(self.columns.items()))


@dataclass(frozen=True, slots=True)
class ChosenRecording:
    """A recording that is in: whose it is, and the end that the list gives it."""

    person: Hashable
    trace: Trace
    until_ms: float | None = None


@dataclass(frozen=True, slots=True)
class ChosenRecordings:
    """The recordings that are in, and how many were left out."""

    recordings: tuple[ChosenRecording, ...]
    not_listed: int
    repeated: int


def read_annotators(path: Path, exports: Sequence[PaganExport]) -> tuple[ListedAnnotator, ...]:
    """A CSV file with a column `Participant`, perhaps columns that the exports have in addition to
    PAGAN's, `until_ms`, `File`.
    """
    with foreign_rows(path, "annotators") as rows:
        names, lines = [name.casefold() for name in rows.names], list(rows)
    if PARTICIPANT not in names:
        raise InvalidInput(
            f"{path}:1: expected a column `Participant`, got {', '.join(names) or 'nothing'}."
        )
    extra = {name.casefold(): name for export in exports for name in export.report.extra_columns}
    files = {name for export in exports for trace in export.traces for name in trace.source_names}
    unknown = [
        name for name in names if name not in (PARTICIPANT, UNTIL, FILE) and name not in extra
    ]
    if unknown:
        raise InvalidInput(
            f"{path}:1: the export has no column {unknown[0]!r}."
            f" {did_you_mean(unknown[0], list(extra.values()))}"
        )
    listed: list[ListedAnnotator] = []
    for line, row in lines:
        cells = {name.casefold(): cell.strip() for name, cell in row.items()}
        until, about = cells.pop(UNTIL, ""), cells.pop(FILE, "") or None
        if about is not None and about not in files:
            raise InvalidInput(
                f"{path}:{line}: unknown file {about!r}. {did_you_mean(about, sorted(files))}"
            )
        who = cells.pop(PARTICIPANT)
        columns = MappingProxyType({extra[name]: cell for name, cell in cells.items()})
        listed.append(ListedAnnotator(who, columns, _until(path, line, until), about))
    return tuple(listed)


def choose_recordings(
    exports: Sequence[PaganExport],
    listed: Sequence[ListedAnnotator],
    part_of: Callable[[Trace], str] = lambda trace: trace.database_name,
) -> ChosenRecordings:
    """Of each listed annotator the last recording of every part (`part_of`: a quality test, or the
    video).

    The list settles columns that the exports give several values for; a file without such a column
    is not asked for it.
    """
    traces = [trace for export in exports for trace in export.traces]
    kept: dict[int, ChosenRecording] = {}
    matched: set[int] = set()
    for line in listed:
        fitting = [number for number, trace in enumerate(traces) if _fits(trace, line)]
        if not fitting:
            raise InvalidInput(
                f"annotators: nobody in the exports fits {line.participant} {dict(line.columns)}."
                " Check the spelling."
            )
        matched |= set(fitting)
        for number in {part_of(traces[number]): number for number in fitting}.values():
            trace = traces[number]
            settled = {**trace.extra, **{name: (value,) for name, value in line.columns.items()}}
            settling = replace(trace, extra=MappingProxyType(settled))
            kept[number] = ChosenRecording(line.person, settling, line.until_ms)
    return ChosenRecordings(
        tuple(kept[number] for number in sorted(kept)),
        len(traces) - len(matched),
        len(matched) - len(kept),
    )


def _fits(trace: Trace, line: ListedAnnotator) -> bool:
    return (
        trace.participant == line.participant
        and (line.file is None or line.file in trace.source_names)
        and all(
            value in trace.extra[name]
            for name, value in line.columns.items()
            if name in trace.extra
        )
    )


def _until(path: Path, line: int, cell: str) -> float | None:
    if not cell:
        return None
    try:
        return float(cell)
    except ValueError:
        raise InvalidInput(
            f"{path}:{line}: expected milliseconds in `until_ms`, got {cell!r}."
        ) from None

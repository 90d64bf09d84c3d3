"""Load a bundle back: typed column tables, with every checksum and every hash chain verified."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from believable.bundle.column_values import table_columns
from believable.bundle.frames import BundleColumn, TableFrame
from believable.bundle.package import EVENTS, FORMAT, RELEASE, STRAYS
from believable.bundle.tables import Cell, Field
from believable.core import event_chain
from believable.core.errors import InvalidInput, NotFound, parsing, reading
from believable.core.notebook import html_lines, html_table, html_title
from believable.core.registry import did_you_mean


@dataclass(frozen=True, slots=True)
class ColumnTable(TableFrame):
    """A table by columns. Nothing in it can be changed."""

    name: str
    columns: Mapping[str, BundleColumn]

    @property
    def heading(self) -> str:
        return self.name

    def typed_columns(self) -> Sequence[BundleColumn]:
        return tuple(self.columns.values())

    def rows(self) -> Iterator[dict[str, Cell]]:
        return iter(self)

    def __len__(self) -> int:
        return next((len(column.values) for column in self.columns.values()), 0)

    def __getitem__(self, name: str) -> BundleColumn:
        try:
            return self.columns[name]
        except KeyError:
            raise NotFound(
                f"table {self.name}: there is no column {name!r}."
                f" {did_you_mean(name, self.columns)}"
            ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEvent:
    """One line of the raw events or strays; `epoch` only for strays."""

    session: str
    seq: int
    received_ms: int
    body: str
    epoch: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedTimes:
    """How coarse the times of a release are, and the decisions made by the exact times.

    step_ms             durations of sessions are multiples of this; None: they are left out
    too_fast_below      the exclusions table names the sessions below this share of the median time;
                        None: nothing was searched
    begun_before_plan   how many analysed sessions began before the plan was registered; None: that
                        was not counted
    """

    step_ms: int | None
    too_fast_below: float | None
    begun_before_plan: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A dataset, verified. `definitions` maps hashes to the canonical JSON of the study; `released`
    is set in a release.
    """

    folder: Path
    title: str
    simulated: bool
    withdrawn: int
    tables: Mapping[str, ColumnTable]
    definitions: Mapping[str, str] = field(default_factory=dict)
    released: ReleasedTimes | None = None

    def __getitem__(self, name: str) -> ColumnTable:
        try:
            return self.tables[name]
        except KeyError:
            raise NotFound(
                f"{self.folder}: there is no table {name!r}. {did_you_mean(name, self.tables)}"
            ) from None

    def _repr_html_(self) -> str:
        marks = ["Simulated data: no person took part."] if self.simulated else []
        sizes = [[name, len(table), len(table.columns)] for name, table in self.tables.items()]
        table = html_table(["table", "rows", "columns"], sizes)
        return html_title(self.title) + html_lines(marks) + table

    def events(self) -> Iterator[RawEvent]:
        """The raw events, streamed."""
        return _lines(self.folder / EVENTS)

    def strays(self) -> Iterator[RawEvent]:
        return _lines(self.folder / STRAYS)


#: The fix for a damaged bundle.
_COPY_AGAIN = "Copy the bundle again, completely, or export it again."


def read(folder: Path | str) -> Bundle:
    """Load and verify. Raises `InvalidInput` that names the first thing that is not as it was
    written.
    """
    path = Path(folder)
    with reading(path, _COPY_AGAIN):
        return _read(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class _PackageLayout:
    """A parsed `datapackage.json`: names, paths and fields of the tables, and the paths of the
    definitions.
    """

    title: str
    simulated: bool
    withdrawn: int
    tables: tuple[tuple[str, str, tuple[Field, ...]], ...]
    definitions: tuple[str, ...]
    released: ReleasedTimes | None


def _parse_layout(package: Mapping[str, Any]) -> _PackageLayout:
    resources = [(str(entry["path"]), entry) for entry in package["resources"]]
    return _PackageLayout(
        title=str(package["title"]),
        simulated=bool(package["simulated"]),
        withdrawn=int(package["withdrawn"]),
        tables=tuple(
            (str(entry["name"]), path, tuple(_field(field) for field in entry["schema"]["fields"]))
            for path, entry in resources
            if entry.get("profile") == "tabular-data-resource"
        ),
        definitions=tuple(
            path for path, _ in resources if path.startswith("materials/definition-")
        ),
        released=_read_release(package),
    )


def _field(entry: Mapping[str, Any]) -> Field:
    is_required = bool(entry.get("constraints", {}).get("required"))
    return Field(
        name=str(entry["name"]),
        type=str(entry["type"]),
        about=str(entry.get("description", "")),
        required=is_required,
    )


def _read(folder: Path) -> Bundle:
    package = _package(folder)
    _verify_sums(folder)
    with parsing(folder / "datapackage.json", _COPY_AGAIN):
        layout = _parse_layout(package)
    tables = {name: _table(folder, name, path, fields) for name, path, fields in layout.tables}
    if "participants" in tables:
        _verify_chains(folder, tables["participants"])
    return Bundle(
        folder=folder,
        title=layout.title,
        simulated=layout.simulated,
        withdrawn=layout.withdrawn,
        tables=MappingProxyType(tables),
        definitions=_definitions(folder, layout.definitions),
        released=layout.released,
    )


_RELEASE_NUMBERS = {"step_ms": (int,), "too_fast_below": (int, float), "begun_before_plan": (int,)}


def _read_release(package: Mapping[str, Any]) -> ReleasedTimes | None:
    note = package.get(RELEASE)
    if note is None:
        return None
    if not isinstance(note, dict):
        raise InvalidInput(
            f"datapackage.json, {RELEASE}: expected an object, got {str(note)[:80]!r}. Copy the"
            " release again."
        )
    for name, types in _RELEASE_NUMBERS.items():
        if note.get(name) is not None and type(note[name]) not in types:
            raise InvalidInput(
                f"datapackage.json, {RELEASE}.{name}: expected a number or null, got"
                f" {str(note[name])[:80]!r}. Copy the release again."
            )
    return ReleasedTimes(**{name: note.get(name) for name in _RELEASE_NUMBERS})


def _package(folder: Path) -> dict[str, Any]:
    path = folder / "datapackage.json"
    if not path.is_file():
        raise NotFound(
            f"{folder}: there is no datapackage.json, so this is no bundle. Name the folder that"
            " `export` wrote."
        )
    try:
        package = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise InvalidInput(f"{path}: expected JSON ({error}). Export the bundle again.") from None
    if not isinstance(package, dict) or package.get("format") != FORMAT:
        written_format = package.get("format") if isinstance(package, dict) else None
        raise InvalidInput(
            f"{path}: expected format {FORMAT!r}, got {written_format!r}. Use the version that"
            " wrote it."
        )
    return package


def _verify_sums(folder: Path) -> None:
    sums = folder / "SHA256SUMS"
    if not sums.is_file():
        raise InvalidInput(f"{folder}: SHA256SUMS is missing. Copy the bundle again, completely.")
    for number, line in enumerate(sums.read_text("utf-8").splitlines(), start=1):
        digest, _, name = line.partition("  ")
        path = folder / name
        if not name or ".." in Path(name).parts or Path(name).is_absolute():
            raise InvalidInput(
                f"{sums}:{number}: expected a checksum and a path, got {line[:80]!r}. Copy the"
                " bundle again."
            )
        if not path.is_file():
            raise InvalidInput(f"{path}: the file is missing. Copy the bundle again, completely.")
        with path.open("rb") as file:
            checksum = hashlib.file_digest(file, "sha256").hexdigest()
        if checksum != digest:
            raise InvalidInput(
                f"{path}: its checksum is {checksum[:12]}…, expected {digest[:12]}…. It was changed"
                " or damaged after the export."
            )


def _definitions(folder: Path, paths: Sequence[str]) -> Mapping[str, str]:
    texts = [(folder / path).read_text("utf-8") for path in paths]
    return MappingProxyType({hashlib.sha256(text.encode()).hexdigest(): text for text in texts})


def _table(folder: Path, name: str, path: str, fields: Sequence[Field]) -> ColumnTable:
    columns = table_columns(folder / path, fields)
    return ColumnTable(
        name,
        MappingProxyType(
            {column.field.name: BundleColumn(column.field, *column.arrays()) for column in columns}
        ),
    )


def _lines(path: Path) -> Iterator[RawEvent]:
    with (
        reading(path, "Copy the bundle again."),
        gzip.open(path, "rt", encoding="utf-8", newline="\n") as file,
    ):
        for line in file:
            with parsing(path, "Copy the bundle again."):
                event = RawEvent(**json.loads(line))
            if (
                not isinstance(event.session, str)
                or type(event.seq) is not int
                or not isinstance(event.body, str)
            ):
                raise InvalidInput(
                    f"{path}: expected session, seq and body of an event, got {line[:80]!r}. Export"
                    " it again."
                )
            yield event


def _count(cell: Cell) -> int:
    if not isinstance(cell, int | None):
        raise ValueError(f"a number of events is {cell!r}")
    return cell or 0


def _verify_chains(folder: Path, participants: ColumnTable) -> None:
    """Recompute every session's chain from the raw events and compare it with the receipt."""
    expected = {
        str(row["session"]): (_count(row["events"]), row["receipt"]) for row in participants.rows()
    }
    seen: set[str] = set()
    session, head, seq = "", "", 0

    def settle() -> None:
        if session:
            count, receipt = expected[session]
            if seq < count or (seq == count and head != receipt):
                raise InvalidInput(
                    f"{folder / EVENTS}: the chain of session {session} does not lead to its"
                    f" receipt ({seq} events, {count} expected). Events were changed, lost or"
                    " reordered after the export."
                )

    for event in _lines(folder / EVENTS):
        if event.session != session:
            settle()
            if event.session in seen or event.session not in expected:
                raise InvalidInput(
                    f"{folder / EVENTS}: session {event.session} is not where it belongs. Export"
                    " the bundle again."
                )
            session, head, seq = event.session, event_chain.origin(event.session), 0
            seen.add(session)
        if event.seq == seq + 1 and seq < expected[session][0]:
            head, seq = event_chain.extend(head, [event.body]), event.seq
    settle()
    for name, (count, receipt) in expected.items():
        if name not in seen and receipt is not None and count > 0:
            raise InvalidInput(
                f"{folder / EVENTS}: the events of session {name} are missing ({count} expected)."
                " Copy the bundle again."
            )

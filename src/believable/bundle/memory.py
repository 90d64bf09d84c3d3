"""A bundle that was never a folder: tables from rows or columns, for simulated studies, tests and
notebooks.

```python rows = [{"session": "s1"}, {"session": "s2"}] columns = {"session": ["s1", "s2"], "trial":
"rate", "question": "q", "kind": "likert", "value_number": np.array([5, 6])}
memory.bundle({"participants": rows, "answers": columns}, definition) ```

Missing columns of a row are empty; columns that are never empty get the value of a plain, complete
session (`PLAIN`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from believable.bundle import round_tables
from believable.bundle.column_values import ARRAYS, BLANKS
from believable.bundle.frames import BundleColumn
from believable.bundle.judgements import JUDGEMENTS
from believable.bundle.marks import PLANS
from believable.bundle.read import Bundle, ColumnTable, RawEvent
from believable.bundle.signals import SIGNALS
from believable.bundle.tables import (
    BY_NAME,
    CODING_TABLES,
    DRAWS,
    TABLES,
    VERSIONS,
    BundleTable,
    Cell,
    Field,
    arm_field,
    order_field,
)
from believable.bundle.write import tables_of
from believable.contracts.registries import WORLDS
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.study.definition import Definition

#: Rows, or columns by name: one value for all rows, a list with None for missing values, or an
#: array (NaN is no number).
Rows: TypeAlias = Iterable[Mapping[str, Any]] | Mapping[str, Any]


@cache
def _special_tables() -> tuple[BundleTable, ...]:
    """Tables that only some bundles have."""
    return (
        JUDGEMENTS,
        *CODING_TABLES,
        *round_tables.tables_of([world.game for world in WORLDS if world.playing]),
        PLANS,
        SIGNALS,
        DRAWS,
        VERSIONS,
    )


#: Default values of columns that are never empty.
PLAIN: Mapping[str, Mapping[str, Cell]] = MappingProxyType(
    {
        "participants": {
            "link_kind": "simulated",
            "simulated": True,
            "state": "finished",
            "outcome": "complete",
            "included": True,
            "trials": 0,
            "events": 0,
            "takeovers": 0,
        },
        "trials": {"position": 0, "run": 0, "status": "done"},
        "answers": {"position": 0, "run": 0, "changes": 0, "pasted": 0},
        "traces": {"position": 0, "run": 0, "at_ms": 0},
        "flags": {"position": 0, "edits": 0, "undone": False},
        "reactions": {"position": 0, "try": 1, "number": 1, "early": 0},
        "views": {"position": 0, "player": 0, "what": "stimulus", "rate": 1.0},
        "shown": {
            "position": 0,
            "run": 0,
            "player": 0,
            "how": "played",
            "views": 1,
            "watched_ms": 0.0,
        },
        "actions": {"log": "memory", "actor": "figure"},
        "exclusions": {"scope": "session", "count": 1},
    }
)

#: Columns that replace each other if one of them is missing.
_SAME: Mapping[str, str] = MappingProxyType({"trial_key": "trial", "trial": "trial_key"})


class MemoryBundle(Bundle):
    """A bundle without a folder, so without raw events."""

    __slots__ = ()

    def events(self) -> Iterator[RawEvent]:
        return iter(())

    def strays(self) -> Iterator[RawEvent]:
        return iter(())


def bundle(
    tables: Mapping[str, Rows],
    *definitions: Definition,
    title: str = "",
    simulated: bool = True,
    withdrawn: int = 0,
) -> Bundle:
    """The tables, all of them: those left out are empty. The first definition is the one of all
    sessions unless their rows say another. Columns for arms and Latin squares are taken from the
    definitions, and from the rows' own names (`arm_…`, `order_…`).
    """
    coded = {table.name: table for table in _special_tables() if table.name in tables}
    known = {**BY_NAME, **{table.name: table for table in _special_tables()}}
    for name in tables:
        if name not in known:
            raise InvalidInput(
                f"tables: there is no table {name!r} in a bundle. {did_you_mean(name, known)}"
            )
    shapes = (
        {table.name: table for table in tables_of(definitions)} if definitions else dict(BY_NAME)
    )
    plain = {name: dict(cells) for name, cells in PLAIN.items()}
    plain["participants"] |= {
        "simulated": simulated,
        "link_kind": "simulated" if simulated else "open",
        "definition": definitions[0].hash if definitions else None,
    }
    column_tables = {
        table.name: _table(shapes[table.name], tables.get(table.name, ()), plain[table.name])
        for table in TABLES
    } | {name: _table(table, tables[name], {}) for name, table in coded.items()}
    return MemoryBundle(
        folder=Path("memory"),
        title=title or _title(definitions),
        simulated=simulated,
        withdrawn=withdrawn,
        tables=MappingProxyType(column_tables),
        definitions=MappingProxyType(
            {definition.hash: definition.to_json() for definition in definitions}
        ),
    )


def _title(definitions: Sequence[Definition]) -> str:
    if not definitions:
        return "in memory"
    study = definitions[0].study
    return study.title.in_language(study.languages[0])


def _table(shape: BundleTable, rows: Rows, plain: Mapping[str, Cell]) -> ColumnTable:
    columns, length = _by_columns(rows)
    shape = _with_own(shape, columns)
    for name in columns:
        if name not in shape.columns:
            raise InvalidInput(
                f"table {shape.name}: there is no column {name!r}."
                f" {did_you_mean(name, shape.columns)}"
            )
    if shape.name == "participants":
        columns.setdefault("number", np.arange(1, length + 1))
    if shape.name in ("flags", "reactions", "views"):
        columns.setdefault("seq", np.arange(1, length + 1))
    if shape.name == "flags":
        columns.setdefault("flag", [str(number) for number in range(1, length + 1)])
    filled = {}
    for field in shape.fields:
        other = columns.get(_SAME.get(field.name, ""))
        value = columns.get(field.name, plain.get(field.name) if other is None else other)
        filled[field.name] = _column(shape.name, field, value, length, plain.get(field.name))
    return ColumnTable(shape.name, MappingProxyType(filled))


def _by_columns(table: Rows) -> tuple[dict[str, Any], int]:
    if isinstance(table, Mapping):
        lengths = {len(column) for column in table.values() if _is_many(column)}
        if len(lengths) > 1:
            raise InvalidInput(f"columns: expected one length for all, got {sorted(lengths)}.")
        return dict(table), lengths.pop() if lengths else int(bool(table))
    rows = list(table)
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}, len(rows)


def _is_many(value: object) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


def _with_own(shape: BundleTable, columns: Mapping[str, Any]) -> BundleTable:
    if shape.name not in ("participants", JUDGEMENTS.name):
        return shape
    more: list[Field] = []
    for name in columns:
        if name not in shape.columns and name.startswith("arm_"):
            more.append(arm_field(name.removeprefix("arm_")))
        elif name not in shape.columns and name.startswith("order_"):
            more.append(order_field(name.removeprefix("order_")))
    return shape.with_fields(more)


def _column(table: str, field: Field, value: Any, length: int, plain: Cell) -> BundleColumn:
    array, missing = _array(field, value, length)
    if field.required and plain is not None and missing.any():
        array[missing], missing = plain, np.zeros(length, np.bool_)
    if field.required and missing.any():
        raise InvalidInput(
            f"table {table}: column {field.name!r} is never empty, and row"
            f" {int(np.argmax(missing))} has nothing there. Give it a value."
        )
    array.flags.writeable = missing.flags.writeable = False
    return BundleColumn(field, array, missing)


def _array(field: Field, value: Any, length: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Values and a mask of missing ones."""
    kind, blank = ARRAYS[field.type], BLANKS[field.type]
    if value is None:
        return np.full(length, blank, kind), np.ones(length, np.bool_)
    if not _is_many(value):
        return np.full(length, value, kind), np.zeros(length, np.bool_)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and field.type != "string":
        missing = np.isnan(value) if value.dtype.kind == "f" else np.zeros(length, np.bool_)
        filled: Any = blank
        return np.where(missing, filled, value).astype(kind), missing
    cells = np.empty(length, object)
    cells[:] = value
    nothing: Any = None
    missing = np.asarray(np.equal(cells, nothing), np.bool_)
    if field.type == "string":
        return cells, missing
    cells[missing] = blank
    return cells.astype(kind), missing

"""Cells of tables: estimates spread over columns, and undefined ones that keep their reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from believable.analysis.records import Cell, Column, Status, Table
from believable.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Undefined:
    """A cell without a value, and why."""

    reason: str


LOOSE_CELL = Cell | Undefined


def table(
    name: str,
    title: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[Any]],
    *,
    note: str = "",
    status: Status = "descriptive",
    marked: Iterable[tuple[int, str]] = (),
    data_only: bool = False,
) -> Table:
    """A table from rows whose cells may be `Undefined` or numpy values."""
    undefined: dict[tuple[int, str], str] = {}
    made = []
    for place, row in enumerate(rows):
        cells: list[Cell] = []
        for column, cell in zip(columns, row, strict=True):
            if isinstance(cell, Undefined):
                undefined[place, column.name] = cell.reason
            cells.append(_plain(cell))
        made.append(tuple(cells))
    return Table(
        name, title, tuple(columns), tuple(made), note, status, undefined, frozenset(marked), data_only
    )


def estimate_columns(name: str, title: str, *, digits: int = 2, about: str = "") -> tuple[Column, ...]:
    """Columns for a value and its bounds: `name`, `name_low`, `name_high`."""
    return (
        Column(name, title, "number", digits, about),
        Column(f"{name}_low", "low", "number", digits, f"lower bound of {name}"),
        Column(f"{name}_high", "high", "number", digits, f"upper bound of {name}"),
    )


def estimate_cells(estimate: Estimate) -> tuple[LOOSE_CELL, LOOSE_CELL, LOOSE_CELL]:
    """Value and bounds, each with the reason where there is none."""
    why = Undefined(estimate.reason or "")
    bounds = (why, why) if estimate.low is None else (estimate.low, estimate.high)
    return (why if estimate.value is None else estimate.value, *bounds)


def number_or(value: float | None, reason: str) -> LOOSE_CELL:
    return Undefined(reason) if value is None or value != value else float(value)


def _plain(cell: Any) -> Cell:
    if isinstance(cell, Undefined):
        return None
    plain = cell.item() if isinstance(cell, np.generic) else cell
    return None if isinstance(plain, float) and plain != plain else plain

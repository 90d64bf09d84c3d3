"""The data of a chart, taken from its table: rows by role, kinds of scales, text for the reader's
pointer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from believable.analysis import numbers
from believable.analysis.findings import Analysis, Cell, Chart, Column, Table
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean

#: Up to this number of rows a figure shows every column of its table at the pointer; above, only
#: the drawn columns.
ROWS_TOLD_WHOLE = 400
#: Enough digits for any screen, and no more bytes than needed.
DRAWN_DIGITS = 6
MOST_HUES = 8

NEEDED: Mapping[str, tuple[str, ...]] = {
    "points": ("category", "value"),
    "bars": ("category", "value"),
    "lines": ("x", "y"),
    "steps": ("x", "y"),
    "scatter": ("x", "y"),
    "histogram": ("from", "to", "count"),
    "heat": ("x", "y", "value"),
    "spans": ("lane", "from", "to"),
    "stacked": ("category", "value", "colour"),
}

#: Roles whose cells are numbers.
MEASURED = frozenset({"low", "high", "value", "from", "to", "count"})


@dataclass(frozen=True, slots=True)
class ChartRows:
    """A chart joined with its table. `rows` are keyed by role; `tooltip` are the fields shown at
    the pointer, with titles.
    """

    chart: Chart
    columns: Mapping[str, Column]
    rows: tuple[Mapping[str, Any], ...]
    tooltip: tuple[Mapping[str, Any], ...]

    def has(self, role: str) -> bool:
        return role in self.columns

    def values(self, role: str) -> list[Cell]:
        """Different values in order of appearance, without undefined ones."""
        return list(dict.fromkeys(row[role] for row in self.rows if row.get(role) is not None))

    def title(self, role: str) -> str:
        return self.columns[role].title if role in self.columns else ""

    def is_numeric(self, role: str) -> bool:
        """Whether the role's cells are numbers."""
        return role in MEASURED or all(
            isinstance(value, int | float) and not isinstance(value, bool)
            for value in self.values(role)
        )

    def format(self, role: str) -> str | None:
        """How an axis writes the role's numbers, as d3 says it."""
        column = self.columns.get(role)
        return "~%" if column is not None and column.form == "share" else None

    def span(self, role: str) -> tuple[float, float]:
        measures = [float(value) for value in self.values(role) if isinstance(value, int | float)]
        return (min(measures), max(measures)) if measures else (0.0, 1.0)


#: From a link cell such as `stimulus:day@12000` to an address, or None if there is none.
Links = Callable[[str], str | None]


_MOMENT = re.compile(r"stimulus:(?P<stimulus>[^@]+)@(?P<at_ms>\d+)")


def no_links(cell: str) -> str | None:
    """For files that are opened alone."""
    return None


def moments(base: str) -> Links:
    """Cells such as `stimulus:day@12000` as addresses below `base`, where the console plays it."""

    def address(cell: str) -> str | None:
        match = _MOMENT.fullmatch(cell)
        return None if match is None else f"{base}/{match['stimulus']}?at_ms={match['at_ms']}"

    return address


def drawn(chart: Chart, tables: Sequence[Table], links: Links = no_links) -> ChartRows:
    """The chart with its rows. Raises `InvalidInput` if the chart names columns that
    do not exist.
    """
    table = _table(chart, tables)
    names = [column.name for column in table.columns]
    missing = [role for role in NEEDED[chart.kind] if role not in chart.use]
    if missing:
        raise InvalidInput(
            f"chart {chart.name}: {chart.kind} needs a column for {', '.join(missing)}; it uses"
            f" {dict(chart.use)}."
        )
    columns = {}
    for role, name in chart.use.items():
        if name not in names:
            raise InvalidInput(
                f"chart {chart.name}: table {table.name} has no column {name!r} for {role}."
                f" {did_you_mean(name, names)}"
            )
        columns[role] = table.columns[names.index(name)]
    rows, tooltip = _rows(table, chart, columns, names)
    if "link" in columns:
        rows = tuple(
            {**row, "link": links(str(row["link"])) if row["link"] else None} for row in rows
        )
    return ChartRows(chart, columns, rows, tooltip)


def _table(chart: Chart, tables: Sequence[Table]) -> Table:
    for table in tables:
        if table.name == chart.table:
            return table
    known = [table.name for table in tables]
    raise InvalidInput(
        f"chart {chart.name}: there is no table {chart.table!r}. {did_you_mean(chart.table, known)}"
    )


def _rows(
    table: Table, chart: Chart, columns: Mapping[str, Column], names: Sequence[str]
) -> tuple[tuple[Mapping[str, Any], ...], tuple[Mapping[str, Any], ...]]:
    places = {role: names.index(name) for role, name in chart.use.items()}
    whole = len(table.rows) <= ROWS_TOLD_WHOLE
    shown = [
        (place, column)
        for place, column in enumerate(table.columns)
        if whole and column.name != "link"
    ]
    rows = []
    for row in table.rows:
        cells: dict[str, Any] = {role: round_number(row[place]) for role, place in places.items()}
        cells |= {f"t{place}": numbers.cell(column, row[place]) for place, column in shown}
        rows.append(cells)
    if whole:
        tooltip = [
            {"field": f"t{place}", "title": column.title, "type": "nominal"}
            for place, column in shown
        ]
    else:
        tooltip = [
            _tooltip_field(role, column) for role, column in columns.items() if role != "link"
        ]
    return tuple(rows), tuple(tooltip)


def _tooltip_field(role: str, column: Column) -> dict[str, Any]:
    field: dict[str, Any] = {"field": role, "title": column.title}
    if column.form in ("number", "p", "share"):
        digits = 3 if column.form == "p" else column.digits
        field |= {
            "type": "quantitative",
            "format": f".{digits}{'%' if column.form == 'share' else 'f'}",
        }
    return field


def round_number(value: Cell) -> Cell:
    """A number with the digits a drawing needs, and readable names; infinite values cannot be
    drawn.
    """
    if isinstance(value, str):
        return numbers.in_words(value)
    if not isinstance(value, float):
        return value
    return float(f"{value:.{DRAWN_DIGITS}g}") if math.isfinite(value) else None


def charts_of(analysis: Analysis) -> Iterator[tuple[Chart, tuple[Table, ...]]]:
    """Every chart with the tables it may draw: those of its section first, then all others."""
    every = analysis.tables
    for section in analysis.sections:
        for chart in section.charts:
            yield chart, (*section.tables, *every)


def hues(analysis: Analysis) -> Mapping[str, int]:
    """One colour per name in the whole report, so that a condition looks the same in every
    figure.
    """
    order: dict[str, int] = {}
    for chart, tables in charts_of(analysis):
        if "colour" in chart.use:
            plot = drawn(chart, tables)
            for value in plot.values("colour") if not plot.is_numeric("colour") else ():
                order.setdefault(str(value), len(order))
    return order

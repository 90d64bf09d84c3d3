"""Tables in the user's hands: as pandas, polars and Arrow, as rows, and as HTML in a notebook.

A column keeps its type if values are missing: integers stay integers, booleans stay booleans. Days
become dates. Columns whose name ends in `_ms` are numbers of milliseconds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from believable.bundle.tables import DAY_COLUMNS, Cell, Field
from believable.core.errors import InvalidInput, MissingExtra
from believable.core.notebook import html_table, html_title

T = TypeVar("T", bound=np.generic)

#: A notebook shows at most this many rows.
SHOWN_ROWS = 20
EXTRA = "frames"


@dataclass(frozen=True, slots=True)
class BundleColumn:
    """One column: its values as an array, and where values are missing (the array has 0, NaN,
    False or None there).
    """

    field: Field
    values: NDArray[Any]
    missing: NDArray[np.bool_]

    def cells(self) -> tuple[Cell, ...]:
        """Return plain values, None for missing ones."""
        return tuple(
            None if gone else value
            for value, gone in zip(self.values.tolist(), self.missing.tolist(), strict=True)
        )

    def map_values(self, of: Callable[[Any], Any], dtype: type[T]) -> NDArray[T]:
        """Apply `of` to each value. It is called once for a run of equal values, as in tables by
        session.
        """
        begins = np.flatnonzero(np.r_[len(self.values) > 0, self.values[1:] != self.values[:-1]])
        results = np.fromiter(map(of, self.values[begins]), dtype, len(begins))
        return np.repeat(results, np.diff(begins, append=len(self.values)))

    @property
    def type(self) -> str:
        """The type of the values: integer, number, boolean, string or day."""
        is_day = self.field.type == "string" and self.field.name in DAY_COLUMNS
        return "day" if is_day else self.field.type

    def days(self) -> NDArray[np.datetime64]:
        """Return the days of a column of days, NaT for missing ones."""
        days = np.full(len(self.values), "NaT", "datetime64[D]")
        for row in np.flatnonzero(~self.missing):
            try:
                days[row] = np.datetime64(self.values[row], "D")
            except ValueError:
                raise InvalidInput(
                    f"column {self.field.name}, row {row + 1}: expected a day such as 2026-11-18,"
                    f" got {self.values[row]!r}. Correct it, or read the rows instead."
                ) from None
        return days


class TableFrame:
    """A table that converts to pandas, polars and Arrow, is shown by notebooks, and is iterated by
    rows.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def heading(self) -> str:
        """The line above the table in a notebook."""

    @abstractmethod
    def typed_columns(self) -> Sequence[BundleColumn]:
        """Return the columns in order."""

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        """Yield each row by the names of its columns, None for missing values."""
        columns = self.typed_columns()
        names = [column.field.name for column in columns]
        for cells in zip(*(column.cells() for column in columns), strict=True):
            yield dict(zip(names, cells, strict=True))

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame`. Columns that may be empty have pandas' nullable types, so
        that integers and booleans stay such; numbers have NaN.
        """
        pandas = _library("pandas")
        return pandas.DataFrame(
            {column.field.name: _pandas_column(pandas, column) for column in self.typed_columns()}
        )

    def to_polars(self) -> Any:
        """Return a `polars.DataFrame`, with null for missing values."""
        polars = _library("polars")
        types = {
            "integer": polars.Int64,
            "number": polars.Float64,
            "boolean": polars.Boolean,
            "string": polars.String,
            "day": polars.Date,
        }
        return polars.DataFrame(
            [
                polars.Series(column.field.name, _plain_values(column), types[column.type])
                for column in self.typed_columns()
            ]
        )

    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`, with null for missing values."""
        pyarrow = _library("pyarrow")
        types = {
            "integer": pyarrow.int64(),
            "number": pyarrow.float64(),
            "boolean": pyarrow.bool_(),
            "string": pyarrow.string(),
            "day": pyarrow.date32(),
        }
        columns = self.typed_columns()
        return pyarrow.table(
            [
                pyarrow.array(
                    column.days() if column.type == "day" else column.values,
                    types[column.type],
                    mask=column.missing,
                )
                for column in columns
            ],
            names=[column.field.name for column in columns],
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface: DuckDB, polars, pandas and others read the table by it."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        columns = self.typed_columns()
        n_rows = len(columns[0].values) if columns else 0
        left_out = f", the first {SHOWN_ROWS} shown" if n_rows > SHOWN_ROWS else ""
        header = [column.field.name for column in columns]
        rows = (list(row.values()) for row in islice(self, SHOWN_ROWS))
        size = f"{n_rows} rows × {len(columns)} columns{left_out}"
        return html_title(f"{self.heading}: {size}") + html_table(header, rows)


def load_parquet() -> Any:
    """Return pyarrow's module that writes Parquet, or raise `MissingExtra`."""
    return _library("pyarrow.parquet")


def _plain_values(column: BundleColumn) -> list[Any]:
    return column.days().tolist() if column.type == "day" else list(column.cells())


def _pandas_column(pandas: Any, column: BundleColumn) -> Any:
    if column.type == "number":
        return column.values.copy()
    if column.type == "day":
        return pandas.array(column.days().astype("datetime64[s]"))
    if column.type == "string":
        return pandas.array(column.cells(), dtype="string")
    if column.field.required and not column.missing.any():
        return column.values.copy()
    nullable = "IntegerArray" if column.type == "integer" else "BooleanArray"
    return getattr(pandas.arrays, nullable)(column.values.copy(), column.missing.copy())


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(what=f"A table as {name}", extra=EXTRA) from None

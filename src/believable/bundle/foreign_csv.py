"""Rows of CSV files that other tools or people wrote."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from believable.core.errors import AS_CSV, InvalidInput, NotFound, reading


@dataclass(frozen=True, slots=True)
class ForeignRows:
    """The rows of an open file. `names` are its columns, without spaces around them."""

    path: Path
    names: tuple[str, ...]
    lines: Iterator[tuple[int, list[str]]]

    def __iter__(self) -> Iterator[tuple[int, dict[str, str]]]:
        """The number of the line and the cells by column. Cells that a line leaves out at its end
        are empty; a line with more cells than columns is refused.
        """
        for line, cells in self.lines:
            if not cells:
                continue
            if len(cells) > len(self.names):
                raise InvalidInput(
                    f"{self.path}:{line}: expected {len(self.names)} cells, as in line 1, got"
                    f" {len(cells)}. Put text with commas into double quotes."
                )
            yield (
                line,
                dict(zip(self.names, cells + [""] * (len(self.names) - len(cells)), strict=True)),
            )


@contextmanager
def foreign_rows(path: Path, what: str) -> Iterator[ForeignRows]:
    """Open a CSV file in UTF-8 with a line of names. `what` is in it, for the error if there is no
    such file.
    """
    if not path.is_file():
        raise NotFound(f"{path}: there is no such file. Name the CSV file with the {what}.")
    with reading(path, AS_CSV), path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        names = tuple(name.strip() for name in next(reader, []))
        yield ForeignRows(path, names, ((reader.line_num, cells) for cells in reader))

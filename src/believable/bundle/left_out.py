"""The analysed set in a bundle's tables: which sessions and answers the declared analysis leaves
out, and why.

The tables are read back before the bundle is sealed, the analysis chooses what to leave out, and
`included` and the exclusions table are written accordingly. So a reader who filters by `included`
has the sessions and answers of the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from believable.bundle.column_values import table_columns
from believable.bundle.frames import BundleColumn
from believable.bundle.read import Bundle, ColumnTable
from believable.bundle.tables import BundleTable, Cell, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisExclusions:
    """What an analysis leaves out.

    rows          further rows of the exclusions table: rules of the plan, and the protocol's own
                  cleaning
    sessions      whole sessions, whatever the reason
    trials        (session, trial_key)
    answers       (session, trial_key, question, player or -1)
    texts         whether answers count as left out because a reviewer excluded their text
    """

    rows: tuple[Row, ...] = ()
    sessions: frozenset[str] = frozenset()
    trials: frozenset[tuple[str, str]] = frozenset()
    answers: frozenset[tuple[str, str, str, int]] = frozenset()
    texts: bool = True

    def counts_session(self, row: Row) -> bool:
        return row["session"] not in self.sessions

    def counts_answer(self, row: Row) -> bool:
        session, trial_key, question = (
            str(row["session"]),
            str(row["trial_key"]),
            str(row["question"]),
        )
        player = row.get("player")
        key = session, trial_key, question, -1 if player is None else int(player)
        return (
            session not in self.sessions
            and (session, trial_key) not in self.trials
            and key not in self.answers
        )

    def exclusion(self, row: Row) -> Row:
        """A row that was there before, with whether it is applied."""
        return row if row["reason"] != "text_excluded" else {**row, "applied": self.texts}


#: Finds the rows to leave out, from the tables as they will be; None if no analysis is declared.
LeaveOut: TypeAlias = Callable[[Bundle], AnalysisExclusions | None]


class TablesOnDisk(Mapping[str, ColumnTable]):
    """Tables that are read when they are asked for: the largest ones, such as traces, often are
    not.
    """

    def __init__(
        self, folder: Path, paths: Mapping[str, str], tables: Mapping[str, BundleTable]
    ) -> None:
        self._folder, self._paths, self._tables = folder, paths, tables
        self._read: dict[str, ColumnTable] = {}

    def __getitem__(self, name: str) -> ColumnTable:
        if name not in self._read:
            columns = table_columns(self._folder / self._paths[name], self._tables[name].fields)
            typed = {
                column.field.name: BundleColumn(column.field, *column.arrays())
                for column in columns
            }
            self._read[name] = ColumnTable(name, MappingProxyType(typed))
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)


def with_included(
    table: ColumnTable, counts: Callable[[Row], bool]
) -> Iterator[dict[str, Cell]] | None:
    """The rows with `included` as `counts` says; None if it agrees with the current value."""
    rows = list(table.rows())
    included = [counts(row) for row in rows]
    if all(row["included"] == count for row, count in zip(rows, included, strict=True)):
        return None
    return ({**row, "included": count} for row, count in zip(rows, included, strict=True))

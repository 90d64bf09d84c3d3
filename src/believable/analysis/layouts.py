"""How sections, tables and figures are laid out: `tables.yaml` beside the code that computes what
is in them.

    reliability:                                  a table, by its name
      title: "Reliability of annotators"          title, note, status, data_only n: ["n", "integer",
      "Annotators."]          a column: title, form, perhaps digits, what it holds, whether it
      claims sda: ["SDA", "estimate", 3]                 an estimate: three columns, `sda`,
      `sda_low`, `sda_high` groups: null                                columns that depend on the
      study: handed over by this name
    figure reliability:                           a figure: the fields of `Chart`
    section reliability:                          a section: title, paragraphs, status

`{words}` in names and texts are handed over with the rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.analysis.findings import (
    Chart,
    Column,
    Finding,
    Section,
    Table,
    estimate_columns,
    table,
)
from believable.core.data_files import read_blocks
from believable.core.documents import document


class Layouts:
    """The layouts beside a module: `LAYOUTS = Layouts(__file__)`."""

    def __init__(self, module: str) -> None:
        self._folder = Path(module).parent
        self._blocks = read_blocks(self._folder / "tables.yaml")

    def table(
        self,
        layout: str,
        rows: Iterable[Sequence[Any]],
        /,
        *,
        marked: Iterable[tuple[int, str]] = (),
        data_only: bool = False,
        left_out: Collection[str] = (),
        **words: Any,
    ) -> Table:
        """The table with these rows, without columns that say nothing about the study."""
        block = _worded(self._blocks[layout], words)
        columns: list[Column] = []
        for key, entry in block.items():
            if entry is None:
                columns += words[key]
            elif isinstance(entry, list):
                columns += (
                    column for column in _columns(key, *entry) if column.name not in left_out
                )
        return table(
            layout.format(**words),
            block["title"],
            columns,
            rows,
            note=block.get("note", ""),
            status=block.get("status", "descriptive"),
            marked=marked,
            data_only=data_only or block.get("data_only", False),
        )

    def chart(self, layout: str, /, **words: Any) -> Chart:
        """The figure of a table that has the name the figure's layout says."""
        block = _worded(self._blocks[f"figure {layout}"], words)
        pairs = {key: tuple(entry) for key, entry in block.items() if key in ("x_range", "y_range")}
        rules = tuple((axis, float(value), about) for axis, value, about in block.get("rules", ()))
        return Chart(**{"name": layout.format(**words), **block, **pairs, "rules": rules})

    def paragraph(self, template: str, **facts: Any) -> str:
        """One paragraph from a template beside the module, whose lines may end where they like."""
        return document(self._folder / template, **facts).replace("\n", " ").strip()

    def section(
        self,
        layout: str,
        /,
        *,
        paragraphs: Iterable[str] = (),
        findings: Iterable[Finding] = (),
        tables: Iterable[Table | None] = (),
        charts: Iterable[Chart] = (),
        **words: Any,
    ) -> Section:
        """The section with these contents; paragraphs that depend on the study come after those of
        its layout.
        """
        block = _worded(self._blocks[f"section {layout}"], words)
        return Section(
            layout.format(**words),
            block["title"],
            (*block.get("paragraphs", ()), *paragraphs),
            tuple(findings),
            tuple(table for table in tables if table is not None),
            tuple(charts),
            block.get("status", "descriptive"),
        )


def _columns(name: str, title: str, form: Any = "text", *more: Any) -> Sequence[Column]:
    digits, *rest = more if more and isinstance(more[0], int) else (2, *more)
    if form == "estimate":
        return estimate_columns(name, title, digits=digits, about=rest[0] if rest else "")
    return (Column(name, title, form, digits, *rest),)


def _worded(entry: Any, words: Mapping[str, Any]) -> Any:
    """The same with the words in it."""
    if isinstance(entry, str):
        return entry.format(**words)
    if isinstance(entry, list):
        return [_worded(part, words) for part in entry]
    if isinstance(entry, dict):
        return {_worded(key, words): _worded(part, words) for key, part in entry.items()}
    return entry

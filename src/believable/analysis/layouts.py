"""How sections, tables and figures are laid out: `tables.yaml` next to the code that computes the
contents.

    reliability:                                  a table, by its name
      title: "Reliability of annotators"          title, note, status, data_only n: ["n", "integer",
      "Annotators."]          a column: title, form, perhaps digits, its content, whether it
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
    """The layouts next to a module: `LAYOUTS = Layouts(__file__)`."""

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
        block = _fill_in(self._blocks[layout], words)
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
        block = _fill_in(self._blocks[f"figure {layout}"], words)
        pairs = {key: tuple(entry) for key, entry in block.items() if key in ("x_range", "y_range")}
        rules = tuple((axis, float(value), about) for axis, value, about in block.get("rules", ()))
        return Chart(**{"name": layout.format(**words), **block, **pairs, "rules": rules})

    def paragraph(self, template: str, **facts: Any) -> str:
        """One paragraph from a template next to the module, whose line breaks do not matter."""
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
        """The section with these contents; paragraphs that depend on the study follow those of its
        layout.
        """
        block = _fill_in(self._blocks[f"section {layout}"], words)
        return Section(
            name=layout.format(**words),
            title=block["title"],
            paragraphs=(*block.get("paragraphs", ()), *paragraphs),
            findings=tuple(findings),
            tables=tuple(table for table in tables if table is not None),
            charts=tuple(charts),
            status=block.get("status", "descriptive"),
        )


def _columns(name: str, title: str, form: Any = "text", *more: Any) -> Sequence[Column]:
    digits, *rest = more if more and isinstance(more[0], int) else (2, *more)
    about = rest[0] if rest else ""
    claims = rest[1] if len(rest) > 1 else False
    if form == "estimate":
        return estimate_columns(name, title, digits=digits, about=about)
    return (Column(name=name, title=title, form=form, digits=digits, about=about, claims=claims),)


def _fill_in(entry: Any, words: Mapping[str, Any]) -> Any:
    """The same with the words in it."""
    if isinstance(entry, str):
        return entry.format(**words)
    if isinstance(entry, list):
        return [_fill_in(part, words) for part in entry]
    if isinstance(entry, dict):
        return {_fill_in(key, words): _fill_in(part, words) for key, part in entry.items()}
    return entry

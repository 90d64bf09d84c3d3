"""Results as files: one JSON with everything, one CSV per table, the exclusions row by row, and
what each column means.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from believable.analysis.findings import Analysis, Cell, Column, Table
from believable.bundle.cells import csv_line, neutralise

FORMAT = "believable-results/1"
RESULTS_FILE = "results.json"
TABLES_FOLDER = "tables"
METHODS_FILE = "methods.txt"
TEXT_FILE = "results.txt"
BIBTEX_FILE = "sources.bib"
#: Says in every row that data are simulated or stimuli are placeholders; present only if they are.
MARK_COLUMN = "mark"
_MARK = Column(
    name=MARK_COLUMN,
    title="Mark",
    about="What these rows rest on where it is not people and real stimuli.",
)


def holds_results(folder: Path) -> bool:
    """Whether everything in a folder belongs to our results: its own, or those of several studies
    in it.
    """
    if _has_results(folder):
        return True
    children = (
        [path for path in folder.iterdir() if not path.name.startswith(".")]
        if folder.is_dir()
        else []
    )
    return bool(children) and all(path.is_dir() and _has_results(path) for path in children)


def _has_results(folder: Path) -> bool:
    path = folder / RESULTS_FILE
    if not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return f'"format": "{FORMAT}"' in file.read(200)


def write(analysis: Analysis, folder: Path) -> tuple[Path, ...]:
    """Write everything into `folder`; the paths written. Same analysis, same bytes."""
    tables = folder / TABLES_FOLDER
    tables.mkdir(parents=True, exist_ok=True)
    texts = {
        folder / RESULTS_FILE: results_json(analysis),
        folder / METHODS_FILE: _mark(analysis, analysis.methods),
        folder / TEXT_FILE: _mark(analysis, analysis.results),
        **({folder / BIBTEX_FILE: analysis.bibtex} if analysis.bibtex else {}),
        tables / "funnel.csv": _marked_csv(
            ("title", "before", "after", "reason", "branch"),
            (
                (step.title, step.before, step.after, step.reason, step.branch)
                for step in analysis.funnel
            ),
            analysis.source.mark,
        ),
        tables / "exclusions.csv": _marked_csv(
            ("session", "level", "reason", "detail", "trial_key", "question"),
            (
                (drop.session, drop.level, drop.reason, drop.detail, drop.trial_key, drop.question)
                for drop in analysis.drops
            ),
            analysis.source.mark,
        ),
        tables / "columns.csv": _csv(
            ("table", "column", "title", "form", "about"),
            (
                (table.name, column.name, column.title, column.form, column.about)
                for table in analysis.tables
                for column in (*table.columns, *([_MARK] if analysis.source.mark else []))
            ),
        ),
        **{
            tables / f"{table.name}.csv": table_csv(table, analysis.source.mark)
            for table in analysis.tables
        },
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return tuple(texts)


def results_json(analysis: Analysis) -> str:
    """The whole analysis. Infinite bounds are the words `inf` and `-inf`; a cell's place is written
    `row.column`.
    """
    whole = {"format": FORMAT, **plain(analysis)}
    return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def table_csv(table: Table, mark: str = "") -> str:
    """A table at full precision; undefined cells are empty. A mark, such as that of simulated data,
    is a separate column.
    """
    return _marked_csv([column.name for column in table.columns], table.rows, mark)


def _marked_csv(names: Iterable[str], rows: Iterable[Iterable[Cell]], mark: str) -> str:
    return (
        _csv([*names, MARK_COLUMN], ((*row, mark) for row in rows)) if mark else _csv(names, rows)
    )


def _mark(analysis: Analysis, text: str) -> str:
    """A text that may be copied without its page starts by naming its subject."""
    return "\n\n".join([*analysis.source.marks, text]) + "\n"


def plain(value: Any) -> Any:
    """Records as JSON values."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): plain(part) for key, part in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(_key(member) for member in value)
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value.item() if hasattr(value, "item") else value


def _key(key: Any) -> str:
    return ".".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _csv(header: Iterable[str], rows: Iterable[Iterable[Cell]]) -> str:
    return csv_line(list(header)) + "".join(csv_line([_cell(cell) for cell in row]) for row in rows)


def _cell(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str):
        return neutralise(cell) if cell else ""
    return repr(float(cell)) if isinstance(cell, float) else str(int(cell))

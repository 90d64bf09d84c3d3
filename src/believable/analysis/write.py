"""Results as files: one JSON with everything, one CSV per table, the exclusions row by row, and what each column means."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from believable.analysis.records import Analysis, Cell, Table
from believable.bundle.cells import csv_line, neutralised

FORMAT = "believable-results/1"
RESULTS_FILE = "results.json"
TABLES_FOLDER = "tables"
METHODS_FILE = "methods.txt"
TEXT_FILE = "results.txt"


def write(analysis: Analysis, folder: Path) -> tuple[Path, ...]:
    """Write everything into `folder`; the paths written. Same analysis, same bytes."""
    tables = folder / TABLES_FOLDER
    tables.mkdir(parents=True, exist_ok=True)
    texts = {
        folder / RESULTS_FILE: results_json(analysis),
        folder / METHODS_FILE: analysis.methods + "\n",
        folder / TEXT_FILE: analysis.results + "\n",
        tables / "funnel.csv": _csv(
            ("title", "before", "after", "reason"),
            ((step.title, step.before, step.after, step.reason) for step in analysis.funnel),
        ),
        tables / "exclusions.csv": _csv(
            ("session", "level", "reason", "detail", "trial_key", "question"),
            (
                (drop.session, drop.level, drop.reason, drop.detail, drop.trial_key, drop.question)
                for drop in analysis.drops
            ),
        ),
        tables / "columns.csv": _csv(
            ("table", "column", "title", "form", "about"),
            (
                (table.name, one.name, one.title, one.form, one.about)
                for table in analysis.tables
                for one in table.columns
            ),
        ),
        **{tables / f"{table.name}.csv": table_csv(table) for table in analysis.tables},
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return tuple(texts)


def results_json(analysis: Analysis) -> str:
    """The whole analysis. Infinite bounds are the words `inf` and `-inf`; a cell's place is written `row.column`."""
    whole = {"format": FORMAT, **plain(analysis)}
    return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def table_csv(table: Table) -> str:
    """A table at full precision; undefined cells are empty."""
    return _csv((one.name for one in table.columns), table.rows)


def plain(value: Any) -> Any:
    """Records as JSON values."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): plain(one) for key, one in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(_key(one) for one in value)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
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
        return neutralised(cell) if cell else ""
    return repr(float(cell)) if isinstance(cell, float) else str(int(cell))

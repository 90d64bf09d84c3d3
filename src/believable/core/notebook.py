"""HTML for notebooks: small tables and paragraphs. All text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table. None is an empty cell."""
    head = "".join(f"<th>{escape(title)}</th>" for title in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_text(cell))}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_title(text: str) -> str:
    """Return a bold line."""
    return f"<p><b>{escape(text)}</b></p>"


def html_lines(lines: Iterable[str]) -> str:
    """Return one paragraph per line."""
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def html_fields(record: Any) -> str:
    """Return a record as a table of its fields, without those that are empty. A record inside it
    is written by its own fields.
    """
    rows = []
    for field in fields(record):
        value = getattr(record, field.name)
        if value is None or value == ():
            continue
        if is_dataclass(value):
            inner = ((one.name, getattr(value, one.name)) for one in fields(value))
            value = ", ".join(f"{name} {_text(of)}" for name, of in inner if of not in (None, ()))
        rows.append([field.name, value])
    return html_table([type(record).__name__, ""], rows)


def _text(cell: object) -> str:
    if cell is None:
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)

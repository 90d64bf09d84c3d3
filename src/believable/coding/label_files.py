"""Texts, codebooks and labels as CSV, in and out. Text that a spreadsheet would run is neutralised
as in the bundle.
"""

from __future__ import annotations

import csv
import io
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from pydantic import ValidationError

from believable import __version__
from believable.bundle.cells import csv_line, neutralise, restore_text
from believable.coding.labels import (
    BETWEEN,
    DIRECTIONS,
    SIDES,
    Label,
    Mark,
    problems,
    spans_from,
    spans_text,
)
from believable.coding.responses import Response
from believable.core.errors import AS_CSV, InvalidInput, reading
from believable.core.registry import did_you_mean
from believable.study.codebook import Code, Codebook, Discard

TEXT_COLUMNS = ("text", "judge", "condition", "scenario", "prompt")
CODE_COLUMNS = (
    "kind",
    "code",
    "label",
    "short",
    "definition",
    "keywords",
    "examples",
    "direction",
    "side",
    "parent",
    "excludes",
    "wins_over",
    "other",
)
LABEL_COLUMNS = (
    "response",
    "coder",
    "code",
    "direction",
    "side",
    "spans",
    "discard",
    "uncertain",
    "memo",
)
_LISTS = ("keywords", "examples", "excludes", "wins_over")
_SWITCHES = ("direction", "side", "other")


def text_file(path: Path) -> str:
    """The contents of an imported table, or an error that names it."""
    with reading(path, AS_CSV):
        return path.read_text(encoding="utf-8")


def read_rows(
    text: str, *, needs: Sequence[str], knows: Sequence[str], file: str
) -> list[tuple[int, dict[str, str]]]:
    """Rows with their line numbers. Columns may be in any order; `needs` must be there, others than
    `knows` are refused.
    """
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        header = next(reader, [])
        for name in needs:
            if name not in header:
                raise InvalidInput(
                    f"{file}:1: there is no column {name!r}. Expected: {', '.join(knows)}."
                )
        for name in header:
            if name not in knows:
                raise InvalidInput(
                    f"{file}:1: unknown column {name!r}. {did_you_mean(name, knows)}"
                )
        rows = []
        for row in reader:
            if len(row) != len(header):
                raise InvalidInput(
                    f"{file}:{reader.line_num}: expected {len(header)} cells, got {len(row)}. Quote"
                    " cells that hold commas."
                )
            cells = {name: restore_text(cell) for name, cell in zip(header, row, strict=True)}
            rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise InvalidInput(
            f"{file}:{reader.line_num}: expected CSV ({error}). Save it as CSV with commas, UTF-8."
        ) from None
    return rows


def table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """CSV text; None is an empty cell."""
    lines = [csv_line(list(columns))]
    for row in rows:
        lines.append(csv_line([_cell(row.get(name)) for name in columns]))
    return "".join(lines)


def _cell(value: Any) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return neutralise(value) if isinstance(value, str) else str(value)


# ----------------------------------------------------------------------------------------------
# texts


def read_texts(text: str, file: str = "texts.csv") -> list[Response]:
    """Texts from elsewhere: `text`, and who wrote it, in which condition and scenario, to which
    question, where known.
    """
    responses = []
    for line, row in read_rows(text, needs=("text",), knows=TEXT_COLUMNS, file=file):
        if not row["text"].strip():
            raise InvalidInput(f"{file}:{line} text: expected words, got none. Remove the row.")
        responses.append(
            Response(
                text=row["text"],
                prompt=row.get("prompt", ""),
                judge=row.get("judge") or f"row {line}",
                trial_key=f"row {line}",
                condition=row.get("condition") or None,
                scenario=row.get("scenario") or None,
            )
        )
    if not responses:
        raise InvalidInput(f"{file}: there are no texts in it.")
    return responses


# ----------------------------------------------------------------------------------------------
# codebooks


def write_codebook(book: Codebook) -> str:
    rows: list[dict[str, Any]] = [
        {"kind": "code", "code": code.id}
        | {
            name: getattr(code, name)
            for name in ("label", "short", "definition", "parent", *_SWITCHES)
        }
        | {name: BETWEEN.join(getattr(code, name)) for name in _LISTS}
        for code in book.codes
    ]
    rows += [
        {
            "kind": "discard",
            "code": discard.id,
            "label": discard.label,
            "definition": discard.definition,
        }
        for discard in book.discards
    ]
    return table(CODE_COLUMNS, rows)


def read_codebook(
    text: str, book_id: str, *, title: str = "", file: str = "codebook.csv"
) -> Codebook:
    codes, discards = [], []
    for line, row in read_rows(
        text, needs=("code", "label", "definition"), knows=CODE_COLUMNS, file=file
    ):
        try:
            if row.get("kind") == "discard":
                discards.append(
                    Discard(id=row["code"], label=row["label"], definition=row["definition"])
                )
            else:
                codes.append(_code(row, f"{file}:{line}"))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise InvalidInput(
                f"{file}:{line} {where}: {first['msg']}, got {first['input']!r}."
            ) from None
    if not codes:
        raise InvalidInput(f"{file}: there are no codes in it.")
    return Codebook(
        id=book_id,
        title=title or book_id,
        pick="many",
        codes=tuple(codes),
        discards=tuple(discards),
    )


def _code(row: Mapping[str, str], place: str) -> Code:
    switches = {name: _switch(row.get(name, ""), f"{place} {name}") for name in _SWITCHES}
    lists = {
        name: tuple(member.strip() for member in row.get(name, "").split(";") if member.strip())
        for name in _LISTS
    }
    return Code(
        id=row["code"],
        label=row["label"],
        short=row.get("short", ""),
        definition=row["definition"],
        parent=row.get("parent") or None,
        **switches,
        **lists,
    )


def _switch(cell: str, place: str) -> bool:
    if cell.lower() not in ("true", "false", ""):
        raise InvalidInput(f"{place}: expected true or false, got {cell!r}.")
    return cell.lower() == "true"


# ----------------------------------------------------------------------------------------------
# labels


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A file's verdict on one text by one coder."""

    number: int
    coder: str
    mark: Mark


def write_labels(marks: Iterable[MarkedText]) -> str:
    rows: list[dict[str, Any]] = []
    for mark in marks:
        base = {
            "response": mark.number,
            "coder": mark.coder,
            "discard": mark.mark.discard,
            "uncertain": mark.mark.uncertain,
            "memo": mark.mark.memo,
        }
        for label in mark.mark.labels:
            rows.append(
                base
                | {
                    "code": label.code,
                    "direction": label.direction,
                    "side": label.side,
                    "spans": spans_text(label.spans),
                }
            )
        if not mark.mark.labels:
            rows.append(base)
    return table(LABEL_COLUMNS, rows)


def read_labels(
    text: str, book: Codebook, texts: Mapping[int, str], file: str = "labels.csv"
) -> list[MarkedText]:
    """Labels made elsewhere. Every row is checked against the codebook and the texts; the first
    problem is reported with its line.
    """
    marks: dict[tuple[int, str], Mark] = {}
    for line, row in read_rows(text, needs=("response", "coder"), knows=LABEL_COLUMNS, file=file):
        place = f"{file}:{line}"
        if (
            not row["response"].isdecimal()
            or len(row["response"]) > 9
            or int(row["response"]) not in texts
        ):
            raise InvalidInput(
                f"{place} response: expected the number of a text, got {row['response'][:20]!r}."
            )
        if not row["coder"]:
            raise InvalidInput(f"{place} coder: expected a name, got nothing.")
        number = int(row["response"])
        mark = _merge(marks.get((number, row["coder"])), row, place)
        wrong = problems(book, mark, texts[number])
        if wrong:
            raise InvalidInput(f"{place}: {wrong[0]}. Correct the file, or the codebook.")
        marks[number, row["coder"]] = mark
    return [MarkedText(number, coder, mark) for (number, coder), mark in marks.items()]


def _merge(before: Mark | None, row: Mapping[str, str], place: str) -> Mark:
    labels = before.labels if before is not None else ()
    if row.get("code"):
        direction, side = row.get("direction") or None, row.get("side") or None
        if direction not in (*DIRECTIONS, None) or side not in (*SIDES, None):
            raise InvalidInput(
                f"{place}: expected + or - and more or less, got {direction!r} and {side!r}."
            )
        try:
            spans = spans_from(row.get("spans"))
        except ValueError:
            raise InvalidInput(
                f"{place} spans: expected from-to pairs like 0-5, got {row.get('spans')!r}."
            ) from None
        labels = (*labels, Label(row["code"], direction, side, spans))
    return Mark(
        labels=labels,
        discard=row.get("discard") or (before.discard if before is not None else None),
        uncertain=_switch(row.get("uncertain", ""), f"{place} uncertain"),
        memo=row.get("memo", "") or (before.memo if before is not None else ""),
        done=True,
    )


# ----------------------------------------------------------------------------------------------
# QDA-XML


NAMESPACE = "urn:QDA-XML:codebook:1.0"
#: Names of codes and their guids never change between exports.
_GUIDS = uuid.uuid5(uuid.NAMESPACE_URL, "believable codebook")
_COLOURS = ("#1f5f8b", "#26734d", "#8a5a00", "#a92b2b", "#6b4fa0", "#0f766e", "#9d174d", "#4d5562")
_SIGNS = {"+": "+", "-": "−"}


def to_qdc(book: Codebook) -> str:
    """The file's text. A code with a direction holds one code per direction; reasons to discard are
    a separate set.
    """
    root = ET.Element("CodeBook", {"xmlns": NAMESPACE, "origin": f"believable {__version__}"})
    codes = ET.SubElement(root, "Codes")
    children: dict[str | None, list[Code]] = {}
    for code in book.codes:
        children.setdefault(code.parent if code.parent in book.by_id else None, []).append(code)
    for code in children.get(None, []):
        _add(codes, book, code, children)
    for discard in book.discards:
        _element(
            codes,
            _guid(book, "discard", discard.id),
            f"Discard: {discard.label}",
            discard.definition,
            codable=True,
        )
    sets = ET.SubElement(root, "Sets")
    if book.discards:
        _set(
            sets, book, "Reasons to discard", [("discard", discard.id) for discard in book.discards]
        )
    sided = [("code", code.id) for code in book.codes if code.side]
    if sided:
        _set(sets, book, "Applied to the more or the less human-like one", sided)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _guid(book: Codebook, *names: str) -> str:
    return str(uuid.uuid5(_GUIDS, "\x1f".join((book.id, *names)))).upper()


def _add(
    parent: ET.Element, book: Codebook, code: Code, children: dict[str | None, list[Code]]
) -> None:
    number = [code.id for code in book.codes].index(code.id)
    element = _element(
        parent,
        _guid(book, "code", code.id),
        code.label,
        description(code),
        codable=not code.direction,
        colour=_COLOURS[number % len(_COLOURS)],
    )
    for direction in code.variants():
        if direction is not None:
            name = f"{code.label} {_SIGNS[direction]}"
            _element(element, _guid(book, "code", code.id, direction), name, "", codable=True)
    for child in children.get(code.id, []):
        _add(element, book, child, children)


def description(code: Code) -> str:
    """The definition with everything else that helps a coder, as text."""
    parts = [code.definition]
    if code.keywords:
        parts.append(f"Keywords: {'; '.join(code.keywords)}.")
    if code.examples:
        parts.append("Examples: " + " ".join(f"“{example}”" for example in code.examples))
    if code.wins_over:
        parts.append(f"Wins over: {', '.join(code.wins_over)}.")
    if code.excludes:
        parts.append(f"Excludes: {', '.join(code.excludes)}.")
    return "\n".join(parts)


def _element(
    parent: ET.Element,
    guid: str,
    name: str,
    words: str,
    *,
    codable: bool,
    colour: str | None = None,
) -> ET.Element:
    attributes = {"guid": guid, "name": name, "isCodable": "true" if codable else "false"}
    element = ET.SubElement(parent, "Code", attributes | ({"color": colour} if colour else {}))
    if words:
        ET.SubElement(element, "Description").text = words
    return element


def _set(parent: ET.Element, book: Codebook, name: str, members: list[tuple[str, str]]) -> None:
    element = ET.SubElement(parent, "Set", {"guid": _guid(book, "set", name), "name": name})
    for member in members:
        ET.SubElement(element, "MemberCode", {"guid": _guid(book, *member)})

"""Texts, codebooks and labels as CSV, in and out. Text that a spreadsheet would run is neutralised as in the bundle."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from believable.bundle.cells import csv_line, neutralised, restored
from believable.coding.final import spans_from, spans_text
from believable.coding.labels import DIRECTIONS, SIDES, Label, Mark, problems
from believable.coding.responses import Response
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.study.codebook import Code, Codebook, Discard

TEXT_COLUMNS = ("text", "judge", "condition", "scenario", "prompt")
CODE_COLUMNS = (
    "kind", "code", "label", "short", "definition", "keywords", "examples", "direction", "side", "parent", "excludes",
    "wins_over", "other",
)  # fmt: skip
LABEL_COLUMNS = ("response", "coder", "code", "direction", "side", "spans", "discard", "uncertain", "memo")
#: Between the members of a list in one cell.
BETWEEN = "; "
_LISTS = ("keywords", "examples", "excludes", "wins_over")
_SWITCHES = ("direction", "side", "other")


def read_rows(
    text: str, *, needs: Sequence[str], knows: Sequence[str], file: str
) -> list[tuple[int, dict[str, str]]]:
    """Rows with their line numbers. Columns may come in any order; `needs` must be there, others than `knows` are refused."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        header = next(reader, [])
        for name in needs:
            if name not in header:
                raise InvalidInput(f"{file}:1: there is no column {name!r}. Expected: {', '.join(knows)}.")
        for name in header:
            if name not in knows:
                raise InvalidInput(f"{file}:1: unknown column {name!r}. {did_you_mean(name, knows)}")
        found = []
        for row in reader:
            if len(row) != len(header):
                raise InvalidInput(
                    f"{file}:{reader.line_num}: expected {len(header)} cells, got {len(row)}. Quote cells that hold commas."
                )
            cells = {name: restored(cell) for name, cell in zip(header, row, strict=True)}
            found.append((reader.line_num, cells))
    except csv.Error as error:
        raise InvalidInput(
            f"{file}:{reader.line_num}: expected CSV ({error}). Save it as CSV with commas, UTF-8."
        ) from None
    return found


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
    return neutralised(value) if isinstance(value, str) else str(value)


# ---------------------------------------------------------------------------------------------- texts


def read_texts(text: str, file: str = "texts.csv") -> list[Response]:
    """Texts from elsewhere: `text`, and who wrote it, in which condition and scenario, to which question, where known."""
    found = []
    for line, row in read_rows(text, needs=("text",), knows=TEXT_COLUMNS, file=file):
        if not row["text"].strip():
            raise InvalidInput(f"{file}:{line} text: expected words, got none. Remove the row.")
        found.append(
            Response(
                text=row["text"],
                prompt=row.get("prompt", ""),
                judge=row.get("judge") or f"row {line}",
                trial_key=f"row {line}",
                condition=row.get("condition") or None,
                scenario=row.get("scenario") or None,
            )
        )
    if not found:
        raise InvalidInput(f"{file}: there are no texts in it.")
    return found


# ---------------------------------------------------------------------------------------------- codebooks


def write_codebook(book: Codebook) -> str:
    rows: list[dict[str, Any]] = [
        {"kind": "code", "code": code.id}
        | {name: getattr(code, name) for name in ("label", "short", "definition", "parent", *_SWITCHES)}
        | {name: BETWEEN.join(getattr(code, name)) for name in _LISTS}
        for code in book.codes
    ]
    rows += [
        {"kind": "discard", "code": one.id, "label": one.label, "definition": one.definition}
        for one in book.discards
    ]
    return table(CODE_COLUMNS, rows)


def read_codebook(text: str, book_id: str, *, title: str = "", file: str = "codebook.csv") -> Codebook:
    codes, discards = [], []
    for line, row in read_rows(text, needs=("code", "label", "definition"), knows=CODE_COLUMNS, file=file):
        try:
            if row.get("kind") == "discard":
                discards.append(Discard(id=row["code"], label=row["label"], definition=row["definition"]))
            else:
                codes.append(_code(row, f"{file}:{line}"))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise InvalidInput(f"{file}:{line} {where}: {first['msg']}, got {first['input']!r}.") from None
    if not codes:
        raise InvalidInput(f"{file}: there are no codes in it.")
    return Codebook(
        id=book_id, title=title or book_id, pick="many", codes=tuple(codes), discards=tuple(discards)
    )


def _code(row: Mapping[str, str], place: str) -> Code:
    switches = {name: _switch(row.get(name, ""), f"{place} {name}") for name in _SWITCHES}
    lists = {
        name: tuple(one.strip() for one in row.get(name, "").split(";") if one.strip()) for name in _LISTS
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


# ---------------------------------------------------------------------------------------------- labels


@dataclass(frozen=True, slots=True)
class Marked:
    """What a file says about one text by one coder."""

    number: int
    coder: str
    mark: Mark


def write_labels(marks: Iterable[Marked]) -> str:
    rows: list[dict[str, Any]] = []
    for one in marks:
        base = {
            "response": one.number,
            "coder": one.coder,
            "discard": one.mark.discard,
            "uncertain": one.mark.uncertain,
            "memo": one.mark.memo,
        }
        for label in one.mark.labels:
            rows.append(
                base
                | {
                    "code": label.code,
                    "direction": label.direction,
                    "side": label.side,
                    "spans": spans_text(label.spans),
                }
            )
        if not one.mark.labels:
            rows.append(base)
    return table(LABEL_COLUMNS, rows)


def read_labels(
    text: str, book: Codebook, texts: Mapping[int, str], file: str = "labels.csv"
) -> list[Marked]:
    """Labels made elsewhere. Every row is checked against the codebook and the texts; the first problem is told with its line."""
    found: dict[tuple[int, str], Mark] = {}
    for line, row in read_rows(text, needs=("response", "coder"), knows=LABEL_COLUMNS, file=file):
        place = f"{file}:{line}"
        if not row["response"].isdecimal() or int(row["response"]) not in texts:
            raise InvalidInput(f"{place} response: expected the number of a text, got {row['response']!r}.")
        if not row["coder"]:
            raise InvalidInput(f"{place} coder: expected a name, got nothing.")
        number = int(row["response"])
        mark = _merged(found.get((number, row["coder"])), row, place)
        wrong = problems(book, mark, texts[number])
        if wrong:
            raise InvalidInput(f"{place}: {wrong[0]}. Correct the file, or the codebook.")
        found[number, row["coder"]] = mark
    return [Marked(number, coder, mark) for (number, coder), mark in found.items()]


def _merged(before: Mark | None, row: Mapping[str, str], place: str) -> Mark:
    labels = before.labels if before is not None else ()
    if row.get("code"):
        direction, side = row.get("direction") or None, row.get("side") or None
        if direction not in (*DIRECTIONS, None) or side not in (*SIDES, None):
            raise InvalidInput(f"{place}: expected + or - and more or less, got {direction!r} and {side!r}.")
        try:
            spans = spans_from(row.get("spans"))
        except ValueError:
            raise InvalidInput(
                f"{place} spans: expected from-to pairs like 0-5, got {row.get('spans')!r}."
            ) from None
        labels = (*labels, Label(row["code"], direction, side, spans))
    return Mark(
        labels,
        row.get("discard") or (before.discard if before is not None else None),
        _switch(row.get("uncertain", ""), f"{place} uncertain"),
        row.get("memo", "") or (before.memo if before is not None else ""),
        done=True,
    )

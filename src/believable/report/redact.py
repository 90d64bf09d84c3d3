"""Taking spots out of a bundle: in its tables and in its raw events, whose hash chains are computed
again if they change.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.bundle.cells import csv_line, neutralise, restore_text
from believable.bundle.package import EVENTS, STRAYS, checksums
from believable.core import event_chain
from believable.report.privacy import (
    NUMBERS,
    Known,
    Spot,
    asked_in,
    long_number,
    nobody,
    place_in,
    read_lines,
    tables_of,
    without,
)

REMOVED = "[removed]"
#: Events that hold a text on its way.
_TYPED = ("answer.change", "flag.add", "flag.edit")
#: A row of a table as it is written, by column.
Row = dict[str, str]


def redact(folder: Path, chosen: Sequence[Spot], known: Known = nobody) -> int:
    """Remove the chosen spots everywhere in the bundle; the number of sessions whose receipts are
    new.
    """
    wanted: dict[tuple[str, int | None, str], set[str]] = {}
    for spot in chosen:
        wanted.setdefault((spot.session, spot.position, spot.question), set()).add(spot.kind)
    heads: dict[str, str] = {}
    for name in (EVENTS, STRAYS):
        if (folder / name).is_file():
            _events(folder / name, wanted, known, heads if name == EVENTS else {})
    for path, columns in tables_of(folder):
        _table(path, columns, wanted, known, heads)
    reseal(folder)
    return len(heads)


def _table(
    path: Path,
    columns: frozenset[str],
    wanted: Mapping[tuple[str, int | None, str], set[str]],
    known: Known,
    heads: Mapping[str, str],
) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        header = list(reader.fieldnames or ())
        rows = list(reader)
    touched = False
    for row in rows:
        session, position = place_in(row)
        for column in columns & row.keys():
            kinds = frozenset(wanted.get((session, position, asked_in(row, column)), ()))
            text = restore_text(row[column]) if kinds and row[column] else ""
            cleaned = without(text, kinds, known)
            if cleaned != text:
                row[column], touched = neutralise(cleaned), True
        number, kinds = (
            long_number(row.get(NUMBERS)),
            frozenset(wanted.get((session, position, asked_in(row, NUMBERS)), ())),
        )
        if number is not None and without(number, kinds, known) != number:
            row[NUMBERS], touched = "", True
        if row.get("receipt") and session in heads:
            row["receipt"], touched = heads[session], True
    if touched:
        lines = [csv_line(header), *(csv_line([row[name] for name in header]) for row in rows)]
        path.write_text("".join(lines), encoding="utf-8", newline="")


def _events(
    path: Path,
    wanted: Mapping[tuple[str, int | None, str], set[str]],
    known: Known,
    heads: dict[str, str],
) -> None:
    """Rewrites the lines; `heads` gets the new end of each changed session's chain."""
    sessions = {session for session, _, _ in wanted}
    lines = list(read_lines(path))
    touched: set[str] = set()
    for line in lines:
        if line["session"] in sessions:
            cleaned = _body(line["body"], line["session"], wanted, known)
            if cleaned != line["body"]:
                line["body"] = cleaned
                touched.add(line["session"])
    if not touched:
        return
    for session in sorted(touched):
        heads[session] = event_chain.extend(
            event_chain.origin(session), unbroken_bodies(lines, session)
        )
    write_lines(path, lines)


def unbroken_bodies(lines: Sequence[Mapping[str, Any]], session: str) -> list[str]:
    """The bodies up to the first gap: the events of a chain."""
    bodies: list[str] = []
    for line in lines:
        if line["session"] == session and line["seq"] == len(bodies) + 1:
            bodies.append(line["body"])
    return bodies


def _body(
    text: str, session: str, wanted: Mapping[tuple[str, int | None, str], set[str]], known: Known
) -> str:
    body = json.loads(text)
    data = body.get("data")
    if not isinstance(data, dict):
        return text
    position = body.get("trial")

    def kinds(question: str) -> frozenset[str]:
        return frozenset(wanted.get((session, position, question), ()))

    for name, value in list(data.items()):
        if name == "answers" and isinstance(value, dict):
            data[name] = {
                question: _clean(answer, kinds(question), known)
                for question, answer in value.items()
            }
        elif name != "question":
            own = str(data.get("question", name))
            # Text typed before the last version may contain a part of it, which no pattern finds.
            half = body.get("kind") in _TYPED and bool(kinds(own))
            data[name] = (
                REMOVED if half and isinstance(value, str) else _clean(value, kinds(own), known)
            )
    return text if json.loads(text) == body else json_text(body)


def _clean(value: Any, kinds: frozenset[str], known: Known) -> Any:
    if not kinds:
        return value
    if isinstance(value, str):
        return without(value, kinds, known)
    if isinstance(value, dict):
        return {name: _clean(part, kinds, known) for name, part in value.items()}
    if (number := long_number(value)) is not None:
        return value if without(number, kinds, known) == number else None
    return [_clean(part, kinds, known) for part in value] if isinstance(value, list) else value


def reseal(folder: Path) -> None:
    """Lengths and checksums of the files as they are now."""
    described = folder / "datapackage.json"
    package = json.loads(described.read_text("utf-8"))
    for resource in package["resources"]:
        content = (folder / resource["path"]).read_bytes()
        resource["bytes"] = len(content)
        resource["hash"] = f"sha256:{hashlib.sha256(content).hexdigest()}"
    described.write_text(json_text(package, indent=2) + "\n", encoding="utf-8")
    sums = folder / "SHA256SUMS"
    listed = [line.partition("  ")[2] for line in sums.read_text("utf-8").splitlines()]
    fresh = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in listed}
    sums.write_text(checksums(fresh), encoding="utf-8")


_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def json_text(value: Any, *, indent: int | None = None) -> str:
    """JSON that UTF-8 can write: half a character, as a browser can hold one, stays escaped.

    >>> json_text({"value": "nice \\ud83d"})
    '{"value":"nice \\\\ud83d"}'
    """
    text = json.dumps(
        value, ensure_ascii=False, indent=indent, separators=None if indent else (",", ":")
    )
    return _HALF_CHARACTER.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def write_lines(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    written = io.BytesIO()
    with gzip.GzipFile(
        filename="", mode="wb", compresslevel=6, fileobj=written, mtime=0
    ) as archive:
        for line in lines:
            archive.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
    path.write_bytes(written.getvalue())

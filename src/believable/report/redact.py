"""Taking spots out of a bundle: in its tables and in its raw events, whose hash chains are made anew where they change."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.bundle.cells import csv_line, neutralised, restored
from believable.bundle.package import EVENTS, PAGAN, STRAYS, checksums
from believable.core import event_chain
from believable.report.privacy import Known, Spot, nobody, tables_of, without

REMOVED = "[removed]"


def redact(folder: Path, chosen: Sequence[Spot], known: Known = nobody) -> int:
    """Remove the chosen spots everywhere in the bundle; the number of sessions whose receipts are new."""
    wanted: dict[tuple[str, int | None, str], set[str]] = {}
    for spot in chosen:
        wanted.setdefault((spot.session, spot.position, spot.question), set()).add(spot.kind)
    changed: set[Path] = set()
    heads: dict[str, str] = {}
    for name in (EVENTS, STRAYS):
        path = folder / name
        if path.is_file() and _events(path, wanted, known, heads if name == EVENTS else {}):
            changed.add(path)
    for path, columns in tables_of(folder):
        if _table(path, columns, wanted, known, heads):
            changed.add(path)
    _reseal(folder, changed)
    return len(heads)


def _table(
    path: Path,
    columns: frozenset[str],
    wanted: Mapping[tuple[str, int | None, str], set[str]],
    known: Known,
    heads: Mapping[str, str],
) -> bool:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        header = list(reader.fieldnames or ())
        rows = list(reader)
    touched = False
    for row in rows:
        position = int(row["position"]) if row.get("position") else None
        session = restored(row.get("session") or "")  # ids of older databases may begin with `-`
        kinds = wanted.get((session, position, row.get("question", "")), set())
        for column in columns & row.keys() if kinds else ():
            text = restored(row[column]) if row[column] else ""
            cleaned = without(text, frozenset(kinds), known)
            if cleaned != text:
                row[column], touched = neutralised(cleaned), True
        if row.get("receipt") and session in heads:
            row["receipt"], touched = heads[session], True
    if touched:
        lines = [csv_line(header), *(csv_line([row[name] for name in header]) for row in rows)]
        path.write_text("".join(lines), encoding="utf-8", newline="")
    return touched


def _events(path: Path, wanted: Mapping[tuple[str, int | None, str], set[str]], known: Known, heads: dict[str, str]) -> bool:
    """Rewrites the lines; `heads` gets the new end of each changed session's chain."""
    sessions = {session for session, _, _ in wanted}
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        lines = [json.loads(line) for line in file]
    touched: set[str] = set()
    for line in lines:
        if line["session"] in sessions:
            cleaned = _body(line["body"], line["session"], wanted, known)
            if cleaned != line["body"]:
                line["body"] = cleaned
                touched.add(line["session"])
    if not touched:
        return False
    for session in sorted(touched):
        heads[session] = event_chain.extend(event_chain.origin(session), _unbroken(lines, session))
    _write_lines(path, lines)
    return True


def _unbroken(lines: Sequence[Mapping[str, Any]], session: str) -> list[str]:
    """The bodies up to the first gap: what a chain is made of."""
    bodies: list[str] = []
    for line in lines:
        if line["session"] == session and line["seq"] == len(bodies) + 1:
            bodies.append(line["body"])
    return bodies


def _body(text: str, session: str, wanted: Mapping[tuple[str, int | None, str], set[str]], known: Known) -> str:
    body = json.loads(text)
    data = body.get("data")
    if not isinstance(data, dict):
        return text
    position = body.get("trial")

    def kinds(question: str) -> frozenset[str]:
        return frozenset(wanted.get((session, position, question), ()))

    for name, value in list(data.items()):
        if name == "answers" and isinstance(value, dict):
            data[name] = {question: _cleaned(answer, kinds(question), known) for question, answer in value.items()}
        elif name != "question":
            own = str(data.get("question", name))
            # What was typed before the last version may hold the half of it, which no pattern finds.
            half = body.get("kind") == "answer.change" and bool(kinds(own))
            data[name] = REMOVED if half and isinstance(value, str) else _cleaned(value, kinds(own), known)
    cleaned = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text if json.loads(text) == body else cleaned


def _cleaned(value: Any, kinds: frozenset[str], known: Known) -> Any:
    if not kinds:
        return value
    if isinstance(value, str):
        return without(value, kinds, known)
    if isinstance(value, dict):
        return {name: _cleaned(part, kinds, known) for name, part in value.items()}
    return [_cleaned(part, kinds, known) for part in value] if isinstance(value, list) else value


def _reseal(folder: Path, changed: set[Path]) -> None:
    """Lengths and checksums of what was rewritten."""
    names = {path.relative_to(folder).as_posix() for path in changed}
    described = folder / "datapackage.json"
    package = json.loads(described.read_text("utf-8"))
    for resource in package["resources"]:
        if resource["path"] in names:
            content = (folder / resource["path"]).read_bytes()
            resource["bytes"] = len(content)
            resource["hash"] = f"sha256:{hashlib.sha256(content).hexdigest()}"
    described.write_text(json.dumps(package, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    sums = folder / "SHA256SUMS"
    listed = [line.partition("  ")[2] for line in sums.read_text("utf-8").splitlines()]
    fresh = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in listed}
    sums.write_text(checksums(fresh), encoding="utf-8")


# ---------------------------------------------------------------------------------------------- times


def relative_times(folder: Path) -> int:
    """Every wall-clock time of the bundle as milliseconds since its session's first event, so that nobody's start can be looked
    up elsewhere; the number of sessions. Their chains and receipts are made anew.
    """
    starts: dict[str, int] = {}
    written: dict[str, list[dict[str, Any]]] = {}
    for name in (EVENTS, STRAYS):
        path = folder / name
        if path.is_file():
            with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
                written[name] = [json.loads(line) for line in file]
    for line in written.get(EVENTS, []):
        at_ms = json.loads(line["body"]).get("at_ms"), line.get("received_ms")
        times = [time for time in at_ms if isinstance(time, int)]
        if times:
            starts[line["session"]] = min(starts.get(line["session"], min(times)), *times)
    for row in _trace_rows(folder):
        session = restored(row["session"])
        if row.get("at_ms") and (session not in starts or not written.get(EVENTS)):
            starts[session] = min(starts.get(session, int(row["at_ms"])), int(row["at_ms"]))
    heads: dict[str, str] = {}
    changed: set[Path] = set()
    for name, lines in written.items():
        for line in lines:
            start = starts.get(line["session"], 0)
            line["body"] = _later(line["body"], start)
            if isinstance(line.get("received_ms"), int):
                line["received_ms"] = max(0, line["received_ms"] - start)
        if name == EVENTS:
            for session in sorted({line["session"] for line in lines}):
                heads[session] = event_chain.extend(event_chain.origin(session), _unbroken(lines, session))
        _write_lines(folder / name, lines)
        changed.add(folder / name)
    for path, _ in tables_of(folder):
        if _times_of(path, "session", "at_ms", starts, heads):
            changed.add(path)
    pagan = folder / PAGAN
    if pagan.is_file() and _times_of(pagan, "SessionID", "Timestamp", starts, {}):
        changed.add(pagan)
    changed |= set(_redescribed(folder))
    _reseal(folder, changed)
    return len(starts)


#: What tables and codebooks say about times in an export, and in a release.
_CLOCK, _SINCE_START = "Wall-clock time in milliseconds since 1970.", "Milliseconds since the session's first event."


def _redescribed(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".json", ".md") and path.is_file():
            text = path.read_text("utf-8")
            if _CLOCK in text:
                path.write_text(text.replace(_CLOCK, _SINCE_START), encoding="utf-8")
                yield path


def _trace_rows(folder: Path) -> Iterator[dict[str, str]]:
    for path, _ in tables_of(folder):
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if "at_ms" in (reader.fieldnames or ()):
                yield from reader


def _later(text: str, start: int) -> str:
    body = json.loads(text)
    if isinstance(body.get("at_ms"), int | float):
        body["at_ms"] = max(0, body["at_ms"] - start)
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _times_of(path: Path, who: str, time: str, starts: Mapping[str, int], heads: Mapping[str, str]) -> bool:
    """Rewrites a table's column of times and its receipts; whether there was anything to rewrite."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        header = list(reader.fieldnames or ())
        rows = list(reader)
    if time not in header and "receipt" not in header:
        return False
    for row in rows:
        session = restored(row.get(who) or "")
        if row.get(time):
            row[time] = str(max(0, int(float(row[time])) - starts.get(session, 0)))
        if row.get("receipt") and session in heads:
            row["receipt"] = heads[session]
    lines = [csv_line(header), *(csv_line([row[name] for name in header]) for row in rows)]
    path.write_text("".join(lines), encoding="utf-8", newline="")
    return True


def _write_lines(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    written = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=written, mtime=0) as archive:
        for line in lines:
            archive.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
    path.write_bytes(written.getvalue())

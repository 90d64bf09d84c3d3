"""Looking through a bundle for what must not be published: every table and every raw event."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.bundle.cells import restored
from believable.bundle.package import EVENTS, STRAYS
from believable.report.privacy import Known, matches, nobody

ID_CHARACTERS = 8
EXCERPT = 60
#: Columns that hold ids, hashes and words of the study; people cannot write into them.
NOT_WRITTEN = frozenset(
    {
        "session", "receipt", "definition", "trial", "trial_key", "kind", "condition", "scenario", "stimulus", "question",
        "instrument", "input", "link_kind", "state", "outcome", "status", "language", "started_on", "what", "log", "action",
        "reason", "scope", "how", "label",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spot:
    """Something in the data of one session that may give somebody away. The id stays the same as long as the data do."""

    id: str
    kind: str
    session: str
    place: str
    excerpt: str
    cure: str
    position: int | None = None
    question: str = ""


def tables_of(folder: Path) -> Iterator[tuple[Path, frozenset[str]]]:
    """Every table of the bundle with its columns of text."""
    package = json.loads((folder / "datapackage.json").read_text("utf-8"))
    for resource in package["resources"]:
        if resource.get("profile") == "tabular-data-resource" and resource["path"].startswith("data/"):
            names = {one["name"] for one in resource["schema"]["fields"] if one["type"] == "string"}
            yield folder / resource["path"], frozenset(names - NOT_WRITTEN)


def spots(folder: Path, known: Known = nobody) -> tuple[Spot, ...]:
    """Everything found, each once: what stands in a table is not told again from the events behind it."""
    found: dict[str, Spot] = {}
    for one in (*_in_tables(folder, known), *_in_events(folder, known)):
        found.setdefault(one.id, one)
    return tuple(found.values())


def column_spots(folder: Path) -> tuple[Spot, ...]:
    """Whole columns that a release must not have."""
    found = []
    for path, columns in tables_of(folder):
        if "recruiter_hash" in columns:
            place = f"{path.name}, column recruiter_hash"
            cure = "Export without --with-recruiter-hashes."
            found.append(Spot(_id(place), "recruiter id", "", place, "keyed hashes of recruiters' ids", cure))
    return tuple(found)


def _in_tables(folder: Path, known: Known) -> Iterator[Spot]:
    for path, columns in tables_of(folder):
        with path.open(encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.DictReader(file), start=2):
                position = row.get("position")
                for column in columns & row.keys():
                    text = restored(row[column]) if row[column] else ""
                    where = f"{path.name} line {line}, column {column}"
                    place = int(position) if position else None
                    yield from _in_text(
                        text, row.get("session", ""), place, row.get("question", ""), where, known
                    )


def _in_events(folder: Path, known: Known) -> Iterator[Spot]:
    for name in (EVENTS, STRAYS):
        path = folder / name
        if not path.is_file():
            continue
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            for line, text in enumerate(file, start=1):
                event = json.loads(text)
                body = json.loads(event["body"])
                for question, words in texts_of(body):
                    where = f"{Path(name).name} line {line}, {body.get('kind')}"
                    yield from _in_text(words, event["session"], body.get("trial"), question, where, known)


def texts_of(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Question (or field) and text of everything written in an event."""
    data = body.get("data") or {}
    if isinstance(data, dict):
        answers = data.get("answers")
        for name, value in data.items():
            if name == "answers" and isinstance(answers, dict):
                for question, answer in answers.items():
                    yield from ((question, text) for text in _strings(answer))
            elif name != "question":
                own = str(data.get("question", name))
                yield from ((own, text) for text in _strings(value))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _in_text(
    text: str, session: str, position: int | None, question: str, where: str, known: Known
) -> Iterator[Spot]:
    for one in matches(text, known):
        key = _id(f"{session}/{position}/{question}/{one.kind}")
        shown = text[max(0, one.start - 15) : one.end + 15].replace("\n", " ")[:EXCERPT]
        yield Spot(key, one.kind, session, where, shown, one.cure, position, question)


def _id(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:ID_CHARACTERS]

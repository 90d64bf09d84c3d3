"""What must not be published: patterns of people's names, addresses and numbers in what
participants wrote, looked for in every table and every raw event of a bundle.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.bundle.cells import restore_text
from believable.bundle.package import EVENTS, STRAYS

#: Whether a word is the id that a recruiting platform gave a participant of this study.
Known = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A kind of identifying text, how it looks, and what to do about it."""

    kind: str
    looks: re.Pattern[str]
    cure: str


def _patterns() -> Iterator[Pattern]:
    """Those of `privacy.toml`, their pieces put in."""
    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

    def whole(written: str) -> str:
        joined = written.replace("\n", "")
        return re.sub("<([A-Z_]+)>", lambda piece: whole(read["pieces"][piece[1]]), joined)

    for pattern in read["patterns"]:
        yield Pattern(pattern["kind"], re.compile(whole(pattern["looks"])), pattern["cure"])


PATTERNS = tuple(_patterns())

_WORD = re.compile(r"[A-Za-z0-9_-]{6,64}")
RECRUITER = "recruiter id"


@dataclass(frozen=True, slots=True)
class Match:
    """One spot in a text."""

    kind: str
    start: int
    end: int
    cure: str


def nobody(word: str) -> bool:
    """Where no recruiter's ids are known."""
    return False


def matches(text: str, known: Known = nobody) -> list[Match]:
    """Everything in a text that may identify a person, from left to right, without overlaps."""
    everything = list(_all(text, known))
    dates = [match for match in everything if match.kind == "date"]
    # Digits of a date are no phone number, nor is what only begins or ends with them.
    candidates = sorted(
        (
            match
            for match in everything
            if match.kind != "phone number"
            or all(match.end <= date.start or date.end <= match.start for date in dates)
        ),
        key=lambda match: (match.start, -match.end),
    )
    kept: list[Match] = []
    for match in candidates:
        if not kept or match.start >= kept[-1].end:
            kept.append(match)
    return kept


def _all(text: str, known: Known) -> Iterator[Match]:
    for pattern in PATTERNS:
        for spot in pattern.looks.finditer(text):
            yield Match(pattern.kind, spot.start(), spot.end(), pattern.cure)
    for spot in _WORD.finditer(text):
        if known(spot.group()):
            yield Match(
                RECRUITER, spot.start(), spot.end(), "Remove it: it is the id of a participant."
            )


def without(text: str, kinds: frozenset[str], known: Known = nobody) -> str:
    """The text with such spots replaced by their kind."""
    for match in reversed(matches(text, known)):
        if match.kind in kinds:
            text = f"{text[: match.start]}[{match.kind} removed]{text[match.end :]}"
    return text


ID_CHARACTERS = 8
EXCERPT = 60
#: Columns that hold ids, hashes and words of the study; people cannot write into them.
NOT_WRITTEN = frozenset(
    {
        "session",
        "receipt",
        "definition",
        "trial",
        "trial_key",
        "kind",
        "condition",
        "scenario",
        "stimulus",
        "question",
        "instrument",
        "input",
        "link_kind",
        "state",
        "outcome",
        "status",
        "language",
        "started_on",
        "what",
        "log",
        "action",
        "scope",
        "how",
        "label",
        "decided_by",
        "decided_on",
        "first_used_on",
        "revised_by",
        "revised_on",
        "stimulus_digest",
        "chosen_condition",
        "chosen_stimulus",
        "other_conditions",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Something in the data of one session that may identify a person. The id stays the same as
    long as the data do.
    """

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
        if resource.get("profile") == "tabular-data-resource" and resource["path"].startswith(
            "data/"
        ):
            texts = [field for field in resource["schema"]["fields"] if field["type"] == "string"]
            # A column with a list of its possible values holds nothing else.
            names = {field["name"] for field in texts if "enum" not in field.get("constraints", {})}
            yield folder / resource["path"], frozenset(names - NOT_WRITTEN)


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The raw events or strays of a bundle; nothing if there is no such file."""
    if path.is_file():
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            yield from map(json.loads, file)


#: The column of answers that are numbers.
NUMBERS = "value_number"
#: From this number of digits on, a number may be a phone number or a time.
_LONG = 10_000_000


def long_number(value: object) -> str | None:
    """A number, or a cell with one, as digits if it is long enough to identify a person or a time;
    None for everything else.
    """
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not _LONG <= abs(value) < 1e15
    ):
        return None
    return f"{abs(value):.0f}"


def asked_in(row: Mapping[str, str], column: str) -> str:
    """The question that a cell answers. If a table has no questions, its columns take their place,
    as the fields of events do.
    """
    return row.get("question", column)


def place_in(row: Mapping[str, str]) -> tuple[str, int | None]:
    """The session and page of a row. Rows of no session, such as versions of the study, are known
    by their number.
    """
    session = restore_text(row.get("session") or "")  # ids of older databases may begin with `-`
    place = row.get("position") if session else row.get("number")
    return session, int(place) if place else None


def spots(folder: Path, known: Known = nobody) -> tuple[Spot, ...]:
    """Everything found, each once: a value in a table is not reported again from the events behind
    it.
    """
    by_id: dict[str, Spot] = {}
    for spot in (*_in_tables(folder, known), *_in_events(folder, known)):
        by_id.setdefault(spot.id, spot)
    return tuple(by_id.values())


def column_spots(folder: Path) -> tuple[Spot, ...]:
    """Whole columns that a release must not have."""
    exposed = []
    for path, columns in tables_of(folder):
        if "recruiter_hash" in columns:
            place = f"{path.name}, column recruiter_hash"
            cure = "Export without --with-recruiter-hashes."
            exposed.append(
                Spot(
                    id=_id(place),
                    kind="recruiter id",
                    session="",
                    place=place,
                    excerpt="keyed hashes of recruiters' ids",
                    cure=cure,
                )
            )
    return tuple(exposed)


def _in_tables(folder: Path, known: Known) -> Iterator[Spot]:
    for path, columns in tables_of(folder):
        with path.open(encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.DictReader(file), start=2):
                session, index = place_in(row)
                written = {
                    column: restore_text(row[column])
                    for column in columns & row.keys()
                    if row[column]
                }
                if (number := long_number(row.get(NUMBERS) or "")) is not None:
                    written[NUMBERS] = number
                for column, text in written.items():
                    where = f"{path.name} line {line}, column {column}"
                    yield from _in_text(text, session, index, asked_in(row, column), where, known)


def _in_events(folder: Path, known: Known) -> Iterator[Spot]:
    for name in (EVENTS, STRAYS):
        for line, event in enumerate(read_lines(folder / name), start=1):
            body = json.loads(event["body"])
            if not isinstance(body, dict):
                continue
            for question, words in texts_of(body):
                where = f"{Path(name).name} line {line}, {body.get('kind')}"
                yield from _in_text(
                    words, event["session"], body.get("trial"), question, where, known
                )


def texts_of(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Question (or field) and text of everything written in an event."""
    data = body.get("data") or {}
    if isinstance(data, dict):
        answers = data.get("answers")
        for name, value in data.items():
            if name == "answers" and isinstance(answers, dict):
                for question, answer in answers.items():
                    yield from (
                        (question, text) for text in (*_strings(answer), *_long_numbers(answer))
                    )
            elif name != "question":
                own = str(data.get("question", name))
                yield from ((own, text) for text in _strings(value))
                if name == "value" and body.get("kind") == "answer.change":
                    yield from ((own, text) for text in _long_numbers(value))


def _long_numbers(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _long_numbers(part)
    elif not isinstance(value, str) and (number := long_number(value)) is not None:
        yield number


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _in_text(
    text: str, session: str, position: int | None, question: str, where: str, known: Known
) -> Iterator[Spot]:
    for match in matches(text, known):
        key = _id(f"{session}/{position}/{question}/{match.kind}")
        shown = text[max(0, match.start - 15) : match.end + 15].replace("\n", " ")[:EXCERPT]
        yield Spot(
            id=key,
            kind=match.kind,
            session=session,
            place=printable(where),
            excerpt=printable(shown),
            cure=match.cure,
            position=position,
            question=question,
        )


def printable(text: str) -> str:
    """The text as any terminal and any file takes it: half characters are escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _id(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:ID_CHARACTERS]

"""What must not be published: patterns of people's names, addresses and numbers in what participants wrote, looked for in every
table and every raw event of a bundle.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.bundle.cells import restored
from believable.bundle.package import EVENTS, STRAYS

#: Whether a word is the id that a recruiting platform gave a participant of this study.
Known = Callable[[str], bool]

_LETTER = r"[^\W\d_]"
_NAME = rf"[A-ZÀ-ÖØ-Þ](?:{_LETTER}+(?:['’-]{_LETTER}+)?|['’]{_LETTER}+)"


_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:19|20)\d\d"
_MONTH_NAME = (
    r"(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|Apr(?:il)?|May|Mai|June?|Juni|July?|Juli|Aug(?:ust)?|Sep(?:tember)?"
    r"|Oct(?:ober)?|Okt(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|Dez(?:ember)?)"
)
_RELATIVE = (
    r"(?:best\s)?(?:friend|wife|husband|partner|brother|sister|son|daughter|mother|father|mum|mom|dad|boss|colleague|flatmate"
    r"|roommate|neighbour|neighbor|boyfriend|girlfriend|teacher|cousin|aunt|uncle)"
)
_VERWANDT = (
    r"(?:Freund(?:in)?|Frau|Mann|Partner(?:in)?|Bruder|Schwester|Sohn|Tochter|Mutter|Vater|Chef(?:in)?|Kolleg(?:e|in))"
)
#: Words that a sentence begins with and that tell and show as people do, without being one.
_NOBODY = (
    r"(?:He|She|It|They|We|You|This|That|These|Those|Who|Which|What|Nobody|Nothing|Noone|Somebody|Someone|Something|Everybody|Everyone"
    r"|Everything|Anybody|Anyone|People|Others?|Both|One|Player|Agent|Robot|Bot|Human|Humans|AI|Clip|Video|Game|First|Second|Left|Right"
    r"|Er|Sie|Es|Das|Dies|Dieser|Diese|Wer|Was|Niemand|Jemand|Jeder|Alle|Beide|Man|Ich|Wir|Ihr|Spieler|Agent|Roboter|Mensch)"
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A kind of thing that gives somebody away, how it looks, and what to do about it."""

    kind: str
    looks: re.Pattern[str]
    cure: str


PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "e-mail address",
        re.compile(r"[\w.+'-]{1,64}\s?(?:@|\(at\)|\[at\])\s?[\w-]+(?:\s?(?:\.|\(dot\)|\[dot\])\s?[\w-]+)+", re.IGNORECASE),
        "Remove it: nobody needs it to check the results.",
    ),
    Pattern(
        "network address",
        re.compile(r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])"),
        "Remove it.",
    ),
    Pattern(
        "date",
        re.compile(
            rf"(?<![\w.,-])(?:{_DAY}[./-]{_MONTH}[./-]{_YEAR}|{_MONTH}/{_DAY}/{_YEAR}|{_YEAR}-{_MONTH}-{_DAY})(?![\w-])"
            rf"|\b{_DAY}(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTH_NAME}\s{_YEAR}\b|\b{_MONTH_NAME}\s{_DAY}(?:st|nd|rd|th)?,?\s{_YEAR}\b"
        ),
        "Remove it, unless it is nobody's birthday.",
    ),
    Pattern(
        "street address",
        re.compile(
            rf"\b\d{{1,5}}[a-z]?,?\s(?:{_NAME}\s){{1,3}}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Way|Square|Place|Court"
            rf"|Crescent|Terrace|Boulevard|Blvd)\b\.?"
            rf"|\b{_NAME}(?:stra(?:ß|ss)e|str\.|weg|gasse|allee|platz|ring)\s\d{{1,4}}\s?[a-z]?\b"
            rf"|\b(?:{_NAME}\s){{1,2}}(?:Stra(?:ß|ss)e|Str\.|Weg|Gasse|Allee|Platz)\s\d{{1,4}}\s?[a-z]?\b"
            rf"|\b\d{{1,4}},?\s(?:rue|avenue|boulevard|place)\s(?:de\sla\s|du\s|des\s|de\s)?{_NAME}"
        ),
        "Remove it: it says where somebody lives.",
    ),
    Pattern(
        "phone number",
        re.compile(r"(?<![\w.,-])(?:\+|00)?\d(?:[\s()/.-]{0,2}\d){7,14}(?![\w-])"),
        "Remove it, unless it is no phone number.",
    ),
    Pattern(
        "recruiter id",
        re.compile(r"\b(?:[0-9a-f]{24}|A[0-9A-Z]{12,14})\b"),
        "Remove it: with it, the platform can tell who this is.",
    ),
    Pattern(
        "name",
        re.compile(
            rf"\b(?:(?:[Mm]y name(?: is|['’]s)|[Ii](?: am|['’]m) called|[Cc]all me|[Ii]ch hei(?:ß|ss)e|[Mm]ein Name ist"
            rf"|[Jj]e m['’]appelle|[Mm]e llamo)\s+{_LETTER}+(?:\s{_NAME})?"
            rf"|(?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau)\.?\s{_NAME}"
            rf"|(?:[Mm]y|[Oo]ur)\s{_RELATIVE}\s{_NAME}|[Mm]eine?\s{_VERWANDT}\s{_NAME}"
            rf"|(?!{_NOBODY}\s){_NAME}\s(?:(?:told|showed|taught|asked|helped|sent|warned|invited)\s(?:me|us)|said\s(?:to\sme|that|it))"
            rf"|(?!{_NOBODY}\s){_NAME}\s(?:hat|hatte)\s(?:mir|uns|mich)"
            rf"|(?:[Rr]egards|[Cc]heers|[Ss]incerely|[Bb]est wishes|[Vv]iele Gr(?:ü|ue)(?:ß|ss)e),?\s+{_NAME}(?:\s{_NAME})?)"
        ),
        "Remove it, unless it names no person.",
    ),
    Pattern(
        "profile",
        re.compile(
            r"(?<![\w.@])@[A-Za-z_]\w{2,30}\b"
            r"|\b(?:linkedin|facebook|instagram|twitter|tiktok|reddit|github)\.com/\S+",
            re.IGNORECASE,
        ),
        "Remove it: it leads to a person.",
    ),
)  # fmt: skip

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
    """Everything in a text that may give somebody away, from left to right, without overlaps."""
    everything = list(_all(text, known))
    dates = [match for match in everything if match.kind == "date"]
    # Digits of a date are no phone number, nor is what only begins or ends with them.
    candidates = sorted(
        (
            match
            for match in everything
            if match.kind != "phone number" or all(match.end <= date.start or date.end <= match.start for date in dates)
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
            yield Match(RECRUITER, spot.start(), spot.end(), "Remove it: it is the id of a participant.")


def without(text: str, kinds: frozenset[str], known: Known = nobody) -> str:
    """The text with such spots replaced by what they were."""
    for match in reversed(matches(text, known)):
        if match.kind in kinds:
            text = f"{text[: match.start]}[{match.kind} removed]{text[match.end :]}"
    return text


ID_CHARACTERS = 8
EXCERPT = 60
#: Columns that hold ids, hashes and words of the study; people cannot write into them.
NOT_WRITTEN = frozenset(
    {
        "session", "receipt", "definition", "trial", "trial_key", "kind", "condition", "scenario", "stimulus", "question",
        "instrument", "input", "link_kind", "state", "outcome", "status", "language", "started_on", "what", "log", "action",
        "reason", "scope", "how", "label", "decided_by", "decided_on", "chosen_condition", "chosen_stimulus",
        "other_conditions",
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
            names = {field["name"] for field in resource["schema"]["fields"] if field["type"] == "string"}
            yield folder / resource["path"], frozenset(names - NOT_WRITTEN)


def spots(folder: Path, known: Known = nobody) -> tuple[Spot, ...]:
    """Everything found, each once: what stands in a table is not told again from the events behind it."""
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
            exposed.append(Spot(_id(place), "recruiter id", "", place, "keyed hashes of recruiters' ids", cure))
    return tuple(exposed)


def _in_tables(folder: Path, known: Known) -> Iterator[Spot]:
    for path, columns in tables_of(folder):
        with path.open(encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.DictReader(file), start=2):
                position, session = row.get("position"), restored(row.get("session") or "")
                for column in columns & row.keys():
                    text = restored(row[column]) if row[column] else ""
                    where = f"{path.name} line {line}, column {column}"
                    place = int(position) if position else None
                    yield from _in_text(text, session, place, row.get("question", ""), where, known)


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
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _in_text(text: str, session: str, position: int | None, question: str, where: str, known: Known) -> Iterator[Spot]:
    for match in matches(text, known):
        key = _id(f"{session}/{position}/{question}/{match.kind}")
        shown = text[max(0, match.start - 15) : match.end + 15].replace("\n", " ")[:EXCERPT]
        yield Spot(key, match.kind, session, where, shown, match.cure, position, question)


def _id(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:ID_CHARACTERS]

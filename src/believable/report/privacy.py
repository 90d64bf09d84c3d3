"""What must not be published: patterns of people's names, addresses and numbers in what participants wrote. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

#: Whether a word is the id that a recruiting platform gave a participant of this study.
Known = Callable[[str], bool]

_LETTER = r"[^\W\d_]"
_NAME = rf"[A-ZÀ-ÖØ-Þ](?:{_LETTER}+(?:['’-]{_LETTER}+)?|['’]{_LETTER}+)"


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
    found = sorted(_all(text, known), key=lambda one: (one.start, -one.end))
    kept: list[Match] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
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
    for one in reversed(matches(text, known)):
        if one.kind in kinds:
            text = f"{text[: one.start]}[{one.kind} removed]{text[one.end :]}"
    return text

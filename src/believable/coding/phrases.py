"""Reasons that simulated judges write, from planted shares of codes, and simulated coders who read
them.

The sentences lie with the protocol whose codebook they are for (`protocols/*/phrases/*.yaml`).
`write_reason(planted, rng)` gives a text with the labels it carries; over many texts each code ×
direction's share of a side's codes is the planted one. `read_reason` finds the labels in such a
text again; `simulated_coder` reads with errors. For trying a study out, for tests, and for checking
that a report recovers the planted labels: never mixed with people's words.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from believable.coding.labels import Key, Label, Mark
from believable.core.errors import InvalidInput, StudyError
from believable.core.nodes import parse
from believable.core.registry import did_you_mean
from believable.study.codebook import PROTOCOLS, Codebook

Pair = tuple[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The sentences of a codebook, by code and direction.

    subjects   how a judge speaks of the two sides, where the codes have sides: a sentence is a
               subject and a clause
    discards   texts to leave out, by the reason
    otherwise  the code of a text with none of the sentences, if a code is always assigned
    opener     the codebook whose sentences precede the reason
    planted    what judges say unless a study plants something else: the arguments of `Planted`
    """

    sentences: Mapping[Pair, tuple[str, ...]]
    subjects: Mapping[str, tuple[str, ...]]
    discards: Mapping[str, tuple[str, ...]]
    otherwise: str | None
    opener: str | None
    planted: Mapping[str, Any] | None


@cache
def phrases(codebook: str) -> Phrases:
    """The sentences for a ready codebook."""
    files = {path.stem: path for path in sorted(PROTOCOLS.glob("*/phrases/*.yaml"))}
    if codebook not in files:
        raise InvalidInput(
            f"no sentences for codebook {codebook!r}. {did_you_mean(codebook, files)}"
        )
    tree, problems = parse(files[codebook].read_bytes(), files[codebook].name)
    if tree is None or problems:
        raise StudyError(problems)
    read: dict[str, Any] = tree.freeze()
    subjects, planted = read.get("subjects", {}), read.get("planted")
    if planted is not None:
        by_side = planted["shares"] if subjects else {None: planted["shares"]}
        planted["shares"] = {side: _by_pair(shares) for side, shares in by_side.items()}
    opener = None if planted is None else planted.pop("opener", None)
    return Phrases(
        sentences=_by_pair(read["sentences"]),
        subjects=subjects,
        discards=read.get("discards", {}),
        otherwise=read.get("otherwise"),
        opener=opener,
        planted=planted,
    )


def _by_pair(written: Mapping[str, Any]) -> dict[Pair, Any]:
    """`goal+` → code `goal` with the direction `+`."""
    return {
        (name.rstrip("+-"), name[-1] if name[-1] in "+-" else None): value
        for name, value in written.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """What simulated judges say. `shares` per side (None for codebooks without sides) add up to 1;
    `mention` is how often a side is spoken of at all; `discard` how often the text is one to leave
    out; `understood` plants the words before it.
    """

    codebook: str
    shares: Mapping[str | None, Mapping[Pair, float]]
    mention: Mapping[str | None, float] = field(default_factory=dict)
    discard: float = 0.0
    understood: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = phrases(self.codebook).sentences
        for side, shares in self.shares.items():
            for pair in shares:
                if pair not in known:
                    raise InvalidInput(
                        f"planted: no sentences for {pair!r} in codebook {self.codebook!r}."
                    )
            if abs(sum(shares.values()) - 1) > 1e-9:
                raise InvalidInput(
                    f"planted: the shares of side {side!r} add up to {sum(shares.values()):g},"
                    " expected 1."
                )


@cache
def planted_for(codebook: str) -> Planted:
    """What simulated judges say unless a study plants something else."""
    return Planted(codebook=codebook, **(phrases(codebook).planted or {"shares": {}}))


@dataclass(frozen=True, slots=True)
class Reason:
    """A simulated text and its labels. `understood` is its code in the second codebook, if there
    is one.
    """

    text: str
    mark: Mark
    understood: str | None = None


def write_reason(planted: Planted, rng: random.Random) -> Reason:
    """One text. A side that is spoken of gets one code, drawn by the planted shares."""
    opener, understood = _opener(planted, rng)
    discards = phrases(planted.codebook).discards
    if discards and rng.random() < planted.discard:
        name = rng.choice(sorted(discards))
        return Reason(
            _join([opener, rng.choice(discards[name])]), Mark(discard=name, done=True), understood
        )
    parts = [opener] if opener else []
    labels = []
    sides = [side for side in planted.shares if rng.random() < planted.mention.get(side, 1.0)]
    for side in sides or [next(iter(planted.shares))]:
        pair = _drawn(planted.shares[side], rng)
        sentence = _sentence(planted.codebook, pair, side, rng)
        start = len(_join([*parts, ""])) if parts else 0
        parts.append(sentence)
        labels.append(Label(*pair, side, ((start, start + len(sentence)),)))
    return Reason(_join(parts), Mark(labels=tuple(labels), done=True), understood)


def simulated_answer(codebook: str, rng: random.Random) -> str:
    """A text for a simulated judge to type, with the shares that are planted for this codebook."""
    return write_reason(planted_for(codebook), rng).text


def _opener(planted: Planted, rng: random.Random) -> tuple[str, str | None]:
    opener = phrases(planted.codebook).opener
    if not planted.understood or opener is None:
        return "", None
    code, _ = _drawn({(name, None): share for name, share in planted.understood.items()}, rng)
    return rng.choice(phrases(opener).sentences[code, None]), code


def _drawn(shares: Mapping[Pair, float], rng: random.Random) -> Pair:
    return rng.choices(list(shares), list(shares.values()))[0]


def _sentence(codebook: str, pair: Pair, side: str | None, rng: random.Random) -> str:
    words = phrases(codebook)
    clause = rng.choice(words.sentences[pair])
    if side is None:
        return clause
    subject = rng.choice(words.subjects[side])
    return f"{subject[0].upper()}{subject[1:]} {clause}."


def _join(parts: Sequence[str]) -> str:
    return " ".join(part for part in parts if part) + (" " if parts and parts[-1] == "" else "")


# ----------------------------------------------------------------------------------------------
# coders


def read_reason(codebook: str, text: str) -> Mark:
    """The labels of a simulated text, with their words. A text that was not simulated returns an
    empty mark.
    """
    words = phrases(codebook)
    for name, ways in words.discards.items():
        if any(way in text for way in ways):
            return Mark(discard=name, done=True)
    if words.otherwise is not None:
        carried = [
            pair
            for pair, ways in words.sentences.items()
            if any(way and way in text for way in ways)
        ]
        return Mark(labels=(Label(*(carried or [(words.otherwise, None)])[0]),), done=True)
    labels: dict[Key, Label] = {}
    for pair, clauses in words.sentences.items():
        for clause in clauses:
            for label in _occurrences(text, pair, clause, words.subjects):
                old = labels.get(label.key)
                labels[label.key] = (
                    label if old is None else replace(label, spans=(*old.spans, *label.spans))
                )
    return Mark(labels=tuple(sorted(labels.values(), key=lambda label: label.spans)), done=True)


def _occurrences(
    text: str, pair: Pair, clause: str, subjects_of: Mapping[str, Sequence[str]]
) -> list[Label]:
    if not subjects_of:
        start = text.find(clause)
        return [] if start < 0 else [Label(*pair, None, ((start, start + len(clause)),))]
    lowered, labels = text.lower(), []
    for side, subjects in subjects_of.items():
        for subject in subjects:
            sentence = f"{subject} {clause}.".lower()
            start = lowered.find(sentence)
            if start >= 0:
                labels.append(Label(*pair, side, ((start, start + len(sentence)),)))
    return labels


def simulated_coder(book: Codebook, mark: Mark, rng: random.Random, *, error: float) -> Mark:
    """A coder who goes wrong about each label with chance `error`: overlooks it, turns its
    direction, or takes another code.
    """
    if mark.discard is not None:
        if rng.random() >= error or not book.codes:
            return mark
        return Mark(labels=(_any_label(book, rng),), done=True)
    labels: dict[Key, Label] = {}
    for label in mark.labels:
        read = _misread(book, label, rng) if rng.random() < error else label
        if read is not None:
            labels[read.key] = read
    uncertain = set(labels) != mark.keys and rng.random() < 0.5
    return Mark(labels=tuple(labels.values()), uncertain=uncertain, done=True)


def _misread(book: Codebook, label: Label, rng: random.Random) -> Label | None:
    how = rng.choice(("overlooked", "turned", "other code"))
    if book.single or (how == "turned" and label.direction is None):
        how = "other code"
    if how == "overlooked":
        return None
    if how == "turned":
        return replace(label, direction="-" if label.direction == "+" else "+")
    other = rng.choice([code for code in book.codes if code.id != label.code and not code.other])
    direction = rng.choice(("+", "-")) if other.direction else None
    return replace(label, code=other.id, direction=direction)


def _any_label(book: Codebook, rng: random.Random) -> Label:
    code = rng.choice([code for code in book.codes if not code.other])
    return Label(
        code.id,
        rng.choice(("+", "-")) if code.direction else None,
        rng.choice(("more", "less")) if code.side else None,
    )


CODERS = ("coder_1", "coder_2")
#: Chance that a simulated coder goes wrong about a label.
ERROR = 0.05


@dataclass(frozen=True, slots=True)
class CodingSettings:
    """`agreement` texts are coded by both for agreement, then `per_judge` of each judge with
    `overlap`.
    """

    agreement: int = 55
    per_judge: int | None = 3
    overlap: float = 0.25
    error: float = ERROR

"""Reasons that simulated judges write, from planted shares of codes, and simulated coders who read them.

`write_reason(PLANTED["hntt"], rng)` gives a text with the labels it carries; over many texts each code × direction's share of a
side's codes is the planted one. `read_reason` finds the labels in such a text again; `simulated_coder` reads with errors. For
trying a study out, for tests, and for checking that a report recovers what was planted: never mixed with people's words.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from believable.coding.labels import Key, Label, Mark
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.study.codebook import Codebook, ready

Pair = tuple[str, str | None]

#: How a simulated judge speaks of the two: the one called more human-like, and the other.
SUBJECTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "more": ("the one I picked", "the figure in my video", "the one I chose"),
        "less": ("the other one", "the figure in the other video", "the one I left"),
    }
)

HNTT: Mapping[Pair, tuple[str, ...]] = MappingProxyType(
    {
        ("smoothness", "+"): (
            "moves in calm, even curves",
            "turns without a single jolt",
            "keeps its camera nice and steady",
            "glides along the lane",
        ),
        ("smoothness", "-"): (
            "twitches at every turn",
            "zigzags across the whole floor",
            "swings its camera to and fro",
            "moves in abrupt little jumps",
        ),
        ("goal", "+"): (
            "heads for the target from the start",
            "acts with a clear purpose",
            "seems to know where it wants to be",
            "makes up its mind and goes",
        ),
        ("goal", "-"): (
            "strolls about without any aim",
            "walks in circles for no purpose",
            "never settles on a destination",
            "looks completely lost",
        ),
        ("collision", "+"): (
            "steps around every crate",
            "dodges the pillars in time",
            "keeps clear of all walls",
            "swerves before it would hit anything",
        ),
        ("collision", "-"): (
            "bumps into the same pillar twice",
            "runs straight into a crate",
            "scrapes along the wall",
            "gets caught on a corner",
        ),
        ("receptivity", "+"): (
            "stays on the walkway",
            "stops to look at things",
            "picks up what lies near",
            "takes the stairs as they are meant",
        ),
        ("receptivity", "-"): (
            "ignores every item on the floor",
            "cuts across places nobody would enter",
            "takes no notice of its surroundings",
            "acts as if the map were empty",
        ),
        ("non_mechanistic", "+"): (
            "hesitates and corrects a slip",
            "takes a wrong turn now and then",
            "does things a bit at random",
            "makes small errors",
        ),
        ("non_mechanistic", "-"): (
            "repeats exactly the same angle",
            "is far too perfect",
            "adjusts itself in tiny equal steps",
            "looks programmed",
        ),
        ("intuition", None): (
            "just has something about it",
            "gives me that feeling",
            "strikes me that way, I cannot say more",
            "comes across so somehow",
        ),
        ("self_reference", None): (
            "does what I do in games",
            "steers the way I usually steer",
            "reminds me of how I play",
            "is what I would have done",
        ),
        ("other", None): ("has better light around it", "is shown for a longer time"),
    }
)

#: How the question was understood: words before the reason.
UNDERSTOOD: Mapping[Pair, tuple[str, ...]] = MappingProxyType(
    {
        ("real_world", None): (
            "Thinking of people in the street:",
            "As one walks in real life:",
            "If this were a real person:",
        ),
        ("game", None): (
            "As far as players go:",
            "Thinking of somebody at a controller:",
            "For a person who plays this game:",
        ),
        ("unclear", None): ("",),
    }
)

REPLAY: Mapping[Pair, tuple[str, ...]] = MappingProxyType(
    {
        ("goal_inconsistency", None): (
            "That does not serve what she is after.",
            "He drops his plan for no reason.",
            "It works against the errand of the day.",
            "Nothing of what was planned leads to this.",
        ),
        ("environment_rule", None): (
            "There is a wall in the way.",
            "That place is closed.",
            "One cannot use this here.",
            "The thing is not even in the room.",
        ),
        ("temporal", None): (
            "It is the wrong time of day for this.",
            "That took far too long.",
            "He did the same minutes ago.",
            "Nobody is through with it so fast.",
        ),
        ("social_norm", None): (
            "One does not leave in the middle of a talk.",
            "That is rude to a friend.",
            "Nobody walks in on others like that.",
            "She does not even greet him.",
        ),
        ("control_failure", None): (
            "It turns on the spot again and again.",
            "The figure is stuck in the furniture.",
            "It jitters between two tiles.",
            "It walks back and forth without end.",
        ),
        ("other", None): ("The mood of the scene is off.", "I did not like the voice of it."),
    }
)

DISCARDED: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "hntt": {"cannot_tell": ("I cannot tell them apart, so I took one.", "No idea, I had to choose.")},
        "hntt_understood": {},
        "replay": {"no_reason": ("No special reason.", "I have nothing to add.")},
    }
)

_SENTENCES: Mapping[str, Mapping[Pair, tuple[str, ...]]] = MappingProxyType(
    {"hntt": HNTT, "hntt_understood": UNDERSTOOD, "replay": REPLAY}
)


@dataclass(frozen=True, slots=True)
class Planted:
    """What simulated judges say. `shares` per side (None for codebooks without sides) add up to 1; `mention` is how often a
    side is spoken of at all; `discard` how often the text is one to leave out; `understood` plants the second codebook."""

    codebook: str
    shares: Mapping[str | None, Mapping[Pair, float]]
    mention: Mapping[str | None, float] = field(default_factory=dict)
    discard: float = 0.0
    understood: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = sentences(self.codebook)
        for side, shares in self.shares.items():
            for pair in shares:
                if pair not in known:
                    raise InvalidInput(f"planted: no sentences for {pair!r} in codebook {self.codebook!r}.")
            if abs(sum(shares.values()) - 1) > 1e-9:
                raise InvalidInput(
                    f"planted: the shares of side {side!r} add up to {sum(shares.values()):g}, expected 1."
                )


def sentences(codebook: str) -> Mapping[Pair, tuple[str, ...]]:
    try:
        return _SENTENCES[codebook]
    except KeyError:
        raise InvalidInput(
            f"no sentences for codebook {codebook!r}. {did_you_mean(codebook, _SENTENCES)}"
        ) from None


_MORE: Mapping[Pair, float] = MappingProxyType(
    {
        ("smoothness", "+"): 0.26, ("smoothness", "-"): 0.08, ("goal", "+"): 0.16, ("goal", "-"): 0.03,
        ("collision", "+"): 0.08, ("collision", "-"): 0.02, ("receptivity", "+"): 0.17, ("receptivity", "-"): 0.02,
        ("non_mechanistic", "+"): 0.06, ("non_mechanistic", "-"): 0.01, ("intuition", None): 0.08, ("self_reference", None): 0.03,
    }
)  # fmt: skip
_LESS: Mapping[Pair, float] = MappingProxyType(
    {
        ("smoothness", "+"): 0.07, ("smoothness", "-"): 0.34, ("goal", "+"): 0.03, ("goal", "-"): 0.15,
        ("collision", "+"): 0.02, ("collision", "-"): 0.12, ("receptivity", "+"): 0.02, ("receptivity", "-"): 0.12,
        ("non_mechanistic", "+"): 0.01, ("non_mechanistic", "-"): 0.05, ("intuition", None): 0.05, ("self_reference", None): 0.02,
    }
)  # fmt: skip

#: What simulated judges say unless a study plants something else.
PLANTED: Mapping[str, Planted] = MappingProxyType(
    {
        "hntt": Planted(
            "hntt",
            {"more": _MORE, "less": _LESS},
            {"more": 0.95, "less": 0.75},
            discard=0.03,
            understood={"real_world": 0.45, "game": 0.35, "unclear": 0.20},
        ),
        "replay": Planted(
            "replay",
            {
                None: {
                    ("goal_inconsistency", None): 0.30,
                    ("environment_rule", None): 0.20,
                    ("temporal", None): 0.20,
                    ("social_norm", None): 0.12,
                    ("control_failure", None): 0.18,
                }
            },
            discard=0.04,
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Reason:
    """A simulated text and what it carries. `understood` is its code in the second codebook, where there is one."""

    text: str
    mark: Mark
    understood: str | None = None


def write_reason(planted: Planted, rng: random.Random) -> Reason:
    """One text. A side that is spoken of gets one code, drawn by the planted shares."""
    opener, understood = _opener(planted, rng)
    discards = DISCARDED[planted.codebook]
    if discards and rng.random() < planted.discard:
        name = rng.choice(sorted(discards))
        return Reason(
            _joined([opener, rng.choice(discards[name])]), Mark(discard=name, done=True), understood
        )
    parts = [opener] if opener else []
    labels = []
    sides = [side for side in planted.shares if rng.random() < planted.mention.get(side, 1.0)]
    for side in sides or [next(iter(planted.shares))]:
        pair = _drawn(planted.shares[side], rng)
        sentence = _sentence(planted.codebook, pair, side, rng)
        start = len(_joined([*parts, ""])) if parts else 0
        parts.append(sentence)
        labels.append(Label(*pair, side, ((start, start + len(sentence)),)))
    return Reason(_joined(parts), Mark(tuple(labels), done=True), understood)


def simulated_answer(codebook: str, rng: random.Random) -> str:
    """A text for a simulated judge to type, with the shares of `PLANTED`."""
    name = codebook if codebook in PLANTED else "hntt"
    return write_reason(PLANTED[name], rng).text


def _opener(planted: Planted, rng: random.Random) -> tuple[str, str | None]:
    if not planted.understood:
        return "", None
    code, _ = _drawn({(name, None): share for name, share in planted.understood.items()}, rng)
    return rng.choice(UNDERSTOOD[code, None]), code


def _drawn(shares: Mapping[Pair, float], rng: random.Random) -> Pair:
    return rng.choices(list(shares), list(shares.values()))[0]


def _sentence(codebook: str, pair: Pair, side: str | None, rng: random.Random) -> str:
    clause = rng.choice(sentences(codebook)[pair])
    if side is None:
        return clause
    subject = rng.choice(SUBJECTS[side])
    return f"{subject[0].upper()}{subject[1:]} {clause}."


def _joined(parts: Sequence[str]) -> str:
    return " ".join(part for part in parts if part) + (" " if parts and parts[-1] == "" else "")


# ---------------------------------------------------------------------------------------------- coders


def read_reason(codebook: str, text: str) -> Mark:
    """What a simulated text carries: the labels with their words. A text nobody simulated gives an empty mark."""
    for name, ways in DISCARDED[codebook].items():
        if any(way in text for way in ways):
            return Mark(discard=name, done=True)
    if codebook == "hntt_understood":
        found = next(
            (pair for pair, ways in UNDERSTOOD.items() if any(way and way in text for way in ways)), None
        )
        return Mark((Label(*(found or ("unclear", None))),), done=True)
    labels: dict[Key, Label] = {}
    for pair, clauses in sentences(codebook).items():
        for clause in clauses:
            for label in _occurrences(text, pair, clause, sided=codebook == "hntt"):
                old = labels.get(label.key)
                labels[label.key] = label if old is None else replace(label, spans=(*old.spans, *label.spans))
    return Mark(tuple(sorted(labels.values(), key=lambda one: one.spans)), done=True)


def _occurrences(text: str, pair: Pair, clause: str, *, sided: bool) -> list[Label]:
    if not sided:
        start = text.find(clause)
        return [] if start < 0 else [Label(*pair, None, ((start, start + len(clause)),))]
    lowered, found = text.lower(), []
    for side, subjects in SUBJECTS.items():
        for subject in subjects:
            sentence = f"{subject} {clause}.".lower()
            start = lowered.find(sentence)
            if start >= 0:
                found.append(Label(*pair, side, ((start, start + len(sentence)),)))
    return found


def simulated_coder(book: Codebook, mark: Mark, rng: random.Random, *, error: float) -> Mark:
    """A coder who goes wrong about each label with chance `error`: overlooks it, turns its direction, or takes another code."""
    if mark.discard is not None:
        if rng.random() >= error or not book.codes:
            return mark
        return Mark((_any_label(book, rng),), done=True)
    labels: dict[Key, Label] = {}
    for label in mark.labels:
        read = _misread(book, label, rng) if rng.random() < error else label
        if read is not None:
            labels[read.key] = read
    uncertain = set(labels) != mark.keys and rng.random() < 0.5
    return Mark(tuple(labels.values()), uncertain=uncertain, done=True)


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
    code = rng.choice([one for one in book.codes if not one.other])
    return Label(
        code.id,
        rng.choice(("+", "-")) if code.direction else None,
        rng.choice(("more", "less")) if code.side else None,
    )


def phrases_fit(codebook: str) -> bool:
    """Whether every code of a ready codebook has sentences, and no sentence is of an unknown one."""
    return {pair[0] for pair in sentences(codebook)} == {code.id for code in ready(codebook).codes}

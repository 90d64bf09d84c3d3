"""From what several coders said to the labels that hold, each with its provenance. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from believable.coding.labels import Key, Label, Mark, merged
from believable.core import seeds

How: TypeAlias = Literal["agreed", "single", "adjudicated", "discussed", "random_coder"]
Rule: TypeAlias = Literal["none", "random_coder"]


@dataclass(frozen=True, slots=True)
class Coded:
    """One coder's finished verdict on a text in a round, under a version of the codebook."""

    round: int
    coder: str
    version: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was decided about a text: by a third person, or in a discussion. `round` is the round it was about."""

    round: int
    how: Literal["adjudicated", "discussed"]
    user: str
    version: int
    mark: Mark
    note: str = ""


@dataclass(frozen=True, slots=True)
class Final:
    """What holds for a text. `coder` is whose labels they are, where they are one coder's."""

    number: int
    how: How
    mark: Mark
    round: int
    version: int
    coder: str | None = None
    note: str = ""


def final(
    number: int, coded: tuple[Coded, ...], outcomes: tuple[Outcome, ...], *, rule: Rule, seed: int
) -> Final | None:
    """What holds for one text, or None where coders disagree and nothing was decided, or nobody is done with it.

    Only the latest round counts. What was decided about it holds before anything else; then what coders agree on; then, with
    the rule `random_coder`, the labels of one coder drawn by the seed and the text's number.
    """
    done = [one for one in coded if one.mark.done]
    rounds = [*(one.round for one in done), *(one.round for one in outcomes)]
    if not rounds:
        return None
    latest = max(rounds)
    decided = [one for one in outcomes if one.round == latest]
    if decided:
        last = decided[-1]
        return Final(number, last.how, last.mark, latest, last.version, None, last.note)
    here = sorted((one for one in done if one.round == latest), key=lambda one: one.coder)
    first = here[0]
    if len(here) == 1:
        return Final(number, "single", first.mark, latest, first.version, first.coder)
    if all(first.mark.same_as(one.mark) for one in here[1:]):
        version = max(one.version for one in here)
        return Final(number, "agreed", together([one.mark for one in here]), latest, version)
    if rule == "random_coder":
        drawn = seeds.generator(seed, "random coder", number).choice(here)
        return Final(number, "random_coder", drawn.mark, latest, drawn.version, drawn.coder)
    return None


def together(marks: list[Mark]) -> Mark:
    """Equal verdicts as one: the words that carry a code are those that any coder highlighted."""
    labels: dict[Key, Label] = {}
    for mark in marks:
        for label in mark.labels:
            old = labels.get(label.key)
            spans = label.spans if old is None else merged([*old.spans, *label.spans])
            labels[label.key] = replace(label, spans=spans)
    return replace(marks[0], labels=tuple(labels.values()), uncertain=any(one.uncertain for one in marks))


def finals(
    coded: Mapping[int, tuple[Coded, ...]],
    outcomes: Mapping[int, tuple[Outcome, ...]],
    *,
    rule: Rule,
    seed: int,
) -> tuple[Final, ...]:
    """What holds, text by text."""
    numbers = sorted({*coded, *outcomes})
    found = (final(one, coded.get(one, ()), outcomes.get(one, ()), rule=rule, seed=seed) for one in numbers)
    return tuple(one for one in found if one is not None)

"""Which texts are coded, and by whom: stratified, a few per judge, seeded; assigned in equal
shares. Pure.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import Literal, TypeAlias

from believable.core.errors import InvalidInput

RoundKind: TypeAlias = Literal["joint", "agreement", "split"]
KINDS: tuple[RoundKind, ...] = ("joint", "agreement", "split")
Stratify: TypeAlias = Literal["none", "condition", "judge"]
STRATIFY: tuple[Stratify, ...] = ("none", "condition", "judge")


@dataclass(frozen=True, slots=True)
class DrawableText:
    """A text that can be drawn. `judge` wrote it; `condition` is the condition that the text refers
    to.
    """

    number: int
    judge: str
    condition: str | None = None


#: Two coders code this share of the texts alone, unless another number is requested.
AGREEMENT_SHARE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPlan:
    """How a round is drawn. `n` texts (None: of an agreement sample 30 %, else all that are left),
    at most `per_judge` of each judge, with `overlap` the share of a split round that two coders
    code.
    """

    kind: RoundKind
    n: int | None = None
    per_judge: int | None = None
    overlap: float = 0.25
    stratify: Stratify = "condition"

    def __post_init__(self) -> None:
        if self.kind not in KINDS or self.stratify not in STRATIFY:
            raise InvalidInput(
                f"round: expected one of {KINDS} stratified by {STRATIFY}, got {self.kind!r},"
                f" {self.stratify!r}."
            )
        if self.n is not None and self.n < 1:
            raise InvalidInput(
                f"round: expected at least 1 text, got {self.n}. Leave it empty for all."
            )
        if self.per_judge is not None and self.per_judge < 1:
            raise InvalidInput(f"round: expected at least 1 text per judge, got {self.per_judge}.")
        if not 0 <= self.overlap <= 1:
            raise InvalidInput(
                f"round: overlap: expected a share from 0 to 1, got {self.overlap!r}."
            )


@dataclass(frozen=True, slots=True)
class CoderTask:
    """One text for one coder, at a place in their order. `shared` texts are coded by others too."""

    coder: str
    number: int
    position: int
    shared: bool


def draw(items: Sequence[DrawableText], plan: RoundPlan, rng: random.Random) -> list[int]:
    """The texts of a round, shuffled. Strata are represented in proportion; within them judges take
    turns.
    """
    shuffled = sorted(items, key=lambda item: item.number)
    rng.shuffle(shuffled)
    if plan.per_judge is not None:
        shuffled = _few_per_judge(shuffled, plan.per_judge)
    n = (
        plan.n
        if plan.n is not None or plan.kind != "agreement"
        else ceil(AGREEMENT_SHARE * len(shuffled))
    )
    if n is None or n >= len(shuffled):
        chosen = shuffled
    elif plan.stratify == "none":
        chosen = shuffled[:n]
    elif plan.stratify == "judge":
        chosen = _in_turns(shuffled)[:n]
    else:
        chosen = _by_stratum(shuffled, n, rng)
    numbers = [item.number for item in chosen]
    rng.shuffle(numbers)
    return numbers


def _few_per_judge(items: Sequence[DrawableText], most: int) -> list[DrawableText]:
    taken: dict[str, int] = {}
    kept = []
    for item in items:
        if taken.get(item.judge, 0) < most:
            taken[item.judge] = taken.get(item.judge, 0) + 1
            kept.append(item)
    return kept


def _in_turns(items: Sequence[DrawableText]) -> list[DrawableText]:
    """Each judge's first, then each judge's second, …"""
    turn: dict[str, int] = {}
    numbered = []
    for item in items:
        turn[item.judge] = turn.get(item.judge, 0) + 1
        numbered.append((turn[item.judge], item))
    return [item for _, item in sorted(numbered, key=lambda pair: pair[0])]


def _by_stratum(items: Sequence[DrawableText], n: int, rng: random.Random) -> list[DrawableText]:
    strata: dict[str, list[DrawableText]] = {}
    for item in items:
        strata.setdefault(item.condition or "", []).append(item)
    sizes = allot({name: len(members) for name, members in strata.items()}, n, rng)
    return [item for name, members in strata.items() for item in _in_turns(members)[: sizes[name]]]


def allot(sizes: Mapping[str, int], n: int, rng: random.Random) -> dict[str, int]:
    """`n` places in proportion to the sizes, by largest remainders; ties are drawn."""
    total = sum(sizes.values())
    exact = {name: n * size / total for name, size in sorted(sizes.items())}
    places = {name: int(share) for name, share in exact.items()}
    rest = sorted(exact, key=lambda name: (places[name] - exact[name], rng.random()))
    for name in rest[: n - sum(places.values())]:
        places[name] += 1
    return places


def assign(
    numbers: Sequence[int], coders: Sequence[str], plan: RoundPlan, rng: random.Random
) -> list[CoderTask]:
    """Who codes what. Joint and agreement rounds: every coder codes every text, in joint rounds in
    the same order. Split rounds: a share coded by two, pairs of coders taking turns; the rest by
    one, so that all have the same amount of work.
    """
    if len(set(coders)) != len(coders) or not coders:
        raise InvalidInput(f"round: expected coders, each once, got {list(coders)!r}.")
    if plan.kind != "joint" and len(coders) < 2:
        raise InvalidInput("round: agreement needs at least two coders. Add another one.")
    if plan.kind != "split":
        own = {coder: list(numbers) for coder in coders}
        shared = set(numbers)
    else:
        own, shared = _split(numbers, coders, plan.overlap, rng)
    tasks = []
    for coder in coders:
        if plan.kind != "joint":
            rng.shuffle(own[coder])
        tasks += [
            CoderTask(coder, number, at, number in shared) for at, number in enumerate(own[coder])
        ]
    return tasks


def _split(
    numbers: Sequence[int], coders: Sequence[str], overlap: float, rng: random.Random
) -> tuple[dict[str, list[int]], set[int]]:
    n_shared = round(overlap * len(numbers))
    own: dict[str, list[int]] = {coder: [] for coder in coders}
    pairs = list(combinations(coders, 2))
    rng.shuffle(pairs)
    for at, number in enumerate(numbers[:n_shared]):
        for coder in pairs[at % len(pairs)]:
            own[coder].append(number)
    order = list(coders)
    rng.shuffle(order)
    for number in numbers[n_shared:]:
        least = min(order, key=lambda coder: len(own[coder]))
        own[least].append(number)
    return own, set(numbers[:n_shared])

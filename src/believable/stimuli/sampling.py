"""Which of the sources become stimuli: long enough, and where wanted as many of every condition in each scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from believable.core.errors import InvalidInput
from believable.core.seeds import generator
from believable.stimuli.pool import Source


@dataclass(frozen=True, slots=True)
class Wish:
    """`per_cell` sources of each condition in each scenario; None takes all, or with `match` as many as the rarest condition has.

    Lengths are those before cutting.
    """

    min_length_ms: int = 0
    max_length_ms: int | None = None
    match: bool = False
    per_cell: int | None = None
    seed: int = 1


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A source that is not taken, and why."""

    source: Source
    reason: str


@dataclass(frozen=True, slots=True)
class Sample:
    chosen: tuple[Source, ...]
    left_out: tuple[LeftOut, ...]


def sample(sources: Sequence[Source], wish: Wish) -> Sample:
    """Same sources, same wish, same sample. Every source is either chosen or left out with a reason."""
    if wish.per_cell is not None and wish.per_cell < 1:
        raise InvalidInput(f"per cell: expected 1 or more, got {wish.per_cell}.")
    left_out = [LeftOut(one, reason) for one in sources if (reason := _unfit(one, wish))]
    unfit = {one.source.name for one in left_out}
    cells: dict[str, dict[str, list[Source]]] = {}
    for source in sorted(sources, key=lambda one: one.digest):
        if source.name not in unfit:
            cells.setdefault(source.scenario, {}).setdefault(source.condition, []).append(source)
    conditions = sorted({source.condition for source in sources})
    chosen: list[Source] = []
    for scenario, by_condition in sorted(cells.items()):
        count, reason = _count(by_condition, conditions, wish)
        for condition, ones in sorted(by_condition.items()):
            drawn = list(ones)
            generator(wish.seed, "sample", scenario, condition).shuffle(drawn)
            taken = len(drawn) if count is None else count
            chosen += drawn[:taken]
            left_out += [LeftOut(one, reason or "not drawn") for one in drawn[taken:]]
    return Sample(tuple(sorted(chosen, key=lambda one: one.name)), tuple(left_out))


def _unfit(source: Source, wish: Wish) -> str:
    if source.length_ms < wish.min_length_ms:
        return f"lasts {source.length_ms} ms, at least {wish.min_length_ms} ms are wanted"
    if wish.max_length_ms is not None and source.length_ms > wish.max_length_ms:
        return f"lasts {source.length_ms} ms, at most {wish.max_length_ms} ms are wanted"
    return ""


def _count(
    by_condition: dict[str, list[Source]], conditions: Sequence[str], wish: Wish
) -> tuple[int | None, str]:
    """How many of each condition to take in one scenario (None: all), and why none, if none."""
    if not wish.match:
        return wish.per_cell, ""
    counts = {condition: len(by_condition.get(condition, ())) for condition in conditions}
    wanted = wish.per_cell or 1
    short = sorted(condition for condition, count in counts.items() if count < wanted)
    if short:
        return 0, f"its scenario has fewer than {wanted} of {', '.join(short)}"
    return wish.per_cell or min(counts.values()), ""

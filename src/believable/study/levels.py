"""The levels of a block, which for stimuli depend on the blocks around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from believable.contracts.trial import Block, StimulusFilter, TrialBase
from believable.core.errors import InvalidInput
from believable.study.records import Stimulus, Study


@dataclass(frozen=True, slots=True)
class Setting:
    """The choices of the enclosing blocks."""

    condition: str | None = None
    scenario: str | None = None
    stimulus: str | None = None
    pair: tuple[str, str] | None = None


#: Between the two conditions of a pair; no id contains it.
PAIR_MARK = "-"

NOTHING_SETTLED = Setting()


def condition_of(wanted: StimulusFilter, setting: Setting) -> str | None:
    """The condition that a filter means inside these blocks."""
    if wanted.pair is not None and setting.pair is not None:
        return setting.pair[wanted.pair == "second"]
    return wanted.condition or setting.condition


def fits(stimulus: Stimulus, setting: Setting) -> bool:
    return setting.condition in (None, stimulus.condition) and setting.scenario in (
        None,
        stimulus.scenario,
    )


def pool(study: Study, setting: Setting) -> tuple[Stimulus, ...]:
    """The stimuli that fit, in the order of the file."""
    return tuple(stimulus for stimulus in study.stimuli if fits(stimulus, setting))


def levels(study: Study, block: Block, setting: Setting) -> tuple[str, ...]:
    """The levels a block with `over` runs through, as the file orders them."""
    if block.over == "condition":
        return study.conditions if block.levels is None else block.levels
    if block.over == "scenario":
        return study.scenarios if block.levels is None else block.levels
    if block.over == "pair":
        return _pair_levels(study, block)
    fitting = [stimulus.id for stimulus in pool(study, setting)]
    return tuple(
        fitting if block.levels is None else (name for name in block.levels if name in fitting)
    )


def _pair_levels(study: Study, block: Block) -> tuple[str, ...]:
    """The pairs of a block, so ordered that any few in a row show all conditions about equally
    often.
    """
    if block.pairs == "listed":
        return block.levels or ()
    if block.pairs == "star":
        others = (name for name in study.conditions if name != block.center)
        return tuple(f"{block.center}{PAIR_MARK}{other}" for other in others)
    return tuple(PAIR_MARK.join(pair) for pair in round_robin(study.conditions))


def round_robin(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """All pairs in rounds, in each of which every name has at most one partner. The names of a pair
    are in the given order.

    >>> round_robin(("a", "b", "c", "d"))
    (('a', 'd'), ('b', 'c'), ('a', 'c'), ('b', 'd'), ('a', 'b'), ('c', 'd'))
    """
    size = len(names) + len(names) % 2
    rounds = []
    for turn in range(max(size - 1, 0)):
        order = [0, *(1 + (at - turn) % (size - 1) for at in range(size - 1))]
        rounds += [tuple(sorted((order[at], order[size - 1 - at]))) for at in range(size // 2)]
    return tuple((names[a], names[b]) for a, b in rounds if b < len(names))


def pair_of(level: str) -> tuple[str, str]:
    """
    >>> pair_of("people-v1")
    ('people', 'v1')
    """
    first, _, second = level.partition(PAIR_MARK)
    return first, second


def unit_count(study: Study, block: Block, setting: Setting) -> int:
    """How many things a block orders: its levels, or without `over` its items."""
    return len(levels(study, block, setting)) if block.over else len(block.each)


def settle(study: Study, block: Block, setting: Setting, level: str) -> Setting:
    """The setting inside one pass of the block."""
    if block.over == "condition":
        return replace(setting, condition=level)
    if block.over == "scenario":
        return replace(setting, scenario=level)
    if block.over == "pair":
        return replace(setting, pair=pair_of(level))
    stimulus = next(stimulus for stimulus in study.stimuli if stimulus.id == level)
    return Setting(stimulus.condition, stimulus.scenario, level)


def settings(
    study: Study, items: Sequence[TrialBase], around: Setting = NOTHING_SETTLED
) -> Iterator[tuple[TrialBase, Setting]]:
    """Every item of the timeline with each setting it can run in."""
    for item in items:
        yield item, around
        if isinstance(item, Block):
            inner = (
                [settle(study, item, around, name) for name in levels(study, item, around)]
                if item.over
                else [around]
            )
            for setting in inner:
                yield from settings(study, item.each, setting)


def williams(n: int) -> tuple[tuple[int, ...], ...]:
    """The rows (orders of `0 … n-1`) of a Williams design: n for even n, 2n for odd n, where n rows
    cannot balance carry-over.

    >>> williams(4)
    ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))
    """
    if n < 1:
        raise InvalidInput(
            f"williams(n): expected at least one treatment, got {n}. Give the block levels to"
            " order."
        )
    first = [0]
    for step in range(1, n):
        first.append((first[-1] + (step if step % 2 else -step)) % n)
    rows = [tuple((treatment + shift) % n for treatment in first) for shift in range(n)]
    if n % 2 and n > 1:
        rows += [tuple(reversed(row)) for row in rows]
    return tuple(rows)


def row_count(n: int) -> int:
    """How many rows `williams(n)` has."""
    return n if n % 2 == 0 or n == 1 else 2 * n

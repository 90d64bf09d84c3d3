"""The levels of a block, which for stimuli depend on the blocks around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from believable.contracts.trial import Block, TrialBase
from believable.core.errors import InvalidInput
from believable.study.records import Stimulus, Study


@dataclass(frozen=True, slots=True)
class Setting:
    """The choices of the enclosing blocks."""

    condition: str | None = None
    scenario: str | None = None
    stimulus: str | None = None


NOTHING_SETTLED = Setting()


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
    fitting = [stimulus.id for stimulus in pool(study, setting)]
    return tuple(
        fitting if block.levels is None else (name for name in block.levels if name in fitting)
    )


def unit_count(study: Study, block: Block, setting: Setting) -> int:
    """How many things a block orders: its levels, or without `over` its items."""
    return len(levels(study, block, setting)) if block.over else len(block.each)


def settle(study: Study, block: Block, setting: Setting, level: str) -> Setting:
    """The setting inside one pass of the block."""
    if block.over == "condition":
        return replace(setting, condition=level)
    if block.over == "scenario":
        return replace(setting, scenario=level)
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

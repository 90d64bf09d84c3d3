"""What a block runs over: its levels, which for stimuli depend on the blocks around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from believable.study.records import Block, Stimulus, Study, TimelineItem


@dataclass(frozen=True, slots=True)
class Setting:
    """What the enclosing blocks have settled."""

    condition: str | None = None
    scenario: str | None = None
    stimulus: str | None = None


NOTHING_SETTLED = Setting()


def fits(stimulus: Stimulus, setting: Setting) -> bool:
    return setting.condition in (None, stimulus.condition) and setting.scenario in (None, stimulus.scenario)


def pool(study: Study, setting: Setting) -> tuple[Stimulus, ...]:
    """The stimuli that fit, in the order of the file."""
    return tuple(one for one in study.stimuli if fits(one, setting))


def levels(study: Study, block: Block, setting: Setting) -> tuple[str, ...]:
    """The levels a block with `over` runs through, as the file orders them."""
    if block.over == "condition":
        return study.conditions if block.levels is None else block.levels
    if block.over == "scenario":
        return study.scenarios if block.levels is None else block.levels
    fitting = [one.id for one in pool(study, setting)]
    return tuple(fitting if block.levels is None else (name for name in block.levels if name in fitting))


def unit_count(study: Study, block: Block, setting: Setting) -> int:
    """How many things a block orders: its levels, or without `over` its items."""
    return len(levels(study, block, setting)) if block.over else len(block.each)


def settle(study: Study, block: Block, setting: Setting, level: str) -> Setting:
    """The setting inside one pass of the block."""
    if block.over == "condition":
        return replace(setting, condition=level)
    if block.over == "scenario":
        return replace(setting, scenario=level)
    stimulus = next(one for one in study.stimuli if one.id == level)
    return Setting(stimulus.condition, stimulus.scenario, level)


def settings(
    study: Study, items: Sequence[TimelineItem], around: Setting = NOTHING_SETTLED
) -> Iterator[tuple[TimelineItem, Setting]]:
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

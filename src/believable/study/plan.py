"""From a study and an assignment to the flat list of trials one participant will see.

All chance is settled when the session starts, so the same assignment gives the same plan on any device, for ever.
Rules on arms are settled here too: a trial that its arm leaves out is not in the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from believable.core.seeds import generator
from believable.study.draw import Slot, draw
from believable.study.latin import williams
from believable.study.levels import NOTHING_SETTLED, Setting, levels, pool, settle
from believable.study.practice import to_practise
from believable.study.records import (
    Block,
    Break,
    Rate,
    Rule,
    StimulusFilter,
    Study,
    TimelineItem,
    Trial,
    Watch,
)
from believable.study.rules import arm_holds


@dataclass(frozen=True, slots=True)
class Assignment:
    """What chance decided for one session: a level per arm, a row per Latin square (by block id), and a seed for the rest."""

    arms: Mapping[str, str]
    rows: Mapping[str, int]
    seed: int


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One page of one participant's session. `key` is unique in the plan, e.g. `pairs.2.watch`; `position` counts from 0.

    `condition`, `scenario` and `stimulus_id` are what the enclosing blocks and the draw settled; they never reach the browser.
    `skip_if` holds the rules of the trial and of all blocks around it: one that holds skips the trial.
    """

    position: int
    key: str
    trial: Trial
    condition: str | None
    scenario: str | None
    stimulus_id: str | None
    skip_if: tuple[Rule, ...]


#: Which units (levels or items) of a block are run, in which order: `(block, run, number of units) → indices`.
Chooser = Callable[[Block, int, int], Sequence[int]]


def plan(study: Study, assignment: Assignment) -> tuple[PlannedTrial, ...]:
    """The trials of one session, in order."""
    pages = unroll(study, assignment.arms, chooser(assignment))
    return fill(study, _with_practice(pages), assignment.seed)


def chooser(assignment: Assignment) -> Chooser:
    """The order and the sample that the assignment settles."""

    def choose(block: Block, run: int, n: int) -> Sequence[int]:
        k = n if block.sample is None else min(block.sample, n)
        if block.order == "latin_square":
            rows = williams(n)
            return rows[(assignment.rows.get(block.id, 0) + run) % len(rows)][:k]
        rng = generator(assignment.seed, "order", block.id, run)
        taken = rng.sample(range(n), k)
        return taken if block.order == "random" else sorted(taken)

    return choose


@dataclass(frozen=True, slots=True)
class Page:
    """A trial on its way into the plan; `stimulus` may still wait for the draw."""

    key: str
    trial: Trial
    setting: Setting
    stimulus: str | Slot | None
    skip_if: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class _Around:
    prefix: str = ""
    setting: Setting = NOTHING_SETTLED
    stimulus: str | Slot | None = None
    skip_if: tuple[Rule, ...] = ()


def unroll(study: Study, arms: Mapping[str, str], choose: Chooser) -> list[Page]:
    """All pages in order, before stimuli are drawn."""
    return _Unroller(study, arms, choose).items(study.timeline, _Around())


class _Unroller:
    def __init__(self, study: Study, arms: Mapping[str, str], choose: Chooser) -> None:
        self._study = study
        self._arms = arms
        self._choose = choose
        self._runs: dict[str, int] = {}
        self._pools: dict[tuple[Setting, Setting], tuple[str, ...]] = {}

    def items(self, items: Sequence[TimelineItem], around: _Around) -> list[Page]:
        return [page for item in items for page in self._item(item, around)]

    def _item(self, item: TimelineItem, around: _Around) -> list[Page]:
        skip_if = around.skip_if
        if item.skip_if is not None:
            if item.skip_if.arm is None:
                skip_if = (*skip_if, item.skip_if)
            elif arm_holds(item.skip_if, self._arms):
                return []
        here = _Around(around.prefix, around.setting, around.stimulus, skip_if)
        if isinstance(item, Block):
            return self._block(item, here)
        key = around.prefix + item.id
        stimulus = self._stimulus(item, key, here) if isinstance(item, Watch) else here.stimulus
        return [Page(key, item, here.setting, stimulus, skip_if)]

    def _stimulus(self, watch: Watch, key: str, around: _Around) -> str | Slot:
        if isinstance(watch.stimulus, StimulusFilter):
            wanted = Setting(watch.stimulus.condition, watch.stimulus.scenario)
        elif watch.stimulus != "any":
            return watch.stimulus
        elif around.stimulus is not None:
            return around.stimulus
        else:
            wanted = NOTHING_SETTLED
        return Slot(key, watch.id, self._fitting(around.setting, wanted))

    def _fitting(self, around: Setting, wanted: Setting) -> tuple[str, ...]:
        if (around, wanted) not in self._pools:
            fitting = {one.id for one in pool(self._study, wanted)}
            names = tuple(one.id for one in pool(self._study, around) if one.id in fitting)
            self._pools[around, wanted] = names
        return self._pools[around, wanted]

    def _block(self, block: Block, around: _Around) -> list[Page]:
        units = [unit for _ in range(block.repeat) for unit in self._run(block, around) if unit]
        return _with_breaks(block, around, units)

    def _run(self, block: Block, around: _Around) -> list[list[Page]]:
        run = self._runs.get(block.id, 0)
        self._runs[block.id] = run + 1
        if block.over is None:
            inside = _Around(
                f"{around.prefix}{block.id}.{run + 1}.", around.setting, around.stimulus, around.skip_if
            )
            return [self._item(block.each[i], inside) for i in self._choose(block, run, len(block.each))]
        passes = self._passes(block, run, around)
        first = run * len(passes) + 1
        return [
            self.items(
                block.each,
                _Around(f"{around.prefix}{block.id}.{first + i}.", setting, stimulus, around.skip_if),
            )
            for i, (setting, stimulus) in enumerate(passes)
        ]

    def _passes(self, block: Block, run: int, around: _Around) -> list[tuple[Setting, str | Slot | None]]:
        names = levels(self._study, block, around.setting)
        if block.over == "stimulus" and block.sample is not None and block.order != "latin_square":
            group = f"{around.prefix}{block.id}.{run}"
            in_order = group if block.order == "fixed" else None
            return [
                (around.setting, Slot(f"{group}.{i + 1}", block.id, names, in_order))
                for i in range(min(block.sample, len(names)))
            ]
        chosen = [names[i] for i in self._choose(block, run, len(names))]
        settings = [settle(self._study, block, around.setting, name) for name in chosen]
        return [(setting, setting.stimulus or around.stimulus) for setting in settings]


def _with_breaks(block: Block, around: _Around, units: Sequence[list[Page]]) -> list[Page]:
    pages: list[Page] = []
    for number, unit in enumerate(units, start=1):
        pages += unit
        if block.breaks is not None and number % block.breaks.every == 0 and number < len(units):
            pause = Break(id=f"{block.id}_break", text=block.breaks.text, at_least_s=block.breaks.at_least_s)
            pages.append(
                Page(f"{around.prefix}{block.id}.{number}.break", pause, around.setting, None, around.skip_if)
            )
    return pages


def _with_practice(pages: Sequence[Page]) -> list[Page]:
    """A practice before the first use of each annotating kind. Where that use may be skipped, the next one gets a practice
    too: `progress` passes over it when the kind was practised already.
    """
    found: list[Page] = []
    certain: set[str] = set()
    counts: dict[str, int] = {}
    for page in pages:
        practice = to_practise(page.trial)
        if practice is not None and practice.annotate.kind not in certain:
            kind = practice.annotate.kind
            counts[kind] = counts.get(kind, 0) + 1
            key = f"practice.{kind}" if counts[kind] == 1 else f"practice.{kind}.{counts[kind]}"
            found.append(Page(key, practice, NOTHING_SETTLED, None, page.skip_if))
            if not page.skip_if:
                certain.add(kind)
        found.append(page)
    return found


def fill(study: Study, pages: Sequence[Page], seed: int) -> tuple[PlannedTrial, ...]:
    """Draw what still waits, and number the pages."""
    slots = list(dict.fromkeys(page.stimulus for page in pages if isinstance(page.stimulus, Slot)))
    taken = {page.stimulus for page in pages if isinstance(page.stimulus, str)}
    drawn = draw(slots, taken=taken, seed=seed)
    by_id = {stimulus.id: stimulus for stimulus in study.stimuli}
    planned = []
    for position, page in enumerate(pages):
        name = drawn[page.stimulus] if isinstance(page.stimulus, Slot) else page.stimulus
        shown = by_id[name] if name is not None else None
        condition = shown.condition if shown is not None else page.setting.condition
        scenario = shown.scenario if shown is not None else page.setting.scenario
        planned.append(PlannedTrial(position, page.key, page.trial, condition, scenario, name, page.skip_if))
    return tuple(planned)


def rated_positions(plan: Sequence[PlannedTrial], position: int) -> tuple[int, ...]:
    """Which earlier watch trials the `rate` trial at `position` is about: those of its own pass where there are any, else all."""
    rate = plan[position].trial
    if not isinstance(rate, Rate):
        return ()
    watched = [
        one
        for one in plan[:position]
        if isinstance(one.trial, Watch) and (rate.of == "all" or one.trial.id in rate.of)
    ]
    prefix = plan[position].key.removesuffix(rate.id)
    same_pass = [one for one in watched if one.key.startswith(prefix)]
    return tuple(one.position for one in (same_pass or watched))

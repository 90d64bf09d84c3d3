"""From a study and an assignment to the flat list of trials one participant will see.

All chance is settled when the session starts, so the same assignment gives the same plan on any device, for ever.
Rules on arms are settled here too: a trial that its arm leaves out is not in the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from believable.core.seeds import generator
from believable.study.draw import Slot
from believable.study.latin import williams
from believable.study.levels import NOTHING_SETTLED, Setting, levels, pool, settle
from believable.study.matching import Matched, must_fill
from believable.study.practice import to_practise
from believable.study.records import (
    Block,
    Break,
    Compare,
    Group,
    Rate,
    Rule,
    StimulusFilter,
    Study,
    TimelineItem,
    Trial,
    Watch,
    WatchedStimulus,
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
    `stimulus_ids` are the stimuli of a page with several players, in the order of the page (A, B, …).
    `skip_if` holds the rules of the trial and of all blocks around it: one that holds skips the trial.
    """

    position: int
    key: str
    trial: Trial
    condition: str | None
    scenario: str | None
    stimulus_id: str | None
    skip_if: tuple[Rule, ...]
    stimulus_ids: tuple[str, ...] = ()


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
    """A trial on its way into the plan; `stimulus`, or `several` of a page with more than one, may still wait for the draw."""

    key: str
    trial: Trial
    setting: Setting
    stimulus: str | Slot | None
    skip_if: tuple[Rule, ...]
    several: tuple[str | Slot, ...] | Matched = ()


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
        if isinstance(item, Compare | Group):
            several = (
                self._compared(item, key, here) if isinstance(item, Compare) else self._clips(item, key, here)
            )
            return [Page(key, item, here.setting, None, skip_if, several)]
        stimulus = self._stimulus(item, key, here) if isinstance(item, Watch) else here.stimulus
        return [Page(key, item, here.setting, stimulus, skip_if)]

    def _stimulus(self, watch: Watch, key: str, around: _Around) -> str | Slot | None:
        if isinstance(watch.stimulus, WatchedStimulus) and watch.stimulus.round is not None:
            return None  # the participant's own round, which does not exist yet
        if isinstance(watch.stimulus, StimulusFilter):
            wanted = Setting(watch.stimulus.condition, watch.stimulus.scenario)
        elif watch.stimulus != "any":
            return watch.stimulus
        elif around.stimulus is not None:
            return around.stimulus
        else:
            wanted = NOTHING_SETTLED
        return Slot(key, watch.id, self._fitting(around.setting, wanted))

    def _compared(self, compare: Compare, key: str, around: _Around) -> tuple[str | Slot, ...] | Matched:
        """What a comparison shows, in the order of the file: settled, drawn freely, or drawn from one scenario."""
        pools = [self._open_to(one, around.setting) for one in compare.of]
        if compare.match == "none" or all(isinstance(one, str) for one in compare.of):
            return self._slots(compare.id, key, compare.of, pools)
        scenarios = dict.fromkeys(one.scenario for one in self._study.stimuli if one.scenario is not None)
        of_scenario = {name: {one.id for one in pool(self._study, Setting(None, name))} for name in scenarios}
        options = [
            tuple(
                Slot(f"{key}.{number}", compare.id, tuple(one for one in names if one in members))
                for number, names in enumerate(pools)
            )
            for members in of_scenario.values()
        ]
        return Matched(
            key, compare.id, tuple(option for option in options if all(one.allowed for one in option))
        )

    def _clips(self, group: Group, key: str, around: _Around) -> tuple[str | Slot, ...]:
        if not isinstance(group.clips, int):
            return group.clips
        names = self._open_to(group.from_, around.setting)
        return tuple(Slot(f"{key}.{number}", group.id, names) for number in range(group.clips))

    def _slots(
        self, owner: str, key: str, wanted: Sequence[str | StimulusFilter], pools: Sequence[tuple[str, ...]]
    ) -> tuple[str | Slot, ...]:
        return tuple(
            one if isinstance(one, str) else Slot(f"{key}.{number}", owner, names)
            for number, (one, names) in enumerate(zip(wanted, pools, strict=True))
        )

    def _open_to(self, wanted: str | StimulusFilter, around: Setting) -> tuple[str, ...]:
        """The stimuli that fit; what the filter leaves open the blocks around settle."""
        if isinstance(wanted, str):
            return (wanted,)
        condition, scenario = wanted.condition or around.condition, wanted.scenario or around.scenario
        return self._fitting(NOTHING_SETTLED, Setting(condition, scenario))

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


def waiting(pages: Sequence[Page]) -> tuple[list[Slot], list[Matched], set[str]]:
    """What the pages still wait for, and the stimuli that are settled already."""
    every = [one for page in pages for one in _places(page)]
    slots = list(dict.fromkeys(one for one in every if isinstance(one, Slot)))
    matched = [page.several for page in pages if isinstance(page.several, Matched)]
    return slots, matched, {one for one in every if isinstance(one, str)}


def _places(page: Page) -> tuple[str | Slot | None, ...]:
    return (page.stimulus,) if isinstance(page.several, Matched) else (page.stimulus, *page.several)


def fill(study: Study, pages: Sequence[Page], seed: int) -> tuple[PlannedTrial, ...]:
    """Draw what still waits, and number the pages."""
    slots, matched, taken = waiting(pages)
    filled = must_fill(slots, matched, taken=taken, seed=seed)
    by_id = {stimulus.id: stimulus for stimulus in study.stimuli}

    def name_of(place: str | Slot) -> str:
        return filled.drawn[place] if isinstance(place, Slot) else place

    planned = []
    for position, page in enumerate(pages):
        places = filled.slots[page.several] if isinstance(page.several, Matched) else page.several
        several = _mixed([name_of(place) for place in places], page.key, seed)
        name = None if page.stimulus is None else name_of(page.stimulus)
        shown = [by_id[one] for one in (several or ([] if name is None else [name]))]
        condition = _common([one.condition for one in shown], page.setting.condition)
        scenario = _common([one.scenario for one in shown], page.setting.scenario)
        planned.append(
            PlannedTrial(position, page.key, page.trial, condition, scenario, name, page.skip_if, several)
        )
    return tuple(planned)


def _mixed(names: list[str], key: str, seed: int) -> tuple[str, ...]:
    """The stimuli of a page with several, in the order of its players."""
    generator(seed, "sides", key).shuffle(names)
    return tuple(names)


def _common(values: Sequence[str | None], otherwise: str | None) -> str | None:
    """What all have; without any, what the blocks around have settled."""
    if not values:
        return otherwise
    return values[0] if len(set(values)) == 1 else None


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

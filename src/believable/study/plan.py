"""From a study to an assignment, and from both to the flat list of trials one participant will see.

All chance is settled when the session starts, so the same assignment gives the same plan on any
device, for ever. Rules on arms are settled here too: a trial that its arm leaves out is not in the
plan.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod

from believable.contracts.record import Rule, arm_holds
from believable.contracts.trial import (
    Block,
    MatchedSlots,
    PlannedTrial,
    Slot,
    StimulusFilter,
    TrialBase,
)
from believable.core.seeds import derive, generator
from believable.study.earlier_pages import rated_positions
from believable.study.levels import (
    NOTHING_SETTLED,
    Setting,
    condition_of,
    levels,
    pool,
    row_count,
    settings,
    settle,
    unit_count,
    williams,
)
from believable.study.records import Study
from believable.study.stimulus_draw import must_fill


@dataclass(frozen=True, slots=True)
class Assignment:
    """What chance decided for one session: a level per arm, a row per Latin square (by block id),
    and a seed for the rest. `drawn`: names that were drawn by their views, by their place in the
    plan; see `pool_draw`.
    """

    arms: Mapping[str, str]
    rows: Mapping[str, int]
    seed: int
    drawn: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


#: Which units (levels or items) of a block are run, in which order: `(block, run, names of the
#: units) → indices`.
Chooser = Callable[[Block, int, Sequence[str]], Sequence[int]]


def plan(study: Study, assignment: Assignment) -> tuple[PlannedTrial, ...]:
    """The trials of one session, in order."""
    pages = unroll(study, assignment.arms, chooser(assignment))
    return fill(study, _with_practice(pages), assignment.seed, assignment.drawn)


def is_settled(study: Study) -> bool:
    """Whether all sessions of the same arms and rows get the same plan: nothing is shuffled,
    sampled or drawn.
    """

    def is_fixed(items: Sequence[TrialBase]) -> bool:
        return all(
            not item.plays_stimuli
            if not isinstance(item, Block)
            else item.order != "random" and item.sample is None and is_fixed(item.each)
            for item in items
        )

    return is_fixed(study.timeline)


def level_place(block: Block, run: int) -> str:
    """The place of the drawn levels of one run of a block."""
    return f"levels:{block.id}.{run}"


def chooser(assignment: Assignment) -> Chooser:
    """The order and the sample that the assignment settles."""

    def choose(block: Block, run: int, names: Sequence[str]) -> Sequence[int]:
        drawn = assignment.drawn.get(level_place(block, run))
        if drawn is not None:
            return [names.index(name) for name in drawn]
        n = len(names)
        k = n if block.sample is None else min(block.sample, n)
        if block.order == "latin_square":
            rows = williams(n)
            return rows[(assignment.rows.get(block.id, 0) + run) % len(rows)][:k]
        rng = generator(assignment.seed, "order", block.id, run)
        taken = rng.sample(range(n), k)
        return taken if block.order == "random" else sorted(taken)

    return choose


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A trial on its way into the plan; `stimulus`, or `several` of a page with more than one, may
    still wait for the draw.
    """

    key: str
    trial: TrialBase
    setting: Setting
    stimulus: str | Slot | None
    skip_if: tuple[Rule, ...]
    several: tuple[str | Slot, ...] | MatchedSlots = ()


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

    def items(self, items: Sequence[TrialBase], around: _Around) -> list[Page]:
        return [page for item in items for page in self._item(item, around)]

    def _item(self, item: TrialBase, around: _Around) -> list[Page]:
        skip_if = around.skip_if
        if item.skip_if is not None:
            if item.skip_if.arm is None:
                skip_if = (*skip_if, item.skip_if)
            elif arm_holds(item.skip_if, self._arms):
                return []
        inside = _Around(around.prefix, around.setting, around.stimulus, skip_if)
        if isinstance(item, Block):
            return self._block(item, inside)
        key = around.prefix + item.id
        wanted = item.request_stimuli(_PageChoice(self, key, inside))
        return [
            Page(
                key=key,
                trial=item,
                setting=inside.setting,
                stimulus=wanted.stimulus,
                skip_if=skip_if,
                several=wanted.several,
            )
        ]

    @cached_property
    def scenarios(self) -> dict[str, frozenset[str]]:
        groups: dict[str, list[str]] = {name: [] for name in self._study.scenarios}
        for stimulus in self._study.stimuli:
            if stimulus.match_group is not None:
                groups.setdefault(stimulus.match_group, []).append(stimulus.id)
        return {name: frozenset(members) for name, members in groups.items()}

    def fitting(self, around: Setting, wanted: Setting) -> tuple[str, ...]:
        if (around, wanted) not in self._pools:
            fitting = {stimulus.id for stimulus in pool(self._study, wanted)}
            names = tuple(
                stimulus.id for stimulus in pool(self._study, around) if stimulus.id in fitting
            )
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
                f"{around.prefix}{block.id}.{run + 1}.",
                around.setting,
                around.stimulus,
                around.skip_if,
            )
            names = [item.id for item in block.each]
            return [self._item(block.each[i], inside) for i in self._choose(block, run, names)]
        passes = self._passes(block, run, around)
        first = run * len(passes) + 1
        return [
            self.items(
                block.each,
                _Around(
                    f"{around.prefix}{block.id}.{first + i}.", setting, stimulus, around.skip_if
                ),
            )
            for i, (setting, stimulus) in enumerate(passes)
        ]

    def _passes(
        self, block: Block, run: int, around: _Around
    ) -> list[tuple[Setting, str | Slot | None]]:
        names = levels(self._study, block, around.setting)
        if block.over == "stimulus" and block.sample is not None and block.order != "latin_square":
            group = f"{around.prefix}{block.id}.{run}"
            in_order = group if block.order == "fixed" else None
            return [
                (around.setting, Slot(f"{group}.{i + 1}", block.id, names, in_order))
                for i in range(min(block.sample, len(names)))
            ]
        chosen = [names[i] for i in self._choose(block, run, names)]
        settings = [settle(self._study, block, around.setting, name) for name in chosen]
        return [(setting, setting.stimulus or around.stimulus) for setting in settings]


@dataclass(frozen=True, slots=True)
class _PageChoice:
    """The stimuli that one page may choose from; see `StimulusChoice`."""

    unroller: _Unroller
    key: str
    around: _Around

    @property
    def settled_stimulus(self) -> str | Slot | None:
        return self.around.stimulus

    @property
    def scenarios(self) -> Mapping[str, frozenset[str]]:
        return self.unroller.scenarios

    def fitting(self, condition: str | None, scenario: str | None) -> tuple[str, ...]:
        return self.unroller.fitting(self.around.setting, Setting(condition, scenario))

    def open_to(self, wanted: StimulusFilter) -> tuple[str, ...]:
        setting = self.around.setting
        condition, scenario = (condition_of(wanted, setting), wanted.scenario or setting.scenario)
        return self.unroller.fitting(NOTHING_SETTLED, Setting(condition, scenario))


def _with_breaks(block: Block, around: _Around, units: Sequence[list[Page]]) -> list[Page]:
    pages: list[Page] = []
    for number, unit in enumerate(units, start=1):
        pages += unit
        if (
            block.breaks
            and block.pause
            and number % block.breaks.every == 0
            and number < len(units)
        ):
            key = f"{around.prefix}{block.id}.{number}.break"
            pages.append(
                Page(
                    key=key,
                    trial=block.pause,
                    setting=around.setting,
                    stimulus=None,
                    skip_if=around.skip_if,
                )
            )
    return pages


def _with_practice(pages: Sequence[Page]) -> list[Page]:
    """A practice before the first use of each annotating kind. If that use may be skipped, the next
    one gets a practice too: `progress` passes over it if the kind was practised already.
    """
    whole: list[Page] = []
    certain: set[str] = set()
    counts: dict[str, int] = {}
    for page in pages:
        practice = page.trial.practice_page
        kind = None if practice is None else practice.practises
        if practice is not None and kind is not None and kind not in certain:
            counts[kind] = counts.get(kind, 0) + 1
            key = f"practice.{kind}" if counts[kind] == 1 else f"practice.{kind}.{counts[kind]}"
            whole.append(
                Page(
                    key=key,
                    trial=practice,
                    setting=NOTHING_SETTLED,
                    stimulus=None,
                    skip_if=page.skip_if,
                )
            )
            if not page.skip_if:
                certain.add(kind)
        whole.append(page)
    return whole


def waiting(pages: Sequence[Page]) -> tuple[list[Slot], list[MatchedSlots], set[str]]:
    """The open choices of the pages, and the stimuli that are chosen already."""
    every = [place for page in pages for place in _places(page)]
    slots = list(dict.fromkeys(need for need in every if isinstance(need, Slot)))
    matched = [page.several for page in pages if isinstance(page.several, MatchedSlots)]
    return slots, matched, {need for need in every if isinstance(need, str)}


def _places(page: Page) -> tuple[str | Slot | None, ...]:
    return (
        (page.stimulus,)
        if isinstance(page.several, MatchedSlots)
        else (page.stimulus, *page.several)
    )


def draw_names(
    pages: Sequence[Page], seed: int, views: Mapping[str, int] | None = None
) -> dict[str, tuple[str, ...]]:
    """The stimuli for every choice of the pages that is still open, by its place: by chance, or
    those with the fewest `views`.
    """
    slots, matched, taken = waiting(pages)
    filled = must_fill(slots, matched, taken=taken, seed=seed, views=views)
    names: dict[str, tuple[str, ...]] = {slot.key: (filled.drawn[slot],) for slot in slots}
    for group in matched:
        names[group.key] = tuple(filled.drawn[slot] for slot in filled.slots[group])
    return names


def fill(
    study: Study, pages: Sequence[Page], seed: int, drawn: Mapping[str, tuple[str, ...]]
) -> tuple[PlannedTrial, ...]:
    """Draw what still waits, and number the pages."""
    slots, matched, _ = waiting(pages)
    open_places = [*(slot.key for slot in slots), *(group.key for group in matched)]
    names = drawn if all(key in drawn for key in open_places) else draw_names(pages, seed)
    by_id = {stimulus.id: stimulus for stimulus in study.stimuli}

    def name_of(place: str | Slot) -> str:
        return names[place.key][0] if isinstance(place, Slot) else place

    planned = []
    for position, page in enumerate(pages):
        several_names = (
            list(names[page.several.key])
            if isinstance(page.several, MatchedSlots)
            else [name_of(place) for place in page.several]
        )
        several = _shuffle(several_names, page.key, seed)
        name = None if page.stimulus is None else name_of(page.stimulus)
        shown = [by_id[stimulus] for stimulus in (several or ([] if name is None else [name]))]
        condition = _common([stimulus.condition for stimulus in shown], page.setting.condition)
        scenario = _common([stimulus.scenario for stimulus in shown], page.setting.scenario)
        planned.append(
            PlannedTrial(
                position=position,
                key=page.key,
                trial=page.trial,
                condition=condition,
                scenario=scenario,
                stimulus_id=name,
                skip_if=page.skip_if,
                stimulus_ids=several,
            )
        )
    return tuple(_about_watched(planned, page) for page in planned)


def _about_watched(planned: Sequence[PlannedTrial], page: PlannedTrial) -> PlannedTrial:
    """A page with its questions about the stimuli that were watched before it."""
    if (
        type(page.trial).about_watched is TrialBase.about_watched
    ):  # most kinds: looking back would be quadratic
        return page
    about = [
        name
        for position in rated_positions(planned, page.position)
        for name in planned[position].played_stimuli
    ]
    trial = page.trial.about_watched(about)
    return page if trial is page.trial else replace(page, trial=trial)


def _shuffle(names: list[str], key: str, seed: int) -> tuple[str, ...]:
    """The stimuli of a page with several, in the order of its players."""
    generator(seed, "sides", key).shuffle(names)
    return tuple(names)


def _common(values: Sequence[str | None], otherwise: str | None) -> str | None:
    """The values that all have; without any, the choices of the enclosing blocks."""
    if not values:
        return otherwise
    return values[0] if len(set(values)) == 1 else None


Factor = tuple[str, str | int]


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of arm levels and Latin-square rows: the unit of balancing."""

    arms: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, arms: Mapping[str, str], rows: Mapping[str, int]) -> Cell:
        return cls(tuple(sorted(arms.items())), tuple(sorted(rows.items())))


def latin_sizes(study: Study) -> dict[str, tuple[int, ...]]:
    """For each Latin-square block, the numbers of units it orders (more than one only where the
    enclosing blocks change it).
    """
    sizes: dict[str, dict[int, None]] = {}
    for item, setting in settings(study, study.timeline):
        if isinstance(item, Block) and item.order == "latin_square":
            sizes.setdefault(item.id, {})[unit_count(study, item, setting)] = None
    return {block: tuple(counts) for block, counts in sizes.items()}


def cells(study: Study) -> tuple[Cell, ...]:
    """Every combination, in a fixed order."""
    arms = [[(name, level) for level in study.arms[name]] for name in sorted(study.arms)]
    sizes = latin_sizes(study)
    rows = [[(block, row) for row in range(row_count(sizes[block][0]))] for block in sorted(sizes)]
    return tuple(
        Cell(levels, order)
        for levels in itertools.product(*arms)
        for order in itertools.product(*rows)
    )


def cell_count(study: Study) -> int:
    """`len(cells(study))` without making them."""
    return prod(map(len, study.arms.values())) * prod(
        row_count(size[0]) for size in latin_sizes(study).values()
    )


def choose(
    study: Study,
    filled: Mapping[Cell, int],
    number: int,
    secret: str = "",
    arms: Mapping[str, str] | None = None,
) -> Assignment:
    """The assignment of session `number`, given how many sessions count in each cell.

    Among the least filled cells, those whose arms and rows are least filled separately; among these
    the seed decides. For people a `secret` takes part in the draw: a published study reveals its
    seed, and the order of a session's pages must not reveal its number. `arms`: levels that are
    settled already; the others are balanced.
    """
    everything = [cell for cell in cells(study) if set((arms or {}).items()) <= set(cell.arms)]
    fewest = min(filled.get(cell, 0) for cell in everything)
    open_cells = [cell for cell in everything if filled.get(cell, 0) == fewest]
    marginal = _marginal(filled)
    loads = [sum(marginal.get(factor, 0) for factor in _factors(cell)) for cell in open_cells]
    least = min(loads)
    lightest = [cell for cell, load in zip(open_cells, loads, strict=True) if load == least]
    cell = generator(study.seed, "cell", number, *_parts(secret)).choice(lightest)
    return Assignment(dict(cell.arms), dict(cell.rows), session_seed(study, number, secret))


def session_seed(study: Study, number: int, secret: str = "") -> int:
    """Below 2**63, so that any database keeps it."""
    return derive(study.seed, "session", number, *_parts(secret)) >> 1


def _parts(secret: str) -> tuple[str, ...]:
    return (secret,) if secret else ()


def _factors(cell: Cell) -> Iterator[Factor]:
    yield from cell.arms
    yield from cell.rows


def _marginal(filled: Mapping[Cell, int]) -> dict[Factor, int]:
    counts: dict[Factor, int] = {}
    for cell, count in filled.items():
        for factor in _factors(cell):
            counts[factor] = counts.get(factor, 0) + count
    return counts

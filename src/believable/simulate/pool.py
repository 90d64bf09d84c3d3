"""The plans a study can lead to, as arrays: the same pages, orders and sides as in real sessions, ready to be drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.replay.actions import log_of
from believable.simulate.demonstration import MAKERS, make
from believable.simulate.roles import Roles, roles_of
from believable.study.assign import cells, session_seed
from believable.study.definition import Definition
from believable.study.plan import Assignment, PlannedTrial, plan, rated_positions
from believable.study.records import Compare, Finish, Group, Qa, Study, Watch

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
ObjectArray = NDArray[np.object_]

#: About so many plans are made of a study; sessions are drawn from them.
PLANS = 192
#: Length of a stimulus of which nothing is known.
UNKNOWN_MS = 20_000
#: Seed of the stimuli that `believable new` makes.
STIMULUS_SEED = 7
#: What a page takes beside watching, in milliseconds at tempo 1.
PAGE_MS: Mapping[str, float] = {
    "consent": 22_000, "text": 24_000, "form": 14_000, "check": 8_000, "device": 20_000, "practice": 27_000,
    "play": 66_000, "watch": 14_000, "compare": 24_000, "group": 26_000, "rate": 14_000, "break": 10_000, "qa": 6_000,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Material:
    """What is known of the stimuli: lengths, logged actions, plans, and what was planted into them."""

    length_ms: Mapping[str, float]
    actions: Sequence[Mapping[str, str | float | None]]
    plans: Sequence[Mapping[str, str | float | None]]
    planted: Mapping[str, Mapping[str, str]]


def _made(protocol: str, study: Study) -> Material:
    lengths: dict[str, float] = {}
    actions: list[Mapping[str, str | float | None]] = []
    plans: list[Mapping[str, str | float | None]] = []
    planted: dict[str, Mapping[str, str]] = {}
    for one in study.stimuli:
        made = make(protocol, study, one, STIMULUS_SEED)
        lengths[one.id] = made.replay.timing.duration_ms
        planted[one.id] = made.planted
        actions += [
            {
                "stimulus": one.id, "action": act.id, "actor": act.actor, "from_ms": float(act.t0_ms), "to_ms": float(act.t1_ms),
                "verb": act.verb, "object": act.object, "place": act.place, "text": act.text,
            }
            for act in log_of(made.replay).actions
        ]  # fmt: skip
        plans += [
            {
                "stimulus": one.id, "log": "memory", "step": step.id, "actor": step.actor, "parent": step.parent,
                "level": step.level, "from_ms": float(step.t0_ms), "to_ms": float(step.t1_ms), "text": step.text,
            }
            for step in made.replay.plans
        ]  # fmt: skip
    return Material(lengths, actions, plans, planted)


class Pool:
    """Plans of one study by arrays: `[plan, page]`, and `[plan, page, player]` for stimuli (codes into `stimuli`, −1: none).

    The last page, `finish`, is not among them: nothing is recorded on it.
    """

    def __init__(self, definition: Definition, size: int = PLANS) -> None:
        self.definition = definition
        self.study = study = definition.study
        self.cells = cells(study)
        each = max(2, size // len(self.cells))
        self.assignments = [
            Assignment(dict(cell.arms), dict(cell.rows), session_seed(study, number * len(self.cells) + at))
            for at, cell in enumerate(self.cells)
            for number in range(each)
        ]
        self.each = each
        self.plans = [self._pages(plan(study, one)) for one in self.assignments]
        self.pages = max(map(len, self.plans))
        self.length = np.array([len(one) for one in self.plans])
        self.stimuli = np.array([one.id for one in study.stimuli] or [""], dtype=object)
        self.stimulus_condition = np.array([one.condition for one in study.stimuli] or [None], dtype=object)
        self.stimulus_scenario = np.array([one.scenario for one in study.stimuli] or [None], dtype=object)
        self.key = self._column(lambda one: one.key)
        self.trial = self._column(lambda one: one.trial.id)
        self.kind = self._column(lambda one: one.trial.kind)
        self.condition = self._column(lambda one: one.condition)
        self.scenario = self._column(lambda one: one.scenario)
        self.stimulus = self._column(lambda one: one.stimulus_id)
        codes = {name: code for code, name in enumerate(study.scenarios)}
        self.scenario_code = np.array(
            [[codes.get(name, 0) for name in row] for row in self.scenario], np.int64
        )
        self.shown, self.played = self._shown()
        self.page_ms = self._page_ms()
        #: What behaviours work out once per study.
        self.kept: dict[str, Any] = {}

    @staticmethod
    def _pages(planned: Sequence[PlannedTrial]) -> list[PlannedTrial]:
        return [one for one in planned if not isinstance(one.trial, Finish)]

    def _column(self, value: Callable[[PlannedTrial], str | None]) -> ObjectArray:
        found = np.full((len(self.plans), self.pages), None, dtype=object)
        for row, pages in enumerate(self.plans):
            for column, page in enumerate(pages):
                found[row, column] = value(page)
        return found

    def _shown(self) -> tuple[IntArray, NDArray[np.bool_]]:
        codes = {name: code for code, name in enumerate(self.stimuli)}
        most = 1
        found: list[tuple[int, int, tuple[str, ...], bool]] = []
        for row, pages in enumerate(self.plans):
            for column, page in enumerate(pages):
                names = page.stimulus_ids or (
                    (page.stimulus_id,) if isinstance(page.trial, Watch) and page.stimulus_id else ()
                )
                played = bool(names)
                if not played:
                    about = rated_positions(pages, column)
                    names = tuple(name for one in about if (name := pages[one].stimulus_id) is not None)
                if names:
                    most = max(most, len(names))
                    found.append((row, column, tuple(str(name) for name in names), played))
        shown = np.full((len(self.plans), self.pages, most), -1)
        is_played = np.zeros((len(self.plans), self.pages), np.bool_)
        for row, column, names, played in found:
            shown[row, column, : len(names)] = [codes[name] for name in names]
            is_played[row, column] = played
        return shown, is_played

    def _page_ms(self) -> FloatArray:
        found = np.zeros((len(self.plans), self.pages))
        for row, pages in enumerate(self.plans):
            for column, page in enumerate(pages):
                found[row, column] = PAGE_MS.get(page.trial.kind, 15_000) + self._watching_ms(page)
        return found

    def _watching_ms(self, page: PlannedTrial) -> float:
        if isinstance(page.trial, Qa):
            return 1000.0 * page.trial.duration_s
        if not isinstance(page.trial, Watch | Compare | Group):
            return 0.0
        names = page.stimulus_ids or ((page.stimulus_id,) if page.stimulus_id else ())
        whole = sum(self.material.length_ms.get(name, UNKNOWN_MS) for name in names)
        return whole / page.trial.controls.first_speed

    @cached_property
    def material(self) -> Material:
        """From the prepared media; for a demonstration from what its stimuli are made of."""
        study = self.study
        lengths = {
            name: float(medium.duration_ms)
            for name, medium in self.definition.media.items()
            if medium.duration_ms is not None
        }
        protocol = study.analysis.protocol if study.analysis else ""
        if not study.demonstration or protocol not in MAKERS:
            return Material(lengths, (), (), {})
        return _made(protocol, study)

    @cached_property
    def roles(self) -> Roles:
        """What of the study plays which role in its analysis."""
        return roles_of(self.study)

    @cached_property
    def lengths_ms(self) -> FloatArray:
        """The length of each stimulus, by its code."""
        known = self.material.length_ms
        return np.array([known.get(name, UNKNOWN_MS) for name in self.stimuli], dtype=np.float64)

    def positions(self, trial: str) -> IntArray:
        """`[plan, occurrence]`: where a trial stands in each plan, −1 where a plan has fewer."""
        if trial not in self._positions:
            places = [[at for at, page in enumerate(pages) if page.trial.id == trial] for pages in self.plans]
            most = max(map(len, places), default=0)
            found = np.full((len(places), most), -1)
            for row, one in enumerate(places):
                found[row, : len(one)] = one
            self._positions[trial] = found
        return self._positions[trial]

    @cached_property
    def _positions(self) -> dict[str, IntArray]:
        return {}


_POOLS: dict[str, Pool] = {}


def pool_of(definition: Definition) -> Pool:
    """The pool of a definition, made once per process."""
    found = _POOLS.get(definition.hash)
    if found is None:
        if len(_POOLS) >= 16:
            _POOLS.pop(next(iter(_POOLS)))
        found = _POOLS[definition.hash] = Pool(definition)
    return found

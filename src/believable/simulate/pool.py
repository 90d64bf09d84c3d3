"""The plans a study can lead to, as arrays: the same pages, orders and sides as in real sessions,
ready to be drawn from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from believable.bundle.marks import action_rows, plan_rows
from believable.bundle.tables import Row
from believable.contracts.protocol import Declaration
from believable.contracts.registries import PAGES
from believable.contracts.trial import PlannedTrial, Question, outline
from believable.core.errors import InvalidInput
from believable.recordings.actions import log_of
from believable.simulate.demonstration import StimulusMaker, make, violations_of
from believable.study.definition import Definition
from believable.study.earlier_pages import rated_positions
from believable.study.plan import Assignment, cells, plan, session_seed
from believable.study.plan_roles import settled_roles
from believable.study.records import Study

if TYPE_CHECKING:
    from believable.simulate.behaviour import SimulatedProtocol


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question and the trial that asks it."""

    trial: str
    question: Question

    @property
    def id(self) -> str:
        return self.question.id

    @property
    def kind(self) -> str:
        return self.question.kind


@dataclass(frozen=True, slots=True)
class Roles:
    """`asked` for roles that questions play, `named` for trials, arms and conditions."""

    asked: Mapping[str, AskedQuestion]
    named: Mapping[str, tuple[str, ...]]

    def role_of(self, question: str) -> str | None:
        """The role of a question, by its id."""
        return next((role for role, asked in self.asked.items() if asked.id == question), None)


def roles_of(study: Study, declaration: Declaration) -> Roles:
    """The roles of a study that declares the analysis of this protocol."""
    if study.analysis is None:
        raise InvalidInput(
            "study: there is no `analysis`, so the subject of its questions is unknown. Add one."
        )
    named = settled_roles(study.analysis, study, declaration)
    everything = [
        (entry.item.id, asked)
        for entry in outline(study.timeline)
        for asked in entry.item.all_questions
    ]
    asked: dict[str, AskedQuestion] = {}
    for role in declaration.roles:
        for name in named[role.name]:
            trial, _, question = name.rpartition(".")
            played = next(
                (
                    AskedQuestion(t, q)
                    for t, q in everything
                    if q.id == question and trial in ("", t)
                ),
                None,
            )
            if role.of == "question" and played is not None:
                asked.setdefault(role.name, played)
    return Roles(asked, named)


IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
ObjectArray = NDArray[np.object_]

#: About this number of plans is made of a study; sessions are drawn from them.
PLANS = 192
#: Length of a stimulus of which nothing is known.
UNKNOWN_MS = 20_000
#: Seed of the stimuli that `believable new` makes.
STIMULUS_SEED = 7


@dataclass(frozen=True, slots=True)
class Material:
    """The known facts about the stimuli: lengths, logged actions, plans, and the violations that a
    checker found.
    """

    length_ms: Mapping[str, float]
    actions: Sequence[Row]
    plans: Sequence[Row]
    violations: Mapping[str, Mapping[str, str]]


def _material(maker: StimulusMaker, study: Study) -> Material:
    lengths: dict[str, float] = {}
    actions: list[Row] = []
    plans: list[Row] = []
    violations: dict[str, Mapping[str, str]] = {}
    for stimulus in study.stimuli:
        recording = make(maker, study, stimulus, STIMULUS_SEED)
        lengths[stimulus.id] = recording.timing.duration_ms
        violations[stimulus.id] = violations_of(recording.actions)
        actions += action_rows(stimulus.id, "memory", log_of(recording))
        plans += plan_rows(stimulus.id, "memory", log_of(recording))
    return Material(lengths, actions, plans, violations)


class Pool:
    """Plans of one study by arrays: `[plan, page]`, and `[plan, page, player]` for stimuli (codes
    into `stimuli`, −1: none).

    The last page, `finish`, is not among them: nothing is recorded on it.
    """

    def __init__(
        self, definition: Definition, protocol: SimulatedProtocol, size: int = PLANS
    ) -> None:
        self.definition, self.protocol = definition, protocol
        self.study = study = definition.study
        self.cells = cells(study)
        each = max(2, size // len(self.cells))
        self.assignments = [
            Assignment(
                dict(cell.arms), dict(cell.rows), session_seed(study, number * len(self.cells) + at)
            )
            for at, cell in enumerate(self.cells)
            for number in range(each)
        ]
        self.each = each
        self.plans = [self._pages(plan(study, assignment)) for assignment in self.assignments]
        self.pages = max(map(len, self.plans))
        self.length = np.array([len(pages) for pages in self.plans])
        self.stimuli = np.array([stimulus.id for stimulus in study.stimuli] or [""], dtype=object)
        self.stimulus_condition = np.array(
            [stimulus.condition for stimulus in study.stimuli] or [None], dtype=object
        )
        self.stimulus_scenario = np.array(
            [stimulus.scenario for stimulus in study.stimuli] or [None], dtype=object
        )
        self.key = self._column(lambda page: page.key)
        self.trial = self._column(lambda page: page.trial.id)
        self.kind = self._column(lambda page: page.trial.kind)
        self.condition = self._about(lambda page: page.condition)
        self.scenario = self._about(lambda page: page.scenario)
        self.stimulus = self._about(lambda page: page.stimulus_id)
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
        return [page for page in planned if page.trial.closing is None]

    def _places(self) -> Iterator[tuple[int, int, PlannedTrial]]:
        """Every page with the number of its plan and its own."""
        return (
            (row, column, page)
            for row, pages in enumerate(self.plans)
            for column, page in enumerate(pages)
        )

    def _column(self, value: Callable[[PlannedTrial], str | None]) -> ObjectArray:
        values = np.full((len(self.plans), self.pages), None, dtype=object)
        for row, column, page in self._places():
            values[row, column] = value(page)
        return values

    def _about(self, value: Callable[[PlannedTrial], str | None]) -> ObjectArray:
        """The same for the subject of a page, if it asks about an earlier one, by its
        repetition.
        """
        values = self._column(value)
        for row, column, page in self._places():
            if page.trial.rated_turn is not None:
                about = rated_positions(self.plans[row], column)
                values[row, column] = next(
                    (value(self.plans[row][position]) for position in about), None
                )
        return values

    def _shown(self) -> tuple[IntArray, NDArray[np.bool_]]:
        codes = {name: code for code, name in enumerate(self.stimuli)}
        most = 1
        showings: list[tuple[int, int, tuple[str, ...], bool]] = []
        for row, column, page in self._places():
            names, pages = page.played_stimuli, self.plans[row]
            played = bool(names)
            if not played:
                about = rated_positions(pages, column)
                names = tuple(
                    name for position in about if (name := pages[position].stimulus_id) is not None
                )
            if names:
                most = max(most, len(names))
                showings.append((row, column, tuple(str(name) for name in names), played))
        shown = np.full((len(self.plans), self.pages, most), -1)
        is_played = np.zeros((len(self.plans), self.pages), np.bool_)
        for row, column, names, played in showings:
            shown[row, column, : len(names)] = [codes[name] for name in names]
            is_played[row, column] = played
        return shown, is_played

    def _page_ms(self) -> FloatArray:
        times_ms = np.zeros((len(self.plans), self.pages))
        for row, column, page in self._places():
            times_ms[row, column] = PAGES[page.trial.kind].typical_ms + self._watching_ms(page)
        return times_ms

    def _watching_ms(self, page: PlannedTrial) -> float:
        controls = page.trial.player.controls
        whole = (
            sum(self.material.length_ms.get(name, UNKNOWN_MS) for name in page.played_stimuli)
            + page.trial.player.medium_ms
        )
        return 0.0 if controls is None else whole / controls.first_speed

    @cached_property
    def material(self) -> Material:
        """From the prepared media; for a demonstration from what its stimuli are made of."""
        study = self.study
        lengths = {
            name: float(medium.duration_ms)
            for name, medium in self.definition.media.items()
            if medium.duration_ms is not None
        }
        drawn = study.demonstration and any(
            stimulus.player == "replay" for stimulus in study.stimuli
        )
        maker = self.protocol.stimuli if drawn else None
        return Material(lengths, (), (), {}) if maker is None else _material(maker, study)

    @cached_property
    def roles(self) -> Roles:
        """What of the study plays which role in its analysis."""
        return roles_of(self.study, self.protocol.declaration)

    @cached_property
    def lengths_ms(self) -> FloatArray:
        """The length of each stimulus, by its code."""
        known = self.material.length_ms
        return np.array([known.get(name, UNKNOWN_MS) for name in self.stimuli], dtype=np.float64)

    def positions(self, trial: str) -> IntArray:
        """`[plan, occurrence]`: the position of a trial in each plan, −1 if a plan has fewer."""
        if trial not in self._positions:
            places = [
                [at for at, page in enumerate(pages) if page.trial.id == trial]
                for pages in self.plans
            ]
            most = max(map(len, places), default=0)
            table = np.full((len(places), most), -1)
            for row, place in enumerate(places):
                table[row, : len(place)] = place
            self._positions[trial] = table
        return self._positions[trial]

    @cached_property
    def _positions(self) -> dict[str, IntArray]:
        return {}


_POOLS: dict[str, Pool] = {}


def pool_of(definition: Definition, protocol: SimulatedProtocol) -> Pool:
    """The pool of a definition, made once per process."""
    pool = _POOLS.get(definition.hash)
    if pool is None:
        if len(_POOLS) >= 16:
            _POOLS.pop(next(iter(_POOLS)))
        pool = _POOLS[definition.hash] = Pool(definition, protocol)
    return pool

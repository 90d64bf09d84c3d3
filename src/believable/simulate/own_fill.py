"""Many participants of a custom design at once: everything they answer, trace and flag, by the
assumed truth.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from believable.contracts.registries import INSTRUMENTS
from believable.contracts.trial import Question, TrialBase, outline
from believable.simulate.behaviour import CAREFUL_WRONG, CARELESS_WRONG, expit, take_checks
from believable.simulate.own_measures import (
    ACTION_MS,
    CARELESS_FLAGS_PER_100,
    STEP_MS,
    UNDECIDED,
    UNMEASURED_TICK,
    OwnMeasure,
    counts_notches,
    logit,
    marks,
    notches,
    own_measures,
    side_words,
    tick,
    yes_and_no,
)
from believable.simulate.pool import FloatArray, IntArray, ObjectArray
from believable.simulate.simulated_sessions import Sessions
from believable.study.measures import BY_CONDITION

#: Answers of other questions are drawn from this number.
STOCK = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPlaces:
    """Where something is answered or done: person, page, and for a question about one clip its
    player (else −1).
    """

    person: IntArray
    position: IntArray
    player: IntArray
    condition: ObjectArray
    stimulus: ObjectArray

    @property
    def players(self) -> IntArray | None:
        return None if not len(self.player) or self.player[0] < 0 else self.player


def fill(truth: Any, sessions: Sessions) -> None:
    """Everything that people answer, trace and flag."""
    take_checks(sessions)
    study = sessions.pool.study
    people = _People(truth, sessions)
    measures = own_measures(study)
    for entry in outline(study.timeline):
        item = entry.item
        for question in item.all_questions:
            if question.id in item.quiz.right_answers:
                continue
            places = _places(sessions, item, question)
            own = [
                m
                for m in measures
                if m.source.question == question.id and item.id in m.source.trials
            ]
            _answer(people, question, own, places)
        for measure in measures:
            if measure.source.question is None and item.id in measure.source.trials:
                _annotate(people, measure, _places(sessions, item, None))


def _places(sessions: Sessions, item: TrialBase, question: Question | None) -> AskedPlaces:
    pool = sessions.pool
    positions = pool.positions(item.id)[sessions.plan]
    if question is not None and any(
        repeated.id.startswith(f"{question.id}-") for repeated in item.repeated_questions
    ):
        codes = pool.shown[sessions.plan[:, None], positions]
        person, page, player = np.nonzero((codes >= 0) & (positions >= 0)[:, :, None])
        code = codes[person, page, player]
        return AskedPlaces(
            person=person,
            position=positions[person, page],
            player=player,
            condition=pool.stimulus_condition[code],
            stimulus=pool.stimuli[code],
        )
    person, page = np.nonzero(positions >= 0)
    position = positions[person, page]
    plan = sessions.plan[person]
    return AskedPlaces(
        person=person,
        position=position,
        player=np.full(len(person), -1),
        condition=pool.condition[plan, position],
        stimulus=pool.stimulus[plan, position],
    )


def _answer(
    people: _People, question: Question, own: Sequence[OwnMeasure], places: AskedPlaces
) -> None:
    sessions = people.sessions
    by_item = {measure.measure.item: measure for measure in own}
    kind = INSTRUMENTS[question.kind]

    def keep(
        number: FloatArray | None = None, text: ObjectArray | None = None, item: str = ""
    ) -> None:
        sessions.answer(
            places.person,
            places.position,
            question.id,
            question.kind,
            number=number,
            text=text,
            player=places.players,
            item=item or None,
            correct=number == attention[item] if item in attention and number is not None else None,
        )

    attention = kind.attention(question.params)
    for part in kind.items(question.params):
        if part in attention:
            keep(number=_attentive(sessions, question, attention[part], places), item=part)
            continue
        measure = by_item.get(part, by_item.get(None))
        if measure is not None and measure.model == "mean":
            keep(number=people.numbers(measure, question, places), item=part)
    if kind.items(question.params):
        return
    planted = by_item.get(None, next(iter(own), None))
    if planted is not None and planted.source.shape == "ticks":
        if any(measure.model == "share" for measure in own):
            for option, ticked in people.ticks(question, own, places).items():
                keep(number=ticked, item=option)
    elif planted is not None and planted.model == "mean":
        keep(number=people.numbers(planted, question, places))
    elif planted is not None and planted.model in ("preference", "share"):
        text = (
            people.find_preferences(planted, places)
            if planted.model == "preference"
            else people.yes_or_no(planted, places)
        )
        numeric = planted.source.shape == "numbers"
        keep(number=text.astype(np.float64) if numeric else None, text=None if numeric else text)
    elif question.show_if is None:
        _anything(sessions, question, places)


def _attentive(
    sessions: Sessions, question: Question, right: int, places: AskedPlaces
) -> FloatArray:
    """The right point of a row that checks attention; careless people choose any other."""
    others = [
        option for option in INSTRUMENTS[question.kind].options(question.params) if option != right
    ]
    wrong_chance = np.where(sessions.careless[places.person], CARELESS_WRONG, CAREFUL_WRONG)
    wrong = sessions.rng.random(len(places.person)) < wrong_chance
    other = np.array(others, dtype=np.float64)[
        sessions.rng.integers(len(others), size=len(places.person))
    ]
    return np.where(wrong, other, float(right))


def _anything(sessions: Sessions, question: Question, places: AskedPlaces) -> None:
    """As the instrument answers by itself; answers with several parts are left out."""
    kind = INSTRUMENTS[question.kind]
    chance = random.Random(int(sessions.rng.integers(2**32)))
    stock = []
    for _ in range(STOCK):
        cells = kind.cells(
            question.params, kind.read(question.params, kind.simulate(question.params, chance))
        )
        if len(cells) != 1 or cells[0].item:
            return
        stock.append(cells[0].value)
    drawn = np.array(stock, dtype=object)[sessions.rng.integers(STOCK, size=len(places.person))]
    numeric = isinstance(stock[0], int | float)
    sessions.answer(
        places.person,
        places.position,
        question.id,
        question.kind,
        player=places.players,
        number=drawn.astype(np.float64) if numeric else None,
        text=None if numeric else drawn,
    )


class _People:
    """What every person adds to the assumed values, drawn once for each measure: a person leans the
    same way on every page.
    """

    def __init__(self, truth: Any, sessions: Sessions) -> None:
        self.truth, self.sessions = truth, sessions
        self._leanings: dict[str, tuple[FloatArray, FloatArray, FloatArray]] = {}

    def _planted_value(self, measure: OwnMeasure, name: str) -> float:
        return float(getattr(self.truth, f"{measure.name}_{name}"))

    def _leaning(self, measure: OwnMeasure) -> tuple[FloatArray, FloatArray, FloatArray]:
        """By person; by person and group; by stimulus (the last entry: no stimulus)."""
        if measure.name not in self._leanings:
            rng, count = self.sessions.rng, self.sessions.count
            person = rng.normal(0, self._planted_value(measure, "person_sd"), count)
            effect = rng.normal(
                0, self._planted_value(measure, "effect_sd"), (count, len(measure.groups))
            )
            stimuli = rng.normal(
                0,
                self._planted_value(measure, "stimulus_sd"),
                len(self.sessions.pool.study.stimuli),
            )
            self._leanings[measure.name] = person, effect, np.append(stimuli, 0.0)
        return self._leanings[measure.name]

    def _groups(self, measure: OwnMeasure, places: AskedPlaces) -> IntArray:
        """The number of each place's group; −1 if it has none."""
        number = {group: place for place, group in enumerate(measure.groups)}
        if measure.measure.by == BY_CONDITION:
            return np.array([number.get(name, -1) for name in places.condition], dtype=np.int64)
        levels = [
            assignment.arms.get(measure.measure.by) for assignment in self.sessions.pool.assignments
        ]
        return np.array(
            [number.get(str(levels[plan]), -1) for plan in self.sessions.plan], dtype=np.int64
        )[places.person]

    def level(
        self, measure: OwnMeasure, places: AskedPlaces, scale: Callable[[float], float] = float
    ) -> FloatArray:
        """The group's value, plus the effects of the person, of the group on this person, and of
        the stimulus.
        """
        group = self._groups(measure, places)
        values = np.array([scale(self._planted_value(measure, name)) for name in measure.groups])
        person, effect, shift = self._leaning(measure)
        stimuli = {
            stimulus.id: place for place, stimulus in enumerate(self.sessions.pool.study.stimuli)
        }
        at = np.array([stimuli.get(stimulus, -1) for stimulus in places.stimulus], dtype=np.int64)
        centre = np.where(group >= 0, values[group], values.mean())
        own = np.where(group >= 0, effect[places.person, group], 0.0)
        return np.asarray(centre + person[places.person] + own + shift[at])

    def numbers(self, measure: OwnMeasure, question: Question, places: AskedPlaces) -> FloatArray:
        """Answers on the question's scale. Careless people answer anything."""
        rng, kind = self.sessions.rng, INSTRUMENTS[question.kind]
        level = self.level(measure, places)
        values = level + rng.normal(0, self._planted_value(measure, "residual_sd"), len(level))
        values = np.where(
            self.sessions.careless[places.person], rng.uniform(*measure.scale, len(values)), values
        )
        if measure.source.options:
            return np.asarray(np.rint(np.clip(values, *measure.scale)))
        return np.array(
            [kind.nearest_answer(question.params, value) for value in values.tolist()],
            dtype=np.float64,
        )

    def _chance(self, measure: OwnMeasure, places: AskedPlaces) -> FloatArray:
        """The chance of a yes."""
        careless = self.sessions.careless[places.person]
        return np.where(careless, 0.5, expit(self.level(measure, places, logit)))

    def yes_or_no(self, measure: OwnMeasure, places: AskedPlaces) -> ObjectArray:
        rng, chance = self.sessions.rng, self._chance(measure, places)
        yes, no = yes_and_no(measure)
        draw, which = rng.random(len(chance)), rng.random(len(chance))
        answers = np.empty(len(chance), dtype=object)
        answers[:] = [
            yes[int(part * len(yes))] if value < share else no[int(part * len(no))]
            for value, share, part in zip(
                draw.tolist(), chance.tolist(), which.tolist(), strict=True
            )
        ]
        return answers

    def ticks(
        self, question: Question, own: Sequence[OwnMeasure], places: AskedPlaces
    ) -> dict[str, FloatArray]:
        """Option → 1 if it is ticked, else 0."""
        chances = {
            str(measure.measure.item): self._chance(measure, places)
            for measure in own
            if measure.model == "share"
        }
        options = [str(option) for option in INSTRUMENTS[question.kind].options(question.params)]
        chance = np.array(
            [
                chances.get(option, np.full(len(places.person), UNMEASURED_TICK))
                for option in options
            ]
        )
        chance = np.where(self.sessions.careless[places.person], 0.5, chance)
        rng = random.Random(int(self.sessions.rng.integers(2**32)))
        ticked = [
            set(tick(question.params, dict(zip(options, row, strict=True)), rng))
            for row in chance.T.tolist()
        ]
        return {
            option: np.array([option in row for row in ticked], dtype=np.float64)
            for option in options
        }

    def find_preferences(self, measure: OwnMeasure, places: AskedPlaces) -> ObjectArray:
        rng, pool, count = self.sessions.rng, self.sessions.pool, self.sessions.count
        shown = pool.shown[self.sessions.plan[places.person], places.position]
        condition = np.array(
            [*pool.stimulus_condition, None], dtype=object
        )  # the last entry: nothing shown, −1
        number = {group: place for place, group in enumerate(measure.groups)}
        first, second, others = side_words(measure)
        strengths = np.array([self._planted_value(measure, group) for group in measure.groups])
        if measure.name not in self._leanings:
            own = rng.normal(
                0, self._planted_value(measure, "person_sd"), (count, len(measure.groups))
            )
            self._leanings[measure.name] = np.zeros(count), own, np.zeros(1)
        own = self._leanings[measure.name][1]
        felt = np.zeros((2, len(places.person)))
        if shown.shape[1] > 1:
            for side in (0, 1):
                groups = np.array(
                    [number.get(condition[code], -1) for code in shown[:, side]], dtype=np.int64
                )
                felt[side] = np.where(
                    groups >= 0, strengths[groups] + own[places.person, groups], 0.0
                )
        chance = np.where(self.sessions.careless[places.person], 0.5, expit(felt[0] - felt[1]))
        answers = np.where(rng.random(len(chance)) < chance, first, second).astype(object)
        if others:
            undecided = rng.random(len(chance)) < UNDECIDED
            answers[undecided] = np.array(others, dtype=object)[
                rng.integers(len(others), size=int(undecided.sum()))
            ]
        return answers


def _annotate(people: _People, measure: OwnMeasure, places: AskedPlaces) -> None:
    """Flags at even moments, or a trace whose mean is the assumed one. Careless people mark
    anything.
    """
    sessions = people.sessions
    rng, pool = sessions.rng, sessions.pool
    plan = sessions.plan[places.person]
    codes = pool.shown[plan, places.position, 0]
    length_ms = np.where(codes >= 0, pool.lengths_ms[codes], pool.lengths_ms.mean())
    step = ACTION_MS if measure.model == "flags" else STEP_MS
    counts = np.maximum(1, (length_ms // step).astype(np.int64))
    place = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    at_ms = (number + 0.5) * step
    person, position = places.person[place], places.position[place]
    careless = sessions.careless[places.person]
    if measure.model == "flags":
        level = people.level(measure, places, lambda per_100: logit(per_100 / 100))
        level = np.where(careless, logit(CARELESS_FLAGS_PER_100 / 100), level)
        flagged = rng.random(len(place)) < expit(level)[place]
        who, where = person[flagged], position[flagged]
        nothing = np.full(len(who), None, dtype=object)
        sessions.flag(who, where, at_ms[flagged], nothing, nothing, np.zeros(len(who), np.bool_))
        return
    low, high = (-1.0, 1.0) if marks(measure) else measure.scale
    level = np.where(careless, rng.uniform(low, high, len(careless)), people.level(measure, places))
    noise = rng.normal(0, getattr(people.truth, f"{measure.name}_residual_sd"), len(place))
    if marks(measure):
        value = np.where(rng.random(len(place)) < (np.clip(level, -1, 1)[place] + 1) / 2, 1.0, -1.0)
    elif counts_notches(measure):
        value = notches((number + 1) / counts[place], level[place], noise)
    else:
        value = np.clip(level[place] + noise, *measure.scale)
    sessions.trace(person, position, at_ms, value, measure.source.kind, "key")

"""People in a study of one's own design: they answer by what its plan assumes (`measures: {…: {assume: …}}`), and anything else
as the instruments simulate themselves.

What is assumed becomes a record of planted parameters, one per group and spread, called `measure_group` and `measure_person_sd`:
the same names that `believable power --truth` takes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from believable.analysis.own_design import own_analysis
from believable.analysis.protocol import ProtocolAnalysis
from believable.core.citation import Citation
from believable.core.errors import InvalidInput
from believable.instruments.contract import Act
from believable.pages import KINDS
from believable.simulate.behaviour import Behaviour, SeenStimulus, SimulatedProtocol, SimulatedProtocols, expit, take_checks
from believable.simulate.pool import FloatArray, IntArray, ObjectArray
from believable.simulate.simulated_sessions import Sessions
from believable.study.declaration import Declaration, DeclaredPlan
from believable.study.definition import Definition
from believable.study.measures import BY_CONDITION, DeclaredMeasure, MeasureModel
from believable.study.own_design import OWN, SIDES, MeasureSource, groups_of, model_of, source_of, title_of
from believable.study.records import Question, Study, TrialBase, outline

#: Where the plan assumes nothing: spreads as parts of the scale's range, or plain numbers without a scale.
PERSON_PART, EFFECT_PART, RESIDUAL_PART = 0.15, 0.05, 0.2
PERSON_LOGIT, EFFECT_LOGIT = 0.5, 0.2
FLAGS_PER_100 = 3.0
#: Share of choices for both or neither, where these can be chosen.
UNDECIDED = 0.1
#: An action every so often, where flags are given but none are logged.
ACTION_MS = 5000
#: Marks or movements of a trace.
STEP_MS = 1000
#: Answers of other questions are drawn from so many.
STOCK = 100
_SPREADS = {
    "person_sd": "spread between people",
    "effect_sd": "spread of a group's effect between people",
    "stimulus_sd": "spread between stimuli",
    "residual_sd": "spread of single answers",
}
#: What a value of each model is.
_VALUES: Mapping[MeasureModel, str] = {
    "mean": "mean",
    "share": "share of yes",
    "preference": "log strength",
    "flags": "flags per 100 actions",
    "trace": "mean of the trace",
}


@dataclass(frozen=True, slots=True)
class PlantedParameter:
    """A number that simulated people follow, and what it is."""

    name: str
    value: float
    words: str


@dataclass(frozen=True, slots=True)
class OwnMeasure:
    """A measure with what it is taken from."""

    name: str
    measure: DeclaredMeasure
    source: MeasureSource
    model: MeasureModel
    groups: tuple[str, ...]

    def parameters(self) -> Iterator[PlantedParameter]:
        """What is planted, with what the plan assumes."""
        if self.model not in _VALUES:
            return
        centre, spreads = self._defaults()
        called = title_of(self.name, self.measure)
        for group in self.groups:
            words = f"{called}, {group.replace('_', ' ')}: {_VALUES[self.model]}"
            yield PlantedParameter(f"{self.name}_{group}", self.measure.assume.values.get(group, centre), words)
        scale = "" if self.model in ("mean", "trace") else ", in log odds"
        for spread, about in _SPREADS.items():
            if spread in spreads:
                assumed = getattr(self.measure.assume, spread)
                value = spreads[spread] if assumed is None else assumed
                yield PlantedParameter(f"{self.name}_{spread}", value, f"{called}: {about}{scale}")

    def _defaults(self) -> tuple[float, dict[str, float]]:
        if self.model in ("mean", "trace"):
            low, high = self.scale
            width = high - low
            spreads = {"person_sd": PERSON_PART * width, "effect_sd": EFFECT_PART * width, "stimulus_sd": 0.0}
            return (low + high) / 2, spreads | {"residual_sd": RESIDUAL_PART * width}
        logits = {"person_sd": PERSON_LOGIT, "effect_sd": EFFECT_LOGIT, "stimulus_sd": 0.0}
        centre = {"share": 0.5, "preference": 0.0, "flags": FLAGS_PER_100}[self.model]
        return centre, {"person_sd": PERSON_LOGIT} if self.model == "preference" else logits

    @property
    def scale(self) -> tuple[float, float]:
        """The range of its numbers: the question's, else that of what is assumed."""
        low, high = self.source.scale
        values = [float(value) for value in self.measure.assume.values.values()]
        if self.model == "trace" and not values:
            return (0.0, 1.0)
        if low is not None and high is not None:
            return low, high
        middle = sum(values) / len(values) if values else 0.0
        return middle - 5.0, middle + 5.0


def own_measures(study: Study) -> tuple[OwnMeasure, ...]:
    plan = _plan(study)
    settled = []
    for name, measure in plan.measures.items():
        source = source_of(measure, study, KINDS.instruments)
        if source is not None:
            settled.append(OwnMeasure(name, measure, source, model_of(measure, source), groups_of(measure, study)))
    return tuple(settled)


def _plan(study: Study) -> DeclaredPlan:
    if study.analysis is None:
        raise InvalidInput("study: there is no `analysis`, so nobody knows what its questions are about. Add one.")
    return study.analysis


@lru_cache(maxsize=16)
def _truth_type(parameters: tuple[PlantedParameter, ...]) -> type[Any]:
    """A record of planted parameters; the same ones give the same record. Its docstring explains them, as elsewhere."""
    columns = [(parameter.name, float, field(default=parameter.value)) for parameter in parameters]
    lines = [f"    {parameter.name}  {parameter.words}" for parameter in parameters]
    return make_dataclass("OwnTruth", columns, frozen=True, namespace={"__doc__": "\n".join(["What is planted.", "", *lines])})


def own_people(study: Study) -> Behaviour:
    """How simulated people behave in this study."""
    measures = own_measures(study)
    truth = _truth_type(tuple(parameter for measure in measures for parameter in measure.parameters()))

    def nothing() -> Any:
        """Every group as the first one."""
        planted = truth()
        same = {
            f"{measure.name}_{group}": getattr(planted, f"{measure.name}_{measure.groups[0]}")
            for measure in measures
            for group in measure.groups
            if hasattr(planted, f"{measure.name}_{group}")
        }
        return replace(planted, **same)

    return Behaviour(truth, nothing, OwnMind, fill, lambda planted, sessions: {})


@dataclass(frozen=True)
class OwnDesign:
    """A study of one's own design in the place of a protocol: its declaration, analysis and people follow from its definition."""

    definition: str
    name: str = OWN

    @property
    def study(self) -> Study:
        return _study(self.definition)

    @property
    def analysis(self) -> ProtocolAnalysis:
        return own_analysis(_plan(self.study), self.study)

    @property
    def declaration(self) -> Declaration:
        return self.analysis.declaration

    @property
    def people(self) -> Behaviour:
        return own_people(self.study)

    @property
    def cites(self) -> tuple[Citation, ...]:
        """A design of one's own was published by nobody yet."""
        return ()

    @property
    def stimuli(self) -> None:
        """Its stimuli are files; nothing makes them again."""
        return None


@lru_cache(maxsize=4)
def _study(text: str) -> Study:
    return Definition.from_json(text, KINDS).study


def simulated_protocol(definition: Definition, protocols: SimulatedProtocols) -> SimulatedProtocol:
    """The protocol that the study's analysis names, or its own design."""
    plan = definition.study.analysis
    if plan is None:
        raise InvalidInput(
            "study: there is no `analysis`, so simulated people do not know what it is about. Add `analysis: {measures: …}`, or"
            " name a protocol in it."
        )
    return OwnDesign(definition.to_json()) if plan.protocol is None else protocols[plan.protocol]


def behaviour_of(study: Study, protocols: SimulatedProtocols) -> Behaviour | None:
    """How people behave in a study; None where it declares no analysis."""
    if study.analysis is None:
        return None
    return own_people(study) if study.analysis.protocol is None else protocols[study.analysis.protocol].people


# ---------------------------------------------------------------------------------------------- many people at once


@dataclass(frozen=True, slots=True)
class AskedPlaces:
    """Where something is answered or done: person, page, and for a question about one clip its player (else −1)."""

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
    measures = own_measures(sessions.pool.study)
    for entry in outline(sessions.pool.study.timeline):
        item = entry.item
        for question in item.all_questions:
            if question.id in item.right_answers:
                continue
            places = _places(sessions, item, question)
            own = [m for m in measures if m.source.question == question.id and item.id in m.source.trials]
            _answer(truth, sessions, question, own, places)
        for measure in measures:
            if measure.source.question is None and item.id in measure.source.trials:
                _annotate(truth, sessions, measure, _places(sessions, item, None))


def _places(sessions: Sessions, item: TrialBase, question: Question | None) -> AskedPlaces:
    pool = sessions.pool
    positions = pool.positions(item.id)[sessions.plan]
    if question is not None and any(repeated.id.startswith(f"{question.id}-") for repeated in item.repeated_questions):
        codes = pool.shown[sessions.plan[:, None], positions]
        person, page, player = np.nonzero((codes >= 0) & (positions >= 0)[:, :, None])
        code = codes[person, page, player]
        return AskedPlaces(person, positions[person, page], player, pool.stimulus_condition[code], pool.stimuli[code])
    person, page = np.nonzero(positions >= 0)
    position = positions[person, page]
    plan = sessions.plan[person]
    return AskedPlaces(person, position, np.full(len(person), -1), pool.condition[plan, position], pool.stimulus[plan, position])


def _answer(truth: Any, sessions: Sessions, question: Question, own: Sequence[OwnMeasure], places: AskedPlaces) -> None:
    items = {measure.measure.item: measure for measure in own}
    kind = KINDS.instruments[question.kind]
    parts = kind.items(question.params)
    measure = items.get(None)
    if parts:
        for part in parts:
            chosen = items.get(part, measure)
            number = _numbers(truth, sessions, chosen, places) if chosen is not None and chosen.model == "mean" else None
            if number is not None:
                sessions.answer(
                    places.person, places.position, question.id, question.kind, number=number, player=places.players, item=part
                )
        return
    planted = measure if measure is not None else next(iter(own), None)
    if planted is not None and planted.model == "preference":
        text = _preferred(truth, sessions, planted, places)
    elif planted is not None and planted.model == "mean":
        number = _numbers(truth, sessions, planted, places)
        sessions.answer(places.person, places.position, question.id, question.kind, number=number, player=places.players)
        return
    elif planted is not None and planted.model == "share" and planted.source.shape != "ticks":
        text = _yes_or_no(truth, sessions, planted, places)
    elif question.show_if is None:
        _anything(sessions, question, places)
        return
    else:
        return
    if planted.source.shape == "numbers":
        sessions.answer(
            places.person, places.position, question.id, question.kind, number=text.astype(np.float64), player=places.players
        )
    else:
        sessions.answer(places.person, places.position, question.id, question.kind, text=text, player=places.players)


def _anything(sessions: Sessions, question: Question, places: AskedPlaces) -> None:
    """As the instrument answers by itself; answers with several parts are left out."""
    kind = KINDS.instruments[question.kind]
    chance = random.Random(int(sessions.rng.integers(2**32)))
    stock = []
    for _ in range(STOCK):
        cells = kind.cells(question.params, kind.read(question.params, kind.simulate(question.params, chance)))
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


def _groups(sessions: Sessions, measure: OwnMeasure, places: AskedPlaces) -> IntArray:
    """The number of each place's group; −1 where it has none."""
    number = {group: place for place, group in enumerate(measure.groups)}
    if measure.measure.by == BY_CONDITION:
        return np.array([number.get(name, -1) for name in places.condition], dtype=np.int64)
    levels = [assignment.arms.get(measure.measure.by) for assignment in sessions.pool.assignments]
    return np.array([number.get(str(levels[plan]), -1) for plan in sessions.plan], dtype=np.int64)[places.person]


def _level(
    truth: Any, sessions: Sessions, measure: OwnMeasure, places: AskedPlaces, scale: Callable[[float], float] = float
) -> FloatArray:
    """The group's value, plus what the person, the person's own effect of the group and the stimulus add."""
    rng, name = sessions.rng, measure.name
    group = _groups(sessions, measure, places)
    values = np.array([scale(getattr(truth, f"{name}_{level}")) for level in measure.groups])
    person = rng.normal(0, getattr(truth, f"{name}_person_sd"), sessions.count)
    effect = rng.normal(0, getattr(truth, f"{name}_effect_sd"), (sessions.count, len(measure.groups)))
    stimuli = {stimulus.id: place for place, stimulus in enumerate(sessions.pool.study.stimuli)}
    shift = np.append(rng.normal(0, getattr(truth, f"{name}_stimulus_sd"), len(stimuli)), 0.0)
    at = np.array([stimuli.get(stimulus, -1) for stimulus in places.stimulus], dtype=np.int64)
    centre = np.where(group >= 0, values[group], values.mean())
    return np.asarray(centre + person[places.person] + effect[places.person, group] + shift[at])


def _numbers(truth: Any, sessions: Sessions, measure: OwnMeasure, places: AskedPlaces) -> FloatArray:
    """Numbers on the question's scale; whole ones where its steps are whole. Careless people answer anything."""
    rng = sessions.rng
    level = _level(truth, sessions, measure, places)
    values = level + rng.normal(0, getattr(truth, f"{measure.name}_residual_sd"), len(level))
    low, high = measure.scale
    careless = sessions.careless[places.person]
    values = np.where(careless, rng.uniform(low, high, len(values)), values)
    bounded = measure.source.scale[0] is not None and measure.source.scale[1] is not None
    values = np.clip(values, low, high) if bounded else values
    return np.rint(values) if measure.source.options else values


def _logit(share: float) -> float:
    bounded = min(max(share, 1e-6), 1 - 1e-6)
    return float(np.log(bounded / (1 - bounded)))


def _yes_or_no(truth: Any, sessions: Sessions, measure: OwnMeasure, places: AskedPlaces) -> ObjectArray:
    rng = sessions.rng
    chance = np.where(sessions.careless[places.person], 0.5, expit(_level(truth, sessions, measure, places, _logit)))
    yes = [str(value) for value in measure.measure.yes or ()]
    no = [str(option) for option in measure.source.options if str(option) not in yes] or [yes[0]]
    draw = rng.random(len(chance))
    which = rng.random(len(chance))
    answers = np.empty(len(chance), dtype=object)
    answers[:] = [
        yes[int(part * len(yes))] if value < share else no[int(part * len(no))]
        for value, share, part in zip(draw.tolist(), chance.tolist(), which.tolist(), strict=True)
    ]
    return answers


def _side_words(measure: OwnMeasure) -> tuple[str, str, list[str]]:
    """What is answered for the first and the second, and for neither of them alone."""
    words = [str(option) for option in measure.source.options]
    first, second = (next(word for word in words if SIDES.get(word) == side) for side in (0, 1))
    return first, second, [word for word in words if word not in SIDES]


def _preferred(truth: Any, sessions: Sessions, measure: OwnMeasure, places: AskedPlaces) -> ObjectArray:
    rng, pool = sessions.rng, sessions.pool
    shown = pool.shown[sessions.plan[places.person], places.position]
    condition = np.array([*pool.stimulus_condition, None], dtype=object)  # the last entry stands for nothing shown, −1
    number = {group: place for place, group in enumerate(measure.groups)}
    first, second, others = _side_words(measure)
    strengths = np.array([getattr(truth, f"{measure.name}_{group}") for group in measure.groups])
    own = rng.normal(0, getattr(truth, f"{measure.name}_person_sd"), (sessions.count, len(measure.groups)))
    felt = [[0.0] * len(places.person)] * 2
    if shown.shape[1] > 1:
        for side in (0, 1):
            groups = np.array([number.get(condition[code], -1) for code in shown[:, side]], dtype=np.int64)
            felt[side] = np.where(groups >= 0, strengths[groups] + own[places.person, groups], 0.0).tolist()
    chance = np.where(sessions.careless[places.person], 0.5, expit(np.array(felt[0]) - np.array(felt[1])))
    answers = np.where(rng.random(len(chance)) < chance, first, second).astype(object)
    if others:
        undecided = rng.random(len(chance)) < UNDECIDED
        answers[undecided] = np.array(others, dtype=object)[rng.integers(len(others), size=int(undecided.sum()))]
    return answers


def _annotate(truth: Any, sessions: Sessions, measure: OwnMeasure, places: AskedPlaces) -> None:
    """Flags at even moments, or a trace whose mean is what is planted."""
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
    if measure.model == "flags":
        level = _level(truth, sessions, measure, places, lambda per_100: _logit(per_100 / 100))
        flagged = rng.random(len(place)) < expit(level)[place]
        who, where = person[flagged], position[flagged]
        nothing = np.full(len(who), None, dtype=object)
        sessions.flag(who, where, at_ms[flagged], nothing, nothing, np.zeros(len(who), np.bool_))
        return
    level = _level(truth, sessions, measure, places)
    kind = KINDS.instruments[measure.source.kind]
    marks = any(stream.kind == "trace.mark" for stream in kind.streams)
    noise = rng.normal(0, getattr(truth, f"{measure.name}_residual_sd"), len(place))
    if marks:
        value = np.where(rng.random(len(place)) < (np.clip(level, -1, 1)[place] + 1) / 2, 1.0, -1.0)
    elif kind.records[0].type == "integer":
        # A curve whose mean between its least and its greatest value is the level: t to the power of 1/level − 1.
        power = 1 / np.clip(level, 0.05, 0.95) - 1
        value = np.rint(100 * ((number + 1) / counts[place]) ** power[place] + 5 * noise)
    else:
        value = np.clip(level[place] + noise, *measure.scale)
    sessions.trace(person, position, at_ms, value, measure.source.kind, "key")


# ---------------------------------------------------------------------------------------------- one person at a browser


class OwnMind:
    """One person, who knows the conditions of what is shown. Arms are not known to people: there they answer as anybody would."""

    def __init__(self, truth: Any, study: Study, rng: random.Random, careless: bool) -> None:
        self._truth, self._rng, self._careless = truth, rng, careless
        self._measures = {
            measure.source.question: measure
            for measure in own_measures(study)
            if measure.source.question is not None and measure.measure.by == BY_CONDITION and measure.measure.item is None
        }
        self._leaning: dict[str, float] = {
            name.name: rng.gauss(0, 1) * getattr(truth, name.name) for name in fields(truth) if name.name.endswith("_person_sd")
        }
        self._effects: dict[tuple[str, str], float] = {}

    def acts(self, kind: str, seen: SeenStimulus) -> Sequence[Act] | None:
        return None

    def follow(self, signal: Mapping[str, Any]) -> Sequence[Act] | None:
        return None

    def answer(self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]) -> Any:
        name, _, clip = question.rpartition("-")
        measure = self._measures.get(name if clip.isdecimal() and name else question)
        if measure is None or self._careless:
            return None
        if measure.model == "preference":
            return self._prefer(measure, page or earlier[-2:])
        about = page or earlier[-1:]
        if clip.isdecimal() and name and int(clip) < len(page):
            about = page[int(clip) : int(clip) + 1]
        condition = _condition(about[0]) if len(about) == 1 else None
        if condition not in measure.groups or measure.model not in ("mean", "share"):
            return None
        return self._rate(measure, str(condition)) if measure.model == "mean" else self._say(measure, str(condition))

    def _level(self, measure: OwnMeasure, condition: str, value: float) -> float:
        key = measure.name, condition
        if key not in self._effects:
            self._effects[key] = self._rng.gauss(0, 1) * float(getattr(self._truth, f"{measure.name}_effect_sd"))
        return value + float(self._leaning[f"{measure.name}_person_sd"]) + self._effects[key]

    def _rate(self, measure: OwnMeasure, condition: str) -> float | int:
        level = self._level(measure, condition, getattr(self._truth, f"{measure.name}_{condition}"))
        value = level + self._rng.gauss(0, 1) * float(getattr(self._truth, f"{measure.name}_residual_sd"))
        low, high = measure.source.scale
        bounded = max(low if low is not None else value, min(high if high is not None else value, value))
        return round(bounded) if float(low or 0).is_integer() else round(bounded, 2)

    def _say(self, measure: OwnMeasure, condition: str) -> Any:
        if measure.source.shape == "ticks":
            return None
        level = self._level(measure, condition, _logit(getattr(self._truth, f"{measure.name}_{condition}")))
        yes = [str(value) for value in measure.measure.yes or ()]
        counts = self._rng.random() < expit(level)
        options = [option for option in measure.source.options if (str(option) in yes) == counts]
        return self._rng.choice(options) if options else None

    def _prefer(self, measure: OwnMeasure, two: Sequence[SeenStimulus]) -> Any:
        conditions = [_condition(seen) for seen in two]
        if len(conditions) != 2 or any(condition not in measure.groups for condition in conditions):
            return None
        first, second, others = _side_words(measure)
        if others and self._rng.random() < UNDECIDED:
            return self._rng.choice(others)
        strengths = [float(getattr(self._truth, f"{measure.name}_{condition}")) for condition in conditions]
        spread = float(getattr(self._truth, f"{measure.name}_person_sd"))
        apart = strengths[0] - strengths[1] + self._rng.gauss(0, 1) * spread * 2**0.5
        return first if self._rng.random() < expit(apart) else second


def _condition(seen: SeenStimulus) -> str | None:
    return None if seen.stimulus is None else seen.stimulus.condition

"""Measures of a custom design with the truth that their plan assumes (`measures: {…: {assume:
…}}`).

Each assumed number becomes a planted parameter, one per group and spread, called `measure_group`
and `measure_person_sd`. `--truth` takes these names.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from believable.contracts.record import Record
from believable.contracts.registries import INSTRUMENTS
from believable.core.errors import InvalidInput
from believable.study.declaration import DeclaredPlan
from believable.study.measures import DeclaredMeasure, MeasureModel
from believable.study.own_design import (
    SIDES,
    MeasureSource,
    groups_of,
    model_of,
    source_of,
    title_of,
)
from believable.study.records import Study

#: Where the plan assumes nothing: spreads as parts of the scale's range, or plain numbers without a
#: scale.
PERSON_PART, EFFECT_PART, RESIDUAL_PART = 0.15, 0.05, 0.2
PERSON_LOGIT, EFFECT_LOGIT = 0.5, 0.2
FLAGS_PER_100 = 3.0
#: The careless flag about 18 in 100 actions, whatever happens in them.
CARELESS_FLAGS_PER_100 = 18.0
#: Chance that an option is ticked about which nothing is assumed.
UNMEASURED_TICK = 0.3
#: Share of choices for both or neither, where these can be chosen.
UNDECIDED = 0.1
#: The assumed interval between actions, if flags are given but none are logged.
ACTION_MS = 5000
#: Marks or movements of a trace.
STEP_MS = 1000
_SPREADS = {
    "person_sd": "spread between people",
    "effect_sd": "spread of a group's effect between people",
    "stimulus_sd": "spread between stimuli",
    "residual_sd": "spread of single answers",
}
#: The meaning of a value of each model.
_VALUES: Mapping[MeasureModel, str] = {
    "mean": "mean",
    "share": "share of yes",
    "preference": "log strength",
    "flags": "flags per 100 actions",
    "trace": "mean of the trace",
}


@dataclass(frozen=True, slots=True)
class PlantedParameter:
    """A number that simulated people follow, and its meaning."""

    name: str
    value: float
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnMeasure:
    """A measure with its source."""

    name: str
    measure: DeclaredMeasure
    source: MeasureSource
    model: MeasureModel
    groups: tuple[str, ...]

    def parameters(self) -> Iterator[PlantedParameter]:
        """The planted values, with the assumptions of the plan."""
        if self.model not in _VALUES:
            return
        centre, spreads = self._defaults()
        called = title_of(self.name, self.measure)
        for group in self.groups:
            words = f"{called}, {group.replace('_', ' ')}: {_VALUES[self.model]}"
            yield PlantedParameter(
                f"{self.name}_{group}", self.measure.assume.values.get(group, centre), words
            )
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
            spreads = {
                "person_sd": PERSON_PART * width,
                "effect_sd": EFFECT_PART * width,
                "stimulus_sd": 0.0,
            }
            return (low + high) / 2, spreads | {"residual_sd": RESIDUAL_PART * width}
        logits = {"person_sd": PERSON_LOGIT, "effect_sd": EFFECT_LOGIT, "stimulus_sd": 0.0}
        centre = {"share": 0.5, "preference": 0.0, "flags": FLAGS_PER_100}[self.model]
        return centre, {"person_sd": PERSON_LOGIT} if self.model == "preference" else logits

    @property
    def scale(self) -> tuple[float, float]:
        """The range of its numbers: the question's, else that of the assumption."""
        low, high = self.source.scale
        values = [float(value) for value in self.measure.assume.values.values()]
        if self.model == "trace" and not values:
            return (0.0, 1.0)
        if low is not None and high is not None:
            return low, high
        middle = sum(values) / len(values) if values else 0.0
        return middle - 5.0, middle + 5.0


def own_measures(study: Study) -> tuple[OwnMeasure, ...]:
    plan = plan_of(study)
    measures = []
    for name, measure in plan.measures.items():
        source = source_of(measure, study)
        if source is not None:
            measures.append(
                OwnMeasure(
                    name=name,
                    measure=measure,
                    source=source,
                    model=model_of(measure, source),
                    groups=groups_of(measure, study),
                )
            )
    return tuple(measures)


def plan_of(study: Study) -> DeclaredPlan:
    if study.analysis is None:
        raise InvalidInput(
            "study: there is no `analysis`, so the subject of its questions is unknown. Add one."
        )
    return study.analysis


def logit(share: float) -> float:
    bounded = min(max(share, 1e-6), 1 - 1e-6)
    return float(np.log(bounded / (1 - bounded)))


def side_words(measure: OwnMeasure) -> tuple[str, str, list[str]]:
    """The answers for the first and for the second, and those for neither of them alone."""
    words = [str(option) for option in measure.source.options]
    first, second = (next(word for word in words if SIDES.get(word) == side) for side in (0, 1))
    return first, second, [word for word in words if word not in SIDES]


def yes_and_no(measure: OwnMeasure) -> tuple[list[str], list[str]]:
    """The answers that count, and the others."""
    yes = [str(value) for value in measure.measure.yes or ()]
    return (
        yes,
        [str(option) for option in measure.source.options if str(option) not in yes] or yes[:1],
    )


def marks(measure: OwnMeasure) -> bool:
    """Whether a trace consists of marks, up or down."""
    return any(stream.kind == "trace.mark" for stream in INSTRUMENTS[measure.source.kind].streams)


def counts_notches(measure: OwnMeasure) -> bool:
    """Whether a trace has no fixed scale and is normalised between its least and its greatest
    value.
    """
    return INSTRUMENTS[measure.source.kind].records[0].type == "integer"


def notches(elapsed: Any, level: Any, noise: Any) -> Any:
    """A curve whose mean between its least and its greatest value is the level.

    It is `elapsed`, the share of the medium, to the power of 1/level − 1.
    """
    return np.rint(100 * elapsed ** (1 / np.clip(level, 0.05, 0.95) - 1) + 5 * noise)


def tick(params: Record, chances: Mapping[str, float], rng: random.Random) -> list[str]:
    """The options that are ticked, each with its chance, as many as the question allows."""
    ticked = [option for option, chance in chances.items() if rng.random() < chance]
    least, most = (
        int(getattr(params, "at_least", 0)),
        getattr(params, "at_most", None) or len(chances),
    )
    open_options = [option for option in chances if option not in ticked]
    ticked += rng.sample(open_options, max(0, least - len(ticked)))
    kept = set(rng.sample(ticked, min(len(ticked), most)))
    return [option for option in chances if option in kept]

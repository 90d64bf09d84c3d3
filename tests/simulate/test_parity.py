"""`simulate` and `power` assume the same: one participant at a browser answers as the many that are
filled in at once.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from believable.contracts.registries import PROTOCOLS
from believable.contracts.trial import outline
from believable.protocols import READY_STUDIES
from believable.protocols.templates import TEMPLATES
from believable.simulate import straight
from believable.simulate.behaviour import SeenStimulus
from believable.simulate.own_people import simulated_protocol
from believable.simulate.pool import roles_of
from believable.study.definition import Definition
from believable.study.load import load

PEOPLE = 1500


def filled_means(definition: Definition, question: str) -> dict[str, float]:
    """Condition → mean number of `power`'s participants."""
    bundle = straight.bundle(definition, PEOPLE, np.random.default_rng(1))
    rows: dict[str, list[float]] = {}
    for row in bundle["answers"].rows():
        if row["question"] == question:
            rows.setdefault(str(row["condition"]), []).append(float(row["value_number"]))
    return {condition: float(np.mean(values)) for condition, values in rows.items()}


def test_ratings_of_an_own_design_have_the_same_means() -> None:
    folder = next(template.folder for template in TEMPLATES if template.name == "rate-clips")
    definition = load(folder)
    people = simulated_protocol(definition).people
    truth = people.truth_for(definition.study)
    trial = next(
        entry.item.id for entry in outline(definition.study.timeline) if entry.item.id == "clip"
    )
    answers: dict[str, list[float]] = {}
    for number in range(PEOPLE):
        rng = random.Random(number)
        mind = people.mind(truth, definition.study, rng, rng.random() < straight.CONDUCT.careless)
        for stimulus in definition.study.stimuli:
            mind.open_page(trial, stimulus.condition)
            value = mind.answer("humanness", [SeenStimulus(stimulus=stimulus, length_ms=8000)], [])
            answers.setdefault(str(stimulus.condition), []).append(float(value))
    found = {condition: float(np.mean(values)) for condition, values in answers.items()}
    assert found == pytest.approx(filled_means(definition, "humanness"), abs=0.15)


def test_judges_of_hntt_are_right_as_often() -> None:
    definition = load(READY_STUDIES["hntt"].folder)
    people = PROTOCOLS["hntt"].people
    truth, study = people.truth_for(definition.study), definition.study
    humans = roles_of(study, PROTOCOLS["hntt"].declaration).named["human"]
    pairs = [
        sorted(
            (o for o in study.stimuli if o.scenario == scenario),
            key=lambda o: o.condition not in humans,
        )
        for scenario in study.scenarios
    ]
    right = []
    for number in range(PEOPLE):
        mind = people.mind(truth, study, random.Random(number), False)
        for human, other in pairs:
            page = [
                SeenStimulus(stimulus=human, length_ms=8000),
                SeenStimulus(stimulus=other, length_ms=8000),
            ]
            right.append(mind.answer("which", page, []) == "first")
    sessions = straight.sessions(definition, 10, np.random.default_rng(1))
    # Those who write nothing of use (3 %) choose at random.
    expected = people.values(truth, sessions)["accuracy"]
    assert np.mean(right) == pytest.approx(
        (1 - truth.poor_text) * expected + truth.poor_text / 2, abs=0.012
    )

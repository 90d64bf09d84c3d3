"""Power by simulating whole studies: the same on any number of workers, alpha under no effect, one
under a large one.
"""

from __future__ import annotations

import pytest

from believable.contracts.registries import PROTOCOLS
from believable.core.errors import InvalidInput
from believable.protocols.templates import TEMPLATES
from believable.simulate.planted_truth import parse_truth
from believable.simulate.power_curve import assumptions, power_curve
from believable.study.load import load


@pytest.fixture(scope="module")
def definition():
    return load(PROTOCOLS["hntt"].folder)


def of(points, what):
    return next(point for point in points if point.what == what)


def test_no_effect_is_found_about_as_often_as_alpha_says_and_a_large_one_always(definition):
    nothing = power_curve(definition, [20], studies=60, seed=1, truth={"skill": 0.0}, workers=1)
    assert of(nothing, "H1").power.low < 0.05
    assert of(nothing, "H1").judged == 60
    large = power_curve(definition, [20], studies=20, seed=1, truth={"skill": 2.0}, workers=1)
    assert of(large, "H1").power.value == 1


def test_progress_and_the_same_curve_on_two_workers(definition):
    seen = []
    one = power_curve(
        definition,
        [8, 12],
        studies=10,
        seed=3,
        workers=1,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (4, 4)
    two = power_curve(definition, [8, 12], studies=10, seed=3, workers=2)
    assert one == two
    assert {point.participants for point in one} == {8, 12}


@pytest.mark.parametrize("name", ["trace", "replay", "clips", "hntt", "qa", "blank", "rate-clips"])
def test_every_planted_parameter_is_printed_with_words_of_its_own(name):
    folder = TEMPLATES[name].folder if name in TEMPLATES else PROTOCOLS[name].folder
    definition = load(folder)
    planted = [part for part in assumptions(definition) if part.name]
    words = [part.words for part in planted]
    assert len(set(words)) == len(words) >= 7
    assert not [
        part for part in planted if part.words == part.name.replace("_", " ") or "`" in part.words
    ]


def test_what_makes_no_sense_is_refused(definition):
    with pytest.raises(InvalidInput, match="at least 2"):
        power_curve(definition, [1], studies=10, seed=1)
    with pytest.raises(InvalidInput, match="at least 10"):
        power_curve(definition, [10], studies=5, seed=1)


def test_truth_is_written_as_name_and_value():
    assert parse_truth(["skill=0.4", "poor_text=0"]) == {"skill": 0.4, "poor_text": 0}
    with pytest.raises(InvalidInput, match="expected name=value"):
        parse_truth(["skill"])
    with pytest.raises(InvalidInput, match="expected a number"):
        parse_truth(["skill=high"])

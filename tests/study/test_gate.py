"""Quality tests in front of a study, in one line."""

from __future__ import annotations

import pytest

from believable.pages.device import Device
from believable.pages.qa import Qa
from believable.study.definition import Definition
from believable.study.plan import Assignment, plan

LINE = "- qa_gate\n- watch: {stimulus: h01}\n- finish:\n"


def test_one_line_stands_for_three_trials(study_of):
    device, see, hear, *_ = study_of(LINE).timeline
    assert isinstance(device, Device)
    assert isinstance(see, Qa)
    assert isinstance(hear, Qa)
    assert [one.id for one in (device, see, hear)] == [
        "qa_gate_device",
        "qa_gate_visual",
        "qa_gate_auditory",
    ]
    assert (see.test, see.gate, hear.test, hear.gate) == (
        "visual",
        "record",
        "auditory",
        "screen_out",
    )
    assert see.signal_seed != hear.signal_seed
    assert (device.wheel, device.headphones, device.on_fail) == (True, True, "screen_out")


def test_the_plan_has_the_tests_and_their_practice_first(study_of):
    pages = plan(study_of(LINE), Assignment({}, {}, 1))
    assert [page.trial.kind for page in pages] == [
        "device",
        "practice",
        "qa",
        "qa",
        "watch",
        "finish",
    ]


def test_it_can_be_made_to_measure(study_of):
    written = (
        "- qa_gate: {id: ear, tests: [auditory], wheel: false, duration_s: 30, gate: warn,"
        " threshold: 0.2}\n- watch: {stimulus: h01}\n- finish:\n"
    )
    device, hear, *_ = study_of(written).timeline
    assert (device.id, device.wheel, device.headphones) == ("ear_device", False, True)
    assert (hear.id, hear.duration_s, hear.gate, hear.threshold) == (
        "ear_auditory",
        30,
        "warn",
        0.2,
    )


def test_without_wheel_and_sound_there_is_no_device_to_check(study_of):
    first, *_ = study_of("- qa_gate: {tests: [visual], wheel: false}\n- finish:\n").timeline
    assert first.kind == "qa"


def test_a_skipped_gate_is_skipped_as_a_whole(study_of):
    timeline = (
        "- form: {id: about, questions: [{id: expert, prompt: Expert?, choice: {options: [a,"
        " b]}}]}\n- qa_gate: {skip_if: {answer: about.expert, is: a}}\n- finish:\n"
    )
    _, *gate, _ = study_of(timeline).timeline
    assert {one.skip_if.answer for one in gate} == {"about.expert"}


def test_the_definition_reads_back_the_same(loaded):
    definition = loaded(LINE)
    again = Definition.from_json(definition.to_json())
    assert again.study == definition.study
    assert again.hash == definition.hash


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("qa_gate: {gate: stop}", "qa_gate.gate: "),
        ("qa_gate: {tests: [smell]}", "qa_gate.tests[0]: "),
        (
            "qa_gate: {treshold: 1}",
            "qa_gate.treshold: unknown key 'treshold'. Did you mean 'threshold'?",
        ),
        ("qa_gate: {threshold: 3}", "qa_gate.threshold: "),
    ],
)
def test_mistakes_are_named(errors, written, problem):
    (only,) = errors(f"- {written}\n- finish:\n")
    assert only.startswith(f"timeline[0].{problem}"), only

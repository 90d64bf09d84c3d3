"""Checks of stimuli, conditions and what refers to them."""

from __future__ import annotations

import pytest

HEAD = "believable: 1\ntitle: x\nseed: 1\n"


@pytest.mark.parametrize(
    ("top", "problem"),
    [
        (
            "conditions: [human]\nstimuli: [{id: a, file: a.mp4, condition: humen}]",
            "stimuli[0].condition: unknown condition 'humen'. Did you mean 'human'?",
        ),
        (
            "stimuli: [{id: a, file: a.mp4, condition: human}]",
            (
                "stimuli[0].condition: unknown condition 'human'. Declare it: `conditions: [human,"
                " …]`."
            ),
        ),
        (
            "stimuli: [{id: a, file: a.mp4}, {id: a, file: b.mp4}]",
            "stimuli[1].id: the stimulus id 'a' is used in line 4 already. Give it another one.",
        ),
        (
            "stimuli: [{id: any, file: a.mp4}]",
            "stimuli[0].id: 'any' cannot be the id of a stimulus. Choose another id.",
        ),
        (
            "conditions: [a, a]\nstimuli: [{id: x, file: x.mp4, condition: a}]",
            "conditions[1]: the condition 'a' is used in line 4 already. Give it another one.",
        ),
    ],
)
def test_declarations(errors, top, problem):
    assert errors(text=f"{HEAD}{top}\ntimeline: [finish]\n") == [problem]


@pytest.mark.parametrize(
    ("stimulus", "problem"),
    [
        ("h03", ": unknown stimulus 'h03'. Did you mean 'h02'?"),
        ("{condition: humen}", ".condition: unknown condition 'humen'. Did you mean 'human'?"),
        ("{scenario: gardn}", ".scenario: unknown scenario 'gardn'. Did you mean 'garden'?"),
    ],
)
def test_references(errors, stimulus, problem):
    assert errors(f"- watch: {{stimulus: {stimulus}}}\n- finish:\n") == [
        f"timeline[0].watch.stimulus{problem}"
    ]


def test_a_filter_that_nothing_fits(errors):
    top = (
        "conditions: [a, b]\nstimuli: [{id: x, file: x.mp4, condition: a, scenario: s}, {id: y,"
        " file: y.mp4, condition: b}]\n"
    )
    timeline = "timeline: [{watch: {stimulus: {condition: b, scenario: s}}}, finish]\n"
    assert errors(text=f"{HEAD}{top}{timeline}") == [
        "timeline[0].watch.stimulus: no stimulus fits. Add one, or change condition or scenario."
    ]


def test_nothing_to_watch(errors):
    assert errors(text=f"{HEAD}timeline: [watch, finish]\n") == [
        "timeline[0].watch: the study has no stimuli to watch. Add `stimuli: [{id: …, file: …}]`."
    ]


def test_a_condition_without_stimuli_is_a_warning(messages):
    top = "conditions: [a, b]\nstimuli: [{id: x, file: x.mp4, condition: a}]\n"
    assert messages(text=f"{HEAD}{top}timeline: [finish]\n") == [
        "study.yaml:4 conditions[1]: warning: no stimulus has the condition 'b'. Give a stimulus"
        " this condition, or remove it."
    ]

"""Checks that every plan finds enough stimuli."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from believable.core.errors import StudyError
from believable.study.plan import choose, plan

SHORT = (
    "a session can run out of stimuli here: {} fit, and more are needed in all. Add stimuli, show"
    " fewer, or name the stimulus."
)


@pytest.mark.parametrize(
    ("timeline", "place", "fit"),
    [
        (
            "- block: {repeat: 5, each: [{watch: {stimulus: any}}]}\n",
            "timeline[0].block.each[0].watch.stimulus",
            4,
        ),
        (
            "- block: {over: condition, repeat: 3, each: [watch]}\n",
            "timeline[0].block.each[0].watch",
            2,
        ),
        ("- block: {over: stimulus, each: [watch]}\n- watch:\n", "timeline[1].watch", 4),
        (
            (
                "- watch: {stimulus: h01}\n- watch: {stimulus: h02}\n- watch: {stimulus:"
                " {condition: human}}\n"
            ),
            "timeline[2].watch.stimulus",
            2,
        ),
        (
            "- block: {over: stimulus, sample: 3, each: [watch]}\n- watch:\n- watch:\n",
            "timeline[2].watch",
            4,
        ),
        (
            "- block: {over: condition, sample: 1, repeat: 3, order: random, each: [watch]}\n",
            "timeline[0].block.each[0].watch",
            2,
        ),
    ],
)
def test_shortages(errors, timeline, place, fit):
    assert errors(f"{timeline}- finish:\n") == [f"{place}: {SHORT.format(fit)}"]


@pytest.mark.parametrize(
    "timeline",
    [
        "- block: {repeat: 4, each: [watch]}\n",
        "- block: {over: condition, repeat: 2, each: [watch]}\n",
        "- block: {over: stimulus, sample: 3, each: [watch]}\n- watch:\n",
        "- block: {over: stimulus, repeat: 3, each: [watch]}\n",
        (
            "- block: {sample: 1, order: random, each: [{block: {repeat: 4, each: [watch]}},"
            " {block: {repeat: 3, each: [watch]}}]}\n"
        ),
    ],
)
def test_enough(errors, timeline):
    assert errors(f"{timeline}- finish:\n") == []


def test_arms_that_exclude_each_other_do_not_compete(errors):
    one, two = (
        f"- block: {{skip_if: {{arm: tool, is: {arm}}}, repeat: 4, each: [watch]}}\n"
        for arm in ("one", "two")
    )
    assert errors(f"{one}{two}- finish:\n", extra="arms: {tool: [one, two]}\n") == []
    assert len(errors(f"{one}{one}- finish:\n", extra="arms: {tool: [one, two]}\n")) == 1


def test_a_setting_that_nothing_fits(errors):
    text = """\
    believable: 1
    title: x
    seed: 1
    conditions: [a, b]
    stimuli:
      - {id: a1, file: a1.mp4, condition: a, scenario: s}
      - {id: b1, file: b1.mp4, condition: b, scenario: t}
    timeline:
      - block: {over: condition, each: [{block: {over: scenario, each: [watch]}}]}
      - finish:
    """
    assert errors(text=text) == [
        "timeline[0].block.each[0].block.each[0].watch: no stimulus fits condition 'a' and scenario"
        " 't'. Add one."
    ]


def test_a_shortage_in_rare_samples_is_found(errors):
    """Twelve blocks choose between a text and a clip each: 4,096 samples, of which few need more
    than eight stimuli.
    """
    names = [f"c{i}" for i in range(8)]
    stimuli = "".join(f"  - {{id: {name}, file: {name}.mp4}}\n" for name in names)
    block = "- block: {sample: 1, order: random, each: [{text: {text: x}}, watch]}\n"
    head = f"believable: 1\ntitle: x\nseed: 1\nstimuli:\n{stimuli}timeline:\n"
    found = errors(text=f"{head}{block * 12}- finish:\n")
    assert found
    assert all("a session can run out of stimuli here: 8 fit" in line for line in found)
    assert errors(text=f"{head}{block * 8}- finish:\n") == []


BLOCKS = st.builds(
    "- block: {{{over} {sample} order: {order}, repeat: {repeat}, each: [{each}]}}\n".format,
    over=st.sampled_from(["", "over: condition,", "over: scenario,", "over: stimulus,"]),
    sample=st.sampled_from(["", "sample: 1,", "sample: 2,"]),
    order=st.sampled_from(["fixed", "random", "latin_square"]),
    repeat=st.integers(1, 3),
    each=st.sampled_from(
        ["watch", "watch, watch", "{watch: {stimulus: {condition: human}}}, {text: {text: x}}"]
    ),
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(timeline=st.lists(BLOCKS, min_size=1, max_size=3).map("".join), number=st.integers(1, 1000))
def test_a_study_without_problems_never_runs_out(loaded, timeline, number):
    try:
        study = loaded(f"{timeline}- finish:\n").study
    except StudyError:
        return
    for session in range(number, number + 12):
        plan(study, choose(study, {}, session))

"""Loading a study folder: the example, every problem at once, and what a folder can hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from believable.contracts.trial import Block
from believable.core.errors import StudyError
from believable.pages.check import Check
from believable.pages.consent import Consent
from believable.pages.finish import Finish
from believable.pages.form import Form
from believable.pages.watch import Watch
from believable.study.load import load, problems

PLANTED = Path(__file__).parent / "planted"

EXAMPLE = """\
believable: 1
title: Who plays like a human?
seed: 7
languages: [en]
conditions: [human, scripted]
stimuli:
  - {id: h01, file: stimuli/h01.mp4, condition: human, scenario: atrium}
  - {id: s01, file: stimuli/s01.mp4, condition: scripted, scenario: atrium}
arms:
  tool: [ranktrace, btrace]          # between participants, balanced
timeline:
  - consent: {page: pages/consent.md, require: [adult, agree]}
  - form: {id: about, questions: [{id: experience, likert: {points: 5, labels: [never, rarely, monthly, weekly, daily]}}]}
  - check: {id: attention, question: {choice: {options: [red, blue]}}, correct: blue, attempts: 2, on_fail: screen_out}
  - block: {order: latin_square, over: condition, each: [{watch: {stimulus: any, ask: [{id: why, long_text: }]}}]}
  - finish: {codes: {complete: auto, screened_out: auto, failed_checks: auto}, redirect: prolific}
"""


def test_the_example_loads(loaded):
    definition = loaded(text=EXAMPLE)
    consent, form, check, block, finish = definition.study.timeline
    assert isinstance(consent, Consent)
    assert [box.id for box in consent.require] == ["adult", "agree"]
    assert isinstance(form, Form)
    assert form.questions[0].kind == "likert"
    assert isinstance(check, Check)
    assert (check.question.id, check.correct, check.on_fail) == ("answer", "blue", "screen_out")
    assert isinstance(block, Block)
    assert isinstance(block.each[0], Watch)
    assert (block.each[0].id, block.each[0].ask[0].kind) == ("watch", "long_text")
    assert isinstance(finish, Finish)
    assert definition.study.recruit.platform == "prolific"
    assert definition.pages == {"pages/consent.md": "# Consent\n"}
    assert definition.media == {}


def test_eight_planted_mistakes_are_eight_problems():
    assert [str(problem) for problem in problems(PLANTED)] == [
        "study.yaml:6 stimuli[0].condition: unknown condition 'humen'. Did you mean 'human'?",
        (
            "study.yaml:11 timeline[0].consent.page: there is no file 'pages/consnt.md'. Did you"
            " mean 'pages/consent.md'?"
        ),
        (
            "study.yaml:15 timeline[1].form.questions[0].likert.lables: unknown key 'lables'. Did"
            " you mean 'labels'?"
        ),
        (
            "study.yaml:19 timeline[2].check.correct: 'blu' is not a possible answer of 'answer'."
            " Did you mean 'blue'?"
        ),
        (
            "study.yaml:20 timeline[2].check.attempts: expected a whole number, got '2'. Write a"
            " number without quotes or decimals."
        ),
        (
            "study.yaml:23 timeline[3].block.order: latin_square needs at least two entries of"
            " `each`, there is 1. Add `over:` or more entries, or use `order: fixed`."
        ),
        (
            "study.yaml:26 timeline[3].block.each[0].wacth: unknown kind of trial 'wacth'. Did you"
            " mean 'watch'?"
        ),
        (
            "study.yaml:29 timeline[4].text.skip_if.answer: unknown question of 'about':"
            " 'experince'. Did you mean 'experience'?"
        ),
    ]


def test_load_raises_all_errors_in_file_order():
    with pytest.raises(StudyError) as caught:
        load(PLANTED)
    assert [problem.line for problem in caught.value.problems] == [6, 11, 15, 19, 20, 23, 26, 29]
    assert str(caught.value).count("\n") == 7


def test_warnings_do_not_stop_loading(loaded, found):
    timeline = "- text: {text: Hello}\n- finish:\n"
    extra = "arms: {tool: [one, two]}\n"
    assert [problem.severity for problem in found(timeline, extra=extra)] == ["warning"]
    assert loaded(timeline, extra=extra).study.arms == {"tool": ("one", "two")}


def test_a_folder_without_a_study(tmp_path):
    (problem,) = problems(tmp_path)
    assert problem.message.startswith("there is no study.yaml in ")
    assert (
        problem.cure == "Give the folder that holds study.yaml, or make one with `believable new`."
    )


def test_broken_yaml_is_one_problem(messages):
    assert messages(text="believable: 1\ntitle: [unclosed\nseed: 7\n")[0].startswith(
        "study.yaml:3: not YAML:"
    )


def test_syntax_and_content_problems_come_together(messages):
    text = "believable: 1\ntitle: A\ntitle: B\nseed: x\ntimeline: [finish]\n"
    assert messages(text=text) == [
        "study.yaml:3 title: the key 'title' was given in line 2 already. Remove one of them.",
        (
            "study.yaml:4 seed: expected a whole number, got 'x'. Write a number without quotes or"
            " decimals."
        ),
    ]

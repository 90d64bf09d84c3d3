"""The questions of a group page."""

from __future__ import annotations

from believable.contracts.submission import visible_questions
from believable.study.plan import Assignment, plan
from believable.study.records import clip_of

GROUP = """\
- group:
    id: page
    clips: 2
    rate:
      - {id: rating, prompt: What is it?, likert: {points: 5}}
      - {id: sure, prompt: How sure?, likert: {points: 10}, show_if: {answer: rating, at_least: 4}}
      - {id: feel, prompt: Feel, matrix: {rows: [warm, quick], points: 5}}
      - {id: why, prompt: Why?, text: {}, show_if: {answer: page.feel.warm, is: 1}}
    ask: [{id: best, prompt: Which was best?, text: {}}]
- finish: {}
"""


def group_of(loaded):
    study = loaded(GROUP).study
    return plan(study, Assignment({}, {}, 1))[0]


def test_questions_about_a_clip_are_asked_for_every_clip_under_their_own_ids(loaded):
    questions = group_of(loaded).trial.page_questions
    assert [question.id for question in questions] == [
        "rating-0",
        "sure-0",
        "feel-0",
        "why-0",
        "rating-1",
        "sure-1",
        "feel-1",
        "why-1",
        "best",
    ]
    assert [clip_of(question.id) for question in questions][3:6] == [
        ("why", 0),
        ("rating", 1),
        ("sure", 1),
    ]
    assert clip_of("best") == ("best", None)


def test_a_rule_looks_at_the_same_clip(loaded):
    planned = group_of(loaded)

    def shown(given):
        return {question.id for question in visible_questions(planned, given, {}, {})}

    always = {"rating-0", "feel-0", "rating-1", "feel-1", "best"}
    assert shown({}) == always
    assert shown({"rating-0": 4}) == always | {"sure-0"}
    assert shown({"rating-0": 3, "rating-1": 5}) == always | {"sure-1"}
    assert shown({"feel-1": {"warm": 1}}) == always | {"why-1"}

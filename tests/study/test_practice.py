# ruff: noqa: E501  messages are compared in full, one case per line
"""Annotating in the study file, and the practice that comes before it."""

from __future__ import annotations

import pytest

from believable.contracts.submission import ClosedPage
from believable.study.plan import Assignment, plan
from believable.study.progress import progress

WATCH = "- watch: {stimulus: h01, %s}\n- finish:\n"


def planned(study, **fields):
    return plan(study, Assignment(**{"arms": {}, "rows": {}, "seed": 1, **fields}))


def keys(trials):
    return [trial.key for trial in trials]


@pytest.mark.parametrize(
    "written", ["annotate: ranktrace", "annotate: {ranktrace: }", "annotate: {ranktrace: {}}"]
)
def test_an_annotation_is_a_kind_with_its_parameters(study_of, written):
    watch = study_of(WATCH % written).timeline[0]
    assert watch.annotation is watch.annotate
    assert (watch.annotate.kind, watch.annotate.min_inputs, watch.practice) == (
        "ranktrace",
        0,
        True,
    )


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (
            "annotate: {ranktrase: {}}",
            "annotate.ranktrase: unknown kind of annotation 'ranktrase'. Did you mean 'ranktrace'?",
        ),
        (
            "annotate: {likert: {points: 5}}",
            "annotate.likert: likert answers a question; it cannot annotate.",
        ),
        (
            "annotate: {ranktrace: , btrace: }",
            "annotate.btrace: an annotation has one kind, got ranktrace and btrace.",
        ),
        ("annotate: {}", "annotate: the annotation has no kind. Add one of:"),
        ("annotate: [ranktrace]", "annotate: expected an annotation, got a list."),
        ("annotate: {gtrace: {step: 0}}", "annotate.gtrace.step: "),
        (
            "annotate: {ranktrace: {hihg: up}}",
            "annotate.ranktrace.hihg: unknown key 'hihg'. Did you mean 'high'?",
        ),
        (
            "annotate: {ranktrace: , promt: X}",
            "annotate.promt: unknown key 'promt'. Did you mean 'prompt'?",
        ),
        (
            "annotate: {ranktrace: , min_inputs: 3}",
            "annotate.min_inputs: min_inputs of 3, but who made too few cannot watch again.",
        ),
        (
            "ask: [{id: q, prompt: Q, ranktrace: {}}]",
            "ask[0].ranktrace: ranktrace is used while watching; it is no question. Write it into a watch trial: `annotate: {ranktrace: {}}`.",
        ),
    ],
)
def test_mistakes_are_named(errors, written, problem):
    (only,) = errors(WATCH % written)
    assert only.startswith(f"timeline[0].watch.{problem}"), only


def test_inputs_may_be_required_where_people_can_watch_again(errors):
    assert errors(WATCH % "controls: {replay: true}, annotate: {ranktrace: , min_inputs: 3}") == []


def test_each_kind_is_practised_once_before_its_first_use(study_of):
    timeline = """\
    - text: {text: Hello}
    - block: {id: all, over: stimulus, each: [{watch: {id: w, annotate: ranktrace}}]}
    - watch: {id: m, stimulus: h01, annotate: btrace}
    - watch: {id: n, stimulus: h01, annotate: gtrace, practice: false}
    - finish
    """
    found = keys(planned(study_of(timeline)))
    assert found[:3] == ["text", "practice.ranktrace", "all.1.w"]
    assert found[-4:] == ["practice.btrace", "m", "n", "finish"]
    assert sum(key.startswith("practice.") for key in found) == 2


def test_an_arm_that_does_not_annotate_does_not_practise(study_of):
    timeline = (
        "- watch: {stimulus: h01, annotate: ranktrace, skip_if: {arm: tool, is: b}}\n- finish:\n"
    )
    study = study_of(timeline, extra="arms: {tool: [a, b]}\n")
    assert keys(planned(study, arms={"tool": "a"})) == ["practice.ranktrace", "watch", "finish"]
    assert keys(planned(study, arms={"tool": "b"})) == ["finish"]


def test_where_the_first_use_may_be_skipped_the_next_one_is_practised(study_of):
    timeline = """\
    - form: {id: f, questions: [{id: q, prompt: Q, choice: {options: [yes, no]}}]}
    - watch: {id: first, stimulus: h01, annotate: ranktrace, skip_if: {answer: f.q, is: no}}
    - watch: {id: second, stimulus: h02, annotate: ranktrace}
    - finish
    """
    trials = planned(study_of(timeline))
    assert keys(trials) == [
        "f",
        "practice.ranktrace",
        "first",
        "practice.ranktrace.2",
        "second",
        "finish",
    ]

    def course(answer):
        closed, seen = [], []
        while True:
            step = progress(trials, closed, {})
            closed += [ClosedPage(position, "skipped", {}) for position in step.skipped]
            if step.outcome:
                return seen
            seen.append(trials[step.position].key)
            closed.append(
                ClosedPage(step.position, "done", {"q": answer} if step.position == 0 else {})
            )

    assert course("yes") == ["f", "practice.ranktrace", "first", "second"]
    assert course("no") == ["f", "practice.ranktrace.2", "second"]

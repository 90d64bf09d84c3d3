"""Where a session stands: skipping, checks, endings, and which questions a page shows."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.contracts.submission import ClosedPage, visible_questions
from believable.pages.check import CHECK, Check
from believable.study.plan import choose, plan
from believable.study.progress import answers_so_far, outcome, progress

TIMELINE = """\
- consent: {page: pages/consent.md}
- form:
    id: about
    questions:
      - {id: age, prompt: Age?, number: }
      - {id: school, prompt: School?, text: , show_if: {answer: age, at_most: 20}}
      - {id: name, prompt: Its name?, text: , show_if: {answer: school, answered: true}}
- check: {id: sky, question: {prompt: Sky?, choice: {options: [red, blue]}}, correct: blue, attempts: 2, on_fail: screen_out}
- check: {id: grass, question: {prompt: Grass?, choice: {options: [red, green]}}, correct: green, on_fail: fail}
- check: {id: sum, question: {prompt: 2 + 2?, number: }, correct: 4, on_fail: continue}
- block:
    skip_if: {answer: about.age, at_least: 60}
    each:
      - text: {id: young, text: Hello}
      - text: {id: teen, text: Hello, skip_if: {answer: about.age, at_least: 20}}
- finish:
"""


@pytest.fixture
def session(study_of):
    study = study_of(TIMELINE)
    assignment = choose(study, {}, 1)
    return plan(study, assignment)


def closed(*answers, failed=()):
    return [
        ClosedPage(i, "failed" if i in failed else "done", answer)
        for i, answer in enumerate(answers)
    ]


def test_pages_come_in_order_and_end_with_the_finish(session):
    done = []
    shown = []
    while True:
        step = progress(session, done, {})
        shown.append(session[step.position].key)
        if step.outcome is not None:
            break
        done.append(ClosedPage(step.position, "done", {"age": 15} if shown[-1] == "about" else {}))
    assert shown == [
        "consent",
        "about",
        "sky",
        "grass",
        "sum",
        "block.1.young",
        "block.1.teen",
        "finish",
    ]
    assert step.outcome == "complete"


@pytest.mark.parametrize(
    ("age", "position", "skipped"), [(15, 5, ()), (30, 5, ()), (60, 7, (5, 6))]
)
def test_rules_skip_by_earlier_answers(session, age, position, skipped):
    step = progress(session, closed({}, {"age": age}, {}, {}, {}), {})
    assert (step.position, step.skipped) == (position, skipped)


def test_a_rule_of_one_trial_skips_that_trial(session):
    done = [*closed({}, {"age": 30}, {}, {}, {}), ClosedPage(5, "done", {})]
    assert progress(session, done, {}).skipped == (6,)
    assert outcome(session, done, {}) == "complete"


@pytest.mark.parametrize(
    ("failed", "expected"), [(0, "declined"), (2, "screened_out"), (3, "failed_checks"), (4, None)]
)
def test_endings(session, failed, expected):
    done = closed(*[{} for _ in range(failed + 1)], failed=(failed,))
    assert outcome(session, done, {}) == expected
    assert progress(session, done, {}).position == (5 if expected is None else 7)


def test_questions_show_by_answers_of_their_own_page(session):
    form = session[1]

    def shown(given):
        return [question.id for question in visible_questions(form, given, {}, {})]

    assert shown({}) == ["age"]
    assert shown({"age": 30}) == ["age"]
    assert shown({"age": 15}) == ["age", "school"]
    assert shown({"age": 15, "school": "x"}) == ["age", "school", "name"]
    # What was typed into a question before it was hidden again does not show others.
    assert shown({"age": 30, "school": "x"}) == ["age"]


def test_answers_of_an_earlier_run_do_not_show_questions(session):
    earlier = {"about.age": 15, "about.school": "x"}
    assert [
        question.id for question in visible_questions(session[1], {"age": 30}, earlier, {})
    ] == ["age"]


def test_the_latest_run_of_a_trial_counts(study_of):
    timeline = (
        "- block: {repeat: 2, each: [{form: {id: f, questions: [{id: q, prompt: Q, number:"
        " }]}}]}\n- finish:\n"
    )
    study = study_of(timeline)
    two_runs = plan(study, choose(study, {}, 1))
    done = [ClosedPage(1, "done", {"q": 2}), ClosedPage(0, "done", {"q": 1})]
    assert answers_so_far(two_runs, done) == {"f.q": 2}


@pytest.mark.parametrize(
    ("correct", "answer", "right"),
    [
        ("blue", "blue", True),
        ("blue", " Blue ", True),
        ("blue", "red", False),
        ("blue", None, False),
        (4, 4, True),
        (4, 4.0, True),
        (4, 5, False),
        (["a", "b"], ["b", "a"], True),
        (["a", "b"], ["a"], False),
        ({"row": 1}, {"row": 1}, True),
        (1, True, False),
    ],
)
def test_right_answers(session, correct, answer, right):
    check = session[2].trial.model_copy(update={"correct": correct})
    assert check.quiz.is_right(check.question.id, answer) is right


def test_a_check_may_be_tried_again_until_its_attempts_are_used(session):
    check = session[2].trial
    assert isinstance(check, Check)

    def judged(answer, attempt):
        return CHECK.judging.judge(
            check, {"answer": answer}, SimpleNamespace(attempt=attempt)
        ).status

    assert [judged("red", attempt) for attempt in (1, 2)] == ["again", "failed"]
    assert judged("blue", 2) == "done"
    assert [question.id for question in check.all_questions] == ["answer"]


@given(ages=st.integers(0, 100), order=st.permutations(range(5)))
def test_progress_does_not_depend_on_the_order_of_the_closed_trials(ages, order):
    # Hypothesis and function-scoped fixtures do not mix; the answers of one page are enough here.
    done = [ClosedPage(i, "done", {"q": ages + i}) for i in order]
    planned = [_FakePlanned(i) for i in range(5)]
    assert answers_so_far(planned, done) == answers_so_far(
        planned, sorted(done, key=lambda one: one.position)
    )


class _FakePlanned:
    """Only what `answers_so_far` looks at: a trial with an id, shared by neighbours."""

    def __init__(self, position):
        self.trial = type("Trial", (), {"id": f"t{position // 2}"})

"""Where a session stands: which page comes next, which questions it shows, and how it ends.
Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from believable.study.bases import holds
from believable.study.plan import PlannedTrial
from believable.study.records import Outcome, Question

Status: TypeAlias = Literal["done", "skipped", "failed"]
Verdict: TypeAlias = Literal["done", "again", "failed"]


@dataclass(frozen=True, slots=True)
class ClosedPage:
    """A trial the server has closed. `failed` is a check answered wrongly to the end, or a consent
    that was declined.

    `answers` maps question ids to answers: `None` was shown and left open, a missing id was not
    shown.
    """

    position: int
    status: Status
    answers: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """What comes next: the page at `position`, after passing over `skipped`. `outcome` is set once
    that page is the last one.
    """

    position: int
    skipped: tuple[int, ...]
    outcome: Outcome | None


def answers_so_far(plan: Sequence[PlannedTrial], closed: Iterable[ClosedPage]) -> dict[str, Any]:
    """`trial.question` → answer. A trial that ran several times counts with its latest run."""
    answers: dict[str, Any] = {}
    for page in sorted(closed, key=lambda trial: trial.position):
        name = plan[page.position].trial.id
        answers.update({f"{name}.{question}": answer for question, answer in page.answers.items()})
    return answers


def visible_questions(
    planned: PlannedTrial,
    answers: Mapping[str, Any],
    earlier: Mapping[str, Any],
    arms: Mapping[str, str],
    opened: Collection[str] = (),
) -> tuple[Question, ...]:
    """The questions to be answered, when `answers` (question id → answer) is what this page holds
    so far, and `opened` what was opened beside its player.

    `earlier` is `answers_so_far`. A rule inside a page sees only the questions of that page that
    are themselves shown.
    """
    name = planned.trial.id
    questions = planned.trial.page_questions
    if all(question.show_if is None for question in questions):
        return tuple(questions)
    own = {f"{name}.{question.id}" for question in questions}
    known = {reference: answer for reference, answer in earlier.items() if reference not in own}
    shown = []
    for question in questions:
        if question.show_if is None or holds(question.show_if, known, arms, opened):
            shown.append(question)
            known[f"{name}.{question.id}"] = answers.get(question.id)
    return tuple(shown)


def progress(
    plan: Sequence[PlannedTrial],
    closed: Sequence[ClosedPage],
    arms: Mapping[str, str],
    *,
    first: int = 0,
) -> Step:
    """The next step of a session whose trials in `closed` are over. Pages before `first` are known
    to be among them, so that a step takes as long at the end of a study as at its beginning.
    """
    last = len(plan) - 1  # the finish page: the checker made sure of it
    for page in closed:
        ending = plan[page.position].trial.ending if page.status == "failed" else None
        if ending is not None:
            return Step(last, (), ending)
    over = {page.position for page in closed if page.position >= first}
    answers: Mapping[str, Any] | None = None
    skipped: list[int] = []
    for position in range(first, last):
        planned = plan[position]
        if position in over:
            continue
        if planned.skip_if and answers is None:
            answers = answers_so_far(plan, closed)
        again = planned.trial.practises is not None and _is_practised(
            plan, closed, planned.trial.practises
        )
        if not again and not any(holds(rule, answers or {}, arms) for rule in planned.skip_if):
            return Step(position, tuple(skipped), None)
        skipped.append(position)
    return Step(last, tuple(skipped), "complete")


def _is_practised(plan: Sequence[PlannedTrial], closed: Sequence[ClosedPage], kind: str) -> bool:
    return any(
        page.status == "done" and plan[page.position].trial.practises == kind for page in closed
    )


def outcome(
    plan: Sequence[PlannedTrial], closed: Sequence[ClosedPage], arms: Mapping[str, str]
) -> Outcome | None:
    """How the session ends; `None` while it still has pages to go through."""
    return progress(plan, closed, arms).outcome

"""Where a session stands: which page comes next, which questions it shows, and how it ends. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from believable.study.clips import expanded
from believable.study.plan import PlannedTrial
from believable.study.practice import practised
from believable.study.records import (
    Check,
    Compare,
    Consent,
    Device,
    Form,
    Group,
    Qa,
    Question,
    Rate,
    TimelineItem,
    Trial,
    Watch,
)
from believable.study.rules import holds

__all__ = [
    "Closed",
    "Outcome",
    "Step",
    "answers_so_far",
    "holds",
    "is_correct",
    "next_position",
    "outcome",
    "page_questions",
    "progress",
    "questions_of",
    "verdict",
    "visible_questions",
]

Outcome: TypeAlias = Literal["complete", "screened_out", "failed_checks", "declined"]
Status: TypeAlias = Literal["done", "skipped", "failed"]
Verdict: TypeAlias = Literal["done", "again", "failed"]


@dataclass(frozen=True, slots=True)
class Closed:
    """A trial the server has closed. `failed` is a check answered wrongly to the end, or a consent that was declined.

    `answers` maps question ids to answers: `None` was shown and left open, a missing id was not shown.
    """

    position: int
    status: Status
    answers: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """What comes next: the page at `position`, after passing over `skipped`. `outcome` is set once that page is the last one."""

    position: int
    skipped: tuple[int, ...]
    outcome: Outcome | None


def questions_of(trial: TimelineItem | Trial) -> tuple[Question, ...]:
    """All questions of a trial as the author wrote them, shown or not, in order."""
    if isinstance(trial, Form | Rate):
        return trial.questions
    if isinstance(trial, Watch | Compare):
        return trial.ask
    if isinstance(trial, Group):
        return (*trial.rate, *trial.ask)
    return (trial.question,) if isinstance(trial, Check) else ()


def page_questions(trial: TimelineItem | Trial) -> tuple[Question, ...]:
    """The questions as they stand on the page: those about each clip of a group once for every clip."""
    return expanded(trial) if isinstance(trial, Group) else questions_of(trial)


def answers_so_far(plan: Sequence[PlannedTrial], closed: Iterable[Closed]) -> dict[str, Any]:
    """`trial.question` → answer. A trial that ran several times counts with its latest run."""
    answers: dict[str, Any] = {}
    for one in sorted(closed, key=lambda trial: trial.position):
        name = plan[one.position].trial.id
        answers.update({f"{name}.{question}": answer for question, answer in one.answers.items()})
    return answers


def visible_questions(
    planned: PlannedTrial,
    given: Mapping[str, Any],
    earlier: Mapping[str, Any],
    arms: Mapping[str, str],
    opened: Collection[str] = (),
) -> tuple[Question, ...]:
    """The questions to be answered, when `given` (question id → answer) is what this page holds so far, and `opened` what was
    opened beside its player.

    `earlier` is `answers_so_far`. A rule inside a page sees only the questions of that page that are themselves shown.
    """
    name = planned.trial.id
    questions = page_questions(planned.trial)
    own = {f"{name}.{question.id}" for question in questions}
    known = {reference: answer for reference, answer in earlier.items() if reference not in own}
    shown = []
    for question in questions:
        if question.show_if is None or holds(question.show_if, known, arms, opened):
            shown.append(question)
            known[f"{name}.{question.id}"] = given.get(question.id)
    return tuple(shown)


def is_correct(check: Check, answer: Any) -> bool:
    """Free text is compared without case and outer space; several ticked options without order."""
    right = check.correct
    if isinstance(right, str) and isinstance(answer, str):
        return answer.strip().casefold() == right.strip().casefold()
    if isinstance(right, list | tuple) and isinstance(answer, list | tuple):
        return sorted(map(str, answer)) == sorted(map(str, right))
    if isinstance(right, bool) or isinstance(answer, bool):
        return answer is right
    if isinstance(answer, str) and isinstance(right, int | float):
        return answer == str(right)
    return bool(answer == right)


def verdict(check: Check, answer: Any, attempts: int) -> Verdict:
    """What follows from an answer given on the `attempts`-th attempt (counted from 1)."""
    if is_correct(check, answer):
        return "done"
    return "again" if attempts < check.attempts else "failed"


def progress(plan: Sequence[PlannedTrial], closed: Sequence[Closed], arms: Mapping[str, str]) -> Step:
    """The next step of a session whose trials in `closed` are over."""
    last = len(plan) - 1  # the finish page: the checker made sure of it
    for one in closed:
        ended = _ending(plan[one.position], one)
        if ended is not None:
            return Step(last, (), ended)
    answers = answers_so_far(plan, closed)
    over = {one.position for one in closed}
    known = practised(plan[one.position].trial for one in closed if one.status == "done")
    skipped: list[int] = []
    for planned in plan[:-1]:
        if planned.position in over:
            continue
        again = bool(known & practised([planned.trial]))
        if not again and not any(holds(rule, answers, arms) for rule in planned.skip_if):
            return Step(planned.position, tuple(skipped), None)
        skipped.append(planned.position)
    return Step(last, tuple(skipped), "complete")


def next_position(plan: Sequence[PlannedTrial], closed: Sequence[Closed], arms: Mapping[str, str]) -> int:
    """The position of the page to show: the finish page once there is nothing else to do."""
    return progress(plan, closed, arms).position


def outcome(
    plan: Sequence[PlannedTrial], closed: Sequence[Closed], arms: Mapping[str, str]
) -> Outcome | None:
    """How the session ends; `None` while it still has pages to go through."""
    return progress(plan, closed, arms).outcome


def _ending(planned: PlannedTrial, closed: Closed) -> Outcome | None:
    if closed.status != "failed":
        return None
    if isinstance(planned.trial, Consent):
        return "declined"
    if isinstance(planned.trial, Qa):
        return "screened_out"
    if isinstance(planned.trial, Check | Device) and planned.trial.on_fail != "continue":
        return "screened_out" if planned.trial.on_fail == "screen_out" else "failed_checks"
    return None

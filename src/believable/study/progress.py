"""The progress of a session: its next page, the questions it shows, and how it ends. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from believable.contracts.record import holds
from believable.contracts.submission import ClosedPage
from believable.contracts.trial import Outcome, PlannedTrial


@dataclass(frozen=True, slots=True)
class Step:
    """The next step: the page at `position`, after passing over `skipped`. `outcome` is set once
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

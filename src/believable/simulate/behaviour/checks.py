"""Attention and comprehension checks: careful people find the right answer, careless ones never do.

So those who remain are careful, and what is true of them is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from believable.simulate.sessions import Sessions
from believable.study.outline import outline
from believable.study.records import Check

#: Chance of a wrong answer at one attempt: of somebody careless, and of anybody else.
CARELESS_WRONG, CAREFUL_WRONG = 1.0, 0.004


def take_checks(sessions: Sessions) -> None:
    """Answers to all checks of the study. Where one ends the session, those who fail it stop there."""
    for entry in outline(sessions.pool.study.timeline):
        if isinstance(entry.item, Check):
            _take(entry.item, sessions)


def _take(check: Check, sessions: Sessions) -> None:
    rng, positions = sessions.rng, sessions.pool.positions(check.id)[sessions.plan]
    chance = np.where(sessions.careless, CARELESS_WRONG, CAREFUL_WRONG) ** check.attempts
    wrong = rng.random(positions.shape) < chance[:, None]
    if check.on_fail != "continue" and positions.shape[1] == 1:
        sessions.fail(wrong[:, 0], check.id)
    person = np.repeat(sessions.people, positions.shape[1])
    right = ~wrong.ravel()
    other = _wrong_answer(check)
    if isinstance(check.correct, str):
        text = np.where(right, check.correct, other).astype(object)
        sessions.answer(
            person, positions.ravel(), check.question.id, check.question.kind, text=text, correct=right
        )
    elif isinstance(check.correct, int | float):
        number = np.where(right, check.correct, other).astype(np.float64)
        sessions.answer(
            person, positions.ravel(), check.question.id, check.question.kind, number=number, correct=right
        )


def _wrong_answer(check: Check) -> Any:
    options = getattr(check.question.params, "options", ())
    values = [one.value for one in options if one.value != check.correct]
    if values:
        return values[0]
    return "?" if isinstance(check.correct, str) else float(check.correct) + 1

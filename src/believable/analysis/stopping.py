"""The declared stopping rule: what it asks for, how far collecting is, and whether it is met."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from believable.analysis.data import Data
from believable.analysis.exclusions import ALWAYS
from believable.analysis.plan import Plan
from believable.analysis.words import counted, fixed

MEAN_EXPERIENCE = 3.0


@dataclass(frozen=True, slots=True)
class Stopped:
    """`target` and `reached` count sessions, or are the mean experience. `met` is None without a rule."""

    words: str
    target: float | None
    reached: float | None
    met: bool | None


def stopping(data: Data, plan: Plan) -> Stopped:
    """Where collecting stands."""
    rule = plan.declared.stopping
    if rule is None:
        return Stopped("No stopping rule was declared.", None, None, None)
    if rule.rule == "experience":
        return _by_experience(data, rule.at_least or MEAN_EXPERIENCE, rule.n or 0)
    reached = len(data) if rule.rule == "after_exclusions" else _complete(data)
    target = rule.n or 0
    kind = "sessions after exclusions" if rule.rule == "after_exclusions" else "complete sessions"
    words = f"Declared: stop at {target:,} {kind}; there are {reached:,}."
    return Stopped(words, target, reached, reached >= target)


def _complete(data: Data) -> int:
    """Complete sessions, whatever the plan's own rules leave out afterwards."""
    later = {
        drop.session
        for drop in data.drops
        if drop.level == "session" and drop.reason not in (*ALWAYS, "simulated")
    }
    return len(data) + len(later - {""})


def _by_experience(data: Data, target: float, least: int) -> Stopped:
    if not data.plan.roles.get("experience"):
        return Stopped(
            "Declared: stop at a mean experience, but nobody was asked for it.", target, None, None
        )
    experience = data.number_by_session("experience")
    known = experience[~np.isnan(experience)]
    also = f" from at least {counted(least, 'respondent')}" if least else ""
    if not len(known):
        return Stopped(
            f"Declared: stop at a mean experience of {target:g}{also}; there is no answer yet.",
            target,
            None,
            False,
        )
    mean = float(known.mean())
    met = mean >= target and len(data) >= least
    now = f"it is {fixed(mean)} with {counted(len(known), 'respondent')}"
    words = f"Declared: stop at a mean experience of {target:g}{also}; {now}."
    return Stopped(words, target, mean, met)

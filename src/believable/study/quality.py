"""Checks of devices and gates of quality tests: what is expected, and what follows. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from believable.core.seeds import generator
from believable.study.plan import PlannedTrial
from believable.study.progress import Closed, Verdict, answers_so_far
from believable.study.records import Device, Qa
from believable.study.rules import holds

#: Names of the answers.
HEARD, WHEEL = "heard", "wheel"
SDA, MEAN_SDA, RELIABLE = "sda", "mean_sda", "reliable"
#: So many tones are played, drawn for each session and attempt.
FEWEST_TONES, MOST_TONES = 2, 7


def tones(seed: int, key: str, attempt: int) -> int:
    """How many tones the page `key` of a session plays on this attempt (from 1): never as many as on the one before."""
    rng = generator(seed, "tones", key)
    count = rng.randint(FEWEST_TONES, MOST_TONES)
    for _ in range(attempt - 1):
        count = rng.choice([other for other in range(FEWEST_TONES, MOST_TONES + 1) if other != count])
    return count


def parts(device: Device) -> tuple[str, ...]:
    """What is checked, by the names of the answers."""
    return (*([HEARD] if device.headphones else []), *([WHEEL] if device.wheel else []))


def wrong_parts(device: Device, answers: Mapping[str, Any], count: int) -> tuple[str, ...]:
    right = {HEARD: answers.get(HEARD) == count, WHEEL: answers.get(WHEEL) is True}
    return tuple(part for part in parts(device) if not right[part])


def device_verdict(device: Device, answers: Mapping[str, Any], count: int, attempts: int) -> Verdict:
    """What follows from what was answered on the `attempts`-th attempt (counted from 1)."""
    if not wrong_parts(device, answers, count):
        return "done"
    return "again" if attempts < device.attempts else "failed"


def gated(
    plan: Sequence[PlannedTrial], closed: Sequence[Closed], arms: Mapping[str, str], position: int, sda: float
) -> dict[str, Any]:
    """The answers of the quality test at `position`: its score and, at the last one, the mean of all and whether it is enough."""
    test = plan[position].trial
    assert isinstance(test, Qa)
    known = answers_so_far(plan, closed)
    to_come = (
        one
        for one in plan[position + 1 :]
        if isinstance(one.trial, Qa) and not any(holds(rule, known, arms) for rule in one.skip_if)
    )
    if any(to_come):
        return {SDA: sda}
    scores = [
        one.answers[SDA] for one in closed if isinstance(plan[one.position].trial, Qa) and SDA in one.answers
    ]
    mean = (sum(scores) + sda) / (len(scores) + 1)
    return {SDA: sda, MEAN_SDA: mean, RELIABLE: mean >= test.threshold}


def warned(plan: Sequence[PlannedTrial], closed: Sequence[Closed], position: int) -> bool:
    """Whether the page at `position` has to say that the quality test just before it did not go well."""
    before = [one for one in closed if one.position < position and one.status != "skipped"]
    last = max(before, key=lambda one: one.position, default=None)
    if last is None:
        return False
    test = plan[last.position].trial
    return isinstance(test, Qa) and test.gate == "warn" and last.answers.get(RELIABLE) is False

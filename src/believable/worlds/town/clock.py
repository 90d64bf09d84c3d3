"""The clock of the town. A step is ten seconds, and steps are counted from the first midnight."""

from __future__ import annotations

STEP_S = 10
STEP_MS = STEP_S * 1000
STEPS_PER_MINUTE = 60 // STEP_S
STEPS_PER_HOUR = 60 * STEPS_PER_MINUTE
MINUTES_PER_DAY = 24 * 60
STEPS_PER_DAY = MINUTES_PER_DAY * STEPS_PER_MINUTE


def minute_of_day(step: int) -> float:
    return (step % STEPS_PER_DAY) / STEPS_PER_MINUTE


def clock_text(minute: float) -> str:
    """Format a minute of the day: `07:30`."""
    return f"{int(minute) // 60:02d}:{int(minute) % 60:02d}"

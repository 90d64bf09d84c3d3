"""Words of the questions about two days: parts of the days, and what nobody is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DayPart:
    """A part of a day that is asked about: which day, from and to which hour, and how it is asked."""

    day: int
    from_hour: float
    to_hour: float
    prompt: Mapping[str, str]


def _asked(english: str, german: str) -> dict[str, str]:
    return {"en": f"Which of these did the character do on {english}?", "de": f"Was davon tat die Figur {german}?"}


DAY_PARTS: Mapping[str, DayPart] = {
    "first afternoon": DayPart(1, 12, 17.5, _asked("the first day in the afternoon", "am ersten Tag nachmittags")),
    "first evening": DayPart(1, 17.5, 24, _asked("the first day in the evening", "am ersten Tag abends")),
    "second morning": DayPart(2, 5, 12, _asked("the second day in the morning", "am zweiten Tag morgens")),
    "second afternoon": DayPart(2, 12, 17.5, _asked("the second day in the afternoon", "am zweiten Tag nachmittags")),
    "second evening": DayPart(2, 17.5, 24, _asked("the second day in the evening", "am zweiten Tag abends")),
}

#: What everybody does every day, or is told by a glance: neither asked for nor offered.
FORGETTABLE = frozenset(
    {
        "sleep", "dress", "undress", "shower", "toilet", "wash_hands", "brush_teeth", "switch_on", "switch_off", "eat", "prepare",
        "wash_up", "pay", "look", "sit", "rest", "read", "wipe", "order_meal", "serve",
    }
)  # fmt: skip

"""The parts of days in the questions about them, and activities that are never asked for."""

from __future__ import annotations

from dataclasses import dataclass

#: Part of a day → how it is said, from and to which hour.
HOURS = {
    "morning": ("in the morning", "morgens", 5.0, 12.0),
    "afternoon": ("in the afternoon", "nachmittags", 12.0, 17.5),
    "evening": ("in the evening", "abends", 17.5, 24.0),
}
ORDINALS = (("on the first day ", "am ersten Tag "), ("on the second day ", "am zweiten Tag "))


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPart:
    """A part of a day that is asked about: which day, from and to which hour, and how it is
    asked.
    """

    day: int
    from_hour: float
    to_hour: float
    english: str
    german: str

    @property
    def prompt(self) -> dict[str, str]:
        return {
            "en": f"Which of these did the character do {self.english}?",
            "de": f"Was davon tat die Figur {self.german}?",
        }


def day_parts(days: int) -> tuple[DayPart, ...]:
    """Return the parts of a recording of `days` days, of which two can be asked about. A single day
    has no number.
    """
    named = ORDINALS[:days] if days > 1 else (("", ""),)
    return tuple(
        DayPart(
            day=number,
            from_hour=low,
            to_hour=high,
            english=english_day + english,
            german=german_day + german,
        )
        for number, (english_day, german_day) in enumerate(named, 1)
        for english, german, low, high in HOURS.values()
    )


#: Everyday activities, and those that a glance reveals: neither asked for nor offered.
FORGETTABLE = frozenset(
    {
        "sleep",
        "dress",
        "undress",
        "shower",
        "toilet",
        "wash_hands",
        "brush_teeth",
        "switch_on",
        "switch_off",
        "eat",
        "prepare",
        "wash_up",
        "pay",
        "look",
        "sit",
        "rest",
        "read",
        "wipe",
        "order_meal",
        "serve",
    }
)

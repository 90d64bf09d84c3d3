"""Words of the questions about days: parts of them, and what nobody is asked about."""

from __future__ import annotations

from dataclasses import dataclass

#: Part of a day → how it is said, from and to which hour.
HOURS = {
    "morning": ("in the morning", "morgens", 5.0, 12.0),
    "afternoon": ("in the afternoon", "nachmittags", 12.0, 17.5),
    "evening": ("in the evening", "abends", 17.5, 24.0),
}
ORDINALS = (("on the first day ", "am ersten Tag "), ("on the second day ", "am zweiten Tag "))


@dataclass(frozen=True, slots=True)
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
    """Of a recording of so many days, two of which can be asked about; one day is not counted."""
    named = ORDINALS[:days] if days > 1 else (("", ""),)
    return tuple(
        DayPart(number, low, high, english_day + english, german_day + german)
        for number, (english_day, german_day) in enumerate(named, 1)
        for english, german, low, high in HOURS.values()
    )


#: What everybody does every day, or is told by a glance: neither asked for nor offered.
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

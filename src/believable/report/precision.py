"""How exactly a release gives times, and the steps in which it gets coarser."""

from __future__ import annotations

from dataclasses import dataclass

MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """How exactly a release gives times.

    step_ms      lengths of sessions and times on their clocks are multiples of this; None: they are
                 left out
    page_times   whether times within pages keep their milliseconds: reaction times, how long pages
                 were open, the page's own clock
    raw_events   whether the raw events are part of the release: their number alone says something
                 about a session's length
    """

    step_ms: int | None
    page_times: bool
    raw_events: bool = True

    @property
    def text(self) -> str:
        """The rule for readers, as one sentence."""
        if self.step_ms is None:
            lengths = "Lengths of sessions and times on their clocks are left out"
        else:
            lengths = (
                "Lengths of sessions and times on their clocks are rounded to multiples of"
                f" {format_minutes(self.step_ms)}"
            )
        pages = (
            "times within a page keep their milliseconds"
            if self.page_times
            else "times within pages are left out"
        )
        return f"{lengths}; {pages}{'' if self.raw_events else '; the raw events are left out'}."


#: Times that can be added up give a session's length away, whatever each of them is rounded to. So
#: a release has none, unless its authors ask for them. The later steps are tried in this order if
#: an attack still finds people.
PRECISIONS = (
    Precision(step_ms=None, page_times=False),
    Precision(step_ms=None, page_times=False, raw_events=False),
)
#: The steps if the authors want to keep times: the finest first.
PRECISIONS_WITH_TIMES = (
    Precision(step_ms=MINUTE_MS, page_times=True),
    Precision(step_ms=5 * MINUTE_MS, page_times=False),
    Precision(step_ms=15 * MINUTE_MS, page_times=False),
    *PRECISIONS,
)


def format_minutes(time_ms: int) -> str:
    """Whole minutes in words.

    >>> format_minutes(300_000)
    '5 minutes'
    """
    minutes = time_ms // MINUTE_MS
    return "one minute" if minutes == 1 else f"{minutes} minutes"

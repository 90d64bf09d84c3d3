"""How long a session takes, for the landing page and for the minutes left. An estimate, never a
measurement.

A page takes the typical time of its kind (`PageKind.typical_ms`) and, if it plays something, the
length of that at the speed it begins with. `recruit.minutes` replaces the total; the pages keep
their shares of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from believable.contracts.registries import PAGES
from believable.contracts.trial import PlannedTrial
from believable.study.definition import Definition
from believable.study.plan import Assignment, plan

#: The length of an unmeasured stimulus.
UNKNOWN_MS = 20_000
MINUTE_MS = 60_000
#: Longer sessions are rounded to this, since the estimate is no better.
COARSE_MINUTES = 5


def page_ms(page: PlannedTrial, definition: Definition) -> float:
    """How long this page typically takes; 0 for the end."""
    if page.trial.closing is not None or page.trial.kind not in PAGES:
        return 0.0
    lengths = [
        definition.media[name].duration_ms if name in definition.media else None
        for name in page.played_stimuli
    ]
    played_ms = (
        sum(UNKNOWN_MS if length is None else length for length in lengths)
        + page.trial.player.medium_ms
    )
    controls = page.trial.player.controls
    return PAGES[page.trial.kind].typical_ms + (
        0.0 if controls is None else played_ms / controls.first_speed
    )


def minutes_left(pages: Sequence[PlannedTrial], position: int, definition: Definition) -> int:
    """Whole minutes from the page at `position` to the end, at least 1."""
    times_ms = [page_ms(page, definition) for page in pages]
    left_ms, total_ms = sum(times_ms[position:]), sum(times_ms)
    declared = definition.study.recruit.minutes
    if declared is not None and total_ms > 0:
        left_ms *= declared * MINUTE_MS / total_ms
    return max(1, math.ceil(left_ms / MINUTE_MS))


def session_minutes(definition: Definition) -> int:
    """How long the study takes: as declared, else estimated for one possible session and rounded
    up.
    """
    declared = definition.study.recruit.minutes
    if declared is not None:
        return declared
    arms = {name: levels[0] for name, levels in definition.study.arms.items()}
    pages = plan(definition.study, Assignment(arms, {}, definition.study.seed))
    minutes = minutes_left(pages, 0, definition)
    return (
        minutes
        if minutes <= COARSE_MINUTES
        else math.ceil(minutes / COARSE_MINUTES) * COARSE_MINUTES
    )

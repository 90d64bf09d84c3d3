"""Half a day in a town of two, quick enough for any test: as the mind lives it, or with its checks
switched off.
"""

from __future__ import annotations

import functools

from believable.recordings.recording import Recording
from believable.worlds.town.mind import STEPS_PER_DAY
from believable.worlds.town.minds import mind_kind
from believable.worlds.town.rule_checker import with_findings
from believable.worlds.town.town_recording import followed, recorded
from believable.worlds.town.town_run import TownRun, TownSettings


@functools.cache
def town_day(seed: int, *, checks: bool = True) -> Recording:
    """One of the two, followed until the afternoon; a minute of whatever takes long."""
    options = {} if checks else {"checks": "off"}
    run = TownRun(
        TownSettings(seed, 2, 1, "neurosymbolic", options), mind_kind("neurosymbolic").create
    )
    while run.state.step < STEPS_PER_DAY * 5 // 8:
        run.advance()
    town = with_findings(recorded(run))
    return followed(town, town.actors[0].id, longest_minutes=1.0)

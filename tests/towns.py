"""Half a day in a town of two, quick enough for any test: as the mind lives it, or with its checks
switched off.
"""

from __future__ import annotations

import functools

from believable.recordings.recording import Recording
from believable.worlds.town.clock import STEPS_PER_DAY
from believable.worlds.town.excerpt import follow_actor
from believable.worlds.town.minds import mind_kind
from believable.worlds.town.recording import record_run
from believable.worlds.town.rule_checker.checker import add_findings
from believable.worlds.town.run import TownRun, TownSettings


@functools.cache
def town_day(seed: int, *, checks: bool = True) -> Recording:
    """One of the two, followed until the afternoon; a minute of whatever takes long."""
    options = {} if checks else {"checks": "off"}
    run = TownRun(
        TownSettings(seed=seed, people=2, days=1, mind="neurosymbolic", options=options),
        mind_kind("neurosymbolic").create,
    )
    while run.state.step < STEPS_PER_DAY * 5 // 8:
        run.advance()
    town = add_findings(record_run(run))
    return follow_actor(town, town.actors[0].id, max_minutes=1.0)

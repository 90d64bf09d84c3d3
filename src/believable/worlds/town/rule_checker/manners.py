"""Checks the manners of `manners.yaml`, in which neither mind was built.

hours     these activities or verbs happen outside the hours `not`
place     they do not happen in these buildings, except to members of their staff
first     one of `first` happens after some activities and before others
stretch   these activities have a pause of a minimum length after a maximum of minutes
talk      talks with people who are at such work have a maximum of lines
ration    an activity is begun a maximum number of times in a day
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.core.nodes import read_plain
from believable.recordings.recording import Action
from believable.worlds.town.rule_checker.replayed_town import MINUTE_MS, ReplayedTown
from believable.worlds.town.rule_checker.track_checks import DAY_MS, Finding

#: An activity that continues within this time is not begun again.
RESUME_MS = 15 * MINUTE_MS
#: Lines within this time of each other belong to one talk.
TALK_MS = 3 * MINUTE_MS
Manner = Mapping[str, Any]
#: Action and reason.
_Breach = tuple[Action, str]


@functools.cache
def manners() -> tuple[Manner, ...]:
    return tuple(read_plain(Path(__file__).with_name("manners.yaml")))


def check_manners(town: ReplayedTown, actor: str) -> Iterator[Finding]:
    """Find everything that one person does against the manners."""
    own = [action for action in town.actions if action.actor == actor and action.refused is None]
    for manner in manners():
        for action, reason in _KINDS[manner["kind"]](manner, town, own):
            yield manner["rule"], action, action.t0_ms, f"{manner['because']} {reason}".strip()


def _fits(manner: Manner, action: Action) -> bool:
    return action.activity in manner.get("activities", ()) or action.verb in manner.get("verbs", ())


def _check_hours(manner: Manner, town: ReplayedTown, own: Sequence[Action]) -> Iterator[_Breach]:
    for action in own:
        minute = town.minute(action.t0_ms)
        if _fits(manner, action) and any(low <= minute < high for low, high in manner["not"]):
            yield action, f"({int(minute) // 60:02d}:{int(minute) % 60:02d})"


def _check_place(manner: Manner, town: ReplayedTown, own: Sequence[Action]) -> Iterator[_Breach]:
    for action in own:
        building = town.building_of(action.place)
        if _fits(manner, action) and town.facts(building).get("kind") in manner["buildings"]:
            staff = town.members(building, manner["unless"])
            if not {action.actor, action.target} & set(staff):
                yield action, ""


def _check_first(manner: Manner, town: ReplayedTown, own: Sequence[Action]) -> Iterator[_Breach]:
    dirty: str | None = None
    for action in own:
        if action.activity in manner["first"]:
            dirty = None
        elif action.activity in manner["before"] and dirty is not None:
            yield action, dirty
            dirty = None
        if action.activity in manner["after"]:
            dirty = action.activity


def _check_stretch(manner: Manner, town: ReplayedTown, own: Sequence[Action]) -> Iterator[_Breach]:
    begins = ends = -(10**12)
    found = False
    for action in own:
        if not _fits(manner, action):
            continue
        if action.t0_ms - ends > manner["pause"] * MINUTE_MS / town.pace:
            begins, found = action.t0_ms, False
        ends = action.t1_ms
        minutes = (ends - begins) * town.pace / MINUTE_MS
        if minutes > manner["minutes"] and not found:
            found = True
            yield action, f"{minutes:.0f} minutes"


def _check_talk(manner: Manner, town: ReplayedTown, own: Sequence[Action]) -> Iterator[_Breach]:
    said: list[Action] = []
    for action in own:
        if action.verb != "speak":
            continue
        goes_on = said and action.t0_ms - said[-1].t0_ms <= TALK_MS / town.pace
        said = [*said, action] if goes_on and said[-1].target == action.target else [action]
        work = _work_before(manner, town, str(action.target), said[0].t0_ms)
        if len(said) * 2 == manner["lines"] + 1 and work is not None:
            yield action, work


def _work_before(manner: Manner, town: ReplayedTown, actor: str, t_ms: int) -> str | None:
    """Return the work that the talk interrupts."""
    uses = (
        use.activity
        for uses in town.uses.values()
        for use in uses
        if use.actor == actor and use.t0_ms < t_ms <= use.t1_ms + MINUTE_MS / town.pace
    )
    return next((name for name in uses if name in manner["activities"]), None)


def _check_ration(manner: Manner, town: ReplayedTown, own: Sequence[Action]) -> Iterator[_Breach]:
    counts: Counter[tuple[str, int]] = Counter()
    last: dict[str, int] = {}
    for action in own:
        name = action.activity or ""
        if name not in manner["times"]:
            continue
        resumed = action.t0_ms - last.get(name, -(10**12)) <= RESUME_MS / town.pace
        last[name] = action.t1_ms
        if resumed:
            continue
        day = name, int(action.t0_ms * town.pace // DAY_MS)
        counts[day] += 1
        if counts[day] == manner["times"][name] + 1:
            yield action, f"({name}, more than {manner['times'][name]} times)"


_KINDS: Mapping[str, Callable[[Manner, ReplayedTown, Sequence[Action]], Iterator[_Breach]]] = {
    "hours": _check_hours,
    "place": _check_place,
    "first": _check_first,
    "stretch": _check_stretch,
    "talk": _check_talk,
    "ration": _check_ration,
}

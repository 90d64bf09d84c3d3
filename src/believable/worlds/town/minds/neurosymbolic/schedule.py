"""The schedule of a day: goals are inserted in the order of their windows, with travel times and
opening hours. If they do not fit, the least important one is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from believable.worlds.town.clock import STEPS_PER_MINUTE
from believable.worlds.town.map import TownMap
from believable.worlds.town.minds.neurosymbolic.goals import TownGoal

#: A goal is left out if less than this share of its time remains.
LEAST_SHARE = 0.5
#: Added to every way, for doors and delays.
SLACK_MINUTES = 2


@dataclass(frozen=True, slots=True)
class ScheduledGoal:
    """A goal with the minutes of the day when the person leaves for it, begins it and ends it."""

    goal: TownGoal
    leaves: float
    begins: float
    ends: float


@dataclass(frozen=True, slots=True)
class DaySchedule:
    """The goals of a day in order, and those that are left out with the reasons."""

    entries: tuple[ScheduledGoal, ...]
    left_out: tuple[tuple[TownGoal, str], ...] = ()


def schedule(goals: Sequence[TownGoal], town: TownMap, minute: float, building: str) -> DaySchedule:
    """Schedule the goals from this minute and building on. If a goal does not fit, the least
    important of those in its way is left out, and the goals are inserted again.
    """
    kept = list(goals)
    left_out: list[tuple[TownGoal, str]] = []
    while True:
        entries, misfit = _insert(kept, town, minute, building)
        if misfit is None:
            return DaySchedule(tuple(entries), tuple(left_out))
        goal, reason = misfit
        rivals = [
            goal,
            *(entry.goal for entry in entries if entry.goal.window[1] > goal.window[0] - 120),
        ]
        loser = min(rivals, key=lambda rival: (rival.priority, -rival.window[0]))
        kept.remove(loser)
        left_out.append((loser, reason if loser is goal else f"no time beside “{goal.text}”"))


def _insert(
    goals: Sequence[TownGoal], town: TownMap, minute: float, building: str
) -> tuple[list[ScheduledGoal], tuple[TownGoal, str] | None]:
    entries: list[ScheduledGoal] = []
    for goal in goals:
        arrives = minute + travel_minutes(town, building, goal.building)
        begins = max(arrives, goal.window[0])
        place = town.buildings[goal.building]
        if place.opens is not None and place.closes is not None and not goal.is_work:
            begins = max(begins, place.opens)
            closes: float = place.closes
        else:
            closes = goal.window[1]
        ends = min(begins + goal.minutes, goal.window[1], closes)
        if ends - begins < LEAST_SHARE * goal.minutes and not goal.is_sleep:
            late = f"{place.name} closes" if closes < goal.window[1] else "too late for it"
            return entries, (goal, late)
        entries.append(ScheduledGoal(goal, begins - (arrives - minute), begins, max(ends, begins)))
        minute, building = max(ends, begins), goal.building
    return entries, None


def travel_minutes(town: TownMap, start: str, goal: str) -> float:
    """Return the time from one building to another, at one tile a step."""
    if start == goal or start not in town.buildings:
        return 0.0 if start == goal else 5.0
    first, second = (
        next(room.id for room in town.rooms.values() if room.building == name)
        for name in (start, goal)
    )
    steps = town.distances(town.stand(second)).get(town.stand(first), 0)
    return steps / STEPS_PER_MINUTE + SLACK_MINUTES

"""Reads a recording of a town and lists what is wrong in it: five categories, with time, action and
reason.

It knows no mind and shares no code with any: it replays the log (who is where, what is open, on,
carried, taken) from the recording alone and compares with `norms.yaml`. What a recording does not
say is not judged: logs of other towns, without objects, hours or activities, are checked as far as
they go, and `TownFindings.skipped` says what could not be.

`HIDDEN` norms are known to no mind of ours; they are reported apart, so that a mind that was built
on the others can be told from one that behaves.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from believable.core.errors import NotFound, StudyError
from believable.core.registry import did_you_mean
from believable.recordings.recording import (
    UNITS_PER_TILE,
    Action,
    PlanStep,
    RecordedObject,
    Recording,
)
from believable.study.nodes import parse

CATEGORIES = (
    "goal_inconsistency",
    "environment_rule",
    "temporal",
    "social_norm",
    "control_failure",
)
#: Rule → its category. Every one of them can be planted (tests/worlds/town/planted.py).
RULES: Mapping[str, str] = {
    "serves nothing": "goal_inconsistency",
    "twice the same meal": "goal_inconsistency",
    "work elsewhere": "goal_inconsistency",
    "through a wall": "environment_rule",
    "too fast": "environment_rule",
    "not switched on": "environment_rule",
    "without what it takes": "environment_rule",
    "out of reach": "environment_rule",
    "more than fit": "environment_rule",
    "closed place": "environment_rule",
    "odd hour": "temporal",
    "odd duration": "temporal",
    "two things at once": "temporal",
    "no sleep": "temporal",
    "somebody's home": "social_norm",
    "staff only": "social_norm",
    "bathroom in use": "social_norm",
    "somebody's bed": "social_norm",
    "not paid": "social_norm",
    "talks to a sleeper": "social_norm",
    "no answer": "social_norm",
    "cannot be done": "control_failure",
    "to and fro": "control_failure",
    "idle": "control_failure",
    "again and again": "control_failure",
    "unwashed hands": "social_norm",
    "front door left open": "social_norm",
    "left switched on": "environment_rule",
    "loud in the library": "social_norm",
}
HIDDEN = frozenset(
    {"unwashed hands", "front door left open", "left switched on", "loud in the library"}
)

MINUTE_MS = 60_000
ANSWER_MS = 2 * MINUTE_MS
IDLE_MS = 30 * MINUTE_MS
MEAL_MS = 75 * MINUTE_MS
REACH_TILES = 1.6
FASTEST_TILES_PER_S = 0.35
#: Grace around an intention's time.
EARLY_MS, LATE_MS = 45 * MINUTE_MS, 90 * MINUTE_MS


@dataclass(frozen=True, slots=True)
class TownViolation:
    """Something wrong: the rule, its category, the action, when, and the reason in words. `hidden`:
    no mind knows the norm.
    """

    rule: str
    category: str
    actor: str
    t_ms: int
    action: str
    reason: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class TownFindings:
    """What was read and what is wrong. `intentions` are plan steps of level 1 that say what would
    fulfil them.
    """

    actions: int
    violations: tuple[TownViolation, ...]
    intentions: int
    fulfilled: int
    activities: int
    talks: int
    skipped: tuple[str, ...] = ()

    @property
    def per_100(self) -> float | None:
        """Violations of norms that minds may know, per 100 actions; None where there are no
        actions.
        """
        known = sum(not violation.hidden for violation in self.violations)
        return None if self.actions == 0 else 100 * known / self.actions

    @property
    def intentions_fulfilled(self) -> float | None:
        return None if self.intentions == 0 else self.fulfilled / self.intentions

    def by_category(self, *, hidden: bool = False) -> dict[str, int]:
        counts = Counter(
            violation.category for violation in self.violations if violation.hidden == hidden
        )
        return {category: counts[category] for category in CATEGORIES}


#: What an action is called in a checked recording with which nothing is wrong, and what marks a
#: norm that no mind knows.
NOTHING_WRONG, UNKNOWN_NORM = "none", "/unknown to minds"


def with_findings(recording: Recording) -> Recording:
    """The recording with the checker's word on every action (`violations`) and on every intention
    that it can tell about (`fulfilled`): what a study of it compares people's judgements with.
    """
    reader = _LogReader(recording)
    wrong: dict[str, list[str]] = defaultdict(list)
    for violation in reader.violations():
        words = f"{violation.category}/{violation.rule}{UNKNOWN_NORM if violation.hidden else ''}"
        if words not in wrong[violation.action]:
            wrong[violation.action].append(words)
    return replace(
        recording,
        actions=tuple(
            replace(action, violations="; ".join(wrong[action.id]) or NOTHING_WRONG)
            for action in recording.actions
        ),
        plans=tuple(
            replace(
                step,
                fulfilled=reader.is_fulfilled(step) if step.level == 1 and step.activity else None,
            )
            for step in recording.plans
        ),
    )


def check_town(recording: Recording, person: str | None = None) -> TownFindings:
    """Everything wrong in a recording, in the order of time; of one person, if named (the others
    are still read).
    """
    names = [actor.id for actor in recording.actors]
    if person is not None and person not in names:
        raise NotFound(f"nobody is called {person!r}. {did_you_mean(person, names)}")
    reader = _LogReader(recording)
    actions = [action for action in recording.actions if person in (None, action.actor)]
    violations = sorted(
        (violation for violation in reader.violations() if person in (None, violation.actor)),
        key=lambda violation: (violation.t_ms, violation.actor, violation.rule),
    )
    aims = [
        step
        for step in recording.plans
        if step.level == 1 and step.activity is not None and person in (None, step.actor)
    ]
    return TownFindings(
        actions=len(actions),
        violations=tuple(violations),
        intentions=len(aims),
        fulfilled=sum(map(reader.is_fulfilled, aims)),
        activities=len({action.activity for action in actions if action.activity}),
        talks=sum(action.verb == "speak" and action.refused is None for action in actions),
        skipped=tuple(reader.skipped()),
    )


@functools.cache
def _norms() -> Mapping[str, Any]:
    file = Path(__file__).with_name("norms.yaml")
    tree, problems = parse(file.read_bytes(), file.name)
    if tree is None or problems:
        raise StudyError(problems)
    norms: Mapping[str, Any] = tree.plain()
    return norms


def _norm(activity: str | None) -> Mapping[str, Any]:
    norm: Mapping[str, Any] = _norms()["activities"].get(activity, _norms()["otherwise"])
    return norm


@dataclass(slots=True)
class _LoggedPerson:
    """What one person has in the hands and last did."""

    hands: Counter[str] = field(default_factory=Counter)
    unpaid: Counter[str] = field(default_factory=Counter)
    dirty: bool = False
    last_meal_ms: int = -(10**9)
    slept_ms: int = 0
    ends_ms: int = 0


class _LogReader:
    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.places = {place.id: place for place in recording.world.places}
        self.objects = {thing.id: thing for thing in recording.world.objects}
        self.tracks = {track.actor: track for track in recording.tracks}
        self.actors = {actor.id: actor for actor in recording.actors}
        self.plans = {step.id: step for step in recording.plans}
        self.actions = sorted(recording.actions, key=lambda action: (action.t0_ms, action.t1_ms))
        self.spoken = [
            action for action in self.actions if action.verb == "speak" and action.refused is None
        ]
        timing = recording.timing
        start = datetime.fromisoformat(timing.simulated_start or "2000-01-01T00:00:00")
        self.begins_minute = start.hour * 60 + start.minute
        self.ms_per_ms = (timing.simulated_ms_per_frame or timing.frame_ms) / timing.frame_ms
        self.uses_by_object: dict[str, list[Action]] = defaultdict(list)
        for action in self.actions:
            if action.verb == "use" and action.object and action.refused is None:
                self.uses_by_object[action.object].append(action)

    def skipped(self) -> Iterator[str]:
        if not self.objects:
            yield "no objects in the recording: reach, capacity, switches and doors are not checked"
        if not any(action.activity for action in self.actions):
            yield (
                "no activities in the recording: hours, durations, meals and what they take are not"
                " checked"
            )
        if not any(place.facts for place in self.places.values()):
            yield "no facts about places: opening hours, homes and staff rooms are not checked"
        if not any(action.serves for action in self.actions):
            yield "no action says which plan step it serves: goals are not checked"
        if not any(step.activity for step in self.plans.values()):
            yield "no intention says what would fulfil it: none is counted"

    def violations(self) -> Iterator[TownViolation]:
        bodies: dict[str, _LoggedPerson] = defaultdict(_LoggedPerson)
        self.open = {thing.id for thing in self.objects.values() if thing.facts.get("open")}
        self.on: dict[str, str] = {}
        own: dict[str, list[Action]] = defaultdict(list)
        for action in self.actions:
            own[action.actor].append(action)
            for rule, reason in self._of_action(action, bodies[action.actor], own[action.actor]):
                yield self._violation(rule, action, reason)
            if action.refused is None:
                self._happens(action, bodies[action.actor])
        for actor in self.actors:
            yield from self._of_track(actor)
            yield from self._of_nights(actor)

    def _violation(
        self, rule: str, action: Action, reason: str, t_ms: int | None = None
    ) -> TownViolation:
        at = action.t0_ms if t_ms is None else t_ms
        return TownViolation(rule, RULES[rule], action.actor, at, action.id, reason, rule in HIDDEN)

    # ---------------------------------------------------------------------------------------- one
    # action

    def _of_action(
        self, action: Action, body: _LoggedPerson, own: list[Action]
    ) -> Iterator[tuple[str, str]]:
        if action.refused is not None:
            yield "cannot be done", action.refused
            return
        if action.t0_ms < body.ends_ms - 1:
            yield "two things at once", f"begins before {own[-2].text!r} has ended"
        for check in (self._goal, self._place, self._use, self._talk, self._habits):
            yield from check(action, body, own)

    def _goal(
        self, action: Action, body: _LoggedPerson, own: list[Action]
    ) -> Iterator[tuple[str, str]]:
        logs_plans = any(other.serves for other in own)
        idle = action.verb in ("wait", "speak")
        if logs_plans and not idle and (action.serves is None or action.serves not in self.plans):
            yield "serves nothing", f"{action.text!r} belongs to no step of the plan"
        if (
            action.activity == "eat"
            and action.t0_ms - body.last_meal_ms < MEAL_MS
            and self._new_bout(action, own)
        ):
            yield "twice the same meal", "the last meal ended a short time ago"
        facts = self.actors[action.actor].facts
        step = self.plans.get(action.serves or "")
        if (
            step is not None
            and step.place
            and action.verb == "use"
            and action.place
            and facts
            and step.level == 1
            and step.place == facts.get("workplace")
            and self._building(action.place) != step.place
        ):
            yield "work elsewhere", f"meant to be done in {step.place}, done in {action.place}"

    def _new_bout(self, action: Action, own: list[Action]) -> bool:
        """Whether it is not the same doing, taken up again within a few minutes."""
        same = [
            other
            for other in own[:-1]
            if other.activity == action.activity and other.object == action.object
        ]
        return not same or action.t0_ms - same[-1].t1_ms > 5 * MINUTE_MS

    def _building(self, place: str | None) -> str | None:
        known = self.places.get(place or "")
        return known.parent or known.id if known else None

    def _facts(self, place: str | None) -> Mapping[str, Any]:
        known = self.places.get(place or "")
        return known.facts if known else {}

    def _place(
        self, action: Action, body: _LoggedPerson, own: list[Action]
    ) -> Iterator[tuple[str, str]]:
        building, before = (
            self._building(action.place),
            self._building(own[-2].place) if len(own) > 1 else None,
        )
        facts = self._facts(building)
        arrives = len(own) > 1 and building != before
        if (
            before
            and arrives
            and self._facts(before).get("kind") != "home"
            and sum(body.unpaid.values())
        ):
            yield (
                "not paid",
                (
                    f"leaves {self.places[before].name} with {next(iter(body.unpaid))} that is not"
                    " paid for"
                ),
            )
        if not facts:
            return
        residents, staff = (
            str(facts.get("residents", "")).split(),
            str(facts.get("staff", "")).split(),
        )
        name = self.places[str(building)].name
        if arrives and facts.get("kind") == "home" and action.actor not in residents:
            yield "somebody's home", f"enters {name} without living there"
        minute = self._minute(action.t1_ms if action.verb == "move-to" else action.t0_ms)
        opens, closes = facts.get("opens"), facts.get("closes")
        comes = action.actor not in staff and action.verb in ("use", "pick-up")
        if comes and opens is not None and closes is not None and not opens <= minute < closes:
            yield "closed place", f"{name} is closed at that time"
        room = self._facts(action.place)
        entered = len(own) > 1 and own[-2].place != action.place
        if room.get("staff_only") and entered and action.actor not in staff:
            yield (
                "staff only",
                (
                    f"goes into the {self.places[str(action.place)].name} of {name} without working"
                    " there"
                ),
            )
        if room.get("kind") == "bathroom" and entered:
            others = [
                other
                for other in self.actors
                if other != action.actor and self._room_of(other, action.t1_ms) == action.place
            ]
            if others:
                yield "bathroom in use", f"{others[0]} is in there"

    def _use(
        self, action: Action, body: _LoggedPerson, own: list[Action]
    ) -> Iterator[tuple[str, str]]:
        thing = self.objects.get(action.object or "")
        if thing is not None and action.verb in ("use", "open", "close"):
            yield from self._reach(action, thing)
        if action.verb != "use" or action.activity is None:
            return
        norm = _norm(action.activity)
        if (
            norm.get("on")
            and thing is not None
            and thing.facts.get("switch")
            and thing.id not in self.on
        ):
            yield "not switched on", f"{thing.kind} is off"
        needs = norm.get("needs")
        if needs and body.hands[needs] < 1:
            yield "without what it takes", f"no {needs} in the hands"
        hours = norm.get("hours")
        minute = self._minute(action.t0_ms)
        if hours and not any(low <= minute < high for low, high in hours):
            yield "odd hour", f"{action.activity} at {int(minute) // 60:02d}:{int(minute) % 60:02d}"
        low, high = norm["minutes"]
        lasts = (action.t1_ms - action.t0_ms) * self.ms_per_ms / MINUTE_MS
        whole = self._new_bout(action, own) and not self._taken_up_again(action)
        if (lasts < low and whole) or lasts > high:
            yield "odd duration", f"{action.activity} for {lasts:.1f} minutes"
        if thing is None:
            return
        same = [
            other
            for other in self.uses_by_object[thing.id]
            if other is not action
            and other.actor != action.actor
            and other.t0_ms <= action.t0_ms < other.t1_ms
        ]
        if len(same) >= int(thing.facts.get("capacity", 1) or 1):
            yield "more than fit", f"{thing.kind} is used by {same[0].actor} already"
        owner = thing.facts.get("owner")
        if owner and owner != action.actor:
            yield "somebody's bed", f"it is the bed of {owner}"

    def _taken_up_again(self, action: Action) -> bool:
        """Whether the same is gone on with soon: somebody was interrupted."""
        later = [
            other
            for other in self.uses_by_object[str(action.object)]
            if other.actor == action.actor
            and other.activity == action.activity
            and other.t0_ms >= action.t1_ms
        ]
        talked = any(
            action.actor in (said.actor, said.target)
            and abs(said.t0_ms - action.t1_ms) <= ANSWER_MS
            for said in self.spoken
        )
        return talked or (bool(later) and later[0].t0_ms - action.t1_ms <= 5 * MINUTE_MS)

    def _reach(self, action: Action, thing: RecordedObject) -> Iterator[tuple[str, str]]:
        position = self._tile(action.actor, action.t0_ms)
        stand = str(thing.facts.get("stand", f"{thing.x} {thing.y}")).split()
        if (
            position is not None
            and abs(position[0] - int(stand[0])) + abs(position[1] - int(stand[1])) > REACH_TILES
        ):
            yield "out of reach", f"{thing.kind} is too far away"

    def _talk(
        self, action: Action, body: _LoggedPerson, own: list[Action]
    ) -> Iterator[tuple[str, str]]:
        if action.verb != "speak" or action.target is None:
            return
        target = action.target
        asleep = any(
            other.activity == "sleep"
            and other.actor == target
            and other.t0_ms <= action.t0_ms < other.t1_ms
            for uses in self.uses_by_object.values()
            for other in uses
        )
        if asleep:
            yield "talks to a sleeper", f"{target} is asleep"
        elif not any(
            said.actor == target
            and said.target == action.actor
            and abs(said.t0_ms - action.t0_ms) <= ANSWER_MS
            for said in self.spoken
        ):
            yield "no answer", f"{target} does not answer"
        if self._building(action.place) == "library" and len(action.text) > 0:
            staff = str(self._facts("library").get("staff", "")).split()
            if action.actor not in staff and target not in staff:
                yield "loud in the library", "talks in the reading room"

    def _habits(
        self, action: Action, body: _LoggedPerson, own: list[Action]
    ) -> Iterator[tuple[str, str]]:
        lasts = (action.t1_ms - action.t0_ms) * self.ms_per_ms
        if action.verb == "wait" and lasts > IDLE_MS:
            yield "idle", f"stands about for {lasts / MINUTE_MS:.0f} minutes"
        moves = [other for other in own[-4:] if other.verb == "move-to" and other.refused is None]
        ends = [other.object for other in moves]
        if (
            action.verb == "move-to"
            and len(ends) == 4
            and ends[:2] == ends[2:]
            and ends[0] != ends[1]
        ):
            yield "to and fro", f"goes to {moves[3].object} and back without doing anything there"
        last = own[-3:]
        alike = {(other.verb, other.object, other.target, other.text) for other in last}
        if (
            len(last) == 3
            and len(alike) == 1
            and action.verb in ("open", "close", "pick-up", "put", "speak")
        ):
            yield "again and again", f"{action.text!r} for the third time"
        if action.activity in ("cook", "prepare") and body.dirty:
            yield "unwashed hands", "prepares food after the toilet without washing hands"
        door = self.objects.get(action.object or "")
        if (
            action.verb == "move-to"
            and len(own) > 1
            and self._facts(self._building(own[-2].place)).get("kind") == "home"
        ):
            home = self._building(own[-2].place)
            if (
                action.place is None
                and home
                and f"{home}.door" in self.open
                and (door is None or door.id != f"{home}.door")
            ):
                yield "front door left open", "walks away from the open front door"
        if (
            action.verb == "move-to"
            and len(own) > 1
            and self._building(action.place) != self._building(own[-2].place)
        ):
            left = [
                key
                for key, actor in self.on.items()
                if actor == action.actor
                and self._building(self.objects[key].place) == self._building(own[-2].place)
                and self._facts(self._building(own[-2].place)).get("kind") == "home"
            ]
            if left:
                yield "left switched on", f"leaves with the {self.objects[left[0]].kind} on"

    def _happens(self, action: Action, body: _LoggedPerson) -> None:
        """The log goes on: what is open, on, carried after it."""
        body.ends_ms = max(body.ends_ms, action.t1_ms)
        if action.verb == "open":
            self.open.add(str(action.object))
        elif action.verb == "close":
            self.open.discard(str(action.object))
        elif action.verb in ("pick-up", "put"):
            kind = str(action.object).rstrip("0123456789").rstrip()
            body.hands[kind] += 1 if action.verb == "pick-up" else -1
            if action.verb == "pick-up" and self._is_goods(action):
                body.unpaid[kind] += 1
            elif action.verb == "put":
                body.unpaid.pop(kind, None)
        elif action.verb == "use":
            norm = _norm(action.activity)
            if norm.get("needs") and not norm.get("keeps"):
                body.hands[norm["needs"]] = max(0, body.hands[norm["needs"]] - 1)
            if norm.get("gives"):
                body.hands[norm["gives"]] += 1
            if action.activity == "switch_on":
                self.on[str(action.object)] = action.actor
            elif action.activity == "switch_off":
                self.on.pop(str(action.object), None)
            elif action.activity == "pay":
                body.unpaid.clear()
            elif action.activity == "eat":
                body.last_meal_ms = action.t1_ms
            elif action.activity == "toilet":
                body.dirty = True
            elif action.activity in ("wash_hands", "shower"):
                body.dirty = False

    def _is_goods(self, action: Action) -> bool:
        shelf = self.objects.get(action.target or "")
        facts = self._facts(self._building(action.place))
        staff = str(facts.get("staff", "")).split()
        return shelf is not None and shelf.kind == "display shelf" and action.actor not in staff

    # ---------------------------------------------------------------------------------------- where
    # somebody was

    def _minute(self, t_ms: float) -> float:
        """Of the day."""
        jumped = sum(
            ms
            for frame, ms in self.recording.timing.jumps
            if frame * self.recording.timing.frame_ms <= t_ms
        )
        return (self.begins_minute + (t_ms * self.ms_per_ms + jumped) / MINUTE_MS) % 1440

    def _tile(self, actor: str, t_ms: float) -> tuple[int, int] | None:
        track = self.tracks.get(actor)
        if track is None or not track.x:
            return None
        frame = min(
            max(round(t_ms / self.recording.timing.frame_ms) - track.first_frame, 0),
            len(track.x) - 1,
        )
        return track.x[frame] // UNITS_PER_TILE, track.y[frame] // UNITS_PER_TILE

    @functools.cached_property
    def _rooms(self) -> dict[tuple[int, int], str]:
        rooms: dict[tuple[int, int], str] = {}
        for place in sorted(self.places.values(), key=lambda place: place.parent is not None):
            for x, y, w, h in place.rects:
                rooms.update(
                    {
                        (column, row): place.id
                        for column in range(x, x + w)
                        for row in range(y, y + h)
                    }
                )
        return rooms

    def _room_of(self, actor: str, t_ms: float) -> str | None:
        tile = self._tile(actor, t_ms)
        return None if tile is None else self._rooms.get(tile)

    def _of_track(self, actor: str) -> Iterator[TownViolation]:
        """Steps into walls and jumps, once for each action they fall into."""
        track, timing = self.tracks.get(actor), self.recording.timing
        if track is None:
            return
        walls = self.recording.world.walls
        own = [action for action in self.actions if action.actor == actor]
        farthest = max(1.5, FASTEST_TILES_PER_S * timing.frame_ms * self.ms_per_ms / 1000)
        seen: set[tuple[str, str]] = set()
        cut = {frame for frame, _ in timing.jumps}
        for index in range(1, len(track.x)):
            if track.x[index] == track.x[index - 1] and track.y[index] == track.y[index - 1]:
                continue
            x, y = track.x[index] // UNITS_PER_TILE, track.y[index] // UNITS_PER_TILE
            dx, dy = (
                abs(track.x[index] - track.x[index - 1]),
                abs(track.y[index] - track.y[index - 1]),
            )
            frame = track.first_frame + index
            wrong = "through a wall" if walls[y][x] == "#" else ""
            if (dx + dy) / UNITS_PER_TILE > farthest and frame not in cut:
                wrong = wrong or "too fast"
            if not wrong:
                continue
            t_ms = round(frame * timing.frame_ms)
            during = [action for action in own if action.t0_ms <= t_ms <= action.t1_ms] or own[-1:]
            if during and (wrong, during[0].id) not in seen:
                seen.add((wrong, during[0].id))
                where = (
                    f"tile {x}, {y}"
                    if wrong == "through a wall"
                    else f"{(dx + dy) / UNITS_PER_TILE:.1f} tiles at once"
                )
                yield self._violation(wrong, during[0], where, t_ms)

    def _of_nights(self, actor: str) -> Iterator[TownViolation]:
        """Whole days without three hours of sleep, where the recording has activities and shows
        whole days.
        """
        if self.recording.timing.jumps or not any(action.activity for action in self.actions):
            return
        own = [action for action in self.actions if action.actor == actor]
        day_ms = 1440 * MINUTE_MS
        for day in range(int(self.recording.timing.duration_ms // day_ms)):
            low, high = day * day_ms, (day + 1) * day_ms
            slept = sum(
                max(0, min(action.t1_ms, high) - max(action.t0_ms, low))
                for action in own
                if action.activity == "sleep" and action.refused is None
            )
            if slept < 180 * MINUTE_MS and own:
                last = [action for action in own if action.t0_ms < high] or own[:1]
                yield self._violation(
                    "no sleep", last[-1], f"day {day + 1}: {slept / MINUTE_MS:.0f} minutes of sleep"
                )

    # ----------------------------------------------------------------------------------------
    # intentions

    def is_fulfilled(self, step: PlanStep) -> bool:
        """Whether its activity, or one of them, was done in its place, about its time."""
        wanted = (step.activity or "").split()
        return any(
            action.actor == step.actor
            and action.activity in wanted
            and action.refused is None
            and action.t0_ms <= step.t1_ms + LATE_MS
            and action.t1_ms >= step.t0_ms - EARLY_MS
            and (step.place is None or step.place in (action.place, self._building(action.place)))
            for action in self.actions
        )

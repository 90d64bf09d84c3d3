"""Mistakes in single actions. The state before each action follows from the log."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from believable.recordings.recording import Action
from believable.worlds.town.rule_checker.replayed_town import MINUTE_MS, ReplayedTown
from believable.worlds.town.rule_checker.rules import find_norm

ANSWER_MS = 2 * MINUTE_MS
IDLE_MS = 30 * MINUTE_MS
MEAL_MS = 75 * MINUTE_MS
#: Within this time an activity is resumed, not done again.
RESUME_MS = 12 * MINUTE_MS
#: Refusals of the same thing within this time of each other are one mistake.
EPISODE_MS = 30 * MINUTE_MS
REACH_TILES = 1.6
N_REPEATED = 3

#: Rule and reason.
Mistake = tuple[str, str]


@dataclass(slots=True, kw_only=True)
class _CheckedPerson:
    """One person's previous actions and their consequences."""

    actions: list[Action] = field(default_factory=list)
    #: Kinds of things in the hands.
    hands: Counter[str] = field(default_factory=Counter)
    #: Goods that were taken from a shelf and not paid for.
    unpaid: Counter[str] = field(default_factory=Counter)
    has_dirty_hands: bool = False
    last_meal_ms: int = -(10**9)
    #: Thing → when it was last refused.
    refused_ms: dict[str, int] = field(default_factory=dict)
    ends_ms: int = 0

    @property
    def before(self) -> Action | None:
        return self.actions[-2] if len(self.actions) > 1 else None

    def is_new(self, action: Action) -> bool:
        """Return whether this is not an earlier activity that is resumed."""
        ends = [
            other.t1_ms
            for other in self.actions[:-1]
            if (other.activity, other.object) == (action.activity, action.object)
        ]
        return not ends or action.t0_ms - ends[-1] > RESUME_MS


class ActionChecks:
    """Checks actions in the order of time."""

    def __init__(self, town: ReplayedTown) -> None:
        self._town = town
        self._people: dict[str, _CheckedPerson] = defaultdict(_CheckedPerson)
        self._open = {thing.id for thing in town.objects.values() if thing.facts.get("open")}
        #: Fixtures that are switched on → who switched them on.
        self._on: dict[str, str] = {}

    def check(self, action: Action) -> Iterator[Mistake]:
        """Find the mistakes in the next action, then apply it."""
        person = self._people[action.actor]
        person.actions.append(action)
        if action.refused is not None:
            begins = (
                action.t0_ms - person.refused_ms.get(str(action.object), -(10**12)) > EPISODE_MS
            )
            person.refused_ms[str(action.object)] = action.t0_ms
            if begins:
                yield "cannot be done", action.refused
            return
        if action.t0_ms < person.ends_ms - 1 and person.before:
            yield "two things at once", f"begins before {person.before.text!r} has ended"
        yield from self._check_goal(action, person)
        yield from self._check_place(action, person)
        yield from self._check_use(action, person)
        yield from self._check_talk(action)
        yield from self._check_control(action, person)
        yield from self._check_home(action, person)
        self._apply(action, person)

    # --------------------------------------------------------------------------------- goals

    def _check_goal(self, action: Action, person: _CheckedPerson) -> Iterator[Mistake]:
        town = self._town
        step = town.plans.get(action.serves or "")
        logs_plans = any(other.serves for other in person.actions)
        if logs_plans and step is None and action.verb not in ("wait", "speak"):
            yield "serves nothing", f"{action.text!r} belongs to no step of the plan"
        soon = action.t0_ms - person.last_meal_ms < MEAL_MS
        if action.activity == "eat" and soon and person.is_new(action):
            yield "twice the same meal", "the last meal ended a short time ago"
        workplace = town.actors[action.actor].facts.get("workplace")
        if (
            step is not None
            and step.level == 1
            and step.place
            and step.place == workplace
            and action.verb == "use"
            and action.place
            and town.building_of(action.place) != step.place
        ):
            yield "work elsewhere", f"meant to be done in {step.place}, done in {action.place}"

    # -------------------------------------------------------------------------------- places

    def _check_place(self, action: Action, person: _CheckedPerson) -> Iterator[Mistake]:
        town, before = self._town, person.before
        building = town.building_of(action.place)
        left = town.building_of(before.place) if before else None
        arrives = before is not None and building != left
        if left and arrives and not town.is_home(left) and person.unpaid.total():
            goods = _kind(next(iter(+person.unpaid)))
            yield "not paid", f"leaves {town.places[left].name} with {goods} that is not paid for"
        facts, staff = town.facts(building), town.members(building, "staff")
        if not facts:
            return
        name = town.places[str(building)].name
        residents = town.members(building, "residents")
        if arrives and town.is_home(building) and action.actor not in residents:
            yield "somebody's home", f"enters {name} without living there"
        opens, closes = facts.get("opens"), facts.get("closes")
        minute = town.minute(action.t0_ms)
        is_guest = action.actor not in staff and action.verb in ("use", "pick-up")
        if is_guest and opens is not None and closes is not None and not opens <= minute < closes:
            yield "closed place", f"{name} is closed at that time"
        if before is None or before.place == action.place:
            return
        room = town.facts(action.place)
        if room.get("staff_only") and action.actor not in staff:
            entered = town.places[str(action.place)].name
            yield "staff only", f"goes into the {entered} of {name} without working there"
        if room.get("kind") == "bathroom":
            others = (
                other
                for other in town.actors
                if other != action.actor and town.room_of(other, action.t1_ms) == action.place
            )
            if (other := next(others, None)) is not None:
                yield "bathroom in use", f"{other} is in there"

    # ------------------------------------------------------------------------------------ use

    def _check_use(self, action: Action, person: _CheckedPerson) -> Iterator[Mistake]:
        town, thing = self._town, self._town.objects.get(action.object or "")
        if thing is not None and action.verb in ("use", "open", "close"):
            tile = town.tile(action.actor, action.t0_ms)
            x, y = map(int, str(thing.facts.get("stand", f"{thing.x} {thing.y}")).split())
            if tile is not None and abs(tile[0] - x) + abs(tile[1] - y) > REACH_TILES:
                yield "out of reach", f"{thing.kind} is too far away"
        if action.verb != "use" or action.activity is None:
            return
        norm = find_norm(action.activity)
        if norm.get("on") and thing and thing.facts.get("switch") and thing.id not in self._on:
            yield "not switched on", f"{thing.kind} is off"
        needs = norm.get("needs")
        if needs and person.hands[needs] < 1:
            yield "without what it takes", f"no {needs} in the hands"
        hours, minute = norm.get("hours"), town.minute(action.t0_ms)
        if hours and not any(low <= minute < high for low, high in hours):
            clock = f"{int(minute) // 60:02d}:{int(minute) % 60:02d}"
            yield "odd hour", f"{action.activity} at {clock}"
        low, high = norm["minutes"]
        minutes = town.duration_ms(action) / MINUTE_MS
        is_short = minutes < low and person.is_new(action) and not self._is_interrupted(action)
        if is_short or minutes > high:
            yield "odd duration", f"{action.activity} for {minutes:.1f} minutes"
        if thing is None:
            return
        others = [
            other
            for other in town.uses[thing.id]
            if other.actor != action.actor and other.t0_ms <= action.t0_ms < other.t1_ms
        ]
        if len(others) >= int(thing.facts.get("capacity", 1) or 1):
            yield "more than fit", f"{thing.kind} is used by {others[0].actor} already"
        owner = thing.facts.get("owner")
        if owner and owner != action.actor:
            yield "somebody's bed", f"it is the bed of {owner}"

    def _is_interrupted(self, action: Action) -> bool:
        """Return whether a talk ended the activity, or the person resumes it soon."""
        talks = any(
            action.actor in (said.actor, said.target)
            and abs(said.t0_ms - action.t1_ms) <= ANSWER_MS
            for said in self._town.spoken
        )
        return talks or self._is_resumed(action)

    def _is_resumed(self, action: Action) -> bool:
        later = (
            other.t0_ms
            for other in self._town.uses[str(action.object)]
            if other.actor == action.actor
            and other.activity == action.activity
            and other.t0_ms >= action.t1_ms
        )
        return next(later, action.t1_ms + RESUME_MS + 1) - action.t1_ms <= RESUME_MS

    # ----------------------------------------------------------------------------------- talk

    def _check_talk(self, action: Action) -> Iterator[Mistake]:
        town, target = self._town, action.target
        if action.verb != "speak" or target is None:
            return
        if any(
            other.activity == "sleep"
            and other.actor == target
            and other.t0_ms <= action.t0_ms < other.t1_ms
            for uses in town.uses.values()
            for other in uses
        ):
            yield "talks to a sleeper", f"{target} is asleep"
        elif not any(
            said.actor == target
            and said.target == action.actor
            and abs(said.t0_ms - action.t0_ms) <= ANSWER_MS
            for said in town.spoken
        ):
            yield "no answer", f"{target} does not answer"

    # -------------------------------------------------------------------------------- control

    def _check_control(self, action: Action, person: _CheckedPerson) -> Iterator[Mistake]:
        duration_ms = self._town.duration_ms(action)
        if action.verb == "wait" and duration_ms > IDLE_MS:
            yield "idle", f"stands about for {duration_ms / MINUTE_MS:.0f} minutes"
        last = person.actions[-4:]
        walks = [a.object for a in last if a.verb == "move-to" and a.refused is None]
        if len(walks) == 4 and walks[:2] == walks[2:] and walks[0] != walks[1]:
            yield "to and fro", f"goes to {walks[3]} and back without doing anything there"
        last = last[-N_REPEATED:]
        alike = {(a.verb, a.object, a.target, a.text) for a in last}
        repeats = ("open", "close", "pick-up", "put", "speak")
        if len(last) == N_REPEATED and len(alike) == 1 and action.verb in repeats:
            yield "again and again", f"{action.text!r} for the third time"

    # ---------------------------------------------------------------------------------- home

    def _check_home(self, action: Action, person: _CheckedPerson) -> Iterator[Mistake]:
        town, before = self._town, person.before
        if action.activity in ("cook", "prepare") and person.has_dirty_hands:
            yield "unwashed hands", "prepares food after the toilet without washing hands"
        home = town.building_of(before.place) if before else None
        if action.verb != "move-to" or home is None or not town.is_home(home):
            return
        door = f"{home}.door"
        if action.place is None and door in self._open and action.object != door:
            yield "front door left open", "walks away from the open front door"
        if town.building_of(action.place) != home:
            for key, actor in self._on.items():
                thing = town.objects[key]
                if actor == action.actor and town.building_of(thing.place) == home:
                    yield "left switched on", f"leaves with the {thing.kind} on"
                    return

    # ---------------------------------------------------------------------------------- state

    def _apply(self, action: Action, person: _CheckedPerson) -> None:
        """Update doors, switches and hands after an action that happened."""
        person.ends_ms = max(person.ends_ms, action.t1_ms)
        thing = str(action.object)
        match action.verb:
            case "open":
                self._open.add(thing)
            case "close":
                self._open.discard(thing)
            case "pick-up":
                person.hands[_kind(thing)] += 1
                person.unpaid[thing] += self._is_goods(action)
            case "put":
                person.hands[_kind(thing)] = max(0, person.hands[_kind(thing)] - 1)
                person.unpaid[thing] = max(0, person.unpaid[thing] - 1)
            case "use":
                self._apply_use(action, person)

    def _apply_use(self, action: Action, person: _CheckedPerson) -> None:
        norm = find_norm(action.activity)
        needs, gives = norm.get("needs"), norm.get("gives")
        if (needs or gives) and self._is_resumed(action):
            return  # it has its effects at the end
        if needs and not norm.get("keeps"):
            person.hands[needs] = max(0, person.hands[needs] - 1)
        if gives:
            person.hands[gives] += 1
        match action.activity:
            case "switch_on":
                self._on[str(action.object)] = action.actor
            case "switch_off":
                self._on.pop(str(action.object), None)
            case "pay":
                person.unpaid.clear()
            case "eat":
                person.last_meal_ms = action.t1_ms
            case "toilet":
                person.has_dirty_hands = True
            case "wash_hands" | "shower":
                person.has_dirty_hands = False

    def _is_goods(self, action: Action) -> bool:
        """Return whether a customer takes this from a shelf."""
        shelf = self._town.objects.get(action.target or "")
        staff = self._town.members(self._town.building_of(action.place), "staff")
        return shelf is not None and shelf.kind == "display shelf" and action.actor not in staff


def _kind(thing: str) -> str:
    """Return the kind of a thing: `bread 3` is `bread`."""
    return thing.rstrip("0123456789").rstrip()

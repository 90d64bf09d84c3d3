"""What changes in the town: people, doors, things, money; and what is physically possible in it.

The world refuses what cannot be done: walking through walls and closed doors, locked doors,
reaching too far, full hands, furniture that is taken, money that is not there. It does not refuse
what is merely wrong: cooking on a cold stove, eating without a meal, walking into somebody's
bedroom, leaving without paying. Those happen, without their effects, and are logged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from believable.worlds.town.mind import (
    NEEDS,
    STEPS_PER_DAY,
    STEPS_PER_MINUTE,
    Percept,
    Persona,
    Primitive,
    PrimitiveResult,
    SeenPerson,
    SeenThing,
    TownEvent,
)
from believable.worlds.town.primitive_words import primitive_words
from believable.worlds.town.town_map import (
    STREET,
    ActivityKind,
    Fixture,
    Tile,
    TownMap,
    activities,
    distance,
    neighbours,
)

HANDS = 2
#: How far a hand reaches, how far a voice carries between two who talk, how far one sees outdoors;
#: in tiles.
REACH, TALK, SIGHT = 1, 3, 8
#: Lost per hour by everybody who is awake.
DECAY = {"energy": 0.055, "food": 0.09, "hygiene": 0.04, "company": 0.05}
#: Gained by whoever speaks or is spoken to.
COMPANY_PER_TALK = 0.03
#: Ingredients in a fridge at the start.
FRIDGE_STOCK = 14
LONGEST_MINUTES = 12 * 60
CHARACTERS_PER_STEP = 90


@dataclass(slots=True)
class TownItem:
    """A thing that can be carried: the fixture or person that has it, and whose it is."""

    kind: str
    holder: str
    owner: str | None


@dataclass(slots=True)
class OngoingPrimitive:
    primitive: Primitive
    from_step: int
    to_step: int
    way: list[Tile] = field(default_factory=list)


@dataclass(slots=True)
class TownPerson:
    x: int
    y: int
    heading: int
    needs: dict[str, float]
    money: float
    ongoing: OngoingPrimitive | None = None
    result: PrimitiveResult | None = None
    events: list[TownEvent] = field(default_factory=list)

    @property
    def tile(self) -> Tile:
        return self.x, self.y

    @property
    def activity(self) -> str | None:
        """What the person is using something for now."""
        return (
            self.ongoing.primitive.activity
            if self.ongoing and self.ongoing.primitive.verb == "use"
            else None
        )


@dataclass(frozen=True, slots=True)
class LoggedPrimitive:
    """A primitive as it happened, or was tried: `refused` says why it did not happen."""

    person: str
    from_step: int
    to_step: int
    verb: str
    object: str | None
    target: str | None
    activity: str | None
    room: str
    text: str
    serves: str | None
    refused: str | None


class TownState:
    """The town at a step. `begin` starts a primitive or refuses it, `tick` lets ten seconds
    pass.
    """

    def __init__(self, town: TownMap, people: tuple[Persona, ...]) -> None:
        self.town, self.personas = town, {persona.id: persona for persona in people}
        self.step = 0
        self.people = {persona.id: self._at_home(persona) for persona in people}
        # A bathroom's door stands open while nobody is inside.
        self.open = {f"{room.id}.door" for room in town.rooms.values() if room.kind == "bathroom"}
        self.switched_on: set[str] = set()
        self.items: dict[str, TownItem] = {}
        self.stock = {
            name: FRIDGE_STOCK
            for name, fixture in town.fixtures.items()
            if fixture.stock is not None and fixture.kind == "fridge"
        }
        self.created = 0
        self.log: list[LoggedPrimitive] = []

    def _at_home(self, persona: Persona) -> TownPerson:
        x, y = self.town.fixtures[persona.bed].stand
        return TownPerson(x, y, 90, dict.fromkeys(NEEDS, 0.7), persona.money)

    # ---------------------------------------------------------------------------------------- what
    # is seen

    def percept(self, name: str) -> Percept:
        person = self.people[name]
        room = self.town.room(person.tile)
        return Percept(
            step=self.step,
            person=name,
            room=room,
            building=self.town.building_of(room),
            x=person.x,
            y=person.y,
            people=tuple(self._seen_people(name)),
            things=tuple(self._seen_things(person, room)),
            events=tuple(person.events),
            needs=dict(person.needs),
            carried=tuple(
                self._seen_item(key, item, person)
                for key, item in self.items.items()
                if item.holder == name
            ),
            money=person.money,
            result=person.result,
        )

    def _in_sight(self, a: Tile, b: Tile) -> bool:
        rooms = self.town.room(a), self.town.room(b)
        return rooms[0] == rooms[1] and (rooms[0] != STREET or distance(a, b) <= SIGHT)

    def _seen_people(self, name: str) -> Iterator[SeenPerson]:
        me = self.people[name]
        for other, person in self.people.items():
            if other != name and self._in_sight(me.tile, person.tile):
                asleep = person.activity == "sleep"
                yield SeenPerson(
                    other,
                    self.personas[other].name,
                    self.town.room(person.tile),
                    distance(me.tile, person.tile),
                    self._doing(person),
                    asleep,
                )

    def _doing(self, person: TownPerson) -> str:
        if person.ongoing is None:
            return ""
        verb = person.ongoing.primitive.verb
        named = {"move-to": "walking", "speak": "talking", "wait": ""}
        return person.activity or named.get(verb, "busy")

    def _seen_things(self, person: TownPerson, room: str) -> Iterator[SeenThing]:
        for fixture in self.town.fixtures.values():
            if fixture.room == room:
                yield SeenThing(
                    fixture.id,
                    fixture.kind,
                    room,
                    distance(person.tile, fixture.stand),
                    self.condition(fixture),
                    self.owner_of(fixture),
                    None,
                    tuple(self.users(fixture.id)),
                    fixture.capacity,
                )
        for door in self.town.doors.values():
            near = distance(person.tile, (door.x, door.y))
            if room in door.rooms and (room != STREET or near <= SIGHT):
                state = "open" if door.id in self.open else "closed"
                yield SeenThing(door.id, "door", room, near, state, door.building, None, (), 1)
        for key, item in self.items.items():
            holder = self.town.fixtures.get(item.holder)
            if holder and holder.room == room and (not holder.holds or holder.id in self.open):
                yield self._seen_item(key, item, person)

    def _seen_item(self, key: str, item: TownItem, person: TownPerson) -> SeenThing:
        holder = self.town.fixtures.get(item.holder)
        far = 0 if holder is None else distance(person.tile, holder.stand)
        return SeenThing(
            key, item.kind, self.town.room(person.tile), far, "", item.owner, item.holder, (), 1
        )

    def condition(self, fixture: Fixture) -> str:
        if fixture.holds:
            return "open" if fixture.id in self.open else "closed"
        if fixture.switch:
            return "on" if fixture.id in self.switched_on else "off"
        return ""

    def owner_of(self, fixture: Fixture) -> str | None:
        """The building whose furniture it is; what stands under the sky is everybody's. A bed is
        its sleeper's.
        """
        for persona in self.personas.values():
            if persona.bed == fixture.id:
                return persona.id
        building = self.town.buildings[self.town.building_of(fixture.room)]
        return None if building.open_air else building.id

    def users(self, fixture: str) -> Iterator[str]:
        for name, person in self.people.items():
            ongoing = person.ongoing
            if ongoing and ongoing.primitive.verb == "use" and ongoing.primitive.object == fixture:
                yield name

    def carried(self, name: str, kind: str | None = None) -> list[str]:
        return [
            key
            for key, item in self.items.items()
            if item.holder == name and kind in (None, item.kind)
        ]

    # ---------------------------------------------------------------------------------------- what
    # is asked for

    def begin(self, name: str, primitive: Primitive) -> None:
        """Start it, or log the try with the reason why it is refused; a try takes a step."""
        person = self.people[name]
        refused = self._refusal(name, primitive)
        if refused is None:
            person.ongoing = OngoingPrimitive(
                primitive, self.step, self.step + self._steps(person, primitive)
            )
            if primitive.verb == "move-to":
                person.ongoing.way = self.town.way(person.tile, self._goal(person, primitive))
            self._start(name, primitive)
        else:
            person.ongoing = OngoingPrimitive(Primitive("wait"), self.step, self.step + 1)
            person.result = PrimitiveResult(primitive, self.step, self.step + 1, refused)
            self._write(name, primitive, self.step, self.step + 1, refused)

    def _refusal(self, name: str, primitive: Primitive) -> str | None:
        match primitive.verb:
            case "move-to":
                return self._check_move(name, primitive)
            case "open" | "close":
                return self._check_leaf(name, primitive)
            case "pick-up":
                return self._check_pick_up(name, primitive)
            case "put":
                return self._check_put(name, primitive)
            case "use":
                return self._check_use(name, primitive)
            case "speak":
                return self._check_speak(name, primitive)
            case "wait":
                return None

    def _goal(self, person: TownPerson, primitive: Primitive) -> Tile:
        """Where a walk ends: at furniture, before a door, one step from a person, in the middle of
        a room.
        """
        target = str(primitive.object)
        if target in self.people:
            other = self.people[target].tile
            sides = [
                side
                for side in neighbours(other)
                if self.town.is_free(side) and self._in_sight(side, other)
            ]
            return min(
                sides or [other],
                key=lambda side: self.town.distances(side).get(person.tile, math.inf),
            )
        if target in self.town.doors:
            door = self.town.doors[target]
            free = [side for side in neighbours((door.x, door.y)) if self.town.is_free(side)]
            sides = [
                side for side in free if primitive.target in (None, self.town.room(side))
            ] or free
            return min(sides, key=lambda side: self.town.distances(side).get(person.tile, math.inf))
        return self.town.stand(target)

    def _check_move(self, name: str, primitive: Primitive) -> str | None:
        target, person = str(primitive.object), self.people[name]
        known = target in self.people or any(
            target in kind for kind in (self.town.fixtures, self.town.doors, self.town.rooms)
        )
        if not known:
            return f"there is no {target}"
        goal = self._goal(person, primitive)
        if person.tile == goal:
            return None
        way = self.town.way(person.tile, goal)
        if not way:
            return f"there is no way to {target}"
        closed = next(
            (
                door
                for tile in way
                if (door := self.town.door_at.get(tile)) and door not in self.open
            ),
            None,
        )
        return None if closed is None else f"the door {closed} is closed"

    def _check_leaf(self, name: str, primitive: Primitive) -> str | None:
        target, person = str(primitive.object), self.people[name]
        door, fixture = self.town.doors.get(target), self.town.fixtures.get(target)
        if door is None and (fixture is None or not fixture.holds):
            return f"{target} is nothing that opens and closes"
        place = (door.x, door.y) if door else fixture.stand if fixture else person.tile
        if distance(person.tile, place) > REACH:
            return f"{target} is out of reach"
        if (target in self.open) == (primitive.verb == "open"):
            return f"{target} is {'open' if primitive.verb == 'open' else 'closed'} already"
        if door and primitive.verb == "open" and self._is_locked(name, door.building, door.outer):
            return f"{target} is locked"
        if (
            door
            and primitive.verb == "close"
            and any(other.tile == (door.x, door.y) for other in self.people.values())
        ):
            return f"somebody stands in {target}"
        return None

    def _is_locked(self, name: str, building: str, outer: bool) -> bool:
        if not outer or self.town.building_of(self.town.room(self.people[name].tile)) == building:
            return False
        persona, place = self.personas[name], self.town.buildings[building]
        if place.kind == "home":
            return persona.home != building
        return persona.workplace != building and not place.is_open(self.minute)

    def _check_pick_up(self, name: str, primitive: Primitive) -> str | None:
        wanted, person = str(primitive.object), self.people[name]
        if len(self.carried(name)) >= HANDS:
            return "both hands are full"
        item = self.items.get(wanted)
        fixture = self.town.fixtures.get(item.holder if item else str(primitive.target))
        if fixture is None:
            return f"{wanted} is not lying anywhere"
        if distance(person.tile, fixture.stand) > REACH:
            return f"{fixture.id} is out of reach"
        if fixture.holds and fixture.id not in self.open:
            return f"{fixture.id} is closed"
        if item is None and (fixture.stock != wanted or self.stock.get(fixture.id, 1) < 1):
            return f"there is no {wanted} in {fixture.id}"
        return None

    def _check_put(self, name: str, primitive: Primitive) -> str | None:
        fixture = self.town.fixtures.get(str(primitive.target))
        item = self.items.get(str(primitive.object))
        if item is None or item.holder != name:
            return f"{primitive.object} is not in the hands"
        if fixture is None:
            return f"there is no {primitive.target}"
        if distance(self.people[name].tile, fixture.stand) > REACH:
            return f"{fixture.id} is out of reach"
        return f"{fixture.id} is closed" if fixture.holds and fixture.id not in self.open else None

    def _check_use(self, name: str, primitive: Primitive) -> str | None:
        fixture = self.town.fixtures.get(str(primitive.object))
        kind = activities().get(str(primitive.activity))
        if fixture is None:
            return f"there is no {primitive.object}"
        if kind is None or fixture.kind not in kind.at:
            return f"nobody can {primitive.activity} at {fixture.id}"
        if distance(self.people[name].tile, fixture.stand) > REACH:
            return f"{fixture.id} is out of reach"
        if sum(1 for _ in self.users(fixture.id)) >= fixture.capacity:
            return f"{fixture.id} is taken"
        if kind.price > self.people[name].money:
            return f"{kind.price:g} coins are needed"
        return None

    def _check_speak(self, name: str, primitive: Primitive) -> str | None:
        other = self.people.get(str(primitive.target))
        if other is None or primitive.target == name:
            return f"there is no {primitive.target} to talk to"
        me = self.people[name]
        near = distance(me.tile, other.tile) <= TALK and self._in_sight(me.tile, other.tile)
        return None if near else f"{primitive.target} is too far away to talk to"

    # ---------------------------------------------------------------------------------------- what
    # happens

    @property
    def minute(self) -> float:
        return (self.step % STEPS_PER_DAY) / STEPS_PER_MINUTE

    def _steps(self, person: TownPerson, primitive: Primitive) -> int:
        if primitive.verb == "move-to":
            return max(1, len(self.town.way(person.tile, self._goal(person, primitive))))
        if primitive.verb == "speak":
            return max(1, math.ceil(len(primitive.text) / CHARACTERS_PER_STEP))
        if primitive.verb in ("use", "wait"):
            return max(1, round(min(primitive.minutes, LONGEST_MINUTES) * STEPS_PER_MINUTE))
        return 1

    def _start(self, name: str, primitive: Primitive) -> None:
        if primitive.verb == "speak":
            event = TownEvent(self.step, "spoke", name, primitive.target, primitive.text)
            self._tell(name, event)
            for talker in (name, str(primitive.target)):
                self._gain(self.people[talker], "company", COMPANY_PER_TALK)

    def _tell(self, name: str, event: TownEvent) -> None:
        for other, person in self.people.items():
            if other != name and self._in_sight(self.people[name].tile, person.tile):
                person.events.append(event)

    def tick(self) -> None:
        """Ten seconds pass: walkers walk, needs change, what is over ends."""
        self.step += 1
        for name, person in self.people.items():
            self._live(person)
            ongoing = person.ongoing
            if ongoing is None:
                continue
            if (
                ongoing.primitive.verb == "move-to"
                and ongoing.way
                and not self._walk(name, person, ongoing)
            ):
                self.end(name, cut=True)
            elif self.step >= ongoing.to_step:
                self.end(name, cut=False)

    def _live(self, person: TownPerson) -> None:
        kind = activities().get(person.activity or "")
        hours = 1 / (60 * STEPS_PER_MINUTE)
        for need, loss in DECAY.items():
            asleep = person.activity == "sleep"
            self._gain(person, need, -loss * hours * (0.3 if asleep else 1.0))
        if kind is not None and person.ongoing is not None and self._works(person, kind):
            for need, gain in kind.gives.items():
                self._gain(person, need, gain * hours)
            person.money += kind.wage * hours

    def _works(self, person: TownPerson, kind: ActivityKind) -> bool:
        """Whether the activity has its effects: what it needs is in the hands, and the furniture is
        switched on.
        """
        ongoing = person.ongoing
        name = next(key for key, other in self.people.items() if other is person)
        has = kind.takes is None or bool(self.carried(name, kind.takes))
        return has and (
            kind.state is None
            or (ongoing is not None and ongoing.primitive.object in self.switched_on)
        )

    def _gain(self, person: TownPerson, need: str, amount: float) -> None:
        person.needs[need] = round(min(1.0, max(0.0, person.needs[need] + amount)), 9)

    def _walk(self, name: str, person: TownPerson, ongoing: OngoingPrimitive) -> bool:
        x, y = ongoing.way[0]
        if self.town.door_at.get((x, y), "") not in {"", *self.open}:
            return False
        room = self.town.room(person.tile)
        person.heading = round(math.degrees(math.atan2(y - person.y, x - person.x))) % 360
        person.x, person.y = x, y
        del ongoing.way[0]
        after = self.town.room(person.tile)
        if after != room and after != STREET:
            self._tell(name, TownEvent(self.step, "arrived", name, room=after))
        return True

    def end(self, name: str, *, cut: bool) -> None:
        """What is going on ends: its effects, its line in the log."""
        person = self.people[name]
        ongoing = person.ongoing
        if ongoing is None:
            return
        person.ongoing = None
        primitive = ongoing.primitive
        if (
            person.result is not None
            and person.result.refused is not None
            and person.result.from_step == ongoing.from_step
        ):
            return  # a try that was refused: logged when it was made
        after = self._effects(name, primitive, ongoing, cut=cut)
        self._write(name, after, ongoing.from_step, self.step, None)
        person.result = PrimitiveResult(after, ongoing.from_step, self.step, None, cut)

    def _effects(
        self, name: str, primitive: Primitive, ongoing: OngoingPrimitive, *, cut: bool
    ) -> Primitive:
        target = str(primitive.object)
        if primitive.verb == "open":
            self.open.add(target)
        elif primitive.verb == "close":
            self.open.discard(target)
        elif primitive.verb == "pick-up":
            return self._pick_up(name, primitive)
        elif primitive.verb == "put":
            self.items[target].holder = str(primitive.target)
            fixture = self.town.fixtures[str(primitive.target)]
            if fixture.id in self.stock and self.items[target].kind == fixture.stock:
                self.stock[fixture.id] += 1
                del self.items[target]
        elif primitive.verb == "use" and not cut:
            self._used(name, activities()[str(primitive.activity)], self.town.fixtures[target])
        elif primitive.verb == "use":
            kind = activities()[str(primitive.activity)]
            shortest = kind.minutes[0] * STEPS_PER_MINUTE / 2
            if self.step - ongoing.from_step >= shortest:
                self._used(name, kind, self.town.fixtures[target])
        return primitive

    def _pick_up(self, name: str, primitive: Primitive) -> Primitive:
        wanted = str(primitive.object)
        if wanted not in self.items:
            fixture = self.town.fixtures[str(primitive.target)]
            if fixture.id in self.stock:
                self.stock[fixture.id] -= 1
            building = self.town.building_of(fixture.room)
            mine = building in (self.personas[name].home, self.personas[name].workplace)
            wanted = self._create(wanted, name, name if mine else building)
        holder = self.items[wanted].holder
        self.items[wanted].holder = name
        return replace(
            primitive, object=wanted, target=primitive.target if primitive.target else holder
        )

    def _create(self, kind: str, holder: str, owner: str | None) -> str:
        self.created += 1
        key = f"{kind} {self.created}"
        self.items[key] = TownItem(kind, holder, owner)
        return key

    def _used(self, name: str, kind: ActivityKind, fixture: Fixture) -> None:
        person = self.people[name]
        person.money -= kind.price
        has = self.carried(name, kind.takes) if kind.takes else []
        works = (not kind.takes or bool(has)) and (
            kind.state is None or fixture.id in self.switched_on
        )
        if kind.turns == "on":
            self.switched_on.add(fixture.id)
        elif kind.turns == "off":
            self.switched_on.discard(fixture.id)
        if kind.name == "pay":
            for key in self.carried(name):
                if self.items[key].owner == self.town.building_of(fixture.room):
                    self.items[key].owner = name
        if not works:
            return
        if has and not kind.keeps:
            del self.items[has[0]]
        if kind.makes is not None and len(self.carried(name)) < HANDS:
            self._create(kind.makes, name, name)

    def _write(
        self, name: str, primitive: Primitive, from_step: int, to_step: int, refused: str | None
    ) -> None:
        text = primitive.words or primitive_words(primitive, self.town, self.personas)
        line = LoggedPrimitive(
            name,
            from_step,
            to_step,
            primitive.verb,
            primitive.object,
            primitive.target,
            primitive.activity,
            self.town.room(self.people[name].tile),
            f"tries: {text}" if refused else text,
            primitive.serves,
            refused,
        )
        self.log.append(line)

    # ---------------------------------------------------------------------------------------- kept
    # and restored

    def stored(self) -> dict[str, Any]:
        """Everything as JSON values, but the log."""
        return {
            "step": self.step,
            "people": {name: asdict(person) for name, person in self.people.items()},
            "open": sorted(self.open),
            "on": sorted(self.switched_on),
            "items": {key: asdict(item) for key, item in self.items.items()},
            "stock": self.stock,
            "created": self.created,
        }

    def restore(self, tree: Mapping[str, Any]) -> None:
        self.step, self.created, self.stock = tree["step"], tree["created"], dict(tree["stock"])
        self.open, self.switched_on = set(tree["open"]), set(tree["on"])
        self.items = {key: TownItem(**item) for key, item in tree["items"].items()}
        self.people = {name: _person(person) for name, person in tree["people"].items()}


def _person(tree: Mapping[str, Any]) -> TownPerson:
    ongoing, result = tree["ongoing"], tree["result"]
    values = dict(tree)
    if ongoing is not None:
        way = [(x, y) for x, y in ongoing["way"]]
        values["ongoing"] = OngoingPrimitive(
            **{**ongoing, "primitive": Primitive(**ongoing["primitive"]), "way": way}
        )
    if result is not None:
        values["result"] = PrimitiveResult(
            **{**result, "primitive": Primitive(**result["primitive"])}
        )
    values["events"] = [TownEvent(**event) for event in tree["events"]]
    return TownPerson(**values)

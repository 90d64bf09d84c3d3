"""The changing part of the town: people, doors, switches, things, stock and the log."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from believable.worlds.town import checkpoint
from believable.worlds.town.clock import minute_of_day
from believable.worlds.town.map import STREET, Fixture, Tile, TownMap, distance, neighbours
from believable.worlds.town.mind import NEEDS, Persona, Primitive, PrimitiveResult, TownEvent

HANDS = 2
#: How far people reach, talk, and see outdoors; in tiles.
REACH, TALK, SIGHT = 1, 3, 8
#: Ingredients in a fridge at the start.
FRIDGE_STOCK = 14


@dataclass(slots=True)
class TownItem:
    """A portable thing. `holder` is the fixture or person that has it."""

    kind: str
    holder: str
    owner: str | None


@dataclass(slots=True)
class OngoingPrimitive:
    primitive: Primitive
    from_step: int
    to_step: int
    way: list[Tile] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
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
    def using(self) -> Primitive | None:
        """The `use` under way."""
        primitive = self.ongoing.primitive if self.ongoing else None
        return primitive if primitive and primitive.verb == "use" else None

    @property
    def activity(self) -> str | None:
        return self.using.activity if self.using else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedPrimitive:
    """A primitive that happened, or was refused for a reason. `said` is the spoken text."""

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
    said: str


class TownState:
    """The town at a step."""

    SAVED = ("step", "people", "open", "switched_on", "items", "stock", "created", "log")
    step: int
    people: dict[str, TownPerson]
    open: set[str]
    switched_on: set[str]
    items: dict[str, TownItem]
    stock: dict[str, int]
    created: int
    log: list[LoggedPrimitive]

    def __init__(self, town: TownMap, people: tuple[Persona, ...]) -> None:
        self.town, self.personas = town, {persona.id: persona for persona in people}
        self.step = 0
        self.people = {persona.id: self._wake_up(persona) for persona in people}
        self.open = set(town.bathroom_doors)
        self.switched_on = set()
        self.items = {}
        self.stock = {
            name: FRIDGE_STOCK
            for name, fixture in town.fixtures.items()
            if fixture.stock is not None and fixture.kind == "fridge"
        }
        self.created = 0
        self.log = []

    def _wake_up(self, persona: Persona) -> TownPerson:
        x, y = self.town.fixtures[persona.bed].stand
        return TownPerson(
            x=x, y=y, heading=90, needs=dict.fromkeys(NEEDS, 0.7), money=persona.money
        )

    def save(self) -> dict[str, Any]:
        return checkpoint.save(self, self.SAVED)

    def restore(self, tree: Mapping[str, Any]) -> None:
        checkpoint.restore(self, tree)

    @property
    def minute(self) -> float:
        return minute_of_day(self.step)

    def are_in_sight(self, a: Tile, b: Tile) -> bool:
        room = self.town.room(a)
        return room == self.town.room(b) and (room != STREET or distance(a, b) <= SIGHT)

    def is_near(self, name: str, tile: Tile) -> bool:
        """Return whether a person reaches this tile."""
        return distance(self.people[name].tile, tile) <= REACH

    def is_shut(self, fixture: Fixture) -> bool:
        """Return whether a fixture has to be opened before things are taken out or put in."""
        return fixture.holds and fixture.id not in self.open

    def condition(self, fixture: Fixture) -> str:
        if fixture.holds:
            return "open" if fixture.id in self.open else "closed"
        if fixture.switch:
            return "on" if fixture.id in self.switched_on else "off"
        return ""

    def owner_of(self, fixture: Fixture) -> str | None:
        """Return the sleeper of a bed, or the building of other furniture. Furniture in the open
        air has no owner.
        """
        for persona in self.personas.values():
            if persona.bed == fixture.id:
                return persona.id
        building = self.town.buildings[self.town.building_of(fixture.room)]
        return None if building.open_air else building.id

    def users(self, fixture: str) -> Iterator[str]:
        for name, person in self.people.items():
            if person.using and person.using.object == fixture:
                yield name

    def find_carried(self, name: str, kind: str | None = None) -> list[str]:
        return [
            key
            for key, item in self.items.items()
            if item.holder == name and kind in (None, item.kind)
        ]

    def destination(self, name: str, primitive: Primitive) -> Tile:
        """Return the last tile of a walk: at a fixture, next to a door or a person, or in the
        middle of a room.
        """
        target, start = str(primitive.object), self.people[name].tile
        if target in self.people:
            other = self.people[target].tile
            sides = [side for side in self._free_sides(other) if self.are_in_sight(side, other)]
            sides = sides or [other]
        elif target in self.town.doors:
            door = self.town.doors[target]
            free = self._free_sides((door.x, door.y))
            asked = [side for side in free if primitive.target in (None, self.town.room(side))]
            sides = asked or free
        else:
            return self.town.stand(target)
        return min(sides, key=lambda side: self.town.distances(side).get(start, math.inf))

    def _free_sides(self, tile: Tile) -> list[Tile]:
        return [side for side in neighbours(tile) if self.town.is_free(side)]

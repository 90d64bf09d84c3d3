"""The sentences of the log."""

from __future__ import annotations

from collections.abc import Mapping

from believable.worlds.town.map import STREET, TownMap, activities
from believable.worlds.town.mind import Persona, Primitive


def describe_primitive(primitive: Primitive, town: TownMap, people: Mapping[str, Persona]) -> str:
    """`walks to the stove`, `takes the bread`, `says to Ben: …`."""
    thing = name_thing(primitive.object, town, people)
    target = name_thing(primitive.target, town, people)
    match primitive.verb:
        case "move-to":
            return f"walks to {thing}"
        case "open" | "close":
            return f"{primitive.verb}s {thing}"
        case "pick-up":
            return f"takes {thing}"
        case "put":
            return f"puts {thing} on {target}"
        case "use":
            kind = activities().get(str(primitive.activity))
            return f"{kind.en if kind else primitive.activity}, {thing}"
        case "speak":
            return f"says to {target}: “{primitive.text}”"
        case "wait":
            return "waits"


def name_thing(name: str | None, town: TownMap, people: Mapping[str, Persona]) -> str:
    """Return a name that people understand for the thing, room or person with this id."""
    if name is None:
        return "nothing"
    if name in people:
        return people[name].first_name
    if name in town.fixtures:
        return f"the {town.fixtures[name].kind}"
    if name in town.doors:
        door = town.doors[name]
        inner = next((town.rooms[room] for room in door.rooms if room != STREET), None)
        if door.outer or inner is None:
            return f"the front door, {town.buildings[door.building].name}"
        return f"the door of the {town.rooms[name.removesuffix('.door')].name}"
    if name in town.rooms:
        room = town.rooms[name]
        building = town.buildings[room.building].name
        return building if building.lower() == room.name.lower() else f"the {room.name}, {building}"
    return f"the {name.rstrip('0123456789').rstrip()}"

"""Grounding: from a task in the model's words to a building, a room, and the use of furniture."""

from __future__ import annotations

from dataclasses import dataclass

from believable.worlds.town.map import STREET, Fixture, TownMap, activities, distance
from believable.worlds.town.mind import Percept, Persona, Primitive
from believable.worlds.town.minds.generative.asking import Asker


@dataclass(frozen=True, slots=True)
class GroundedTask:
    """A task as furniture and activity."""

    fixture: str
    activity: str
    room: str


def ground(
    asker: Asker,
    persona: Persona,
    town: TownMap,
    about: str,
    percept: Percept,
    activity: str,
    task: str,
) -> GroundedTask | None:
    """Ask where and how a task is done; None if an answer could not be read or nothing there can
    be used.
    """
    first = persona.first_name
    current_place = (
        "the street"
        if percept.building == STREET
        else _name_building(percept.building, persona, town)
    )
    values = {
        "about": about,
        "person": persona.name,
        "place": current_place,
        "activity": activity,
        "task": task,
    }
    focus = f"{first} means to {activity}: {task}"
    buildings = [
        name
        for name, place in town.buildings.items()
        if place.kind != "home" or name == persona.home
    ]
    options = [_name_building(name, persona, town) for name in buildings]
    chosen = asker.choose("building", values, options, focus)
    if chosen is None:
        return None
    building = buildings[chosen]
    values = {**values, "place": options[chosen]}
    rooms = [
        name for name, room in town.rooms.items() if room.building == building and _uses(town, name)
    ]
    if not rooms:
        return None
    room_number = asker.choose(
        "room", values, [_describe_room(name, town) for name in rooms], focus
    )
    if room_number is None:
        return None
    uses = _uses(town, rooms[room_number])
    use_number = asker.choose("object", values, list(uses), task)
    if use_number is None:
        return None
    fixtures, name = list(uses.values())[use_number]
    own = [fixture for fixture in fixtures if fixture.id == persona.bed]
    nearest = min(
        own or fixtures, key=lambda fixture: (distance(percept.tile, fixture.stand), fixture.id)
    )
    return GroundedTask(nearest.id, name, rooms[room_number])


def _name_building(building: str, persona: Persona, town: TownMap) -> str:
    first = persona.first_name
    if building == persona.home:
        return f"{first}'s home"
    name = f"the {town.buildings[building].name}"
    return f"{name}, where {first} works" if building == persona.workplace else name


def _describe_room(room: str, town: TownMap) -> str:
    kinds = dict.fromkeys(
        fixture.kind for fixture in town.fixtures.values() if fixture.room == room
    )
    return f"the {town.rooms[room].name}, with {', '.join(kinds)}"


def _uses(town: TownMap, room: str) -> dict[str, tuple[list[Fixture], str]]:
    """Map descriptions of the uses of a room to their furniture and activity."""
    uses: dict[str, tuple[list[Fixture], str]] = {}
    for fixture in town.fixtures.values():
        if fixture.room == room:
            for kind in activities().values():
                if fixture.kind in kind.at:
                    uses.setdefault(f"{kind.en} at the {fixture.kind}", ([], kind.name))[0].append(
                        fixture
                    )
    return uses


def primitives_for(
    task: GroundedTask, town: TownMap, percept: Percept, minutes: float, serves: str
) -> list[Primitive]:
    """Plan to walk there and use it. Needed things are fetched first if the building has them in
    stock.
    """
    kind = activities()[task.activity]
    queue: list[Primitive] = []
    if kind.takes is not None and not percept.carries(kind.takes):
        building = town.rooms[task.room].building
        store = next(
            (
                fixture
                for fixture in town.fixtures.values()
                if fixture.stock == kind.takes and town.rooms[fixture.room].building == building
            ),
            None,
        )
        if store is not None:
            queue.append(Primitive(verb="move-to", object=store.id, serves=serves))
            if store.holds:
                queue.append(Primitive(verb="open", object=store.id, serves=serves))
            queue.append(
                Primitive(verb="pick-up", object=kind.takes, target=store.id, serves=serves)
            )
    queue.append(Primitive(verb="move-to", object=task.fixture, serves=serves))
    queue.append(
        Primitive(
            verb="use", object=task.fixture, activity=task.activity, minutes=minutes, serves=serves
        )
    )
    return queue

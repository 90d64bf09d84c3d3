"""From a task in words to an action in the town: the building, the part of it, the furniture and
its use, asked in turn.
"""

from __future__ import annotations

from dataclasses import dataclass

from believable.worlds.town.generative.asking import Asker
from believable.worlds.town.mind import Percept, Persona, Primitive
from believable.worlds.town.town_map import STREET, Fixture, TownMap, activities, distance


@dataclass(frozen=True, slots=True)
class GroundedTask:
    """What a task means in the town."""

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
    """Where and with what a task is done; None where an answer could not be read, or nothing is
    there to be used.
    """
    first = persona.name.partition(" ")[0]
    current_place = (
        "the street"
        if percept.building == STREET
        else building_words(percept.building, persona, town)
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
    options = [building_words(name, persona, town) for name in buildings]
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
    room_number = asker.choose("room", values, [_room_words(name, town) for name in rooms], focus)
    if room_number is None:
        return None
    uses = _uses(town, rooms[room_number])
    use_number = asker.choose("object", values, list(uses), task)
    if use_number is None:
        return None
    fixtures, name = list(uses.values())[use_number]
    own = [fixture for fixture in fixtures if fixture.id == persona.bed]
    nearest = min(
        own or fixtures,
        key=lambda fixture: (distance((percept.x, percept.y), fixture.stand), fixture.id),
    )
    return GroundedTask(nearest.id, name, rooms[room_number])


def building_words(building: str, persona: Persona, town: TownMap) -> str:
    first = persona.name.partition(" ")[0]
    if building == persona.home:
        return f"{first}'s home"
    name = f"the {town.buildings[building].name}"
    return f"{name}, where {first} works" if building == persona.workplace else name


def _room_words(room: str, town: TownMap) -> str:
    kinds = dict.fromkeys(
        fixture.kind for fixture in town.fixtures.values() if fixture.room == room
    )
    return f"the {town.rooms[room].name}, with {', '.join(kinds)}"


def _uses(town: TownMap, room: str) -> dict[str, tuple[list[Fixture], str]]:
    """What can be done in a room, in words, with the furniture for it and the activity's name."""
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
    """Walk there and use it; what it takes is fetched first where the same building has it in
    stock.
    """
    kind = activities()[task.activity]
    queue: list[Primitive] = []
    if kind.takes is not None and all(thing.kind != kind.takes for thing in percept.carried):
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
            queue.append(Primitive("move-to", store.id, serves=serves))
            if store.holds:
                queue.append(Primitive("open", store.id, serves=serves))
            queue.append(Primitive("pick-up", kind.takes, target=store.id, serves=serves))
    queue.append(Primitive("move-to", task.fixture, serves=serves))
    queue.append(
        Primitive("use", task.fixture, activity=task.activity, minutes=minutes, serves=serves)
    )
    return queue

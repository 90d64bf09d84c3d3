"""A person's knowledge of the town and of themselves, as text for prompts."""

from __future__ import annotations

from collections.abc import Sequence

from believable.worlds.town.affordances import uses_in
from believable.worlds.town.clock import clock_text
from believable.worlds.town.map import STREET, TownBuilding, TownMap, activities
from believable.worlds.town.mind import Percept, Persona


def describe_place(building: str, persona: Persona, town: TownMap) -> str:
    """Name a building as the person does."""
    if building == STREET:
        return "the street"
    if building == persona.home:
        return f"{persona.first_name}'s home"
    return f"the {town.buildings[building].name}"


def describe_hours(building: TownBuilding) -> str:
    if building.opens is None or building.closes is None:
        return "always open"
    return f"open {clock_text(building.opens)} to {clock_text(building.closes)}"


def describe_life(persona: Persona, people: Sequence[Persona], town: TownMap) -> str:
    """Write where the person lives and works, and when."""
    housemates = [other.first_name for other in people if other.home == persona.home]
    shared = ", ".join(name for name in housemates if name != persona.first_name)
    first = persona.first_name
    return (
        f"{first} lives in {town.buildings[persona.home].name}"
        f"{f' with {shared}' if shared else ' alone'}, works as {persona.role} at the"
        f" {town.buildings[persona.workplace].name} from {clock_text(persona.work_from)} to"
        f" {clock_text(persona.work_to)}, usually gets up at {clock_text(persona.wakes)} and goes"
        f" to bed at {clock_text(persona.sleeps)}."
    )


def describe_situation(persona: Persona, town: TownMap, percept: Percept, failure: str = "") -> str:
    """Write the time, the place with its furniture, the hands, and the last thing that failed."""
    first = persona.first_name
    place = describe_place(percept.building, persona, town)
    room = town.rooms[percept.room].name if percept.room in town.rooms else ""
    inside = f"{room}, " if room and room.lower() not in place.lower() else ""
    states = {f"the {thing.kind} is {thing.state}" for thing in percept.things if thing.state}
    hands = ", ".join(f"{thing.kind}" for thing in percept.carried) or "nothing"
    sentences = [
        f"It is {percept.clock} on day {percept.day + 1}.",
        f"{first} is in {inside}{place}, has {hands} in the hands and {percept.money:.0f} coins.",
        f"Here {', '.join(sorted(states))}." if states else "",
        f"What {first} tried last did not work: {failure}." if failure else "",
    ]
    return " ".join(filter(None, sentences))


def list_uses(persona: Persona, town: TownMap) -> tuple[str, ...]:
    """Return a line for each building with its hours and everything the person can do there."""
    lines = []
    for building in town.buildings.values():
        if building.kind == "home" and building.id != persona.home:
            continue
        uses = [
            f"{use.text} ({_needs(use.activity)})" if _needs(use.activity) else use.text
            for use in uses_in(town, building.id, persona)
        ]
        name = use_place(building.id, persona, town)
        lines.append(f"@ {name} ({describe_hours(building)}): {'; '.join(uses)}")
    return tuple(lines)


def use_place(building: str, persona: Persona, town: TownMap) -> str:
    return "home" if building == persona.home else town.buildings[building].name


def use_texts(persona: Persona, town: TownMap) -> dict[str, tuple[str, str]]:
    """Map `use @ place` to activity and building."""
    return {
        f"{use.text} @ {use_place(building.id, persona, town)}": (use.activity, building.id)
        for building in town.buildings.values()
        if building.kind != "home" or building.id == persona.home
        for use in uses_in(town, building.id, persona)
    }


def _needs(activity: str) -> str:
    kind = activities()[activity]
    parts = [
        f"takes {kind.takes}" if kind.takes and not kind.keeps else "",
        f"makes {kind.makes}" if kind.makes else "",
        f"{kind.price:g} coins" if kind.price else "",
        f"{kind.minutes[0]}–{kind.minutes[1]} min",
    ]
    return ", ".join(filter(None, parts))

"""What a person notices, in words. The paper's agents notice all that is near; in the released code
the eight nearest within eight tiles of the same room, and nothing that was among the last eight
noticed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from believable.worlds.town.generative.memory_retrieval import Variant
from believable.worlds.town.mind import Percept, Persona, SeenPerson, TownEvent
from believable.worlds.town.town_map import STREET, TownMap, activities

VISION, ATTENTION, RETENTION = 8, 8, 8


@dataclass(frozen=True, slots=True)
class Observation:
    """Something noticed. `person` is who it is about, where it is about somebody; `fixture` what,
    where about a thing.
    """

    text: str
    keywords: tuple[str, ...]
    person: str | None = None
    fixture: str | None = None


def observations(
    percept: Percept, town: TownMap, variant: Variant, recent: Sequence[str]
) -> list[Observation]:
    """What is new among what is in sight, the nearest first. `recent` are the texts noticed before,
    the last one last.
    """
    noticed: list[tuple[int, Observation]] = []
    for person in percept.people:
        text = f"{person.name} is {doing_words(person)} {_place(person.room, town)}"
        noticed.append((person.distance, Observation(text, (person.name,), person=person.id)))
    for thing in percept.things:
        if thing.state == "on":
            text = f"the {thing.kind} is on {_place(thing.room, town)}"
            noticed.append((thing.distance, Observation(text, (thing.kind,), fixture=thing.id)))
    noticed.sort(key=lambda entry: entry[0])
    if variant == "released":
        noticed = [entry for entry in noticed if entry[0] <= VISION][:ATTENTION]
    known = set(recent[-RETENTION:])
    return [observation for _, observation in noticed if observation.text not in known]


def heard(event: TownEvent, people: Mapping[str, Persona]) -> Observation | None:
    """What was said, as a memory; comings and goings are seen, not heard."""
    if event.kind != "spoke" or event.target is None:
        return None
    speaker, listener = people[event.person].name, people[event.target].name
    return Observation(
        f"{speaker} said to {listener}: {event.text}", (speaker, listener), person=event.person
    )


def doing_words(person: SeenPerson) -> str:
    if person.asleep:
        return "sleeping"
    kind = activities().get(person.doing)
    return kind.en if kind else person.doing or "idle"


def _place(room: str, town: TownMap) -> str:
    if room == STREET:
        return "in the street"
    place = town.rooms[room]
    return f"in the {place.name}, {town.buildings[place.building].name}"

"""Observations: sights and speech as sentences.

In the paper, agents notice everything near them. In the released code they notice the eight nearest
within eight tiles of the same room, and nothing that is among their last eight observations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from believable.worlds.town.map import STREET, TownMap, activities
from believable.worlds.town.mind import Percept, Persona, SeenPerson, TownEvent
from believable.worlds.town.minds.generative.retrieval import Variant

VISION, ATTENTION, RETENTION = 8, 8, 8


@dataclass(frozen=True, slots=True)
class Observation:
    """An observation of a person or of a fixture."""

    text: str
    keywords: tuple[str, ...]
    person: str | None = None
    fixture: str | None = None


def observations(
    percept: Percept, town: TownMap, variant: Variant, recent: Sequence[str]
) -> list[Observation]:
    """Return the new observations, the nearest first. `recent` are earlier texts, the oldest
    first.
    """
    noticed: list[tuple[int, Observation]] = []
    for person in percept.people:
        text = f"{person.name} is {describe_doing(person)} {_place(person.room, town)}"
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
    """Return the observation of something said; None for other events."""
    if event.kind != "spoke" or event.target is None:
        return None
    speaker, listener = people[event.person].name, people[event.target].name
    return Observation(
        f"{speaker} said to {listener}: {event.text}", (speaker, listener), person=event.person
    )


def describe_doing(person: SeenPerson) -> str:
    if person.asleep:
        return "sleeping"
    kind = activities().get(person.doing)
    return kind.en if kind else person.doing or "idle"


def _place(room: str, town: TownMap) -> str:
    if room == STREET:
        return "in the street"
    place = town.rooms[room]
    return f"in the {place.name}, {town.buildings[place.building].name}"

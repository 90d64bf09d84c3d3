"""The percept of a person: people, furniture, doors and things in sight."""

from __future__ import annotations

from collections.abc import Iterator

from believable.worlds.town.map import STREET, distance
from believable.worlds.town.mind import Percept, SeenPerson, SeenThing
from believable.worlds.town.state import SIGHT, TownPerson, TownState


def look_around(state: TownState, name: str) -> Percept:
    """Return the percept of a person."""
    person = state.people[name]
    room = state.town.room(person.tile)
    return Percept(
        step=state.step,
        person=name,
        room=room,
        building=state.town.building_of(room),
        x=person.x,
        y=person.y,
        people=tuple(_see_people(state, name)),
        things=tuple(_see_things(state, person, room)),
        events=tuple(person.events),
        needs=dict(person.needs),
        carried=tuple(_see_item(state, key, person) for key in state.find_carried(name)),
        money=person.money,
        result=person.result,
    )


def _see_people(state: TownState, name: str) -> Iterator[SeenPerson]:
    me = state.people[name]
    for other, person in state.people.items():
        if other != name and state.are_in_sight(me.tile, person.tile):
            yield SeenPerson(
                id=other,
                name=state.personas[other].name,
                room=state.town.room(person.tile),
                distance=distance(me.tile, person.tile),
                doing=_describe(person),
                asleep=person.activity == "sleep",
            )


def _describe(person: TownPerson) -> str:
    if person.ongoing is None:
        return ""
    by_verb = {"move-to": "walking", "speak": "talking", "wait": ""}
    return person.activity or by_verb.get(person.ongoing.primitive.verb, "busy")


def _see_things(state: TownState, person: TownPerson, room: str) -> Iterator[SeenThing]:
    for fixture in state.town.fixtures.values():
        if fixture.room == room:
            yield SeenThing(
                id=fixture.id,
                kind=fixture.kind,
                room=room,
                distance=distance(person.tile, fixture.stand),
                state=state.condition(fixture),
                owner=state.owner_of(fixture),
                holder=None,
                users=tuple(state.users(fixture.id)),
                capacity=fixture.capacity,
            )
    for door in state.town.doors.values():
        near = distance(person.tile, (door.x, door.y))
        if room in door.rooms and (room != STREET or near <= SIGHT):
            yield SeenThing(
                id=door.id,
                kind="door",
                room=room,
                distance=near,
                state="open" if door.id in state.open else "closed",
                owner=door.building,
                holder=None,
                users=(),
                capacity=1,
            )
    for key, item in state.items.items():
        holder = state.town.fixtures.get(item.holder)
        if holder and holder.room == room and not state.is_shut(holder):
            yield _see_item(state, key, person)


def _see_item(state: TownState, key: str, person: TownPerson) -> SeenThing:
    item = state.items[key]
    holder = state.town.fixtures.get(item.holder)
    return SeenThing(
        id=key,
        kind=item.kind,
        room=state.town.room(person.tile),
        distance=0 if holder is None else distance(person.tile, holder.stand),
        state="",
        owner=item.owner,
        holder=item.holder,
        users=(),
        capacity=1,
    )

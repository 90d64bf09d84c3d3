"""What can be done where, and by whom: an activity fits furniture, the kind of building, and the
role of the person. The world refuses what furniture and building do not offer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from believable.worlds.town.map import ActivityKind, Fixture, TownMap, activities
from believable.worlds.town.mind import Persona

#: The body switches furniture on and off itself.
SWITCHES = ("switch_on", "switch_off")


@dataclass(frozen=True, slots=True)
class OfferedUse:
    """An activity that a person can do in a building, and its name among the others there."""

    building: str
    activity: str
    text: str


def offers(town: TownMap, fixture: Fixture, kind: ActivityKind) -> bool:
    """Return whether the furniture serves this activity."""
    building = town.buildings[town.building_of(fixture.room)]
    fits = fixture.kind in kind.at and (not kind.places or building.kind in kind.places)
    return fits and not (kind.public and town.rooms[fixture.room].staff)


def may_use(town: TownMap, fixture: Fixture, kind: ActivityKind, persona: Persona) -> bool:
    """Return whether the furniture offers this to the person."""
    room = town.rooms[fixture.room]
    works_here = room.building == persona.workplace
    if not offers(town, fixture, kind) or (room.staff and not works_here):
        return False
    return not kind.roles or (works_here and persona.role in kind.roles)


def uses_in(town: TownMap, building: str, persona: Persona) -> Iterator[OfferedUse]:
    """Yield everything that the person can do in a building, in the order of `activities.yaml`."""
    fixtures = [f for f in town.fixtures.values() if town.building_of(f.room) == building]
    for kind in activities().values():
        fitting = [f for f in fixtures if may_use(town, f, kind, persona)]
        if fitting and kind.name not in SWITCHES:
            yield OfferedUse(building, kind.name, _describe(kind, fitting[0]))


def _describe(kind: ActivityKind, fixture: Fixture) -> str:
    """Name the activity. `it` is the furniture."""
    return kind.en.replace(" it", f" the {fixture.kind}") if " it" in kind.en else kind.en

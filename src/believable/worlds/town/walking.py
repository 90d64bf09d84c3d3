"""How people get around. All minds share this: their people walk alike and open doors alike."""

from __future__ import annotations

from collections.abc import Callable, Collection

from believable.worlds.town.map import Tile, TownMap, distance
from believable.worlds.town.mind import Percept, Primitive


def next_leg(
    town: TownMap,
    percept: Percept,
    target: str,
    goal: Tile,
    closed: Collection[str],
    *,
    stops_behind: Callable[[str, str], bool] = lambda door, beyond: False,
) -> Primitive | None:
    """Return the next part of a way: to the first door that is believed to be closed, its opening,
    or the rest of the way. None if the person has arrived.

    If `stops_behind` is true for an open door and the room beyond it, the person stops there to
    close it.
    """
    if percept.tile == goal:
        return None
    way = town.way(percept.tile, goal)
    for number, tile in enumerate(way):
        door = town.door_at.get(tile)
        if door is None:
            continue
        if door in closed:
            if distance(percept.tile, tile) <= 1:
                return Primitive(verb="open", object=door)
            before = way[number - 1] if number else percept.tile
            return Primitive(verb="move-to", object=door, target=town.room(before))
        beyond = town.room(way[number + 1] if number + 1 < len(way) else goal)
        if stops_behind(door, beyond):
            return Primitive(verb="move-to", object=door, target=beyond)
    return Primitive(verb="move-to", object=target)


def assume_closed(town: TownMap) -> set[str]:
    """Return the doors that a person believes to be closed before they have seen any."""
    return set(town.doors) - town.bathroom_doors


def update_closed(closed: set[str], percept: Percept) -> None:
    """Correct the beliefs by the doors in sight, and by the door that stopped the last walk."""
    for thing in percept.things:
        if thing.kind == "door":
            (closed.add if thing.state == "closed" else closed.discard)(thing.id)
    refused = percept.result.refused if percept.result else None
    if refused is not None and refused.code == "door_closed":
        closed.add(refused.object)

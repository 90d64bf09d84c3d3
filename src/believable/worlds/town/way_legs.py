"""How anybody gets from here to there: the next part of a way, with the doors on it. The bodies of
all minds walk alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from believable.worlds.town.mind import Percept, Primitive
from believable.worlds.town.town_map import Tile, TownMap, distance


def next_leg(
    town: TownMap,
    percept: Percept,
    target: str,
    goal: Tile,
    closed: Collection[str],
    *,
    stops_behind: Callable[[str, str], bool] = lambda door, beyond: False,
) -> Primitive | None:
    """To the first door believed closed, open it, or on to the target; None when there.

    `stops_behind` says of an open door and the room beyond it whether to stop there, to close it.
    """
    tile_now = (percept.x, percept.y)
    if tile_now == goal:
        return None
    way = town.way(tile_now, goal)
    for number, tile in enumerate(way):
        door = town.door_at.get(tile)
        if door is None:
            continue
        before = way[number - 1] if number else tile_now
        if door in closed:
            if distance(tile_now, tile) <= 1:
                return Primitive("open", door)
            return Primitive("move-to", door, town.room(before))
        beyond = way[number + 1] if number + 1 < len(way) else goal
        if stops_behind(door, town.room(beyond)):
            return Primitive("move-to", door, town.room(beyond))
    return Primitive("move-to", target)


def believed_closed(closed: set[str], percept: Percept) -> set[str]:
    """What somebody believes of doors after a look around, and after a way that was barred."""
    believed = set(closed)
    for thing in percept.things:
        if thing.kind == "door":
            (believed.add if thing.state == "closed" else believed.discard)(thing.id)
    refused = percept.result.refused if percept.result else None
    if refused and refused.startswith("the door ") and refused.endswith(" is closed"):
        believed.add(refused.removeprefix("the door ").removesuffix(" is closed"))
    return believed

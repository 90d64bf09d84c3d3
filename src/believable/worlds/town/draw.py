"""A town seen from above: buildings in soft colours with their names, people with a day of their
own.
"""

from __future__ import annotations

from believable.recordings.recording import UNITS_PER_TILE, Place, Recording, Track
from believable.recordings.scene import Scene, Shape, Sprite, tile_rects
from believable.worlds.town.town_looks import FLOOR, LAWN, figure, floor, furniture, streets, walls

BUILDINGS = ("#dfe7d5", "#e9dfd0", "#d8e3ea", "#e8d9dc", "#e3dfee", "#dce8e4")
#: Places under the sky, by their names.
GROUNDS = {"Park": "#bcd8a4", "Garden": "#c9dba4", "Square": "#dfd5c1"}
#: Kept free around the town.
RIM_TILES = 3


def draw(recording: Recording) -> Scene:
    world = recording.world
    outer = [place for place in world.places if place.parent is None]
    inner = [
        place
        for place in world.places
        if place.parent is not None and place.name.title() not in GROUNDS
    ]
    furnished = bool(world.objects)
    ground = [
        *(streets(world, outer) if furnished else ()),
        *(
            shape
            for number, place in enumerate(outer)
            for shape in _area(
                place,
                GROUNDS.get(place.name, FLOOR if furnished else BUILDINGS[number % len(BUILDINGS)]),
            )
        ),
        *(
            shape
            for place in inner
            for shape in (floor(place) if furnished else _area(place, "#ffffff59"))
        ),
        *walls(world.walls),
        *furniture(world.objects),
        *(_name(place) for place in outer),
    ]
    acting = {action.actor for action in recording.actions}
    sprites = tuple(
        Sprite(
            actor=actor.id,
            shapes=figure(number, ringed=len(recording.actors) > 1 and acting == {actor.id}),
            label=actor.name.partition(" ")[0],
            bubbles=("speech", "emoji", "activity", "asleep"),
        )
        for number, actor in enumerate(recording.actors)
    )
    left, top, right, bottom = _bounds(recording)
    return Scene(right - left, bottom - top, LAWN, tuple(ground), sprites, left=left, top=top)


def _bounds(recording: Recording) -> tuple[int, int, int, int]:
    """The part of the map where there is anything, with room for names: maps have wide empty
    rims.
    """
    world = recording.world
    rects = [
        *tile_rects(world.walls, "#"),
        *(rect for place in world.places for rect in place.rects),
    ]
    walked = [
        (x // UNITS_PER_TILE, y // UNITS_PER_TILE, 1, 1)
        for track in recording.tracks
        for x, y in _ends(track)
    ]
    boxes = [*rects, *walked]
    return (
        max(0, min(x for x, _, _, _ in boxes) - RIM_TILES),
        max(0, min(y for _, y, _, _ in boxes) - RIM_TILES),
        min(world.width, max(x + w for x, _, w, _ in boxes) + RIM_TILES),
        min(world.height, max(y + h for _, y, _, h in boxes) + RIM_TILES),
    )


def _ends(track: Track) -> list[tuple[int, int]]:
    """The corners of the box an actor stayed in."""
    return [(min(track.x), min(track.y)), (max(track.x), max(track.y))] if track.x else []


def _area(place: Place, fill: str) -> list[Shape]:
    return [Shape("rect", fill, x, y, w, h) for x, y, w, h in place.rects]


def _name(place: Place) -> Shape:
    """The name across the building's upper edge, as large as its width allows; left out where it
    would be wider.
    """
    left = min(x for x, _, _, _ in place.rects)
    right = max(x + w for x, _, w, _ in place.rects)
    top = min(y for _, y, _, _ in place.rects)
    size = min(1.1, 1.9 * (right - left) / max(len(place.name), 1))
    return Shape(
        "text", "#39434f", (left + right) / 2, top - 0.5, w=right - left, text=place.name, size=size
    )

"""A town seen from above: buildings in soft colours with their names, and people."""

from __future__ import annotations

from believable.recordings.recording import UNITS_PER_TILE, Place, Recording, Track
from believable.recordings.scene import Scene, Shape, Sprite, tile_rects
from believable.worlds.town.looks import FLOOR, LAWN, figure, floor, furniture, streets, walls

BUILDINGS = ("#dfe7d5", "#e9dfd0", "#d8e3ea", "#e8d9dc", "#e3dfee", "#dce8e4")
#: Open places, by their names.
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
    return Scene(
        width=right - left,
        height=bottom - top,
        background=LAWN,
        ground=tuple(ground),
        sprites=sprites,
        left=left,
        top=top,
    )


def _bounds(recording: Recording) -> tuple[int, int, int, int]:
    """Return the part of the map that is not empty, with room for names."""
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
    """Return two corners of the box that contains a track."""
    return [(min(track.x), min(track.y)), (max(track.x), max(track.y))] if track.x else []


def _area(place: Place, fill: str) -> list[Shape]:
    return [Shape(kind="rect", fill=fill, x=x, y=y, w=w, h=h) for x, y, w, h in place.rects]


def _name(place: Place) -> Shape:
    """Return the name across the upper edge of a building, as large as its width allows."""
    left = min(x for x, _, _, _ in place.rects)
    right = max(x + w for x, _, w, _ in place.rects)
    top = min(y for _, y, _, _ in place.rects)
    size = min(1.1, 1.9 * (right - left) / max(len(place.name), 1))
    return Shape(
        kind="text",
        fill="#39434f",
        x=(left + right) / 2,
        y=top - 0.5,
        w=right - left,
        text=place.name,
        size=size,
    )

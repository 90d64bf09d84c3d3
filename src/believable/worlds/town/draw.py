"""A town seen from above: buildings in soft colours with their names, people as round tokens with a day of their own."""

from __future__ import annotations

from believable.recordings.recording import UNITS_PER_TILE, Place, RecordedObject, Recording, Track
from believable.recordings.scene import Scene, Shape, Sprite, tile_rects

BUILDINGS = ("#dfe7d5", "#e9dfd0", "#d8e3ea", "#e8d9dc", "#e3dfee", "#dce8e4")
#: Places under the sky, by their names.
GROUNDS = {"Park": "#cfe3bf", "Garden": "#d6e4b8", "Square": "#e4dccb"}
#: Kept free around the town.
RIM_TILES = 3
#: Kind of furniture → colour and share of its tile; what is not named is drawn in wood.
FURNITURE = {
    "bed": ("#b9c6de", 0.9), "shower": ("#9fc5d6", 0.8), "toilet": ("#f7f7f4", 0.6), "basin": ("#dfe9ec", 0.6),
    "fridge": ("#e9ecee", 0.8), "stove": ("#5d6166", 0.8), "oven": ("#5d6166", 0.9), "sink": ("#b8c8cf", 0.7),
    "coffee machine": ("#6d4c3d", 0.6), "sofa": ("#a8798a", 0.85), "computer": ("#48525c", 0.6), "till": ("#48525c", 0.6),
    "piano": ("#2e2a28", 0.95), "stage": ("#9b6b43", 1.0), "notice board": ("#c9a15f", 0.8), "flower bed": ("#d98aa6", 0.8),
    "pond": ("#86b6d6", 1.0), "fountain": ("#8fc1de", 1.0), "tree": ("#5f9153", 0.95), "bench": ("#8a6a48", 0.7),
    "door": ("#c08a4e", 0.9),
}  # fmt: skip
WOOD = ("#b58f66", 0.75)
ROUND = ("tree", "flower bed", "toilet", "basin", "fountain")
PEOPLE = ("#c8553d", "#2f6690", "#5b8c5a", "#8f5aa8", "#c48a1b", "#3c6e71")


def draw(recording: Recording) -> Scene:
    world = recording.world
    outer = [place for place in world.places if place.parent is None]
    inner = [place for place in world.places if place.parent is not None]
    ground = [
        *(
            shape
            for number, place in enumerate(outer)
            for shape in _area(place, GROUNDS.get(place.name, BUILDINGS[number % len(BUILDINGS)]))
        ),
        *(shape for place in inner if place.name.title() not in GROUNDS for shape in _area(place, "#ffffff59")),
        *(Shape("rect", "#a3ad9b", x, y, w, h) for x, y, w, h in tile_rects(world.walls, "#")),
        *(_furniture(thing) for thing in world.objects),
        *(_name(place) for place in outer),
    ]
    sprites = tuple(
        Sprite(
            actor=actor.id,
            shapes=(
                Shape("circle", "#00000026", 0.06, 0.1, r=0.62, turns=False),
                Shape("circle", PEOPLE[number % len(PEOPLE)], r=0.58),
                Shape("circle", "#ffffff", 0.3, -0.2, r=0.13),
                Shape("circle", "#ffffff", 0.3, 0.2, r=0.13),
            ),
            label=actor.name.partition(" ")[0],
            bubbles=("speech", "emoji", "activity", "asleep"),
        )
        for number, actor in enumerate(recording.actors)
    )
    left, top, right, bottom = _bounds(recording)
    return Scene(right - left, bottom - top, "#f3f1ea", tuple(ground), sprites, left=left, top=top)


def _bounds(recording: Recording) -> tuple[int, int, int, int]:
    """The part of the map where there is anything, with room for names: maps have wide empty rims."""
    world = recording.world
    rects = [*tile_rects(world.walls, "#"), *(rect for place in world.places for rect in place.rects)]
    walked = [(x // UNITS_PER_TILE, y // UNITS_PER_TILE, 1, 1) for track in recording.tracks for x, y in _ends(track)]
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


def _furniture(thing: RecordedObject) -> Shape:
    fill, share = FURNITURE.get(thing.kind, WOOD)
    if thing.kind in ROUND:
        return Shape("circle", fill, thing.x + 0.5, thing.y + 0.5, r=share / 2)
    rim = (1 - share) / 2
    return Shape("rect", fill, thing.x + rim, thing.y + rim, share, share)


def _name(place: Place) -> Shape:
    """The name across the building's upper edge, as large as its width allows; left out where it would be wider."""
    left = min(x for x, _, _, _ in place.rects)
    right = max(x + w for x, _, w, _ in place.rects)
    top = min(y for _, y, _, _ in place.rects)
    size = min(1.1, 1.9 * (right - left) / max(len(place.name), 1))
    return Shape("text", "#39434f", (left + right) / 2, top - 0.5, w=right - left, text=place.name, size=size)

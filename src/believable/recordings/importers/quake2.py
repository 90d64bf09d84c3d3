"""A Quake II demo as a recording: movements, pickups, shots and losses, ten times a second.

The demo has no message about inventories. It is derived: the pickups since the last death, by the
text of the status bar and by the player's own pickup sounds. The place itself is not in a demo,
only where figures were: the map is drawn from that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from believable.core.errors import InvalidInput
from believable.recordings.importers.dm2 import read_dm2
from believable.recordings.importers.dm2_records import (
    CS_PLAYERSKINS,
    FRAME_HZ,
    Quake2Demo,
    Quake2Frame,
)
from believable.recordings.recording import (
    UNITS_PER_TILE,
    Action,
    Actor,
    RecordedWorld,
    Recording,
    Scalar,
    Timing,
    Track,
)

#: Map units on each side of a tile of the recording.
UNITS = 64
#: Where the status bar shows what.
HEALTH, AMMUNITION, ARMOUR, PICKUP_ICON, PICKUP_WORDS, FRAGS = 1, 3, 5, 7, 8, 14
#: Ways of moving: 2 and 3 are dead, 4 is motionless between two games.
DEAD, FROZEN = (2, 3), 4
#: The model number of other players.
FIGURE = 255
#: The sounds of the player's pickups that the status bar does not name.
PICKUP_SOUNDS: Mapping[str, str] = {
    "misc/w_pkup.wav": "weapon",
    "misc/am_pkup.wav": "ammunition",
    "misc/ar1_pkup.wav": "armour",
    "misc/ar2_pkup.wav": "Armor Shard",
    "misc/ar3_pkup.wav": "armour",
    "items/s_health.wav": "Health",
    "items/n_health.wav": "Health",
    "items/m_health.wav": "Health",
    "items/l_health.wav": "Health",
    "items/pkup.wav": "item",
}
#: When the game returns taken items: armour after 20 seconds, everything else after 30.
RESPAWN_MS: Mapping[str, int] = {
    **dict.fromkeys(("Jacket Armor", "Combat Armor", "Body Armor", "Armor Shard"), 20_000),
    **dict.fromkeys(
        ("Health", "Bullets", "Shells", "Rockets", "Grenades", "Slugs", "Cells"), 30_000
    ),
}
_JUMP = "*jump1.wav"


@dataclass(frozen=True, slots=True)
class DemoEvent:
    """Something the player did: `verb` is pick-up, jump, shoot or die; `what` the item picked
    up.
    """

    frame: int
    verb: str
    what: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedDemo:
    """The recording, and the player's actions in it."""

    recording: Recording
    level: str
    events: tuple[DemoEvent, ...]

    def count(self, verb: str) -> int:
        return sum(event.verb == verb for event in self.events)


def import_demo(path: Path) -> ImportedDemo:
    """The demo in a file, or an error that names the file and the offset."""
    try:
        demo = read_dm2(path.read_bytes())
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error
    events = tuple(demo_events(demo))
    return ImportedDemo(_recording(demo, events), demo.level, events)


def demo_events(demo: Quake2Demo) -> Iterator[DemoEvent]:
    """The player's actions, frame by frame."""
    words, alive = 0, True
    for number, frame in enumerate(demo.frames):
        stats = frame.player.stats
        own = [
            demo.sound_name(sound.sound)
            for sound in frame.sounds
            if sound.entity == demo.player_entity
        ]
        named = demo.item_name(stats[PICKUP_WORDS]) if stats[PICKUP_WORDS] != words else None
        words = stats[PICKUP_WORDS]
        yield from _pickups(
            number, named, demo.item_name(words), [name for name in own if name in PICKUP_SOUNDS]
        )
        for _ in range(own.count(_JUMP)):
            yield DemoEvent(number, "jump")
        for _ in (flash for flash in frame.flashes if flash.entity == demo.player_entity):
            yield DemoEvent(number, "shoot")
        if alive and frame.player.move_type in DEAD:
            yield DemoEvent(number, "die")
        alive = frame.player.move_type not in DEAD


def _pickups(
    frame: int, named: str | None, shown: str | None, sounds: list[str]
) -> Iterator[DemoEvent]:
    """The status bar shows the last of several things picked up at once; a sound without new text
    is one more of the displayed item if the sound matches it; else only its kind is known.
    """
    for place, sound in enumerate(sounds):
        last = place == len(sounds) - 1
        kind = PICKUP_SOUNDS[sound]
        yield DemoEvent(frame, "pick-up", (shown or kind) if last else kind)
    if named is not None and not sounds:
        yield DemoEvent(frame, "pick-up", named)


def carried_pickups(demo: Quake2Demo, events: tuple[DemoEvent, ...]) -> list[frozenset[str]]:
    """The player's pickups since the last death, in each frame."""
    by_frame: dict[int, list[DemoEvent]] = {}
    for event in events:
        by_frame.setdefault(event.frame, []).append(event)
    have: frozenset[str] = frozenset()
    held = []
    for number, frame in enumerate(demo.frames):
        picked = [
            event.what
            for event in by_frame.get(number, [])
            if event.verb == "pick-up" and event.what
        ]
        have = frozenset() if frame.player.move_type in DEAD else have | frozenset(picked)
        held.append(have)
    return held


# ----------------------------------------------------------------------------------------------
# recording


def _recording(demo: Quake2Demo, events: tuple[DemoEvent, ...]) -> Recording:
    left, top, width, height = _surface(demo.frames)

    def across(x: float) -> int:
        return round((x / UNITS - left) * UNITS_PER_TILE)

    def down(y: float) -> int:
        return round((top - y / UNITS) * UNITS_PER_TILE)

    frames = demo.frames
    own = Track(
        actor="player",
        x=tuple(across(frame.player.origin[0]) for frame in frames),
        y=tuple(down(frame.player.origin[1]) for frame in frames),
        heading=tuple(round(-frame.player.view_angles[1]) % 360 for frame in frames),
    )
    actors, tracks = [Actor("player", _name(demo, demo.player_entity), "mover")], [own]
    for entity in sorted({number for frame in frames for number in _figures(demo, frame)}):
        seen = {
            number: frame.entities[entity]
            for number, frame in enumerate(frames)
            if entity in _figures(demo, frame)
        }
        first = min(seen)
        places = [seen[first]]
        for number in range(first + 1, len(frames)):
            places.append(
                seen.get(number, places[-1])
            )  # out of sight it stays at its last seen position
        actors.append(Actor(f"other-{entity}", _name(demo, entity), "mover"))
        xs, ys = (
            tuple(across(place.origin[0]) for place in places),
            tuple(down(place.origin[1]) for place in places),
        )
        tracks.append(
            Track(
                actor=f"other-{entity}",
                x=xs,
                y=ys,
                heading=tuple(round(-place.angles[1]) % 360 for place in places),
                first_frame=first,
            )
        )
    frame_ms = 1000 // FRAME_HZ
    actions = tuple(
        Action(
            id=f"a{n}",
            actor="player",
            t0_ms=event.frame * frame_ms,
            t1_ms=(event.frame + 1) * frame_ms,
            verb=event.verb,
            object=event.what,
            text=_words(event),
        )
        for n, event in enumerate(events)
    )
    provenance: dict[str, Scalar] = {
        "format": "dm2",
        "protocol": 34,
        "level": demo.level,
        "game": demo.game,
    }
    provenance |= {f"respawn_ms {item}": time for item, time in RESPAWN_MS.items()}
    return Recording(
        world=RecordedWorld(
            kind="arena", width=width, height=height, walls=_walls(tracks, width, height)
        ),
        actors=tuple(actors),
        timing=Timing(frame_ms=frame_ms, frames=len(frames)),
        tracks=tuple(tracks),
        actions=actions,
        telemetry=_telemetry(demo, events),
        provenance=provenance,
    )


def _figures(demo: Quake2Demo, frame: Quake2Frame) -> list[int]:
    return [
        n
        for n, entity in frame.entities.items()
        if entity.model == FIGURE and n != demo.player_entity
    ]


def _name(demo: Quake2Demo, entity: int) -> str:
    return (
        demo.strings.get(CS_PLAYERSKINS + entity - 1, "").partition("\\")[0] or f"player {entity}"
    )


def _words(event: DemoEvent) -> str:
    return (
        f"picks up {event.what}"
        if event.verb == "pick-up"
        else {"jump": "jumps", "shoot": "shoots", "die": "dies"}[event.verb]
    )


def _surface(frames: list[Quake2Frame]) -> tuple[int, int, int, int]:
    """Left column, upper edge, width and height in tiles: the area that was entered, and a tile
    around it.
    """
    points = [frame.player.origin for frame in frames]
    points += [
        entity.origin
        for frame in frames
        for entity in frame.entities.values()
        if entity.model == FIGURE
    ]
    xs, ys = [int(x // UNITS) for x, _, _ in points], [int(y // UNITS) for _, y, _ in points]
    left, top = min(xs) - 1, max(ys) + 2
    return left, top, max(xs) - left + 2, top - min(ys) + 1


def _walls(tracks: list[Track], width: int, height: int) -> tuple[str, ...]:
    """Tiles are free if a player was there, and the tiles around it."""
    been = {
        (x // UNITS_PER_TILE + dx, y // UNITS_PER_TILE + dy)
        for track in tracks
        for x, y in set(zip(track.x, track.y, strict=True))
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
    }
    return tuple(
        "".join("." if (column, row) in been else "#" for column in range(width))
        for row in range(height)
    )


def _telemetry(demo: Quake2Demo, events: tuple[DemoEvent, ...]) -> dict[str, tuple[Scalar, ...]]:
    frames = demo.frames
    verbs: dict[int, list[str]] = {}
    for event in events:
        verbs.setdefault(event.frame, []).append(event.verb)
    numbers = {"health": HEALTH, "ammunition": AMMUNITION, "armour": ARMOUR, "frags": FRAGS}
    columns: dict[str, tuple[Scalar, ...]] = {
        name: tuple(frame.player.stats[place] for frame in frames)
        for name, place in numbers.items()
    }
    columns["z"] = tuple(frame.player.origin[2] for frame in frames)
    for number, axis in enumerate("xyz"):
        columns[f"velocity_{axis}"] = tuple(frame.player.velocity[number] for frame in frames)
    columns["yaw"] = tuple(round(frame.player.view_angles[1], 2) for frame in frames)
    columns["pitch"] = tuple(round(frame.player.view_angles[0], 2) for frame in frames)
    columns["weapon"] = tuple(_weapon(demo.model_name(frame.player.gun_index)) for frame in frames)
    columns["alive"] = tuple(frame.player.move_type not in (*DEAD, FROZEN) for frame in frames)
    columns["carried"] = tuple(
        ", ".join(sorted(held)) or None for held in carried_pickups(demo, events)
    )
    columns["events"] = tuple(
        " ".join(verbs.get(number, [])) or None for number in range(len(frames))
    )
    return columns


def _weapon(model: str) -> str | None:
    """`models/weapons/v_rail/tris.md2` is the railgun at hand."""
    return model.removeprefix("models/weapons/v_").partition("/")[0] if model else None

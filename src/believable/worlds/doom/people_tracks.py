"""People's demos of deathmatches as tracks, one for each player, and tracks as recordings.

`dsda-doom` plays a demo again and exports a "ghost": positions, angles and sprite frames, tic by
tic. Tracks of all demos can also be given as one CSV file. Pickups are not in either: a player who
touches an item that is there takes it, by the engine's rule, and it returns after half a minute.
Health and armour are not known, so healthy players take more here than in the demo.
"""

from __future__ import annotations

import csv
import gzip
import io
import struct
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from believable.core.errors import InvalidInput
from believable.recordings.recording import (
    Action,
    Actor,
    RecordedWorld,
    Recording,
    Scalar,
    State,
    Timing,
    Track,
)
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_recording import FRAME_MS
from believable.worlds.doom.doom_round import PLAYER, DoomSetup
from believable.worlds.doom.floor_plan import TILE_UNITS
from believable.worlds.doom.game_map import FREEDM, GameMap
from believable.worlds.doom.items import RESPAWN_S, SLOTS
from believable.worlds.doom.led_round import Booleans, Floats

#: Columns of a file of tracks. Others are not read.
COLUMNS = ("demo", "map", "player", "tic", "x", "y", "z", "angle_deg", "frame", "firing", "buttons")
#: A ghost: version and number of players, then for each tic and player position, angle, sprite,
#: frame, map, episode, and time.
_GHOST, _GHOST_TIC, _GHOST_VERSION = struct.Struct("<2i"), struct.Struct("<9i"), 2
_FIXED, _TURN = 65536.0, 2.0**32
#: A sprite is bright while its weapon fires; the rest is its frame.
_BRIGHT, _FRAMES = 0x8000, 0x7FFF
#: Frames of a player's sprite in which it dies or is dead.
_DYING, _GONE = 7, 22
_USE = 2
_KNOWN_MAPS = frozenset(("MAP06", "MAP09", "MAP18", "MAP21"))
#: A player touches an item whose middle is nearer than this, to both sides: both radii.
TOUCH_UNITS = 36.0
#: The weapons that all players begin with.
_BEGINNERS = (1, 2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PersonTrack:
    """One player of a demo, tic by tic: units, degrees counterclockwise from the east."""

    demo: str
    map: str
    player: int
    x: Floats
    y: Floats
    z: Floats
    angle_deg: Floats
    dead: Booleans
    firing: Booleans
    use: Booleans

    @property
    def name(self) -> str:
        return f"{self.demo}-{self.player + 1}"

    @property
    def tics(self) -> int:
        return len(self.x)


def tracks_of_ghost(
    data: bytes, demo: str, place: str, used: Sequence[Booleans]
) -> list[PersonTrack]:
    """The players of a ghost; `used` says in which tics each pressed the button for doors."""
    version, players = _GHOST.unpack_from(data) if len(data) >= _GHOST.size else (0, 0)
    body = data[_GHOST.size :]
    if version != _GHOST_VERSION or not 0 < players <= 4 or len(used) != players:
        raise InvalidInput(
            f"{demo}: expected a ghost of version {_GHOST_VERSION} of {len(used)} players, got"
            f" version {version} of {players}. Export it with dsda-doom 0.25."
        )
    tics = len(body) // (_GHOST_TIC.size * players)
    table = np.frombuffer(body, "<i4", tics * players * 9).reshape(tics, players, 9)
    return [
        _track(
            demo,
            place,
            player,
            np.column_stack([table[:, player, :3] / _FIXED, _degrees(table[:, player, 3])]),
            frames=table[:, player, 5] & _FRAMES,
            firing=(table[:, player, 5] & _BRIGHT) > 0,
            use=_pad(used[player], tics),
        )
        for player in range(players)
    ]


def _degrees(angles: np.ndarray[tuple[int], np.dtype[np.int32]]) -> Floats:
    return np.asarray(angles.astype(np.float64) * 360 / _TURN % 360)


def _pad(pressed: Booleans, tics: int) -> Booleans:
    found = np.zeros(tics, bool)
    found[: min(tics, len(pressed))] = pressed[:tics]
    return found


def _track(
    demo: str,
    place: str,
    player: int,
    ways: Floats,
    *,
    frames: np.ndarray[tuple[int], np.dtype[np.int32]],
    firing: Booleans,
    use: Booleans,
) -> PersonTrack:
    x, y, z, angle = ways.T
    return PersonTrack(
        demo=demo,
        map=place,
        player=player,
        x=np.round(x, 2),
        y=np.round(y, 2),
        z=np.round(z, 2),
        angle_deg=np.round(angle, 2),
        dead=(frames >= _DYING) & (frames <= _GONE),
        firing=firing,
        use=use,
    )


def read_tracks(file: Path) -> list[PersonTrack]:
    """The tracks of a CSV file, packed (`.gz`) or not."""
    data = file.read_bytes()
    text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8")
    rows = csv.reader(io.StringIO(text))
    header = next(rows, [])
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise InvalidInput(
            f"{file}: no columns {', '.join(missing)}. Expected {', '.join(COLUMNS)}."
        )
    at = [header.index(name) for name in COLUMNS]
    tracks = []
    for (demo, place, player), own in groupby(
        ([row[index] for index in at] for row in rows), key=lambda row: tuple(row[:3])
    ):
        try:
            table = np.array([row[3:] for row in own], float)
        except ValueError as error:
            raise InvalidInput(
                f"{file}: {demo}, player {player}: {error}. Expected numbers."
            ) from None
        tics, frames, buttons = table[:, 0], table[:, 5].astype(int), table[:, 7].astype(int)
        if not (np.diff(tics) == 1).all():
            raise InvalidInput(
                f"{file}: {demo}, player {player}: tics are missing or not in order."
            )
        tracks.append(
            _track(
                demo,
                place,
                int(player),
                table[:, 1:5],
                frames=frames & _FRAMES,
                firing=table[:, 6] > 0,
                use=(buttons & _USE) > 0,
            )
        )
    return tracks


def is_deathmatch(track: PersonTrack) -> bool:
    """Whether we have the map of a track: one of FreeDM, on which people fight people."""
    return track.demo.startswith(FREEDM) and track.map in _KNOWN_MAPS


@dataclass(frozen=True, slots=True)
class TakenItem:
    """An item that a player took in a tic: its number in the map's list."""

    tic: int
    item: int


def items_taken(tracks: Sequence[PersonTrack], place: GameMap) -> list[list[TakenItem]]:
    """What each player of one demo took. Who touches first takes it; of several in the same tic,
    the first one in the list."""
    there = np.array([item[1:] for item in place.items], float).reshape(-1, 2)
    absent_until = np.zeros(len(there))
    taken: list[list[TakenItem]] = [[] for _ in tracks]
    touched = [
        (np.abs(track.x[:, None] - there[:, 0]) < TOUCH_UNITS)
        & (np.abs(track.y[:, None] - there[:, 1]) < TOUCH_UNITS)
        & ~track.dead[:, None]
        for track in tracks
    ]
    anybody = np.logical_or.reduce([own.any(1) for own in touched])
    for tic in np.flatnonzero(anybody).tolist():
        for number, own in enumerate(touched):
            for item in np.flatnonzero(own[tic] & (absent_until <= tic)).tolist():
                absent_until[item] = tic + RESPAWN_S * TICS_PER_S
                taken[number].append(TakenItem(tic, item))
    return taken


def recordings_of(
    tracks: Sequence[PersonTrack], map_name: str, source: Mapping[str, Scalar]
) -> list[Recording]:
    """A recording for each player of one demo. `map_name` is the map as a round names it."""
    setup = DoomSetup(
        map=map_name, map_seed=0, engine_seed=1, camera="first", ticks=tracks[0].tics, led=True
    )
    place = setup.place
    taken = items_taken(tracks, place)
    everything = sorted((event for own in taken for event in own), key=lambda event: event.tic)
    return [
        _recording(track, own, everything, setup, place, source)
        for track, own in zip(tracks, taken, strict=True)
    ]


def _recording(
    track: PersonTrack,
    taken: Sequence[TakenItem],
    everything: Sequence[TakenItem],
    setup: DoomSetup,
    place: GameMap,
    source: Mapping[str, Scalar],
) -> Recording:
    names = [f"{name}-{number}" for number, (name, _, _) in enumerate(place.items, 1)]
    kinds = [name for name, _, _ in place.items]
    places = [place.units_of(x, y) for x, y in zip(track.x, track.y, strict=True)]
    own = Track(
        actor=PLAYER,
        x=tuple(x for x, _ in places),
        y=tuple(y for _, y in places),
        heading=tuple((-np.round(track.angle_deg).astype(int) % 360).tolist()),
        height=tuple(np.round(track.z * 1000 / TILE_UNITS).astype(int).tolist()),
        camera=tuple((-np.round(10 * track.angle_deg).astype(int) % 3600).tolist()),
    )
    return Recording(
        world=RecordedWorld(
            kind="doom", width=len(place.walls[0]), height=len(place.walls), walls=place.walls
        ),
        actors=(
            Actor(PLAYER, "You", PLAYER),
            *(Actor(name, kind, "item") for name, kind in zip(names, kinds, strict=True)),
        ),
        timing=Timing(frame_ms=FRAME_MS, frames=track.tics),
        tracks=(own, *_item_tracks(names, everything, place, track.tics)),
        actions=tuple(
            Action(
                id=f"a{number}",
                actor=PLAYER,
                t0_ms=round(event.tic * FRAME_MS),
                t1_ms=round((event.tic + 1) * FRAME_MS),
                verb="pick-up",
                object=kinds[event.item],
                text="picks something up",
            )
            for number, event in enumerate(taken, 1)
        ),
        telemetry=_telemetry(track, taken, kinds),
        agent="people",
        provenance={
            **source,
            "player": "person",
            "person": track.name,
            "demo": track.demo,
            "setup": setup.model_dump_json(),
        },
    )


def _item_tracks(
    names: Sequence[str], everything: Sequence[TakenItem], place: GameMap, tics: int
) -> list[Track]:
    """Where items lie, and whether they are there."""
    states: dict[int, list[State]] = defaultdict(lambda: [State(0, "there", True)])
    for event in everything:
        states[event.item] = [*states[event.item], State(event.tic, "there", False)]
        back = event.tic + RESPAWN_S * TICS_PER_S
        if back < tics:
            states[event.item].append(State(back, "there", True))
    tracks = []
    for number, (name, (_, x, y)) in enumerate(zip(names, place.items, strict=True)):
        column, row = place.units_of(x, y)
        tracks.append(
            Track(actor=name, x=(column,) * tics, y=(row,) * tics, states=tuple(states[number]))
        )
    return tracks


def _telemetry(
    track: PersonTrack, taken: Sequence[TakenItem], kinds: Sequence[str]
) -> dict[str, tuple[Scalar, ...]]:
    events: dict[int, list[str]] = defaultdict(list)
    for tic in np.flatnonzero(track.firing & ~np.roll(track.firing, 1)).tolist():
        events[tic].append("shot")
    for event in taken:
        events[event.tic].append("pickup")
    return {
        "x": tuple(track.x.tolist()),
        "y": tuple(track.y.tolist()),
        "z": tuple(track.z.tolist()),
        "angle_deg": tuple(track.angle_deg.tolist()),
        "pitch_deg": (0.0,) * track.tics,
        "use": tuple(track.use.astype(int).tolist()),
        "dead": tuple(track.dead.tolist()),
        "weapons": tuple(_weapons(track, taken, kinds)),
        "events": tuple(" ".join(dict.fromkeys(events[tic])) or None for tic in range(track.tics)),
    }


def _weapons(track: PersonTrack, taken: Sequence[TakenItem], kinds: Sequence[str]) -> list[str]:
    """The numbers of the weapons that the player owns: those picked up in this life."""
    by_tic = defaultdict(list)
    for event in taken:
        by_tic[event.tic].append(SLOTS.get(kinds[event.item]))
    owned, texts = set(_BEGINNERS), []
    for tic, dead in enumerate(track.dead.tolist()):
        owned = set(_BEGINNERS) if dead else owned | {slot for slot in by_tic[tic] if slot}
        texts.append(" ".join(map(str, sorted(owned))))
    return texts

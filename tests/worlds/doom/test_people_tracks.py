"""Tracks of people: read from files, with pickups by touch, as recordings that a learner observes."""

from __future__ import annotations

import gzip
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.recordings.file import from_bytes, problems, to_bytes
from believable.worlds.doom.doom_observations import observe_doom
from believable.worlds.doom.game_map import game_map
from believable.worlds.doom.people_tracks import (
    TOUCH_UNITS,
    PersonTrack,
    is_deathmatch,
    items_taken,
    read_tracks,
    recordings_of,
    tracks_of_ghost,
)

TRACKS = Path(__file__).parents[2] / "data" / "freedm_demo" / "tracks.csv.gz"
SOURCE = {"source": "FreeDM", "licence": "BSD-3-Clause"}


def people() -> list[PersonTrack]:
    return [track for track in read_tracks(TRACKS) if is_deathmatch(track)]


def test_a_file_of_tracks_is_read_tic_by_tic() -> None:
    everybody = read_tracks(TRACKS)
    assert [(track.name, track.map, track.tics) for track in everybody] == [
        ("freedoom1-demo1-1", "E1M4", 3),
        ("freedm-demo1-1", "MAP21", 900),
        ("freedm-demo1-2", "MAP21", 900),
    ]
    assert [is_deathmatch(track) for track in everybody] == [False, True, True]
    first = everybody[1]
    with gzip.open(TRACKS, "rt") as text:
        line = next(line for line in text if line.startswith("freedm-demo1,MAP21,0,1150,"))
    x, y, z, angle = map(float, line.split(",")[4:8])
    assert (first.x[0], first.y[0], first.z[0], first.angle_deg[0]) == (x, y, z, angle)
    assert first.dead.any()
    assert not first.dead.all()


def test_a_broken_file_of_tracks_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "tracks.csv"
    file.write_text("demo,map,player\n")
    with pytest.raises(InvalidInput, match="no columns tic, x, y"):
        read_tracks(file)
    header = "demo,map,player,tic,x,y,z,angle_deg,frame,firing,buttons\n"
    file.write_text(header + "a,MAP21,0,0,1,1,1,1,0,0,0\na,MAP21,0,2,1,1,1,1,0,0,0\n")
    with pytest.raises(InvalidInput, match="player 0: tics are missing"):
        read_tracks(file)
    file.write_text(header + "a,MAP21,0,0,east,1,1,1,0,0,0\n")
    with pytest.raises(InvalidInput, match="Expected numbers"):
        read_tracks(file)


def test_a_ghost_is_read_by_its_bytes() -> None:
    def tic(x: float, y: float, turn: float, frame: int) -> bytes:
        angle = struct.unpack("<i", struct.pack("<I", int(turn / 360 * 2**32)))[0]
        return struct.pack("<9i", int(x * 65536), int(y * 65536), 0, angle, 28, frame, 21, 1, 0)

    tics = [tic(64.5, -3, 270, 0x8005), tic(1, 2, 0, 0), tic(65, -3, 271, 8), tic(1, 2, 0, 0)]
    ghost = struct.pack("<2i", 2, 2) + b"".join(tics)
    pressed = [np.array([True, False]), np.array([False])]
    first, second = tracks_of_ghost(ghost, "freedm-demo1", "MAP21", pressed)
    assert first.x.tolist() == [64.5, 65.0]
    assert first.y.tolist() == [-3.0, -3.0]
    assert first.angle_deg.tolist() == [270.0, 271.0]
    assert (first.firing.tolist(), first.dead.tolist()) == ([True, False], [False, True])
    assert first.use.tolist() == [True, False]
    assert second.tics == 2
    assert not second.dead.any()
    with pytest.raises(InvalidInput, match="expected a ghost of version 2"):
        tracks_of_ghost(b"", "freedm-demo1", "MAP21", pressed)


def test_who_touches_an_item_takes_it_for_half_a_minute() -> None:
    place = game_map("freedm:map21", 0)
    _, x, y = place.items[0]
    way = np.full(40 * 35, 1e6)
    way[[0, 100, 20 * 35, 31 * 35]] = [x + TOUCH_UNITS - 1, x + TOUCH_UNITS + 1, x, x]
    first = replace(people()[0], x=way, y=np.full(len(way), y), dead=np.zeros(len(way), bool))
    second = replace(first, x=np.where(np.arange(len(way)) == 0, x, 1e6))
    taken = items_taken([first, second], place)
    assert [(event.tic, event.item) for event in taken[0] if event.item == 0] == [
        (0, 0),
        (31 * 35, 0),
    ]
    assert [event for event in taken[1] if event.item == 0] == [], "the first one had it"
    dead = replace(first, dead=np.ones(len(way), bool))
    assert items_taken([dead], place) == [[]]


def test_tracks_become_recordings_that_a_learner_observes() -> None:
    tracks = people()
    recordings = recordings_of(tracks, "freedm:map21", SOURCE)
    for track, recording in zip(tracks, recordings, strict=True):
        assert problems(recording) == []
        assert from_bytes(to_bytes(recording), source="x") == recording
        assert recording.provenance["player"] == "person"
        assert recording.provenance["person"] == track.name
        seen = observe_doom(recording)
        assert seen.frames == 300
        assert seen.yaw[10] % 360 == pytest.approx(track.angle_deg[32] % 360)
        assert seen.alive.tolist() == (~track.dead)[2::3].tolist()
        assert len(seen.lives()) > 1
    assert sum(len(observe_doom(recording).pickups) for recording in recordings) > 3


def test_weapons_are_owned_until_death() -> None:
    track = people()[0]
    place = game_map("freedm:map21", 0)
    _, x, y = next(item for item in place.items if item[0] == "RocketLauncher")
    still = np.ones(len(track.x))
    dead = np.arange(track.tics) == 100
    at_item = replace(track, x=x * still, y=y * still, dead=dead)
    (recording,) = recordings_of([at_item], "freedm:map21", SOURCE)
    weapons = recording.telemetry["weapons"]
    assert (weapons[0], weapons[99], weapons[100], weapons[101]) == ("1 2 5", "1 2 5", "1 2", "1 2")

"""Tracks are checked, cut at gaps and jumps, and read from recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from believable.contracts.registries import WORLDS
from believable.core.errors import InvalidInput
from believable.motion.motion_track import (
    make_track,
    recorded_motion,
    resample,
    split_pieces,
    windows,
)
from believable.recordings.recording import Actor, RecordedWorld, Recording, Timing, Track


def recording(**changes: object) -> Recording:
    """A player who walks right along the lower wall of a room, and another who waits."""
    x = tuple(range(1500, 8500, 100))
    n = len(x)
    walls = ("##########", *["#........#"] * 4, "##########")
    return replace(
        Recording(
            world=RecordedWorld(kind="arena", width=10, height=6, walls=walls),
            actors=(Actor("p", "P", "player"), Actor("o", "O", "opponent")),
            timing=Timing(frame_ms=50, frames=n),
            tracks=(
                Track(actor="p", x=x, y=(4600,) * n, heading=(0,) * n),
                Track(actor="o", x=(9000,) * n, y=(2600,) * n, heading=(0,) * n),
            ),
        ),
        **changes,  # type: ignore[arg-type]
    )


def test_a_recording_becomes_tiles_and_seconds() -> None:
    track = recorded_motion(recording())
    assert track.position[0].tolist() == [1.5, 4.6]
    assert track.t_s[1] == 0.05
    assert track.touching is not None
    assert track.touching.all(), "its middle is 0.4 tiles from the wall"
    assert track.target_deg is not None
    assert track.target_deg[0] == pytest.approx(np.degrees(np.arctan2(-2.0, 7.5)))


def test_away_from_walls_it_touches_none() -> None:
    tracks = recording().tracks
    inside = recording(tracks=(replace(tracks[0], y=(3000,) * len(tracks[0].y)), tracks[1]))
    touching = recorded_motion(inside).touching
    assert touching is not None
    assert not touching[2:-2].any()


def test_the_camera_is_read_before_the_heading() -> None:
    tracks = recording().tracks
    finer = replace(tracks[0], camera=tuple(range(3590, 3590 + len(tracks[0].x))))
    track = recorded_motion(recording(tracks=(finer,)))
    assert np.diff(track.heading_deg) == pytest.approx(0.1)
    assert track.target_deg is None


def test_every_world_reads_motion_by_its_contract() -> None:
    track = WORLDS["arena"].motion(recording(), "o")
    assert track.position[0].tolist() == [9.0, 2.6]


def test_a_recording_without_positions_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"no positions, so.*Record a world"):
        recorded_motion(recording(tracks=()))
    with pytest.raises(InvalidInput, match=r"actor 'x': not in the recording, which has o, p\."):
        recorded_motion(recording(), "x")


@pytest.mark.parametrize(
    ("times", "places", "message"),
    [
        ([0, 1, 1], [[0, 0], [1, 0], [2, 0]], "times must rise"),
        ([0, 1], [[0, 0], [np.nan, 0]], "row 1 has no finite position"),
        ([0, 1], [0, 1], "expected a row of x, y or x, y, z"),
    ],
)
def test_bad_tracks_are_refused(times: list[float], places: list[object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make_track(times, places, unit="m", source="table")


def test_without_headings_it_looks_where_it_goes() -> None:
    track = make_track(range(4), [[0, 0], [1, 0], [1, 0], [1, 1]], unit="m", source="table")
    assert track.heading_deg.tolist() == [0, 0, 90, 90]


def test_headings_are_unwrapped() -> None:
    track = make_track(
        range(3), np.zeros((3, 2)), heading_deg=[350, 359, 8], unit="m", source="table"
    )
    assert np.diff(track.heading_deg).tolist() == [9, 9]


def test_it_is_cut_at_a_gap_and_at_a_jump() -> None:
    times = np.r_[np.arange(20), 40 + np.arange(20), 60 + np.arange(20.0)]
    x = np.r_[np.arange(20), 20 + np.arange(20), 900 + np.arange(20.0)]
    track = make_track(times, np.column_stack([x, 0 * x]), unit="m", source="table")
    assert [piece.t_s[0] for piece in split_pieces(track)] == [0, 40, 60]
    assert [piece.t_s[0] for piece in windows(track, 8)] == [0, 8, 40, 48, 60, 68]


def test_resampling_keeps_straight_lines() -> None:
    track = make_track([0, 1, 3], [[0, 0], [1, 0], [3, 0]], unit="m", source="table")
    assert resample(track, 2).position[:, 0].tolist() == [0, 0.5, 1, 1.5, 2, 2.5, 3]

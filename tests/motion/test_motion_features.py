"""Features have their known values on made-up motion, and do not depend on map, place or side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.motion.motion_features import (
    FEATURES,
    MotionCurves,
    measure_curves,
    measure_motion,
    measure_piece,
)
from believable.motion.motion_track import MotionTrack, make_track
from tests.motion.movers import HZ, smooth_rates, stepped_rates, walk

DOCS = Path(__file__).parents[2] / "docs/how-to/find-what-gives-an-agent-away.md"


def test_a_circle_has_the_known_values() -> None:
    found = measure_motion(walk(np.full(700, 90.0), speed=2.0))
    assert found["speed"] == pytest.approx(np.log(2.0), abs=0.01)
    assert found["turn_rate"] == pytest.approx(np.log(90.0), abs=0.01)
    assert found["speed_spread"] == pytest.approx(0, abs=0.01)
    assert found["pauses"] == 0
    assert found["turn_reversals"] == 0
    # centripetal acceleration is v ω, and the chord of four seconds is that of a full circle
    assert found["acceleration"] == pytest.approx(np.log(np.pi / 2), abs=0.02)
    assert found["straight_way"] == pytest.approx(0, abs=0.02)


def test_pauses_are_counted() -> None:
    speed = np.tile(np.r_[np.full(70, 2.0), np.zeros(35)], 6)
    found = measure_motion(walk(np.zeros(630), speed=speed))
    assert found["pauses"] == pytest.approx(1 / 3, abs=0.02)
    assert found["pauses_per_min"] == pytest.approx(6 / 18 * 60, abs=1)


def test_a_decision_clock_separates_an_agent_from_people() -> None:
    agents = [measure_motion(walk(stepped_rates(seed)))["grid_strength"] for seed in range(12)]
    people = [measure_motion(walk(smooth_rates(seed)))["grid_strength"] for seed in range(12)]
    assert min(agents) > max(people)


def test_the_reaction_is_the_planted_delay() -> None:
    """The mover turns towards the bearing of the other one, 12 frames late."""
    rng = np.random.default_rng(3)
    bearing = np.cumsum(smooth_rates(3, 30)) / HZ
    heading = np.zeros(len(bearing))
    for i in range(1, len(heading)):
        error = bearing[i - 12] - heading[i - 12] if i > 12 else 0.0
        heading[i] = heading[i - 1] + 2.0 * error / HZ + rng.normal(0, 0.01)
    track = make_track(
        np.arange(len(heading)) / HZ,
        np.column_stack([np.arange(len(heading)) / HZ, 0 * heading]),
        heading_deg=heading,
        unit="tile",
        source="test",
    )
    found = measure_motion(replace(track, target_deg=bearing))
    assert found["reaction_s"] == pytest.approx(12 / HZ, abs=1.5 / HZ)
    assert found["reaction_strength"] > 0.9


def test_walls_are_counted() -> None:
    touching = np.zeros(700, bool)
    touching[100:140] = touching[400:430] = True
    found = measure_motion(replace(walk(smooth_rates(4)), touching=touching))
    assert found["wall_share"] == pytest.approx(0.1)
    assert found["wall_hits_per_min"] == pytest.approx(6)


def moved(track: MotionTrack, *, turn_deg: float, scale: float) -> MotionTrack:
    angle = np.radians(turn_deg)
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return replace(
        track,
        position=scale * (track.position @ rotation.T) + 40,
        heading_deg=track.heading_deg + turn_deg,
    )


def test_features_are_the_movers_own() -> None:
    """Turning and shifting the map changes nothing; its scale changes the usual speed only."""
    track = walk(smooth_rates(5), speed=1.5)
    before = measure_motion(track)
    after = measure_motion(moved(track, turn_deg=71.0, scale=8.0))
    assert after["speed"] == pytest.approx(before["speed"] + np.log(8.0))
    for name in before.keys() - {"speed"}:
        assert after[name] == pytest.approx(before[name], abs=1e-6), name


def test_a_track_without_walls_or_height_has_no_such_features() -> None:
    found = measure_motion(walk(smooth_rates(6)))
    assert not found.keys() & {"wall_share", "climb", "pitch_rate", "reaction_s"}
    assert all(np.isfinite(value) for value in found.values())


def test_height_and_pitch_are_measured() -> None:
    t = np.arange(200) / 20
    track = make_track(
        t,
        np.column_stack([2 * t, 0 * t, np.sin(t)]),
        heading_deg=0 * t,
        pitch_deg=30 * t,
        unit="m",
        source="t",
    )
    found = measure_motion(track)
    assert found["pitch_rate"] == pytest.approx(np.log(30), abs=0.01)
    assert found["climb"] == pytest.approx(np.abs(np.cos(t)).mean() / 2.13, rel=0.1)


def test_something_that_never_moves_has_no_features() -> None:
    still = make_track(
        np.arange(100) / 10, np.zeros((100, 2)), heading_deg=np.zeros(100), unit="m", source="t"
    )
    assert measure_motion(still) == {}
    with pytest.raises(InvalidInput, match="expected 1 s or more"):
        measure_curves(still.part(0, 8))


def test_every_feature_is_declared_and_has_its_curve() -> None:
    track = replace(
        walk(smooth_rates(7)),
        position=np.column_stack([walk(smooth_rates(7)).position, np.arange(700.0)]),
        pitch_deg=smooth_rates(8),
        touching=np.zeros(700, bool),
        target_deg=smooth_rates(9),
    )
    curves = measure_curves(track)
    assert measure_piece(curves).keys() == FEATURES.keys()
    for feature in FEATURES.values():
        assert feature.curve in MotionCurves.__dataclass_fields__
        curve = curves.curve(feature.curve)
        assert curve is not None
        assert len(curve) == len(curves.t_s)


def test_every_feature_is_in_the_docs() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert [name for name in FEATURES if f"`{name}`" not in text] == []

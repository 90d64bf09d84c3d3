"""The view's turning is read from pictures alone: shifts, steps, and the clock of decisions."""

from __future__ import annotations

import numpy as np
import pytest

from believable.giveaways.view_motion import turn_steps, view_behavior, view_turns
from believable.motion.motion_track import Floats

HZ = 35.0


def panorama(turns_px: Floats, seed: int = 1) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Pictures of a long wall of bricks with random gray levels, seen by a turning camera."""
    rng = np.random.default_rng(seed)
    wall = np.repeat(rng.integers(30, 220, (9, 900)), 10, 0).repeat(6, 1).astype(np.uint8)
    at = 2500 + np.round(np.cumsum(-turns_px)).astype(int)
    return np.stack([wall[:, left : left + 160] for left in at])


def square_wave(seed: int, frames: int = 280, every: int = 7) -> Floats:
    rng = np.random.default_rng(seed)
    return np.repeat(rng.choice([-8.0, 0.0, 8.0, 4.0, -4.0], frames // every), every)


def wander(seed: int, frames: int = 280) -> Floats:
    rng = np.random.default_rng(seed)
    smooth = np.hanning(12) / np.hanning(12).sum()
    return np.asarray(np.convolve(rng.normal(0, 12, frames + 11), smooth, "valid"))


def test_shifts_are_read_to_the_pixel() -> None:
    planted = np.array([0, 5, 5, 5, -7, -7, 0, 0, 12, 12.0])
    assert view_turns(panorama(planted)) == pytest.approx(planted, abs=0.6)


def test_steps_are_found_once_each() -> None:
    """A picture early: from there on the middle of three is the new rate."""
    steps = turn_steps(np.repeat([0.0, 8.0, 8.0, -4.0], 7))
    assert np.flatnonzero(steps).tolist() == [6, 20]


def test_a_clock_of_decisions_is_seen_in_the_film() -> None:
    agents = [
        view_behavior(view_turns(panorama(square_wave(seed), seed)), HZ)["view_grid_evidence"]
        for seed in range(6)
    ]
    people = [
        view_behavior(view_turns(panorama(wander(seed), seed)), HZ)["view_grid_evidence"]
        for seed in range(6)
    ]
    assert min(agents) > max(people)
    assert min(agents) > 3


def test_a_film_that_stands_still_has_no_clock() -> None:
    found = view_behavior(view_turns(panorama(np.zeros(60))), HZ)
    assert found["view_straight"] == 1.0
    assert "view_grid_evidence" not in found

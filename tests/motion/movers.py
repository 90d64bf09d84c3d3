"""Movers whose motion is known: a person-like one, and one that decides on a clock."""

from __future__ import annotations

import numpy as np

from believable.motion.motion_track import Floats, MotionTrack, make_track

HZ = 35.0


def walk(turn_rate_deg_s: Floats, *, speed: float | Floats = 2.0, hz: float = HZ) -> MotionTrack:
    """Walk straight on in the direction that these turning rates give."""
    heading = np.cumsum(turn_rate_deg_s) / hz
    steps = np.broadcast_to(speed, heading.shape) / hz
    looks = np.radians(heading)
    position = np.column_stack([np.cumsum(steps * np.cos(looks)), np.cumsum(steps * np.sin(looks))])
    times = np.arange(len(heading)) / hz
    return make_track(times, position, heading_deg=heading, unit="tile", source="walk")


def smooth_rates(seed: int, seconds: float = 20, hz: float = HZ) -> Floats:
    """Turning rates of a person: noise without fast parts."""
    rng = np.random.default_rng(seed)
    width = round(hz / 2)
    noise = rng.normal(0, 200, round(seconds * hz) + width)
    smooth = np.convolve(noise, np.hanning(width) / np.hanning(width).sum(), "valid")
    return np.asarray(smooth[: round(seconds * hz)])


def stepped_rates(seed: int, seconds: float = 20, every: int = 7) -> Floats:
    """Turning rates that change once in so many frames."""
    rng = np.random.default_rng(seed)
    decisions = rng.choice([-90.0, 0.0, 0.0, 45.0, 90.0], round(seconds * HZ / every) + 1)
    return np.repeat(decisions, every)[: round(seconds * HZ)]

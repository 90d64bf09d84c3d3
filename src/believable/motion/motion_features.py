"""Features of a motion in the mover's own frame, each with the curve it is read from.

    features = measure_motion(track)
    features["turn_spread"].value

Speeds are relative to the mover's own usual speed if their unit depends on the world, so that the
features of a large map and a small one can be compared. A feature that a track does not have (no
walls, no height, no other mover) is left out, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from believable.core.errors import InvalidInput
from believable.motion.decision_grid import find_grid
from believable.motion.motion_track import Booleans, Floats, MotionTrack, resample, split_pieces
from believable.stats.smoothness import spectral_arc_length

#: Pieces are measured at their own rate, but not faster than this.
FASTEST_HZ = 35.0
#: Below this share of the usual speed a mover pauses.
STILL = 0.1
#: Slower turns than this count as looking straight on.
STRAIGHT_DEG_PER_S = 5.0
#: Pieces that are shorter are not measured.
SHORTEST_S = 1.0
#: The borders of the bands of the turning rate's spectrum.
BANDS_HZ = ((0.0, 0.5), (0.5, 1.0), (1.0, 2.0), (2.0, 4.0))
#: Reactions are looked for up to this delay.
LONGEST_REACTION_S = 1.5
#: Ways are compared with straight lines over this time.
WAY_S = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionFeature:
    """One feature of motion. `curve` names the curve of `MotionCurves` that shows it."""

    name: str
    about: str
    unit: str
    curve: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotionCurves:
    """Curves over time, all at one rate, seen from the mover."""

    t_s: Floats
    hz: float
    speed: Floats
    sideways: Floats
    acceleration: Floats
    jerk: Floats
    turn_rate: Floats
    turn_change: Floats
    pitch_rate: Floats | None
    climb: Floats | None
    touching: Booleans | None
    target_error: Floats | None
    position: Floats

    def curve(self, name: str) -> Floats | None:
        """Return one curve as numbers; None if the motion does not have it."""
        curve: Floats | Booleans | None = getattr(self, name)
        return None if curve is None else np.asarray(curve, np.float64)


def measure_curves(piece: MotionTrack) -> MotionCurves:
    """Return the curves of one piece without cuts, at equal intervals."""
    if piece.duration_s < SHORTEST_S:
        raise InvalidInput(
            f"motion: expected {SHORTEST_S:g} s or more without a cut, got"
            f" {piece.duration_s:.2f} s."
        )
    hz = min(FASTEST_HZ, 1 / float(np.median(np.diff(piece.t_s))))
    even = resample(piece, hz)
    velocity = np.gradient(even.position, axis=0) * hz
    looks = np.radians(even.heading_deg)
    side = -np.sin(looks) * velocity[:, 0] + np.cos(looks) * velocity[:, 1]
    speed = np.linalg.norm(velocity, axis=1)
    acceleration = np.gradient(velocity, axis=0) * hz
    turn_rate = np.gradient(even.heading_deg) * hz
    error = None
    if even.target_deg is not None:
        error = np.asarray((even.target_deg - even.heading_deg + 180) % 360 - 180)
    return MotionCurves(
        t_s=even.t_s,
        hz=hz,
        speed=np.asarray(speed),
        sideways=np.asarray(side),
        acceleration=np.asarray(np.linalg.norm(acceleration, axis=1)),
        jerk=np.asarray(np.linalg.norm(np.gradient(acceleration, axis=0) * hz, axis=1)),
        turn_rate=np.asarray(turn_rate),
        turn_change=np.asarray(
            np.abs(
                np.diff(
                    even.heading_deg,
                    n=2,
                    prepend=even.heading_deg[:1],
                    append=even.heading_deg[-1:],
                )
            )
            * hz
        ),
        pitch_rate=None if even.pitch_deg is None else np.asarray(np.gradient(even.pitch_deg) * hz),
        climb=np.asarray(velocity[:, 2]) if even.position.shape[1] == 3 else None,
        touching=even.touching,
        target_error=error,
        position=even.position,
    )


def _log(value: float, floor: float = 1e-3) -> float:
    return math.log(max(value, floor))


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _speed_features(curves: MotionCurves, usual: float) -> dict[str, float]:
    still = curves.speed < STILL * usual
    starts = int(np.count_nonzero(np.diff(still.astype(int)) == 1) + still[0])
    minutes = len(still) / curves.hz / 60
    moving = curves.speed[~still]
    return {
        "speed": _log(usual),
        "speed_spread": float(curves.speed.std()) / usual,
        "speed_top": float(np.percentile(curves.speed, 95)) / usual,
        "sideways": float(np.abs(curves.sideways[~still] / moving).mean()) if len(moving) else 0.0,
        "acceleration": _log(_rms(curves.acceleration) / usual),
        "jerk": _log(_rms(curves.jerk) / usual),
        "pauses": float(still.mean()),
        "pauses_per_min": starts / minutes,
    }


def _turning(curves: MotionCurves) -> dict[str, float]:
    rate = curves.turn_rate
    size = np.abs(rate)
    signs = np.sign(rate[size > STRAIGHT_DEG_PER_S])
    found = {
        "turn_rate": _log(float(size.mean()), 0.1),
        "turn_top": _log(float(np.percentile(size, 95)), 0.1),
        "turn_straight": float((size < STRAIGHT_DEG_PER_S).mean()),
        "turn_change": _log(_rms(curves.turn_change), 0.1),
        "turn_jumps": float((curves.turn_change > 70.0).mean()),
        "turn_reversals": float(np.count_nonzero(np.diff(signs))) * curves.hz / len(rate),
    }
    power = np.abs(np.fft.rfft((rate - rate.mean()) * np.hanning(len(rate)))) ** 2
    frequencies = np.fft.rfftfreq(len(rate), 1 / curves.hz)
    total = float(power.sum())
    if total > 0:
        for low, high in BANDS_HZ:
            chosen = (frequencies >= low) & (frequencies < high)
            found[f"turn_{low:g}_{high:g}_hz"] = float(power[chosen].sum()) / total
        found["turn_centre_hz"] = float((frequencies * power).sum()) / total
    smooth = spectral_arc_length(size, curves.hz)
    if smooth is not None:
        found["turn_smoothness"] = smooth
    return found


def _grid(curves: MotionCurves) -> dict[str, float]:
    grid = find_grid(curves.turn_change, curves.hz)
    return {} if grid is None else {"grid_strength": grid.strength, "grid_evidence": grid.evidence}


def _way(curves: MotionCurves) -> dict[str, float]:
    span = round(WAY_S * curves.hz)
    if not 0 < span < len(curves.position):
        return {}
    direct = np.linalg.norm(curves.position[span:] - curves.position[:-span], axis=1)
    steps = np.linalg.norm(np.diff(curves.position, axis=0), axis=1)
    walked = np.convolve(steps, np.ones(span), "valid")
    some = walked > 0
    return {"straight_way": float((direct[some] / walked[some]).mean())} if some.any() else {}


def _height(curves: MotionCurves, usual: float) -> dict[str, float]:
    found = {}
    if curves.climb is not None:
        found["climb"] = float(np.abs(curves.climb).mean()) / usual
        found["climb_spread"] = float(curves.climb.std()) / usual
    if curves.pitch_rate is not None:
        found["pitch_rate"] = _log(float(np.abs(curves.pitch_rate).mean()), 0.1)
    return found


def _contact(curves: MotionCurves) -> dict[str, float]:
    if curves.touching is None:
        return {}
    starts = int(np.count_nonzero(np.diff(curves.touching.astype(int)) == 1))
    return {
        "wall_share": float(curves.touching.mean()),
        "wall_hits_per_min": starts * 60 * curves.hz / len(curves.touching),
    }


def _reaction(curves: MotionCurves) -> dict[str, float]:
    """The delay at which turning follows the bearing of the other mover best."""
    error, rate = curves.target_error, curves.turn_rate
    if error is None or error.std() == 0 or rate.std() == 0:
        return {}
    delays = range(min(round(LONGEST_REACTION_S * curves.hz), len(rate) - 8) + 1)
    follows = [
        float(np.mean((error[: len(error) - k] - error.mean()) * (rate[k:] - rate.mean())))
        / float(error.std() * rate.std())
        for k in delays
    ]
    best = int(np.argmax(follows))
    return {"reaction_s": best / curves.hz, "reaction_strength": follows[best]}


_MEASURES: tuple[Callable[[MotionCurves], dict[str, float]], ...] = (
    _turning,
    _grid,
    _way,
    _contact,
    _reaction,
)

FEATURES: Mapping[str, MotionFeature] = {
    name: MotionFeature(name=name, about=about, unit=unit, curve=curve)
    for name, about, unit, curve in (
        ("speed", "Usual speed, the median while it moves.", "ln(unit/s)", "speed"),
        ("speed_spread", "Spread of the speed, by the usual one.", "share", "speed"),
        (
            "speed_top",
            "The speed that 5 % of the time exceeds, by the usual one.",
            "share",
            "speed",
        ),
        ("sideways", "Share of the speed that is sideways.", "share", "sideways"),
        (
            "acceleration",
            "Size of the acceleration, by the usual speed.",
            "ln(1/s)",
            "acceleration",
        ),
        ("jerk", "Size of the jerk, by the usual speed.", "ln(1/s²)", "jerk"),
        ("pauses", "Share of the time in which it is still.", "share", "speed"),
        ("pauses_per_min", "Pauses per minute.", "1/min", "speed"),
        ("turn_rate", "Mean size of the turning rate.", "ln(°/s)", "turn_rate"),
        ("turn_top", "The turning rate that 5 % of the time exceeds.", "ln(°/s)", "turn_rate"),
        ("turn_straight", "Share of the time in which it looks straight on.", "share", "turn_rate"),
        ("turn_change", "Size of the change of the turning rate.", "ln(°/s)", "turn_change"),
        ("turn_jumps", "Share of frames in which the turning rate jumps.", "share", "turn_change"),
        ("turn_reversals", "Changes between left and right per second.", "1/s", "turn_rate"),
        ("turn_0_0.5_hz", "Share of its turning below 0.5 Hz.", "share", "turn_rate"),
        ("turn_0.5_1_hz", "Share of its turning at 0.5 to 1 Hz.", "share", "turn_rate"),
        ("turn_1_2_hz", "Share of its turning at 1 to 2 Hz.", "share", "turn_rate"),
        ("turn_2_4_hz", "Share of its turning at 2 to 4 Hz.", "share", "turn_rate"),
        ("turn_centre_hz", "Centre of the spectrum of its turning.", "Hz", "turn_rate"),
        ("turn_smoothness", "Spectral arc length of its turning.", "", "turn_rate"),
        (
            "grid_strength",
            "Do its turns change on the ticks of a clock? 1: all.",
            "share",
            "turn_change",
        ),
        ("grid_evidence", "Evidence for that clock.", "", "turn_change"),
        ("straight_way", "Straight line by the way walked, over 4 s.", "share", "speed"),
        ("climb", "Mean size of the vertical speed, by the usual speed.", "share", "climb"),
        ("climb_spread", "Spread of the vertical speed, by the usual speed.", "share", "climb"),
        ("pitch_rate", "Mean size of the rate of looking up and down.", "ln(°/s)", "pitch_rate"),
        ("wall_share", "Share of the time in which it touches a wall.", "share", "touching"),
        ("wall_hits_per_min", "How often it runs into a wall.", "1/min", "touching"),
        ("reaction_s", "Delay after which it turns towards the other mover.", "s", "target_error"),
        ("reaction_strength", "How closely it turns towards the other mover.", "r", "target_error"),
    )
}


def measure_piece(curves: MotionCurves) -> dict[str, float]:
    """Return the features of one piece that moves or turns; nothing if it does neither."""
    moving = curves.speed[curves.speed > 0]
    found: dict[str, float] = {}
    if len(moving):
        usual = float(np.median(moving))
        found |= _speed_features(curves, usual) | _height(curves, usual)
    if not len(moving) and not curves.turn_rate.any():
        return {}
    for measure in _MEASURES:
        found |= measure(curves)
    return found


def measure_motion(track: MotionTrack) -> Mapping[str, float]:
    """Return the features of a track: means over its pieces, weighted by their time."""
    sums: dict[str, float] = {}
    weights: dict[str, float] = {}
    for piece in split_pieces(track):
        if piece.duration_s < SHORTEST_S:
            continue
        for name, value in measure_piece(measure_curves(piece)).items():
            sums[name] = sums.get(name, 0.0) + value * piece.duration_s
            weights[name] = weights.get(name, 0.0) + piece.duration_s
    return {name: sums[name] / weights[name] for name in FEATURES if name in sums}

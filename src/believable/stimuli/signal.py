"""The known signal of a quality test: ramps, holds and reversals between 0 and 1, drawn from a
seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput
from believable.core.seeds import generator

SHORTEST_S, LONGEST_S = 10, 600
#: Every hold has at least one whole second that begins at a whole second.
HOLD_S = (2.0, 3.5)
RAMP_S = (1.5, 4.0)
#: A change smaller than this is hard to see, and to hear.
LEAST_CHANGE = 0.25
#: At most this far in one second, so that a hand can follow.
STEEPEST_PER_S = 0.45


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalPiece:
    """A straight part. `kind` is ramp, hold or reversal (a ramp that turns back at once)."""

    kind: str
    start_ms: int
    end_ms: int
    start_level: float
    end_level: float


@dataclass(frozen=True, slots=True)
class Signal:
    """Pieces without gaps from 0 to `duration_ms`."""

    seed: int
    duration_ms: int
    pieces: tuple[SignalPiece, ...]

    def levels(self, times_ms: NDArray[np.float64]) -> NDArray[np.float64]:
        """The level at each moment; beyond the end it stays."""
        knots_ms = [0, *(piece.end_ms for piece in self.pieces)]
        heights = [self.pieces[0].start_level, *(piece.end_level for piece in self.pieces)]
        return np.interp(times_ms, knots_ms, heights)

    def kind_at(self, t_ms: float) -> str:
        return next(
            (piece.kind for piece in self.pieces if t_ms < piece.end_ms), self.pieces[-1].kind
        )


def draw(seed: int, duration_s: int = 60) -> Signal:
    """The signal that follows from a seed. It begins with a hold, so that there is time to find the
    wheel.
    """
    if not SHORTEST_S <= duration_s <= LONGEST_S:
        raise InvalidInput(
            f"duration: expected {SHORTEST_S} to {LONGEST_S} seconds, got {duration_s}."
        )
    rng = generator(seed, "quality test", duration_s)
    end_ms = 1000 * duration_s
    pieces = [
        SignalPiece(
            kind="hold",
            start_ms=0,
            end_ms=2500,
            start_level=(level := round(rng.uniform(0.3, 0.7), 3)),
            end_level=level,
        )
    ]
    while pieces[-1].end_ms < end_ms:
        kind = rng.choices(
            ("ramp", "hold", "reversal"), (4, 0 if pieces[-1].kind == "hold" else 5, 3)
        )[0]
        if kind == "hold":
            pieces.append(_to(pieces[-1], "hold", pieces[-1].end_level, rng.uniform(*HOLD_S)))
            continue
        for _ in range(2 if kind == "reversal" else 1):
            level = _other_level(pieces[-1], rng.random(), rng.random(), turn=kind == "reversal")
            least_s = abs(level - pieces[-1].end_level) / STEEPEST_PER_S
            pieces.append(_to(pieces[-1], kind, level, max(least_s, rng.uniform(*RAMP_S))))
    kept = [piece for piece in pieces if piece.start_ms < end_ms]
    last = kept[-1]
    share = (end_ms - last.start_ms) / (last.end_ms - last.start_ms)
    reached = last.start_level + share * (last.end_level - last.start_level)
    kept[-1] = SignalPiece(
        kind=last.kind,
        start_ms=last.start_ms,
        end_ms=end_ms,
        start_level=last.start_level,
        end_level=reached,
    )
    return Signal(seed, end_ms, tuple(kept))


def through(corners: Sequence[tuple[float, float]]) -> Signal:
    """An author's own signal: straight lines through these corners (seconds, level)."""
    times = [seconds for seconds, _ in corners]
    if (
        len(corners) < 2
        or times[0] != 0
        or any(after <= before for before, after in pairwise(times))
    ):
        raise InvalidInput(
            "corners: expected at least two, from second 0 on, each later than the one before, got"
            f" {times}."
        )
    if not SHORTEST_S <= times[-1] <= LONGEST_S:
        raise InvalidInput(
            f"corners: expected an end after {SHORTEST_S} to {LONGEST_S} seconds, got"
            f" {times[-1]:g}."
        )
    strange = [level for _, level in corners if not 0 <= level <= 1]
    if strange:
        raise InvalidInput(f"corners: expected levels from 0 to 1, got {strange[0]:g}.")
    if len({level for _, level in corners}) == 1:
        raise InvalidInput("corners: expected a signal that changes, got one level all the time.")
    pieces = tuple(
        SignalPiece(
            kind="hold" if low == high else "ramp",
            start_ms=round(1000 * start),
            end_ms=round(1000 * end),
            start_level=low,
            end_level=high,
        )
        for (start, low), (end, high) in pairwise(corners)
    )
    return Signal(0, pieces[-1].end_ms, pieces)


def _to(before: SignalPiece, kind: str, level: float, length_s: float) -> SignalPiece:
    return SignalPiece(
        kind=kind,
        start_ms=before.end_ms,
        end_ms=before.end_ms + round(1000 * length_s),
        start_level=before.end_level,
        end_level=level,
    )


def _other_level(before: SignalPiece, way: float, far: float, *, turn: bool) -> float:
    """A level at least `LEAST_CHANGE` away: down or up as chance and room have it, against the way
    before when turning.
    """
    level = before.end_level
    room_up, room_down = 1 - level - LEAST_CHANGE, level - LEAST_CHANGE
    up = way < 0.5
    if turn and before.start_level != before.end_level:
        up = before.end_level < before.start_level
    if (room_up if up else room_down) < 0:
        up = not up
    return round(
        level + LEAST_CHANGE + far * room_up if up else level - LEAST_CHANGE - far * room_down, 3
    )

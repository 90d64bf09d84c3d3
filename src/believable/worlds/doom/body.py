"""The body of agents: their decisions become movement through a hand like people's.

People turn in bursts: most of the time not at all, then by one stroke of about a dozen tics, begun
at any moment. Agents decide on a grid, and would turn in steps on it. A hand waits for a random
moment after a decision, and then makes a stroke of a person (FreeDM's demos), scaled to the angle.
It is as jerky as people, within their limits. People's own inputs do not pass through it.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Literal, Protocol

BodyName = Literal["people", "raw"]
STROKES = Path(__file__).parent / "freedm" / "strokes.json"
#: A stroke begins less than this number of tics after the decision. Later ones spread no better,
#: and agents that were trained without a body miss their goals.
LATEST_TICS = 3
#: Less than this is not worth a stroke.
LEAST_DEG = 1.5
#: A stroke is drawn from this number of strokes whose angles are nearest.
CHOICE = 12
#: Degrees in a tic that a stroke does not exceed, and that a hurried one does not: 95 and 99 of 100
#: tics of people are slower.
USUAL_DEG, FASTEST_DEG = 295 / 35, 644 / 35
#: The share of hurried strokes.
HURRIED = 0.1


class TurningHand(Protocol):
    """Turns a figure, tic by tic."""

    def aim(self, left_deg: float) -> None:
        """Ask for a turn from the present view. It replaces an earlier request."""

    def turn(self) -> float:
        """Return the turn of this tic, in degrees to the left."""


@cache
def strokes() -> tuple[tuple[float, ...], ...]:
    """Strokes of people to the left or right, in degrees for each tic, by their angle."""
    read = json.loads(STROKES.read_text(encoding="utf-8"))["strokes"]
    return tuple(sorted((tuple(map(float, own)) for own in read), key=sum))


@cache
def _angles() -> tuple[float, ...]:
    return tuple(map(sum, strokes()))


def stretch(stroke: Sequence[float], tics: int) -> list[float]:
    """The same turn in more tics."""
    ends = [0.0, *accumulate(stroke)]
    reached = []
    for number in range(tics + 1):
        index, part = divmod(number * len(stroke) / tics, 1)
        place = min(int(index), len(stroke) - 1)
        part = part if index < len(stroke) else 1.0
        reached.append(ends[place] + part * (ends[place + 1] - ends[place]))
    return [after - before for before, after in pairwise(reached)]


class PeopleHand:
    """Makes people's strokes; they follow from the seed."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._wanted = 0.0
        self._stroke: list[float] = []
        self._wait: int | None = None
        self._cut: int | None = None

    def aim(self, left_deg: float) -> None:
        self._wanted = left_deg
        if not self._stroke:
            return
        rest = sum(self._stroke)
        if self._cut is None and (rest * left_deg <= 0 or abs(rest) > 2 * abs(left_deg)):
            self._cut = self._rng.randrange(LATEST_TICS)

    def turn(self) -> float:
        self._let_go()
        if not self._stroke:
            self._begin()
        turned = self._stroke.pop(0) if self._stroke else 0.0
        self._wanted -= turned
        return turned

    def _let_go(self) -> None:
        """End a stroke that leads elsewhere, after a moment."""
        if self._cut == 0:
            self._stroke, self._cut = [], None
        elif self._cut is not None:
            self._cut = self._cut - 1 if self._stroke else None

    def _begin(self) -> None:
        if abs(self._wanted) < LEAST_DEG:
            self._wait = None
        elif self._wait is None:
            self._wait = self._rng.randrange(LATEST_TICS)
        if self._wait == 0:
            self._stroke, self._wait = self._drawn_stroke(), None
        elif self._wait is not None:
            self._wait -= 1

    def _drawn_stroke(self) -> list[float]:
        """A stroke of people by about this angle, made to fit."""
        angles, wanted = _angles(), abs(self._wanted)
        nearest = min(range(len(angles)), key=lambda number: abs(angles[number] - wanted))
        first = max(0, min(nearest - CHOICE // 2, len(angles) - CHOICE))
        drawn = self._rng.randrange(first, min(first + CHOICE, len(angles)))
        stroke = strokes()[drawn]
        # Agents turn more often than people. In calmer strokes their speeds are those of people.
        fastest = FASTEST_DEG if self._rng.random() < HURRIED else USUAL_DEG
        tics = math.ceil(len(stroke) * max(1.0, max(stroke) / fastest))
        scale = min(1.0, wanted / angles[drawn]) * (1 if self._wanted > 0 else -1)
        return [scale * step for step in stretch(stroke, tics)]


class EvenHand:
    """Spreads a turn evenly over the tics of a decision: no body at all."""

    def __init__(self, decision_tics: int) -> None:
        self._tics = decision_tics
        self._each, self._left = 0.0, 0

    def aim(self, left_deg: float) -> None:
        self._each, self._left = round(left_deg * 10 / self._tics) / 10, self._tics

    def turn(self) -> float:
        self._left -= 1
        return self._each if self._left >= 0 else 0.0


def hand_of(body: BodyName, seed: int, decision_tics: int) -> TurningHand:
    """Return the hand of an agent that decides on a grid of tics."""
    return PeopleHand(seed) if body == "people" else EvenHand(decision_tics)

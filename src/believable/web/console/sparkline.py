"""A small line for a row of numbers, as SVG points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 300, 48


@dataclass(frozen=True, slots=True)
class Line:
    """`points` for a polyline in a box of `WIDTH` × `HEIGHT`; `top` is the value at its upper edge."""

    points: str
    area: str
    top: float


def sparkline(values: Sequence[float]) -> Line:
    """The newest value stands at the right edge.

    >>> sparkline([0, 5, 10]).points
    '0.0,47.0 150.0,24.0 300.0,1.0'
    """
    top = max([*values, 0.0])
    step = WIDTH / max(len(values) - 1, 1)
    rise = (HEIGHT - 2) / top if top else 0.0
    points = " ".join(f"{i * step:.1f},{HEIGHT - 1 - value * rise:.1f}" for i, value in enumerate(values))
    return Line(points, f"0,{HEIGHT} {points} {WIDTH},{HEIGHT}", top)

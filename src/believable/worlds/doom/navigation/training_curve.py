"""The curve of a training: a row per batch in `curve.csv`, and what several of them say
together.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

CURVE = "curve.csv"
#: Rounds over which success and decisions are averaged.
ROLLING = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveRow:
    """The state of a training after a batch. Success and all that follows are of the last `ROLLING`
    rounds from the island.
    """

    decisions: int
    seconds: float
    rounds: int
    success: float
    decisions_to_goal: float
    deaths: float
    sudden: float
    collided: float
    slow: float
    penalties: float
    policy_loss: float
    value_loss: float
    entropy: float


def append_row(folder: Path, row: CurveRow) -> None:
    path = folder / CURVE
    fresh = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(CurveRow)])
        if fresh:
            writer.writeheader()
        writer.writerow(asdict(row))


def read_curve(folder: Path) -> list[CurveRow]:
    """The rows that were written whole."""
    path = folder / CURVE
    if not path.exists():
        return []
    names = [field.name for field in fields(CurveRow)]
    rows = []
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if all(row.get(name) not in (None, "") for name in names):
                values: dict[str, Any] = {name: float(row[name]) for name in names}
                counts = {name: int(values[name]) for name in ("decisions", "rounds")}
                rows.append(CurveRow(**values | counts))
    return rows


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Mean and spread of a number over trainings with different seeds, after this number of
    decisions."""

    decisions: int
    mean: float
    sd: float
    seeds: int


def mean_curve(
    curves: Sequence[Sequence[CurveRow]], name: str, every: int = 10_000
) -> list[CurvePoint]:
    """Over all curves, as far as the shortest goes."""
    last = min((curve[-1].decisions for curve in curves if curve), default=0)
    points = []
    for decisions in range(every, last + 1, every):
        values = [
            next(getattr(row, name) for row in curve if row.decisions >= decisions)
            for curve in curves
        ]
        spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        points.append(CurvePoint(decisions, float(np.mean(values)), spread, len(values)))
    return points

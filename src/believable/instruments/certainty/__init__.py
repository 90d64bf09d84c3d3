"""How certain people are."""

from __future__ import annotations

from pathlib import Path

from believable.instruments.likert import five_points

CERTAINTY = five_points(
    Path(__file__).parent,
    about="How certain people are",
    first="extremely certain",
    last="extremely uncertain",
)

"""Whether the player in a clip is human or artificial."""

from __future__ import annotations

from pathlib import Path

from believable.instruments.likert import five_points

CLIP_RATING = five_points(
    Path(__file__).parent,
    about="Whether the figure of a clip is human or artificial",
    first="human",
    last="artificial",
)

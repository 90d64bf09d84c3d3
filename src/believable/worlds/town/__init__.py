"""A town from above: people with a day of their own."""

from __future__ import annotations

from pathlib import Path

from believable.worlds.contract import World
from believable.worlds.town.draw import draw

TOWN = World(
    name="town",
    version=1,
    about=(
        "A town from above: buildings with their names, people as round tokens with a day of their"
        " own."
    ),
    folder=Path(__file__).parent,
    draw=draw,
)

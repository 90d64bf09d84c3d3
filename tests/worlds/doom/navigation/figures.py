"""Figures at places, for tests."""

from __future__ import annotations

from believable.worlds.doom.doom_round import FigureState


def figure_at(x: float, y: float, angle_deg: float = 0.0, *, on_ground: bool = True, dead: bool = False) -> FigureState:
    return FigureState(
        x, y, 0.0, angle_deg, 0.0, (0.0, 0.0, 0.0), (x, y, 0.0, angle_deg, 0.0), on_ground, 100, 0, dead, 1, 0, True, 0, 0, 0, 0,
        0, 0, (0, 0, 0, 0), (1,),
    )  # fmt: skip

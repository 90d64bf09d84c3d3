"""The maze as a picture, for environments: walls, fires, both figures with their headings,
shots.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from believable.contracts.game import Pixels
from believable.worlds.maze.grid import TILE
from believable.worlds.maze.rules import Figure, MazeRound

TILE_PX = 16
#: The colors of the drawings in `draw.py`.
FLOOR, WALL, FIRE = (244, 241, 234), (56, 67, 79), (242, 160, 61)
PLAYER, OPPONENT, MISSILE, EYES = (47, 102, 144), (200, 85, 61), (34, 48, 60), (255, 255, 255)
#: Radii in tiles.
BODY, SHOT, BOMB, EYE = 0.36, 0.12, 0.2, 0.12


def picture_of_round(game: MazeRound) -> Pixels:
    """Height × width × red, green, blue."""
    grid = game.grid
    tiles = np.full((grid.height * grid.width, 3), FLOOR, np.uint8)
    tiles[np.frombuffer(grid.blocked, np.uint8) > 0] = WALL
    tiles[list(game.fires)] = FIRE
    picture = tiles.reshape(grid.height, grid.width, 3).repeat(TILE_PX, 0).repeat(TILE_PX, 1)
    for figure, color in ((game.player, PLAYER), (game.opponent, OPPONENT)):
        _disc(picture, figure.x / TILE, figure.y / TILE, BODY, color)
        ahead_x, ahead_y = _ahead(figure)
        _disc(picture, figure.x / TILE + ahead_x, figure.y / TILE + ahead_y, EYE, EYES)
    for missile in game.missiles:
        radius = BOMB if missile.kind == "bomb" else SHOT
        _disc(picture, missile.x / TILE, missile.y / TILE, radius, MISSILE)
    return picture


def _ahead(figure: Figure) -> tuple[float, float]:
    heading = math.radians(figure.heading_deg)
    return 0.22 * math.cos(heading), 0.22 * math.sin(heading)


def _disc(
    picture: NDArray[np.uint8], x: float, y: float, radius: float, color: tuple[int, int, int]
) -> None:
    """All in tiles from the upper left corner."""
    rows, columns = np.ogrid[: picture.shape[0], : picture.shape[1]]
    away = (columns + 0.5 - x * TILE_PX) ** 2 + (rows + 0.5 - y * TILE_PX) ** 2
    picture[away < (radius * TILE_PX) ** 2] = color

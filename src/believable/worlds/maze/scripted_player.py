"""A scripted player of the maze, for simulated people and recordings: roams, shoots, backs away,
throws bombs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from believable.contracts.agent import Agent, at_first_view
from believable.contracts.inputs import Input
from believable.core.seeds import generator
from believable.worlds.maze.game import pressed_of
from believable.worlds.maze.grid import FAR, TILE, Grid
from believable.worlds.maze.rules import (
    Figure,
    MazeEvent,
    MazeRound,
    MazeRules,
    PlayerInput,
    player_sees,
)

#: An opponent nearer than this makes the player run rather than stop and shoot.
RUN_TILES = 3.0


@dataclass(frozen=True, slots=True)
class Skill:
    """How good the player is: reaction in ticks, aiming error, readiness to throw bombs, how often
    keys change.
    """

    reaction_ticks: int = 9
    aim_error_deg: float = 9.0
    bomb_chance: float = 0.04
    pause_chance: float = 0.01


def somebody(rng: random.Random) -> Skill:
    """The skill of an average participant."""
    return Skill(
        reaction_ticks=rng.randint(6, 13),
        aim_error_deg=rng.uniform(5, 14),
        bomb_chance=rng.uniform(0.01, 0.06),
        pause_chance=rng.uniform(0.005, 0.02),
    )


class ScriptedPlayer:
    """Plays by the content of its field of view; the rest is habit and chance from its seed."""

    def __init__(self, seed: int, skill: Skill | None = None) -> None:
        self.skill = skill or Skill()
        self._rng: random.Random = generator(seed, "player")
        self._goal: int | None = None
        self._noticed_tick: int | None = None
        self._pause_until = 0
        self._error_deg = 0.0

    def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> PlayerInput:
        """Keys and mouse for this tick."""
        if any(event.kind == "reset" for event in events):
            self._goal, self._noticed_tick = None, None
        if self._notices(game):
            return self._fight(game)
        if game.tick < self._pause_until:
            return PlayerInput(aim_deg=game.player.heading_deg)
        if self._rng.random() < self.skill.pause_chance:
            self._pause_until = game.tick + self._rng.randrange(8, 30)
        return self._roam(game)

    def _notices(self, game: MazeRound) -> bool:
        if not player_sees(game, game.opponent.x, game.opponent.y):
            self._noticed_tick = None
            return False
        if self._noticed_tick is None:
            self._noticed_tick = game.tick
            self._error_deg = self._rng.gauss(0.0, self.skill.aim_error_deg)
        return game.tick - self._noticed_tick >= self.skill.reaction_ticks

    def _fight(self, game: MazeRound) -> PlayerInput:
        dx, dy = game.opponent.x - game.player.x, game.opponent.y - game.player.y
        aim = round(math.degrees(math.atan2(dy, dx)) + self._error_deg) % 360
        near = dx * dx + dy * dy < (RUN_TILES * TILE) ** 2
        if game.tick % 12 == 0:
            self._error_deg = self._rng.gauss(0.0, self.skill.aim_error_deg)
        step = self._away(game) if near else (0, 0)
        return PlayerInput(
            dx=step[0],
            dy=step[1],
            aim_deg=aim,
            shoot=True,
            bomb=self._rng.random() < self.skill.bomb_chance,
        )

    def _away(self, game: MazeRound) -> tuple[int, int]:
        """Towards the neighbouring tile that is farthest from the opponent."""
        field = game.grid.distances(game.opponent_tile)
        return keys_towards(
            game, max(game.grid.neighbours[game.player_tile], key=field.__getitem__)
        )

    def _roam(self, game: MazeRound) -> PlayerInput:
        grid, own_tile = game.grid, game.player_tile
        if self._goal is None or own_tile == self._goal:
            distances = grid.distances(own_tile)
            far = [tile for tile in grid.free if 5 <= distances[tile] < FAR]
            self._goal = self._rng.choice(far or grid.free)
        field = grid.distances(self._goal)
        if not grid.neighbours[own_tile] or field[own_tile] == 0:
            return PlayerInput(aim_deg=game.player.heading_deg)
        following = min(grid.neighbours[own_tile], key=field.__getitem__)
        dx, dy = keys_towards(game, following)
        aim = round(math.degrees(math.atan2(dy, dx))) % 360 if dx or dy else game.player.heading_deg
        return PlayerInput(dx=dx, dy=dy, aim_deg=aim)


def keys_towards(game: MazeRound, tile: int) -> tuple[int, int]:
    """The arrow keys that lead to the middle of a neighbouring tile; a key is released close to the
    line.
    """
    x, y = game.grid.centre(tile)
    return _key(x - game.player.x), _key(y - game.player.y)


def _key(gap: int) -> int:
    return 0 if abs(gap) < 60 else (1 if gap > 0 else -1)


class SeatedPlayer:
    """The scripted player at a page: it sees the page's picture, as a copy of the round that the
    pictures update.
    """

    def __init__(self, skill: Skill, seed: int, welcome: Mapping[str, Any]) -> None:
        grid = Grid(welcome["walls"])
        rules = MazeRules(size=grid.width, round_ticks=welcome["ticks"])
        self._round = MazeRound(
            settings=rules,
            seed=0,
            grid=grid,
            player_start=grid.free[0],
            opponent_start=grid.free[0],
        )
        self._player = ScriptedPlayer(seed, skill)

    def act(self, picture: Mapping[str, Any]) -> Input:
        game = self._round
        game.tick, game.score = picture["t"], picture["s"]
        game.player = Figure(*picture["p"])
        # In fog it uses the last seen position of the opponent.
        game.opponent = Figure(*picture["o"][:4]) if picture["o"] else game.opponent
        game.fires = dict.fromkeys(picture["f"], 0)
        events = [MazeEvent(tick=game.tick, kind=kind, actor="", x=0, y=0) for kind in picture["e"]]
        return pressed_of(self._player.decide(game, events))


SCRIPTED = Agent(
    name="maze/scripted",
    world="maze",
    about="Roams, shoots at what it sees, backs away, throws bombs.",
    params=Skill,
    draw=somebody,
    new=at_first_view(SeatedPlayer),
)

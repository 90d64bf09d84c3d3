"""Opponents for the maze: one that chases, searches, listens, shuns fire and gets frustrated; and a plain chaser."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from believable.agents.temper import Dynamics, Frustration, Temper
from believable.core.seeds import generator
from believable.worlds.maze.grid import FAR, TILE
from believable.worlds.maze.rules import TICKS_PER_S, Event, OpponentInput, Round, heard

#: Ticks without getting nearer after which the way counts as blocked.
BLOCKED_TICKS = 60


class ShortestPathChaser:
    """Knows where the player is and always takes a shortest way. No perception, no fear, no mood."""

    def decide(self, game: Round, events: Sequence[Event]) -> OpponentInput:
        return OpponentInput(
            _heading_along(game, game.grid.distances(_player_tile(game))), True, "chase", "player"
        )


class FrustratedOpponent:
    """Chases what it sees, follows what it hears, searches otherwise; frustration narrows its view, sharpens its ears,
    makes it risk more and swerve more. It uses only what it could perceive."""

    def __init__(self, dynamics: Dynamics, seed: int) -> None:
        self.frustration = Frustration(dynamics)
        self._rng: random.Random = generator(seed, "opponent")
        self._goal: int | None = None
        self._intent = "search"
        self._seen_tick = -(1 << 20)
        self._saw = False
        self._best_steps = FAR
        self._best_tick = 0
        self._swerve_deg = 0
        self._swerve_until = 0
        self._around: tuple[int, frozenset[int], list[int]] | None = None

    def decide(self, game: Round, events: Sequence[Event]) -> OpponentInput:
        """What to do in this tick, given what happened in the last one."""
        self._feel(game, events)
        temper = self.frustration.temper
        self._choose_goal(game, events, temper)
        goal = self._goal
        if goal is None:
            return OpponentInput(game.opponent.heading_deg, False, "wait")
        here = game.grid.tile_at(game.opponent.x, game.opponent.y)
        field, intent = self._way(game, here, goal, temper)
        heading = _heading_along(game, field) if self._intent == "chase" else _heading_to_next(game, field)
        return OpponentInput(
            (heading + self._swerve(game.tick, temper)) % 360, True, intent, self._name_of(goal, game)
        )

    # -------------------------------------------------------------------------------------- feeling

    def _feel(self, game: Round, events: Sequence[Event]) -> None:
        mood, dynamics = self.frustration, self.frustration.dynamics
        mood.settle(1 / TICKS_PER_S)
        for event in events:
            if event.kind in ("hit", "blast_hit", "burn"):
                mood.add(dynamics.per_damage_point * event.amount)
            elif event.kind in ("caught", "player_killed"):
                mood.add(dynamics.when_successful)
            elif event.kind == "reset":
                self._forget(game.tick)

    def _forget(self, tick: int) -> None:
        self._goal, self._intent, self._saw = None, "search", False
        self._seen_tick = -(1 << 20)
        self._best_steps, self._best_tick = FAR, tick

    # -------------------------------------------------------------------------------------- goals

    def _choose_goal(self, game: Round, events: Sequence[Event], temper: Temper) -> None:
        sees = can_see(game, temper)
        if sees:
            self._seen_tick = game.tick
            self._goal, self._intent = _player_tile(game), "chase"
            self._watch_progress(game)
        elif self._saw:
            self.frustration.add(self.frustration.dynamics.when_sight_lost)
            self._intent = "follow"
        self._saw = sees
        if sees:
            return
        if game.tick - self._seen_tick > temper.memory_ticks:
            self._listen(game, events, temper)
        if self._arrived(game) or self._goal is None:
            self._goal, self._intent = self._somewhere(game), "search"

    def _listen(self, game: Round, events: Sequence[Event], temper: Temper) -> None:
        sound = heard(game.grid, events, game.opponent.x, game.opponent.y, temper.hearing_reach)
        if sound is not None:
            self._goal, self._intent = game.grid.tile_at(sound.x, sound.y), "investigate"
        elif self._intent == "follow":
            self._goal = None

    def _watch_progress(self, game: Round) -> None:
        """A chase that does not get nearer for two seconds is a blocked goal."""
        here = game.grid.tile_at(game.opponent.x, game.opponent.y)
        steps = game.grid.distances(_player_tile(game))[here]
        if steps < self._best_steps or game.tick - self._best_tick > 10 * BLOCKED_TICKS:
            self._best_steps, self._best_tick = steps, game.tick
        elif game.tick - self._best_tick >= BLOCKED_TICKS:
            self.frustration.add(self.frustration.dynamics.when_blocked)
            self._best_steps, self._best_tick = steps, game.tick

    def _arrived(self, game: Round) -> bool:
        return self._goal is not None and game.grid.tile_at(game.opponent.x, game.opponent.y) == self._goal

    def _somewhere(self, game: Round) -> int:
        """A place to look at next: not too near, so that it gets about."""
        here = game.grid.tile_at(game.opponent.x, game.opponent.y)
        distances = game.grid.distances(here)
        far = [tile for tile in game.grid.free if 6 <= distances[tile] < FAR]
        return self._rng.choice(far or game.grid.free)

    # -------------------------------------------------------------------------------------- ways

    def _way(self, game: Round, here: int, goal: int, temper: Temper) -> tuple[list[int], str]:
        """The distance field to follow: the direct one, or one round the fire when that is what its health and patience say."""
        direct = game.grid.distances(goal)
        burning = frozenset(game.fires) - {here}
        if not burning or not _leads_through(game, direct, here, burning):
            return direct, self._intent
        around = self._field_around(game, goal, burning)
        way_round = around[here]
        if game.opponent.health >= temper.fire_health or way_round > temper.detour_ratio * direct[here]:
            return direct, "cross_fire"
        return around, "avoid_fire"

    def _field_around(self, game: Round, goal: int, burning: frozenset[int]) -> list[int]:
        if self._around is None or self._around[:2] != (goal, burning):
            self._around = (goal, burning, game.grid.distances_avoiding(goal, burning))
        return self._around[2]

    def _swerve(self, tick: int, temper: Temper) -> int:
        if tick >= self._swerve_until:
            self._swerve_deg = 0
            if self._rng.random() < temper.swerve_chance:
                self._swerve_deg = round(self._rng.uniform(-temper.swerve_deg, temper.swerve_deg))
                self._swerve_until = tick + self._rng.randrange(4, 13)
        return self._swerve_deg

    def _name_of(self, goal: int, game: Round) -> str:
        if self._intent == "chase":
            return "player"
        y, x = divmod(goal, game.grid.width)
        return f"tile {x},{y}"


def can_see(game: Round, temper: Temper) -> bool:
    """Whether the player stands inside the opponent's field of view with no wall between."""
    dx, dy = game.player.x - game.opponent.x, game.player.y - game.opponent.y
    if dx * dx + dy * dy > (temper.view_tiles * TILE) ** 2:
        return False
    off = (math.degrees(math.atan2(dy, dx)) - game.opponent.heading_deg + 180) % 360 - 180
    if abs(off) > temper.view_deg / 2:
        return False
    return game.grid.sees(game.opponent.x, game.opponent.y, game.player.x, game.player.y)


def _leads_through(game: Round, field: list[int], here: int, burning: frozenset[int]) -> bool:
    """Whether the shortest way touches fire within its next tiles (farther fire will have burnt out)."""
    tile = here
    for _ in range(8):
        if field[tile] == 0:
            return False
        tile = min(game.grid.neighbours[tile], key=field.__getitem__)
        if tile in burning:
            return True
    return False


def _player_tile(game: Round) -> int:
    return game.grid.tile_at(game.player.x, game.player.y)


def _heading_along(game: Round, field: list[int]) -> int:
    """Towards the player itself when it stands on this or the next tile, else along the field."""
    here = game.grid.tile_at(game.opponent.x, game.opponent.y)
    if field[here] == 0:
        return _direction(
            game.player.x - game.opponent.x, game.player.y - game.opponent.y, game.opponent.heading_deg
        )
    return _heading_to_next(game, field)


def _heading_to_next(game: Round, field: list[int]) -> int:
    """Towards the middle of the next tile on the way; first to the middle of this one when it would cut a corner."""
    body, grid = game.opponent, game.grid
    here = grid.tile_at(body.x, body.y)
    if field[here] in (0, FAR):
        x, y = grid.centre(here)
        return _direction(x - body.x, y - body.y, body.heading_deg)
    following = min(grid.neighbours[here], key=field.__getitem__)
    x, y = grid.centre(following)
    middle_x, middle_y = grid.centre(here)
    off_line = abs(body.y - middle_y) if y == middle_y else abs(body.x - middle_x)
    if off_line > TILE // 2 - game.settings.body_radius:
        x, y = middle_x, middle_y
    return _direction(x - body.x, y - body.y, body.heading_deg)


def _direction(dx: int, dy: int, otherwise: int) -> int:
    return round(math.degrees(math.atan2(dy, dx))) % 360 if dx or dy else otherwise

"""Opponents for the maze: one that chases, searches, listens, shuns fire and gets frustrated; and a
plain chaser.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.core.seeds import generator
from believable.worlds.maze.grid import FAR, TILE, Grid
from believable.worlds.maze.rules import (
    TICKS_PER_S,
    MazeEvent,
    MazeRound,
    OpponentInput,
    heard,
    in_view,
)
from believable.worlds.maze.temper import PRESETS, Dynamics, Frustration, Temper, constant, preset

#: Opponents by name. A number between 0 and 1 is one, too: frustration held there.
OPPONENTS: Mapping[str, str] = MappingProxyType(
    {
        **{
            name: (
                f"{name.capitalize()}: chases what it sees, follows what it hears, searches"
                " otherwise"
            )
            for name in PRESETS
        },
        "chaser": "Always on the shortest way to the player, wherever that is",
    }
)
#: Ticks without getting nearer after which the way counts as blocked.
BLOCKED_TICKS = 60
#: For this long footsteps do not turn it away from a sound that it has just set out for.
ATTENTION_TICKS = 45
#: Nearer than this, a chase is not interrupted by straying.
NEAR_TILES = 4
#: Out of sight it corrects its course by ear this often.
HEELS_TICKS = 10
#: The number of tiles that a search considers. The opponent goes to the one it left longest ago.
SEARCHED = 8


class ShortestPathChaser:
    """Knows where the player is and always takes a shortest way. No perception, no fear, no
    mood.
    """

    mood: float | None = None

    def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> OpponentInput:
        return OpponentInput(
            heading_deg=_heading_along(game, game.grid.distances(game.player_tile)),
            walk=True,
            intent="chase",
            goal="player",
        )


class FrustratedOpponent:
    """Chases a visible player, goes to the spot of the last sighting, approaches sounds, and
    searches otherwise. Frustration narrows its view, sharpens its ears, makes it risk more and move
    erratically. It uses only perceptible facts.
    """

    def __init__(self, dynamics: Dynamics, seed: int) -> None:
        self.frustration = Frustration(dynamics)
        self._rng: random.Random = generator(seed, "opponent")
        self._unrest = _Unrest(self._rng)
        self._around: tuple[int, frozenset[int], list[int]] | None = None
        self._visited: dict[int, int] = {}
        self._forget(0)

    @property
    def mood(self) -> float | None:
        """How frustrated it is, from 0 to 1."""
        return self.frustration.level

    def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> OpponentInput:
        """What to do in this tick, given what happened in the last one."""
        self._feel(game, events)
        temper = self.frustration.temper
        tile = game.opponent_tile
        self._visited[tile] = game.tick
        self._choose_goal(game, events, temper)
        if game.tick < self._looks_until:
            return self._look_round(game, temper)
        goal = self._goal
        wanted_goal = self._unrest.goal_instead(game, tile, goal, temper, self._near(game))
        field, intent = self._way(game, tile, wanted_goal, temper)
        if intent == "avoid_fire" and self._waits(game, tile, field, temper):
            ahead = turn_towards(
                game.opponent.heading_deg, _heading_to_next(game, field), temper.turn_deg
            )
            return OpponentInput(
                heading_deg=ahead,
                walk=False,
                intent=intent,
                goal=self._name_of(goal, game),
                face_deg=ahead,
            )
        heading = (
            _heading_along(game, field)
            if self._intent == "chase" and self._saw
            else _heading_to_next(game, field)
        )
        heading = (heading + self._unrest.swerve(game.tick, temper)) % 360
        balks = self._unrest.balks(game.tick, temper)
        # Out of fire it goes backwards.
        ahead = _heading_to_next(game, game.grid.distances(goal)) if tile in game.fires else heading
        wanted = self._unrest.jerk_deg(game.tick) + heading if balks else self._eyes_on(game, ahead)
        face = turn_towards(game.opponent.heading_deg, wanted, temper.turn_deg)
        return OpponentInput(
            heading_deg=heading,
            walk=not balks,
            intent=intent,
            goal=self._name_of(goal, game),
            face_deg=face,
        )

    # -------------------------------------------------------------------------------------- feeling

    def _feel(self, game: MazeRound, events: Sequence[MazeEvent]) -> None:
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
        self._goal, self._intent, self._saw = -1, "search", False
        self._seen_tick = self._heard_tick = self._heels_tick = -(1 << 20)
        self._trail: list[int] = []
        self._looks_until = self._looks_from = 0
        self._looks_at: int | None = None
        self._waits_from = -1
        self._best_steps, self._best_tick = FAR, tick
        self._unrest.forget()

    # -------------------------------------------------------------------------------------- goals

    def _choose_goal(self, game: MazeRound, events: Sequence[MazeEvent], temper: Temper) -> None:
        sees = can_see(game, temper)
        if sees:
            self._seen_tick = game.tick
            self._goal, self._intent = game.player_tile, "chase"
            self._looks_until = 0
            if self._goal not in self._trail[-1:]:
                self._trail = [*self._trail[-1:], self._goal]
            self._watch_progress(game)
        elif self._saw:
            self.frustration.add(self.frustration.dynamics.when_sight_lost)
            self._intent = "follow"
        self._saw = sees
        if sees or self._on_the_heels(game, events, temper):
            return
        self._listen(game, events, temper)
        if self._goal < 0:
            self._goal, self._intent = self._somewhere(game), "search"
        elif game.opponent_tile == self._goal and game.tick >= self._looks_until:
            self._arrive(game, temper)

    def _on_the_heels(self, game: MazeRound, events: Sequence[MazeEvent], temper: Temper) -> bool:
        """Chase by ear: round a corner, and whenever steps are heard close by."""
        sound = heard(events, game.opponent.x, game.opponent.y)
        if (
            sound is not None
            and sound.kind == "step"
            and self._steps_to(game, sound) <= temper.heels_tiles
        ):
            tile = self._rng.choice(blur_sound(game, sound, temper.hearing_blur / 3))
            if self._intent != "chase" or game.tick - self._heels_tick >= HEELS_TICKS:
                self._goal, self._intent, self._heels_tick = tile, "chase", game.tick
                self._looks_until = 0
        return self._intent == "chase" and game.opponent_tile != self._goal

    def _steps_to(self, game: MazeRound, sound: MazeEvent) -> int:
        return game.grid.distances(game.grid.tile_at(sound.x, sound.y))[game.opponent_tile]

    def _listen(self, game: MazeRound, events: Sequence[MazeEvent], temper: Temper) -> None:
        """A sound becomes its goal unless it still trusts its eyes, or has just set out for another
        sound. The assumed location of the sound is off by more, the farther away the sound and the
        less sharp the ears.
        """
        sound = heard(events, game.opponent.x, game.opponent.y)
        if sound is None or game.tick - self._seen_tick <= temper.memory_ticks:
            return
        if (
            self._intent == "investigate"
            and game.tick - self._heard_tick < ATTENTION_TICKS
            and sound.kind == "step"
        ):
            return
        surprised = self._intent == "search"
        self._goal = self._rng.choice(blur_sound(game, sound, temper.hearing_blur))
        self._intent, self._heard_tick, self._looks_until = "investigate", game.tick, 0
        if surprised:
            # It pricks up its ears before it sets out, so that one sees that it has heard
            # something.
            self._looks_at, self._looks_from = self._goal, game.tick
            self._looks_until = game.tick + max(3, round(temper.look_ticks / 4))

    def _arrive(self, game: MazeRound, temper: Temper) -> None:
        """The tile is empty: continue along the trail, then look round, then search."""
        if self._intent == "follow" and len(self._trail) == 2:
            self._goal, self._trail = _onwards(game.grid, *self._trail), []
        elif self._intent != "search" and self._looks_from <= max(
            self._seen_tick, self._heard_tick
        ):
            self._looks_from, self._looks_at = game.tick, None
            self._looks_until = game.tick + round(temper.look_ticks)
        else:
            self._goal, self._intent = self._somewhere(game), "search"

    def _look_round(self, game: MazeRound, temper: Temper) -> OpponentInput:
        body = game.opponent
        if self._looks_at is not None:
            x, y = game.grid.centre(self._looks_at)
            wanted = _direction(x - body.x, y - body.y, body.heading_deg)
        else:
            done = (game.tick - self._looks_from) / max(1, self._looks_until - self._looks_from)
            wanted = body.heading_deg + (-50 if 0.25 <= done < 0.75 else 50)
        face = turn_towards(body.heading_deg, wanted, min(temper.turn_deg, 20.0))
        return OpponentInput(
            heading_deg=face,
            walk=False,
            intent=self._intent,
            goal=self._name_of(self._goal, game),
            face_deg=face,
        )

    def _eyes_on(self, game: MazeRound, heading: int) -> int:
        if self._intent != "chase" or not self._saw:
            return heading
        return _direction(game.player.x - game.opponent.x, game.player.y - game.opponent.y, heading)

    def _near(self, game: MazeRound) -> bool:
        return (
            self._intent == "chase"
            and game.grid.distances(self._goal)[game.opponent_tile] <= NEAR_TILES
        )

    def _watch_progress(self, game: MazeRound) -> None:
        """A chase that does not get nearer for two seconds is a blocked goal."""
        steps = game.grid.distances(game.player_tile)[game.opponent_tile]
        if steps < self._best_steps or game.tick - self._best_tick > 10 * BLOCKED_TICKS:
            self._best_steps, self._best_tick = steps, game.tick
        elif game.tick - self._best_tick >= BLOCKED_TICKS:
            self.frustration.add(self.frustration.dynamics.when_blocked)
            self._best_steps, self._best_tick = steps, game.tick

    def _somewhere(self, game: MazeRound) -> int:
        """A tile to look at next: not too near, and the one that it left longest ago."""
        distances = game.grid.distances(game.opponent_tile)
        far = [tile for tile in game.grid.free if 6 <= distances[tile] < FAR] or list(
            game.grid.free
        )
        tried = self._rng.sample(far, min(SEARCHED, len(far)))
        return min(tried, key=lambda tile: self._visited.get(tile, -1))

    # -------------------------------------------------------------------------------------- ways

    def _way(self, game: MazeRound, tile: int, goal: int, temper: Temper) -> tuple[list[int], str]:
        """The distance field to follow, and what that is: through fire, round it, or up to it until
        it has burnt out, as its health and patience say.
        """
        direct = game.grid.distances(goal)
        burning = frozenset(game.fires) - {tile}
        if not burning or not _leads_through(game, direct, tile, burning):
            self._waits_from = -1
            return direct, self._intent
        if game.opponent.health >= temper.fire_health:
            return direct, "cross_fire"
        around = self._field_around(game, goal, burning)
        if around[tile] <= temper.detour_ratio * direct[tile]:
            return around, "avoid_fire"
        waited = 0 if self._waits_from < 0 else game.tick - self._waits_from
        if waited >= temper.fire_wait_ticks:
            return direct, "cross_fire"
        if tile in game.fires:
            return self._way_out(game, tile), "avoid_fire"
        return direct, "avoid_fire"

    def _way_out(self, game: MazeRound, tile: int) -> list[int]:
        """To the nearest tile that does not burn."""
        steps = game.grid.distances(tile)
        return game.grid.distances(
            min((free for free in game.grid.free if free not in game.fires), key=steps.__getitem__)
        )

    def _waits(self, game: MazeRound, tile: int, field: list[int], temper: Temper) -> bool:
        """Whether it waits before a fire until that has burnt out; it walks up to it first."""
        following = min(game.grid.neighbours[tile], key=field.__getitem__)
        if following not in game.fires:
            return False
        if self._waits_from < 0:
            self._waits_from = game.tick
        return True

    def _field_around(self, game: MazeRound, goal: int, burning: frozenset[int]) -> list[int]:
        if self._around is None or self._around[:2] != (goal, burning):
            self._around = (goal, burning, game.grid.distances_avoiding(goal, burning))
        return self._around[2]

    def _name_of(self, goal: int, game: MazeRound) -> str:
        if self._intent == "chase" and self._saw:
            return "player"
        y, x = divmod(goal, game.grid.width)
        return f"tile {x},{y}"


class _Unrest:
    """How erratically it moves: swerves, stops short, strays into wrong branches."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.swerve_deg = 0
        self._swerves_until = 0
        self._balks_from = self._balks_until = 0
        self._jerks: tuple[int, int] = (0, 0)
        self.forget()

    def forget(self) -> None:
        self.stray: int | None = None
        self._strays_until = 0
        self._tile = -1

    def goal_instead(
        self, game: MazeRound, tile: int, goal: int, temper: Temper, near: bool
    ) -> int:
        """The goal, or a tile of a wrong branch while it strays. It does not stray just before it
        catches the player.
        """
        entered, self._tile = tile != self._tile, tile
        if self.stray is not None and (
            near or tile == self.stray or game.tick >= self._strays_until
        ):
            self.stray = None
        if entered and not near and self.stray is None and len(game.grid.neighbours[tile]) > 2:
            right = min(game.grid.neighbours[tile], key=game.grid.distances(goal).__getitem__)
            if self._rng.random() < temper.stray_chance:
                wrong = self._rng.choice(
                    [other for other in game.grid.neighbours[tile] if other != right]
                )
                self.stray = _onwards(game.grid, tile, wrong, farthest=2)
                self._strays_until = game.tick + TICKS_PER_S
        return goal if self.stray is None else self.stray

    def swerve(self, tick: int, temper: Temper) -> int:
        if tick >= self._swerves_until:
            self.swerve_deg = 0
            if self._rng.random() < temper.swerve_chance:
                self.swerve_deg = round(self._rng.uniform(-temper.swerve_deg, temper.swerve_deg))
                self._swerves_until = tick + self._rng.randrange(4, 13)
        return self.swerve_deg

    def balks(self, tick: int, temper: Temper) -> bool:
        if tick >= self._balks_until and self._rng.random() < temper.balk_chance:
            self._balks_from, self._balks_until = tick, tick + self._rng.randrange(8, 17)
            side = self._rng.choice((-1, 1))
            self._jerks = (
                side * self._rng.randrange(50, 120),
                -side * self._rng.randrange(50, 120),
            )
        return tick < self._balks_until

    def jerk_deg(self, tick: int) -> int:
        return self._jerks[(tick - self._balks_from) // 5 % 2]


def new_opponent(name: str | float, seed: int) -> FrustratedOpponent | ShortestPathChaser:
    """One of our opponents, by name or by its level of frustration."""
    if not isinstance(name, str):
        return FrustratedOpponent(constant(name), seed)
    if name in PRESETS:
        return FrustratedOpponent(preset(name), seed)
    if name not in OPPONENTS:
        raise InvalidInput(f"unknown opponent {name!r}. {did_you_mean(name, OPPONENTS)}")
    return ShortestPathChaser()


def can_see(game: MazeRound, temper: Temper) -> bool:
    """Whether the player is inside the opponent's field of view without a wall between."""
    player, own = game.player, game.opponent
    return in_view(game.grid, own, player.x, player.y, temper.view_tiles, temper.view_deg)


def _leads_through(game: MazeRound, field: list[int], start: int, burning: frozenset[int]) -> bool:
    """Whether the shortest way touches fire within its next tiles (farther fire will have burnt
    out).
    """
    tile = start
    for _ in range(8):
        if field[tile] == 0:
            return False
        tile = min(game.grid.neighbours[tile], key=field.__getitem__)
        if tile in burning:
            return True
    return False


def _onwards(grid: Grid, before: int, tile: int, farthest: int = 6) -> int:
    """The probable location of a player who went from `before` to `tile`: the next junction, within
    a limit.
    """
    for _ in range(farthest):
        ways = [other for other in grid.neighbours[tile] if other != before]
        if len(ways) != 1:
            break
        before, tile = tile, ways[0]
    return tile


def blur_sound(game: MazeRound, sound: MazeEvent, blur: float) -> list[int]:
    """The tiles a sound may have originated from, as far as its hearer can know; the right one is
    always among them.
    """
    dx, dy = sound.x - game.opponent.x, sound.y - game.opponent.y
    radius = blur * math.sqrt(dx * dx + dy * dy)
    right = game.grid.tile_at(sound.x, sound.y)
    middle_x, middle_y = game.grid.centre(right)
    near = (
        tile
        for tile in game.grid.free
        for x, y in (game.grid.centre(tile),)
        if tile != right and (x - middle_x) ** 2 + (y - middle_y) ** 2 <= radius * radius
    )
    return [right, *near]


def turn_towards(heading_deg: int, wanted_deg: int, most_deg: float) -> int:
    """The heading after a turn towards another, limited by a maximum."""
    gap = (wanted_deg - heading_deg + 180) % 360 - 180
    return round(heading_deg + max(-most_deg, min(most_deg, gap))) % 360


def _heading_along(game: MazeRound, field: list[int]) -> int:
    """Towards the player itself if it is on this or the next tile, else along the field."""
    if field[game.opponent_tile] == 0:
        return _direction(
            game.player.x - game.opponent.x,
            game.player.y - game.opponent.y,
            game.opponent.heading_deg,
        )
    return _heading_to_next(game, field)


def _heading_to_next(game: MazeRound, field: list[int]) -> int:
    """Towards the middle of the next tile on the way; first to the middle of this one when it would
    cut a corner.
    """
    body, grid, tile = game.opponent, game.grid, game.opponent_tile
    if field[tile] in (0, FAR):
        x, y = grid.centre(tile)
        return _direction(x - body.x, y - body.y, body.heading_deg)
    following = min(grid.neighbours[tile], key=field.__getitem__)
    x, y = grid.centre(following)
    middle_x, middle_y = grid.centre(tile)
    off_line = abs(body.y - middle_y) if y == middle_y else abs(body.x - middle_x)
    if off_line > TILE // 2 - game.settings.body_radius:
        x, y = middle_x, middle_y
    return _direction(x - body.x, y - body.y, body.heading_deg)


def _direction(dx: int, dy: int, otherwise: int) -> int:
    return round(math.degrees(math.atan2(dy, dx))) % 360 if dx or dy else otherwise

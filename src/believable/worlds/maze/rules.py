"""The maze game's rules: an armed player against a faster, unarmed opponent who kills by touch. 30
steps a second.

Pure and exact: whole numbers only (thousandths of a tile, degrees, ticks), so that the same seed
and inputs give the same round on every machine, and the browser can predict the player's own
movement to the last unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from believable.core.seeds import generator
from believable.worlds.maze.grid import TILE, Grid, generate

TICKS_PER_S = 30
#: What can be heard; the event's `amount` says how many tiles away.
SOUNDS = frozenset(["step", "shot", "blast", "reset"])

#: Unit vectors in thousandths, one per degree, clockwise from east (y points down).
COS = tuple(round(1000 * math.cos(math.radians(degree))) for degree in range(360))
SIN = tuple(round(1000 * math.sin(math.radians(degree))) for degree in range(360))


@dataclass(frozen=True, slots=True, kw_only=True)
class MazeRules:
    """The numbers of the game. Lengths in thousandths of a tile, times in ticks, speeds per
    tick.
    """

    size: int = 21
    loops: float = 0.2
    rooms: int = 4
    round_ticks: int = 60 * TICKS_PER_S
    player_speed: int = 100
    opponent_speed: int = 114
    body_radius: int = 300
    health: int = 100
    touch: int = 550
    bullet_speed: int = 450
    bullet_damage: int = 8
    bullet_pause: int = 8
    bullet_life: int = 60
    bomb_speed: int = 160
    bomb_damage: int = 25
    bomb_pause: int = 60
    bomb_fuse: int = 24
    blast_tiles: int = 1
    fire_life: int = 90
    fire_damage_every: int = 3
    player_view_deg: int = 110
    player_view_tiles: int = 7
    kill_points: int = 100
    step_sound_tiles: int = 9
    shot_sound_tiles: int = 20
    blast_sound_tiles: int = 30
    reset_sound_tiles: int = 15
    stagger_ticks: int = 6
    stagger_speed: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerInput:
    """The player's keys and mouse in one tick: direction of walking (−1, 0, 1 each), direction of
    aim, and the triggers.
    """

    dx: int = 0
    dy: int = 0
    aim_deg: int = 0
    shoot: bool = False
    bomb: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentInput:
    """The opponent's intended move: a heading, and whether to walk. It looks in its direction of
    walking unless `face_deg` says otherwise. `intent` is its activity, for the record.
    """

    heading_deg: int = 0
    walk: bool = False
    intent: str = ""
    goal: str = ""
    face_deg: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MazeEvent:
    """Something that mattered: `kind`, who, and where."""

    tick: int
    kind: str
    actor: str
    x: int
    y: int
    amount: int = 0


@dataclass(slots=True)
class Figure:
    x: int
    y: int
    heading_deg: int
    health: int


@dataclass(slots=True, kw_only=True)
class Missile:
    """A bullet or a bomb in flight."""

    id: int
    kind: str
    x: int
    y: int
    vx: int
    vy: int
    ticks_left: int


@dataclass(slots=True, kw_only=True)
class MazeRound:
    """One round in progress. `step` moves it on by a thirtieth of a second."""

    settings: MazeRules
    seed: int
    grid: Grid
    player_start: int
    opponent_start: int
    tick: int = 0
    score: int = 0
    player: Figure = field(init=False)
    opponent: Figure = field(init=False)
    missiles: list[Missile] = field(default_factory=list)
    fires: dict[int, int] = field(default_factory=dict)  # tile → tick it burns out
    bullet_ready: int = 0
    bomb_ready: int = 0
    missiles_made: int = 0
    staggers_until: int = 0

    def __post_init__(self) -> None:
        self._reset(0)

    @property
    def over(self) -> bool:
        return self.tick >= self.settings.round_ticks

    def step(self, player: PlayerInput, opponent: OpponentInput) -> list[MazeEvent]:
        """One tick: walk, shoot, fly, burn, touch. Returns what happened, in that order."""
        events: list[MazeEvent] = []
        self._walk_player(player, events)
        self._walk_opponent(opponent)
        self._use_weapons(player, events)
        self._fly(events)
        self._burn(events)
        self._settle(events)
        self.tick += 1
        return events

    # -------------------------------------------------------------------------------------- walking

    def _walk_player(self, keys: PlayerInput, events: list[MazeEvent]) -> None:
        body, settings = self.player, self.settings
        body.heading_deg = keys.aim_deg % 360
        if not (keys.dx or keys.dy):
            return
        speed = (
            settings.player_speed
            if not (keys.dx and keys.dy)
            else settings.player_speed * 707 // 1000
        )
        body.x, body.y = slide(
            self.grid, body.x, body.y, keys.dx * speed, keys.dy * speed, settings.body_radius
        )
        if self.tick % 10 == 0:
            events.append(
                MazeEvent(
                    tick=self.tick,
                    kind="step",
                    actor="player",
                    x=body.x,
                    y=body.y,
                    amount=settings.step_sound_tiles,
                )
            )

    def _walk_opponent(self, intent: OpponentInput) -> None:
        body, settings = self.opponent, self.settings
        heading = intent.heading_deg % 360
        body.heading_deg = heading if intent.face_deg is None else intent.face_deg % 360
        if intent.walk:
            speed = (
                settings.stagger_speed
                if self.tick < self.staggers_until
                else settings.opponent_speed
            )
            dx, dy = scale_speed(COS[heading], speed), scale_speed(SIN[heading], speed)
            body.x, body.y = slide(self.grid, body.x, body.y, dx, dy, settings.body_radius)

    # -------------------------------------------------------------------------------------- weapons

    def _use_weapons(self, keys: PlayerInput, events: list[MazeEvent]) -> None:
        settings = self.settings
        if keys.shoot and self.tick >= self.bullet_ready:
            self.bullet_ready = self.tick + settings.bullet_pause
            self._launch("bullet", settings.bullet_speed, settings.bullet_life)
            events.append(
                MazeEvent(
                    tick=self.tick,
                    kind="shot",
                    actor="player",
                    x=self.player.x,
                    y=self.player.y,
                    amount=settings.shot_sound_tiles,
                )
            )
        if keys.bomb and self.tick >= self.bomb_ready:
            self.bomb_ready = self.tick + settings.bomb_pause
            self._launch("bomb", settings.bomb_speed, settings.bomb_fuse)
            events.append(
                MazeEvent(
                    tick=self.tick, kind="throw", actor="player", x=self.player.x, y=self.player.y
                )
            )

    def _launch(self, kind: str, speed: int, life: int) -> None:
        heading = self.player.heading_deg
        self.missiles_made += 1
        vx, vy = scale_speed(COS[heading], speed), scale_speed(SIN[heading], speed)
        self.missiles.append(
            Missile(
                id=self.missiles_made,
                kind=kind,
                x=self.player.x,
                y=self.player.y,
                vx=vx,
                vy=vy,
                ticks_left=life,
            )
        )

    def _fly(self, events: list[MazeEvent]) -> None:
        if not self.missiles:
            return
        self.missiles = [
            missile for missile in self.missiles if not self._moved_on(missile, events)
        ]

    def _moved_on(self, missile: Missile, events: list[MazeEvent]) -> bool:
        """Moves a missile; True when it is spent (hit a wall, the opponent, or its time is
        over).
        """
        x, y = missile.x + missile.vx, missile.y + missile.vy
        hits_wall = self.grid.blocked[self.grid.tile_at(x, y)] == 1
        if not hits_wall:
            missile.x, missile.y = x, y
        missile.ticks_left -= 1
        near = (
            abs(missile.x - self.opponent.x) + abs(missile.y - self.opponent.y)
            < 2 * self.settings.body_radius
        )
        if missile.kind == "bullet":
            if near:
                # A hit figure staggers for a moment: otherwise a faster opponent in a corridor
                # could not be stopped.
                self.staggers_until = self.tick + 1 + self.settings.stagger_ticks
                self._hurt_opponent(self.settings.bullet_damage, "hit", events)
            return near or hits_wall or missile.ticks_left <= 0
        if near or hits_wall or missile.ticks_left <= 0:
            self._explode(missile, events)
            return True
        return False

    def _explode(self, bomb: Missile, events: list[MazeEvent]) -> None:
        settings = self.settings
        events.append(
            MazeEvent(
                tick=self.tick,
                kind="blast",
                actor="bomb",
                x=bomb.x,
                y=bomb.y,
                amount=settings.blast_sound_tiles,
            )
        )
        centre = self.grid.tile_at(bomb.x, bomb.y)
        reached = self.grid.distances(centre)
        around = [centre]
        for _ in range(settings.blast_tiles):
            around += [n for tile in around for n in self.grid.neighbours[tile] if n not in around]
        for tile in around:
            self.fires[tile] = self.tick + settings.fire_life
        if reached[self.opponent_tile] <= settings.blast_tiles:
            self._hurt_opponent(settings.bomb_damage, "blast_hit", events)
        if reached[self.player_tile] <= settings.blast_tiles:
            self._hurt_player(settings.bomb_damage, events)

    def _burn(self, events: list[MazeEvent]) -> None:
        if not self.fires:
            return
        for tile in [tile for tile, until in self.fires.items() if until <= self.tick]:
            del self.fires[tile]
        if self.tick % self.settings.fire_damage_every:
            return
        if self.opponent_tile in self.fires:
            self._hurt_opponent(1, "burn", events)
        if self.player_tile in self.fires:
            self._hurt_player(1, events)

    # -------------------------------------------------------------------------------------- health

    def _hurt_opponent(self, damage: int, how: str, events: list[MazeEvent]) -> None:
        taken = min(damage, self.opponent.health)
        self.opponent.health -= taken
        self.score += taken
        if taken:
            events.append(
                MazeEvent(
                    tick=self.tick,
                    kind=how,
                    actor="opponent",
                    x=self.opponent.x,
                    y=self.opponent.y,
                    amount=taken,
                )
            )

    def _hurt_player(self, damage: int, events: list[MazeEvent]) -> None:
        taken = min(damage, self.player.health)
        self.player.health -= taken
        if taken:
            events.append(
                MazeEvent(
                    tick=self.tick,
                    kind="hurt",
                    actor="player",
                    x=self.player.x,
                    y=self.player.y,
                    amount=taken,
                )
            )

    def _settle(self, events: list[MazeEvent]) -> None:
        """A death moves both back to their starting positions with full health; the clock and the
        score continue.
        """
        dx, dy = self.player.x - self.opponent.x, self.player.y - self.opponent.y
        touched = dx * dx + dy * dy <= self.settings.touch**2
        if self.opponent.health <= 0:
            self.score += self.settings.kill_points
            events.append(
                MazeEvent(
                    tick=self.tick,
                    kind="opponent_killed",
                    actor="opponent",
                    x=self.opponent.x,
                    y=self.opponent.y,
                )
            )
        elif self.player.health <= 0 or touched:
            kind = "caught" if touched else "player_killed"
            events.append(
                MazeEvent(
                    tick=self.tick, kind=kind, actor="player", x=self.player.x, y=self.player.y
                )
            )
        else:
            return
        self._reset(self.player.heading_deg)
        events.append(
            MazeEvent(
                tick=self.tick,
                kind="reset",
                actor="player",
                x=self.player.x,
                y=self.player.y,
                amount=self.settings.reset_sound_tiles,
            )
        )

    def _reset(self, player_heading_deg: int) -> None:
        settings = self.settings
        self.player = Figure(
            *self.grid.centre(self.player_start), player_heading_deg, settings.health
        )
        self.opponent = Figure(*self.grid.centre(self.opponent_start), 180, settings.health)
        self.missiles.clear()
        self.fires.clear()
        self.staggers_until = 0

    @property
    def player_tile(self) -> int:
        return self.grid.tile_at(self.player.x, self.player.y)

    @property
    def opponent_tile(self) -> int:
        return self.grid.tile_at(self.opponent.x, self.opponent.y)


def new_round(seed: int, settings: MazeRules | None = None) -> MazeRound:
    """A fresh round: maze and starting places from the seed, the two as far apart as the maze
    allows.
    """
    chosen = settings or MazeRules()
    rng = generator(seed, "maze")
    grid = Grid(generate(rng, size=chosen.size, loops=chosen.loops, rooms=chosen.rooms))
    player_start = rng.choice(grid.free)
    distances = grid.distances(player_start)
    farthest = max(distances[tile] for tile in grid.free)
    far_away = [tile for tile in grid.free if 4 * distances[tile] >= 3 * farthest]
    return MazeRound(
        settings=chosen,
        seed=seed,
        grid=grid,
        player_start=player_start,
        opponent_start=rng.choice(far_away),
    )


def slide(grid: Grid, x: int, y: int, dx: int, dy: int, radius: int) -> tuple[int, int]:
    """Move by (dx, dy), each axis on its own and up to the wall, so that bodies slide along walls
    and never enter them.
    """
    if dx:
        x = _along(grid, x + dx, y, dx, radius, horizontal=True)
    if dy:
        y = _along(grid, x, y + dy, dy, radius, horizontal=False)
    return x, y


def _along(grid: Grid, x: int, y: int, step: int, radius: int, *, horizontal: bool) -> int:
    """The new coordinate on one axis, pulled back to touch the wall ahead if there is one."""
    ahead = (x if horizontal else y) + (radius if step > 0 else -radius)
    beside = (y if horizontal else x) - radius, (y if horizontal else x) + radius - 1
    tile_ahead = ahead // TILE
    for side in beside:
        column, row = (tile_ahead, side // TILE) if horizontal else (side // TILE, tile_ahead)
        if grid.blocked[row * grid.width + column]:
            return tile_ahead * TILE - radius - 1 if step > 0 else (tile_ahead + 1) * TILE + radius
    return x if horizontal else y


def player_sees(game: MazeRound, x: int, y: int, reach: int = 0) -> bool:
    """Whether an object at a position, with this half-width, is in the player's field of vision
    without a wall between.
    """
    spots = (
        ((x, y), (x - reach, y), (x + reach, y), (x, y - reach), (x, y + reach))
        if reach
        else ((x, y),)
    )
    reaches = game.settings.player_view_tiles, game.settings.player_view_deg
    return any(in_view(game.grid, game.player, *spot, *reaches) for spot in spots)


def in_view(
    grid: Grid, body: Figure, x: int, y: int, view_tiles: float, view_deg: float = 360
) -> bool:
    """Whether a figure with so wide a field of vision has a place in it, with no wall between."""
    dx, dy = x - body.x, y - body.y
    reach = view_tiles * TILE
    if dx * dx + dy * dy > reach * reach:
        return False
    off = (math.degrees(math.atan2(dy, dx)) - body.heading_deg + 180) % 360 - 180
    return abs(off) <= view_deg / 2 and grid.sees(body.x, body.y, x, y)


def heard(events: Iterable[MazeEvent], x: int, y: int) -> MazeEvent | None:
    """The nearest of the sounds that carry to (x, y). Walls do not stop them: a hearer notices a
    presence, not the way.
    """
    best: tuple[int, MazeEvent] | None = None
    for event in events:
        if event.kind in SOUNDS:
            off = (event.x - x) ** 2 + (event.y - y) ** 2
            if off <= (event.amount * TILE) ** 2 and (best is None or off < best[0]):
                best = (off, event)
    return None if best is None else best[1]


def scale_speed(unit: int, speed: int) -> int:
    """`unit` thousandths of `speed`, rounded towards zero, the same for both signs."""
    return unit * speed // 1000 if unit >= 0 else -(-unit * speed // 1000)

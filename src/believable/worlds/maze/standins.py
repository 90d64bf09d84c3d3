"""Scripted players that replace people and programs in demonstration stimuli, different on purpose.

None of them is a person or a trained agent: a study with them is a demonstration, and says so.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from believable.core.seeds import derive, generator
from believable.recordings.recording import Action, Actor, RecordedWorld, Recording, Timing, Track
from believable.worlds.maze.grid import TILE, Grid, generate
from believable.worlds.maze.opponents import FrustratedOpponent
from believable.worlds.maze.record import FRAME_MS, play_round
from believable.worlds.maze.rules import (
    COS,
    SIN,
    TICKS_PER_S,
    MazeEvent,
    MazeRound,
    MazeRules,
    PlayerInput,
    slide,
)
from believable.worlds.maze.scripted_player import ScriptedPlayer, Skill
from believable.worlds.maze.temper import preset

# ------------------------------------------------------------------------------------------ walking
# to a place

#: The least length of a route: no player arrives before the recording ends.
SPEED = 100
BODY_RADIUS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Gait:
    """The gait of a scripted player.

    | parameter | unit | more of it means |
    |---|---|---|
    | `turn_deg` | degrees per tick | turns faster; 360 turns at once |
    | `ease` | share of the remaining turn per tick | turns less smoothly |
    | `ahead_tiles` | tiles | looks farther along the way and cuts corners |
    | `snap_deg` | degrees | headings are multiples of it (1: any) |
    | `decide_ticks` | ticks | decides less often |
    | `waver_deg` | degrees | random error of the heading at each decision |
    | `pause_chance` | probability per tick | stops and looks round more often |
    | `wrong_ways` | count | places off the way that it goes to first |
    """

    turn_deg: float
    ease: float
    ahead_tiles: int
    snap_deg: int
    decide_ticks: int
    waver_deg: float
    pause_chance: float
    wrong_ways: int


#: All have the same maximum turning speed, and turn about as much: else the beam alone would reveal
#: them, without a look at the walk.
GAITS: Mapping[str, Gait] = MappingProxyType(
    {
        "standin_human": Gait(
            turn_deg=14.0,
            ease=0.22,
            ahead_tiles=4,
            snap_deg=1,
            decide_ticks=1,
            waver_deg=1.5,
            pause_chance=0.012,
            wrong_ways=1,
        ),
        "standin_careful": Gait(
            turn_deg=14.0,
            ease=0.22,
            ahead_tiles=4,
            snap_deg=1,
            decide_ticks=1,
            waver_deg=1.5,
            pause_chance=0.0,
            wrong_ways=0,
        ),
        "standin_brisk": Gait(
            turn_deg=14.0,
            ease=0.5,
            ahead_tiles=3,
            snap_deg=1,
            decide_ticks=3,
            waver_deg=5.0,
            pause_chance=0.0,
            wrong_ways=0,
        ),
        "standin_wavering": Gait(
            turn_deg=14.0,
            ease=0.4,
            ahead_tiles=2,
            snap_deg=15,
            decide_ticks=5,
            waver_deg=20.0,
            pause_chance=0.0,
            wrong_ways=0,
        ),
        "standin_halting": Gait(
            turn_deg=14.0,
            ease=1.0,
            ahead_tiles=1,
            snap_deg=30,
            decide_ticks=6,
            waver_deg=10.0,
            pause_chance=0.02,
            wrong_ways=0,
        ),
        "standin_agent": Gait(
            turn_deg=14.0,
            ease=1.0,
            ahead_tiles=1,
            snap_deg=45,
            decide_ticks=6,
            waver_deg=14.0,
            pause_chance=0.0,
            wrong_ways=0,
        ),
    }
)


def walk(seed: int, kind: str, *, ticks: int = 12 * TICKS_PER_S) -> Recording:
    """The scripted player `kind` on its way to a tile in a maze. Maze, start and goal follow from
    the seed alone.
    """
    grid, start, goal = _course(seed, ticks)
    walker = _Walker(grid, start, goal, GAITS[kind], generator(seed, "walk", kind))
    for _ in range(ticks):
        walker.step()
    goal_x, goal_y = grid.centre(goal)
    return Recording(
        world=RecordedWorld(kind="maze", width=grid.width, height=grid.height, walls=grid.walls),
        actors=(Actor("goal", "Goal", "goal"), Actor("walker", "Player", "player")),
        timing=Timing(frame_ms=FRAME_MS, frames=ticks),
        tracks=(
            Track(actor="goal", x=(goal_x,) * ticks, y=(goal_y,) * ticks, heading=(0,) * ticks),
            Track(
                actor="walker",
                x=tuple(walker.xs),
                y=tuple(walker.ys),
                heading=tuple(walker.headings),
            ),
        ),
        actions=tuple(walker.actions()),
        seed=seed,
        agent=kind,
        provenance={"world": "maze", "standin": kind},
    )


def _course(seed: int, ticks: int) -> tuple[Grid, int, int]:
    """The first maze of this seed whose longest way cannot be walked in the time."""
    needed = ticks * SPEED // TILE + 4
    for attempt in range(200):
        rng = generator(seed, "course", attempt)
        grid = Grid(generate(rng, size=23, loops=0.10, rooms=3))
        start = rng.choice(grid.free)
        distances = grid.distances(start)
        far = [tile for tile in grid.free if distances[tile] >= needed]
        if far:
            return grid, start, rng.choice(far)
    raise RuntimeError(f"no maze of seed {seed} has a way of {needed} tiles")


class _Walker:
    def __init__(self, grid: Grid, start: int, goal: int, gait: Gait, rng: random.Random) -> None:
        self._grid, self._gait, self._rng = grid, gait, rng
        self._goals = [*self._detours(start, goal), goal]
        self._x, self._y = grid.centre(start)
        first = min(grid.neighbours[start], key=grid.distances(self._goals[0]).__getitem__)
        x, y = grid.centre(first)
        self._heading = self._wanted = math.degrees(math.atan2(y - self._y, x - self._x))
        self._pause_until = self._tick = self._stuck = 0
        self._glance = 0.0
        self.xs: list[int] = []
        self.ys: list[int] = []
        self.headings: list[int] = []
        self._doing: list[str] = []

    def _detours(self, start: int, goal: int) -> list[int]:
        """Places a few steps off the way, in the order of the way."""
        field, back = self._grid.distances(goal), self._grid.distances(start)
        length = field[start]
        off = [
            tile
            for tile in self._grid.free
            if 4 <= field[tile] + back[tile] - length <= 8 and 8 <= back[tile] <= 18
        ]
        chosen = self._rng.sample(off, min(self._gait.wrong_ways, len(off)))
        return sorted(chosen, key=back.__getitem__)

    def step(self) -> None:
        gait, rng = self._gait, self._rng
        if self._tick >= self._pause_until and rng.random() < gait.pause_chance:
            self._pause_until = self._tick + rng.randrange(8, 22)
            self._glance = rng.choice((-1, 1)) * rng.uniform(35, 80)
        pausing = self._tick < self._pause_until
        if self._tick % gait.decide_ticks == 0:
            self._wanted = self._snap(self._towards() + rng.gauss(0, gait.waver_deg))
        self._turn(self._wanted + (self._glance if pausing else 0.0))
        if not pausing:
            self._move()
        self._doing.append("stop" if pausing else "walk")
        self.xs.append(self._x)
        self.ys.append(self._y)
        self.headings.append(round(self._heading) % 360)
        self._tick += 1

    def _towards(self) -> float:
        grid = self._grid
        own_tile = grid.tile_at(self._x, self._y)
        if own_tile == self._goals[0] and len(self._goals) > 1:
            self._goals.pop(0)
        field, tile = grid.distances(self._goals[0]), own_tile
        # Someone who got stuck at a corner looks only at the next tile until they are free again.
        for _ in range(1 if self._stuck > 4 else self._gait.ahead_tiles):
            if field[tile] == 0:
                break
            following = min(grid.neighbours[tile], key=field.__getitem__)
            if tile != own_tile and not grid.sees(self._x, self._y, *grid.centre(following)):
                break
            tile = following
        x, y = grid.centre(tile)
        if x == self._x and y == self._y:
            return self._heading
        return math.degrees(math.atan2(y - self._y, x - self._x))

    def _snap(self, heading: float) -> float:
        return round(heading / self._gait.snap_deg) * float(self._gait.snap_deg)

    def _turn(self, wanted: float) -> None:
        gap = (wanted - self._heading + 180) % 360 - 180
        step = max(-self._gait.turn_deg, min(self._gait.turn_deg, gap * self._gait.ease))
        self._heading = (self._heading + step) % 360

    def _move(self) -> None:
        gap = abs((self._wanted - self._heading + 180) % 360 - 180)
        speed = SPEED if gap < 25 else SPEED // 2 if gap < 70 else SPEED // 4
        degree = round(self._heading) % 360
        before = self._x, self._y
        self._x, self._y = slide(
            self._grid,
            self._x,
            self._y,
            COS[degree] * speed // 1000,
            SIN[degree] * speed // 1000,
            BODY_RADIUS,
        )
        moved = abs(self._x - before[0]) + abs(self._y - before[1])
        self._stuck = self._stuck + 1 if moved < speed // 3 else max(0, self._stuck - 1)

    def actions(self) -> list[Action]:
        """Walking and stopping, from change to change."""
        changes = [
            tick
            for tick in range(len(self._doing))
            if tick == 0 or self._doing[tick] != self._doing[tick - 1]
        ]
        ends = [*changes[1:], len(self._doing)]
        words = {"walk": "walks towards the goal", "stop": "stops and looks round"}
        return [
            Action(
                id=f"w{number}",
                actor="walker",
                t0_ms=round(first * FRAME_MS),
                t1_ms=round(end * FRAME_MS),
                verb=verb,
                object="goal",
                place=None,
                text=words[verb],
            )
            for number, (first, end) in enumerate(zip(changes, ends, strict=True), 1)
            for verb in (self._doing[first],)
        ]


# ------------------------------------------------------------------------------------------ playing


@dataclass(frozen=True, slots=True)
class Hand:
    """How the mouse hand follows the player's decisions: maximum degrees per tick, and tremor in
    degrees.
    """

    turn_deg: float
    tremor_deg: float


#: The same game played with different hands and heads: (skill, hand). No hand is so fast that its
#: owner is known by one jump.
PLAYERS: Mapping[str, tuple[Skill, Hand]] = MappingProxyType(
    {
        "standin_human": (Skill(10, 11.0, 0.05, 0.02), Hand(16.0, 1.5)),
        "standin_imitation": (Skill(7, 8.0, 0.04, 0.012), Hand(16.0, 2.5)),
        "standin_rules": (Skill(0, 0.0, 0.0, 0.0), Hand(18.0, 0.0)),
    }
)


class HandedPlayer:
    """The scripted player whose aim is led by a hand."""

    def __init__(self, seed: int, skill: Skill, hand: Hand) -> None:
        self._player = ScriptedPlayer(seed, skill)
        self._hand = hand
        self._rng = generator(seed, "hand")
        self._aim: float | None = None

    def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> PlayerInput:
        wanted = self._player.decide(game, events)
        aim = float(game.player.heading_deg) if self._aim is None else self._aim
        gap = (wanted.aim_deg - aim + 180) % 360 - 180
        step = max(-self._hand.turn_deg, min(self._hand.turn_deg, gap))
        self._aim = (aim + step + self._rng.gauss(0, self._hand.tremor_deg)) % 360
        on_target = abs(gap) <= 25
        return PlayerInput(
            dx=wanted.dx,
            dy=wanted.dy,
            aim_deg=round(self._aim) % 360,
            shoot=wanted.shoot and on_target,
            bomb=wanted.bomb and on_target,
        )


def fight(
    seed: int, take: int, kind: str, *, ticks: int = 15 * TICKS_PER_S, mood: str = "calm"
) -> Recording:
    """The scripted player `kind` in a round of the maze game. The maze follows from `seed`,
    everything else also from `take`.
    """
    skill, hand = PLAYERS[kind]
    own = derive(seed, "take", take)
    settings = MazeRules(size=17, round_ticks=ticks, opponent_speed=70)
    player = HandedPlayer(own, skill, hand)
    return play_round(
        seed, player, FrustratedOpponent(preset(mood), own), agent=kind, settings=settings
    )[0]

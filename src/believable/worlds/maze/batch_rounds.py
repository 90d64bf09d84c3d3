"""Rounds of the maze by the batch, compiled (extra `fast`): the arrays, chance, the maze and the
rules.

The same game as `rules` and `grid`, said again in a form that a compiler takes: to the last bit,
with the same draws from the standard library's generator. `tests/worlds/maze/test_vector_env.py`
plays both beside each other.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import MissingExtra
from believable.worlds.maze import rules
from believable.worlds.maze.grid import TILE
from believable.worlds.maze.rules import MazeRules
from believable.worlds.maze.temper import Dynamics, Temper

try:
    from numba import njit
except ImportError as error:
    raise MissingExtra(what="environments by the batch", extra="fast") from error

#: Kept on disk after the first use. Numba looks at a function's own file only: after a change here,
#: touch the two that import it.
compiled: Any = njit(nogil=True, cache=True)

#: Steps to a tile that cannot be reached: more than any way, in the few bits that distances take in
#: here.
FAR = 32767
COS, SIN = (np.array(values, np.int64) for values in (rules.COS, rules.SIN))
TICKS_PER_S = rules.TICKS_PER_S
#: Words of the generator's state.
N_WORDS, SHIFTED = 624, 397
BULLET, BOMB = 0, 1
STEP, SHOT, BLAST, RESET, HIT, CAUGHT, KILLED, OTHER = range(8)

TEMPER = tuple(field.name for field in fields(Temper))
INTEGERS = (
    # the round
    "tick",
    "score",
    "player_x",
    "player_y",
    "player_deg",
    "player_health",
    "opponent_x",
    "opponent_y",
    "opponent_deg",
    "opponent_health",
    "bullet_ready",
    "bomb_ready",
    "staggers_until",
    "n_missiles",
    "n_events",
    "n_fires",
    "fires_version",
    # the maze
    "width",
    "n_free",
    "player_start",
    "opponent_start",
    # the generator
    "word",
    "has_gauss",
    # the opponent
    "goal",
    "intent",
    "saw",
    "seen_tick",
    "heard_tick",
    "n_trail",
    "trail_from",
    "trail_to",
    "looks_until",
    "looks_from",
    "looks_at",
    "waits_from",
    "best_steps",
    "best_tick",
    "swerves_by",
    "swerves_until",
    "balks_from",
    "balks_until",
    "jerk_first",
    "jerk_second",
    "stray",
    "strays_until",
    "entered_tile",
    "around_goal",
    "around_tile",
    "around_version",
    # the scripted player
    "player_goal",
    "noticed_tick",
    "pause_until",
)
REALS = ("gauss", "error_deg", "level", "temper_level", *TEMPER)
SETTINGS = np.dtype(
    [(field.name, np.float64 if field.name == "loops" else np.int64) for field in fields(MazeRules)]
    + [(field.name, np.float64) for field in fields(Dynamics)]
)


def round_type(settings: MazeRules) -> np.dtype[Any]:
    """A round as one piece of memory: compiled functions are handed nothing but where it begins."""
    n_tiles = settings.size**2
    bullets = settings.bullet_life // max(1, settings.bullet_pause) + 2
    n_missiles = bullets + settings.bomb_fuse // max(1, settings.bomb_pause) + 2
    return np.dtype(
        [(name, np.int64) for name in INTEGERS]
        + [(name, np.float64) for name in REALS]
        + [
            ("words", np.uint32, N_WORDS),
            ("missiles", np.int32, (n_missiles, 6)),
            ("events", np.int32, (8 + 3 * n_missiles, 4)),
            ("fires", np.int32, n_tiles),
            ("visited", np.int32, n_tiles),
            ("ways", np.int16, (n_tiles, 4)),
            ("n_ways", np.int16, n_tiles),
            ("free", np.int16, n_tiles),
            ("blocked", np.int16, n_tiles),
            ("known", np.int16, n_tiles),
            ("queue", np.int16, n_tiles),
            # steps to each tile from all; the last row is for those around fire
            ("fields", np.int16, (n_tiles + 1, n_tiles)),
        ],
        align=True,
    )


def settings_row(settings: MazeRules, dynamics: Dynamics) -> NDArray[Any]:
    """The numbers of rules and opponent, for compiled functions."""
    values = [getattr(settings, field.name) for field in fields(MazeRules)]
    return np.array(
        [(*values, *(getattr(dynamics, field.name) for field in fields(Dynamics)))], SETTINGS
    )


# ------------------------------------------------------------------------------------------ chance


@compiled
def _next_words(words: Any) -> None:
    for k in range(N_WORDS):
        mixed = (np.int64(words[k]) & 0x80000000) | (
            np.int64(words[(k + 1) % N_WORDS]) & 0x7FFFFFFF
        )
        word = np.int64(words[(k + SHIFTED) % N_WORDS]) ^ (mixed >> 1)
        words[k] = word ^ 0x9908B0DF if mixed & 1 else word


@compiled
def _bits(game: Any, settings: Any) -> int:
    """The next 32 bits of the Mersenne Twister."""
    words = game.words
    if game.word >= N_WORDS:
        _next_words(words)
        game.word = 0
    word = np.int64(words[game.word])
    game.word += 1
    word ^= word >> 11
    word ^= (word << 7) & 0x9D2C5680
    word ^= (word << 15) & 0xEFC60000
    return word ^ (word >> 18)


@compiled
def random_share(game: Any, settings: Any) -> float:
    high, low = _bits(game, settings) >> 5, _bits(game, settings) >> 6
    return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0)


@compiled
def random_below(game: Any, settings: Any, n: int) -> int:
    shift = 32
    while n >> (32 - shift):
        shift -= 1
    drawn = _bits(game, settings) >> shift
    while drawn >= n:
        drawn = _bits(game, settings) >> shift
    return drawn


@compiled
def random_gauss(game: Any, settings: Any, sigma: float) -> float:
    if game.has_gauss:
        game.has_gauss = 0
        return 0.0 + game.gauss * sigma
    angle = random_share(game, settings) * (2.0 * math.pi)
    radius = math.sqrt(-2.0 * math.log(1.0 - random_share(game, settings)))
    game.gauss = math.sin(angle) * radius
    game.has_gauss = 1
    return 0.0 + math.cos(angle) * radius * sigma


# ------------------------------------------------------------------------------------------ the
# maze


@compiled
def tile_at(width: int, x: int, y: int) -> int:
    return (y // TILE) * width + x // TILE


@compiled
def spread(
    game: Any, settings: Any, target: int, field: Any, own_tile: int, avoids_fire: bool
) -> None:
    """Steps from every tile to the target, never entering fire but one's own where that is
    avoided.
    """
    ways, n_ways, fires, queue = game.ways, game.n_ways, game.fires, game.queue
    field[:] = FAR
    field[target] = 0
    queue[0] = target
    begin, end = 0, 1
    while begin < end:
        tile = queue[begin]
        begin += 1
        for k in range(n_ways[tile]):
            other = ways[tile, k]
            if field[other] == FAR and not (
                avoids_fire and fires[other] >= 0 and other != own_tile
            ):
                field[other] = field[tile] + 1
                queue[end] = other
                end += 1


@compiled
def distances_to(game: Any, settings: Any, target: int) -> Any:
    field = game.fields[target]
    if not game.known[target]:
        spread(game, settings, target, field, -1, False)
        game.known[target] = True
    return field


@compiled
def following_tile(game: Any, settings: Any, tile: int, field: Any) -> int:
    """The neighbour from which the way is shortest, the first of several."""
    ways = game.ways[tile]
    best = ways[0]
    for k in range(1, game.n_ways[tile]):
        if field[ways[k]] < field[best]:
            best = ways[k]
    return best


@compiled
def _open_sight(game: Any, settings: Any, x0: int, y0: int, x1: int, y1: int) -> bool:
    column, row = x0 // TILE, y0 // TILE
    dx, dy = abs(x1 - x0), abs(y1 - y0)
    step_x, step_y = (1 if x1 > x0 else -1), (1 if y1 > y0 else -1)
    to_x = ((column + 1) * TILE - x0 if step_x > 0 else x0 - column * TILE) * dy
    to_y = ((row + 1) * TILE - y0 if step_y > 0 else y0 - row * TILE) * dx
    blocked, width = game.blocked, game.width
    for _ in range(abs(x1 // TILE - column) + abs(y1 // TILE - row)):
        if dy == 0 or (dx != 0 and to_x < to_y):
            column += step_x
            to_x += TILE * dy
        else:
            row += step_y
            to_y += TILE * dx
        if blocked[row * width + column]:
            return False
    return True


@compiled
def in_view(
    game: Any,
    settings: Any,
    own_x: int,
    own_y: int,
    own_deg: int,
    x: int,
    y: int,
    tiles: float,
    view_deg: float,
) -> bool:
    dx, dy = x - own_x, y - own_y
    reach = tiles * TILE
    if dx * dx + dy * dy > reach * reach:
        return False
    off = (math.degrees(math.atan2(dy, dx)) - own_deg + 180) % 360 - 180
    return abs(off) <= view_deg / 2 and _open_sight(game, settings, own_x, own_y, x, y)


@compiled
def _slide(game: Any, settings: Any, x: int, y: int, dx: int, dy: int) -> tuple[int, int]:
    blocked, width, radius = game.blocked, game.width, settings.body_radius
    if dx:
        x += dx
        ahead = (x + (radius if dx > 0 else -radius)) // TILE
        if (
            blocked[(y - radius) // TILE * width + ahead]
            or blocked[(y + radius - 1) // TILE * width + ahead]
        ):
            x = ahead * TILE - radius - 1 if dx > 0 else (ahead + 1) * TILE + radius
    if dy:
        y += dy
        ahead = (y + (radius if dy > 0 else -radius)) // TILE
        if (
            blocked[ahead * width + (x - radius) // TILE]
            or blocked[ahead * width + (x + radius - 1) // TILE]
        ):
            y = ahead * TILE - radius - 1 if dy > 0 else (ahead + 1) * TILE + radius
    return x, y


@compiled
def _scaled(unit: int, speed: int) -> int:
    return unit * speed // 1000 if unit >= 0 else -(-unit * speed // 1000)


# ------------------------------------------------------------------------------------------ the
# rules


@compiled
def put_back(game: Any, settings: Any, player_deg: int) -> None:
    game.player_x = game.player_start % game.width * TILE + TILE // 2
    game.player_y = game.player_start // game.width * TILE + TILE // 2
    game.opponent_x = game.opponent_start % game.width * TILE + TILE // 2
    game.opponent_y = game.opponent_start // game.width * TILE + TILE // 2
    game.player_deg, game.opponent_deg = player_deg, 180
    game.player_health = game.opponent_health = settings.health
    game.n_missiles = game.n_fires = game.staggers_until = 0
    game.fires_version += 1
    game.fires[:] = -1


@compiled
def _happened(game: Any, settings: Any, kind: int, x: int, y: int, amount: int) -> None:
    event = game.events[game.n_events]
    event[0], event[1], event[2], event[3] = kind, x, y, amount
    game.n_events += 1


@compiled
def step_round(
    game: Any,
    settings: Any,
    dx: int,
    dy: int,
    aim_deg: int,
    shoot: bool,
    bomb: bool,
    heading: int,
    walk: bool,
    face: int,
) -> None:
    game.n_events = 0
    game.player_deg = aim_deg % 360
    if dx or dy:
        speed = settings.player_speed if not (dx and dy) else settings.player_speed * 707 // 1000
        game.player_x, game.player_y = _slide(
            game, settings, game.player_x, game.player_y, dx * speed, dy * speed
        )
        if game.tick % 10 == 0:
            _happened(game, settings, STEP, game.player_x, game.player_y, settings.step_sound_tiles)
    game.opponent_deg = face % 360
    if walk:
        speed = (
            settings.stagger_speed if game.tick < game.staggers_until else settings.opponent_speed
        )
        across, down = _scaled(COS[heading % 360], speed), _scaled(SIN[heading % 360], speed)
        game.opponent_x, game.opponent_y = _slide(
            game, settings, game.opponent_x, game.opponent_y, across, down
        )
    if shoot and game.tick >= game.bullet_ready:
        game.bullet_ready = game.tick + settings.bullet_pause
        _launch(game, settings, BULLET, settings.bullet_speed, settings.bullet_life)
        _happened(game, settings, SHOT, game.player_x, game.player_y, settings.shot_sound_tiles)
    if bomb and game.tick >= game.bomb_ready:
        game.bomb_ready = game.tick + settings.bomb_pause
        _launch(game, settings, BOMB, settings.bomb_speed, settings.bomb_fuse)
    _fly(game, settings)
    if game.n_fires:
        _burn(game, settings)
    _settle(game, settings)
    game.tick += 1


@compiled
def _launch(game: Any, settings: Any, kind: int, speed: int, life: int) -> None:
    missile = game.missiles[game.n_missiles]
    missile[0], missile[1], missile[2] = kind, game.player_x, game.player_y
    missile[3], missile[4] = (
        _scaled(COS[game.player_deg], speed),
        _scaled(SIN[game.player_deg], speed),
    )
    missile[5] = life
    game.n_missiles += 1


@compiled
def _fly(game: Any, settings: Any) -> None:
    missiles = game.missiles
    kept = 0
    for k in range(game.n_missiles):
        if not _moved_on(game, settings, missiles[k]):
            missiles[kept] = missiles[k]
            kept += 1
    game.n_missiles = kept


@compiled
def _moved_on(game: Any, settings: Any, missile: Any) -> bool:
    x, y = np.int64(missile[1]) + missile[3], np.int64(missile[2]) + missile[4]
    hits_wall = game.blocked[tile_at(game.width, x, y)] == 1
    if not hits_wall:
        missile[1], missile[2] = x, y
    missile[5] -= 1
    near = (
        abs(missile[1] - game.opponent_x) + abs(missile[2] - game.opponent_y)
        < 2 * settings.body_radius
    )
    spent = near or hits_wall or missile[5] <= 0
    if missile[0] == BULLET:
        if near:
            game.staggers_until = game.tick + 1 + settings.stagger_ticks
            _hurt_opponent(game, settings, settings.bullet_damage)
    elif spent:
        _explode(game, settings, missile[1], missile[2])
    return spent


@compiled
def _explode(game: Any, settings: Any, x: int, y: int) -> None:
    fires = game.fires
    _happened(game, settings, BLAST, x, y, settings.blast_sound_tiles)
    reached = distances_to(game, settings, tile_at(game.width, x, y))
    until = game.tick + settings.fire_life
    for k in range(game.n_free):
        tile = game.free[k]
        if reached[tile] <= settings.blast_tiles:
            game.n_fires += fires[tile] < 0
            fires[tile] = until
    game.fires_version += 1
    if reached[tile_at(game.width, game.opponent_x, game.opponent_y)] <= settings.blast_tiles:
        _hurt_opponent(game, settings, settings.bomb_damage)
    if reached[tile_at(game.width, game.player_x, game.player_y)] <= settings.blast_tiles:
        _hurt_player(game, settings, settings.bomb_damage)


@compiled
def _burn(game: Any, settings: Any) -> None:
    fires = game.fires
    before = game.n_fires
    for tile in range(fires.shape[0]):
        if 0 <= fires[tile] <= game.tick:
            fires[tile] = -1
            game.n_fires -= 1
    if game.n_fires != before:
        game.fires_version += 1
    if game.tick % settings.fire_damage_every:
        return
    if fires[tile_at(game.width, game.opponent_x, game.opponent_y)] >= 0:
        _hurt_opponent(game, settings, 1)
    if fires[tile_at(game.width, game.player_x, game.player_y)] >= 0:
        _hurt_player(game, settings, 1)


@compiled
def _hurt_opponent(game: Any, settings: Any, damage: int) -> None:
    taken = min(damage, game.opponent_health)
    game.opponent_health -= taken
    game.score += taken
    if taken:
        _happened(game, settings, HIT, game.opponent_x, game.opponent_y, taken)


@compiled
def _hurt_player(game: Any, settings: Any, damage: int) -> None:
    game.player_health -= min(damage, game.player_health)


@compiled
def _settle(game: Any, settings: Any) -> None:
    dx, dy = game.player_x - game.opponent_x, game.player_y - game.opponent_y
    touched = dx * dx + dy * dy <= settings.touch * settings.touch
    if game.opponent_health <= 0:
        game.score += settings.kill_points
        _happened(game, settings, OTHER, game.opponent_x, game.opponent_y, 0)
    elif game.player_health <= 0 or touched:
        _happened(game, settings, CAUGHT if touched else KILLED, game.player_x, game.player_y, 0)
    else:
        return
    put_back(game, settings, game.player_deg)
    _happened(game, settings, RESET, game.player_x, game.player_y, settings.reset_sound_tiles)

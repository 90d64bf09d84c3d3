"""Opponent and scripted player of rounds by the batch, compiled: what `opponents` and
`scripted_player` decide, to the bit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from believable.worlds.maze import opponents, scripted_player
from believable.worlds.maze.batch_rounds import (
    CAUGHT,
    FAR,
    HIT,
    KILLED,
    RESET,
    STEP,
    TEMPER,
    TICKS_PER_S,
    compiled,
    distances_to,
    following_tile,
    in_view,
    random_below,
    random_gauss,
    random_share,
    spread,
    tile_at,
)
from believable.worlds.maze.grid import TILE
from believable.worlds.maze.temper import CALM, FRUSTRATED

BLOCKED_TICKS, ATTENTION_TICKS = opponents.BLOCKED_TICKS, opponents.ATTENTION_TICKS
NEAR_TILES, SEARCHED = opponents.NEAR_TILES, opponents.SEARCHED
#: `random.sample` copies what it draws from up to this many, for `SEARCHED` draws, and draws again
#: what it has had otherwise.
SAMPLE_POOL = 21 + 4 ** math.ceil(math.log(SEARCHED * 3, 4))
NEAR_2 = int(scripted_player.RUN_TILES * TILE) ** 2
SKILL = scripted_player.Skill()
REACTION_TICKS, AIM_ERROR_DEG = SKILL.reaction_ticks, SKILL.aim_error_deg
BOMB_CHANCE, PAUSE_CHANCE = SKILL.bomb_chance, SKILL.pause_chance
SEARCH, CHASE, FOLLOW, INVESTIGATE = range(4)
LONG_AGO = -(1 << 20)
CALM_ROW, FRUSTRATED_ROW = (
    np.array([getattr(temper, name) for name in TEMPER], np.float64)
    for temper in (CALM, FRUSTRATED)
)


# ------------------------------------------------------------------------------------------ the
# opponent


@compiled
def mix_temper(game: Any) -> None:
    """The temper of the level of frustration."""
    share = game.level
    game.view_deg = (1 - share) * CALM_ROW[0] + share * FRUSTRATED_ROW[0]
    game.view_tiles = (1 - share) * CALM_ROW[1] + share * FRUSTRATED_ROW[1]
    game.hearing_blur = (1 - share) * CALM_ROW[2] + share * FRUSTRATED_ROW[2]
    game.fire_health = (1 - share) * CALM_ROW[3] + share * FRUSTRATED_ROW[3]
    game.detour_ratio = (1 - share) * CALM_ROW[4] + share * FRUSTRATED_ROW[4]
    game.fire_wait_ticks = (1 - share) * CALM_ROW[5] + share * FRUSTRATED_ROW[5]
    game.swerve_deg = (1 - share) * CALM_ROW[6] + share * FRUSTRATED_ROW[6]
    game.swerve_chance = (1 - share) * CALM_ROW[7] + share * FRUSTRATED_ROW[7]
    game.balk_chance = (1 - share) * CALM_ROW[8] + share * FRUSTRATED_ROW[8]
    game.stray_chance = (1 - share) * CALM_ROW[9] + share * FRUSTRATED_ROW[9]
    game.turn_deg = (1 - share) * CALM_ROW[10] + share * FRUSTRATED_ROW[10]
    game.memory_ticks = (1 - share) * CALM_ROW[11] + share * FRUSTRATED_ROW[11]
    game.look_ticks = (1 - share) * CALM_ROW[12] + share * FRUSTRATED_ROW[12]


@compiled
def forget(game: Any, tick: int) -> None:
    game.goal, game.intent, game.saw = -1, SEARCH, 0
    game.seen_tick = game.heard_tick = LONG_AGO
    game.n_trail = game.looks_until = game.looks_from = 0
    game.looks_at = game.waits_from = -1
    game.best_steps, game.best_tick = FAR, tick
    game.stray, game.strays_until, game.entered_tile = -1, 0, -1


@compiled
def _add(game: Any, amount: float) -> None:
    game.level = min(max(game.level + amount, 0.0), 1.0)


@compiled
def _feel(game: Any, settings: Any) -> None:
    events = game.events
    step = settings.return_per_s * (1 / TICKS_PER_S)
    game.level += max(-step, min(step, settings.rest - game.level))
    for k in range(game.n_events):
        kind = events[k, 0]
        if kind == HIT:
            _add(game, settings.per_damage_point * events[k, 3])
        elif kind in (CAUGHT, KILLED):
            _add(game, settings.when_successful)
        elif kind == RESET:
            forget(game, game.tick)


@compiled
def _turned(heading_deg: int, wanted_deg: int, most_deg: float) -> int:
    gap = (wanted_deg - heading_deg + 180) % 360 - 180
    return np.int64(np.rint(heading_deg + max(-most_deg, min(most_deg, np.float64(gap))))) % 360


@compiled
def _direction(dx: int, dy: int, otherwise: int) -> int:
    if dx or dy:
        return np.int64(np.rint(math.degrees(math.atan2(dy, dx)))) % 360
    return otherwise


@compiled
def _heading_to_next(game: Any, settings: Any, tile: int, field: Any) -> int:
    middle_x, middle_y = tile % game.width * TILE + TILE // 2, tile // game.width * TILE + TILE // 2
    x, y = middle_x, middle_y
    if field[tile] != 0 and field[tile] != FAR:
        following = following_tile(game, settings, tile, field)
        x, y = following % game.width * TILE + TILE // 2, following // game.width * TILE + TILE // 2
        off_line = (
            abs(game.opponent_y - middle_y) if y == middle_y else abs(game.opponent_x - middle_x)
        )
        if off_line > TILE // 2 - settings.body_radius:
            x, y = middle_x, middle_y
    return _direction(x - game.opponent_x, y - game.opponent_y, game.opponent_deg)


@compiled
def _onwards(game: Any, settings: Any, before: int, tile: int, farthest: int) -> int:
    for _ in range(farthest):
        n, way = 0, -1
        for k in range(game.n_ways[tile]):
            if game.ways[tile, k] != before:
                n += 1
                way = game.ways[tile, k]
        if n != 1:
            break
        before, tile = tile, way
    return tile


@compiled
def decide_opponent(game: Any, settings: Any) -> tuple[int, bool, int]:
    """Heading, whether to walk, and where to look."""
    _feel(game, settings)
    if abs(game.temper_level - game.level) > 0.005:
        mix_temper(game)
        game.temper_level = game.level
    tile = tile_at(game.width, game.opponent_x, game.opponent_y)
    game.visited[tile] = game.tick
    _choose_goal(game, settings, tile)
    if game.tick < game.looks_until:
        face = _looks_round(game)
        return face, False, face
    wanted_goal = _goal_instead(game, settings, tile)
    field, avoids = _way(game, settings, tile, wanted_goal)
    if avoids and _waits(game, settings, tile, field):
        ahead = _turned(
            game.opponent_deg, _heading_to_next(game, settings, tile, field), game.turn_deg
        )
        return ahead, False, ahead
    if game.intent == CHASE and field[tile] == 0:
        heading = _direction(
            game.player_x - game.opponent_x, game.player_y - game.opponent_y, game.opponent_deg
        )
    else:
        heading = _heading_to_next(game, settings, tile, field)
    heading = (heading + _swerve(game, settings)) % 360
    if _balks(game, settings):
        second = (game.tick - game.balks_from) // 5 % 2
        wanted = (game.jerk_second if second else game.jerk_first) + heading
        return heading, False, _turned(game.opponent_deg, wanted, game.turn_deg)
    wanted = heading
    if game.fires[tile] >= 0:
        wanted = _heading_to_next(game, settings, tile, distances_to(game, settings, game.goal))
    if game.intent == CHASE:
        wanted = _direction(
            game.player_x - game.opponent_x, game.player_y - game.opponent_y, wanted
        )
    return heading, True, _turned(game.opponent_deg, wanted, game.turn_deg)


@compiled
def _choose_goal(game: Any, settings: Any, tile: int) -> None:
    sees = in_view(
        game,
        settings,
        game.opponent_x,
        game.opponent_y,
        game.opponent_deg,
        game.player_x,
        game.player_y,
        game.view_tiles,
        game.view_deg,
    )
    if sees:
        game.seen_tick, game.intent, game.looks_until, game.saw = game.tick, CHASE, 0, 1
        game.goal = tile_at(game.width, game.player_x, game.player_y)
        if game.n_trail == 0 or game.trail_to != game.goal:
            game.trail_from, game.trail_to = game.trail_to, game.goal
            game.n_trail = min(2, game.n_trail + 1)
        _watch_progress(game, settings, tile)
        return
    if game.saw:
        _add(game, settings.when_sight_lost)
        game.intent = FOLLOW
    game.saw = 0
    _listen(game, settings)
    if game.goal < 0:
        game.goal, game.intent = _somewhere(game, settings, tile), SEARCH
    elif tile == game.goal and game.tick >= game.looks_until:
        _arrive(game, settings, tile)


@compiled
def _watch_progress(game: Any, settings: Any, tile: int) -> None:
    steps = distances_to(game, settings, game.goal)[tile]
    if steps < game.best_steps or game.tick - game.best_tick > 10 * BLOCKED_TICKS:
        game.best_steps, game.best_tick = steps, game.tick
    elif game.tick - game.best_tick >= BLOCKED_TICKS:
        _add(game, settings.when_blocked)
        game.best_steps, game.best_tick = steps, game.tick


@compiled
def _listen(game: Any, settings: Any) -> None:
    events = game.events
    nearest, best = -1, np.int64(0)
    for k in range(game.n_events):
        if events[k, 0] <= RESET:
            off_x, off_y = events[k, 1] - game.opponent_x, events[k, 2] - game.opponent_y
            off, reach = off_x * off_x + off_y * off_y, np.int64(events[k, 3]) * TILE
            if off <= reach * reach and (nearest < 0 or off < best):
                nearest, best = k, off
    if nearest < 0 or game.tick - game.seen_tick <= game.memory_ticks:
        return
    just_set_out = game.intent == INVESTIGATE and game.tick - game.heard_tick < ATTENTION_TICKS
    if just_set_out and events[nearest, 0] == STEP:
        return
    surprised = game.intent == SEARCH
    game.goal = _blurred(game, settings, events[nearest, 1], events[nearest, 2])
    game.intent, game.heard_tick, game.looks_until = INVESTIGATE, game.tick, 0
    if surprised:
        game.looks_at, game.looks_from = game.goal, game.tick
        game.looks_until = game.tick + max(3, np.int64(np.rint(game.look_ticks / 4)))


@compiled
def _blurred(game: Any, settings: Any, x: int, y: int) -> int:
    """A tile that a sound may have come from."""
    free, near = game.free, game.queue
    dx, dy = x - game.opponent_x, y - game.opponent_y
    radius = game.hearing_blur * math.sqrt(np.float64(dx * dx + dy * dy))
    right = tile_at(game.width, x, y)
    near[0], n = right, 1
    for k in range(game.n_free):
        tile = np.int64(free[k])
        across = (tile % game.width - right % game.width) * TILE
        down = (tile // game.width - right // game.width) * TILE
        if tile != right and across * across + down * down <= radius * radius:
            near[n] = tile
            n += 1
    return near[random_below(game, settings, n)]


@compiled
def _arrive(game: Any, settings: Any, tile: int) -> None:
    if game.intent == FOLLOW and game.n_trail == 2:
        game.goal, game.n_trail = _onwards(game, settings, game.trail_from, game.trail_to, 6), 0
    elif game.intent != SEARCH and game.looks_from <= max(game.seen_tick, game.heard_tick):
        game.looks_from, game.looks_at = game.tick, -1
        game.looks_until = game.tick + np.int64(np.rint(game.look_ticks))
    else:
        game.goal, game.intent = _somewhere(game, settings, tile), SEARCH


@compiled
def _looks_round(game: Any) -> int:
    if game.looks_at >= 0:
        x, y = (
            game.looks_at % game.width * TILE + TILE // 2,
            game.looks_at // game.width * TILE + TILE // 2,
        )
        wanted = _direction(x - game.opponent_x, y - game.opponent_y, game.opponent_deg)
    else:
        done = (game.tick - game.looks_from) / max(1, game.looks_until - game.looks_from)
        wanted = game.opponent_deg + (-50 if 0.25 <= done < 0.75 else 50)
    return _turned(game.opponent_deg, wanted, min(game.turn_deg, 20.0))


@compiled
def _somewhere(game: Any, settings: Any, tile: int) -> int:
    free, pool = game.free, game.queue
    distances = distances_to(game, settings, tile)
    n = 0
    for k in range(game.n_free):
        if 6 <= distances[free[k]] < FAR:
            pool[n] = free[k]
            n += 1
    if n == 0:
        n = game.n_free
        pool[:n] = free[:n]
    best = -1
    drawn = np.empty(SEARCHED, np.int64)
    for k in range(min(SEARCHED, n)):
        if n <= SAMPLE_POOL:
            at = random_below(game, settings, n - k)
            other = pool[at]
            pool[at] = pool[n - k - 1]
        else:
            at = random_below(game, settings, n)
            while _among(at, drawn, k):
                at = random_below(game, settings, n)
            drawn[k] = at
            other = pool[at]
        if best < 0 or game.visited[other] < game.visited[best]:
            best = other
    return best


@compiled
def _among(value: int, values: Any, n: int) -> bool:
    for k in range(n):  # noqa: SIM110 (a generator is not compiled)
        if values[k] == value:
            return True
    return False


@compiled
def _goal_instead(game: Any, settings: Any, tile: int) -> int:
    near = game.intent == CHASE and distances_to(game, settings, game.goal)[tile] <= NEAR_TILES
    entered = tile != game.entered_tile
    game.entered_tile = tile
    if game.stray >= 0 and (near or tile == game.stray or game.tick >= game.strays_until):
        game.stray = -1
    n_ways = game.n_ways[tile]
    if entered and not near and game.stray < 0 and n_ways > 2:
        right = following_tile(game, settings, tile, distances_to(game, settings, game.goal))
        if random_share(game, settings) < game.stray_chance:
            drawn = random_below(game, settings, n_ways - 1)
            for k in range(n_ways):
                other = game.ways[tile, k]
                if other != right:
                    if drawn == 0:
                        game.stray = _onwards(game, settings, tile, other, 2)
                        break
                    drawn -= 1
            game.strays_until = game.tick + TICKS_PER_S
    return game.goal if game.stray < 0 else game.stray


@compiled
def _way(game: Any, settings: Any, tile: int, goal: int) -> tuple[Any, bool]:
    """The distances to follow, and whether that is to avoid fire."""
    fires = game.fires
    direct = distances_to(game, settings, goal)
    n_burning = game.n_fires - (fires[tile] >= 0)
    if n_burning == 0 or not _leads_through(game, settings, direct, tile):
        game.waits_from = -1
        return direct, False
    if game.opponent_health >= game.fire_health:
        return direct, False
    around = game.fields[game.width * game.width]
    own = tile if fires[tile] >= 0 else -1
    if (
        game.around_goal != goal
        or game.around_version != game.fires_version
        or game.around_tile != own
    ):
        spread(game, settings, goal, around, own, True)
        game.around_goal, game.around_version, game.around_tile = goal, game.fires_version, own
    if around[tile] <= game.detour_ratio * direct[tile]:
        return around, True
    waited = 0 if game.waits_from < 0 else game.tick - game.waits_from
    if waited >= game.fire_wait_ticks:
        return direct, False
    if fires[tile] >= 0:
        return _way_out(game, settings, tile), True
    return direct, True


@compiled
def _leads_through(game: Any, settings: Any, field: Any, start: int) -> bool:
    tile = start
    for _ in range(8):
        if field[tile] == 0:
            return False
        tile = following_tile(game, settings, tile, field)
        if game.fires[tile] >= 0 and tile != start:
            return True
    return False


@compiled
def _way_out(game: Any, settings: Any, tile: int) -> Any:
    steps = distances_to(game, settings, tile)
    best = -1
    for k in range(game.n_free):
        other = game.free[k]
        if game.fires[other] < 0 and (best < 0 or steps[other] < steps[best]):
            best = other
    return distances_to(game, settings, best)


@compiled
def _waits(game: Any, settings: Any, tile: int, field: Any) -> bool:
    if game.fires[following_tile(game, settings, tile, field)] < 0:
        return False
    if game.waits_from < 0:
        game.waits_from = game.tick
    return True


@compiled
def _swerve(game: Any, settings: Any) -> int:
    if game.tick >= game.swerves_until:
        game.swerves_by = 0
        if random_share(game, settings) < game.swerve_chance:
            most = game.swerve_deg
            game.swerves_by = np.int64(
                np.rint(-most + (most - -most) * random_share(game, settings))
            )
            game.swerves_until = game.tick + 4 + random_below(game, settings, 9)
    return game.swerves_by


@compiled
def _balks(game: Any, settings: Any) -> bool:
    if game.tick >= game.balks_until and random_share(game, settings) < game.balk_chance:
        game.balks_from, game.balks_until = (
            game.tick,
            game.tick + 8 + random_below(game, settings, 9),
        )
        side = 1 if random_below(game, settings, 2) else -1
        game.jerk_first = side * (50 + random_below(game, settings, 70))
        game.jerk_second = -side * (50 + random_below(game, settings, 70))
    return game.tick < game.balks_until


# ------------------------------------------------------------------------------------------ the
# scripted player


@compiled
def decide_player(game: Any, settings: Any) -> tuple[int, int, int, bool, bool]:
    """Walking on both axes, aim, and the triggers."""
    for k in range(game.n_events):
        if game.events[k, 0] == RESET:
            game.player_goal = game.noticed_tick = -1
    if _notices(game, settings):
        return _fight(game, settings)
    if game.tick < game.pause_until:
        return 0, 0, game.player_deg, False, False
    if random_share(game, settings) < PAUSE_CHANCE:
        game.pause_until = game.tick + 8 + random_below(game, settings, 22)
    return _roam(game, settings)


@compiled
def _notices(game: Any, settings: Any) -> bool:
    if not in_view(
        game,
        settings,
        game.player_x,
        game.player_y,
        game.player_deg,
        game.opponent_x,
        game.opponent_y,
        np.float64(settings.player_view_tiles),
        np.float64(settings.player_view_deg),
    ):
        game.noticed_tick = -1
        return False
    if game.noticed_tick < 0:
        game.noticed_tick = game.tick
        game.error_deg = random_gauss(game, settings, AIM_ERROR_DEG)
    return game.tick - game.noticed_tick >= REACTION_TICKS


@compiled
def _fight(game: Any, settings: Any) -> tuple[int, int, int, bool, bool]:
    dx, dy = game.opponent_x - game.player_x, game.opponent_y - game.player_y
    aim = np.int64(np.rint(math.degrees(math.atan2(dy, dx)) + game.error_deg)) % 360
    if game.tick % 12 == 0:
        game.error_deg = random_gauss(game, settings, AIM_ERROR_DEG)
    across = down = 0
    if dx * dx + dy * dy < NEAR_2:
        tile = tile_at(game.width, game.player_x, game.player_y)
        field = distances_to(game, settings, tile_at(game.width, game.opponent_x, game.opponent_y))
        ways = game.ways[tile]
        farthest = ways[0]
        for k in range(1, game.n_ways[tile]):
            if field[ways[k]] > field[farthest]:
                farthest = ways[k]
        across, down = _keys_towards(game, farthest)
    return across, down, aim, True, random_share(game, settings) < BOMB_CHANCE


@compiled
def _keys_towards(game: Any, tile: int) -> tuple[int, int]:
    dx = tile % game.width * TILE + TILE // 2 - game.player_x
    dy = tile // game.width * TILE + TILE // 2 - game.player_y
    across = 0 if abs(dx) < 60 else (1 if dx > 0 else -1)
    down = 0 if abs(dy) < 60 else (1 if dy > 0 else -1)
    return across, down


@compiled
def _roam(game: Any, settings: Any) -> tuple[int, int, int, bool, bool]:
    free, pool = game.free, game.queue
    tile = tile_at(game.width, game.player_x, game.player_y)
    if game.player_goal < 0 or tile == game.player_goal:
        distances = distances_to(game, settings, tile)
        n = 0
        for k in range(game.n_free):
            if 5 <= distances[free[k]] < FAR:
                pool[n] = free[k]
                n += 1
        if n == 0:
            n = game.n_free
            pool[:n] = free[:n]
        game.player_goal = pool[random_below(game, settings, n)]
    field = distances_to(game, settings, game.player_goal)
    if game.n_ways[tile] == 0 or field[tile] == 0:
        return 0, 0, game.player_deg, False, False
    dx, dy = _keys_towards(game, following_tile(game, settings, tile, field))
    return dx, dy, _direction(dx, dy, game.player_deg), False, False

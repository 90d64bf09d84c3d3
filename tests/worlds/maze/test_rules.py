from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from believable.worlds.maze.grid import TILE, Grid
from believable.worlds.maze.rules import (
    MazeEvent,
    MazeRound,
    MazeRules,
    OpponentInput,
    PlayerInput,
    heard,
    new_round,
    slide,
)

HALL = Grid(["#########", "#.......#", "#.......#", "#########"])
SETTINGS = MazeRules()


def hall(player: tuple[int, int] = (1, 1), opponent: tuple[int, int] = (7, 2)) -> MazeRound:
    def tile(place: tuple[int, int]) -> int:
        return place[1] * HALL.width + place[0]

    return MazeRound(
        settings=SETTINGS,
        seed=1,
        grid=HALL,
        player_start=tile(player),
        opponent_start=tile(opponent),
    )


def kinds(events: list[MazeEvent]) -> list[str]:
    return [event.kind for event in events]


inputs = st.builds(
    PlayerInput,
    dx=st.sampled_from([-1, 0, 1]),
    dy=st.sampled_from([-1, 0, 1]),
    aim_deg=st.integers(0, 359),
    shoot=st.booleans(),
    bomb=st.booleans(),
)


@given(st.integers(0, 50), st.lists(st.tuples(inputs, st.integers(0, 359)), max_size=200))
@settings(max_examples=50, deadline=None)
def test_nobody_ever_stands_in_a_wall_and_numbers_stay_in_range(
    seed: int, moves: list[tuple[PlayerInput, int]]
) -> None:
    game = new_round(seed, MazeRules(size=15))
    radius = game.settings.body_radius
    for keys, heading in moves:
        game.step(keys, OpponentInput(heading_deg=heading, walk=True))
        for body in (game.player, game.opponent):
            for dx in (-radius, radius - 1):
                for dy in (-radius, radius - 1):
                    assert not game.grid.blocked[game.grid.tile_at(body.x + dx, body.y + dy)]
            assert 0 < body.health <= game.settings.health
        assert game.score >= 0


def test_the_same_seed_and_inputs_give_the_same_round() -> None:
    def play() -> list[tuple[int, ...]]:
        rng, game = random.Random(3), new_round(3)
        trail = []
        for _ in range(900):
            keys = PlayerInput(
                dx=rng.choice((-1, 0, 1)),
                dy=rng.choice((-1, 0, 1)),
                aim_deg=rng.randrange(360),
                shoot=rng.random() < 0.3,
            )
            game.step(keys, OpponentInput(heading_deg=rng.randrange(360), walk=True))
            trail.append(
                (game.player.x, game.player.y, game.opponent.x, game.opponent.y, game.score)
            )
        return trail

    assert play() == play()


def test_a_round_lasts_sixty_seconds() -> None:
    game = new_round(1)
    ticks = 0
    while not game.over:
        game.step(PlayerInput(), OpponentInput())
        ticks += 1
    assert ticks == 1800


def test_the_opponent_is_faster_and_diagonals_are_not() -> None:
    assert SETTINGS.opponent_speed > SETTINGS.player_speed
    game = hall()
    x, y = game.player.x, game.player.y
    game.step(PlayerInput(dx=1, dy=1), OpponentInput())
    assert (game.player.x - x, game.player.y - y) == (70, 70)


def test_bullets_hit_and_score_and_need_a_pause() -> None:
    game = hall(opponent=(7, 1))
    seen: list[str] = []
    for _ in range(16):
        seen += kinds(
            game.step(
                PlayerInput(aim_deg=0, shoot=True), OpponentInput(heading_deg=180, walk=False)
            )
        )
    assert seen.count("shot") == 2
    assert seen.count("hit") == 1
    assert game.score == SETTINGS.bullet_damage
    assert game.opponent.health == SETTINGS.health - SETTINGS.bullet_damage


def test_a_bomb_explodes_burns_for_a_while_and_hurts_both() -> None:
    game = hall(player=(3, 1), opponent=(7, 2))
    seen: list[str] = []
    for tick in range(60):
        seen += kinds(game.step(PlayerInput(aim_deg=180, bomb=tick == 0), OpponentInput()))
    assert seen.count("blast") == 1
    assert game.fires
    game.opponent.x, game.opponent.y = game.grid.centre(next(iter(game.fires)))
    health = game.opponent.health
    for _ in range(6):
        game.step(PlayerInput(), OpponentInput())
    assert game.opponent.health == health - 2
    for _ in range(SETTINGS.fire_life):
        game.step(PlayerInput(), OpponentInput())
    assert not game.fires


def test_the_player_burns_too() -> None:
    game = hall()
    game.fires[game.grid.tile_at(game.player.x, game.player.y)] = 1000
    events = game.step(PlayerInput(), OpponentInput())
    assert kinds(events) == ["hurt"]
    assert game.player.health == SETTINGS.health - 1


def test_a_touch_kills_and_resets_places_and_health_but_not_clock_and_score() -> None:
    game = hall()
    game.score = 40
    game.opponent.x, game.opponent.y = game.player.x + 400, game.player.y
    game.opponent.health = 20
    assert kinds(game.step(PlayerInput(), OpponentInput())) == ["caught", "reset"]
    assert game.opponent.health == SETTINGS.health
    assert game.grid.tile_at(game.opponent.x, game.opponent.y) == game.opponent_start
    assert (game.score, game.tick) == (40, 1)


def test_killing_the_opponent_scores() -> None:
    game = hall()
    game.opponent.health = 1
    game.fires[game.opponent_start] = 1000
    assert kinds(game.step(PlayerInput(), OpponentInput())) == ["burn", "opponent_killed", "reset"]
    assert game.score == 1 + SETTINGS.kill_points


def test_the_two_start_far_apart() -> None:
    for seed in range(30):
        game = new_round(seed)
        distances = game.grid.distances(game.player_start)
        assert distances[game.opponent_start] * 4 >= 3 * max(
            distances[tile] for tile in game.grid.free
        )


def test_sliding_stops_at_the_wall_and_goes_on_along_it() -> None:
    x, y = slide(HALL, 1500, 1500, -900, 0, 300)
    assert (x, y) == (1300, 1500)
    assert slide(HALL, 1300, 1500, -100, 100, 300) == (1300, 1600)


@pytest.mark.parametrize(("carries_tiles", "carries"), [(1, False), (2, True)])
def test_sound_carries_through_walls_as_far_as_its_kind(carries_tiles: int, carries: bool) -> None:
    shot = MazeEvent(
        tick=0,
        kind="shot",
        actor="player",
        x=1 * TILE + 500,
        y=1 * TILE + 500,
        amount=carries_tiles,
    )
    assert (heard([shot], 3 * TILE + 500, 1 * TILE + 500) is shot) is carries
    assert (
        heard(
            [MazeEvent(tick=0, kind="hit", actor="opponent", x=1500, y=1500, amount=50)], 1500, 1500
        )
        is None
    )


def test_the_nearest_of_several_sounds_is_heard_and_coming_back_is_one() -> None:
    far, near = (
        MazeEvent(tick=0, kind="step", actor="player", x=x * TILE, y=0, amount=20) for x in (9, 4)
    )
    assert heard([far, near], 0, 0) is near
    game = hall()
    game.opponent.x, game.opponent.y = game.player.x + 400, game.player.y
    back = game.step(PlayerInput(), OpponentInput())[-1]
    assert (back.kind, back.x, back.y) == ("reset", game.player.x, game.player.y)
    assert heard([back], game.player.x, game.player.y) is back


def test_who_is_hit_staggers_for_a_moment() -> None:
    def way(shoot: bool) -> int:
        game = hall(opponent=(7, 1))
        start = game.opponent.x
        for tick in range(20):
            game.step(
                PlayerInput(aim_deg=0, shoot=shoot and tick == 0),
                OpponentInput(heading_deg=180, walk=True),
            )
        return start - game.opponent.x

    lost = SETTINGS.stagger_ticks * (SETTINGS.opponent_speed - SETTINGS.stagger_speed)
    assert lost > 0
    assert way(shoot=False) - way(shoot=True) == lost


def test_it_can_look_elsewhere_than_it_walks() -> None:
    game = hall(opponent=(5, 1))
    x = game.opponent.x
    game.step(PlayerInput(), OpponentInput(heading_deg=180, walk=True, face_deg=90))
    assert game.opponent.x == x - SETTINGS.opponent_speed
    assert game.opponent.heading_deg == 90


def test_fire_burns_exactly_as_long_as_the_rules_say() -> None:
    game = hall(player=(1, 1), opponent=(7, 2))
    while not game.fires:
        game.step(PlayerInput(aim_deg=0, bomb=game.tick == 0), OpponentInput())
    until = set(game.fires.values())
    blast = game.tick - 1
    assert until == {blast + SETTINGS.fire_life}
    while game.fires:
        game.step(PlayerInput(), OpponentInput())
    assert game.tick - 1 == blast + SETTINGS.fire_life, (
        "in this tick it was out, and hurt nobody any more"
    )


def test_what_stands_in_a_fire_is_not_hurt_in_the_tick_it_goes_out() -> None:
    game = hall(player=(1, 1), opponent=(7, 2))
    here = game.grid.tile_at(game.player.x, game.player.y)
    game.tick = 3 * SETTINGS.fire_damage_every
    game.fires = {here: game.tick}
    game.step(PlayerInput(), OpponentInput())
    assert game.player.health == SETTINGS.health
    game.tick = 5 * SETTINGS.fire_damage_every
    game.fires = {here: game.tick + 1}
    game.step(PlayerInput(), OpponentInput())
    assert game.player.health == SETTINGS.health - 1


def test_a_missile_never_enters_a_wall() -> None:
    """A bullet that would fly into a wall is spent where it was; a bomb explodes there, on its own
    side.
    """
    game = hall(player=(6, 1), opponent=(1, 2))
    places = []
    for tick in range(6):
        events = game.step(PlayerInput(aim_deg=0, shoot=tick == 0), OpponentInput())
        places += [(missile.x, missile.y) for missile in game.missiles]
        assert "hit" not in kinds(events)
    assert places, "it flew"
    assert all(not game.grid.blocked[game.grid.tile_at(x, y)] for x, y in places)
    assert max(x for x, _ in places) < 8 * TILE
    game = hall(player=(7, 1), opponent=(1, 2))
    blast = None
    for tick in range(SETTINGS.bomb_fuse):
        for event in game.step(PlayerInput(aim_deg=0, bomb=tick == 0), OpponentInput()):
            blast = event if event.kind == "blast" else blast
    assert blast is not None
    assert blast.tick < SETTINGS.bomb_fuse - 1, "the wall set it off, not the fuse"
    assert not game.grid.blocked[game.grid.tile_at(blast.x, blast.y)]


def test_a_bullet_does_not_hit_who_stands_behind_a_wall() -> None:
    """What is near only from inside the wall was not hit: the wall comes first."""
    grid = Grid(["#######", "#..#..#", "#######"])
    game = MazeRound(
        settings=SETTINGS,
        seed=1,
        grid=grid,
        player_start=grid.tile_at(1500, 1500),
        opponent_start=grid.tile_at(4500, 1500),
    )
    game.opponent.x = 4 * TILE + SETTINGS.body_radius
    seen: list[str] = []
    for tick in range(10):
        seen += kinds(
            game.step(
                PlayerInput(aim_deg=0, shoot=tick == 0), OpponentInput(heading_deg=180, walk=False)
            )
        )
    assert "shot" in seen
    assert "hit" not in seen

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from believable.replay.file import from_bytes, to_bytes
from believable.replay.records import UNITS_PER_TILE, Replay
from believable.replay.validate import problems
from believable.worlds.town.generate import VIOLATIONS, generate
from believable.worlds.town.plan import PLACES


def tiles(replay: Replay) -> list[tuple[int, int]]:
    (track,) = replay.tracks
    return [(x // UNITS_PER_TILE, y // UNITS_PER_TILE) for x, y in zip(track.x, track.y, strict=True)]


@pytest.mark.parametrize("seed", range(12))
def test_a_sensible_day_is_sound_and_keeps_to_the_walls_and_the_plan(seed: int) -> None:
    town = generate(seed)
    replay = town.replay
    assert problems(replay) == []
    assert town.planted == {}
    walked = tiles(replay)
    assert all(replay.world.walls[y][x] == "." for x, y in walked)
    assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) <= 1 for a, b in itertools.pairwise(walked))
    planned = [step.text for step in replay.plans if step.level == 2]
    assert [action.text for action in replay.actions] == planned
    assert replay.actions[-1].t1_ms == replay.timing.duration_ms


@pytest.mark.parametrize("seed", range(12))
def test_planted_violations_are_where_they_are_said_to_be(seed: int) -> None:
    sensible, planted = generate(seed), generate(seed, violations=6)
    assert problems(planted.replay) == []
    assert Counter(planted.planted.values()) == Counter(dict.fromkeys(VIOLATIONS, 2))
    assert planted.replay.plans == sensible.replay.plans
    assert planted.replay.world == sensible.replay.world
    for before, after in zip(sensible.replay.actions, planted.replay.actions, strict=True):
        kind = planted.planted.get(after.id)
        assert (before.t0_ms, before.t1_ms) == (after.t0_ms, after.t1_ms)
        if kind is None or kind == "environment_rule":
            assert before == after
        elif kind == "temporal":
            assert (after.verb, after.place) == ("sleep", before.place)
        else:
            assert after.place != before.place


def test_walls_are_crossed_only_where_a_rule_is_broken() -> None:
    crossed = 0
    for seed in range(20):
        town = generate(seed, violations=9)
        spans = [
            (a.t0_ms, a.t1_ms) for a in town.replay.actions if town.planted.get(a.id) == "environment_rule"
        ]
        for frame, (x, y) in enumerate(tiles(town.replay)):
            if town.replay.world.walls[y][x] == "#":
                crossed += 1
                t_ms = frame * town.replay.timing.frame_ms
                assert any(t0 <= t_ms < t1 for t0, t1 in spans)
    assert crossed > 0


def test_the_same_seed_gives_the_same_day_and_it_is_small() -> None:
    data = to_bytes(generate(3, violations=4).replay)
    assert data == to_bytes(generate(3, violations=4).replay)
    assert data != to_bytes(generate(4, violations=4).replay)
    assert len(data) < 20_000
    assert from_bytes(data, source="memory") == generate(3, violations=4).replay


def test_every_thing_has_a_place_inside_its_house() -> None:
    for place in PLACES:
        spots = [place.spot(thing) for thing in place.things]
        assert len(set(spots)) == len(spots)
        assert all(
            place.x < x < place.x + place.w - 1 and place.y < y < place.y + place.h - 1 for x, y in spots
        )


def test_judges_do_not_receive_which_day_it_is() -> None:
    shown = generate(3, violations=4).replay.for_judging(with_log=True, with_plan=True)
    assert (shown.seed, shown.agent, dict(shown.provenance)) == (None, None, {})


def test_whoever_ignores_walls_walks_through_one() -> None:
    for seed in range(5):
        town = generate(seed, violations=9)
        world, track = town.replay.world, town.replay.tracks[0]
        ignoring = [name for name, kind in town.planted.items() if kind == "environment_rule"]
        assert len(ignoring) == 3
        for action in town.replay.actions:
            frames = range(action.t0_ms // 20_000, action.t1_ms // 20_000)
            tiles = [world.walls[track.y[at] // 1000][track.x[at] // 1000] for at in frames]
            assert ("#" in tiles) == (action.id in ignoring), action

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from believable.recordings.file import from_bytes, problems, to_bytes
from believable.recordings.recording import UNITS_PER_TILE, Recording
from believable.worlds.town.day_plan import PLACES
from believable.worlds.town.generate import VIOLATIONS, generate


def tiles(replay: Recording) -> list[tuple[int, int]]:
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
    assert [action.text for action in replay.actions if action.verb != "walk"] == planned
    assert replay.actions[-1].t1_ms == replay.timing.duration_ms


@pytest.mark.parametrize("seed", range(12))
def test_planted_violations_are_where_they_are_said_to_be(seed: int) -> None:
    sensible, planted = generate(seed), generate(seed, violations=6)
    assert problems(planted.replay) == []
    assert Counter(planted.planted.values()) == Counter(dict.fromkeys(VIOLATIONS, 2))
    assert planted.replay.plans == sensible.replay.plans
    assert planted.replay.world == sensible.replay.world
    before = {action.id: action for action in sensible.replay.actions}
    for after in planted.replay.actions:
        kind = planted.planted.get(after.id)
        if kind == "environment_rule":
            assert after.verb == "walk"
        elif kind == "temporal":
            assert (after.verb, after.place, after.text) == ("sleep", before[after.id].place, "sleeping")
        elif kind == "goal":
            assert after.place != before[after.id].place
        elif after.verb != "walk":
            assert (after.verb, after.text) == (before[after.id].verb, before[after.id].text)


@pytest.mark.parametrize("violations", [0, 9])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_said_begins_when_she_is_there_and_ways_are_actions(seed: int, violations: int) -> None:
    """No "ordering soup" in the street: while an action that is no walk goes on she takes a few steps at most, in its place."""
    replay = generate(seed, violations=violations).replay
    walked, (track,) = tiles(replay), replay.tracks
    houses = {place.name: place for place in PLACES}
    walks = [action for action in replay.actions if action.verb == "walk"]
    assert len(walks) >= 5
    for action in replay.actions:
        frames = walked[action.t0_ms // 20_000 : action.t1_ms // 20_000]
        steps = sum(a != b for a, b in itertools.pairwise(frames))
        if action.verb == "walk":
            assert steps >= len(frames) - 2
            continue
        assert steps <= 8, action
        house = houses[action.place or ""]
        assert all(house.x <= x < house.x + house.w and house.y <= y < house.y + house.h for x, y in frames), action
    spoken = [(state.frame, state.value) for state in track.states]
    assert spoken == [(action.t0_ms // 20_000, action.text) for action in replay.actions]


@pytest.mark.parametrize("seed", range(6))
def test_planted_lines_do_not_announce_themselves(seed: int) -> None:
    words = " ".join(action.text for action in generate(seed, violations=9).replay.actions)
    assert "no reason" not in words
    assert "sleeping on" not in words


@pytest.mark.parametrize("seed", range(6))
def test_nobody_watches_her_sleep_for_hours(seed: int) -> None:
    replay = generate(seed, violations=9).replay
    first, *_, last = replay.actions
    assert (first.text, last.text) == ("sleeping", "sleeping")
    assert first.t1_ms - first.t0_ms <= 10 * 60_000
    assert last.t1_ms - last.t0_ms <= 10 * 60_000
    assert replay.timing.duration_ms <= 17 * 3_600_000


def test_walls_are_crossed_only_where_a_rule_is_broken() -> None:
    crossed = 0
    for seed in range(20):
        town = generate(seed, violations=9)
        spans = [(a.t0_ms, a.t1_ms) for a in town.replay.actions if town.planted.get(a.id) == "environment_rule"]
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
        assert all(place.x < x < place.x + place.w - 1 and place.y < y < place.y + place.h - 1 for x, y in spots)


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

"""Stand-ins: the same course for all kinds, ways of moving that can be told apart, nobody in a
wall.
"""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from believable.recordings.file import to_bytes
from believable.recordings.recording import Recording, Track
from believable.worlds.maze.standins import GAITS, PLAYERS, fight, walk


def walker(replay: Recording) -> Track:
    return next(track for track in replay.tracks if track.actor == "walker")


def turned(track: Track) -> int:
    return sum(abs((after - before + 180) % 360 - 180) for before, after in pairwise(track.heading))


def step(track: Track) -> int:
    """The largest turn from one picture to the next, in degrees."""
    return max(abs((after - before + 180) % 360 - 180) for before, after in pairwise(track.heading))


@pytest.mark.parametrize("seed", range(4))
def test_both_kinds_walk_the_same_course_for_the_same_time(seed: int) -> None:
    human, agent = walk(seed, "standin_human"), walk(seed, "standin_agent")
    assert human.world == agent.world
    assert human.tracks[0] == agent.tracks[0]
    start, other = walker(human), walker(agent)
    assert math.dist((start.x[0], start.y[0]), (other.x[0], other.y[0])) < 200
    assert human.timing == agent.timing
    assert human.timing.duration_ms > 10_000


@pytest.mark.parametrize("kind", GAITS)
@pytest.mark.parametrize("seed", range(4))
def test_nobody_is_in_a_wall_or_at_the_goal_or_stuck(kind: str, seed: int) -> None:
    replay = walk(seed, kind)
    track, goal = walker(replay), replay.tracks[0]
    assert all(
        replay.world.walls[y // 1000][x // 1000] == "."
        for x, y in zip(track.x, track.y, strict=True)
    )
    assert (
        min(
            math.dist((x, y), (goal.x[0], goal.y[0])) for x, y in zip(track.x, track.y, strict=True)
        )
        > 1000
    )
    way = sum(math.dist(a, b) for a, b in pairwise(zip(track.x, track.y, strict=True)))
    assert way > 12_000


def test_the_ways_of_walking_can_be_told_apart() -> None:
    assert all(len(walk(seed, "standin_human").actions) > 2 for seed in range(6))
    assert all(len(walk(seed, "standin_agent").actions) == 1 for seed in range(6))
    human, agent = (
        sorted(turned(walker(walk(seed, kind))) for seed in range(12))
        for kind in ("standin_human", "standin_agent")
    )
    assert sum(agent) > 1.15 * sum(human)
    assert agent[0] < human[-1], "how much somebody turns does not settle it"


def test_no_jump_of_the_beam_gives_anybody_away() -> None:
    fastest = {
        kind: max(step(walker(walk(seed, kind))) for seed in range(6))
        for kind in ("standin_human", "standin_agent")
    }
    assert fastest["standin_agent"] <= fastest["standin_human"] <= 14
    hands = {
        kind: max(step(fight(seed, 0, kind, ticks=300).tracks[0]) for seed in range(3))
        for kind in PLAYERS
    }
    assert max(hands.values()) < 25, hands


@pytest.mark.parametrize("kind", PLAYERS)
def test_rounds_share_the_maze_of_their_seed_and_differ_by_take(kind: str) -> None:
    one, two = fight(5, 0, kind, ticks=150), fight(5, 1, kind, ticks=150)
    assert one.world == two.world == fight(5, 0, "standin_human", ticks=150).world
    assert to_bytes(one) != to_bytes(two)
    assert to_bytes(one) == to_bytes(fight(5, 0, kind, ticks=150))
    assert one.timing.frames == 150

"""The three agents: what they can do, the course they run, their weights in files, and what a
trained one does.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from believable.app import train
from believable.core.errors import InvalidInput, NotFound
from believable.worlds.doom.floor_plan import centre
from believable.worlds.doom.navigation import task
from believable.worlds.doom.navigation.course import course_to, navigation_course
from believable.worlds.doom.navigation.declarations import (
    DECISION_TICS,
    NAVIGATION_AGENTS,
    has_collided,
    navigation_agent,
)
from believable.worlds.doom.navigation.navigation_env import passing_distance, ran_into_something
from believable.worlds.doom.navigation.navigation_player import SHIPPED, shipped_agent
from believable.worlds.doom.navigation.navigation_runs import planned_runs
from believable.worlds.doom.navigation.policy import NavigationPolicy
from believable.worlds.doom.navigation.senses import DEPTH_PX, SENSES
from believable.worlds.doom.navigation.weight_files import read_weights, write_weights
from believable.worlds.doom.navigation_map import navigation_map
from tests.worlds.doom.navigation.figures import figure_at


def test_actions_are_those_of_the_paper() -> None:
    assert [len(agent.actions) for agent in NAVIGATION_AGENTS.values()] == [8, 8, 14]
    assert set(navigation_agent("hybrid").actions) == {None, 0, 30, -30, 45, -45, 90, -90}
    assert {abs(turn) for turn in navigation_agent("reward_shaping").actions if turn} == {
        18,
        36,
        45,
        54,
        72,
        90,
    }
    with pytest.raises(NotFound, match="Did you mean 'hybrid'"):
        navigation_agent("hybird")


@pytest.mark.parametrize("agent", NAVIGATION_AGENTS.values(), ids=lambda agent: agent.name)
def test_what_is_pressed_turns_as_far_as_the_action_says(agent) -> None:
    assert agent.pressed(0, jump=True) == (0,) * 9, "nothing is pressed"
    for number, turn_deg in enumerate(agent.actions[1:], 1):
        pressed = agent.pressed(number, jump=number % 2 == 0)
        assert pressed[0] == 1
        assert pressed[6] == int(number % 2 == 0)
        assert pressed[3] * DECISION_TICS / 10 == pytest.approx(turn_deg, abs=0.4)


def test_the_course_shrinks_along_the_shortest_way_and_nowhere_else_faster() -> None:
    course = navigation_course(7, 5)
    ways = [course.distance(*centre(tile)) for tile in course.route]
    assert ways[-1] == 0
    assert all(before > after for before, after in pairwise(ways))
    x, y = centre(course.route[-4])
    assert abs(course.distance(x + 5, y) - course.distance(x, y)) <= 5 / 64 + 1e-9
    start, end = course.drawn.plan.leaps[0]
    gap = ((centre(start)[0] + centre(end)[0]) / 2, centre(start)[1])
    assert course.distance(*gap) is None, "nobody stands over the gap"


def test_one_jumps_at_the_brink_only() -> None:
    course = navigation_course(7, 0)
    (column, row), _ = course.drawn.plan.leaps[0]
    edge, middle = (column + 1) * 64.0, (row + 0.5) * 64
    assert course.at_brink(edge - 10, middle)
    assert course.at_brink(edge - 10, middle + 64), "as wide as the ground"
    assert not course.at_brink(edge - 60, middle)
    assert not course.at_brink(edge + 5, middle)
    assert course.near_brink(*centre(course.drawn.start))


def test_a_goal_that_cannot_be_reached_is_told() -> None:
    drawn = navigation_map(7)
    walled = {tile: look for tile, look in drawn.plan.tiles.items() if tile[0] not in (20, 21)}
    with pytest.raises(
        InvalidInput, match=r"map of seed 7: goal 15 at tile .* cannot be reached.*Train on a map"
    ):
        course_to(replace(drawn, plan=replace(drawn.plan, tiles=walled)), 15)
    with pytest.raises(InvalidInput, match="goal: expected 0 to 15, got 16"):
        course_to(drawn, 16)


STRAIGHT = [0.0] * DECISION_TICS


def test_collisions_are_ends_where_level_ground_would_not_have_led() -> None:
    start = figure_at(0, 0, angle_deg=0.0)
    assert not ran_into_something(start, figure_at(36.44, 0.0), STRAIGHT, 1), (
        "the engine's own place after seven tics from standing"
    )
    assert ran_into_something(start, figure_at(5.0, 0.0), STRAIGHT, 1)
    assert not ran_into_something(start, figure_at(0.0, 0.0), STRAIGHT, 0)
    assert not ran_into_something(start, figure_at(5.0, 0.0, on_ground=False), STRAIGHT, 1), (
        "in the air nobody knows"
    )
    fallen = replace(figure_at(5.0, 0.0), z=-64.0)
    assert not ran_into_something(start, fallen, STRAIGHT, 1), "who falls is not pushed on"
    assert ran_into_something(start, replace(fallen, z=-24.0), STRAIGHT, 1), (
        "a step down is level enough"
    )


def test_a_goal_is_reached_by_running_over_it() -> None:
    assert passing_distance((0, 0), (100, 0), (50, 30)) == pytest.approx(30)
    assert passing_distance((0, 0), (100, 0), (130, 40)) == pytest.approx(50)
    assert passing_distance((3, 4), (3, 4), (0, 0)) == pytest.approx(5)


def test_weights_in_a_file_are_whole_or_an_error(tmp_path: Path) -> None:
    file = tmp_path / "w.safetensors"
    weights = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.ones(1, np.float32)}
    write_weights(file, weights, {"agent": "hybrid"})
    arrays, words = read_weights(file, "Train again.")
    assert words == {"agent": "hybrid"}
    np.testing.assert_array_equal(arrays["a"], weights["a"])
    whole = file.read_bytes()
    for damaged in (
        whole[: len(whole) // 2],
        whole[:-3],
        b"",
        b"no weights at all, but long enough to have a header",
    ):
        file.write_bytes(damaged)
        with pytest.raises(
            InvalidInput, match=r"w\.safetensors: not a whole file of weights .* Train again\."
        ):
            read_weights(file, "Train again.")
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(InvalidInput, match=r"it is damaged\. Train again"):
        read_weights(file, "Train again.")
    with pytest.raises(InvalidInput, match="there is no such file"):
        read_weights(tmp_path / "other", "Train again.")


def test_a_collision_is_an_end_elsewhere_than_the_keys_lead() -> None:
    """Facing north (90°) for a tic from rest: forwards 1.5625 units north, to the right 0.8 of that
    east. The next tic begins with 0.90625 of the velocity.
    """
    push, friction = 1.5625, 0.90625
    forward, right = push * (1 + 1 + friction), 0.8 * push * (1 + 1 + friction)
    tics = [(90.0, 1, 1)] * 2

    def ended(x: float, y: float) -> bool:
        return has_collided((100.0, 200.0), (0.0, 0.0), (100 + x, 200 + y), tics)

    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        assert not ended(right + 9.99 * dx, forward + 9.99 * dy)
        assert ended(right + 10.01 * dx, forward + 10.01 * dy)
    assert not has_collided(
        (0, 0), (20.0, -20.0), (20.0 * 1.90625, -20.0 * 1.90625), [(0.0, 0, 0)] * 2
    )


@pytest.mark.parametrize("name", NAVIGATION_AGENTS)
def test_shipped_weights_say_where_they_come_from(name: str) -> None:
    trained = shipped_agent(name)
    assert trained.agent.name == name
    assert trained.policy.sees_depth == trained.agent.sees_depth
    assert {"seed", "decisions", "seconds", "plan", "recipe"} <= trained.provenance.keys()
    assert (SHIPPED / f"{name}.safetensors").stat().st_size < 600_000
    depth = np.zeros((DEPTH_PX, DEPTH_PX), np.uint8)
    assert trained.policy.logits(np.zeros(SENSES, np.float32), depth).shape == (
        len(trained.agent.actions),
    )


def test_an_agent_chooses_by_chance_from_its_seed() -> None:
    weights = {
        "senses.weight": np.zeros((1, SENSES), np.float32),
        "senses.bias": np.zeros(1, np.float32),
        "body.weight": np.zeros((1, 1), np.float32),
        "body.bias": np.zeros(1, np.float32),
        "action.weight": np.zeros((3, 1), np.float32),
        "action.bias": np.log(np.array([1, 2, 7], np.float32) / 10),
    }
    policy, rng = NavigationPolicy(weights), np.random.default_rng(1)
    drawn = [policy.draw(np.zeros(SENSES, np.float32), None, rng) for _ in range(3000)]
    np.testing.assert_allclose(np.bincount(drawn) / 3000, [0.1, 0.2, 0.7], atol=0.03)


def test_goals_are_drawn_with_the_same_chance() -> None:
    goals = [planned.setup().goal for planned in planned_runs("symbolic", 640, seed=3)]
    counts = np.bincount(goals, minlength=16)
    assert counts.min() > 15
    assert counts.max() < 80


def test_the_task_has_every_part_that_the_command_line_asks_of_it() -> None:
    asked = set(re.findall(r'\.part\("(\w+)"\)', Path(train.__file__).read_text("utf-8")))
    assert {"mean_curve", "evaluate_agent"} <= asked
    assert asked <= set(vars(task))

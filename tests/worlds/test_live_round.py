"""A round while it is played: what was applied gives it again, whenever and wherever it is
rebuilt.
"""

from __future__ import annotations

import random

import pytest

from believable.contracts.game import RoundOutcome
from believable.contracts.inputs import InputChange, InputPart, InputSchema
from believable.core.errors import InvalidInput
from believable.worlds.live_round import (
    LONGEST_LEAD_TICKS,
    LiveRound,
    NumberedInput,
    record_round,
    welcome_of,
)
from believable.worlds.maze import MAZE as WORLD
from believable.worlds.maze.game import MazeSetup
from believable.worlds.maze.opponents import OPPONENTS, new_opponent

MAZE = WORLD.game


def setup_with(maze_seed: int, agent_seed: int, opponent: str | float, **rest: int) -> MazeSetup:
    return MazeSetup(maze_seed=maze_seed, agent_seed=agent_seed, opponent=opponent, **rest)


def keys(
    dx: int = 0, dy: int = 0, aim_deg: int = 0, shoot: int = 0, bomb: int = 0
) -> tuple[int, ...]:
    return dx, dy, aim_deg, shoot, bomb


def played(
    setup: MazeSetup, seed: int, until: int | None = None
) -> tuple[LiveRound, list[InputChange]]:
    """A round with inputs that come early, late, bundled and twice; and everything that was
    applied.
    """
    rng, live, agent = random.Random(seed), LiveRound(MAZE, setup), MAZE.stand_in
    act, welcome = agent.new(agent.params(), seed), welcome_of(live, MAZE, setup)
    changes: list[InputChange] = []
    late: list[NumberedInput] = []
    number = 0
    while not live.over and live.tick != until:
        number += 1
        late.append(
            NumberedInput(
                number, live.tick + rng.randint(-4, 4), act({**live.message(), "welcome": welcome})
            )
        )
        if rng.random() < 0.6:
            for numbered in late:
                live.receive(numbered)
                live.receive(numbered)
            late.clear()
        live.step()
        if rng.random() < 0.3:
            changes += live.take_changes()
    return live, changes + live.take_changes()


@pytest.mark.parametrize("against", [*OPPONENTS, 0.5])
def test_setup_and_changes_give_the_round_again(against: str | float) -> None:
    setup = setup_with(3, 4, against, size=15, ticks=900)
    live, changes = played(setup, 7)
    again = LiveRound.rebuilt(MAZE, setup, changes, 900)
    assert again.message() | {"n": 0} == live.message() | {"n": 0}
    assert len(changes) > 50
    replay, score = record_round(MAZE, setup, changes)
    assert live.game.over() == RoundOutcome(score)
    assert replay.timing.frames == 900
    assert replay.telemetry["score"][-1] == score
    assert (replay, score) == record_round(
        MAZE, MAZE.load_setup(MAZE.dump_setup(setup)), changes, 900
    )


@pytest.mark.parametrize("tick", [1, 100, 433])
def test_a_round_goes_on_from_where_it_was_rebuilt(tick: int) -> None:
    """What follows after a rebuild is what would have followed without one."""
    setup = setup_with(5, 6, "frustrated", size=15, ticks=600)
    live, changes = played(setup, 2, until=tick)
    again = LiveRound.rebuilt(MAZE, setup, changes, tick)
    again.seats["player"].pressed = live.seats["player"].pressed
    live.seats["player"]._waiting.clear()
    for _ in range(100):
        assert again.step() == live.step()
    assert again.message() | {"n": 0} == live.message() | {"n": 0}


def test_a_trigger_pulled_for_a_moment_counts_however_late_it_comes() -> None:
    live = LiveRound(MAZE, setup_with(1, 1, "calm"))
    for _ in range(10):
        live.step()
    live.receive(NumberedInput(1, 3, keys(shoot=1)))
    live.receive(NumberedInput(2, 4, keys(dx=1)))
    assert "shot" in live.step()
    live.step()
    assert live.take_changes() == [
        InputChange(10, 2, (1, 0, 0, 1, 0)),
        InputChange(11, 2, (1, 0, 0, 0, 0)),
    ]


def test_an_input_waits_for_its_tick_but_not_for_ever() -> None:
    live = LiveRound(MAZE, setup_with(1, 1, "calm"))
    live.receive(NumberedInput(1, 5, keys(dx=1)))
    live.receive(NumberedInput(2, 10_000, keys(dy=1)))
    for _ in range(LONGEST_LEAD_TICKS + 2):
        live.step()
    assert [change.tick for change in live.take_changes()] == [5, LONGEST_LEAD_TICKS]


def test_releasing_stops_the_figure_and_forgets_what_waits() -> None:
    live = LiveRound(MAZE, setup_with(1, 1, "calm"))
    live.receive(NumberedInput(1, 0, keys(dx=1, shoot=1)))
    live.step()
    live.receive(NumberedInput(2, 5, keys(dy=1)))
    live.release()
    for _ in range(10):
        live.step()
    assert [change.pressed for change in live.take_changes()] == [(1, 0, 0, 1, 0), (0, 0, 0, 0, 0)]


def test_the_page_is_told_what_can_be_seen_and_no_more() -> None:
    live, _ = played(setup_with(3, 4, "frustrated", ticks=300), 1)
    assert live.message().keys() == {"t", "p", "o", "m", "f", "x", "s", "n", "r", "e"}
    assert len(live.message()["o"]) == 4


def test_an_unknown_opponent_is_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match=r"unknown opponent 'clam'. Did you mean 'calm'?"):
        new_opponent("clam", 1)
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        new_opponent(1.5, 1)


def test_what_was_tapped_between_two_ticks_counts_for_one() -> None:
    parts = [
        InputPart(name="choice", low=0, high=9, about="One of nine.", kind="tapped"),
        InputPart(name="walk", low=-1, high=1, about="Right or left."),
    ]
    schema = InputSchema(tuple(parts))
    assert schema.join([(3, 1), (0, 0)]) == (3, 0)
    assert schema.join([(3, 1), (5, 1), (0, 1)]) == (5, 1)
    assert schema.join([(0, 1), (0, 0)]) == (0, 0)
    assert schema.after((0, 0)) == (0, 0)

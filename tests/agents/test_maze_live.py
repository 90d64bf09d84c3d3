"""A round while it is played: what was applied gives it again, whenever and wherever it is rebuilt."""

from __future__ import annotations

import random

import pytest

from believable.agents.maze_live import LONGEST_LEAD_TICKS, LiveRound, NumberedInput, record_round
from believable.agents.maze_player import ScriptedPlayer
from believable.agents.maze_setup import OPPONENTS, RoundSetup, opponent
from believable.core.errors import InvalidInput
from believable.worlds.maze.rules import Event, PlayerInput


def played(setup: RoundSetup, seed: int, until: int | None = None) -> tuple[LiveRound, list[list[int]]]:
    """A round with inputs that come early, late, bundled and twice; and everything that was applied."""
    rng, live, player = random.Random(seed), LiveRound(setup), ScriptedPlayer(seed)
    changes: list[list[int]] = []
    events: list[Event] = []
    late: list[NumberedInput] = []
    number = 0
    while not live.over and live.game.tick != until:
        number += 1
        late.append(
            NumberedInput(number, live.game.tick + rng.randint(-4, 4), player.decide(live.game, events))
        )
        if rng.random() < 0.6:
            for given in late:
                live.receive(given)
                live.receive(given)
            late.clear()
        events = live.step()
        if rng.random() < 0.3:
            changes += live.take_changes()
    return live, changes + live.take_changes()


@pytest.mark.parametrize("against", [*OPPONENTS, 0.5])
def test_setup_and_changes_give_the_round_again(against: str | float) -> None:
    setup = RoundSetup(3, 4, against, size=15, ticks=900)
    live, changes = played(setup, 7)
    again = LiveRound.rebuilt(setup, changes, 900)
    assert again.snapshot() | {"n": 0} == live.snapshot() | {"n": 0}
    assert len(changes) > 50
    replay = record_round(setup, changes, 900)
    assert replay.timing.frames == 900
    assert replay.telemetry["score"][-1] == live.game.score
    assert replay == record_round(RoundSetup.from_json(setup.to_json()), changes, 900)


@pytest.mark.parametrize("tick", [1, 100, 433])
def test_a_round_goes_on_from_where_it_was_rebuilt(tick: int) -> None:
    """What follows after a rebuild is what would have followed without one."""
    setup = RoundSetup(5, 6, "frustrated", size=15, ticks=600)
    live, changes = played(setup, 2, until=tick)
    again = LiveRound.rebuilt(setup, changes, tick)
    again._keys = live._keys  # a rebuilt round stands still until the page presses something
    live._waiting.clear()
    for _ in range(100):
        assert again.step() == live.step()
    assert again.snapshot() | {"n": 0} == live.snapshot() | {"n": 0}


def test_a_trigger_pulled_for_a_moment_counts_however_late_it_comes() -> None:
    live = LiveRound(RoundSetup(1, 1, "calm"))
    for _ in range(10):
        live.step()
    live.receive(NumberedInput(1, 3, PlayerInput(shoot=True)))
    live.receive(NumberedInput(2, 4, PlayerInput(dx=1)))
    assert "shot" in [event.kind for event in live.step()]
    live.step()
    assert live.take_changes() == [[10, 2, 1, 0, 0, 1, 0], [11, 2, 1, 0, 0, 0, 0]]


def test_an_input_waits_for_its_tick_but_not_for_ever() -> None:
    live = LiveRound(RoundSetup(1, 1, "calm"))
    live.receive(NumberedInput(1, 5, PlayerInput(dx=1)))
    live.receive(NumberedInput(2, 10_000, PlayerInput(dy=1)))
    for _ in range(LONGEST_LEAD_TICKS + 2):
        live.step()
    assert [change[0] for change in live.take_changes()] == [5, LONGEST_LEAD_TICKS]


def test_releasing_stops_the_figure_and_forgets_what_waits() -> None:
    live = LiveRound(RoundSetup(1, 1, "calm"))
    live.receive(NumberedInput(1, 0, PlayerInput(dx=1, shoot=True)))
    live.step()
    live.receive(NumberedInput(2, 5, PlayerInput(dy=1)))
    live.release()
    for _ in range(10):
        live.step()
    assert [change[2:] for change in live.take_changes()] == [[1, 0, 0, 1, 0], [0, 0, 0, 0, 0]]


def test_the_page_is_told_what_can_be_seen_and_no_more() -> None:
    live, _ = played(RoundSetup(3, 4, "frustrated", ticks=300), 1)
    assert live.snapshot().keys() == {"t", "p", "o", "m", "f", "s", "n", "r", "e"}
    assert len(live.snapshot()["o"]) == 4


def test_an_unknown_opponent_is_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match=r"unknown opponent 'clam'. Did you mean 'calm'?"):
        opponent("clam", 1)
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        opponent(1.5, 1)

"""Seats: each can be driven from outside, stored inputs give the round again, views keep secrets."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from believable.contracts.inputs import InputChange, InputPart, InputSchema
from believable.core.errors import InvalidInput
from believable.recordings.file import to_bytes
from believable.recordings.recording import Recording
from believable.worlds.live_round import LiveRound, NumberedInput, play_through, record_round
from believable.worlds.maze import MAZE
from believable.worlds.maze.game import MazeGame, MazeSetup
from believable.worlds.maze.scripted_player import SCRIPTED
from believable.worlds.seat_check import random_input
from believable.worlds.world_check import check_world
from tests.worlds.chatworld import CHATWORLD, ChatGame, ChatSetup

SETUP = MazeSetup(maze_seed=3, agent_seed=4, opponent="frustrated", size=15, ticks=300)
CHAT = ChatSetup(seed=4, lines=8, ticks=50)


def walker(view: Mapping[str, Any]) -> tuple[int, int]:
    """Walks towards the player, as the crow flies."""
    return (0 if view["p"][0] > view["o"][0] else 180), 1


def scripted() -> Callable[[Mapping[str, Any]], Any]:
    return SCRIPTED.new(SCRIPTED.params(), 7)


def track(recording: Recording, actor: str) -> tuple[int, ...]:
    return next(one.x for one in recording.tracks if one.actor == actor)


def test_an_agent_drives_the_mazes_opponent() -> None:
    seats = {"player": lambda view: (0, 0, 0, 0, 0), "opponent": walker}
    driven = play_through(MAZE.game, SETUP, seats)
    assert to_bytes(driven) == to_bytes(play_through(MAZE.game, SETUP, seats))
    alone = play_through(MAZE.game, SETUP, seats["player"])
    assert track(driven, "opponent") != track(alone, "opponent")
    (opponent,) = (one for one in driven.tracks if one.actor == "opponent")
    assert set(opponent.heading) <= {0, 180}
    assert driven.agent is None, "who drove it is named by the caller"
    assert alone.agent == "frustrated"
    assert not any(state.key == "frustration" for state in opponent.states)


def test_an_unknown_seat_is_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidInput, match=r"unknown seat 'oponent'\. Did you mean 'opponent'"):
        play_through(MAZE.game, SETUP, {"player": scripted(), "oponent": walker})


def test_without_input_the_opponent_of_the_setup_plays() -> None:
    live = LiveRound(MAZE.game, SETUP)
    act = scripted()
    welcome = {**live.game.welcome("player"), "ticks": 300}
    while not live.over:
        live.receive(
            NumberedInput(live.tick + 1, live.tick, act({**live.message(), "welcome": welcome}))
        )
        live.step()
    changes = live.take_changes()
    assert {change.seat for change in changes} == {0}
    recording, _ = record_round(MAZE.game, SETUP, changes)
    assert to_bytes(recording) == to_bytes(play_through(MAZE.game, SETUP, scripted()))


def two_seats(until: int) -> tuple[LiveRound, list[InputChange]]:
    """Two pages play; the second one joins at tick 40."""
    rng, live = random.Random(1), LiveRound(MAZE.game, SETUP)
    changes: list[InputChange] = []
    for tick in range(until):
        for index, schema in enumerate(MAZE.game.seats.values()):
            if tick % 5 == index and tick >= 40 * index:
                live.receive(NumberedInput(tick + 1, tick, random_input(schema, rng)), index)
        live.step()
        if tick % 11 == 0:
            changes += live.take_changes()
    return live, changes + live.take_changes()


@pytest.mark.parametrize("tick", [30, 41, 200, 300])
def test_a_round_of_two_is_made_again_at_any_tick(tick: int) -> None:
    live, changes = two_seats(tick)
    assert {change.seat for change in changes} == ({0} if tick <= 41 else {0, 1})
    again = LiveRound.rebuilt(MAZE.game, SETUP, changes, tick)
    for seat in (0, 1):
        assert again.message(seat) | {"n": 0} == live.message(seat) | {"n": 0}
    assert again.seats["opponent"].taken == (tick > 41)


def test_each_seat_has_numbers_of_its_own_and_is_released_with_the_round() -> None:
    live, _ = two_seats(100)
    live.release()
    assert live.message(0)["n"] == live.seats["player"].received
    assert live.message(1)["n"] == live.seats["opponent"].received
    heading, walk = live.seats["opponent"].pressed
    assert walk == 0
    assert heading > 0, "it still looks where it looked"


def test_inputs_of_a_seat_that_the_world_has_not_are_refused() -> None:
    changes = [InputChange(3, 1, (0, 1), seat=2)]
    with pytest.raises(InvalidInput, match="inputs of seat 2; its world has 2 seats"):
        LiveRound.rebuilt(MAZE.game, SETUP, changes, 10)


def test_the_opponent_sees_neither_the_players_weapons_nor_through_fog() -> None:
    game = MazeGame(SETUP.model_copy(update={"fog": True}))
    for _ in range(5):
        game.step({"player": (0, 0, 0, 1, 0)})
    view = game.view("opponent")
    assert view["p"] is None, "the two begin far from each other"
    assert view["m"] == []
    assert not {"r", "h"} & view.keys()
    assert game.view("player")["m"]


# ------------------------------------------------------------------------------------------ texts


def chat(*lines: tuple[int, int, str]) -> LiveRound:
    """A chat with these lines: (seat, wished tick, text)."""
    live = LiveRound(CHATWORLD.game, CHAT, recorded=True)
    for number, (seat, tick, text) in enumerate(lines, 1):
        live.receive(NumberedInput(number, tick, (text,)), seat)
    return live


def said(live: LiveRound) -> list[Any]:
    lines: list[Any] = live.message()["lines"]
    return lines


def test_texts_of_one_tick_have_a_tick_each_and_none_is_lost() -> None:
    live = chat((0, 0, "one"), (0, 0, "one"), (0, 0, "two"), (1, 1, "me"))
    for _ in range(5):
        live.step()
    assert [text for who, text in said(live) if who == "person"] == ["one", "one", "two"]
    changes = live.take_changes()
    again = LiveRound.rebuilt(CHATWORLD.game, CHAT, changes, 5)
    assert said(again) == said(live)
    assert changes[0] == InputChange(0, 1, ("one",), 0)


def test_a_text_that_waits_survives_a_pause() -> None:
    live = chat((0, 0, "one"), (0, 3, "later"))
    live.step()
    live.release()
    assert live.last_applied == 1, "the page keeps the text until it counted"
    for _ in range(4):
        live.step()
    assert [text for who, text in said(live) if who == "person"] == ["one", "later"]
    assert live.last_applied == 2


@pytest.mark.parametrize("junk", ["x" * 41, 3, None, ["a"], "a\ud800", "\0", "\x1b[1m"])
def test_a_text_that_does_not_fit_is_refused(junk: Any) -> None:
    with pytest.raises(InvalidInput, match="say, a text of at most 40 characters"):
        CHATWORLD.game.inputs.read([junk])


# ------------------------------------------------------------------------------------ check_world


def test_a_world_of_texts_keeps_the_contract() -> None:
    check_world(CHATWORLD)


class Gossip(ChatGame):
    """Tells each seat the other's word, under another name."""

    def view(self, seat: str) -> Mapping[str, Any]:
        (other,) = self.secrets.keys() - {seat}
        return {**super().view(seat), "gossip": [f"psst: {self.secrets[other]}"]}


class OpenMaze(MazeGame):
    """Shows the opponent when the player can shoot."""

    def view(self, seat: str) -> Mapping[str, Any]:
        return {**super().view(seat), "weapons": [{"r": self.round.bullet_ready}]}


class Deaf(ChatGame):
    """Cannot take an input of its second seat."""

    def step(self, inputs: Any) -> Any:
        if "partner" in inputs:
            raise KeyError("partner")
        return super().step(inputs)


class Forgetful(ChatGame):
    """What the partner does follows from the run."""

    runs = 0

    def __init__(self, setup: ChatSetup) -> None:
        super().__init__(setup)
        Forgetful.runs += 1
        self._run = Forgetful.runs

    def step(self, inputs: Any) -> Any:
        if "partner" in inputs and inputs["partner"][0]:
            inputs = {**inputs, "partner": (f"run {self._run}",)}
        return super().step(inputs)


def changed(world: Any, **values: Any) -> Any:
    return replace(world, playing=replace(world.game, **values))


@pytest.mark.parametrize(
    ("world", "message"),
    [
        (changed(CHATWORLD, new=Gossip), "has the text of 'secret', which only"),
        (changed(MAZE, new=OpenMaze), "view of 'opponent' has 'r', which only 'player' may see"),
        (changed(CHATWORLD, new=Deaf), "with inputs in all seats it cannot be played: KeyError"),
        (changed(CHATWORLD, new=Forgetful), "inputs of all seats, it differs at tick"),
        (changed(MAZE, private={"referee": ("r",)}), "`private` names 'referee', which is no seat"),
        (
            changed(
                MAZE,
                seats={
                    **MAZE.game.seats,
                    "opponent": InputSchema((InputPart(name="walk", low=1, high=2, about="…"),)),
                },
            ),
            "seat 'opponent': the input 'walk' must be able to be 0",
        ),
    ],
)
def test_what_breaks_the_contract_of_seats_is_found(world: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        check_world(world)


def test_a_world_without_recordings_keeps_the_contract() -> None:
    check_world(changed(CHATWORLD, recorded=None))
    with pytest.raises(InvalidInput, match="keeps no recordings"):
        record_round(changed(CHATWORLD, recorded=None).game, CHAT, [])


def test_a_maze_with_fog_keeps_its_secrets() -> None:
    resolve = MAZE.game.trial.resolve
    options = MAZE.game.trial.options(fog=True)
    trial = replace(MAZE.game.trial, resolve=lambda _, context: resolve(options, context))
    check_world(changed(MAZE, trial=trial, recorded=partial(MazeGame, recorded=True)))

"""What the opponents do, over many seeded rounds against the scripted player."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from believable.agents.maze_opponent import FrustratedOpponent, ShortestPathChaser, can_see
from believable.agents.maze_player import ScriptedPlayer
from believable.agents.maze_round import LoggedInputs, play_round
from believable.agents.temper import CALM, FRUSTRATED, Dynamics, constant, preset
from believable.replay.file import from_bytes, to_bytes
from believable.replay.validate import problems
from believable.worlds.maze.rules import Event, OpponentInput, PlayerInput, Round, Settings, new_round

ROUNDS = 200


@dataclass
class Observed:
    """What was measured over the rounds of one kind of opponent."""

    crossings: int = 0
    avoidances: int = 0
    turn_deg: list[float] = field(default_factory=list)
    sound_steps: list[int] = field(default_factory=list)
    sight_off_deg: list[float] = field(default_factory=list)
    intents: Counter[str] = field(default_factory=Counter)


def observe(dynamics: Dynamics) -> Observed:
    seen = Observed()
    for seed in range(ROUNDS):
        game = new_round(seed, Settings(round_ticks=900))
        player, opponent = ScriptedPlayer(seed), FrustratedOpponent(dynamics, seed)
        _watch(game, player, opponent, seen)
    return seen


def _watch(game: Round, player: ScriptedPlayer, opponent: FrustratedOpponent, seen: Observed) -> None:
    events: list[Event] = []
    before, heading = "", game.opponent.heading_deg
    while not game.over:
        keys, intent = player.decide(game, events), opponent.decide(game, events)
        turn = abs((intent.heading_deg - heading + 180) % 360 - 180)
        if intent.intent == before == "search":
            seen.turn_deg.append(turn)
        if intent.intent != before:
            seen.intents[intent.intent] += 1
            seen.crossings += intent.intent == "cross_fire"
            seen.avoidances += intent.intent == "avoid_fire"
            if intent.intent == "investigate":
                here = game.grid.tile_at(game.opponent.x, game.opponent.y)
                seen.sound_steps += [
                    game.grid.distances(game.grid.tile_at(e.x, e.y))[here]
                    for e in events
                    if e.kind in ("step", "shot", "blast")
                ]
        before, heading = intent.intent, intent.heading_deg
        events = game.step(keys, intent)


@pytest.fixture(scope="module")
def calm() -> Observed:
    return observe(constant(0.0))


@pytest.fixture(scope="module")
def frustrated() -> Observed:
    return observe(constant(1.0))


def test_frustrated_opponents_cross_fire_more(calm: Observed, frustrated: Observed) -> None:
    def share(seen: Observed) -> float:
        return seen.crossings / (seen.crossings + seen.avoidances)

    assert calm.crossings + calm.avoidances > 20
    assert share(frustrated) > share(calm) + 0.1


def test_frustrated_opponents_turn_more_erratically(calm: Observed, frustrated: Observed) -> None:
    assert statistics.fmean(frustrated.turn_deg) > 1.5 * statistics.fmean(calm.turn_deg)


def test_frustrated_opponents_react_to_sound_from_farther(calm: Observed, frustrated: Observed) -> None:
    assert frustrated.intents["investigate"] > 3 * calm.intents["investigate"]
    assert max(frustrated.sound_steps) > max(calm.sound_steps, default=0)


def test_frustrated_opponents_see_less_to_the_side() -> None:
    game = new_round(3)
    game.grid = type(game.grid)(["#" * 9, *["#.......#"] * 7, "#" * 9])
    game.opponent.x, game.opponent.y, game.opponent.heading_deg = 1500, 4500, 0
    game.player.x, game.player.y = 5500, 7500  # 37 degrees off
    assert can_see(game, CALM)
    assert not can_see(game, FRUSTRATED)
    game.player.x, game.player.y = 5500, 5000
    assert can_see(game, FRUSTRATED)


def test_in_sight_the_way_is_a_shortest_one_unless_fire_makes_it_detour() -> None:
    """Every tile entered while chasing, with no fire about and no swerve, brings the opponent one step nearer to the player."""
    wrong = steps = 0
    for seed in range(ROUNDS):
        game = new_round(seed, Settings(round_ticks=600))
        player, opponent = ScriptedPlayer(seed), FrustratedOpponent(constant(0.0), seed)
        events: list[Event] = []
        while not game.over:
            keys, intent = player.decide(game, events), opponent.decide(game, events)
            here = game.grid.tile_at(game.opponent.x, game.opponent.y)
            target = game.grid.distances(game.grid.tile_at(game.player.x, game.player.y))
            swerving = opponent._swerve_deg != 0
            events = game.step(keys, intent)
            then = game.grid.tile_at(game.opponent.x, game.opponent.y)
            was_reset = any(event.kind == "reset" for event in events)
            if intent.intent == "chase" and then != here and not (swerving or game.fires or was_reset):
                steps += 1
                wrong += target[then] != target[here] - 1
    assert steps > 500
    assert wrong == 0


def test_a_calm_wounded_opponent_walks_round_the_fire_and_a_frustrated_one_through() -> None:
    hall = ["#########", "#.......#", "#.#####.#", "#.......#", "#########"]

    def intent_of(dynamics: Dynamics) -> str:
        game = new_round(1)
        game.grid = type(game.grid)(hall)
        game.opponent.x, game.opponent.y, game.opponent.heading_deg, game.opponent.health = 1500, 1500, 0, 50
        game.player.x, game.player.y = 7500, 1500
        game.fires[1 * 9 + 4] = 10_000
        return FrustratedOpponent(dynamics, 1).decide(game, []).intent

    assert intent_of(constant(0.0)) == "avoid_fire"
    assert intent_of(constant(1.0)) == "cross_fire"


def test_the_mood_rises_with_damage_and_lost_sight_and_falls_with_success() -> None:
    game = new_round(2)
    opponent = FrustratedOpponent(preset("frustrated"), 2)
    opponent.frustration.level = 0.5
    opponent.decide(game, [Event(0, "hit", "opponent", 0, 0, 20)])
    raised = opponent.frustration.level
    assert raised > 0.6
    opponent.decide(game, [Event(0, "caught", "player", 0, 0)])
    assert opponent.frustration.level < raised


@pytest.mark.parametrize("seed", range(6))
def test_a_round_made_again_from_seed_and_inputs_is_the_same_frame_by_frame(seed: int) -> None:
    replay, inputs = play_round(
        seed, ScriptedPlayer(seed), FrustratedOpponent(preset("frustrated"), seed), agent="frustrated"
    )
    again, _ = play_round(
        seed, LoggedInputs(inputs), FrustratedOpponent(preset("frustrated"), seed), agent="frustrated"
    )
    assert again == replay
    assert problems(replay) == []
    assert from_bytes(to_bytes(replay), source="memory") == replay


def test_a_recorded_round_hides_the_inside_from_judges() -> None:
    replay, _ = play_round(5, ScriptedPlayer(5), FrustratedOpponent(preset("calm"), 5), agent="calm")
    assert replay.actions
    assert {action.verb for action in replay.actions} >= {"search", "chase"}
    keys = {state.key for track in replay.for_judging().tracks for state in track.states}
    assert keys == {"health"}


def test_the_plain_chaser_reaches_a_player_who_stands_still() -> None:
    class Still:
        def decide(self, game: Round, events: Sequence[Event]) -> PlayerInput:
            return PlayerInput()

    caught: list[int] = []

    def watch(game: Round, intent: OpponentInput, events: Sequence[Event]) -> None:
        caught.extend(event.tick for event in events if event.kind == "caught")

    play_round(7, Still(), ShortestPathChaser(), agent="chaser", watch=watch)
    game = new_round(7)
    steps = game.grid.distances(game.player_start)[game.opponent_start]
    assert caught
    assert caught[0] <= steps * 1000 / game.settings.opponent_speed + 10

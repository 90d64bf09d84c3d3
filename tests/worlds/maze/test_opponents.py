"""What the opponents do, over many seeded rounds against the scripted player."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from believable.recordings.file import from_bytes, problems, to_bytes
from believable.worlds.maze.opponents import FrustratedOpponent, ShortestPathChaser, can_see
from believable.worlds.maze.record import play_round
from believable.worlds.maze.rules import (
    MazeEvent,
    MazeRound,
    MazeRules,
    OpponentInput,
    PlayerInput,
    new_round,
)
from believable.worlds.maze.scripted_player import ScriptedPlayer
from believable.worlds.maze.temper import CALM, FRUSTRATED, Dynamics, constant, preset

ROUNDS = 100


class LoggedInputs:
    """A player who repeats what was logged, tick by tick."""

    def __init__(self, inputs: Sequence[PlayerInput]) -> None:
        self._inputs = inputs

    def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> PlayerInput:
        return self._inputs[game.tick]


@dataclass
class Observed:
    """What was measured over the rounds of one kind of opponent."""

    crossings: int = 0
    avoidances: int = 0
    turn_deg: list[float] = field(default_factory=list)
    intents: Counter[str] = field(default_factory=Counter)


def observe(dynamics: Dynamics) -> Observed:
    seen = Observed()
    for seed in range(ROUNDS):
        game = new_round(seed, MazeRules(round_ticks=900))
        player, opponent = ScriptedPlayer(seed), FrustratedOpponent(dynamics, seed)
        _watch(game, player, opponent, seen)
    return seen


def _watch(
    game: MazeRound, player: ScriptedPlayer, opponent: FrustratedOpponent, seen: Observed
) -> None:
    events: list[MazeEvent] = []
    before, heading = "", game.opponent.heading_deg
    while not game.over:
        keys, intent = player.decide(game, events), opponent.decide(game, events)
        face = intent.heading_deg if intent.face_deg is None else intent.face_deg
        turn = abs((face - heading + 180) % 360 - 180)
        if intent.intent == before:
            seen.turn_deg.append(turn)
        if intent.intent != before:
            seen.intents[intent.intent] += 1
            seen.crossings += intent.intent == "cross_fire"
            seen.avoidances += intent.intent == "avoid_fire"
        before, heading = intent.intent, face
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


def sound_goal(dynamics: Dynamics, seed: int) -> tuple[OpponentInput, int]:
    """Where it goes for a shot twelve tiles away in an open hall, and how many tiles off that
    is.
    """
    game = new_round(3)
    game.grid = type(game.grid)(["#" * 19, *["#" + "." * 17 + "#"] * 9, "#" * 19])
    game.opponent.x, game.opponent.y, game.opponent.heading_deg = 1500, 5500, 180
    game.player.x, game.player.y = 13_500, 5500
    intent = FrustratedOpponent(dynamics, seed).decide(
        game, [MazeEvent(tick=0, kind="shot", actor="player", x=13_500, y=5500, amount=20)]
    )
    column, row = (int(part) for part in intent.goal.removeprefix("tile ").split(","))
    return intent, abs(column - 13) + abs(row - 5)


def test_a_sound_behind_its_back_is_investigated_and_a_frustrated_opponent_knows_better_where_it_was() -> (
    None
):
    calm = [sound_goal(constant(0.0), seed) for seed in range(40)]
    frustrated = [sound_goal(constant(1.0), seed) for seed in range(40)]
    assert {intent.intent for intent, _ in calm + frustrated} == {"investigate"}
    assert statistics.fmean(off for _, off in calm) > 1.5
    assert statistics.fmean(off for _, off in frustrated) < 0.5
    assert max(off for _, off in frustrated) <= 1


def test_it_pricks_up_its_ears_before_it_sets_out() -> None:
    intent, _ = sound_goal(constant(0.0), 1)
    assert not intent.walk
    assert intent.face_deg is not None
    assert intent.face_deg != 180, "the head turns towards the sound"


def test_who_is_out_of_sight_is_followed_to_the_next_junction_and_looked_for() -> None:
    game = new_round(3, MazeRules(round_ticks=400))
    game.grid = type(game.grid)(
        ["###########", "#.........#", "#########.#", "#########.#", "#########.#", "###########"]
    )
    game.opponent.x, game.opponent.y, game.opponent.heading_deg = 1500, 1500, 0
    game.player.x, game.player.y = 8500, 1500
    opponent = FrustratedOpponent(constant(0.0), 1)
    intents: list[str] = []
    while not game.over and "search" not in intents:
        intent = opponent.decide(game, [])
        intents += [intent.intent] if intents[-1:] != [intent.intent] else []
        game.step(PlayerInput(), intent)
        if game.tick == 3:
            game.player.x = 9500
        if game.tick == 6:
            game.player.y = 4500
        if game.opponent.x > 8000:
            game.player.x, game.player.y = 1500, 1500
    assert intents[:2] == ["chase", "follow"]
    assert intents[-1] == "search"
    assert game.opponent.y > 3000, "it went round the corner and on to the end"


def test_frustrated_opponents_see_less_to_the_side() -> None:
    game = new_round(3)
    game.grid = type(game.grid)(["#" * 9, *["#.......#"] * 7, "#" * 9])
    game.opponent.x, game.opponent.y, game.opponent.heading_deg = 1500, 4500, 0
    game.player.x, game.player.y = 5500, 7500  # 37 degrees off
    assert can_see(game, CALM)
    assert not can_see(game, FRUSTRATED)
    game.player.x, game.player.y = 5000, 5000
    assert can_see(game, FRUSTRATED)


def test_in_sight_the_way_is_a_shortest_one_unless_fire_makes_it_detour() -> None:
    """Every tile entered while chasing, with no fire about and no swerve, brings the opponent one
    step nearer to the player.
    """
    wrong = steps = 0
    for seed in range(ROUNDS):
        game = new_round(seed, MazeRules(round_ticks=600))
        player, opponent = ScriptedPlayer(seed), FrustratedOpponent(constant(0.0), seed)
        events: list[MazeEvent] = []
        while not game.over:
            keys, intent = player.decide(game, events), opponent.decide(game, events)
            here = game.grid.tile_at(game.opponent.x, game.opponent.y)
            target = game.grid.distances(game.grid.tile_at(game.player.x, game.player.y))
            swerving = opponent._unrest.swerve_deg != 0
            sees = can_see(game, opponent.frustration.temper)
            events = game.step(keys, intent)
            then = game.grid.tile_at(game.opponent.x, game.opponent.y)
            was_reset = any(event.kind == "reset" for event in events)
            if (
                intent.intent == "chase"
                and sees
                and then != here
                and not (swerving or game.fires or was_reset)
            ):
                steps += 1
                wrong += target[then] != target[here] - 1
    assert steps > 500
    assert wrong == 0


def test_a_calm_wounded_opponent_walks_round_the_fire_and_a_frustrated_one_through() -> None:
    hall = ["#########", "#.......#", "#.#####.#", "#.......#", "#########"]

    def intent_of(dynamics: Dynamics) -> str:
        game = new_round(1)
        game.grid = type(game.grid)(hall)
        game.opponent.x, game.opponent.y, game.opponent.heading_deg, game.opponent.health = (
            1500,
            1500,
            0,
            50,
        )
        game.player.x, game.player.y = 5400, 1500
        game.fires[1 * 9 + 4] = 10_000
        return FrustratedOpponent(dynamics, 1).decide(game, []).intent

    assert intent_of(constant(0.0)) == "avoid_fire"
    assert intent_of(constant(1.0)) == "cross_fire"


def corridor(
    dynamics: Dynamics, burning: Sequence[int], ticks: int
) -> list[tuple[OpponentInput, int]]:
    """What it does in a corridor with no way round, the player in sight behind a fire; and the tile
    it stands on then.
    """
    game = new_round(1, MazeRules(round_ticks=ticks))
    game.grid = type(game.grid)(["###########", "#.........#", "###########"])
    game.opponent.x, game.opponent.y, game.opponent.heading_deg = 2500, 1500, 0
    game.player.x, game.player.y = 6400, 1500
    game.fires.update({11 + tile: 90 for tile in burning})
    opponent, conduct = FrustratedOpponent(dynamics, 1), []
    events: list[MazeEvent] = []
    while not game.over and not events:
        intent = opponent.decide(game, [])
        conduct.append((intent, game.opponent.x // 1000))
        events = [event for event in game.step(PlayerInput(), intent) if event.kind == "caught"]
    return conduct


def test_a_calm_opponent_waits_before_a_fire_without_a_way_round_and_a_frustrated_one_does_not() -> (
    None
):
    calm, frustrated = (corridor(constant(level), (4, 5), 80) for level in (0.0, 1.0))
    assert calm[-1][0].intent == "avoid_fire"
    assert not calm[-1][0].walk
    assert calm[-1][1] == 3, "right before it"
    assert "cross_fire" in {intent.intent for intent, _ in frustrated}
    assert max(tile for _, tile in frustrated) >= 5


def test_a_calm_opponent_that_stands_in_fire_steps_out_of_it() -> None:
    calm = corridor(constant(0.0), (2, 3), 30)
    assert calm[0][0].intent == "avoid_fire"
    assert calm[-1][1] == 1
    frustrated = corridor(constant(1.0), (2, 3), 30)
    assert frustrated[0][0].intent == "cross_fire"
    assert frustrated[-1][1] > 3


def test_the_mood_rises_with_damage_and_lost_sight_and_falls_with_success() -> None:
    game = new_round(2)
    opponent = FrustratedOpponent(preset("frustrated"), 2)
    opponent.frustration.level = 0.5
    opponent.decide(game, [MazeEvent(tick=0, kind="hit", actor="opponent", x=0, y=0, amount=20)])
    raised = opponent.frustration.level
    assert raised > 0.6
    opponent.decide(game, [MazeEvent(tick=0, kind="caught", actor="player", x=0, y=0)])
    assert opponent.frustration.level < raised


@pytest.mark.parametrize("seed", range(6))
def test_a_round_made_again_from_seed_and_inputs_is_the_same_frame_by_frame(seed: int) -> None:
    replay, inputs = play_round(
        seed,
        ScriptedPlayer(seed),
        FrustratedOpponent(preset("frustrated"), seed),
        agent="frustrated",
    )
    again, _ = play_round(
        seed,
        LoggedInputs(inputs),
        FrustratedOpponent(preset("frustrated"), seed),
        agent="frustrated",
    )
    assert again == replay
    assert problems(replay) == []
    assert from_bytes(to_bytes(replay), source="memory") == replay


def test_a_recorded_round_hides_the_inside_from_judges() -> None:
    replay, _ = play_round(
        5, ScriptedPlayer(5), FrustratedOpponent(preset("calm"), 5), agent="calm"
    )
    assert replay.actions
    assert {action.verb for action in replay.actions} >= {"search", "chase"}
    keys = {state.key for track in replay.for_judging().tracks for state in track.states}
    assert keys <= {"health", "news", "score"}


def test_the_plain_chaser_reaches_a_player_who_stands_still() -> None:
    class Still:
        def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> PlayerInput:
            return PlayerInput()

    caught: list[int] = []

    def watch(game: MazeRound, intent: OpponentInput, events: Sequence[MazeEvent]) -> None:
        caught.extend(event.tick for event in events if event.kind == "caught")

    play_round(7, Still(), ShortestPathChaser(), agent="chaser", watch=watch)
    game = new_round(7)
    steps = game.grid.distances(game.player_start)[game.opponent_start]
    assert caught
    assert caught[0] <= steps * 1000 / game.settings.opponent_speed + 10

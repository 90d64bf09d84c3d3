"""How different the two tempers are: effect sizes over a hundred seeded rounds each, printed with
their intervals.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from believable.stats.effects import cliffs_delta, dz
from believable.stats.estimate import Estimate
from believable.worlds.maze.grid import TILE
from believable.worlds.maze.opponents import FrustratedOpponent, can_see
from believable.worlds.maze.rules import MazeEvent, MazeRound, MazeRules, heard, new_round
from believable.worlds.maze.scripted_player import ScriptedPlayer
from believable.worlds.maze.temper import preset

#: Planted truth: `test_opponents.py` has the same in few rounds.
pytestmark = pytest.mark.slow

ROUNDS = 100
Tell = Callable[[str, float, float, Estimate], None]


@dataclass
class Behaviour:
    """What one opponent did in one round; empty where there was no occasion."""

    sight_off_deg: list[float] = field(default_factory=list)
    fire: list[bool] = field(default_factory=list)
    turn_deg: list[float] = field(default_factory=list)
    heard_off_tiles: list[float] = field(default_factory=list)
    in_wall: int = 0


def behaviour(name: str, seed: int) -> Behaviour:
    """The same maze, the same player and the same chance for both tempers."""
    game, seen = new_round(seed, MazeRules(round_ticks=900)), Behaviour()
    player, opponent = ScriptedPlayer(seed), FrustratedOpponent(preset(name), seed)
    events: list[MazeEvent] = []
    before, heading = "", game.opponent.heading_deg
    while not game.over:
        sees = can_see(game, opponent.frustration.temper)
        if sees:
            seen.sight_off_deg.append(_off_deg(game))
        keys, intent = player.decide(game, events), opponent.decide(game, events)
        face = intent.heading_deg if intent.face_deg is None else intent.face_deg
        if intent.intent == before:
            seen.turn_deg.append(abs((face - heading + 180) % 360 - 180))
        if intent.intent != before and intent.intent in ("cross_fire", "avoid_fire"):
            seen.fire.append(intent.intent == "cross_fire")
        sound = heard(events, game.opponent.x, game.opponent.y)
        if intent.intent == "investigate" and before != "investigate" and sound is not None:
            column, row = (int(part) for part in intent.goal.removeprefix("tile ").split(","))
            seen.heard_off_tiles.append(math.hypot(column - sound.x // TILE, row - sound.y // TILE))
        before, heading = intent.intent, face
        events = game.step(keys, intent)
        seen.in_wall += _touches_wall(game)
    return seen


def _off_deg(game: MazeRound) -> float:
    """How far to the side of its nose the player stands."""
    angle = math.degrees(
        math.atan2(game.player.y - game.opponent.y, game.player.x - game.opponent.x)
    )
    return abs((angle - game.opponent.heading_deg + 180) % 360 - 180)


def _touches_wall(game: MazeRound) -> bool:
    """Whether any corner of the opponent's body lies in a wall."""
    body, radius = game.opponent, game.settings.body_radius
    corners = ((x, y) for x in (-radius, radius - 1) for y in (-radius, radius - 1))
    return any(game.grid.blocked[game.grid.tile_at(body.x + x, body.y + y)] for x, y in corners)


@pytest.fixture(scope="module")
def observed() -> dict[str, list[Behaviour]]:
    return {
        name: [behaviour(name, seed) for seed in range(ROUNDS)] for name in ("calm", "frustrated")
    }


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Tell:
    """Prints a line that is seen without any option."""

    def say(what: str, calm: float, frustrated: float, effect: Estimate) -> None:
        interval = f"[{effect.low:.2f}, {effect.high:.2f}]"
        with capsys.disabled():
            sys.stdout.write(
                f"\n  {what}: calm {calm:.2f}, frustrated {frustrated:.2f}; {effect.method}"
                f" {effect.value:.2f} {interval}, n = {effect.n}"
            )

    return say


def paired(observed: dict[str, list[Behaviour]], what: str) -> tuple[list[float], list[float]]:
    """Means of the rounds in which both had occasion, by round."""
    pairs = [
        (getattr(calm, what), getattr(frustrated, what))
        for calm, frustrated in zip(observed["calm"], observed["frustrated"], strict=True)
    ]
    both = [(statistics.fmean(a), statistics.fmean(b)) for a, b in pairs if a and b]
    return [a for a, _ in both], [b for _, b in both]


def single(observed: dict[str, list[Behaviour]], name: str, what: str) -> list[float]:
    """Means of the rounds in which this one had occasion."""
    return [statistics.fmean(getattr(one, what)) for one in observed[name] if getattr(one, what)]


def test_a_frustrated_opponent_sees_less_to_the_side(
    observed: dict[str, list[Behaviour]], tell: Tell
) -> None:
    """The farthest off its nose that it noticed the player, round by round."""
    pairs = zip(observed["calm"], observed["frustrated"], strict=True)
    both = [
        (max(a.sight_off_deg), max(b.sight_off_deg))
        for a, b in pairs
        if a.sight_off_deg and b.sight_off_deg
    ]
    calm, frustrated = [a for a, _ in both], [b for _, b in both]
    effect = dz(frustrated, calm)
    tell(
        "widest sight to the side (degrees)",
        statistics.fmean(calm),
        statistics.fmean(frustrated),
        effect,
    )
    assert len(both) >= ROUNDS // 2
    assert effect.high is not None
    assert effect.high < -0.5


def test_a_frustrated_opponent_crosses_fire_more(
    observed: dict[str, list[Behaviour]], tell: Tell
) -> None:
    calm, frustrated = single(observed, "calm", "fire"), single(observed, "frustrated", "fire")
    effect = cliffs_delta(frustrated, calm)
    tell("share of fires crossed", statistics.fmean(calm), statistics.fmean(frustrated), effect)
    assert effect.low is not None
    assert effect.low > 0


def test_a_frustrated_opponent_turns_more_erratically(
    observed: dict[str, list[Behaviour]], tell: Tell
) -> None:
    calm, frustrated = paired(observed, "turn_deg")
    effect = dz(frustrated, calm)
    tell("turning (degrees per tick)", statistics.fmean(calm), statistics.fmean(frustrated), effect)
    assert len(calm) >= ROUNDS * 3 // 4
    assert effect.low is not None
    assert effect.low > 0.5


def test_a_frustrated_opponent_hears_more_precisely(
    observed: dict[str, list[Behaviour]], tell: Tell
) -> None:
    """How far from its source it takes a sound to come, round by round."""
    calm, frustrated = paired(observed, "heard_off_tiles")
    effect = dz(frustrated, calm)
    tell("heard place off by (tiles)", statistics.fmean(calm), statistics.fmean(frustrated), effect)
    assert len(calm) >= ROUNDS * 3 // 4
    assert effect.high is not None
    assert effect.high < -0.5


def test_no_opponent_ever_stands_in_a_wall(observed: dict[str, list[Behaviour]]) -> None:
    assert sum(round_.in_wall for rounds in observed.values() for round_ in rounds) == 0

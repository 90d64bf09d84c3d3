"""What the maze's opponent does in a round, against people who play in different ways.

    python -m validation.opponents             40 rounds of a minute for each player and level
    python -m validation.opponents --rounds 5

Printed for each level of frustration: how much of a round it chases, follows, investigates and
searches, how often it turns sharply, what can be seen of its view, its hearing, its risk and its
erratic movement, and how often somebody dies. `tests/validation/test_opponents.py` holds the
figures to what the game promises.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from believable.worlds.maze.grid import FAR, TILE
from believable.worlds.maze.opponents import FrustratedOpponent, can_see
from believable.worlds.maze.record import MazePlayer
from believable.worlds.maze.rules import (
    MazeEvent,
    MazeRound,
    MazeRules,
    OpponentInput,
    PlayerInput,
    heard,
    new_round,
)
from believable.worlds.maze.scripted_player import ScriptedPlayer, Skill, keys_towards
from believable.worlds.maze.temper import preset

LEVELS = ("calm", "frustrated")
ROUNDS = 40
#: A turn of the head by at least this much from one tick to the next is sharp.
SHARP_DEG = 25
#: Somebody who stands in the open this near for this long without being noticed was overlooked.
OVERLOOKED_TILES, OVERLOOKED_TICKS = 7, 8
#: The hunt: it is on the player, or on what it has last seen or heard of them.
HUNT = ("chase", "follow", "investigate")


# ------------------------------------------------------------------------------------------ people


class Runner:
    """Keeps away: on the way to a place that the opponent is far from, shooting over the shoulder
    and dropping bombs.
    """

    def __init__(self, seed: int) -> None:
        self._fighter = ScriptedPlayer(seed, Skill(8, 8.0, 0.08, 0.0))
        self._goal = -1

    def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> PlayerInput:
        keys = self._fighter.decide(game, events)
        grid = game.grid
        here, there = (grid.tile_at(body.x, body.y) for body in (game.player, game.opponent))
        away, near = grid.distances(there), grid.distances(here)
        if here == self._goal or self._goal < 0 or game.tick % 60 == 0:
            self._goal = max(
                (tile for tile in grid.free if near[tile] > 3),
                key=lambda tile: 2 * away[tile] - near[tile],
            )
        following = min(grid.neighbours[here], key=grid.distances(self._goal).__getitem__)
        if away[following] < min(6, away[here]):
            following = max(grid.neighbours[here], key=away.__getitem__)
        dx, dy = keys_towards(game, following)
        return PlayerInput(dx=dx, dy=dy, aim_deg=_aim(game), shoot=keys.shoot, bomb=keys.bomb)


class Hunter:
    """Goes for the opponent, which people see on the screen wherever it is, and stands and shoots
    once it is near.
    """

    def __init__(self, seed: int) -> None:
        self._fighter = ScriptedPlayer(seed, Skill(7, 6.0, 0.05, 0.0))

    def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> PlayerInput:
        keys = self._fighter.decide(game, events)
        grid = game.grid
        here, there = (grid.tile_at(body.x, body.y) for body in (game.player, game.opponent))
        field_to = grid.distances(there)
        if keys.shoot or not 6 < field_to[here] < FAR:
            return PlayerInput(
                dx=keys.dx,
                dy=keys.dy,
                aim_deg=_aim(game) if field_to[here] <= 6 else keys.aim_deg,
                shoot=keys.shoot,
                bomb=keys.bomb,
            )
        dx, dy = keys_towards(game, min(grid.neighbours[here], key=field_to.__getitem__))
        return PlayerInput(dx=dx, dy=dy, aim_deg=_aim(game))


class Sneaker:
    """Takes a few steps, stands still for a while, and fights only when it must."""

    def __init__(self, seed: int) -> None:
        self._fighter = ScriptedPlayer(seed, Skill(9, 10.0, 0.03, 0.03))

    def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> PlayerInput:
        keys = self._fighter.decide(game, events)
        stands = game.tick // 45 % 2 == 1 and not keys.shoot
        return PlayerInput(dx=0, dy=0, aim_deg=keys.aim_deg) if stands else keys


def _aim(game: MazeRound) -> int:
    dx, dy = game.opponent.x - game.player.x, game.opponent.y - game.player.y
    return round(math.degrees(math.atan2(dy, dx))) % 360


#: People as they are met: each with habits of their own.
PEOPLE: Mapping[str, Callable[[int], MazePlayer]] = MappingProxyType(
    {
        "roams": ScriptedPlayer,
        "skilled": lambda seed: ScriptedPlayer(seed, Skill(4, 3.0, 0.06, 0.0)),
        "clumsy": lambda seed: ScriptedPlayer(seed, Skill(13, 14.0, 0.01, 0.02)),
        "keeps away": Runner,
        "hunts": Hunter,
        "sneaks": Sneaker,
    }
)


# ------------------------------------------------------------------------------------------ one
# round


@dataclass
class Conduct:
    """What one opponent did in one round."""

    ticks: int = 0
    intents: Counter[str] = field(default_factory=Counter)
    starts: Counter[str] = field(default_factory=Counter)
    sharp_turns: int = 0
    turned_deg: float = 0.0
    overlooked: int = 0
    heard_off_tiles: list[float] = field(default_factory=list)
    stops: int = 0
    deaths: int = 0
    kills: int = 0
    longest_search: int = 0

    @property
    def hunt(self) -> float:
        """The share of the round in which it chased, followed or investigated."""
        return sum(self.intents[intent] for intent in HUNT) / self.ticks


def conduct(name: str, seed: int, person: str, ticks: int = 1800) -> Conduct:
    """A round of the opponent `name` against a person; the maze and all chance follow from the
    seed.
    """
    game, seen = new_round(seed, MazeRules(round_ticks=ticks)), Conduct()
    player, opponent = PEOPLE[person](seed), FrustratedOpponent(preset(name), seed)
    events: list[MazeEvent] = []
    before, in_the_open, searched = OpponentInput(), 0, 0
    while not game.over:
        face = game.opponent.heading_deg
        sound = heard(events, game.opponent.x, game.opponent.y)
        keys, intent = player.decide(game, events), opponent.decide(game, events)
        in_the_open = in_the_open + 1 if _overlooks(game, opponent) else 0
        seen.overlooked += in_the_open == OVERLOOKED_TICKS
        seen.intents[intent.intent] += 1
        seen.starts[intent.intent] += intent.intent != before.intent
        if intent.intent == "investigate" and intent.goal != before.goal and sound is not None:
            column, row = (int(part) for part in intent.goal.removeprefix("tile ").split(","))
            seen.heard_off_tiles.append(math.hypot(column - sound.x // TILE, row - sound.y // TILE))
        seen.stops += before.walk and not intent.walk
        events = game.step(keys, intent)
        turn = abs((game.opponent.heading_deg - face + 180) % 360 - 180)
        reset = any(event.kind == "reset" for event in events)
        seen.sharp_turns += turn >= SHARP_DEG and not reset
        seen.turned_deg += 0 if reset else turn
        seen.deaths += sum(event.kind in ("caught", "player_killed") for event in events)
        seen.kills += sum(event.kind == "opponent_killed" for event in events)
        searched = searched + 1 if intent.intent == "search" else 0
        seen.longest_search = max(seen.longest_search, searched)
        before = intent
        seen.ticks += 1
    return seen


def _overlooks(game: MazeRound, opponent: FrustratedOpponent) -> bool:
    """Whether the player stands near in the open and it does not notice."""
    dx, dy = game.player.x - game.opponent.x, game.player.y - game.opponent.y
    near = dx * dx + dy * dy <= (OVERLOOKED_TILES * TILE) ** 2
    return (
        near
        and game.grid.sees(game.opponent.x, game.opponent.y, game.player.x, game.player.y)
        and not can_see(game, opponent.frustration.temper)
    )


# ------------------------------------------------------------------------------------------ figures


def per_round(rounds: Sequence[Conduct]) -> dict[str, float]:
    """Means over rounds, by the words they are printed with."""

    def mean(value: Callable[[Conduct], float]) -> float:
        return statistics.fmean(value(round_) for round_ in rounds)

    minutes = [round_.ticks / 1800 for round_ in rounds]
    per_minute = {
        "sharp turns (25° or more in a tick)": mean(lambda c: c.sharp_turns),
        "degrees turned per tick": mean(lambda c: c.turned_deg / c.ticks),
        "view: notices the player": mean(lambda c: c.starts["chase"]),
        "view: overlooks the player": mean(lambda c: c.overlooked),
        "hearing: sets out for a sound": mean(lambda c: c.starts["investigate"]),
        "risk: walks through fire": mean(lambda c: c.starts["cross_fire"]),
        "risk: walks round fire": mean(lambda c: c.starts["avoid_fire"]),
        "stops": mean(lambda c: c.stops),
        "player dies": mean(lambda c: c.deaths),
        "opponent dies": mean(lambda c: c.kills),
    }
    off = [tiles for round_ in rounds for tiles in round_.heard_off_tiles]
    return {
        **{
            f"share: {intent}": mean(lambda c, i=intent: c.intents[i] / c.ticks)  # type: ignore[misc]
            for intent in (*HUNT, "search", "cross_fire", "avoid_fire")
        },
        "share: hunt (chase + follow + investigate)": mean(lambda c: c.hunt),
        **{words: value / statistics.fmean(minutes) for words, value in per_minute.items()},
        "hearing: heard place off by (tiles)": statistics.fmean(off) if off else math.nan,
        "longest search (s)": mean(lambda c: c.longest_search / 30),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument(
        "--first-seed", type=int, default=0, help="the seeds are this one and those after it"
    )
    options = parser.parse_args()
    rounds, first = options.rounds, options.first_seed
    played = {
        (level, person): [conduct(level, seed, person) for seed in range(first, first + rounds)]
        for level in LEVELS
        for person in PEOPLE
    }
    say = sys.stdout.write
    say(f"{rounds} rounds of a minute for each of {len(PEOPLE)} players and {len(LEVELS)} levels, ")
    say(f"seeds from {first:,}; means per round\n\n")
    figures = {
        level: per_round([c for person in PEOPLE for c in played[level, person]])
        for level in LEVELS
    }
    say(f"{'':48}{''.join(f'{level:>12}' for level in LEVELS)}\n")
    for words in figures[LEVELS[0]]:
        say(f"{words:48}{''.join(f'{figures[level][words]:12.2f}' for level in LEVELS)}\n")
    say(f"\n{'share of the hunt, by player':48}{''.join(f'{level:>12}' for level in LEVELS)}\n")
    for person in PEOPLE:
        hunts = [statistics.fmean(c.hunt for c in played[level, person]) for level in LEVELS]
        dead = [statistics.fmean(c.deaths for c in played[level, person]) for level in LEVELS]
        won = [statistics.fmean(c.kills for c in played[level, person]) for level in LEVELS]
        say(
            f"{person:48}{''.join(f'{hunt:12.2f}' for hunt in hunts)}   deaths {dead}, kills"
            f" {won}\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A rule-based bot: it roams a deathmatch map, fetches items, and fights whom it sees.

Its rules in order: fight a figure that was in sight for as long as its reaction takes; fetch health
when hurt, a weapon when it has none, armour when bare; else fetch the nearest item that should be
there, or now and then go somewhere at random. It knows the map, and turns with the body of the
round: a hand with limits, that aims as badly as its skill says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from believable.contracts.agent import Agent, at_first_view
from believable.contracts.inputs import Input
from believable.core.errors import InvalidInput
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.floor_plan import Tile, centre, tile_at
from believable.worlds.doom.items import RESPAWN_S, SLOTS
from believable.worlds.doom.scripted_players import Fighter, MouseHand

HEALTH = frozenset({"Stimpack", "Medikit", "Soulsphere", "Megasphere", "HealthBonus"})
ARMOUR = frozenset({"GreenArmor", "BlueArmor", "Megasphere", "ArmorBonus"})
#: Below these it wants health, and armour.
HURT, BARE = 50, 25
#: The share of its goals that are places without an item.
ROAMS = 0.25
#: An item this far from a tile's middle can be touched from there.
_TOUCH_UNITS = 56.0
#: A goal that was not reached in this number of tics is given up.
_PATIENCE_TICS = 12 * TICS_PER_S
_RESPAWN_TICS = RESPAWN_S * TICS_PER_S
#: Goals are chosen from this number of nearest items, so that it does not walk one round for ever.
_CHOICE = 4


@dataclass(frozen=True, slots=True)
class BotParams:
    """`skill` is 1 to 5: how soon it reacts, how fast it turns in a fight, how well it aims."""

    skill: int = 3


def hand_of_skill(skill: int) -> MouseHand:
    """No pauses: it always has something to do."""
    return MouseHand(
        top_speed_deg=5.0 + skill,
        acceleration_deg=0.8 + 0.2 * skill,
        gain=0.14 + 0.03 * skill,
        careless_deg=7.0 - skill,
        pauses_per_min=0.0,
    )


class RuleBot(Fighter):
    """See the module."""

    def __init__(self, params: BotParams, seed: int, welcome: Mapping[str, Any]) -> None:
        if not 1 <= params.skill <= 5:
            raise InvalidInput(f"agent 'doom/bot', skill: expected 1 to 5, got {params.skill}.")
        hand = hand_of_skill(params.skill)
        super().__init__(hand, seed, welcome, welcome["known"].get("body", "raw"))
        if self._walker.walk is None:
            raise InvalidInput("agent 'doom/bot': it plays deathmatches. Use --map deathmatch.")
        self._walk = self._walker.walk
        self._rng = self._walker.rng
        self._lag_tics = 14 - 2 * params.skill + self._rng.randint(0, 4)
        self._items = [
            (name, x, y, tile)
            for name, x, y in welcome["known"]["items"]
            if (tile := self._beside(x, y)) is not None
        ]
        self._gone: dict[tuple[float, float], int] = {}
        self._goal: Tile | None = None
        self._item: tuple[float, float] | None = None
        self._since = 0
        self._stuck_at: list[int] = []

    def act(self, picture: Mapping[str, Any]) -> Input:
        tick = picture["t"]
        if picture["v"][0] <= 0:
            self._goal = None
            return (0, 0, 0, 0, 0, 1, 0, 0, 0)  # asks for the next life
        if self._turns_on(picture):
            self._goal = None
            return self._fight(picture, picture["o"])
        x, y = picture["p"][:2]
        self._pass_items(x, y, tick)
        if self._goal is None or self._at_goal(x, y) or tick - self._since > _PATIENCE_TICS:
            self._choose(picture)
        assert self._goal is not None
        forward, side, turn, jump = self._walker.walked(picture, self._goal, self._item)
        level = max(-60, min(60, -picture["p"][4] // 4))
        return (forward, side, 0, turn, level, 0, jump, 0, self._weapon(picture))

    def _beside(self, x: float, y: float) -> Tile | None:
        """The walkable tile from which a position can be touched."""
        column, row = tile_at(x, y)
        near = [(column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        reach = [
            (math.dist(centre(tile), (x, y)), tile) for tile in near if tile in self._walk.tiles
        ]
        away, tile = min(reach, default=(math.inf, None))
        return tile if away < _TOUCH_UNITS else None

    def _pass_items(self, x: float, y: float, tick: int) -> None:
        """Items it has touched are away for a while, and one that was its goal is reached."""
        for _, ix, iy, _ in self._items:
            if math.dist((x, y), (ix, iy)) < 40:
                self._gone[ix, iy] = tick
                if self._item == (ix, iy):
                    self._goal = None

    def _at_goal(self, x: float, y: float) -> bool:
        return (
            self._item is None
            and self._goal is not None
            and math.dist((x, y), centre(self._goal)) < 48
        )

    def _choose(self, picture: Mapping[str, Any]) -> None:
        """The next goal: by need, else near items, now and then any place."""
        x, y = picture["p"][:2]
        tick, rng = picture["t"], self._rng
        self._since = tick
        away = self._walk.distances(self._walker.start(x, y))
        there = sorted(
            (away[tile], name, (ix, iy), tile)
            for name, ix, iy, tile in self._items
            if tile in away and tick - self._gone.get((ix, iy), -_RESPAWN_TICS) >= _RESPAWN_TICS
        )
        wanted = self._by_need(picture, there) or there
        self._item = None
        if not wanted or rng.random() < ROAMS:
            far = [tile for tile, distance in away.items() if distance > 6] or list(away)
            self._goal = rng.choice(sorted(far))
            return
        _, _, self._item, self._goal = rng.choice(wanted[:_CHOICE])
        # if it cannot get there, it tries others first
        self._gone[self._item] = tick - _RESPAWN_TICS // 2

    def _by_need(
        self, picture: Mapping[str, Any], there: Sequence[tuple[float, str, Any, Tile]]
    ) -> list[tuple[float, str, Any, Tile]]:
        health, armour = picture["v"][:2]
        owned = set(picture["w"])
        if health < HURT:
            names = HEALTH
        elif not owned & {3, 4, 5, 6}:
            names = frozenset(SLOTS)
        elif armour < BARE:
            names = ARMOUR
        else:
            return []
        return [entry for entry in there if entry[1] in names]


BOT: Agent[BotParams] = Agent(
    name="doom/bot",
    world="doom",
    about="A rule-based bot of skill 1 to 5 (bot:4): roams, fetches items, fights whom it sees.",
    params=BotParams,
    rounds={"map": "deathmatch"},
    needs=("doom",),
    takes="skill",
    new=at_first_view(RuleBot),
)

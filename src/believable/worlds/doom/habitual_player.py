"""A scripted person with habits: always the same ones, and not kept to strictly. It replaces a
person whose play is learned.

The person's goal follows from its state: health when it is hurt, a weapon when it has none, armour,
and else its round of favourite items, each at this person's usual position. Now and then it does
something else; it stops and looks round, and jumps without need. Two persons have different
favourites; two rounds of one person have the same.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from believable.contracts.agent import Agent, at_first_view
from believable.contracts.inputs import Input
from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.worlds.doom.deathmatch_map import PlacedItem, deathmatch_map
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.floor_plan import Tile, centre
from believable.worlds.doom.items import RESPAWN_S
from believable.worlds.doom.scripted_players import Fighter, MouseHand, somebody

_HEALTH = ("Stimpack", "Medikit", "Soulsphere")
_ARMOUR = ("GreenArmor", "BlueArmor")
#: Weapons with their numbers, and items that are always worth taking.
_WEAPONS = {"Shotgun": 3, "SuperShotgun": 3, "Chaingun": 4, "RocketLauncher": 5, "PlasmaRifle": 6}
_ALWAYS = ("HealthBonus", "ArmorBonus", "Soulsphere", "RocketAmmo", "Cell", "Shell")
#: Below this the figure feels hurt, or unprotected.
_HURT, _BARE = 45, 25
#: An item counts as reached within this number of units, and as out of reach after this number of
#: tics.
_REACHED_UNITS, _PATIENCE_TICS = 30, 7 * TICS_PER_S
#: A gain within this number of units of an item was that item.
_TAKEN_UNITS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """One person: `person` draws the favourites. `stray` is the share of decisions against the
    habit; jumps are per minute; nearer than `bothered_units` it fights.
    """

    person: int = 1
    hand: MouseHand = field(default_factory=MouseHand)
    stray: float = 0.06
    jumps_per_min: float = 5.0
    round_items: int = 7
    bothered_units: float = 350.0


def habits_of(person: int) -> Habits:
    """The habits of the person of this number."""
    rng = random.Random(derive(person, "habits"))
    return Habits(
        person=person,
        hand=somebody(rng),
        stray=rng.uniform(0.04, 0.08),
        jumps_per_min=rng.uniform(2, 9),
        round_items=rng.randint(6, 8),
    )


class HabitualPlayer(Fighter):
    """Fights as others do; its routes in between are its habit."""

    def __init__(self, habits: Habits, seed: int, welcome: Mapping[str, Any]) -> None:
        super().__init__(habits.hand, seed, welcome)
        place = welcome["known"]["map"]
        if not self._round:
            raise InvalidInput(
                f"player 'regular': it knows our deathmatch maps only, got {place}. Use --map"
                " deathmatch."
            )
        self._habits = habits
        self._rng = self._walker.rng
        items = deathmatch_map(place[1]).items
        own = random.Random(derive(habits.person, "favourites", place[1]))
        self._health = _favourites(own, items, _HEALTH, 3)
        self._armour = _favourites(own, items, _ARMOUR, 1)
        self._weapons = _favourites(own, items, tuple(_WEAPONS), 3)
        self._circuit = _round_of(
            own, [item for item in items if item.name in _ALWAYS], habits.round_items
        )
        self._items = items
        self._next = self._rng.randrange(len(self._circuit))
        self._taken: dict[Tile, int] = {}
        self._goal: PlacedItem | None = None
        self._since = 0
        self._off_habit = False

    def act(self, picture: Mapping[str, Any]) -> Input:
        tick = picture["t"]
        if "pickup" in picture["e"]:
            self._notice(picture)
        if picture["v"][0] <= 0:
            self._goal = None
            return (0, 0, 0, 0, 0, 1, 0, 0, 0)  # asks for the next life
        if self._turns_on(picture) and self._near(picture):
            self._goal = None  # after a fight it decides again
            return self._fight(picture, picture["o"])
        if (
            self._goal is None
            or self._arrived(picture, self._goal)
            or tick - self._since > _PATIENCE_TICS
        ):
            self._goal, self._since = self._wish(picture), tick
        forward, side, turn, jump = self._walker.walked(picture, self._goal.tile)
        if self._passes_by(picture, self._goal):
            forward = side = 0  # turns first: at full speed it would circle its target
        if forward and self._rng.random() < self._habits.jumps_per_min / 60 / TICS_PER_S:
            jump = 1
        level = -picture["p"][4] // 4
        return (forward, side, 0, turn, max(-60, min(60, level)), 0, jump, 0, self._weapon(picture))

    def _near(self, picture: Mapping[str, Any]) -> bool:
        """Whether a figure is too near to be ignored."""
        return any(
            math.dist(other[:2], picture["p"][:2]) < self._habits.bothered_units
            for other in picture["o"]
        )

    def _passes_by(self, picture: Mapping[str, Any], goal: PlacedItem) -> bool:
        """Whether it is near the goal, with nothing in between, and looks past it."""
        x, y, _, tenths, _ = picture["p"]
        gx, gy = centre(goal.tile)
        bearing = math.degrees(math.atan2(gy - y, gx - x))
        walk = self._walker.walk
        past = (
            math.dist((x, y), (gx, gy)) < 140
            and abs((bearing - tenths / 10 + 180) % 360 - 180) > 15
        )
        return past and walk is not None and walk.straight(x, y, gx, gy)

    def _notice(self, picture: Mapping[str, Any]) -> None:
        """Remembers its last pick-up, also in passing."""
        x, y = picture["p"][:2]
        away, item = min(
            ((math.dist((x, y), centre(item.tile)), item) for item in self._items),
            key=lambda pair: pair[0],
        )
        if away < _TAKEN_UNITS:
            self._taken[item.tile] = picture["t"]

    def _arrived(self, picture: Mapping[str, Any], goal: PlacedItem) -> bool:
        """It was taken, or does not lie there."""
        if self._taken.get(goal.tile, -1) < self._since:
            if math.dist(picture["p"][:2], centre(goal.tile)) >= _REACHED_UNITS:
                return False
            self._taken[goal.tile] = picture["t"]
        if not self._off_habit and goal == self._circuit[self._next % len(self._circuit)]:
            self._next += 1
        return True

    def _wish(self, picture: Mapping[str, Any]) -> PlacedItem:
        """Its current goal: by need, else the next of its round that should have respawned."""
        health, armour = picture["v"][:2]
        tick = picture["t"]
        self._off_habit = self._rng.random() < self._habits.stray
        if self._off_habit:
            return self._rng.choice(self._circuit)
        needs: list[Sequence[PlacedItem]] = []
        if health < _HURT:
            needs.append(self._health)
        needs.append([item for item in self._weapons if _WEAPONS[item.name] not in picture["w"]])
        if armour < _BARE:
            needs.append(self._armour)
        for favourites in needs:
            there = [item for item in favourites if self._there(item, tick)]
            if there:
                return there[0]
        for ahead in range(len(self._circuit)):
            item = self._circuit[(self._next + ahead) % len(self._circuit)]
            if self._there(item, tick):
                self._next += ahead
                return item
        return self._circuit[self._next % len(self._circuit)]

    def _there(self, item: PlacedItem, tick: int) -> bool:
        return tick - self._taken.get(item.tile, -(10**6)) > RESPAWN_S * TICS_PER_S


def _favourites(
    rng: random.Random, items: Sequence[PlacedItem], names: Sequence[str], count: int
) -> list[PlacedItem]:
    fitting = [item for item in items if item.name in names]
    return rng.sample(fitting, min(count, len(fitting)))


def _round_of(rng: random.Random, items: Sequence[PlacedItem], count: int) -> list[PlacedItem]:
    """A round through some items, in the direction this person likes."""
    chosen = rng.sample(list(items), min(count, len(items)))
    middle = [sum(centre(item.tile)[axis] for item in chosen) / len(chosen) for axis in (0, 1)]
    around = sorted(
        chosen,
        key=lambda item: math.atan2(
            centre(item.tile)[1] - middle[1], centre(item.tile)[0] - middle[0]
        ),
    )
    return around if rng.random() < 0.5 else around[::-1]


@dataclass(frozen=True, slots=True)
class RegularParams:
    """`person` is a number; each has its own habits."""

    person: int = 1


REGULAR = Agent(
    name="doom/regular",
    world="doom",
    about="A person with stable habits in a deathmatch: regular:NUMBER is always the same one.",
    params=RegularParams,
    needs=("doom",),
    rounds={"map": "deathmatch"},
    takes="person",
    draw=lambda rng: RegularParams(rng.randrange(1000)),
    new=at_first_view(
        lambda params, seed, welcome: HabitualPlayer(habits_of(params.person), seed, welcome)
    ),
)

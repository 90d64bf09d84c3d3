"""Scripted players, so that recordings can be made without a person: one who walks to places, one
who fights with habits.

They see the page's view, know the map like a person who has played there before, and turn as a hand
turns a mouse: late, with a limit to speed and acceleration, and never quite to the point. They
replace people in tests and demonstrations; they are no model of any person.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from believable.contracts.agent import Agent, at_first_view
from believable.contracts.inputs import Input
from believable.worlds.doom.body import BodyName, PeopleHand
from believable.worlds.doom.deathmatch_map import deathmatch_map
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.floor_plan import Tile, centre, tile_at
from believable.worlds.doom.game_map import DEATHMATCH, DESIGNS, NAVIGATION, parts_of
from believable.worlds.doom.navigation_map import navigation_map
from believable.worlds.doom.sector_walk import SectorWalk
from believable.worlds.doom.walking import WalkMap, way_ahead

#: Pressed and let go of by these players, in the order of an input.
NOTHING: Input = (0, 0, 0, 0, 0, 0, 0, 0, 0)
#: A player who got no farther in this number of tics is stuck.
STUCK_TICS, STUCK_UNITS = 25, 24.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MouseHand:
    """How a player turns: degrees per tic at most and their change, the share of the way taken at
    once, the tolerated error, and for how many tics they stop and look around now and then.
    """

    top_speed_deg: float = 7.0
    acceleration_deg: float = 1.2
    gain: float = 0.22
    careless_deg: float = 3.0
    pause_tics: int = 12
    pauses_per_min: float = 4.0


def somebody(rng: random.Random) -> MouseHand:
    return MouseHand(
        top_speed_deg=rng.uniform(5, 10),
        acceleration_deg=rng.uniform(0.8, 2.0),
        gain=rng.uniform(0.15, 0.3),
        careless_deg=rng.uniform(1, 6),
        pause_tics=rng.randint(5, 25),
        pauses_per_min=rng.uniform(1, 8),
    )


class _Turning:
    """A hand on the mouse; in a people's body it makes people's strokes."""

    def __init__(self, hand: MouseHand, rng: random.Random, body: BodyName) -> None:
        self._hand, self._rng = hand, rng
        self._strokes = PeopleHand(rng.randrange(2**32)) if body == "people" else None
        self._speed = 0.0
        self._off = 0.0

    def towards(self, bearing_deg: float, angle_deg: float) -> tuple[int, float]:
        """How far to turn right in this tic, in tenths of a degree, and how far there is to go, in
        degrees to the left.
        """
        hand = self._hand
        if self._rng.random() < 0.04:
            self._off = self._rng.uniform(-hand.careless_deg, hand.careless_deg)
        left = (bearing_deg + self._off - angle_deg + 180) % 360 - 180
        if self._strokes is not None:
            self._strokes.aim(left if abs(left) > hand.careless_deg else 0.0)
            return -round(10 * self._strokes.turn()), left
        wished = max(-hand.top_speed_deg, min(hand.top_speed_deg, hand.gain * left))
        change = max(-hand.acceleration_deg, min(hand.acceleration_deg, wished - self._speed))
        self._speed += change
        return -round(10 * self._speed), left


class _RouteWalker:
    """Finds ways on the plan, and notices when it does not get on."""

    def __init__(
        self, seed: int, hand: MouseHand, welcome: Mapping[str, Any], body: BodyName = "raw"
    ) -> None:
        self.rng = random.Random(seed)
        self.turning = _Turning(hand, self.rng, body)
        self.hand = hand
        self.walk = _walk_map(welcome)
        self._route: list[Tile] = []
        self._goal: Tile | None = None
        self._last: tuple[float, float, int] = (0.0, 0.0, 0)
        self._free_until = 0
        self._paused_until = 0

    def walked(
        self, picture: Mapping[str, Any], goal: Tile, spot: tuple[float, float] | None = None
    ) -> tuple[int, int, int, int]:
        """forward, side, turn and jump on the way to a tile, then to a spot next to it."""
        x, y, _, tenths, _ = picture["p"]
        tick = picture["t"]
        if tick < self._paused_until:
            return (
                0,
                0,
                self.turning.towards(tenths / 10 + 40 * math.sin(tick / 9), tenths / 10)[0],
                0,
            )
        if self.rng.random() < self.hand.pauses_per_min / 60 / TICS_PER_S:
            self._paused_until = tick + self.hand.pause_tics
        if self._stuck(x, y, tick):
            self._free_until, self._route = tick + 15, []
        place, leaping = self._ahead(x, y, goal)
        if spot is not None and place == centre(goal):
            place = spot
        bearing = math.degrees(math.atan2(place[1] - y, place[0] - x))
        turn, left = self.turning.towards(bearing, tenths / 10)
        side = self.rng.choice((-1, 1)) if tick < self._free_until else 0
        forward = 1 if abs(left) < 50 or (abs(left) < 80 and math.dist((x, y), place) > 150) else 0
        return (forward, side, turn, int(leaping and forward and abs(left) < 12))

    def start(self, x: float, y: float) -> Tile:
        """The tile from which a way begins: its own, else the nearest, if possible one to which it
        can go straight.
        """
        assert self.walk is not None
        own = tile_at(x, y)
        if own in self.walk.tiles:
            return own
        nearest = sorted(self.walk.tiles, key=lambda tile: math.dist(centre(tile), (x, y)))[:8]
        return next((tile for tile in nearest if self.walk.can_enter(x, y, tile)), nearest[0])

    def _ahead(self, x: float, y: float, goal: Tile) -> tuple[tuple[float, float], bool]:
        """Where to go now, and whether to jump there."""
        assert self.walk is not None
        own = tile_at(x, y)
        if goal != self._goal or own not in self._route:
            start = self.start(x, y)
            self._route, self._goal = self.walk.route(start, goal) or [start], goal
        at = self._route.index(own) if own in self._route else 0
        rest = self._route[at:]
        for number, (tile, following) in enumerate(pairwise(rest)):
            if self.walk.leaps(tile, following):
                edge = centre(following)
                return (
                    (edge, math.dist((x, y), centre(tile)) < 40)
                    if number < 3
                    else (centre(tile), False)
                )
            if number > 14:
                break
        return way_ahead(self.walk, x, y, rest[1:] or rest), False

    def _stuck(self, x: float, y: float, tick: int) -> bool:
        lx, ly, since = self._last
        if math.dist((x, y), (lx, ly)) > STUCK_UNITS:
            self._last = (x, y, tick)
            return False
        if tick - since > STUCK_TICS:
            self._last = (x, y, tick)
            return True
        return False


def _walk_map(welcome: Mapping[str, Any]) -> WalkMap | None:
    """The map as an experienced player knows it; None without a map."""
    if not welcome["known"]["map"]:
        return None
    return _known_walk(*welcome["known"]["map"])


@lru_cache(maxsize=8)
def _known_walk(name: str, seed: int) -> WalkMap:
    if name not in DESIGNS:
        return SectorWalk(parts_of(name)[2])
    return WalkMap(navigation_map(seed).plan if name == NAVIGATION else deathmatch_map(seed).plan)


class Wanderer:
    """Walks to the goal, or from position to position if there is none, in the body of the round.
    Fighters have hands that aim.
    """

    def __init__(self, hand: MouseHand, seed: int, welcome: Mapping[str, Any]) -> None:
        self._walker = _RouteWalker(seed, hand, welcome, welcome["known"].get("body", "raw"))
        self._goal = tile_at(*welcome["known"]["goal"][:2]) if welcome["known"]["goal"] else None
        self._place: Tile | None = self._goal

    def act(self, picture: Mapping[str, Any]) -> Input:
        walker = self._walker
        if walker.walk is None:
            return self._feel(picture)
        x, y = picture["p"][:2]
        if self._place is None or (
            self._goal is None and math.dist((x, y), centre(self._place)) < 48
        ):
            self._place = walker.rng.choice(sorted(walker.walk.tiles))
        forward, side, turn, jump = walker.walked(picture, self._place)
        return (forward, side, 0, turn, 0, 0, jump, 0, 0)

    def _feel(self, picture: Mapping[str, Any]) -> Input:
        """Without a plan: straight on, and another way where something is in the way."""
        walker, (x, y, _, tenths, _) = self._walker, picture["p"]
        if (
            not hasattr(self, "_heading")
            or walker._stuck(x, y, picture["t"])
            or "blocked" in picture["e"]
        ):
            self._heading = tenths / 10 + walker.rng.uniform(60, 180) * walker.rng.choice((-1, 1))
        turn, left = walker.turning.towards(self._heading, tenths / 10)
        return (
            int(abs(left) < 60),
            0,
            0,
            turn,
            0,
            int(bool(picture["o"])),
            0,
            int(walker.rng.random() < 0.02),
            0,
        )


class Fighter:
    """Fights with habits: collects what lies on its favourite round, turns on whom it sees after a
    moment, circles while it shoots, and prefers the better weapons.
    """

    #: Weapons by number, the better first, with how much ammunition they need to be worth taking.
    BEST = (5, 6, 3, 4, 2)

    def __init__(
        self, hand: MouseHand, seed: int, welcome: Mapping[str, Any], body: BodyName = "raw"
    ) -> None:
        self._walker = _RouteWalker(seed, hand, welcome, body)
        self._wander = Wanderer(hand, seed, welcome)
        rng = self._walker.rng
        place = welcome["known"]["map"]
        known = deathmatch_map(place[1]) if place and place[0] == DEATHMATCH else None
        self._round = rng.sample([item.tile for item in known.items], 9) if known else []
        self._lag_tics = rng.randint(5, 10)
        self._seen_since: int | None = None
        self._circle = 1
        self._at = 0
        self._chosen = 0

    def act(self, picture: Mapping[str, Any]) -> Input:
        tick, others = picture["t"], picture["o"]
        if self._turns_on(picture):
            return self._fight(picture, others)
        if not self._round:
            return self._wander.act(picture)
        goal = self._round[self._at % len(self._round)]
        x, y = picture["p"][:2]
        if math.dist((x, y), centre(goal)) < 40 or tick > (self._at + 1) * 8 * TICS_PER_S:
            self._at += 1
        forward, side, turn, jump = self._walker.walked(picture, goal)
        level = -picture["p"][4] // 4
        return (forward, side, 0, turn, max(-60, min(60, level)), 0, jump, 0, self._weapon(picture))

    def _turns_on(self, picture: Mapping[str, Any]) -> bool:
        """Whether a figure was in sight for long enough to turn on it."""
        if not picture["o"]:
            self._seen_since = None
        elif self._seen_since is None:
            self._seen_since = picture["t"]
        return self._seen_since is not None and picture["t"] - self._seen_since >= self._lag_tics

    def _fight(self, picture: Mapping[str, Any], others: Sequence[Sequence[float]]) -> Input:
        x, y, z, tenths, pitch = picture["p"]
        rng = self._walker.rng
        ox, oy, oz = min(others, key=lambda other: math.dist(other[:2], (x, y)))
        away = math.dist((ox, oy), (x, y))
        turn, left = self._walker.turning.towards(
            math.degrees(math.atan2(oy - y, ox - x)), tenths / 10
        )
        if rng.random() < 0.03:
            self._circle = -self._circle
        aimed = abs(left) < 4 + 400 / max(away, 50)
        rise = round(10 * math.degrees(math.atan2(oz - z, away))) - pitch
        forward = 1 if away > 350 else (-1 if away < 120 else 0)
        return (
            forward,
            self._circle,
            0,
            turn,
            max(-60, min(60, rise // 3)),
            int(aimed),
            0,
            0,
            self._weapon(picture),
        )

    def _weapon(self, picture: Mapping[str, Any]) -> int:
        """Sometimes try a better one; the engine keeps the one in hand if it is not owned."""
        if picture["t"] % (2 * TICS_PER_S) != 0:
            return 0
        self._chosen = (self._chosen + 1) % len(self.BEST)
        return self.BEST[self._chosen] if picture["v"][3] < 5 or picture["v"][2] <= 2 else 0


WANDERER = Agent(
    name="doom/wanderer",
    world="doom",
    needs=("doom",),
    about="Walks to the goal, or from place to place.",
    params=MouseHand,
    draw=somebody,
    new=at_first_view(Wanderer),
)
PERSON = Agent(
    name="doom/person",
    world="doom",
    needs=("doom",),
    about=(
        "Fights in a deathmatch with habits: a favourite round, a moment before it turns on whom it"
        " sees."
    ),
    params=MouseHand,
    draw=somebody,
    new=at_first_view(Fighter),
)

"""Agents of a third party: two for the maze, one for Doom, one for the town."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from believable.contracts.agent import ActFunction, Agent, NoParams
from believable.worlds.town.mind import Percept, Primitive


@dataclass(frozen=True)
class RunnerParams:
    """How a runner behaves."""

    straight_ticks: int = 15


def runner(params: RunnerParams, seed: int) -> ActFunction:
    """Runs straight ahead and turns now and then."""
    rng = random.Random(seed)
    direction = (1, 0)

    def act(view: Mapping[str, Any]) -> tuple[int, ...]:
        nonlocal direction
        if view["t"] % params.straight_ticks == 0:
            direction = rng.choice([(1, 0), (-1, 0), (0, 1), (0, -1)])
        return (*direction, view["p"][2], 0, 0)

    return act


def strafer(params: NoParams, seed: int) -> ActFunction:
    """Runs ahead and steps aside in turn."""
    return lambda view: (1, 1 if view["t"] // 20 % 2 else -1, 0, 0, 0, 0, 0, 0, 0)


def hunter(params: NoParams, seed: int) -> ActFunction:
    """Walks straight at the player, through walls if it could."""

    def act(view: Mapping[str, Any]) -> tuple[int, ...]:
        (x, y), (own_x, own_y) = view["p"][:2], view["o"][:2]
        return round(math.degrees(math.atan2(y - own_y, x - own_x))) % 360, 1

    return act


def walker(params: NoParams, seed: int) -> ActFunction:
    """Goes to something in sight, or waits."""

    def act(view: Mapping[str, Any]) -> Primitive:
        percept: Percept = view["percept"]
        rng = random.Random(seed)
        things = [thing.id for thing in percept.things if thing.distance > 0]
        blocked = percept.result is not None and percept.result.refused is not None
        if blocked or not things:
            return Primitive(verb="wait", minutes=10)
        return Primitive(verb="move-to", object=rng.choice(things))

    return act


RUNNER = Agent(
    name="maze/runner",
    world="maze",
    about="Runs straight ahead and turns now and then.",
    params=RunnerParams,
    new=runner,
)
HUNTER = Agent(
    name="maze/hunter",
    world="maze",
    about="Walks straight at the player.",
    seat="opponent",
    new=hunter,
)
STRAFER = Agent(
    name="doom/strafer",
    world="doom",
    about="Runs ahead and steps aside in turn.",
    needs=("doom",),
    new=strafer,
)
WALKER = Agent(name="town/walker", world="town", about="Goes to what it sees.", new=walker)

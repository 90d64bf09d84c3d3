"""A figure that is led along a given way, by pushes in the engine's own physics.

People's demos are of another engine, so that their keys would lead elsewhere. A led figure gets, in
each tic, the push after which it is where the person was, and turns as the person turned. It
climbs, falls and slides by the engine's rules, to within a third of a unit of the way. Any figure
can be led: films of people, learned players and bots then differ in their ways only.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass

from believable.worlds.doom.items import actors_of_items

#: A led figure is pushed this many times as hard as a player who presses the same. People run
#: faster than the keys of this engine allow: aside and ahead at once.
STRENGTH = 4
#: A figure that is farther than this from its way is put onto it: a new life, or a closed door.
LOST_UNITS = 48.0
#: So that it can be pushed in the air, as an explosion does it.
RULES = "+sv_aircontrol 1"
_FIGURE = f"""\
actor LedPlayer : DoomPlayer
{{
  Player.ForwardMove {STRENGTH}, {STRENGTH}
  Player.SideMove {STRENGTH}, {STRENGTH}
}}
"""
_CLASSES = "clearplayerclasses\naddplayerclass LedPlayer\n"


def lumps_of_things(*, led: bool) -> list[tuple[str, bytes]]:
    """Our kinds of things in the engine's language, as parts of a file."""
    if not led:
        return [("DECORATE", actors_of_items().encode())]
    return [("DECORATE", (actors_of_items() + _FIGURE).encode()), ("KEYCONF", _CLASSES.encode())]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedPush:
    """The push of a tic: as an input's forward and sideways speed, and degrees to turn right."""

    forward: float
    side: float
    turn_right_deg: float


def push_towards(
    place: tuple[float, float],
    angle_deg: float,
    *,
    at: tuple[float, float],
    velocity: Sequence[float],
    looking_deg: float,
    units_per_speed: float,
) -> LedPush:
    """The push after which a figure `at` a place, with a velocity, is at `place` and looks along
    `angle_deg`. `units_per_speed` is what an input's speed of 1 adds to a player's velocity.
    """
    missing = complex(place[0] - at[0] - velocity[0], place[1] - at[1] - velocity[1])
    ahead = missing * cmath.rect(1.0, -math.radians(angle_deg))
    speed = units_per_speed * STRENGTH
    return LedPush(
        forward=ahead.real / speed,
        side=-ahead.imag / speed,
        turn_right_deg=-((angle_deg - looking_deg + 180) % 360 - 180),
    )

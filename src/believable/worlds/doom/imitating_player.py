"""A learned player in a round of Doom: the state of a tic becomes a sight, its command becomes an
input.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from believable.contracts.agent import ActFunction, Agent, at_first_view
from believable.contracts.inputs import Input
from believable.core.errors import InvalidInput
from believable.imitation.imitator import Imitation, Imitator, MoveCommand, Sight, angle_between
from believable.imitation.learned_file import SUFFIX, read_imitation
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_observations import (
    LOOK_MS,
    LOOK_TICS,
    REACH_TILES,
    weapons_carried,
)
from believable.worlds.doom.doom_round import FRICTION, PUSH_UNITS, RUN, STRAFE
from believable.worlds.doom.floor_plan import TILE_UNITS
from believable.worlds.doom.items import WEAPON_NAMES

_NUMBERS = {name: number for number, name in WEAPON_NAMES.items()}
#: Of a direction to walk in, the part ahead and the part aside that is worth a key.
_KEY_SHARE = math.sin(math.radians(22.5))
#: An item that was taken is noticed within this distance of the figure, in tiles: it moves while a
#: tic passes.
_NOTICED_TILES = REACH_TILES + 0.3


#: A step aside pushes less than one ahead.
_SIDE_PUSH_UNITS = PUSH_UNITS * STRAFE / RUN
_KEYS = (
    (0, 0),
    *((forward, side) for forward in (1, 0, -1) for side in (0, 1, -1) if forward or side),
)


class CommandingMind(Protocol):
    """Who decides: the imitation, and simpler players with the same interface."""

    def act(self, sight: Sight) -> MoveCommand: ...


class ImitatingPlayer:
    """Asks a mind every few tics, and lets the hand follow its command until then."""

    def __init__(self, mind: CommandingMind, welcome: Mapping[str, Any]) -> None:
        self._mind = mind
        known = welcome["known"]
        self._left, self._top = known["corner"]
        self._items = [(name, *self._tiles(x, y)) for name, x, y in known["items"]]
        self._picked_up: list[str] = []
        self._command = MoveCommand(
            turn=0.0, pitch=0.0, direction=None, jump=False, fire=False, weapon=""
        )
        self._turned = self._lifted = 0
        self._was_at: tuple[float, float] | None = None

    def act(self, picture: Mapping[str, Any]) -> Input:
        since = picture["t"] % LOOK_TICS
        if "pickup" in picture["e"]:
            self._picked_up += self._taken(picture)
        if since == 0:
            self._command = self._mind.act(self.sight(picture))
            self._picked_up, self._turned, self._lifted = [], 0, 0
        command, (x, y, _, tenths, _) = self._command, picture["p"]
        turned, lifted = (
            round(10 * angle * (since + 1) / LOOK_TICS) for angle in (-command.turn, -command.pitch)
        )
        turn, look = turned - self._turned, lifted - self._lifted
        self._turned, self._lifted = turned, lifted
        before, self._was_at = self._was_at, (x, y)
        moved = (x - before[0], y - before[1]) if before else (0.0, 0.0)
        forward, side = walking_keys(command, tenths / 10 - turn / 10, moved)
        number = _NUMBERS.get(command.weapon, 0)
        wanted = (
            number if since == 0 and number != picture["v"][2] and number in picture["w"] else 0
        )
        turn, look = max(-1800, min(1800, turn)), max(-900, min(900, look))
        return (
            forward,
            side,
            0,
            turn,
            look,
            int(command.fire),
            int(command.jump and since == 0),
            0,
            wanted,
        )

    def sight(self, picture: Mapping[str, Any]) -> Sight:
        """The figure's knowledge of itself in a tic, in the learner's terms."""
        x, y, z, tenths, pitch = picture["p"]
        health, armour, _, ammunition, _ = picture["v"]
        column, row = self._tiles(x, y)
        return Sight(
            now_ms=picture["t"] * 1000 / TICS_PER_S,
            position=(column, row, z / TILE_UNITS),
            yaw=(tenths / 10 + 180) % 360 - 180,
            pitch=-pitch / 10,
            alive=health > 0,
            carried=weapons_carried(picture["w"]),
            quantities={"health": health, "armour": armour, "ammunition": ammunition},
            picked_up=tuple(self._picked_up),
        )

    def _tiles(self, x: float, y: float) -> tuple[float, float]:
        return (x - self._left) / TILE_UNITS, (self._top - y) / TILE_UNITS

    def _taken(self, picture: Mapping[str, Any]) -> list[str]:
        """What lay where the figure just gained something: it knows the place."""
        column, row = self._tiles(*picture["p"][:2])
        near = [(math.dist((x, y), (column, row)), name) for name, x, y in self._items]
        return [min(near)[1]] if near and min(near)[0] <= _NOTICED_TILES else []


def walking_keys(command: MoveCommand, view: float, moved: tuple[float, float]) -> tuple[int, int]:
    """Forward and sideways keys of a tic: those after which the figure is nearest to where the
    command wants it in the next one. `moved` are the units of the last tic, of which the ground
    leaves a part.
    """
    if command.direction is None:
        return 0, 0
    if command.tiles_per_s is None:
        relative = math.radians(angle_between(view, command.direction))
        return _key(math.cos(relative)), _key(-math.sin(relative))
    wanted = cmath.rect(
        command.tiles_per_s * TILE_UNITS / TICS_PER_S, math.radians(command.direction)
    )
    missing = wanted - FRICTION * complex(*moved)
    ahead = cmath.rect(1.0, math.radians(view))

    def off(keys: tuple[int, int]) -> float:
        return abs(missing - keys[0] * PUSH_UNITS * ahead + keys[1] * _SIDE_PUSH_UNITS * 1j * ahead)

    return min(_KEYS, key=off)


def _key(share: float) -> int:
    return 0 if abs(share) < _KEY_SHARE else int(math.copysign(1, share))


def seat_mind(mind: CommandingMind) -> ActFunction:
    """This mind as an agent of one round."""

    def sit_down(own: CommandingMind, seed: int, welcome: Mapping[str, Any]) -> ImitatingPlayer:
        return ImitatingPlayer(own, welcome)

    return at_first_view(sit_down)(mind, 0)


def learned_for_doom(file: Path) -> Imitation:
    """A learned player from its file, if it was learned from rounds of Doom."""
    model = read_imitation(file)
    if abs(model.frame_ms - LOOK_MS) > 0.01:
        raise InvalidInput(
            f"{file}: learned from frames of {model.frame_ms:g} ms, not from rounds of Doom"
            f" ({LOOK_MS:.1f} ms). Learn it from recordings of the same map: believable record doom"
            " --help"
        )
    return model


@dataclass(frozen=True, slots=True)
class ImitationParams:
    """`file` is a learned player, made by `believable learn`."""

    file: Path


IMITATION = Agent(
    name="doom/imitation",
    world="doom",
    about="Plays like the person it learned from: imitation:FILE, made by `believable learn`.",
    params=ImitationParams,
    needs=("doom",),
    takes="file",
    files=(SUFFIX,),
    new=lambda params, seed: seat_mind(Imitator(learned_for_doom(params.file), seed)),
)
AS_PUBLISHED = Agent(
    name="doom/imitation_as_published",
    world="doom",
    about=(
        "The same by the published rules alone, imitation_as_published:FILE: the best neighbour,"
        " and a straight way there."
    ),
    params=ImitationParams,
    needs=("doom",),
    takes="file",
    new=lambda params, seed: seat_mind(
        Imitator(learned_for_doom(params.file), seed, as_published=True)
    ),
)

"""The records of a Quake II demo."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

#: Server frames a second.
FRAME_HZ: Final = 10


#: Where the descriptions of items, models, sounds and players begin among the configuration
#: strings.
CS_MODELS, CS_SOUNDS, CS_ITEMS, CS_PLAYERSKINS = 32, 288, 1056, 1312


Vector = tuple[float, float, float]


class Quake2Entity(NamedTuple):
    """Something in sight of the player: another player, an item, a missile."""

    number: int = 0
    model: int = 0
    model2: int = 0
    model3: int = 0
    model4: int = 0
    frame: int = 0
    skin: int = 0
    effects: int = 0
    render: int = 0
    origin: Vector = (0.0, 0.0, 0.0)
    angles: Vector = (0.0, 0.0, 0.0)
    old_origin: Vector = (0.0, 0.0, 0.0)
    sound: int = 0
    event: int = 0
    solid: int = 0


class Quake2Player(NamedTuple):
    """The player who recorded. Lengths in map units, angles in degrees; `stats` as the status bar
    shows them.
    """

    move_type: int = 0
    origin: Vector = (0.0, 0.0, 0.0)
    velocity: Vector = (0.0, 0.0, 0.0)
    move_time: int = 0
    move_flags: int = 0
    gravity: int = 0
    delta_angles: tuple[int, int, int] = (0, 0, 0)
    view_offset: Vector = (0.0, 0.0, 0.0)
    view_angles: Vector = (0.0, 0.0, 0.0)
    kick_angles: Vector = (0.0, 0.0, 0.0)
    gun_index: int = 0
    gun_frame: int = 0
    blend: tuple[int, int, int, int] = (0, 0, 0, 0)
    field_of_view: int = 0
    render_flags: int = 0
    stats: tuple[int, ...] = (0,) * 32


class Quake2Sound(NamedTuple):
    sound: int
    entity: int | None
    channel: int


class MuzzleFlash(NamedTuple):
    entity: int
    flash: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quake2Frame:
    """One tenth of a second. `sounds`, `flashes` and `prints` are from the same message of the
    server.
    """

    number: int
    player: Quake2Player
    entities: dict[int, Quake2Entity]
    sounds: tuple[Quake2Sound, ...]
    flashes: tuple[MuzzleFlash, ...]
    prints: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Quake2Demo:
    """`player_entity` is the number under which the player who recorded is seen."""

    level: str = ""
    game: str = ""
    player_entity: int = 0
    strings: dict[int, str] = field(default_factory=dict)
    frames: list[Quake2Frame] = field(default_factory=list)

    def item_name(self, stat: int) -> str | None:
        """The item that a pickup string names."""
        return self.strings.get(stat) if stat >= CS_ITEMS else None

    def sound_name(self, number: int) -> str:
        return self.strings.get(CS_SOUNDS + number, "")

    def model_name(self, number: int) -> str:
        return self.strings.get(CS_MODELS + number, "")

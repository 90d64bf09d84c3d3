"""How frustration changes an opponent: one table with both ends of every parameter, and the state that moves between them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import MappingProxyType

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean


@dataclass(frozen=True, slots=True)
class Temper:
    """What an opponent perceives and risks.

    | parameter | unit | more of it means |
    |---|---|---|
    | `view_deg` | degrees | a wider field of view |
    | `view_tiles` | tiles | seeing farther |
    | `hearing_reach` | factor on how far a sound carries | hearing from farther away |
    | `fire_health` | health points | at least this healthy before walking into fire |
    | `detour_ratio` | way round / direct way | patience with detours: fire is crossed when the way round is longer than this |
    | `swerve_deg` | degrees | larger sudden turns |
    | `swerve_chance` | probability per tick | more frequent sudden turns |
    | `memory_ticks` | ticks | keeps heading for where the player was last seen |
    """

    view_deg: float
    view_tiles: float
    hearing_reach: float
    fire_health: float
    detour_ratio: float
    swerve_deg: float
    swerve_chance: float
    memory_ticks: float

    def mixed(self, other: Temper, share: float) -> Temper:
        """This temper moved towards another by `share` (0: this, 1: the other)."""
        return Temper(
            *(
                getattr(self, one.name) + share * (getattr(other, one.name) - getattr(self, one.name))
                for one in fields(Temper)
            )
        )


CALM = Temper(
    view_deg=150.0,
    view_tiles=10.0,
    hearing_reach=0.7,
    fire_health=85.0,
    detour_ratio=2.0,
    swerve_deg=12.0,
    swerve_chance=0.005,
    memory_ticks=120.0,
)

FRUSTRATED = Temper(
    view_deg=60.0,
    view_tiles=7.0,
    hearing_reach=1.5,
    fire_health=25.0,
    detour_ratio=1.15,
    swerve_deg=70.0,
    swerve_chance=0.06,
    memory_ticks=45.0,
)


@dataclass(frozen=True, slots=True)
class Dynamics:
    """How frustration moves. Levels lie between 0 (calm) and 1 (frustrated); gains are added once per occasion."""

    start: float
    rest: float
    return_per_s: float
    per_damage_point: float
    when_sight_lost: float
    when_blocked: float
    when_successful: float


PRESETS = MappingProxyType(
    {
        "calm": Dynamics(0.05, 0.0, 0.20, 0.002, 0.03, 0.02, -0.5),
        "frustrated": Dynamics(0.85, 0.8, 0.05, 0.010, 0.12, 0.08, -0.15),
    }
)


def preset(name: str) -> Dynamics:
    try:
        return PRESETS[name]
    except KeyError:
        raise InvalidInput(f"unknown opponent preset {name!r}. {did_you_mean(name, PRESETS)}") from None


def constant(level: float) -> Dynamics:
    """Frustration that never moves, for studies that hold it fixed."""
    if not 0 <= level <= 1:
        raise InvalidInput(f"frustration must lie between 0 and 1, got {level}.")
    return Dynamics(level, level, 0.0, 0.0, 0.0, 0.0, 0.0)


class Frustration:
    """The level now, and the temper that goes with it."""

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics = dynamics
        self.level = dynamics.start
        self._temper = CALM.mixed(FRUSTRATED, self.level)
        self._temper_level = self.level

    @property
    def temper(self) -> Temper:
        if abs(self._temper_level - self.level) > 0.005:
            self._temper = CALM.mixed(FRUSTRATED, self.level)
            self._temper_level = self.level
        return self._temper

    def add(self, amount: float) -> None:
        self.level = min(max(self.level + amount, 0.0), 1.0)

    def settle(self, seconds: float) -> None:
        """Return towards rest."""
        gap = self.dynamics.rest - self.level
        step = self.dynamics.return_per_s * seconds
        self.level += max(-step, min(step, gap))

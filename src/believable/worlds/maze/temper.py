"""How frustration changes an opponent: one table with both ends of every parameter, and the state
that moves between them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import MappingProxyType

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Temper:
    """The perception and the risks of an opponent.

    | parameter | unit | a larger value means |
    |---|---|---|
    | `view_deg` | degrees | a wider field of view |
    | `view_tiles` | tiles | seeing farther |
    | `hearing_blur` | tiles per tile of way | larger errors in the position of a sound |
    | `fire_health` | health points | the health it needs before it walks into fire |
    | `detour_ratio` | way round / direct way | longer detours around a fire |
    | `fire_wait_ticks` | ticks | waiting longer at a fire without a way round |
    | `swerve_deg` | degrees | larger sudden turns |
    | `swerve_chance` | probability per tick | more frequent sudden turns |
    | `balk_chance` | probability per tick | stopping and jerking its head more often |
    | `stray_chance` | probability per junction | taking a wrong branch more often |
    | `turn_deg` | degrees per tick | turning its head faster |
    | `memory_ticks` | ticks | heading longer for the last sighting of the player |
    | `heels_tiles` | tiles of way | chasing by ear from farther away |
    | `look_ticks` | ticks | looking round longer after a search without success |
    """

    view_deg: float
    view_tiles: float
    hearing_blur: float
    fire_health: float
    detour_ratio: float
    fire_wait_ticks: float
    swerve_deg: float
    swerve_chance: float
    balk_chance: float
    stray_chance: float
    turn_deg: float
    memory_ticks: float
    heels_tiles: float
    look_ticks: float

    def mix(self, other: Temper, share: float) -> Temper:
        """This temper moved towards another by `share` (0: this, 1: the other)."""
        return Temper(
            **{
                field.name: (1 - share) * getattr(self, field.name)
                + share * getattr(other, field.name)
                for field in fields(Temper)
            }
        )


#: Of a calm opponent, and of a frustrated one.
_ENDS = {
    "view_deg": (165.0, 26.0),
    "view_tiles": (11.0, 4.5),
    "hearing_blur": (0.4, 0.05),
    "fire_health": (101.0, 15.0),
    "detour_ratio": (2.0, 1.15),
    "fire_wait_ticks": (90.0, 0.0),
    "swerve_deg": (12.0, 75.0),
    "swerve_chance": (0.005, 0.035),
    "balk_chance": (0.0, 0.008),
    "stray_chance": (0.0, 0.12),
    "turn_deg": (15.0, 60.0),
    "memory_ticks": (120.0, 45.0),
    "heels_tiles": (12.0, 9.0),
    "look_ticks": (30.0, 9.0),
}
CALM, FRUSTRATED = (Temper(**{name: ends[end] for name, ends in _ENDS.items()}) for end in (0, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dynamics:
    """How frustration moves. Levels lie between 0 (calm) and 1 (frustrated); gains are added once
    per occasion.
    """

    start: float
    rest: float
    return_per_s: float
    per_damage_point: float
    when_sight_lost: float
    when_blocked: float
    when_successful: float


PRESETS = MappingProxyType(
    {
        "calm": Dynamics(
            start=0.05,
            rest=0.0,
            return_per_s=0.20,
            per_damage_point=0.002,
            when_sight_lost=0.03,
            when_blocked=0.02,
            when_successful=-0.5,
        ),
        "frustrated": Dynamics(
            start=0.85,
            rest=0.8,
            return_per_s=0.05,
            per_damage_point=0.010,
            when_sight_lost=0.12,
            when_blocked=0.08,
            when_successful=-0.15,
        ),
    }
)


def preset(name: str) -> Dynamics:
    try:
        return PRESETS[name]
    except KeyError:
        raise InvalidInput(
            f"unknown opponent preset {name!r}. {did_you_mean(name, PRESETS)}"
        ) from None


def constant(level: float) -> Dynamics:
    """Frustration that never moves, for studies that hold it fixed."""
    if not 0 <= level <= 1:
        raise InvalidInput(f"frustration must lie between 0 and 1, got {level}.")
    return Dynamics(
        start=level,
        rest=level,
        return_per_s=0.0,
        per_damage_point=0.0,
        when_sight_lost=0.0,
        when_blocked=0.0,
        when_successful=0.0,
    )


#: From these levels on it looks tense, then furious, to a viewer who sees its face.
TENSE, FURIOUS = 0.35, 0.7


def expression(level: float | None) -> int:
    """What its face says of a level: 0 at ease, 1 tense, 2 furious."""
    return 0 if level is None else (level >= TENSE) + (level >= FURIOUS)


class Frustration:
    """The level now, and the temper that goes with it."""

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics = dynamics
        self.level = dynamics.start
        self._temper = CALM.mix(FRUSTRATED, self.level)
        self._temper_level = self.level

    @property
    def temper(self) -> Temper:
        if abs(self._temper_level - self.level) > 0.005:
            self._temper = CALM.mix(FRUSTRATED, self.level)
            self._temper_level = self.level
        return self._temper

    def add(self, amount: float) -> None:
        self.level = min(max(self.level + amount, 0.0), 1.0)

    def settle(self, seconds: float) -> None:
        """Return towards rest."""
        gap = self.dynamics.rest - self.level
        step = self.dynamics.return_per_s * seconds
        self.level += max(-step, min(step, gap))

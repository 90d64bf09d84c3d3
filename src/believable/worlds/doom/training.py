"""A Gymnasium environment of Doom, to train fighters: `believable/DoomDeathmatch-v1`.

The figure fights the engine's bots. One decision lasts `DECISION_TICS`. A vector of environments
runs in worker processes with `gymnasium.make_vec(id, num_envs, vectorization_mode="async")`. For
navigation, use `believable/DoomNavigationAgents-v1`.

**Observation**: `depth`, a 32 × 32 picture of distances (0 to 255), and `body`, float32 in [-1, 1]:
own position on the map, velocity, heading and pitch as cosine and sine, on ground, health, armour,
ammunition, and the time left.

**Action.** Forwards −1/0/1, sideways −1/0/1, one of `TURNS_DEG` to the right, jump, shoot.

**Reward.** Frags + damage done / 100 − damage taken / 100 − deaths.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from believable.contracts.game import Pixels, RoundContext
from believable.core.errors import MissingExtra
from believable.worlds.doom.doom_engine import TICS_PER_S, DoomEngine
from believable.worlds.doom.doom_round import (
    DoomOptions,
    DoomSetup,
    FigureState,
    action_of,
    body_of,
    resolve,
)
from believable.worlds.doom.floor_plan import TILE_UNITS

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise MissingExtra(what="training environments", extra="doom") from error

DECISION_TICS = 7
TURNS_DEG = (-90, -45, -18, 0, 18, 45, 90)
DEPTH_PX = 32
BODY_FEATURES = 15
Observation = dict[str, NDArray[Any]]


class DoomDeathmatchEnv(gymnasium.Env[Observation, NDArray[np.int64]]):
    """One round after another on the map of `map_seed`, each of `seconds`."""

    metadata = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "render_fps": TICS_PER_S // DECISION_TICS,
    }

    def __init__(
        self,
        opponent: str = "bots",
        map_seed: int = 7,
        seconds: int = 120,
        render_mode: str | None = None,
    ) -> None:
        self._options = DoomOptions(map="deathmatch", map_seed=map_seed, picture="160x120")
        self._opponent, self._seconds = opponent, seconds
        self.render_mode = render_mode
        parts: dict[str, spaces.Space[Any]] = {
            "depth": spaces.Box(0, 255, (DEPTH_PX, DEPTH_PX), np.uint8),
            "body": spaces.Box(-1.0, 1.0, (BODY_FEATURES,), np.float32),
        }
        self.observation_space = cast("spaces.Space[Observation]", spaces.Dict(parts))
        self.action_space = cast(
            "spaces.Space[NDArray[np.int64]]", spaces.MultiDiscrete([3, 3, len(TURNS_DEG), 2, 2])
        )
        self._engine: DoomEngine | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        self.close()
        round_seed = int(self.np_random.integers(2**31))
        context = RoundContext(
            session_seed=round_seed,
            trial_key="round",
            opponent=self._opponent,
            duration_s=self._seconds,
        )
        self._setup: DoomSetup = resolve(self._options, context)
        self._engine = DoomEngine(self._setup.engine(depth=True, objects=False))
        self._tic = 0
        self._body = body_of(self._engine.variables)
        return self._observe(), {"seed": round_seed}

    def step(
        self, action: NDArray[np.int64]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        assert self._engine is not None, "reset first"
        forward, side, turn, jump, attack = (int(part) for part in action)
        before = self._body
        tenths = round(10 * TURNS_DEG[turn] / DECISION_TICS)
        pressed = (forward - 1, side - 1, 0, tenths, 0, attack, jump, 0, 0)
        for number in range(1, DECISION_TICS + 1):
            self._engine.advance(action_of(pressed), look=number == DECISION_TICS)
        self._tic += DECISION_TICS
        self._body = body_of(self._engine.variables)
        cut_off = self._tic >= self._setup.ticks
        info = {"tic": self._tic, "frags": self._body.frags}
        return self._observe(), _reward(before, self._body), False, cut_off, info

    def _observe(self) -> Observation:
        assert self._engine is not None
        depth = self._engine.depth
        rows, columns = (np.linspace(0, size - 1, DEPTH_PX).astype(int) for size in depth.shape)
        return {"depth": depth[np.ix_(rows, columns)], "body": self._features()}

    def _features(self) -> NDArray[np.float32]:
        body, place = self._body, self._setup.place
        size = TILE_UNITS * max(len(place.walls), len(place.walls[0]))
        yaw, pitch = math.radians(body.angle_deg), math.radians(body.pitch_deg)
        values = (
            (body.x - place.left) / size,
            (place.top - body.y) / size,
            body.z / 512,
            *(v / 20 for v in body.velocity),
            math.cos(yaw),
            math.sin(yaw),
            math.cos(pitch),
            math.sin(pitch),
            float(body.on_ground),
            body.health / 200,
            body.armour / 200,
            body.ammunition / 400,
            1.0 - self._tic / self._setup.ticks,
        )
        return np.clip(np.asarray(values, np.float32), -1.0, 1.0)

    def render(self) -> Pixels | None:
        """The figure's view."""
        return (
            self._engine.picture.copy()
            if self.render_mode == "rgb_array" and self._engine is not None
            else None
        )

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None


def _reward(before: FigureState, after: FigureState) -> float:
    dealt, taken = after.damage - before.damage, after.damage_taken - before.damage_taken
    frags, deaths = after.frags - before.frags, after.deaths - before.deaths
    return frags + (dealt - taken) / 100 - float(deaths)

"""`believable/DoomNavigationAgents-v1`: reach the mark, as one of the three agents. One engine
lives through many rounds.

Each environment has one goal, whose mark is in its map; environments that train together have all
of them. A round begins on the island, or, in a share of them while training, at a random position
on the shortest way (`on_the_way`): so the last rooms are practised before the first leap is
mastered. The distance to the goal is measured on foot.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from believable.contracts.game import Pixels
from believable.core.errors import MissingExtra
from believable.worlds.doom.body import BodyName, hand_of
from believable.worlds.doom.doom_engine import TICS_PER_S, DoomEngine, EngineSettings
from believable.worlds.doom.doom_round import DoomSetup, FigureState, action_of, body_of
from believable.worlds.doom.floor_plan import centre
from believable.worlds.doom.game_map import NAVIGATION
from believable.worlds.doom.navigation.course import Course, NavigationCourse, navigation_course
from believable.worlds.doom.navigation.declarations import (
    CAMERA_LIMIT_DEG,
    DECISION_TICS,
    DECISIONS_MAX,
    FULL_SPEED_UNITS,
    SLOW_SHARE,
    TURN,
    has_collided,
    navigation_agent,
    turned_by,
)
from believable.worlds.doom.navigation.senses import DEPTH_PX, SENSES, depth_of, senses_of
from believable.worlds.doom.walking import STEP_UNITS

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise MissingExtra(what="training environments", extra="doom") from error

#: Until a cloud of arrival has gone, and until a running figure has stopped.
CLOUD_TICS, REST_TICS = 52, 21
#: Of a way shorter than this a step's share would be too large.
SHORTEST_WAY_TILES = 8.0
Observation = dict[str, NDArray[Any]]


class SteppedFigure(Protocol):
    """What an environment needs of an engine: the real one, or a model of how figures move."""

    @property
    def variables(self) -> list[float]: ...
    @property
    def depth(self) -> NDArray[np.uint8]: ...
    @property
    def picture(self) -> NDArray[np.uint8]: ...
    def put(self, x: float, y: float, wait_tics: int) -> None: ...
    def advance(self, action: Sequence[float], *, tics: int = 1, look: bool = True) -> None: ...
    def close(self) -> None: ...


class NavigationEnv(gymnasium.Env[Observation, np.int64]):
    """Rounds to one goal of the map of `map_seed`. `penalties` is the share of the agent's
    penalties that counts.
    """

    metadata = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "render_fps": TICS_PER_S // DECISION_TICS,
    }

    def __init__(
        self,
        agent: str = "hybrid",
        goal: int = 0,
        map_seed: int = 7,
        on_the_way: float = 0.0,
        open_engine: Callable[[EngineSettings], SteppedFigure] = DoomEngine,
        render_mode: str | None = None,
        body: BodyName = "raw",
    ) -> None:
        self.render_mode = render_mode
        self.agent = navigation_agent(agent)
        self.course: Course = navigation_course(map_seed, goal)
        self.decisions_max = DECISIONS_MAX
        self._on_the_way, self._body_name = on_the_way, body
        self.penalties = 1.0
        parts: dict[str, spaces.Space[Any]] = {
            "senses": spaces.Box(-1.0, 1.0, (SENSES,), np.float32)
        }
        if self.agent.sees_depth:
            parts["depth"] = spaces.Box(0, 255, (DEPTH_PX, DEPTH_PX), np.uint8)
        self.observation_space = cast("spaces.Space[Observation]", spaces.Dict(parts))
        self.action_space = cast("spaces.Space[np.int64]", spaces.Discrete(len(self.agent.actions)))
        self._setup = DoomSetup(map=NAVIGATION, map_seed=map_seed, engine_seed=1, goal=goal)
        self._open_engine = open_engine
        self._engine: SteppedFigure | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            # What happened before moves the figure by fractions of a unit: a new engine forgets it.
            self.close()
        if self._engine is None:
            # The pictures of an agent that sees nothing are drawn as cheaply as they can be.
            view: dict[str, Any] = {} if self.agent.sees_depth else {"camera": "first"}
            self._engine = self._open_engine(
                self._setup.engine(
                    depth=self.agent.sees_depth,
                    objects=False,
                    weapon=False,
                    size_px=(160, 120),
                    **view,
                )
            )
        counted = self._begin_round(self._engine)
        hand_seed = int(self.np_random.integers(2**31)) if self._body_name == "people" else 0
        self._hand = hand_of(self._body_name, hand_seed, DECISION_TICS)
        self._decisions = self._last_action = 0
        self._way = self._start_way = self.course.distance(self._body.x, self._body.y) or 0.0
        return self._observe(), {"from_start": counted}

    def _begin_round(self, engine: SteppedFigure) -> bool:
        """Put the figure somewhere. Returns whether that is the start of the course."""
        assert isinstance(self.course, NavigationCourse)
        on_the_way = bool(self.np_random.random() < self._on_the_way)
        tile = (
            self.course.route[int(self.np_random.integers(len(self.course.route) - 1))]
            if on_the_way
            else self.course.drawn.start
        )
        engine.put(*centre(tile), wait_tics=REST_TICS if on_the_way else CLOUD_TICS)
        heading = (
            self.np_random.uniform(-180, 180)
            if on_the_way
            else float(self.course.drawn.start_heading_deg)
        )
        self._face(heading)
        return not on_the_way

    def _face(self, heading_deg: float) -> None:
        engine = self._engine
        assert engine is not None
        right_deg = (body_of(engine.variables).angle_deg - heading_deg + 180) % 360 - 180
        engine.advance([0.0, 0.0, right_deg, *[0.0] * 11])
        self._body = body_of(engine.variables)

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        before = self._body
        headings_deg = self._press(int(action))
        self._decisions += 1
        self._last_action = int(action)
        reward, arrived = self._judge(before, self._body, headings_deg)
        died = self._body.dead or self.course.fell(self._body.z)
        ended = arrived or died
        facts = {"arrived": arrived, "died": died, "decisions": self._decisions} | self._signs
        cut_off = not ended and self._decisions >= self.decisions_max
        return self._observe(), reward, ended, cut_off, facts

    def _press(self, action: int) -> list[float]:
        """Carry out a decision. Returns where the figure looks in each of its tics."""
        engine, agent = self._engine, self.agent
        assert engine is not None, "reset first"
        self._hand.aim(-float(agent.actions[action] or 0))
        watched = self.course.near_brink(self._body.x, self._body.y)
        heading, headings = self._body.angle_deg, list[float]()
        for tic in range(1, DECISION_TICS + 1):
            jump = watched and self.course.at_brink(self._body.x, self._body.y)
            pressed = turned_by(self._hand, agent.pressed(action, jump))
            heading -= pressed[TURN] / 10
            headings.append(heading)
            if watched or tic == DECISION_TICS:
                engine.advance(action_of(pressed))
                self._body = body_of(engine.variables)
            else:
                engine.advance(action_of(pressed), look=False)
        return headings

    def _judge(
        self, before: FigureState, after: FigureState, headings_deg: Sequence[float]
    ) -> tuple[float, bool]:
        terms = self.agent.reward.scaled(self.penalties)
        way = self.course.distance(after.x, after.y)
        died = after.dead or self.course.fell(after.z)
        way = self._way if way is None or died else way
        approach = (self._way - way) / max(self._start_way, SHORTEST_WAY_TILES)
        self._way = way
        gx, gy, gz = self.course.goal_place
        forward = int(self.agent.actions[self._last_action] is not None)
        arrived = (
            passing_distance((before.x, before.y), (after.x, after.y), (gx, gy))
            < self.course.reach_units
            and abs(after.z - gz) < 64
        )
        self._signs = {
            "sudden": abs(headings_deg[-1] - before.angle_deg) > CAMERA_LIMIT_DEG,
            "collided": ran_into_something(before, after, headings_deg, forward),
            "slow": math.dist((before.x, before.y), (after.x, after.y))
            < SLOW_SHARE * FULL_SPEED_UNITS,
        }
        reward = (
            terms.decision + terms.approach * approach + terms.goal * arrived + terms.death * died
        )
        reward += (
            terms.sudden_camera * self._signs["sudden"] + terms.collision * self._signs["collided"]
        )
        return reward + terms.slow * self._signs["slow"], arrived

    def _observe(self) -> Observation:
        engine = self._engine
        assert engine is not None
        seen: Observation = {
            "senses": senses_of(self.agent, self.course, self._body, self._last_action)
        }
        if self.agent.sees_depth:
            seen["depth"] = depth_of(engine.depth)
        return seen

    def render(self) -> Pixels | None:
        """The view of the figure."""
        if self.render_mode != "rgb_array" or self._engine is None:
            return None
        return self._engine.picture.copy()

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None


def passing_distance(
    start: tuple[float, float], end: tuple[float, float], place: tuple[float, float]
) -> float:
    """The least distance of a straight way from a position."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy
    share = ((place[0] - start[0]) * dx + (place[1] - start[1]) * dy) / length if length else 0.0
    share = min(max(share, 0.0), 1.0)
    return math.dist((start[0] + share * dx, start[1] + share * dy), place)


def ran_into_something(
    before: FigureState, after: FigureState, headings_deg: Sequence[float], forward: int
) -> bool:
    """Of a decision. In the air it is unknown, and a falling figure is not pushed on meanwhile."""
    if not (before.on_ground and after.on_ground) or before.z - after.z > STEP_UNITS:
        return False
    tics = ((heading, forward, 0) for heading in headings_deg)
    return has_collided((before.x, before.y), before.velocity[:2], (after.x, after.y), tics)

"""The three agents as declarations: their actions, their observations, and their rewards.

A decision lasts `DECISION_TICS`, a fifth of a second. Every action but the first runs on; a hand
(`body.py`) makes the turn, or spreads it evenly over the decision. Jumping is no action: it happens
by itself at the brink of a leap (`course.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from believable.contracts.inputs import Input
from believable.core.errors import NotFound
from believable.core.registry import did_you_mean
from believable.worlds.doom.body import TurningHand
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_round import FRICTION, PUSH_UNITS, RUN, STRAFE

DECISION_TICS = 7
DECISIONS_PER_S = TICS_PER_S / DECISION_TICS
#: A round is given up after this number of decisions: half a minute.
DECISIONS_MAX = 150
#: How far running straight on leads in a decision, and below which share of it a decision is slow.
FULL_SPEED_UNITS, SLOW_SHARE = 116.7, 2 / 3
#: Above this the camera changes suddenly: .15 of half a turn.
CAMERA_LIMIT_DEG = 27.0
#: An agent that ends this far from the position expected on level ground has run into something.
COLLISION_UNITS = 10.0


def has_collided(
    start: tuple[float, float],
    velocity: tuple[float, float],
    end: tuple[float, float],
    tics: Iterable[tuple[float, int, int]],
) -> bool:
    """Whether a figure ended elsewhere than expected on level ground: from a position with a
    velocity, and in each tic with a heading in degrees and the pressed keys, forwards and to the
    right.
    """
    (x, y), (vx, vy) = start, velocity
    for heading_deg, forward, right in tics:
        yaw = math.radians(heading_deg)
        cos, sin = PUSH_UNITS * math.cos(yaw), PUSH_UNITS * math.sin(yaw)
        vx += forward * cos + right * sin * STRAFE / RUN
        vy += forward * sin - right * cos * STRAFE / RUN
        x, y = x + vx, y + vy
        vx, vy = vx * FRICTION, vy * FRICTION
    return math.dist((x, y), end) > COLLISION_UNITS


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardTerms:
    """The reward of a decision. `approach` is for the whole way: each decision gets its share of
    it.
    """

    decision: float = -0.01
    death: float = -1.0
    goal: float = 1.0
    approach: float = 1.0
    sudden_camera: float = 0.0
    collision: float = 0.0
    slow: float = 0.0

    def scaled(self, share: float) -> RewardTerms:
        """With this share of the penalties for movement."""
        return RewardTerms(
            decision=self.decision,
            death=self.death,
            goal=self.goal,
            approach=self.approach,
            sudden_camera=self.sudden_camera * share,
            collision=self.collision * share,
            slow=self.slow * share,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationAgent:
    """One way of being an agent. `turns_deg` are the turns it can make to either side."""

    name: str
    about: str
    turns_deg: tuple[int, ...]
    sees_depth: bool
    reward: RewardTerms

    @property
    def actions(self) -> tuple[int | None, ...]:
        """For each action how far it turns to the right, in degrees. None: nothing is pressed."""
        return _both_ways(self.turns_deg)

    def pressed(self, action: int, jump: bool) -> Input:
        """The pressed keys in each tic of a decision."""
        turn_deg = self.actions[action]
        if turn_deg is None:
            return (0, 0, 0, 0, 0, 0, 0, 0, 0)
        return (1, 0, 0, round(10 * turn_deg / DECISION_TICS), 0, 0, int(jump), 0, 0)


#: Which part of an input turns by mouse.
TURN = 3


def turned_by(hand: TurningHand, pressed: Input) -> Input:
    """The keys of a tic, turned by a hand."""
    return (*pressed[:TURN], -round(10 * hand.turn()), *pressed[TURN + 1 :])


@cache
def _both_ways(turns_deg: tuple[int, ...]) -> tuple[int | None, ...]:
    """Kept: every decision asks for it several times."""
    return (None, 0, *(side * turn for turn in turns_deg for side in (-1, 1)))


SYMBOLIC = NavigationAgent(
    name="symbolic",
    about="Knows its own position and that of the goal; sees nothing.",
    turns_deg=(30, 45, 90),
    sees_depth=False,
    reward=RewardTerms(),
)
HYBRID = NavigationAgent(
    name="hybrid",
    about="The same, and a picture of distances.",
    turns_deg=(30, 45, 90),
    sees_depth=True,
    reward=RewardTerms(),
)
REWARD_SHAPING = NavigationAgent(
    name="reward_shaping",
    about="As hybrid, with finer turns, and marked down for sudden turns, collisions and slow"
    " steps.",
    turns_deg=(18, 36, 45, 54, 72, 90),
    sees_depth=True,
    reward=RewardTerms(sudden_camera=-0.05, collision=-0.05, slow=-0.01),
)
NAVIGATION_AGENTS: Mapping[str, NavigationAgent] = MappingProxyType(
    {agent.name: agent for agent in (SYMBOLIC, HYBRID, REWARD_SHAPING)}
)


def navigation_agent(name: str) -> NavigationAgent:
    if name not in NAVIGATION_AGENTS:
        raise NotFound(
            f"unknown navigation agent {name!r}. {did_you_mean(name, NAVIGATION_AGENTS)}"
        )
    return NAVIGATION_AGENTS[name]

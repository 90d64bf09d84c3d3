"""PettingZoo environments, in which all agents act at once or one after the other, behind one small
class. Imports nothing before the first one is made.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np

from believable.contracts.game import Pixels
from believable.core.errors import InvalidInput, MissingExtra
from believable.core.registry import did_you_mean
from believable.worlds.gym.gym_environment import (
    RGB_ARRAY,
    WAIT,
    Action,
    EnvironmentOptions,
    KeyPlan,
    action_in,
    must_draw,
    picture_of,
)

#: Steps and pictures per second of an environment that waits for its players.
WAITING_STEPS_PER_S = 10
FRAMES_PER_S = 30
#: An observation of more numbers is not part of a view.
OBSERVED_NUMBERS = 1024
_ROWS, _COLUMNS = ("top", "middle", "bottom"), ("left", "middle", "right")


@dataclass(frozen=True, slots=True)
class ReadyKeys:
    """The keys of an environment that declares none, with their labels."""

    plan: KeyPlan
    words: Mapping[str, str] = field(default_factory=dict)


def _digits(*words: str) -> ReadyKeys:
    keys = [f"Digit{number}" for number in range(1, len(words) + 1)]
    plan = {key: action for action, key in enumerate(keys)}
    return ReadyKeys(KeyPlan(plan, WAIT), dict(zip(keys, words, strict=True)))


#: By the names of environments, without their versions.
READY_KEYS = {
    "connect_four": _digits(*(f"column {number}" for number in range(1, 8))),
    "tictactoe": _digits(*(f"{column} {row}" for column in _COLUMNS for row in _ROWS)),
    "rps": _digits("rock", "paper", "scissors"),
    "knights_archers_zombies": ReadyKeys(
        KeyPlan({"ArrowUp": 0, "ArrowDown": 1, "ArrowLeft": 2, "ArrowRight": 3, "Space": 4}, 5),
        {"Space": "attack"},
    ),
    "cooperative_pong": ReadyKeys(KeyPlan({"ArrowUp": 1, "ArrowDown": 2}, 0)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ZooFacts:
    """Facts about an environment: the names of its agents, whether they act in turn, the space of
    each agent's actions, its usual keys and its pace.
    """

    agents: tuple[str, ...]
    in_turn: bool
    spaces: Mapping[str, Any]
    ready: ReadyKeys
    frames_per_s: int


class ZooEnvironment:
    """One environment. `acting` names the agents that act next; `act` takes an action of each of
    them and returns the reward of every agent.
    """

    def __init__(self, env: str, options: EnvironmentOptions) -> None:
        self._env, self.in_turn = _make(env, options)
        self.agents = tuple(str(agent) for agent in self._env.possible_agents)
        self._seen: Mapping[str, Any] = {}
        self._infos: Mapping[str, Any] = {}

    def begin(self, seed: int) -> None:
        """Begin an episode."""
        if self.in_turn:
            self._env.reset(seed=seed)
        else:
            self._seen, self._infos = self._env.reset(seed=seed)

    @property
    def acting(self) -> tuple[str, ...]:
        """The agents that act next; empty after the end of the episode."""
        live = tuple(self._env.agents)
        return (self._env.agent_selection,) if self.in_turn and live else live

    def act(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        """Step once."""
        taken = {name: action_in(self.space(name), action) for name, action in actions.items()}
        if not self.in_turn:
            self._seen, rewards, _, _, self._infos = self._env.step(taken)
            return {name: float(reward) for name, reward in rewards.items()}
        (action,) = taken.values()
        self._env.step(action)
        rewards = {name: float(reward) for name, reward in self._env.rewards.items()}
        while self._env.agents and self._is_out(self._env.agent_selection):
            self._env.step(None)
        return rewards

    def _is_out(self, agent: str) -> bool:
        return bool(self._env.terminations[agent] or self._env.truncations[agent])

    def space(self, agent: str) -> Any:
        return self._env.action_space(agent)

    def observation(self, agent: str) -> Any:
        """What an agent observes, as JSON values; None if it is out, or if it observes too much for
        a message.
        """
        seen = self._observe(agent)
        seen = seen.get("observation") if isinstance(seen, Mapping) else seen
        if seen is None or np.size(seen) > OBSERVED_NUMBERS:
            return None
        value = np.asarray(seen)
        return (value.round(4) if value.dtype.kind == "f" else value.astype(int)).tolist()

    def legal(self, agent: str) -> Sequence[int] | None:
        """The legal actions of an agent; None if the environment does not list them."""
        seen = self._observe(agent)
        mask = seen.get("action_mask") if isinstance(seen, Mapping) else None
        if mask is None:
            infos = self._env.infos if self.in_turn else self._infos
            mask = infos.get(agent, {}).get("action_mask")
        return None if mask is None else [int(action) for action in np.flatnonzero(mask)]

    def _observe(self, agent: str) -> Any:
        if agent not in self._env.agents:
            return None
        return self._env.observe(agent) if self.in_turn else self._seen.get(agent)

    def picture(self) -> Pixels:
        return picture_of(self._env)

    def facts(self, env: str) -> ZooFacts:
        spaces = {agent: self.space(agent) for agent in self.agents}
        ready = READY_KEYS.get(_family(env)) or _digit_keys(spaces[self.agents[0]])
        given = round(self._env.metadata.get("render_fps") or FRAMES_PER_S)
        return ZooFacts(
            agents=self.agents,
            in_turn=self.in_turn,
            spaces=spaces,
            ready=ready,
            frames_per_s=WAITING_STEPS_PER_S if ready.plan.idle == WAIT else min(max(given, 1), 60),
        )

    def close(self) -> None:
        self._env.close()


def _family(env: str) -> str:
    """The name of an environment without its version."""
    return re.split(r"[-_]v\d+$", re.split(r"[/.:]", env)[-1])[0]


def _digit_keys(space: Any) -> ReadyKeys:
    """A digit for each of a few actions."""
    few = hasattr(space, "n") and int(space.n) <= 9 and int(space.start) == 0
    return _digits(*map(str, range(1, int(space.n) + 1))) if few else ReadyKeys(KeyPlan({}))


def load_pettingzoo() -> Any:
    try:
        return importlib.import_module("pettingzoo")
    except ImportError:
        raise MissingExtra(what="the world 'pettingzoo'", extra="gym") from None


def _make(env: str, options: EnvironmentOptions) -> tuple[Any, bool]:
    """The environment, and whether its agents act in turn."""
    new, in_turn = _by_id(env) if "/" in env else _in_module(env)
    try:
        made = new(render_mode=RGB_ARRAY, **options)
    except Exception as error:  # an environment of others may raise anything
        raise InvalidInput(f"{env!r} cannot be made: {str(error).strip()[:300]}") from error
    try:
        must_draw(made, env)
    except InvalidInput:
        made.close()
        raise
    return made, in_turn


def _by_id(env: str) -> tuple[Callable[..., Any], bool]:
    """By an id of the registry; at once is preferred to in turn."""
    pettingzoo = load_pettingzoo()
    module, _, name = env.rpartition(":")
    if module or name.startswith("believable/"):
        _import(module or "believable.environments", env)
    in_turn = name not in pettingzoo.parallel_registry
    if in_turn and name not in pettingzoo.aec_registry:
        known = [*pettingzoo.aec_registry, *pettingzoo.parallel_registry]
        raise InvalidInput(
            f"there is no PettingZoo environment {name!r}. {_near(name, known)}Write MODULE:{name}"
            " to import a module that registers it."
        )
    return partial(pettingzoo.make, "aec" if in_turn else "parallel", name), in_turn


def _near(name: str, known: Sequence[str]) -> str:
    near = did_you_mean(name, known)
    return f"{near} " if near.startswith("Did you mean") else ""


def _in_module(env: str) -> tuple[Callable[..., Any], bool]:
    """By a module with `parallel_env` or `env`, as packages without a registry have them."""
    load_pettingzoo()
    module = _import(env, env)
    in_turn = not hasattr(module, "parallel_env")
    new = getattr(module, "env" if in_turn else "parallel_env", None)
    if new is None:
        raise InvalidInput(
            f"{env!r} has neither parallel_env() nor env(). Expected an id such as"
            " classic/connect_four-v3, or the module of a PettingZoo environment."
        )
    return new, in_turn


def _import(module: str, env: str) -> Any:
    if module.partition(".")[0] in sys.stdlib_module_names:
        raise InvalidInput(
            f"{env!r} is a module of Python, which has no environment. Name another."
        )
    try:
        return importlib.import_module(module)
    except (ImportError, ValueError) as error:
        raise InvalidInput(
            f"{env!r}: {error}. Write an id such as classic/connect_four-v3, or install the package"
            " that has the module."
        ) from None


@lru_cache(maxsize=64)
def _facts(env: str, options: str) -> ZooFacts:
    environment = ZooEnvironment(env, json.loads(options))
    try:
        return environment.facts(env)
    finally:
        environment.close()


def facts_of(env: str, options: EnvironmentOptions) -> ZooFacts:
    """Made once and looked at."""
    return _facts(env, json.dumps(dict(options), sort_keys=True))

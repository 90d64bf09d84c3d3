"""An episode of an agent that acts in the environment itself, at its own pace or at people's."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from believable.agents.failure import AgentFailed
from believable.contracts.agent import ActFunction, Agent
from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.recordings.recording import Scalar
from believable.worlds.gym.gym_environment import FRAMES_PER_S, WAIT, make_environment
from believable.worlds.gym.gym_round import GymOptions, GymSetup
from believable.worlds.gym.recorder import BROKEN_OFF, EpisodeRecorder

#: How fast people are assumed to go if the environment waits for them: 0.28 s for the key of an
#: average typist (Card, Moran and Newell 1980, keystroke-level model) and 0.15 s to decide one bit
#: (Hick 1952, Hyman 1953).
HUMAN_STEPS_PER_S = 1 / (0.28 + 0.15)
#: Standard deviation of the logarithm of the time between two steps: people's gaps vary, with a
#: long tail.
GAP_LOG_SD = 0.35


def rollout(
    setup: GymSetup,
    act: ActFunction,
    target: Path,
    steps_per_s: float | None = None,
    agent: str = "",
    about: Mapping[str, Scalar] | None = None,
) -> Sequence[Path]:
    """One episode of an agent whose views hold the `observation`, and once, as `welcome`, the
    environment. With `steps_per_s` it waits between its steps as people do; otherwise it acts in
    every picture.
    """
    if steps_per_s is not None and setup.idle != WAIT:
        raise InvalidInput(
            f"--pace: {setup.env!r} goes on by itself, {setup.fps} steps a second for agents and"
            " people alike. Leave --pace out."
        )
    pace: dict[str, Scalar] = (
        {} if steps_per_s is None else {"steps_per_s": steps_per_s, "gap_log_sd": GAP_LOG_SD}
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    recorder = EpisodeRecorder(
        lambda: target, setup.fps, (), agent or None, {**(about or {}), **pace}
    )
    env = make_environment(setup.env, setup.env_options, setup.episode_steps)
    env.action_space.seed(setup.seed)
    gaps = _gaps(setup, steps_per_s)
    how, reward, decisions = BROKEN_OFF, 0.0, 0
    welcome = {"env": env, "action_space": env.action_space, "id": setup.env}
    try:
        observation, _ = env.reset(seed=setup.seed)
        recorder.begin(env, setup.seed)
        while recorder.frames < setup.ticks:
            recorder.wait(env, min(next(gaps), setup.ticks - recorder.frames - 1))
            view = {
                "t": decisions,
                "observation": observation,
                "reward": reward,
                "welcome": welcome,
            }
            action = read_action(env.action_space, act(view), agent)
            observation, reward, terminated, truncated, info = env.step(action)
            decisions += 1
            ended = (bool(terminated), bool(truncated))
            recorder.add_step(env, action, float(reward), ended, info)
            if any(ended):
                break
    except AgentFailed:
        how = "agent failed"
        raise
    finally:
        recorder.finish(how)
        env.close()
    return recorder.written


def try_agent(
    agent: Agent[Any], options: Mapping[str, Any], act: ActFunction, seed: int, seconds: int
) -> None:
    """Let an agent act for a short time, without a film."""
    chosen = GymOptions.model_validate(dict(options))
    env = make_environment(chosen.env, chosen.env_options, chosen.episode_steps)
    welcome = {"env": env, "action_space": env.action_space, "id": chosen.env}
    env.action_space.seed(seed)
    try:
        observation, _ = env.reset(seed=seed)
        reward = 0.0
        for number in range(seconds * FRAMES_PER_S):
            view = {"t": number, "observation": observation, "reward": reward, "welcome": welcome}
            action = read_action(env.action_space, act(view), agent.name)
            observation, reward, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                break
    finally:
        env.close()


def read_action(space: Any, answer: Any, agent: str) -> Any:
    """The action in an agent's answer. A policy of Stable-Baselines3 answers with an action and
    its state.
    """
    for action in (answer, answer[0] if isinstance(answer, tuple) and len(answer) == 2 else answer):
        if _fits(space, action):
            return action
    shown = str(answer)[:80]
    raise InvalidInput(f"agent {agent!r}: expected an action of {space}, got {shown}.")


def _fits(space: Any, action: Any) -> bool:
    """Whether the environment takes it. Bounds are the environment's own business: many clip."""
    if hasattr(space, "n") and hasattr(space, "start"):
        value = np.asarray(action)
        return value.ndim == 0 and value.dtype.kind in "iu" and bool(space.contains(int(value)))
    if hasattr(space, "low"):
        return not isinstance(action, tuple | dict) and bool(np.shape(action) == space.shape)
    return bool(space.contains(action)) or (
        isinstance(action, list) and bool(space.contains(np.asarray(action, space.dtype)))
    )


def _gaps(setup: GymSetup, steps_per_s: float | None) -> Iterator[int]:
    """How many pictures pass without a step before each step: gaps are log-normal, with the mean
    that the pace asks for.
    """
    rng = random.Random(derive(setup.seed, "pace"))
    at_s, last = 0.0, 0
    while steps_per_s is None:
        yield 0
    while True:
        at_s += rng.lognormvariate(-math.log(steps_per_s) - GAP_LOG_SD**2 / 2, GAP_LOG_SD)
        frame = max(last + 1, round(at_s * setup.fps))
        yield frame - last - 1
        last = frame

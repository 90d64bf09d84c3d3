"""Trained navigation agents as players: their observations are the game's, their actions are inputs
like a person's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from believable.contracts.agent import Agent, NoParams, at_first_view
from believable.contracts.inputs import Input
from believable.core.errors import InvalidInput
from believable.worlds.doom.body import hand_of
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_round import DoomSetup
from believable.worlds.doom.game_map import NAVIGATION
from believable.worlds.doom.navigation.course import navigation_course
from believable.worlds.doom.navigation.declarations import (
    DECISION_TICS,
    NAVIGATION_AGENTS,
    NavigationAgent,
    navigation_agent,
    turned_by,
)
from believable.worlds.doom.navigation.policy import NavigationPolicy
from believable.worlds.doom.navigation.senses import depth_of, senses_of
from believable.worlds.doom.navigation.weight_files import read_weights

SHIPPED = Path(__file__).parent / "weights"


@dataclass(frozen=True, slots=True)
class TrainedAgent:
    """A declaration with weights, and the facts about their training."""

    agent: NavigationAgent
    policy: NavigationPolicy
    provenance: Mapping[str, Any]


def shipped_agent(name: str) -> TrainedAgent:
    """The shipped weights."""
    return trained_agent(SHIPPED / f"{navigation_agent(name).name}.safetensors")


def trained_agent(file: Path) -> TrainedAgent:
    weights, words = read_weights(
        file, "Train it (believable train navigation), or install the package again."
    )
    agent = navigation_agent(words["agent"])
    if weights["action.bias"].shape != (len(agent.actions),):
        raise InvalidInput(
            f"{file}: {len(weights['action.bias'])} actions, where {agent.name!r} has"
            f" {len(agent.actions)}. Train it again."
        )
    return TrainedAgent(agent, NavigationPolicy(weights), words)


class SeenDoomGame(DoomGame):
    """A recorded game that shows a player its figure, and depths if it sees them."""

    def __init__(self, setup: DoomSetup, *, depth: bool) -> None:
        if setup.map != NAVIGATION or setup.practice:
            raise InvalidInput(
                f"map: navigation agents play {NAVIGATION!r}, got {setup.map!r}. Use another"
                " player."
            )
        # The camera is part of the learned behaviour.
        super().__init__(setup.model_copy(update={"camera": "third"}), recorded=True, depth=depth)
        self._depth = depth

    def view(self, seat: str) -> Mapping[str, Any]:
        return {"figure": self.body, "depth": self._engine.depth if self._depth else None}

    def welcome(self, seat: str) -> Mapping[str, Any]:
        return {**super().welcome(seat), "setup": self.setup}


class NavigationDriver:
    """Decides every `DECISION_TICS`; by chance, as it was trained to, from its own seed."""

    def __init__(self, trained: TrainedAgent, seed: int, welcome: Mapping[str, Any]) -> None:
        setup: DoomSetup = welcome["setup"]
        self._trained = trained
        self._course = navigation_course(setup.map_seed, setup.goal or 0)
        self._rng = np.random.default_rng(seed)
        self._hand = hand_of(setup.body, seed, DECISION_TICS)
        self._action = 0

    def act(self, picture: Mapping[str, Any]) -> Input:
        agent, figure = self._trained.agent, picture["figure"]
        if picture["t"] % DECISION_TICS == 0:
            senses = senses_of(agent, self._course, figure, self._action)
            depth = depth_of(picture["depth"]) if agent.sees_depth else None
            self._action = self._trained.policy.draw(senses, depth, self._rng)
            self._hand.aim(-float(agent.actions[self._action] or 0))
        jump = self._course.at_brink(figure.x, figure.y)
        return turned_by(self._hand, agent.pressed(self._action, jump))


def _shipped(agent: NavigationAgent) -> Agent[NoParams]:
    """The shipped agent."""

    def sit_down(params: NoParams, seed: int, welcome: Mapping[str, Any]) -> NavigationDriver:
        return NavigationDriver(shipped_agent(agent.name), seed, welcome)

    return Agent(
        name=f"doom/{agent.name}",
        world="doom",
        about=agent.about,
        needs=("doom",),
        new=at_first_view(sit_down),
        game=partial(SeenDoomGame, depth=agent.sees_depth),
    )


SYMBOLIC, HYBRID, REWARD_SHAPING = map(_shipped, NAVIGATION_AGENTS.values())


@dataclass(frozen=True, slots=True)
class NavigatorParams:
    """`file` holds the weights that `believable train navigation` wrote."""

    file: Path


NAVIGATOR = Agent(
    name="doom/navigator",
    world="doom",
    about="A navigation agent of your own training: navigator:FILE.",
    params=NavigatorParams,
    needs=("doom",),
    takes="file",
    files=(".safetensors",),
    new=at_first_view(
        lambda params, seed, welcome: NavigationDriver(trained_agent(params.file), seed, welcome)
    ),
    game=partial(SeenDoomGame, depth=True),
)

"""Our minds as agents, and a short life with any agent, to check it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from believable.contracts.agent import ActFunction, Agent
from believable.worlds.town.mind import MindSetting, Percept, Primitive, TownMind
from believable.worlds.town.minds import mind_agent, read_primitive
from believable.worlds.town.minds.generative import mind as generative_mind
from believable.worlds.town.minds.neurosymbolic import mind as neurosymbolic_mind
from believable.worlds.town.minds.routine import ROUTINE as ROUTINE_MIND
from believable.worlds.town.minds.scripted import SCRIPTED as SCRIPTED_MIND
from believable.worlds.town.run import TownRun, TownSettings

SCRIPTED = mind_agent(SCRIPTED_MIND)
ROUTINE = mind_agent(ROUTINE_MIND)
GENERATIVE = mind_agent(generative_mind.GENERATIVE, needs=("town",))
NEUROSYMBOLIC = mind_agent(neurosymbolic_mind.NEUROSYMBOLIC)

#: From midnight until people are up.
TRIED_STEPS = 9 * 360


class _ActingMind:
    """One `act` for all decisions of a person."""

    def __init__(self, act: ActFunction, setting: MindSetting, agent: str) -> None:
        self._act, self._setting, self._agent = act, setting, agent

    def day_start(self, percept: Percept) -> None: ...

    def next_primitive(self, percept: Percept) -> Primitive:
        return read_primitive(
            self._act({"percept": percept, "welcome": self._setting}), self._agent
        )

    def notice(self, percept: Percept) -> bool:
        return False

    def state(self) -> Mapping[str, Any]:
        return {}

    def restore(self, state: Mapping[str, Any]) -> None: ...


def try_agent(
    agent: Agent[Any], options: Mapping[str, Any], act: ActFunction, seed: int, seconds: int
) -> None:
    """Let the agent live a morning among people who follow a script."""
    settings = TownSettings(seed=seed, people=2, days=1, mind=agent.short_name, options=options)

    def make(setting: MindSetting) -> TownMind:
        if setting.persona.id == "ada":
            return _ActingMind(act, setting, agent.name)
        return SCRIPTED_MIND.create(setting)

    run = TownRun(settings, make)
    for _ in range(TRIED_STEPS):
        run.advance()

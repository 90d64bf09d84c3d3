"""Agents: the registered ones with their requirements, and the options that name one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from believable.agents import names_in
from believable.agents.requirements import missing_needs, pip_name
from believable.app.options import Options, argument, option, options, use_case
from believable.contracts.agent import Agent
from believable.contracts.registries import AGENTS, WORLDS
from believable.core.errors import WrongUsage
from believable.worlds.agent_check import check_agent

AGENT_METAVAR = "NAME|MODULE:FUNCTION|FILE"


def values_of(pairs: Sequence[str]) -> Mapping[str, Any]:
    """Return the options of an agent, written as NAME=VALUE."""
    wrong = [pair for pair in pairs if "=" not in pair]
    if wrong:
        raise WrongUsage(f"--option {wrong[0]}: expected NAME=VALUE.")
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs)}


@options
class AgentsOptions(Options):
    name: str | None = argument("One of them, to describe.", default=None, kw_only=False)
    world: str | None = option("Only the agents of this world.", default=None)
    check: bool = option("Play a short round and check the contract.", default=False)
    option: Sequence[str] = option(
        "With --check: a parameter of the agent. Repeatable.", default=(), metavar="NAME=VALUE"
    )


@use_case(AgentsOptions)
def list_agents(options: AgentsOptions) -> Sequence[Mapping[str, Any]] | Mapping[str, Any]:
    """List agents by world with their requirements, or describe one.

    NAME is one that the list shows. An installed package adds agents under the entry point group
    `believable.agents`.
    """
    if options.name is None:
        if options.check:
            raise WrongUsage("--check: name the agent that is checked.")
        names = AGENTS.names if options.world is None else names_in(WORLDS[options.world].name)
        return [_row(agent) for agent in AGENTS if agent.name in names]
    agent = AGENTS[options.name]
    properties: dict[str, Any] = TypeAdapter(agent.params).json_schema().get("properties", {})
    params = {
        name: {key: value for key, value in entry.items() if key != "title"}
        for name, entry in properties.items()
    }
    row = {**_row(agent), "params": params}
    if options.check:
        row["check"] = asdict(check_agent(agent, values_of(options.option)))
    return row


def _row(agent: Agent[Any]) -> dict[str, Any]:
    missing = list(missing_needs(agent.needs))
    return {
        "name": agent.name,
        "world": agent.world,
        "seat": agent.seat,
        "about": agent.about,
        "needs": list(agent.needs),
        "missing": missing,
        "install": [f"pip install '{pip_name(need)}'" for need in missing],
        "takes": agent.takes,
        "files": list(agent.files),
    }

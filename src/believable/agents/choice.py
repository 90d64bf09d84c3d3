"""One agent from its written form: the name of a registered one, `module:function`, or a file.
Every command with `--agent` uses this.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from believable.agents import names_in
from believable.agents.failure import blame, guard_act
from believable.agents.identity import identity_of
from believable.agents.requirements import must_be_installed
from believable.contracts.agent import ActFunction, Agent
from believable.contracts.registries import AGENTS
from believable.contracts.world import World
from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.recordings.recording import Scalar

#: The function that a file `agent.py` is searched for, if none is named.
USUAL_FUNCTION = "agent"


@dataclass(frozen=True, slots=True)
class ChosenAgent:
    """An agent with its parameters. `written` is the requested form; `code` the function behind a
    `module:function`.
    """

    agent: Agent[Any]
    params: Any
    written: str
    code: Any = field(default=None, compare=False)

    def sit_down(self, seed: int) -> ActFunction:
        """A new player for one round. Its exceptions name the agent."""
        with blame(self.written, lambda: "before its first decision"):
            act = self.agent.new(self.params, seed)
        if not callable(act):
            raise InvalidInput(
                f"agent {self.written!r}: `new` returned {type(act).__name__}, expected a function"
                " from a view to an input."
            )
        return guard_act(self.written, act)

    @property
    def checkpoint(self) -> Path | None:
        """The file that it was made from."""
        value = getattr(self.params, self.agent.takes, None) if self.agent.takes else None
        return value if isinstance(value, Path) else None

    def identity(self) -> Mapping[str, Scalar]:
        """Who acted, for the `provenance` of a recording."""
        code = self.agent.new if self.code is None else self.code
        return identity_of(self.agent.name, code, self.params, self.checkpoint)


def choose_agent(
    written: str, world: World, options: Mapping[str, Any] | None = None
) -> ChosenAgent:
    """The agent that `written` names, for a seat of this world. Raises an error with the expected
    forms."""
    options = options or {}
    name, colon, argument = written.partition(":")
    registered = find_registered(name, world)
    if registered is not None:
        return _with_argument(registered, written, argument if colon else None, options)
    file = Path(written)
    if not colon or file.is_file():
        if file.suffix == ".py" and file.is_file():
            return _by_function(
                _load_file(file), file.stem, USUAL_FUNCTION, written, world, options
            )
        return _by_file(file, written, world, options)
    if name.endswith(".py"):
        return _by_function(_load_file(Path(name)), name, argument, written, world, options)
    if not argument or not all(part.isidentifier() for part in name.split(".")):
        raise _unknown(written, world)
    module = _import(name, written, world)
    return _by_function(module, name, argument, written, world, options)


def find_registered(name: str, world: World) -> Agent[Any] | None:
    """By its full name, or by its name inside the world."""
    stand_in = world.playing.stand_in if world.playing else None
    for known in (f"{world.name}/{name}", name):
        if known in AGENTS:
            return AGENTS[known]
        if stand_in is not None and known == stand_in.name:
            return stand_in
    return None


def _with_argument(
    agent: Agent[Any], written: str, argument: str | None, options: Mapping[str, Any]
) -> ChosenAgent:
    values = dict(options)
    if argument is not None:
        if not agent.takes:
            raise InvalidInput(
                f"agent {agent.name!r}: it takes nothing behind a colon, got {argument!r}. Leave it"
                " out."
            )
        values[agent.takes] = argument
    must_be_installed(agent.name, agent.needs)
    chosen = ChosenAgent(agent, agent.read_params(values), written)
    if chosen.checkpoint is not None and not chosen.checkpoint.is_file():
        raise NotFound(f"agent {written!r}: there is no file {chosen.checkpoint}.")
    return chosen


def choose_in(
    written: str, world: World, seat: str, options: Mapping[str, Any] | None = None
) -> ChosenAgent:
    """`choose_agent`, and the agent must fit the world and the seat."""
    chosen = choose_agent(written, world, options)
    if chosen.code is not None:  # a function takes the seat that it is asked for
        chosen = replace(chosen, agent=replace(chosen.agent, seat=seat))
    agent = chosen.agent
    if agent.world != world.name:
        raise InvalidInput(
            f"agent {agent.name!r} plays in {agent.world!r}, not in {world.name!r}. Its agents:"
            f" {', '.join(names_in(world.name)) or 'none'}."
        )
    own = agent.seat or (world.playing.seat if world.playing else "")
    if own != seat:
        raise InvalidInput(f"agent {agent.name!r} takes the seat {own!r}, not {seat!r}.")
    return chosen


def _by_file(file: Path, written: str, world: World, options: Mapping[str, Any]) -> ChosenAgent:
    agents = [AGENTS[name] for name in names_in(world.name)]
    for agent in agents:
        if file.name.endswith(agent.files) and agent.files:
            if not file.is_file():
                raise NotFound(f"agent {written!r}: there is no such file.")
            return _with_argument(agent, written, str(file), options)
    if file.is_file():
        known = ", ".join(f"{ending} ({agent.name})" for agent in agents for ending in agent.files)
        raise InvalidInput(
            f"agent {written!r}: no agent of {world.name!r} is made from such a file. Known"
            f" endings: {known or 'none'}, and .py."
        )
    raise _unknown(written, world)


def _unknown(written: str, world: World) -> NotFound:
    names = [name.partition("/")[2] for name in names_in(world.name)]
    return NotFound(
        f"unknown agent {written!r}. {did_you_mean(written, names)} Or give MODULE:FUNCTION such as"
        " my_agent:agent, or a file."
    )


def _import(name: str, written: str, world: World) -> Any:
    """A module, also one of the current folder."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        with blame(written, lambda: "while it was imported"):
            return importlib.import_module(name)
    except InvalidInput as failed:
        error = failed.__cause__
        if isinstance(error, ModuleNotFoundError) and error.name is not None:
            if error.name == name.partition(".")[0] or error.name == name:
                near = did_you_mean(name, [n.partition("/")[2] for n in names_in(world.name)])
                hint = f" {near}" if near.startswith("Did you mean") else ""
                raise InvalidInput(
                    f"agent {written!r}: there is no module {name!r}. Change to the folder of"
                    f" {name}.py, or install it.{hint}"
                ) from None
            raise InvalidInput(
                f"agent {written!r}: {name} needs {error.name!r}. Install it with: pip install"
                f" {error.name.partition('.')[0]}"
            ) from None
        raise
    finally:
        sys.path.pop(0)


def _load_file(file: Path) -> Any:
    if not file.is_file():
        raise NotFound(f"agent {str(file)!r}: there is no such file.")
    name = f"believable_agent_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None, "a .py file has a loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(file.resolve().parent))
    try:
        with blame(str(file), lambda: "while it was imported"):
            spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def _by_function(
    module: Any, name: str, function: str, written: str, world: World, options: Mapping[str, Any]
) -> ChosenAgent:
    code = getattr(module, function, None)
    if isinstance(code, Agent):
        return _with_argument(code, written, None, options)
    if code is None:
        public = [one for one in vars(module) if not one.startswith("_")]
        raise InvalidInput(
            f"agent {written!r}: {name} has no {function!r}. {did_you_mean(function, public)}"
        )
    if not callable(code) and not hasattr(code, "predict"):
        raise InvalidInput(
            f"agent {written!r}: {function!r} is {type(code).__name__}, expected a function or an"
            " Agent."
        )
    if options:
        raise InvalidInput(
            f"agent {written!r}: a function takes no options, got {next(iter(options))!r}. Declare"
            " an Agent with params."
        )
    acts = "environment" if world.playing and world.playing.rollout else "inputs"
    agent: Agent[Any] = Agent(
        name=f"{world.name}/{written}",
        world=world.name,
        about=f"The function {written}.",
        new=_function_in_environment(code, written) if acts == "environment" else _function(code),
        acts="environment" if acts == "environment" else "inputs",
    )
    return ChosenAgent(agent, agent.read_params({}), written, code)


def _function(code: Any) -> Any:
    """`function(seed)` returns `act(view)`."""
    return lambda params, seed: code(seed)


def _function_in_environment(code: Any, written: str) -> Any:
    """`function(env)` returns a function from an observation to an action; or a policy with
    `predict`.
    """

    def new(params: Any, seed: int) -> ActFunction:
        decide: list[Any] = []

        def act(view: Any) -> Any:
            if not decide:
                decide.append(
                    code.predict if hasattr(code, "predict") else code(view["welcome"]["env"])
                )
                if hasattr(decide[0], "predict"):
                    decide[0] = decide[0].predict
                if not callable(decide[0]):
                    raise InvalidInput(
                        f"agent {written!r} returned {type(decide[0]).__name__}, expected a"
                        " function from an observation to an action: def agent(env): return lambda"
                        " observation: env.action_space.sample()"
                    )
            return decide[0](view["observation"])

        return act

    return new

"""The record by which an agent is declared, and the tasks that agents are trained for."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from believable.contracts.game import Recordable
from believable.contracts.inputs import Input
from believable.core.errors import InvalidInput

P = TypeVar("P")

#: Everything that an agent sees of one tick: the view of its seat, and as `welcome` the view at the
#: start.
View: TypeAlias = Mapping[str, Any]
#: An agent in its seat: from a view to an input of its world.
ActFunction: TypeAlias = Callable[[View], Any]


@dataclass(frozen=True, slots=True)
class NoParams:
    """Parameters of an agent that takes none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent(Generic[P]):
    """Takes a seat of a world without a person: a script, a policy, a language model, a bot.

    `name` is `WORLD/NAME`. `new(params, seed)` returns `act(view) -> input`, and all chance follows
    from the seed. `params` is a pydantic model or a frozen dataclass in which every field has a
    default, except the one that `takes` names: that field is written behind a colon after the name
    (`imitation:person.imitation`), or alone if it is a file whose ending is one of `files`. `needs`
    are the extras of this package, or other distributions, that must be installed. `seat` is empty
    for the first seat of the world. `draw(rng)` returns the parameters of a random participant;
    simulated participants need it.

    Some worlds have more than one way to act: `acts="environment"` returns actions of a Gymnasium
    environment, and its views have `observation` and `reward`. `game(setup)` starts a recorded
    round that shows the seat more than a page does. `rounds` has the world's options that it needs,
    such as `{"map": "deathmatch"}`.
    """

    name: str
    world: str
    about: str
    new: Callable[[P, int], ActFunction]
    params: type[P] = NoParams  # type: ignore[assignment]
    needs: tuple[str, ...] = ()
    seat: str = ""
    takes: str = ""
    files: tuple[str, ...] = ()
    draw: Callable[[random.Random], P] | None = None
    acts: Literal["inputs", "environment"] = "inputs"
    game: Callable[[Any], Recordable] | None = None
    rounds: Mapping[str, Any] = field(default_factory=dict)

    @property
    def short_name(self) -> str:
        """The name inside its world."""
        return self.name.removeprefix(f"{self.world}/")

    def read_params(self, values: Mapping[str, Any]) -> P:
        """Return parameters from plain values; text is converted."""
        adapter: TypeAdapter[P] = TypeAdapter(self.params)
        known = self.param_names
        for name in values:
            if name not in known:
                listed = ", ".join(known) or "none"
                raise InvalidInput(
                    f"agent {self.name!r}: unknown option {name!r}. Its options: {listed}."
                )
        try:
            return adapter.validate_python(dict(values))
        except ValidationError as error:
            first = error.errors()[0]
            option = ".".join(map(str, first["loc"]))
            if first["type"] == "missing" and option == self.takes:
                raise InvalidInput(
                    f"agent {self.name!r}: its {option} is missing. Write"
                    f" {self.short_name}:{option.upper()}."
                ) from None
            raise InvalidInput(
                f"agent {self.name!r}, option {option}: {first['msg']}, got {first['input']!r}."
            ) from None

    @property
    def param_names(self) -> tuple[str, ...]:
        schema = TypeAdapter(self.params).json_schema()
        return tuple(schema.get("properties", {}))


class Driver(Protocol):
    """An agent that is made when its round starts."""

    def act(self, view: View) -> Input: ...


def at_first_view(
    driver: Callable[[P, int, Mapping[str, Any]], Driver],
) -> Callable[[P, int], ActFunction]:
    """Return a `new` for an agent that needs the welcome before it can decide: `driver(params,
    seed, welcome)` is called with the first view.
    """

    def new(params: P, seed: int) -> ActFunction:
        seated: list[Driver] = []

        def act(view: View) -> Input:
            if not seated:
                seated.append(driver(params, seed, view["welcome"]))
            return seated[0].act(view)

        return act

    new.__module__ = driver.__module__  # recordings name the module of an agent
    return new


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTask:
    """A task for which agents of a world are trained. `agents` has their names and descriptions.

    `rounds` has the options of its rounds, by which people of a lab play it (`believable record
    TASK`). `measuring` is a module with `evaluate_agent(agent, runs, seed, *, map_seeds, workers,
    progress)` and the labels of its measures, `training` one with `train_agent(agent, seed,
    decisions, folder, *, maps, workers, on_row, start, rate)`. Both are imported on demand.
    """

    name: str
    about: str
    agents: Mapping[str, str]
    measuring: str
    training: str
    rounds: Mapping[str, Any] = field(default_factory=dict)

    def part(self, name: str) -> Any:
        return getattr(importlib.import_module(self.measuring), name)

    @property
    def train_agent(self) -> Callable[..., Path]:
        train: Callable[..., Path] = importlib.import_module(self.training).train_agent
        return train

"""The minds that a run of the town can name: agents of the town, ours and those of others.

An agent of the town is asked with `{"percept": Percept, "welcome": MindSetting}` and answers with a
`Primitive`. A plain function has no memory: it is made again for every decision, so that a run can
be resumed. An agent with memory returns an object from `new` that has `mind(setting)`, which gives
a `TownMind`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, TypeAdapter, create_model

from believable.agents.choice import ChosenAgent, choose_in
from believable.agents.failure import blame
from believable.contracts.agent import Agent, NoParams, View
from believable.contracts.registries import AGENTS, WORLDS
from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.worlds.town.mind import MindKind, MindSetting, Percept, Primitive, TownMind


@dataclass(frozen=True, slots=True, kw_only=True)
class TownAgent(Agent[Any]):
    """An agent of the town. `asks_model`: whether it needs the run's language model, or takes one
    if its option `model` is on.
    """

    asks_model: Literal["never", "may", "always"] = "never"


class _MindSeat:
    """A mind in the seat of an agent. The run takes the whole mind; as a function it only
    decides.
    """

    def __init__(self, create: Callable[[MindSetting], TownMind]) -> None:
        self.mind = create
        self._mind: TownMind | None = None
        self._day = -1

    def __call__(self, view: View) -> Primitive:
        percept: Percept = view["percept"]
        if self._mind is None:
            self._mind = self.mind(view["welcome"])
        if percept.day != self._day:
            self._day = percept.day
            self._mind.day_start(percept)
        return self._mind.next_primitive(percept)


def mind_agent(kind: MindKind, needs: tuple[str, ...] = ()) -> TownAgent:
    """A mind as an agent; its options become parameters."""
    params: Any = NoParams
    if kind.options:
        fields: dict[str, Any] = {
            name: (str | None, Field(default=None, description=about))
            for name, about in kind.options.items()
        }
        params = create_model(f"{kind.name.capitalize()}Options", **fields)

    def new(values: Any, seed: int) -> _MindSeat:
        return _MindSeat(kind.create)

    new.__module__ = kind.create.__module__
    return TownAgent(
        name=f"town/{kind.name}",
        world="town",
        about=kind.about,
        params=params,
        new=new,
        needs=needs,
        asks_model=kind.asks_model,
    )


def mind_kind(written: str) -> MindKind:
    """The mind of this name, `module:function` or file."""
    chosen = choose_in(written, WORLDS["town"], "")
    agent = chosen.agent
    properties = TypeAdapter(agent.params).json_schema().get("properties", {})
    return MindKind(
        name=agent.short_name if agent.name in AGENTS else written,
        about=agent.about,
        create=lambda setting: _sit_down(chosen, setting),
        options={name: str(entry.get("description", "")) for name, entry in properties.items()},
        asks_model=agent.asks_model if isinstance(agent, TownAgent) else "never",
        identity={} if _is_ours(agent) else chosen.identity(),
    )


def _is_ours(agent: Agent[Any]) -> bool:
    """The version of the package, in every recording, says which of our minds it was."""
    return str(agent.new.__module__).startswith("believable.")


def _sit_down(chosen: ChosenAgent, setting: MindSetting) -> TownMind:
    params = chosen.agent.read_params(setting.options)
    with blame(chosen.written, lambda: "before its first decision"):
        act = chosen.agent.new(params, derive(setting.seed, "mind", setting.persona.id))
    if hasattr(act, "mind"):
        mind: TownMind = act.mind(setting)
        return mind
    return _FunctionMind(chosen, params, setting)


class _FunctionMind:
    """A function as a mind: each decision is made by a new one, from its percept alone."""

    def __init__(self, chosen: ChosenAgent, params: Any, setting: MindSetting) -> None:
        self._chosen, self._params, self._setting = chosen, params, setting

    def day_start(self, percept: Percept) -> None: ...

    def next_primitive(self, percept: Percept) -> Primitive:
        setting, written = self._setting, self._chosen.written
        seed = derive(setting.seed, "mind", setting.persona.id, percept.step)
        with blame(written, lambda: f"at step {percept.step} ({setting.persona.id})"):
            answer = self._chosen.agent.new(self._params, seed)(
                {"percept": percept, "welcome": setting}
            )
        return read_primitive(answer, written)

    def notice(self, percept: Percept) -> bool:
        return False

    def state(self) -> Mapping[str, Any]:
        return {}

    def restore(self, state: Mapping[str, Any]) -> None: ...


def read_primitive(answer: Any, agent: str) -> Primitive:
    if not isinstance(answer, Primitive):
        raise InvalidInput(
            f"agent {agent!r}: expected a Primitive of believable.worlds.town.mind, got"
            f" {type(answer).__name__}."
        )
    return answer

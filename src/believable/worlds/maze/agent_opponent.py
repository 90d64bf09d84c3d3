"""Opponents of the maze that are agents: they see the view of their seat and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from believable.agents import names_in
from believable.agents.choice import choose_in
from believable.contracts.agent import View
from believable.contracts.inputs import Input, InputSchema
from believable.contracts.registries import AGENTS, WORLDS
from believable.core.errors import InvalidInput
from believable.recordings.recording import Scalar

OPPONENT = "opponent"


class AgentOpponent:
    """A registered agent, `module:function` or file in the seat of the opponent."""

    mood: float | None = None

    def __init__(self, written: str, seed: int, inputs: InputSchema) -> None:
        self._written, self._inputs = written, inputs
        self._chosen = choose_in(written, WORLDS["maze"], OPPONENT)
        self._act = self._chosen.sit_down(seed)

    @property
    def identity(self) -> Mapping[str, Scalar]:
        """Who it was, for the provenance of a recording."""
        about = self._chosen.identity().items()
        return {f"opponent_{name.removeprefix('agent_')}": value for name, value in about}

    def drive(self, view: View) -> Input:
        """Its input for this tick."""
        answer = self._act(view)
        pressed = self._inputs.values_in(answer)
        if pressed is None:
            raise InvalidInput(
                f"agent {self._written!r}: expected {self._inputs.range_text}, got"
                f" {str(answer)[:80]}."
            )
        return pressed


class OpponentNames(Mapping[str, str]):
    """Our opponents with their descriptions, and the registered agents that take this seat."""

    def __init__(self, ours: Mapping[str, str]) -> None:
        self._ours = ours

    def __iter__(self) -> Iterator[str]:
        yield from self._ours
        for name in names_in("maze"):
            if AGENTS[name].seat == OPPONENT:
                yield AGENTS[name].short_name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> str:
        if name in self._ours:
            return self._ours[name]
        full_name = f"maze/{name}"
        if full_name not in AGENTS or AGENTS[full_name].seat != OPPONENT:
            raise KeyError(name)
        return AGENTS[full_name].about

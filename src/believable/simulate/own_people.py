"""People in a custom design: they answer by what its plan assumes (`measures: {…: {assume: …}}`),
and anything else as the instruments simulate themselves. `own_fill` answers for many people at
once, `own_mind` for one person at a browser.
"""

from __future__ import annotations

from dataclasses import dataclass, field, make_dataclass, replace
from functools import lru_cache
from typing import Any

from believable.analysis.own_design import own_analysis
from believable.analysis.protocol import ProtocolAnalysis
from believable.contracts.protocol import Declaration
from believable.contracts.registries import PROTOCOLS
from believable.core.citation import Citation
from believable.core.errors import InvalidInput
from believable.simulate.behaviour import Behaviour, SimulatedProtocol
from believable.simulate.own_fill import fill
from believable.simulate.own_measures import PlantedParameter, own_measures, plan_of
from believable.simulate.own_mind import OwnMind
from believable.study.definition import Definition
from believable.study.own_design import OWN
from believable.study.records import Study


@lru_cache(maxsize=16)
def _truth_type(parameters: tuple[PlantedParameter, ...]) -> type[Any]:
    """A record of planted parameters; the same ones give the same record. Its docstring explains
    them, as elsewhere.
    """
    columns = [(parameter.name, float, field(default=parameter.value)) for parameter in parameters]
    lines = [f"    {parameter.name}  {parameter.words}" for parameter in parameters]
    return make_dataclass(
        "OwnTruth",
        columns,
        frozen=True,
        namespace={"__doc__": "\n".join(["What is planted.", "", *lines])},
    )


def own_people(study: Study) -> Behaviour:
    """How simulated people behave in this study."""
    measures = own_measures(study)
    truth = _truth_type(
        tuple(parameter for measure in measures for parameter in measure.parameters())
    )

    def nothing() -> Any:
        """Every group as the first one."""
        planted = truth()
        same = {
            f"{measure.name}_{group}": getattr(planted, f"{measure.name}_{measure.groups[0]}")
            for measure in measures
            for group in measure.groups
            if hasattr(planted, f"{measure.name}_{group}")
        }
        return replace(planted, **same)

    return Behaviour(
        truth=truth, nothing=nothing, mind=OwnMind, fill=fill, values=lambda planted, sessions: {}
    )


@dataclass(frozen=True)
class OwnDesign:
    """A custom study in the role of a protocol: its declaration, analysis and people follow from
    its definition.
    """

    definition: str
    name: str = OWN

    @property
    def study(self) -> Study:
        return _study(self.definition)

    @property
    def analysis(self) -> ProtocolAnalysis:
        return own_analysis(plan_of(self.study), self.study)

    @property
    def declaration(self) -> Declaration:
        return self.analysis.declaration

    @property
    def people(self) -> Behaviour:
        return own_people(self.study)

    @property
    def cites(self) -> tuple[Citation, ...]:
        """A custom design has no publication yet."""
        return ()

    @property
    def stimuli(self) -> None:
        """Its stimuli are files; nothing makes them again."""
        return None


@lru_cache(maxsize=4)
def _study(text: str) -> Study:
    return Definition.from_json(text).study


def simulated_protocol(definition: Definition) -> SimulatedProtocol:
    """The protocol that the study's analysis names, or its own design."""
    plan = definition.study.analysis
    if plan is None:
        raise InvalidInput(
            "study: there is no `analysis`, so simulated people do not know what it is about. Add"
            " `analysis: {measures: …}`, or name a protocol in it."
        )
    return OwnDesign(definition.to_json()) if plan.protocol is None else PROTOCOLS[plan.protocol]

"""From a declared plan to one that can be followed: whose analysis it is, and what plays which role
in it.
"""

from __future__ import annotations

from believable.analysis.own_design import own_analysis
from believable.analysis.protocol import AnalysedProtocols
from believable.analysis.settled_plan import Plan, settled_roles
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.study.declaration import DeclaredPlan
from believable.study.records import Study


def resolve(plan: DeclaredPlan, study: Study | None, protocols: AnalysedProtocols) -> Plan:
    """The plan with its roles settled. Without a study (an imported dataset) roles are what the
    plan says, or their defaults.
    """
    if plan.protocol is not None:
        protocol = protocols[plan.protocol]
        roles = settled_roles(plan, study, protocol.analysis.declaration)
        return Plan(plan, protocol.analysis, roles, tuple(protocol.cites))
    if study is None:
        raise InvalidInput(
            "analysis: the data come without a study, so that it is not known what its measures"
            " are. Name a protocol: --protocol " + "|".join(protocols.names)
        )
    return Plan(plan, own_analysis(plan, study), {})


def undeclared(protocol: str, study: Study | None, protocols: AnalysedProtocols) -> Plan:
    """The defaults of a protocol, for a study that declares nothing: everything found with it is
    exploratory.
    """
    if protocol not in protocols:
        raise InvalidInput(
            f"protocol: unknown {protocol!r}. {did_you_mean(protocol, protocols.names)}"
        )
    return resolve(
        DeclaredPlan.model_validate({"protocol": protocol, "multiplicity": "none"}),
        study,
        protocols,
    )

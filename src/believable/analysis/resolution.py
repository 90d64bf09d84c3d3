"""From a declared plan to one that can be followed: whose analysis it is, and what plays which role
in it.
"""

from __future__ import annotations

from believable.analysis.own_design import own_analysis
from believable.analysis.settled_plan import Plan, settled_roles
from believable.contracts.registries import PROTOCOLS
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.study.declaration import DeclaredPlan
from believable.study.records import Study


def resolve(plan: DeclaredPlan, study: Study | None) -> Plan:
    """The plan with its roles settled. Without a study (an imported dataset) the plan or the
    defaults give the roles.
    """
    if plan.protocol is not None:
        protocol = PROTOCOLS[plan.protocol]
        roles = settled_roles(plan, study, protocol.analysis.declaration)
        return Plan(plan, protocol.analysis, roles, tuple(protocol.cites))
    if study is None:
        raise InvalidInput(
            "analysis: the data come without a study, so that it is not known what its measures"
            " are. Name a protocol: --protocol " + "|".join(PROTOCOLS.names)
        )
    return Plan(plan, own_analysis(plan, study), {})


def default_plan(protocol: str, study: Study | None) -> Plan:
    """The defaults of a protocol, for a study that declares nothing: everything found with it is
    exploratory.
    """
    if protocol not in PROTOCOLS:
        raise InvalidInput(
            f"protocol: unknown {protocol!r}. {did_you_mean(protocol, PROTOCOLS.names)}"
        )
    return resolve(
        DeclaredPlan.model_validate({"protocol": protocol, "multiplicity": "none"}), study
    )

"""The part of a study that plays each role of its analysis: as the plan says, else by default."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from believable.contracts.protocol import Declaration, Role
from believable.contracts.trial import outline
from believable.core.errors import InvalidInput
from believable.study.declaration import DeclaredPlan
from believable.study.records import Study


def settled_roles(
    plan: DeclaredPlan, study: Study | None, declaration: Declaration
) -> Mapping[str, tuple[str, ...]]:
    """What plays each role of a declaration."""
    roles = {role.name: _players_of(role, plan, study) for role in declaration.roles}
    missing = [role for role in declaration.roles if role.required and not roles[role.name]]
    if missing and study is not None:
        role = missing[0]
        raise InvalidInput(
            f"analysis of {declaration.name}: nothing plays the role {role.name!r}"
            f" ({role.about.rstrip('.').lower()}). Add `roles: {{{role.name}: …}}` to the plan."
        )
    return MappingProxyType(roles)


def _players_of(role: Role, plan: DeclaredPlan, study: Study | None) -> tuple[str, ...]:
    choice = plan.roles.get(role.name)
    if choice is not None:
        return (choice,) if isinstance(choice, str) else tuple(choice)
    if study is None:
        return role.defaults if role.several else role.defaults[:1]
    known = _names(study, role)
    names = tuple(name for name in role.defaults if name in known)
    return names if role.several else names[:1]


def _names(study: Study, role: Role) -> set[str]:
    entries = [entry.item for entry in outline(study.timeline)]
    if role.of == "trial":
        return {item.id for item in entries}
    if role.of == "arm":
        return set(study.arms)
    if role.of == "condition":
        return set(study.conditions)
    asked = [(item.id, question.id) for item in entries for question in item.all_questions]
    return {f"{trial}.{question}" for trial, question in asked} | {
        question for _, question in asked
    }

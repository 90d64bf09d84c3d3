"""The declared plan, resolved on a study: which question plays which role, and every option with its default filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.study.declaration import Declaration, Role
from believable.study.declarations import DECLARATIONS
from believable.study.declared import Hypothesis
from believable.study.declared import Plan as DeclaredPlan
from believable.study.outline import outline
from believable.study.progress import questions_of
from believable.study.records import Study


@dataclass(frozen=True, slots=True)
class Plan:
    """What the modules are given. `roles` maps each role of the protocol to what plays it; nothing does: an empty tuple."""

    declared: DeclaredPlan
    declaration: Declaration
    roles: Mapping[str, tuple[str, ...]]

    @property
    def protocol(self) -> str:
        return self.declared.protocol

    @property
    def alpha(self) -> float:
        return self.declared.alpha

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return 1 - self.declared.alpha

    @property
    def seed(self) -> int:
        return self.declared.seed

    def role(self, name: str) -> str | None:
        """What plays a role that takes one name; None where nothing does."""
        found = self.roles[self._known(name, [one.name for one in self.declaration.roles], "role")]
        return found[0] if found else None

    def option(self, name: str) -> Any:
        """A parameter of the analysis: as the plan has it, else its default."""
        self._known(name, [one.name for one in self.declaration.options], "option")
        return self.declared.options.get(name, self.declaration.option(name).default)

    def test_option(self, outcome: str, name: str) -> Any:
        """An option of an outcome's test: as the plan has it, else its default."""
        options = self.declaration.outcome(outcome).tests
        self._known(name, [one.name for one in options], f"option of {outcome!r}:")
        default = next(one.default for one in options if one.name == name)
        return self.declared.tests.get(outcome, {}).get(name, default)

    def test_declared(self, outcome: str, name: str) -> bool:
        """Whether the plan itself sets this option of a test."""
        return name in self.declared.tests.get(outcome, {})

    def rank(self, outcome: str) -> Literal["primary", "secondary"] | None:
        """Whether an outcome was declared, and as what. What a hypothesis is about counts as primary."""
        named = {one.outcome for one in self.declared.hypotheses}
        if outcome in self.declared.outcomes.primary or outcome in named:
            return "primary"
        return "secondary" if outcome in self.declared.outcomes.secondary else None

    def hypotheses(self, outcome: str, about: str = "") -> tuple[Hypothesis, ...]:
        """The hypotheses on an outcome, or on one part of it."""
        return tuple(
            one for one in self.declared.hypotheses if one.outcome == outcome and one.about in (None, about)
        )

    def alternative(self, outcome: str, about: str = "") -> Literal["two-sided", "greater", "less"]:
        """The side that the first hypothesis on an outcome looks at; both sides without one."""
        words: dict[str, Literal["two-sided", "greater", "less"]]
        words = {"two_sided": "two-sided", "greater": "greater", "less": "less"}
        found = self.hypotheses(outcome, about)
        return words[found[0].direction] if found else "two-sided"

    def _known(self, name: str, names: list[str], what: str) -> str:
        if name not in names:
            raise InvalidInput(
                f"plan of {self.protocol}: unknown {what} {name!r}. {did_you_mean(name, names)}"
            )
        return name


def resolve(plan: DeclaredPlan, study: Study | None) -> Plan:
    """The plan with its roles settled. Without a study (an imported dataset) roles are what the plan says, or their defaults."""
    declaration = DECLARATIONS[plan.protocol]
    roles = {role.name: _played(role, plan, study) for role in declaration.roles}
    missing = [role for role in declaration.roles if role.required and not roles[role.name]]
    if missing and study is not None:
        role = missing[0]
        raise InvalidInput(
            f"analysis of {plan.protocol}: nothing plays the role {role.name!r} ({role.about.rstrip('.').lower()})."
            f" Add `roles: {{{role.name}: …}}` to the plan."
        )
    return Plan(plan, declaration, MappingProxyType(roles))


def undeclared(protocol: str, study: Study | None) -> Plan:
    """The defaults of a protocol, for a study that declares nothing: everything found with it is exploratory."""
    if protocol not in DECLARATIONS:
        raise InvalidInput(f"protocol: unknown {protocol!r}. {did_you_mean(protocol, DECLARATIONS.names)}")
    return resolve(DeclaredPlan.model_validate({"protocol": protocol, "multiplicity": "none"}), study)


def _played(role: Role, plan: DeclaredPlan, study: Study | None) -> tuple[str, ...]:
    given = plan.roles.get(role.name)
    if given is not None:
        return (given,) if isinstance(given, str) else tuple(given)
    if study is None:
        return role.defaults if role.several else role.defaults[:1]
    known = _names(study, role)
    found = tuple(name for name in role.defaults if name in known)
    return found if role.several else found[:1]


def _names(study: Study, role: Role) -> set[str]:
    entries = [entry.item for entry in outline(study.timeline)]
    if role.of == "trial":
        return {item.id for item in entries}
    if role.of == "arm":
        return set(study.arms)
    if role.of == "condition":
        return set(study.conditions)
    asked = [(item.id, question.id) for item in entries for question in questions_of(item)]
    return {f"{trial}.{question}" for trial, question in asked} | {question for _, question in asked}

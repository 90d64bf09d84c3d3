"""The declared plan, resolved on a study: which question plays which role, and every option with
its default filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from believable.contracts.protocol import Declaration, Role
from believable.contracts.trial import outline
from believable.core.citation import Citation
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.study.declaration import About, DeclaredPlan, Hypothesis
from believable.study.records import Study

if TYPE_CHECKING:
    from believable.analysis.protocol import ProtocolAnalysis
    from believable.stats.crossed import Over


@dataclass(frozen=True, slots=True)
class Plan:
    """The arguments of the modules. `roles` maps each role of the protocol to what plays it;
    nothing does: an empty tuple.
    """

    declared: DeclaredPlan
    analysis: ProtocolAnalysis
    roles: Mapping[str, tuple[str, ...]]
    #: Where the protocol was published.
    cites: tuple[Citation, ...] = ()

    @property
    def declaration(self) -> Declaration:
        return self.analysis.declaration

    @property
    def protocol(self) -> str:
        """The name of the analysis: the protocol's, or the name of a custom design."""
        return self.declaration.name

    @property
    def alpha(self) -> float:
        return self.declared.alpha

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return 1 - self.declared.alpha

    @property
    def about(self) -> About:
        """Whom verdicts are about."""
        return self.declared.about

    @property
    def over(self) -> Over:
        """Whose choice decisive intervals allow for."""
        return "both" if self.declared.about == "agent" else "judges"

    @property
    def seed(self) -> int:
        return self.declared.seed

    def role(self, name: str) -> str | None:
        """What plays a role that takes one name; None if nothing does."""
        names = self.roles[
            self._known(name, [role.name for role in self.declaration.roles], "role")
        ]
        return names[0] if names else None

    def option(self, name: str) -> Any:
        """A parameter of the analysis: as the plan has it, else its default."""
        self._known(name, [option.name for option in self.declaration.options], "option")
        return self.declared.options.get(name, self.declaration.option(name).default)

    def test_option(self, outcome: str, name: str) -> Any:
        """An option of an outcome's test: as the plan has it, else its default."""
        options = self.declaration.outcome(outcome).tests
        self._known(name, [option.name for option in options], f"option of {outcome!r}:")
        default = next(option.default for option in options if option.name == name)
        return self.declared.tests.get(outcome, {}).get(name, default)

    def test_declared(self, outcome: str, name: str) -> bool:
        """Whether the plan itself sets this option of a test."""
        return name in self.declared.tests.get(outcome, {})

    def rank(self, outcome: str) -> Literal["primary", "secondary"] | None:
        """Whether an outcome was declared, and as what. Outcomes of a hypothesis that no list names
        count as primary.
        """
        if outcome in self.declared.outcomes.primary:
            return "primary"
        if outcome in self.declared.outcomes.secondary:
            return "secondary"
        return (
            "primary"
            if any(hypothesis.outcome == outcome for hypothesis in self.declared.hypotheses)
            else None
        )

    def hypotheses(self, outcome: str, about: str = "") -> tuple[Hypothesis, ...]:
        """The hypotheses on an outcome, or on one part of it."""
        return tuple(
            hypothesis
            for hypothesis in self.declared.hypotheses
            if hypothesis.outcome == outcome and hypothesis.about in (None, about)
        )

    def alternative(self, outcome: str, about: str = "") -> Literal["two-sided", "greater", "less"]:
        """The side that the first hypothesis on an outcome looks at; both sides without one."""
        words: dict[str, Literal["two-sided", "greater", "less"]]
        words = {"two_sided": "two-sided", "greater": "greater", "less": "less"}
        claims = self.hypotheses(outcome, about)
        return words[claims[0].direction] if claims else "two-sided"

    def _known(self, name: str, names: list[str], what: str) -> str:
        if name not in names:
            raise InvalidInput(
                f"plan of {self.protocol}: unknown {what} {name!r}. {did_you_mean(name, names)}"
            )
        return name


def settled_roles(
    plan: DeclaredPlan, study: Study | None, declaration: Declaration
) -> Mapping[str, tuple[str, ...]]:
    """What plays each role of a declaration."""
    roles = {role.name: play_keys(role, plan, study) for role in declaration.roles}
    missing = [role for role in declaration.roles if role.required and not roles[role.name]]
    if missing and study is not None:
        role = missing[0]
        raise InvalidInput(
            f"analysis of {declaration.name}: nothing plays the role {role.name!r}"
            f" ({role.about.rstrip('.').lower()}). Add `roles: {{{role.name}: …}}` to the plan."
        )
    return MappingProxyType(roles)


def play_keys(role: Role, plan: DeclaredPlan, study: Study | None) -> tuple[str, ...]:
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


def criterion_words(hypothesis: Hypothesis) -> str:
    """A criterion as one says it."""
    value = "" if hypothesis.value is None else f"{hypothesis.value:g}"
    side = {
        "greater": " and an estimate above that of no effect",
        "less": " and an estimate below that of no effect",
    }
    return {
        "significant": f"p below alpha{side.get(hypothesis.expects or '', '')}",
        "equivalent": "equivalence shown within the margin",
        "contains": f"interval contains {value}",
        "excludes": f"interval excludes {value}",
        "at_least": f"at least {value}, by the whole interval",
        "at_most": f"at most {value}, by the whole interval",
    }[hypothesis.criterion]

"""Which questions of a study play which role, for behaviours: by the declared analysis, as the analysis itself resolves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from believable.analysis.plan import resolve
from believable.core.errors import InvalidInput
from believable.study.outline import outline
from believable.study.progress import questions_of
from believable.study.records import Question, Study


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the trial that asks it."""

    trial: str
    question: Question

    @property
    def id(self) -> str:
        return self.question.id

    @property
    def kind(self) -> str:
        return self.question.kind


@dataclass(frozen=True, slots=True)
class Roles:
    """`asked` for roles that questions play, `named` for trials, arms and conditions."""

    asked: Mapping[str, Asked]
    named: Mapping[str, tuple[str, ...]]

    def role_of(self, question: str) -> str | None:
        """The role of a question, by its id."""
        return next((role for role, asked in self.asked.items() if asked.id == question), None)


def roles_of(study: Study) -> Roles:
    """The roles of a study with a declared analysis."""
    if study.analysis is None:
        raise InvalidInput(
            "study: there is no `analysis`, so nobody knows what its questions are about. Add one."
        )
    plan = resolve(study.analysis, study)
    everything = [
        (entry.item.id, one) for entry in outline(study.timeline) for one in questions_of(entry.item)
    ]
    asked: dict[str, Asked] = {}
    for role in plan.declaration.roles:
        for name in plan.roles[role.name]:
            trial, _, question = name.rpartition(".")
            found = next((Asked(t, q) for t, q in everything if q.id == question and trial in ("", t)), None)
            if role.of == "question" and found is not None:
                asked.setdefault(role.name, found)
    return Roles(asked, plan.roles)

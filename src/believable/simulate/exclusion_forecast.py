"""A forecast of the exclusion rules of a study: each is applied to simulated sessions before
recruiting.
"""

from __future__ import annotations

import numpy as np

from believable.analysis.exclusions import apply
from believable.bundle.read import Bundle
from believable.contracts.registries import INSTRUMENTS
from believable.core.errors import Problem
from believable.core.nodes import Node
from believable.core.seeds import derive
from believable.simulate import straight
from believable.study.declaration import ExclusionRule
from believable.study.definition import Definition
from believable.study.own_design import questions

#: Sessions that are simulated.
SESSIONS = 200
#: A rule that removes a larger share of the complete sessions is reported.
MOST_REMOVED = 0.2
#: The same for answers of which nothing is assumed: any answer is as likely as another.
MOST_ANSWERS = 0.5


def exclusion_problems(definition: Definition, tree: Node) -> list[Problem]:
    """A warning for each rule that removes more than a fifth of simulated sessions. `tree` is the
    study file, for its lines.
    """
    plan = definition.study.analysis
    if plan is None or not plan.exclusions:
        return []
    rng = np.random.default_rng(derive(definition.study.seed, "exclusions"))
    bundle = straight.bundle(definition, SESSIONS, rng)
    rules = (tree.get("analysis") or tree).get("exclusions")
    problems = []
    for number, rule in enumerate(plan.exclusions):
        message = _forecast(definition, bundle, rule)
        node = None if rules is None else rules.at(number)
        if message:
            cure = (
                "Compare the rule with the answers of attentive people (`is` lists the answers that"
                " lead to exclusion)."
            )
            line = 1 if node is None else node.line
            problems.append(
                Problem(
                    file="study.yaml",
                    line=line,
                    path=f"analysis.exclusions[{number}]",
                    message=message,
                    cure=cure,
                    severity="warning",
                )
            )
    return problems


def _forecast(definition: Definition, bundle: Bundle, rule: ExclusionRule) -> str:
    """The warning about a rule; empty if it removes few sessions."""
    if rule.rule == "answer" and not _is_assumed(definition, rule):
        share = _share_of_answers(definition, rule)
        return (
            f"the rule excludes for {share:.0%} of the answers to {rule.answer}."
            if share > MOST_ANSWERS
            else ""
        )
    before = len(apply(bundle, ()).sessions)
    removed = before - len(apply(bundle, (rule,)).sessions)
    if removed <= MOST_REMOVED * before:
        return ""
    return f"the rule {rule.rule!r} removes {removed} of {before} complete simulated sessions."


def _is_assumed(definition: Definition, rule: ExclusionRule) -> bool:
    """Whether simulated people answer the question by an assumption or a right answer."""
    plan = definition.study.analysis
    trial, question, row = rule.answer_parts
    named = [measure.question for measure in plan.measures.values()] if plan is not None else []
    roles = (
        [
            name
            for value in plan.roles.values()
            for name in ((value,) if isinstance(value, str) else value)
        ]
        if plan
        else []
    )
    if any((name or "").rpartition(".")[2] == question for name in (*named, *roles)):
        return True
    return any(
        row in INSTRUMENTS[asked.kind].attention(asked.params)
        for where, asked in questions(definition.study)
        if asked.id == question and trial in ("", where)
    )


def _share_of_answers(definition: Definition, rule: ExclusionRule) -> float:
    """The share of all possible answers that lead to exclusion; 0 if they cannot be listed."""
    trial, question, _ = rule.answer_parts
    asked = next(
        asked
        for where, asked in questions(definition.study)
        if asked.id == question and trial in ("", where)
    )
    options = {str(option) for option in INSTRUMENTS[asked.kind].options(asked.params)}
    return (
        len(options & {str(value) for value in rule.is_ or ()}) / len(options) if options else 0.0
    )

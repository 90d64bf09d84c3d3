"""The declared analysis: roles, outcomes, options and rules that fit the protocol and the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from believable.contracts.protocol import (
    Declaration,
    Option,
    Outcome,
    Role,
    problem_of,
    subjects_of,
)
from believable.contracts.registries import INSTRUMENTS, PROTOCOLS
from believable.contracts.trial import Question, TrialBase, outline
from believable.core.nodes import Node
from believable.study.checks.names import report_repeated
from believable.study.checks.own_measures import check_measures
from believable.study.checks.protocol_fit import check_protocol_fit
from believable.study.checks.stopping import check_sequential, check_stopping
from believable.study.declaration import DeclaredPlan, ExclusionRule, Hypothesis
from believable.study.own_design import groups_of, is_ticked, own_declaration
from believable.study.reading import Reading
from believable.study.wording import shown, unknown

#: The keys of each exclusion rule besides `rule`.
RULE_KEYS: Mapping[str, frozenset[str]] = {
    "failed_check": frozenset({"check"}),
    "unanswered": frozenset({"over"}),
    "too_fast": frozenset({"below"}),
    "reviewed": frozenset({"drops"}),
    "unreliable": frozenset(),
    "answer": frozenset({"answer", "is"}),
}
_WITH_VALUE = ("contains", "excludes", "at_least", "at_most")


def check_analysis_plan(reading: Reading) -> None:
    plan, node = reading.study.analysis, reading.root.get("analysis")
    if (
        plan is None
        or node is None
        or not node.is_mapping
        or reading.is_broken("analysis.protocol")
    ):
        return
    if plan.protocol is not None and plan.protocol not in PROTOCOLS:
        reading.report(
            node.get("protocol") or node, *unknown("protocol", plan.protocol, PROTOCOLS.names)
        )
        return
    check_measures(reading, plan, node)
    own = plan.protocol is None
    if own and not plan.measures:
        return
    declaration = (
        own_declaration(plan, reading.study) if own else PROTOCOLS[str(plan.protocol)].declaration
    )
    checker = _PlanChecker(reading, plan, node, declaration)
    checker.roles()
    checker.hypotheses()
    checker.outcomes()
    checker.tests()
    checker.options()
    checker.exclusions()
    check_stopping(reading, plan, node, declaration)
    if plan.protocol is not None:
        check_protocol_fit(reading, plan, node, declaration)
    check_sequential(reading, node)


class _PlanChecker:
    def __init__(
        self, reading: Reading, plan: DeclaredPlan, node: Node, declaration: Declaration
    ) -> None:
        self._reading, self._plan, self._node, self._declaration = reading, plan, node, declaration
        self._outcomes = [outcome.name for outcome in declaration.outcomes]
        own = plan.measures.values() if plan.protocol is None else ()
        self._groups = {group for measure in own for group in groups_of(measure, reading.study)}
        entries = list(outline(reading.study.timeline))
        self._items = {entry.item.id: entry.item for entry in entries}
        self._questions: dict[str, list[tuple[str, Question]]] = {}
        for entry in entries:
            for question in entry.item.all_questions:
                self._questions.setdefault(question.id, []).append((entry.item.id, question))

    # ------------------------------------------------------------------------------------------
    # roles

    def roles(self) -> None:
        place = self._node.get("roles")
        known = {role.name: role for role in self._declaration.roles}
        for name, value in self._plan.roles.items():
            node = self._at(place, name)
            if self._reading.is_broken(node.path):
                continue
            if name not in known:
                self._reading.report(
                    node, *unknown(f"role of {self._declaration.name}:", name, known)
                )
                continue
            self._role(known[name], value, node)
        for role in self._declaration.roles:
            if role.required and role.name not in self._plan.roles:
                self._missing(role)

    def _role(self, role: Role, value: str | tuple[str, ...], node: Node) -> None:
        values, places = ((value,), [node]) if isinstance(value, str) else (value, list(node))
        if not role.several and len(values) != 1:
            what = "one name" if values else "a name"
            cure = f"Write `{role.name}: name`."
            self._reading.report(
                node, f"the role {role.name!r} takes {what}, got {shown(value)}.", cure
            )
            return
        for name, place in zip(values, places, strict=True):
            self._check_name(role, name, place)

    def _check_name(self, role: Role, name: str, node: Node) -> None:
        study = self._reading.study
        if role.of == "question":
            self._question(role, name, node)
        elif role.of == "trial" and name not in self._items and not self._has_certainty(name):
            self._reading.report(node, *unknown("trial", name, self._items))
        elif role.of == "arm" and name not in study.arms and not self._reading.is_broken("arms"):
            self._reading.report(node, *unknown("arm", name, study.arms))
        elif (
            role.of == "condition"
            and name not in study.conditions
            and not self._reading.is_broken("conditions")
        ):
            self._reading.report(node, *unknown("condition", name, study.conditions))

    def _question(self, role: Role, name: str, node: Node) -> bool:
        """Whether the study has the question and nothing about it is in doubt."""
        trial, _, question = name.rpartition(".")
        if self._has_certainty(trial, question):
            return False
        if trial and trial not in self._items:
            self._reading.report(node, *unknown("trial", trial, self._items))
            return False
        asked = [
            (where, asked_question)
            for where, asked_question in self._questions.get(question, ())
            if trial in ("", where)
        ]
        if not asked:
            everywhere = (
                [asked_question.id for asked_question in self._items[trial].all_questions]
                if trial
                else list(self._questions)
            )
            what = f"question of {trial!r}:" if trial else "question"
            self._reading.report(node, *unknown(what, question, everywhere))
            return False
        unfit = next(
            (
                asked_question
                for _, asked_question in asked
                if role.kinds and asked_question.kind not in role.kinds
            ),
            None,
        )
        if unfit is not None:
            message = f"the answers of {name!r} ({unfit.kind}) cannot be used as {role.name!r}."
            self._reading.report(
                node, message, f"Use a question of kind {' or '.join(role.kinds)}."
            )
        return unfit is None

    def _missing(self, role: Role) -> None:
        if self._reading.doubtful or any(self._has(role, name) for name in role.defaults):
            return
        kind = "question" if role.of == "question" else role.of
        message = f"nothing plays the role {role.name!r} ({role.about.rstrip('.').lower()})."
        cure = f"Add `roles: {{{role.name}: …}}` with the name of a {kind}."
        self._reading.report(self._node.get("roles") or self._node, message, cure)

    def _has(self, role: Role, name: str) -> bool:
        if role.of == "question":
            trial, _, question = name.rpartition(".")
            return any(trial in ("", where) for where, _ in self._questions.get(question, ()))
        study = self._reading.study
        known = {
            "trial": set(self._items),
            "arm": set(study.arms),
            "condition": set(study.conditions),
        }
        return name in known[role.of]

    def _has_certainty(self, trial: str, question: str = "") -> bool:
        return bool(
            {"*", "*.*", trial, f"{trial}.{question}", f"{trial}.*", f"*.{question}"}
            & self._reading.doubtful
        )

    # ------------------------------------------------------------------------------------------
    # outcomes

    def hypotheses(self) -> None:
        pairs = [
            (hypothesis, self._reading.place(hypothesis)) for hypothesis in self._plan.hypotheses
        ]
        report_repeated(
            self._reading,
            [(hypothesis.id, node.get("id") or node) for hypothesis, node in pairs],
            "hypothesis",
        )
        for hypothesis, node in pairs:
            if not self._reading.is_broken(node.path):
                self._hypothesis(hypothesis, node)

    def _hypothesis(self, hypothesis: Hypothesis, node: Node) -> None:
        if not self._known(hypothesis.outcome, self._at(node, "outcome")):
            return
        outcome = self._declaration.outcome(hypothesis.outcome)
        place = node.get("criterion") or node
        parts = subjects_of(outcome, self._reading.study.conditions)
        if hypothesis.about is not None and hypothesis.about not in parts:
            what = f"part of the outcome {outcome.name!r}:"
            self._reading.report(self._at(node, "about"), *unknown(what, hypothesis.about, parts))
        if hypothesis.about is None and self._plan.protocol is None and len(parts) > 1:
            message = f"{hypothesis.id} does not say which groups of {outcome.name!r} it is about."
            self._reading.report(
                node, message, f"Add `about: {parts[-1]}`, or another of: {', '.join(parts)}."
            )
        if hypothesis.about in self._groups and hypothesis.criterion in (
            "significant",
            "equivalent",
        ):
            message = f"{hypothesis.id} tests one group, {hypothesis.about!r}; tests compare two."
            cure = (
                "Write `about: first-second`, or use a criterion with a value:"
                f" {', '.join(_WITH_VALUE)}."
            )
            self._reading.report(self._at(node, "about"), message, cure)
        if hypothesis.criterion in _WITH_VALUE and hypothesis.value is None:
            message = f"the criterion {hypothesis.criterion!r} of {hypothesis.id} needs a number."
            self._reading.report(place, message, "Add `value: …`.")
        if hypothesis.criterion not in _WITH_VALUE and hypothesis.value is not None:
            message = (
                f"the criterion {hypothesis.criterion!r} of {hypothesis.id} looks at no value."
            )
            cure = f"Remove `value`, or use one of: {', '.join(_WITH_VALUE)}."
            self._reading.report(node.get("value") or node, message, cure)
        if hypothesis.criterion == "significant" and not outcome.tested:
            message = f"the outcome {outcome.name!r} comes with an interval but no test."
            self._reading.report(place, message, f"Use one of: {', '.join(_WITH_VALUE)}.")
        if hypothesis.expects is not None:
            self._expects(hypothesis, outcome, self._at(node, "expects"))
        if hypothesis.criterion == "equivalent" and not outcome.equivalence:
            able = [outcome.name for outcome in self._declaration.outcomes if outcome.equivalence]
            message = f"the outcome {outcome.name!r} has no equivalence test."
            self._reading.report(
                place, message, f"Outcomes that have one: {', '.join(able) or 'none'}."
            )
        if hypothesis.criterion == "equivalent" and "margin" not in self._plan.tests.get(
            outcome.name, {}
        ):
            message = f"{hypothesis.id} claims equivalence, but no margin is declared."
            self._reading.report(place, message, f"Add `tests: {{{outcome.name}: {{margin: …}}}}`.")

    def _expects(self, hypothesis: Hypothesis, outcome: Outcome, node: Node) -> None:
        """An expected side of a two-sided test, for an estimate that can lie on either side of no
        effect.
        """
        if hypothesis.criterion != "significant" or hypothesis.direction != "two_sided":
            what = (
                "has no side"
                if hypothesis.criterion != "significant"
                else "looks at one side already"
            )
            message = f"the test of {hypothesis.id} {what}, so that `expects` says nothing."
            self._reading.report(
                node, message, "Remove `expects`; it belongs to a two-sided test of significance."
            )
        elif outcome.no_effect is None:
            message = (
                f"it is not known which value of {outcome.name!r} means no effect, so that no side"
                " of it can be expected."
            )
            self._reading.report(
                node, message, f"Let the test look at one side: `direction: {hypothesis.expects}`."
            )

    def outcomes(self) -> None:
        node = self._node.get("outcomes")
        if node is None:
            return
        seen: list[tuple[str, Node]] = []
        for key, names in (
            ("primary", self._plan.outcomes.primary),
            ("secondary", self._plan.outcomes.secondary),
        ):
            listed = node.get(key)
            if listed is None or self._reading.is_broken(listed.path):
                continue
            for name, place in zip(names, listed, strict=True):
                self._known(name, place)
                seen.append((name, place))
        report_repeated(self._reading, seen, "outcome")

    def tests(self) -> None:
        place = self._node.get("tests")
        for name, options in self._plan.tests.items():
            node = self._at(place, name)
            if self._known(name, node):
                self._values(
                    options, self._declaration.outcome(name).tests, node, f"option of {name!r}:"
                )

    def options(self) -> None:
        place = self._node.get("options") or self._node
        self._values(
            self._plan.options,
            self._declaration.options,
            place,
            f"option of {self._declaration.name}:",
        )

    def _values(
        self, values: Mapping[str, Any], known: Sequence[Option], place: Node, what: str
    ) -> None:
        by_name = {option.name: option for option in known}
        for name, value in values.items():
            node = self._at(place, name)
            if name not in by_name:
                self._reading.report(node, *unknown(what, name, by_name))
                continue
            expected = problem_of(by_name[name], value)
            if expected is not None:
                message = f"expected {expected}, got {shown(value)}."
                self._reading.report(node, message, by_name[name].about)

    def _known(self, outcome: str, node: Node) -> bool:
        if outcome in self._outcomes:
            return True
        # A measure that cannot be taken is reported itself; no other part is blamed for it.
        if outcome not in self._plan.measures and not self._reading.is_broken(node.path):
            self._reading.report(
                node, *unknown(f"outcome of {self._declaration.name}:", outcome, self._outcomes)
            )
        return False

    # ------------------------------------------------------------------------------------------ who
    # is left out

    def exclusions(self) -> None:
        for rule in self._plan.exclusions:
            node = self._reading.place(rule)
            if not self._reading.is_broken(node.path):
                self._exclusion(rule, node)

    def _exclusion(self, rule: ExclusionRule, node: Node) -> None:
        keys = {name for name in node.value if name != "rule"}
        for name in sorted(keys - RULE_KEYS[rule.rule]):
            able = [kind for kind, names in RULE_KEYS.items() if name in names]
            message = f"the rule {rule.rule!r} does not look at {name!r}."
            self._reading.report(
                node.value[name], message, f"Remove it, or use the rule {' or '.join(able)}."
            )
        checks = [
            name
            for name, item in self._items.items()
            if item.quiz.right_answers or self._has_attention_row(item)
        ]
        if rule.rule == "failed_check" and rule.check is not None and rule.check not in checks:
            if not self._has_certainty(rule.check):
                self._reading.report(self._at(node, "check"), *unknown("check", rule.check, checks))
        elif rule.rule == "failed_check" and not checks and not self._reading.doubtful:
            cure = "Add a `check` trial or `attention: …` to a row of a matrix, or remove the rule."
            self._reading.report(node, "the study has no check to fail.", cure)
        said = {answer.name for item in self._items.values() for answer in item.page_answers}
        if rule.rule == "unreliable" and "reliable" not in said:
            cure = "Add a `qa` trial, or remove the rule."
            self._reading.report(node, "the study has no quality test to fail.", cure)
        if rule.rule == "answer":
            self._answer_rule(rule, node)

    def _answer_rule(self, rule: ExclusionRule, node: Node) -> None:
        for key, value in (("answer", rule.answer), ("is", rule.is_)):
            if value is None:
                self._reading.report(node, f"the rule 'answer' needs {key!r}.", f"Add `{key}: …`.")
        if rule.answer is None:
            return
        trial, name, row = rule.answer_parts
        place = self._at(node, "answer")
        if not self._question(
            Role(name="answer", about=""), f"{trial}.{name}" if trial else name, place
        ):
            return
        question = next(asked for where, asked in self._questions[name] if trial in ("", where))
        if question.kind in INSTRUMENTS:
            self._answer_part(rule, question, row, node, place)

    def _answer_part(
        self, rule: ExclusionRule, question: Question, row: str, node: Node, place: Node
    ) -> None:
        """The row that a rule looks at, and whether its values can be answered at all."""
        kind = INSTRUMENTS[question.kind]
        options, rows = (
            [str(option) for option in kind.options(question.params)],
            kind.items(question.params),
        )
        if not rows and is_ticked(kind, kind.options(question.params)):
            rows, options = options, ["0", "1"]
        if rows and not row:
            message = (
                f"{rule.answer!r} has {len(rows)} rows, and the rule would look at any of them."
            )
            self._reading.report(place, message, f"Name one: `answer: {rule.answer}.{rows[0]}`.")
            return
        if row and row not in rows:
            if rows:
                self._reading.report(place, *unknown(f"row of {question.id!r}:", row, rows))
            else:
                self._reading.report(
                    place, f"the question {question.id!r} has no rows.", f"Remove `.{row}`."
                )
            return
        for value in rule.is_ or ():
            if options and str(value) not in options:
                self._reading.report(
                    self._at(node, "is"),
                    *unknown(f"answer of {rule.answer!r}:", str(value), options),
                )
        if row and row not in kind.attention(question.params) and self._is_averaged(question):
            message = (
                f"the row {row!r} leads to exclusion, and counts in the mean of {question.id!r}."
            )
            cure = (
                "If it only checks attention, write `attention: …` with the right point in the row"
                f" {row!r}."
            )
            self._reading.report(place, message, cure, severity="warning")

    def _is_averaged(self, question: Question) -> bool:
        """Whether a measure is the mean of all rows."""
        measures = self._plan.measures.values()
        return any(
            (measure.question or "").rpartition(".")[2] == question.id and measure.item is None
            for measure in measures
        )

    def _has_attention_row(self, item: TrialBase) -> bool:
        asked = (question for question in item.all_questions if question.kind in INSTRUMENTS)
        return any(INSTRUMENTS[question.kind].attention(question.params) for question in asked)

    def _at(self, node: Node | None, key: str) -> Node:
        inner = None if node is None else node.get(key)
        return inner or node or self._node

"""From the tree of the file to the records. Every problem is reported once, at its place; what is sound is still read."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import ValidationError

from believable.core.errors import InvalidInput, Problem
from believable.study.declared import ExclusionRule, Hypothesis, Plan
from believable.study.fields import keys
from believable.study.gate import QaGate
from believable.study.kinds import QuestionKind, QuestionKinds, annotating, answering
from believable.study.nodes import Node
from believable.study.records import (
    Annotation,
    Block,
    Break,
    Check,
    Compare,
    Consent,
    Device,
    Finish,
    Form,
    Group,
    Play,
    Qa,
    Question,
    Rate,
    Record,
    Redirects,
    Stimulus,
    Study,
    Text,
    TextPage,
    TimelineItem,
    TrialBase,
    Watch,
)
from believable.study.repair import NOT_A_BODY, RecordReader, inside
from believable.study.wording import shown, unknown

#: The word for each kind of timeline item, and its record.
ITEM_KINDS: Mapping[str, type[TrialBase]] = {
    "consent": Consent,
    "text": TextPage,
    "form": Form,
    "check": Check,
    "device": Device,
    "qa": Qa,
    "qa_gate": QaGate,
    "play": Play,
    "watch": Watch,
    "compare": Compare,
    "group": Group,
    "rate": Rate,
    "break": Break,
    "finish": Finish,
    "block": Block,
}
#: Trials whose answers are filed under their id, so that the author has to choose it.
NAMED_KINDS = ("form", "check")
#: The id of a check's question where the author gave none.
CHECK_QUESTION_ID = "answer"
#: What quality tests are annotated with.
QA_INSTRUMENT = "ranktrace"
_QUESTION_LISTS = ("questions", "rate", "ask")


@dataclass
class Reading:
    """The records with their places in the file. While there are problems the study is only good for looking for more.

    `doubtful` names what occurs in broken parts (`trial`, `trial.question`): nobody else should be blamed for it.
    """

    study: Study
    problems: list[Problem]
    places: dict[int, Node] = field(default_factory=dict)
    doubtful: set[str] = field(default_factory=set)
    root: Node = field(default_factory=lambda: Node({}, 1, ""))
    file: str = "study.yaml"

    def report(self, node: Node, message: str, cure: str, *, severity: str = "error") -> None:
        self.problems.append(Problem(self.file, node.line, node.path, message, cure, severity))

    def place(self, record: object) -> Node:
        return self.places[id(record)]

    def broken(self, path: str) -> bool:
        """Whether something is wrong at this path or inside."""
        return any(inside(problem.path, path) for problem in self.problems if problem.severity == "error")


def read_study(root: Node, kinds: QuestionKinds, *, file: str) -> Reading:
    """Read the whole tree."""
    return _Reader(kinds, file).study(root)


class _Reader(RecordReader):
    def __init__(self, kinds: QuestionKinds, file: str) -> None:
        super().__init__(file)
        self._kinds = kinds
        self._doubtful: set[str] = set()
        self._ids: set[str] = set()
        self._gates: list[QaGate] = []

    # ------------------------------------------------------------------------------------------ the study

    def study(self, root: Node) -> Reading:
        if not root.is_mapping:
            self.report(root, f"expected a mapping, got {shown(root)}.", "Start with `believable: 1`.")
            root = Node({NOT_A_BODY: root}, root.line, root.path)
        tree = self.tidy(Study, root, skip=("stimuli", "timeline"))
        built: dict[str, Any] = {}
        if "stimuli" in tree.value:
            built["stimuli"] = tuple(self._each(tree.value["stimuli"], self._stimulus))
        if "timeline" in tree.value:
            self._ids = set(_explicit_ids(tree.value["timeline"]))
            built["timeline"] = tuple(self._items(tree.value["timeline"]))
        if "analysis" in tree.value:
            built["analysis"] = self._plan(tree.value["analysis"])
        study = self.record(Study, tree, built) or self._placeholder(tree, built)
        self.problems.sort(key=lambda problem: problem.line)
        return Reading(_with_platform(study), self.problems, self.places, self._doubtful, root, self.file)

    def _placeholder(self, tree: Node, built: dict[str, Any]) -> Study:
        """A study to go on checking with, made of what could be read."""
        values: dict[str, Any] = {"title": Text("?"), "seed": 0, "believable": 1, "timeline": (), **built}
        for key in tree.value:
            if key not in built:
                values.update(self._field(key, tree.value[key]))
        return Study.model_construct(**values)

    def _field(self, key: str, node: Node) -> dict[str, Any]:
        base = {"believable": 1, "title": "?", "seed": 0, "timeline": (Finish(id="finish"),)}
        try:
            study = Study.model_validate({**base, key: node.frozen()}, strict=True)
        except ValidationError:
            return {}
        return {key: getattr(study, key)}

    def _each(self, node: Node, read: Callable[[Node], Any]) -> list[Any]:
        if not node.is_list:
            if node.value is not None:
                self.report(node, f"expected a list, got {shown(node)}.", "Write one `- entry` per line.")
            return []
        return [record for record in (read(item) for item in node) if record is not None]

    def _plan(self, node: Node) -> Plan | None:
        """The declared analysis; a hypothesis or a rule that cannot be read does not hide the others."""
        built: dict[str, Any] = {}
        for key, record in (("hypotheses", Hypothesis), ("exclusions", ExclusionRule)):
            listed = node.get(key)
            if listed is not None and listed.is_list:
                built[key] = tuple(self._each(listed, partial(self.record, record)))
        return self.record(Plan, node, built)

    def _stimulus(self, node: Node) -> Stimulus | None:
        record = self.record(Stimulus, self.tidy(Stimulus, node))
        if record is None:
            self._doubt(node, "id", "stimulus:")
        return record

    # ------------------------------------------------------------------------------------------ the timeline

    def _items(self, node: Node) -> list[TimelineItem]:
        """The entries of a timeline, with what a gate stands for in its place."""
        found: list[TimelineItem] = []
        for item in self._each(node, self._item):
            found += self._gated(item) if isinstance(item, QaGate) else [item]
        return found

    def _gated(self, gate: QaGate) -> list[TimelineItem]:
        params = self._kinds[QA_INSTRUMENT].params()
        trials = list(gate.trials(Annotation(kind=QA_INSTRUMENT, params=params)))
        for trial in trials:
            self.places[id(trial)] = self.places[id(gate)]
        self._gates.append(gate)  # places are known by identity, which only what lives has for itself
        return [*trials]

    def _item(self, node: Node) -> TimelineItem | QaGate | None:
        found = self._kind_and_body(node)
        if found is None:
            return None
        kind, body = found
        record_type = ITEM_KINDS[kind]
        held = ("each", "question", "annotate", *_QUESTION_LISTS)
        tidy = self.tidy(record_type, body, skip=[key for key in held if key in keys(record_type)])
        name = self._item_id(kind, tidy)
        built: dict[str, Any] = {} if name is None else {"id": name}
        for key in _QUESTION_LISTS:
            if key in tidy.value:
                built[key] = tuple(self._each(tidy.value[key], lambda one: self._question(one, name)))
        if "question" in tidy.value:
            question = self._question(tidy.value["question"], name, derived_id=CHECK_QUESTION_ID)
            if question is not None:
                built["question"] = question
        if "annotate" in tidy.value:
            built |= self._annotated(tidy.value["annotate"])
        if record_type is Qa:
            built["annotate"] = Annotation(kind=QA_INSTRUMENT, params=self._kinds[QA_INSTRUMENT].params())
        if "each" in tidy.value:
            built["each"] = tuple(self._items(tidy.value["each"]))
        record = self.record(record_type, tidy, built)
        if isinstance(record, Check):
            record = self._normalised(record, tidy)
        if record is None:
            self._doubtful.add(name or "*")
            return None
        self.places[id(record)] = tidy
        return record  # type: ignore[return-value]  # ITEM_KINDS holds exactly the members of TimelineItem

    def _kind_and_body(self, node: Node) -> tuple[str, Node] | None:
        if isinstance(node.value, str):
            node = Node(
                {node.value: Node(None, node.line, f"{node.path}.{node.value}")}, node.line, node.path
            )
        if not node.is_mapping or not node.value:
            self.report(
                node, f"expected a trial such as `watch: {{…}}`, got {shown(node)}.", _one_of(ITEM_KINDS)
            )
            return None
        kinds = [key for key in node.value if key in ITEM_KINDS]
        if not kinds:
            return self._misspelt_kind(node)
        kind = kinds[0]
        body: Node = node.value[kind]
        beside = [key for key in node.value if key != kind]
        if beside:
            stray = node.value[beside[0]]
            names = ", ".join(beside)
            cure = (
                "Start a new `- ` entry."
                if beside[0] in ITEM_KINDS
                else f"Indent it to stand below `{kind}:`."
            )
            self.report(stray, f"{names} stands beside {kind!r} in one entry.", cure)
            if body.value is None:
                body = Node(
                    {key: node.value[key] for key in beside if key not in ITEM_KINDS}, body.line, body.path
                )
        return kind, self._body(body)

    def _misspelt_kind(self, node: Node) -> tuple[str, Node] | None:
        key, body = next(iter(node.value.items()))
        self.report(body, *unknown("kind of trial", key, ITEM_KINDS))
        near = difflib.get_close_matches(key, ITEM_KINDS, n=1)
        if not near:
            self._doubt(body, "id")
            return None
        return near[0], self._body(body)

    def _body(self, node: Node) -> Node:
        if node.value is None:
            return Node({}, node.line, node.path)
        if not node.is_mapping:
            self.report(node, f"expected a mapping, got {shown(node)}.", "Write `key: value` lines below it.")
            return Node({NOT_A_BODY: node}, node.line, node.path)
        return node

    def _item_id(self, kind: str, body: Node) -> str | None:
        """The id from the file, or one made from the kind; `None` where the author has to give one."""
        given = body.get("id")
        if given is not None:
            return given.value if isinstance(given.value, str) else None
        if kind in NAMED_KINDS:
            return None
        number = 1
        while (name := kind if number == 1 else f"{kind}_{number}") in self._ids:
            number += 1
        self._ids.add(name)
        return name

    # ------------------------------------------------------------------------------------------ questions

    def _question(self, node: Node, trial: str | None, derived_id: str | None = None) -> Question | None:
        question = self._read_question(node, trial, derived_id)
        if question is None:
            self._doubt(node, "id", f"{trial or '*'}.")
        return question

    def _read_question(self, node: Node, trial: str | None, derived_id: str | None) -> Question | None:
        if not node.is_mapping:
            self.report(
                node, f"expected a question, got {shown(node)}.", "Write {id: …, prompt: …, choice: {…}}."
            )
            return None
        kind = self._question_kind(node)
        tidy = self.tidy(Question, node, skip=self._kinds.names)
        if kind is None:
            return None
        name, params_node = kind
        instrument = self._kinds[name]
        params = self._params(instrument, params_node)
        built: dict[str, Any] = {"kind": name} if params is None else {"kind": name, "params": params}
        if derived_id is not None and "id" not in tidy.value:
            built["id"] = derived_id
        without_kinds = {key: one for key, one in tidy.value.items() if key in keys(Question)}
        question = self.record(Question, Node(without_kinds, node.line, node.path), built, hidden=("params",))
        if question is None:
            return None
        question = _with_full_reference(question, trial)
        self.places[id(question)] = node
        self.places[id(question.params)] = params_node
        return question

    def _question_kind(self, node: Node) -> tuple[str, Node] | None:
        found = self._kind_key(node, Question, answering(self._kinds), "question")
        if found is None or self._kinds[found[0]].use == "answer":
            return found
        kind, place = found
        cure = f"Write it into a watch trial: `annotate: {{{kind}: {{}}}}`."
        self.report(place, f"{kind} is used while watching; it is no question.", cure)
        return None

    def _kind_key(
        self, node: Node, record: type[Record], offered: Iterable[str], what: str
    ) -> tuple[str, Node] | None:
        """The key that names the kind, and its parameters."""
        fixed, offered = keys(record), sorted(offered)
        kinds = [key for key in node.value if key in self._kinds]
        strange = [key for key in node.value if key not in self._kinds and key not in fixed]
        article = "an" if what[0] in "aeiou" else "a"
        if len(kinds) > 1:
            message = f"{article} {what} has one kind, got {' and '.join(kinds)}."
            self.report(node.value[kinds[1]], message, "Keep one of them.")
        if kinds:
            return kinds[0], node.value[kinds[0]]
        misspelt = next((key for key in strange if not difflib.get_close_matches(key, fixed, n=1)), None)
        if misspelt is None:
            self.report(node, f"the {what} has no kind.", f"Add one of: {', '.join(offered)}.")
            return None
        self.report(node.value[misspelt], *unknown(f"kind of {what}", misspelt, offered))
        near = difflib.get_close_matches(misspelt, offered, n=1)
        return (near[0], node.value[misspelt]) if near else None

    # ------------------------------------------------------------------------------------------ annotation

    def _annotated(self, node: Node) -> dict[str, Any]:
        """`annotate` as a record; an instrument that has no practice page is used without one."""
        annotation = self._annotation(node)
        if annotation is None:
            return {"annotate": None}
        unpractised = self._kinds[annotation.kind].practice is None
        return {"annotate": annotation} | ({"practice": False} if unpractised else {})

    def _annotation(self, node: Node) -> Annotation | None:
        if isinstance(node.value, str):
            node = Node(
                {node.value: Node(None, node.line, f"{node.path}.{node.value}")}, node.line, node.path
            )
        if not node.is_mapping:
            cure = "Write `annotate: {ranktrace: {}}`."
            self.report(node, f"expected an annotation, got {shown(node)}.", cure)
            return None
        found = self._kind_key(node, Annotation, annotating(self._kinds), "annotation")
        tidy = self.tidy(Annotation, node, skip=self._kinds.names)
        if found is None:
            return None
        kind, place = found
        instrument = self._kinds[kind]
        if instrument.use != "annotate":
            cure = f"Write it below `ask:` as a question, or annotate with: {', '.join(annotating(self._kinds))}."
            self.report(place, f"{kind} answers a question; it cannot annotate.", cure)
            return None
        params = self._params(instrument, place)
        built: dict[str, Any] = {"kind": kind} if params is None else {"kind": kind, "params": params}
        written = {key: one for key, one in tidy.value.items() if key in keys(Annotation)}
        annotation = self.record(Annotation, Node(written, node.line, node.path), built, hidden=("params",))
        if annotation is not None:
            self.places[id(annotation)] = node
            self.places[id(annotation.params)] = place
        return annotation

    def _params(self, instrument: QuestionKind, node: Node) -> Record | None:
        body = Node({}, node.line, node.path) if node.value is None else node
        params = self.record(instrument.params, self.tidy(instrument.params, body))
        if params is None or self.broken(node.path):
            return params
        for path, message, cure in instrument.check(params):
            self.report(_deepest(node, path), message, cure)
        return params

    def _normalised(self, check: Check, node: Node) -> Check:
        """The check with its right answer as the instrument keeps it."""
        question = check.question
        correct = node.value["correct"]
        if self.broken(self.places[id(question)].path):
            return check
        instrument = self._kinds[question.kind]
        try:
            right = instrument.read(question.params, correct.plain())
        except InvalidInput:
            self.report(correct, *impossible_answer(instrument, question, correct.plain()))
            return check
        return check.model_copy(update={"correct": right})

    def _doubt(self, node: Node, key: str, prefix: str = "") -> None:
        given = node.get(key)
        name = given.value if given is not None and isinstance(given.value, str) else "*"
        self._doubtful.add(prefix + name)


def impossible_answer(kind: QuestionKind, question: Question, value: Any) -> tuple[str, str]:
    """`'blu' is not a possible answer of 'colour'.`, `Did you mean 'blue'?`"""
    options = [str(option) for option in kind.options(question.params)]
    message = f"{shown(value)} is not a possible answer of {question.id!r}."
    if not options:
        return message, f"Give an answer that a {question.kind} question takes."
    if isinstance(value, str):
        return message, unknown("answer", value, options)[1]
    return message, f"Choose one of: {', '.join(options)}."


def _one_of(names: Iterable[str]) -> str:
    return f"Choose one of: {', '.join(sorted(names))}."


def _explicit_ids(node: Node) -> Iterable[str]:
    for item in node if node.is_list else ():
        for body in item.value.values() if item.is_mapping else ():
            given = body.get("id")
            if given is not None and isinstance(given.value, str):
                yield given.value
            inner = body.get("each")
            if inner is not None:
                yield from _explicit_ids(inner)


def _deepest(node: Node, path: str) -> Node:
    """The node at a dotted path below, as far as it is written in the file."""
    for part in path.split("."):
        inner = node.get(part)
        if inner is None:
            break
        node = inner
    return node


def _with_full_reference(question: Question, trial: str | None) -> Question:
    """`show_if: {answer: experience}` means a question of the same trial."""
    rule = question.show_if
    if rule is None or rule.answer is None or "." in rule.answer or trial is None:
        return question
    return question.model_copy(
        update={"show_if": rule.model_copy(update={"answer": f"{trial}.{rule.answer}"})}
    )


def _with_platform(study: Study) -> Study:
    """Who is sent back to a platform came from it: `redirect: prolific` settles `recruit.platform` where it is not given."""
    finish = next((item for item in study.timeline if isinstance(item, Finish)), None)
    if finish is None or isinstance(finish.redirect, Redirects) or finish.redirect == "none":
        return study
    if "platform" in study.recruit.model_fields_set:
        return study
    return study.model_copy(
        update={"recruit": study.recruit.model_copy(update={"platform": finish.redirect})}
    )

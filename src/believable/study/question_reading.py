"""Questions and annotations from the tree of the file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from believable.contracts.fields import keys
from believable.contracts.instrument import Instrument
from believable.contracts.record import Record
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.trial import Annotation, Question, TrialBase
from believable.core.errors import InvalidInput
from believable.core.nodes import Node
from believable.study.kinds import annotating, answering
from believable.study.repair import RecordReader
from believable.study.wording import shown, unknown


class QuestionReader(RecordReader):
    """Reads questions and annotations: records inside a trial that name their kind."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.doubtful: set[str] = set()

    def question(
        self, node: Node, trial: str | None, derived_id: str | None = None
    ) -> Question | None:
        question = self._read_question(node, trial, derived_id)
        if question is None:
            self.doubt(node, "id", f"{trial or '*'}.")
        return question

    def _read_question(
        self, node: Node, trial: str | None, derived_id: str | None
    ) -> Question | None:
        if not node.is_mapping:
            self.report(
                node,
                f"expected a question, got {shown(node)}.",
                "Write {id: …, prompt: …, choice: {…}}.",
            )
            return None
        kind = self._question_kind(node)
        tidy = self.tidy(Question, node, skip=INSTRUMENTS.names)
        if kind is None:
            return None
        name, params_node = kind
        instrument = INSTRUMENTS[name]
        params = self._params(instrument, params_node)
        built: dict[str, Any] = (
            {"kind": name} if params is None else {"kind": name, "params": params}
        )
        if derived_id is not None and "id" not in tidy.value:
            built["id"] = derived_id
        without_kinds = {key: value for key, value in tidy.value.items() if key in keys(Question)}
        question = self.record(
            Question, Node(without_kinds, node.line, node.path), built, hidden=("params",)
        )
        if question is None:
            return None
        question = _with_full_reference(question, trial)
        self.places[question] = node
        self.places[question.params] = params_node
        return question

    def _question_kind(self, node: Node) -> tuple[str, Node] | None:
        kind_key = self._kind_key(node, Question, answering(), "question")
        if kind_key is None or INSTRUMENTS[kind_key[0]].use == "answer":
            return kind_key
        kind, place = kind_key
        cure = f"Write it into a watch trial: `annotate: {{{kind}: {{}}}}`."
        self.report(place, f"{kind} is used while watching; it is no question.", cure)
        return None

    def _kind_key(
        self, node: Node, record: type[Record], offered: Iterable[str], what: str
    ) -> tuple[str, Node] | None:
        """The key that names the kind, and its parameters."""
        fixed, offered = keys(record), sorted(offered)
        kinds = [key for key in node.value if key in INSTRUMENTS]
        strange = [key for key in node.value if key not in INSTRUMENTS and key not in fixed]
        article = "an" if what[0] in "aeiou" else "a"
        if len(kinds) > 1:
            message = f"{article} {what} has one kind, got {' and '.join(kinds)}."
            self.report(node.value[kinds[1]], message, "Keep one of them.")
        if kinds:
            return kinds[0], node.value[kinds[0]]
        misspelt = next(
            (key for key in strange if not difflib.get_close_matches(key, fixed, n=1)), None
        )
        if misspelt is None:
            self.report(node, f"the {what} has no kind.", f"Add one of: {', '.join(offered)}.")
            return None
        self.report(node.value[misspelt], *unknown(f"kind of {what}", misspelt, offered))
        near = difflib.get_close_matches(misspelt, offered, n=1)
        return (near[0], node.value[misspelt]) if near else None

    # ------------------------------------------------------------------------------------------
    # annotation

    def read_annotate(self, node: Node) -> dict[str, Any]:
        """`annotate` as a record; an instrument that has no practice page, or wants none, is used
        without one.
        """
        annotation = self._annotation(node)
        if annotation is None:
            return {"annotate": None}
        instrument = INSTRUMENTS[annotation.kind]
        unpractised = instrument.practice is None or not instrument.wants_practice(
            annotation.params
        )
        return {"annotate": annotation} | ({"practice": False} if unpractised else {})

    def _annotation(self, node: Node) -> Annotation | None:
        if isinstance(node.value, str):
            node = Node(
                {node.value: Node(None, node.line, f"{node.path}.{node.value}")},
                node.line,
                node.path,
            )
        if not node.is_mapping:
            cure = "Write `annotate: {ranktrace: {}}`."
            self.report(node, f"expected an annotation, got {shown(node)}.", cure)
            return None
        kind_key = self._kind_key(node, Annotation, annotating(), "annotation")
        tidy = self.tidy(Annotation, node, skip=INSTRUMENTS.names)
        if kind_key is None:
            return None
        kind, place = kind_key
        instrument = INSTRUMENTS[kind]
        if instrument.use != "annotate":
            cure = (
                f"Write it below `ask:` as a question, or annotate with: {', '.join(annotating())}."
            )
            self.report(place, f"{kind} answers a question; it cannot annotate.", cure)
            return None
        params = self._params(instrument, place)
        built: dict[str, Any] = (
            {"kind": kind} if params is None else {"kind": kind, "params": params}
        )
        written = {key: value for key, value in tidy.value.items() if key in keys(Annotation)}
        annotation = self.record(
            Annotation, Node(written, node.line, node.path), built, hidden=("params",)
        )
        if annotation is not None:
            self.places[annotation] = node
            self.places[annotation.params] = place
        return annotation

    def _params(self, instrument: Instrument[Any], node: Node) -> Record | None:
        body = Node({}, node.line, node.path) if node.value is None else node
        record: type[Record] = instrument.params
        params = self.record(record, self.tidy(record, body))
        if params is None or self.is_broken(node.path):
            return params
        for path, message, cure in instrument.check(params):
            self.report(_deepest(node, path), message, cure)
        return params

    def with_right_answers(self, record: TrialBase, node: Node) -> TrialBase:
        """Right answers as the instruments of their questions keep them."""
        for key, asked in record.answer_keys.items():
            question, right = getattr(record, asked), node.value[key]
            if self.is_broken(self.places[question].path):
                continue
            instrument = INSTRUMENTS[question.kind]
            try:
                record = record.model_copy(
                    update={key: instrument.read(question.params, right.plain())}
                )
            except InvalidInput:
                self.report(right, *impossible_answer(instrument, question, right.plain()))
        return record

    def doubt(self, node: Node, key: str, prefix: str = "") -> None:
        entry = node.get(key)
        name = entry.value if entry is not None and isinstance(entry.value, str) else "*"
        self.doubtful.add(prefix + name)


def impossible_answer(kind: Instrument[Any], question: Question, value: Any) -> tuple[str, str]:
    """`'blu' is not a possible answer of 'colour'.`, `Did you mean 'blue'?`"""
    options = [str(option) for option in kind.options(question.params)]
    message = f"{shown(value)} is not a possible answer of {question.id!r}."
    if not options:
        return message, f"Give an answer that a {question.kind} question takes."
    if isinstance(value, str):
        return message, unknown("answer", value, options)[1]
    return message, f"Choose one of: {', '.join(options)}."


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

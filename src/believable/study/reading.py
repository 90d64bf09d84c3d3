"""From the tree of the file to the records. Every problem is reported once, at its line; valid
parts are still read.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import ValidationError

from believable.contracts.fields import keys, record_inside
from believable.contracts.record import Record, Text
from believable.contracts.registries import INSTRUMENTS, PAGES
from believable.contracts.trial import Annotation, Block, Question, TrialBase
from believable.core.errors import Problem
from believable.core.nodes import Node
from believable.study.declaration import DeclaredPlan, ExclusionRule, Hypothesis
from believable.study.kinds import item_kinds
from believable.study.question_reading import QuestionReader
from believable.study.records import Stimulus, Study
from believable.study.repair import NOT_A_BODY, Places, inside
from believable.study.wording import shown, unknown

#: The id of a single question where the author gave none.
QUESTION_ID = "answer"
#: The kind of page behind the `breaks` of a block.
PAUSE = "break"


@dataclass(kw_only=True)
class Reading:
    """The records with their places in the file. While there are problems the study is only good
    for looking for more.

    `doubtful` names parts that are broken (`trial`, `trial.question`): no other part is blamed for
    them.
    """

    study: Study
    problems: list[Problem]
    places: Places = field(default_factory=Places)
    doubtful: set[str] = field(default_factory=set)
    root: Node = field(default_factory=lambda: Node({}, 1, ""))
    file: str = "study.yaml"

    def report(self, node: Node, message: str, cure: str, *, severity: str = "error") -> None:
        self.problems.append(
            Problem(
                file=self.file,
                line=node.line,
                path=node.path,
                message=message,
                cure=cure,
                severity=severity,
            )
        )

    def place(self, record: object) -> Node:
        return self.places[record]

    def is_broken(self, path: str) -> bool:
        """Whether something is wrong at this path or inside."""
        return any(
            inside(problem.path, path) for problem in self.problems if problem.severity == "error"
        )


def read_study(root: Node, *, file: str) -> Reading:
    """Read the whole tree."""
    return _Reader(file).study(root)


class _Reader(QuestionReader):
    def __init__(self, file: str) -> None:
        super().__init__(file)
        self._items_by_kind = item_kinds()
        self._ids: set[str] = set()

    # ------------------------------------------------------------------------------------------ the
    # study

    def study(self, root: Node) -> Reading:
        if not root.is_mapping:
            self.report(
                root, f"expected a mapping, got {shown(root)}.", "Start with `believable: 1`."
            )
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
        return Reading(
            study=_with_platform(study),
            problems=self.problems,
            places=self.places,
            doubtful=self.doubtful,
            root=root,
            file=self.file,
        )

    def _placeholder(self, tree: Node, built: dict[str, Any]) -> Study:
        """A study for the remaining checks, made of the readable parts."""
        values: dict[str, Any] = {
            "title": Text("?"),
            "seed": 0,
            "believable": 1,
            "timeline": (),
            **built,
        }
        for key in tree.value:
            if key not in built:
                values.update(self._field(key, tree.value[key]))
        return Study.model_construct(**values)

    def _field(self, key: str, node: Node) -> dict[str, Any]:
        base = {
            "believable": 1,
            "title": "?",
            "seed": 0,
            "timeline": (TrialBase(id="any", kind="any"),),
        }
        try:
            study = Study.model_validate({**base, key: node.freeze()}, strict=True)
        except ValidationError:
            return {}
        return {key: getattr(study, key)}

    def _each(self, node: Node, read: Callable[[Node], Any]) -> list[Any]:
        if not node.is_list:
            if node.value is not None:
                self.report(
                    node, f"expected a list, got {shown(node)}.", "Write one `- entry` per line."
                )
            return []
        return [record for record in (read(item) for item in node) if record is not None]

    def _plan(self, node: Node) -> DeclaredPlan | None:
        """The declared analysis; a hypothesis or a rule that cannot be read does not hide the
        others.
        """
        built: dict[str, Any] = {}
        for key, record in (("hypotheses", Hypothesis), ("exclusions", ExclusionRule)):
            listed = node.get(key)
            if listed is not None and listed.is_list:
                built[key] = tuple(self._each(listed, partial(self.record, record)))
        return self.record(DeclaredPlan, node, built)

    def _stimulus(self, node: Node) -> Stimulus | None:
        record = self.record(Stimulus, self.tidy(Stimulus, node))
        if record is None:
            self.doubt(node, "id", "stimulus:")
        return record

    # ------------------------------------------------------------------------------------------ the
    # timeline

    def _items(self, node: Node) -> list[TrialBase]:
        """The entries of a timeline, each as its trials."""
        trials: list[TrialBase] = []
        for item in self._each(node, self._item):
            for trial in item.stands_for:
                self.places[trial] = self.places[item]
                trials.append(trial)
        return trials

    def _item(self, node: Node) -> TrialBase | None:
        kind_and_body = self._kind_and_body(node)
        if kind_and_body is None:
            return None
        kind, body = kind_and_body
        record_type = self._items_by_kind[kind].form_for(body)
        inner = {
            key: record_inside(record_type.model_fields[name].annotation)
            for key, name in keys(record_type).items()
        }
        apart = [
            key for key, record in inner.items() if record in (Question, Annotation, TrialBase)
        ]
        tidy = self.tidy(record_type, body, skip=apart)
        name = self._item_id(kind, tidy)
        built: dict[str, Any] = {} if name is None else {"id": name}
        for key in apart:
            if key in tidy.value:
                built |= self._inside(key, inner[key], record_type, tidy.value[key], name)
        if record_type.annotates_with is not None:
            params = INSTRUMENTS[record_type.annotates_with].params()
            built["annotate"] = Annotation(kind=record_type.annotates_with, params=params)
        record = self.record(record_type, tidy, built)
        if record is None:
            self.doubtful.add(name or "*")
            return None
        record = self.with_right_answers(record, tidy)
        if isinstance(record, Block) and record.breaks is not None:
            pause = {
                "id": f"{record.id}_break",
                "text": record.breaks.text,
                "at_least_s": record.breaks.at_least_s,
            }
            record = record.model_copy(update={"pause": PAGES[PAUSE].record.model_validate(pause)})
        self.places[record] = tidy
        return record

    def _inside(
        self,
        key: str,
        inner: type[Record] | None,
        record: type[TrialBase],
        node: Node,
        trial: str | None,
    ) -> dict[str, Any]:
        """The keys of a trial that are read separately: questions, an annotation, the trials of a
        block.
        """
        if inner is Annotation:
            return self.read_annotate(node)
        if inner is TrialBase:
            return {key: tuple(self._items(node))}
        if record.model_fields[keys(record)[key]].annotation is not Question:
            return {key: tuple(self._each(node, lambda item: self.question(item, trial)))}
        question = self.question(node, trial, derived_id=QUESTION_ID)
        return {} if question is None else {key: question}

    def _kind_and_body(self, node: Node) -> tuple[str, Node] | None:
        if isinstance(node.value, str):
            node = Node(
                {node.value: Node(None, node.line, f"{node.path}.{node.value}")},
                node.line,
                node.path,
            )
        if not node.is_mapping or not node.value:
            cure = f"Choose one of: {', '.join(sorted(self._items_by_kind))}."
            self.report(node, f"expected a trial such as `watch: {{…}}`, got {shown(node)}.", cure)
            return None
        kinds = [key for key in node.value if key in self._items_by_kind]
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
                if beside[0] in self._items_by_kind
                else f"Indent it below `{kind}:`."
            )
            self.report(stray, f"{names} stands beside {kind!r} in one entry.", cure)
            if body.value is None:
                body = Node(
                    {key: node.value[key] for key in beside if key not in self._items_by_kind},
                    body.line,
                    body.path,
                )
        return kind, self._body(body)

    def _misspelt_kind(self, node: Node) -> tuple[str, Node] | None:
        key, body = next(iter(node.value.items()))
        self.report(body, *unknown("kind of trial", key, self._items_by_kind))
        near = difflib.get_close_matches(key, self._items_by_kind, n=1)
        if not near:
            self.doubt(body, "id")
            return None
        return near[0], self._body(body)

    def _body(self, node: Node) -> Node:
        if node.value is None:
            return Node({}, node.line, node.path)
        if not node.is_mapping:
            self.report(
                node,
                f"expected a mapping, got {shown(node)}.",
                "Write `key: value` lines below it.",
            )
            return Node({NOT_A_BODY: node}, node.line, node.path)
        return node

    def _item_id(self, kind: str, body: Node) -> str | None:
        """The id from the file, or one made from the kind; `None` where the author has to give
        one.
        """
        id_node = body.get("id")
        if id_node is not None:
            return id_node.value if isinstance(id_node.value, str) else None
        if self._items_by_kind[kind].named:
            return None
        number = 1
        while (name := kind if number == 1 else f"{kind}_{number}") in self._ids:
            number += 1
        self._ids.add(name)
        return name


def _explicit_ids(node: Node) -> Iterable[str]:
    for item in node if node.is_list else ():
        for body in item.value.values() if item.is_mapping else ():
            id_node = body.get("id")
            if id_node is not None and isinstance(id_node.value, str):
                yield id_node.value
            inner = body.get("each")
            if inner is not None:
                yield from _explicit_ids(inner)


def _with_platform(study: Study) -> Study:
    """Participants who return to a platform were recruited there: `redirect: prolific` sets
    `recruit.platform` if it is not given.
    """
    closings = [item.closing for item in study.timeline if item.closing is not None]
    platform = next((end.platform for end in closings if end.platform is not None), None)
    if platform is None or "platform" in study.recruit.model_fields_set:
        return study
    return study.model_copy(
        update={"recruit": study.recruit.model_copy(update={"platform": platform})}
    )

"""The measures of a custom design: questions that exist, models that fit their answers, groups that
can be compared.
"""

from __future__ import annotations

from believable.contracts.trial import Entry, outline
from believable.core.nodes import Node
from believable.study.declaration import DeclaredPlan
from believable.study.measures import BY_CONDITION, DeclaredMeasure
from believable.study.own_design import (
    FITTING,
    MeasureSource,
    groups_of,
    model_of,
    questions,
    source_of,
)
from believable.study.reading import Reading
from believable.study.wording import shown, unknown


def check_measures(reading: Reading, plan: DeclaredPlan, node: Node) -> None:
    place = node.get("measures")
    if plan.protocol is not None:
        if plan.measures:
            message = (
                f"the protocol {plan.protocol!r} has outcomes of its own, and there are `measures`"
                " as well."
            )
            reading.report(
                place or node, message, "Remove `protocol` for a design of your own, or `measures`."
            )
        return
    if not plan.measures:
        if not reading.is_broken(node.path):
            message = "it names no protocol and no measures, so there is nothing to analyse."
            cure = (
                "Add `measures: {name: {question: …}}`, or `protocol: …` if this is one of the"
                " ready protocols."
            )
            reading.report(place or node, message, cure)
        return
    checker = _MeasureChecker(reading)
    for name, measure in plan.measures.items():
        own = (place.get(name) if place is not None else None) or node
        if not reading.is_broken(own.path):
            checker.check(name, measure, own)


class _MeasureChecker:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._entries: dict[str, Entry] = {
            entry.item.id: entry for entry in outline(reading.study.timeline)
        }

    def check(self, name: str, measure: DeclaredMeasure, node: Node) -> None:
        if (measure.question is None) == (measure.trial is None):
            what = (
                "both a question and a trial"
                if measure.question is not None
                else "neither a question nor a trial"
            )
            cure = "Give `question: …`, or `trial: …` for what people annotate while watching."
            self._reading.report(node, f"{name!r} is taken from {what}.", cure)
            return
        source = source_of(measure, self._reading.study)
        if source is None:
            self._nothing(measure, node)
            return
        self._model(name, measure, source, node)
        self._parts(measure, source, node)
        self._groups(name, measure, source, node)

    def _report(self, node: Node, key: str, message: str, cure: str) -> None:
        self._reading.report(node.get(key) or node, message, cure)

    def _nothing(self, measure: DeclaredMeasure, node: Node) -> None:
        """The question or the annotated trial does not exist."""
        doubtful = self._reading.doubtful
        if measure.trial is not None:
            if not {"*", measure.trial} & doubtful:
                annotated = [
                    name
                    for name, entry in self._entries.items()
                    if entry.item.annotation is not None
                ]
                self._report(node, "trial", *unknown("annotated trial", measure.trial, annotated))
            return
        name = measure.question or ""
        trial, _, question = name.rpartition(".")
        if {"*", "*.*", trial, f"{trial}.{question}", f"{trial}.*", f"*.{question}"} & doubtful:
            return
        asked = list(questions(self._reading.study))
        known = {question.id for _, question in asked} | {
            f"{where}.{question.id}" for where, question in asked
        }
        self._report(node, "question", *unknown("question", name, known))

    def _model(
        self, name: str, measure: DeclaredMeasure, source: MeasureSource, node: Node
    ) -> None:
        model, fitting = model_of(measure, source), FITTING[source.shape]
        if model not in fitting:
            message = f"the model {model!r} does not fit the answers of {name!r} ({source.kind})."
            self._report(
                node, "model", message, f"Use {' or '.join(fitting)}, or another question."
            )
            return
        if model == "share" and measure.yes is None and source.shape != "ticks":
            message = f"the share of {name!r} does not say which answers count."
            listed = ", ".join(str(option) for option in source.options) or "answer"
            self._report(node, "model", message, f"Add `yes: […]` with some of: {listed}.")
        if model != "share" and measure.yes is not None:
            self._report(
                node,
                "yes",
                f"the model {model!r} does not look at `yes`.",
                "Remove it, or use `model: share`.",
            )
        known = {str(option) for option in source.options}
        for value in measure.yes or ():
            if known and source.shape != "ticks" and str(value) not in known:
                self._report(node, "yes", *unknown(f"answer of {name!r}:", str(value), known))

    def _parts(self, measure: DeclaredMeasure, source: MeasureSource, node: Node) -> None:
        items = source.items or (
            tuple(str(option) for option in source.options) if source.shape == "ticks" else ()
        )
        if measure.item is not None and measure.item not in items:
            if items:
                self._report(node, "item", *unknown("part", measure.item, items))
            else:
                message = f"the question has no parts, got {shown(measure.item)}."
                self._report(node, "item", message, "Remove `item`.")
        if (
            source.shape == "ticks"
            and model_of(measure, source) == "share"
            and measure.item is None
        ):
            self._report(
                node,
                "item",
                "the share of which option?",
                f"Add `item: …` with one of: {', '.join(items)}.",
            )

    def _groups(
        self, name: str, measure: DeclaredMeasure, source: MeasureSource, node: Node
    ) -> None:
        study = self._reading.study
        if measure.by != BY_CONDITION and measure.by not in study.arms:
            if not self._reading.is_broken("arms"):
                self._report(node, "by", *unknown("group", measure.by, (BY_CONDITION, *study.arms)))
            return
        if measure.by != BY_CONDITION and model_of(measure, source) == "preference":
            message = (
                f"{name!r} is a choice between two conditions, and cannot be compared by"
                f" {measure.by!r}."
            )
            self._report(node, "by", message, "Remove `by`, or use `model: shares`.")
            return
        groups = groups_of(measure, study)
        if len(groups) < 2 and not self._reading.is_broken("conditions"):
            message = f"{name!r} compares the conditions, and the study has {len(groups)}."
            self._report(
                node,
                "by",
                message,
                "Declare `conditions: [first, second]`, or compare an arm with `by: arm`.",
            )
            return
        for group in measure.assume.values:
            if group not in groups:
                self._report(node, "assume", *unknown(measure.by, group, groups))
        # A choice between two is about both; everything else has to be about one condition.
        if measure.by == BY_CONDITION and model_of(measure, source) != "preference":
            apart = [trial for trial in source.trials if not self._settles(self._entries[trial])]
            if apart and len(apart) == len(source.trials):
                message = f"{name!r} is asked in {apart[0]!r}, which is about no single condition."
                cure = (
                    "Ask it where one stimulus is watched or in a block `over: condition`, or"
                    " compare an arm with `by: arm`."
                )
                self._report(node, "question" if source.question else "trial", message, cure)

    def _settles(self, entry: Entry) -> bool:
        """Whether an answer belongs to one condition: by the page itself, or by the blocks around
        it.
        """
        item = entry.item
        if any(block.over in ("condition", "stimulus") for block in entry.blocks):
            return True
        if item.repeated_questions or item.can_be_rated:
            return True
        about = [other for other in self._entries.values() if item.is_about(other.item)]
        return bool(about) and not item.plays_stimuli

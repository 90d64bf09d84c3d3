"""A custom design: the sources of its measures, the groups they compare, and the declaration that
follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal, TypeAlias

from believable.contracts.instrument import Instrument
from believable.contracts.protocol import Declaration, Option, Outcome
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.trial import Annotation, Question, outline
from believable.study.declaration import DeclaredPlan
from believable.study.measures import BY_CONDITION, DeclaredMeasure, MeasureModel
from believable.study.records import Study

#: What reports and messages call a plan that names no protocol.
OWN = "own design"

#: The result of a question or an annotation: numbers, one of two sides, one of several words,
#: ticked words, words; flags, traces.
AnswerShape: TypeAlias = Literal["numbers", "sides", "words", "ticks", "text", "flags", "trace"]

#: Answers that name one of the two that a page is about.
SIDES: Mapping[str, int] = {"first": 0, "A": 0, "second": 1, "B": 1}

#: Models that fit; the first one where the plan names none.
FITTING: Mapping[AnswerShape, tuple[MeasureModel, ...]] = {
    "numbers": ("mean", "share", "shares"),
    "sides": ("preference", "shares", "share"),
    "words": ("shares", "share"),
    "ticks": ("shares", "share"),
    "text": ("text",),
    "flags": ("flags",),
    "trace": ("trace",),
}
TESTED: frozenset[MeasureModel] = frozenset({"mean", "share", "preference", "flags", "trace"})
#: Models of numbers, whose differences can be shown to be small.
IN_UNITS: frozenset[MeasureModel] = frozenset({"mean", "trace"})

#: Without an effect a difference is 0, an odds ratio 1, the share of a pair one half.
_NO_EFFECT: Mapping[MeasureModel, float] = {
    "mean": 0,
    "trace": 0,
    "share": 1,
    "flags": 1,
    "preference": 0.5,
}

#: What pairs of groups, and single groups, are estimated in.
_UNITS: Mapping[MeasureModel, tuple[str, str]] = {
    "mean": ("difference of means", "mean"),
    "trace": ("difference of means", "mean"),
    "share": ("odds ratio", "share"),
    "flags": ("odds ratio", "share of viewed actions"),
    "preference": ("share of decided choices", "share of its choices"),
}

MARGIN = Option(
    name="margin",
    about="Equivalence margin of the difference, in the unit of the measure.",
    type="number",
    default=0.5,
    least=1e-9,
)

_ABOUT: Mapping[MeasureModel, str] = {
    "mean": "mean of {source} by {by}; differences by linear mixed models",
    "share": (
        "share of answers {yes} to {source} by {by}; differences by mixed logistic models or exact"
        " tests"
    ),
    "shares": "shares of the answers to {source} by {by}",
    "preference": (
        "how often each {by} is preferred in {source}; shares of each pair against one half,"
        " Bradley–Terry strengths"
    ),
    "flags": (
        "flagged share of viewed actions in {source} by {by}; differences by mixed logistic models"
    ),
    "trace": "{summary} of the traces of {source} by {by}; differences by linear mixed models",
    "text": "answers in words to {source} by {by}, with the shares of codes where they were coded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureSource:
    """The source of a measure: the trials that ask the question (or are annotated), and the shape
    of their results.

    `options` are the possible answers, if they can be listed; `scale` the least and the greatest
    number. `attention` are the parts that only check attention, which no mean counts.
    """

    trials: tuple[str, ...]
    question: str | None
    kind: str
    shape: AnswerShape
    options: tuple[str | int, ...] = ()
    items: tuple[str, ...] = ()
    attention: tuple[str, ...] = ()
    scale: tuple[float | None, float | None] = (None, None)


def source_of(measure: DeclaredMeasure, study: Study) -> MeasureSource | None:
    """None where the study has no such question or annotated trial."""
    if measure.trial is not None:
        annotation = next(
            (note for trial, note in _annotations(study) if trial == measure.trial), None
        )
        if annotation is None or annotation.kind not in INSTRUMENTS:
            return None
        return MeasureSource(
            trials=(measure.trial,),
            question=None,
            kind=annotation.kind,
            shape=_annotation_shape(INSTRUMENTS[annotation.kind]),
        )
    trial, _, name = (measure.question or "").rpartition(".")
    asked = [
        (where, question)
        for where, question in questions(study)
        if question.id == name and trial in ("", where)
    ]
    if not asked or asked[0][1].kind not in INSTRUMENTS:
        return None
    question = asked[0][1]
    kind = INSTRUMENTS[question.kind]
    options = tuple(kind.options(question.params))
    numeric = kind.records[0].type in ("number", "integer")
    listed = [option for option in options if isinstance(option, int)] if numeric else []
    scale = (float(min(listed)), float(max(listed))) if listed else kind.bounds(question.params)
    return MeasureSource(
        trials=tuple(where for where, _ in asked),
        question=name,
        kind=question.kind,
        shape=_answer_shape(kind, options),
        options=options,
        items=tuple(kind.items(question.params)),
        attention=tuple(kind.attention(question.params)),
        scale=scale,
    )


def model_of(measure: DeclaredMeasure, source: MeasureSource) -> MeasureModel:
    """The model that is named, else the one that fits: `yes` makes it a share."""
    if measure.model is not None:
        return measure.model
    fitting = FITTING[source.shape]
    return "share" if measure.yes is not None and "share" in fitting else fitting[0]


def groups_of(measure: DeclaredMeasure, study: Study) -> tuple[str, ...]:
    """The groups that are compared, in the order of the study file."""
    return study.conditions if measure.by == BY_CONDITION else study.arms.get(measure.by, ())


def pair_name(first: str, second: str) -> str:
    """How a plan speaks of the first group minus the second. No id has a hyphen."""
    return f"{first}-{second}"


def own_declaration(plan: DeclaredPlan, study: Study) -> Declaration:
    """The declaration of a plan without a protocol: an outcome per measure. Measures without a
    source are left to the check.
    """
    outcomes = []
    for name, measure in plan.measures.items():
        source = source_of(measure, study)
        if source is not None:
            outcomes.append(_outcome(name, measure, source, plan, study))
    about = "A design of its own: what is measured is compared between groups."
    sampled = (
        "clip" if any(measure.by == BY_CONDITION for measure in plan.measures.values()) else ""
    )
    return Declaration(
        name=OWN, about=about, roles=(), outcomes=tuple(outcomes), options=(), sampled=sampled
    )


def _outcome(
    name: str, measure: DeclaredMeasure, source: MeasureSource, plan: DeclaredPlan, study: Study
) -> Outcome:
    model, groups = model_of(measure, source), groups_of(measure, study)
    pairs = [pair_name(first, second) for first, second in permutations(groups, 2)]
    in_units = model in IN_UNITS
    words = _ABOUT[model].format(
        source=(
            f"the trial {measure.trial!r}"
            if source.question is None
            else f"the question {source.question!r}"
        ),
        by=measure.by,
        yes=", ".join(str(value) for value in measure.yes or ("yes",)),
        summary=measure.summary,
    )
    return Outcome(
        name=name,
        title=title_of(name, measure),
        about=f"{words[0].upper()}{words[1:]}.",
        tested=model in TESTED,
        equivalence=in_units,
        tests=(MARGIN,) if in_units and MARGIN.name in plan.tests.get(name, {}) else (),
        parts=(*groups, *pairs),
        no_effect=_NO_EFFECT.get(model),
        unit=_UNITS.get(model, ("", ""))[0],
        part_unit=_UNITS.get(model, ("", ""))[1],
    )


def title_of(name: str, measure: DeclaredMeasure) -> str:
    words = name.replace("_", " ")
    return measure.title or f"{words[0].upper()}{words[1:]}"


def questions(study: Study) -> Iterator[tuple[str, Question]]:
    """Every question with the trial that asks it."""
    for entry in outline(study.timeline):
        for question in entry.item.all_questions:
            yield entry.item.id, question


def _annotations(study: Study) -> Iterator[tuple[str, Annotation]]:
    for entry in outline(study.timeline):
        if entry.item.annotation is not None and not entry.item.practises:
            yield entry.item.id, entry.item.annotation


def _annotation_shape(kind: Instrument[Any]) -> AnswerShape:
    return "flags" if any(stream.kind.startswith("flag.") for stream in kind.streams) else "trace"


def is_ticked(kind: Instrument[Any], options: Sequence[str | int]) -> bool:
    """Whether the answer is a 1 or 0 for each option."""
    counts = kind.records[0].type in ("number", "integer")
    return counts and bool(options) and all(isinstance(option, str) for option in options)


def _answer_shape(kind: Instrument[Any], options: tuple[str | int, ...]) -> AnswerShape:
    if kind.records[0].type in ("number", "integer"):
        return "ticks" if is_ticked(kind, options) else "numbers"
    if not options:
        return "text"
    sides = {SIDES[option] for option in options if isinstance(option, str) and option in SIDES}
    return "sides" if sides == {0, 1} else "words"

"""The study in prose: design, stimuli, recruiting and wording; before it took place
and afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from believable.analysis.data import Data
from believable.analysis.numbers import counted, in_words, integer, listed, number
from believable.analysis.settled_plan import Plan
from believable.contracts.record import Text
from believable.contracts.trial import Block, Question, outline
from believable.study.platforms import id_parameter
from believable.study.records import Study

#: Chooses the past or the future tense: `verb("saw", "will see")`.
Verb: TypeAlias = Callable[[str, str], str]

_ORDERS = {
    "random": "in an order drawn anew for each participant",
    "latin_square": "in the orders of a Latin square",
    "fixed": "in a fixed order",
}
_LANGUAGES = {"en": "English", "de": "German"}
_OVER = {
    "condition": "the conditions",
    "scenario": "the scenarios",
    "stimulus": "the stimuli",
    "pair": "the pairs of conditions",
}
#: More scenarios than these are counted and not named.
_NAMED_AT_MOST = 8


def past(happened: str, planned: str) -> str:
    """For a report: what took place."""
    return happened


def future(happened: str, planned: str) -> str:
    """For a preregistration: the planned procedure."""
    return planned


def study_paragraphs(
    study: Study, durations: Mapping[str, float], verb: Verb, recruits: Verb
) -> list[str]:
    """Design, stimuli and recruiting, a paragraph each; what does not apply is left out. Simulated
    sessions have no recruited participants yet, although everything was shown.
    """
    paragraphs = (
        " ".join(design(study, verb)),
        " ".join(stimuli(study, durations, verb)),
        " ".join(recruiting(study, recruits)),
    )
    return [paragraph for paragraph in paragraphs if paragraph]


def design(study: Study, verb: Verb) -> Iterator[str]:
    """What varied, between and within participants, and how it was assigned."""
    if study.conditions:
        scenarios = f", in {counted(len(study.scenarios), 'scenario')}" if study.scenarios else ""
        if 0 < len(study.scenarios) <= _NAMED_AT_MOST:
            scenarios += f" ({_names(study.scenarios)})"
        yield (
            f"The condition of what {verb('was', 'will be')} shown {verb('varied', 'will vary')}"
            f" within participants ({_names(study.conditions)}){scenarios}."
        )
    for name, levels in study.arms.items():
        yield (
            f"Between participants the {in_words(name)} {verb('differed', 'will differ')}"
            f" ({_names(levels)}); each session {verb('was', 'will be')} assigned at random to the"
            " level with the fewest completed sessions."
        )
    for entry in outline(study.timeline):
        if isinstance(entry.item, Block) and entry.item.over is not None:
            what, order, n_drawn = (
                _OVER[entry.item.over],
                _ORDERS[entry.item.order],
                entry.item.sample,
            )
            if n_drawn is None:
                yield f"{what.capitalize()} {verb('came', 'will come')} {order}."
            else:
                came = f" and {verb('came', 'will come')} {order}" if n_drawn > 1 else ""
                was = verb("was" if n_drawn == 1 else "were", "will be")
                yield f"{n_drawn} of {what} {was} drawn for each participant{came}."


def stimuli(study: Study, durations: Mapping[str, float], verb: Verb) -> Iterator[str]:
    """How many there are of each condition, and how long they are."""
    if not study.stimuli:
        return
    by_condition: dict[str, int] = {}
    for stimulus in study.stimuli:
        by_condition[stimulus.condition or ""] = by_condition.get(stimulus.condition or "", 0) + 1
    counts = [
        f"{integer(count)} of {in_words(name)}" for name, count in by_condition.items() if name
    ]
    if counts and "" in by_condition:
        counts.append(f"{integer(by_condition[''])} of no condition")
    each = listed(counts)
    known = [
        durations[stimulus.id] / 1000 for stimulus in study.stimuli if stimulus.id in durations
    ]
    lengths = ""
    if known:
        low, high = _length(min(known)), _length(max(known))
        lengths = f"; each lasts {low}" if low == high else f"; they last {low} to {high}"
    words = counted(len(study.stimuli), "stimulus", "stimuli")
    yield f"There {verb('were', 'will be')} {words}{f': {each}' if each else ''}{lengths}."
    if study.demonstration:
        yield "They were made for demonstration, also where a condition is called human."


def _length(seconds: float) -> str:
    """Seconds below two minutes, then minutes, then hours: a recorded day is given in hours."""
    if seconds < 120:
        return f"{number(seconds, 1)} s"
    return (
        f"{number(seconds / 60, 1)} min"
        if seconds < 7200
        else f"{number(seconds / 3600, 1)} h of recorded time"
    )


def recruiting(study: Study, verb: Verb) -> Iterator[str]:
    platform = study.recruit.platform
    source = "an open link" if platform == "none" else f"the platform {platform}"
    languages = listed([_LANGUAGES.get(language, language) for language in study.languages])
    yield (
        f"Participants {verb('came', 'will come')} through {source}; the study"
        f" {verb('was', 'will be')} in {languages}."
    )
    if study.recruit.desktop_only:
        yield f"Phones and tablets {verb('were', 'will be')} turned away."
    if study.recruit.repeats == "refuse":
        known = "" if id_parameter(study.recruit) is not None else " in the same browser"
        yield (
            f"Who {verb(f'came again{known} was refused', f'comes again{known} will be refused')}."
        )


def collecting(data: Data) -> str:
    """When sessions began; simulated ones have no date worth telling."""
    if data.simulated:
        return "No person was recruited: all sessions are simulated."
    started = data.people["started_on"]
    days = sorted(
        str(day)[:10]
        for day, missing in zip(started.values, started.missing, strict=True)
        if not missing and day
    )
    if not days:
        return ""
    return (
        f"Sessions began on {days[0]}."
        if days[0] == days[-1]
        else f"Sessions began between {days[0]} and {days[-1]}."
    )


def wording(study: Study, plan: Plan, verb: Verb) -> str:
    """The questions that the analysis rests on, as participants read them."""
    language = study.languages[0]
    asked = [_question_text(question, language) for question in questions(study, plan)]
    for entry in outline(study.timeline):
        annotation = entry.item.annotation
        if annotation is not None and annotation.prompt is not None:
            asked.append(f"“{annotation.prompt.in_language(language)}” (from moment to moment)")
    distinct = list(dict.fromkeys(words for words in asked if words))
    return (
        f"Participants {verb('were', 'will be')} asked: {'; '.join(distinct)}." if distinct else ""
    )


def questions(study: Study, plan: Plan, *only: str) -> list[Question]:
    """Those that play a role in the analysis (or one of these roles), in the order of the roles;
    the measured ones in a custom design.
    """
    known: dict[str, Question] = {}
    for entry in outline(study.timeline):
        for question in entry.item.all_questions:
            known[f"{entry.item.id}.{question.id}"] = question
            known.setdefault(question.id, question)
    roles = [
        role.name
        for role in plan.declaration.roles
        if role.of == "question" and (not only or role.name in only)
    ]
    names = [name for role in roles for name in plan.roles[role]]
    if not only:
        names += [
            measure.question
            for measure in plan.declared.measures.values()
            if measure.question is not None
        ]
    return [known[name] for name in names if name in known]


def question_words(question: Question, language: str) -> str:
    """A question as participants read it; its name if it has no text."""
    return (
        question.prompt.in_language(language)
        if question.prompt is not None
        else in_words(question.id)
    )


def _question_text(question: Question, language: str) -> str:
    if question.prompt is None:
        return ""
    scale = _scale(question, language)
    return f"“{question_words(question, language)}”{f' ({scale})' if scale else ''}"


def _scale(question: Question, language: str) -> str:
    """How it is answered: the options, or the points with their ends."""
    options = getattr(question.params, "options", ())
    labels = [
        option.label.in_language(language)
        for option in options
        if isinstance(getattr(option, "label", None), Text)
    ]
    if labels:
        return " / ".join(labels)
    points = getattr(question.params, "points", None)
    if not isinstance(points, int):
        return ""
    ends: Sequence[Text] = getattr(question.params, "labels", ())
    named = (
        f", {ends[0].in_language(language)} to {ends[-1].in_language(language)}"
        if len(ends) > 1
        else ""
    )
    return f"1 to {points}{named}"


def _names(names: Sequence[str]) -> str:
    return listed([in_words(name) for name in names])

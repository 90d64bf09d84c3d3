"""From the answers of one judge to one number per agent, from 0 to 1 with chance at one half, for
the stopping rule `sequential`. Exact fractions, so that equal shares are equal everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from believable.contracts.submission import ClosedPage
from believable.contracts.trial import PlannedTrial
from believable.study.earlier_pages import rated_positions
from believable.study.own_design import SIDES
from believable.study.records import Stimulus

_HALF = Fraction(1, 2)
#: A share that is no exact fraction of answers is rounded to a fraction with this denominator at
#: most.
_LARGEST_DENOMINATOR = 10_000


@dataclass(frozen=True, slots=True)
class JudgeContrast:
    """Two groups of conditions, such as people and an agent. A share above one half speaks for the
    first. `name` is that of the agent, or of the pair.
    """

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """The question whose answers are weighed.

    names     `question` or `trial.question`
    item      the part of the answer that counts, if it has several
    compares  `sides`: an answer names one of two stimuli; `answers`: it is about one
    yes, open for `answers`: the values that count 1 and one half
    scale     for `answers` that are numbers: the least and the greatest, which count 0 and 1
    controls  scenarios that are no comparison
    """

    names: tuple[str, ...]
    compares: Literal["sides", "answers"]
    item: str | None = None
    yes: tuple[Any, ...] = ()
    open: tuple[Any, ...] = ()
    scale: tuple[float, float] | None = None
    controls: tuple[str, ...] = ()

    def matches(self, trial: str, question: str) -> bool:
        return question in self.names or f"{trial}.{question}" in self.names

    def score(self, answer: Any) -> Fraction | None:
        """From 0 to 1; None if there is no answer."""
        value = answer.get(self.item) if isinstance(answer, Mapping) else answer
        if value is None:
            return None
        if self.scale is not None:
            least, greatest = self.scale
            share = (Fraction(value) - Fraction(least)) / (Fraction(greatest) - Fraction(least))
            return min(max(share.limit_denominator(_LARGEST_DENOMINATOR), Fraction(0)), Fraction(1))
        text = _text(value)
        if text in map(_text, self.yes):
            return Fraction(1)
        return _HALF if text in map(_text, self.open) else Fraction(0)


def _text(value: Any) -> str:
    """A number and the same number as text are one answer."""
    return f"{value:g}" if isinstance(value, int | float) else str(value)


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer, and the conditions of the stimuli that it is about, in the order of the page."""

    conditions: tuple[str | None, ...]
    answer: Any
    scenarios: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedPage:
    """A question on a page, with the stimuli that it is about. `key` is the answer's name."""

    position: int
    key: str
    stimuli: tuple[Stimulus, ...]


def asked_pages(
    question: JudgedQuestion, plan: Sequence[PlannedTrial], stimuli: Mapping[str, Stimulus]
) -> Iterator[AskedPage]:
    """The pages of a plan that ask the question, clip by clip if it is asked about each clip."""
    for planned in plan:
        for asked in planned.trial.page_questions:
            name, clip = planned.trial.question_and_player(asked.id)
            if not question.matches(planned.trial.id, name):
                continue
            names = _about(plan, planned)
            shown = names if clip is None else names[clip : clip + 1]
            known = tuple(stimuli[stimulus] for stimulus in shown if stimulus in stimuli)
            yield AskedPage(planned.position, asked.id, known)


def _about(plan: Sequence[PlannedTrial], planned: PlannedTrial) -> tuple[str, ...]:
    if planned.played_stimuli:
        return planned.played_stimuli
    about = (plan[position].stimulus_id for position in rated_positions(plan, planned.position))
    return tuple(name for name in about if name is not None)


def judgements(
    question: JudgedQuestion,
    plan: Sequence[PlannedTrial],
    closed: Iterable[ClosedPage],
    stimuli: Mapping[str, Stimulus],
) -> list[JudgedAnswer]:
    """The judgements of a session whose closed pages are known."""
    answers = {page.position: page.answers for page in closed if page.status == "done"}
    return [
        JudgedAnswer(
            tuple(stimulus.condition for stimulus in page.stimuli),
            answers[page.position][page.key],
            tuple(stimulus.scenario for stimulus in page.stimuli),
        )
        for page in asked_pages(question, plan, stimuli)
        if page.key in answers.get(page.position, {})
    ]


def share_of(
    contrast: JudgeContrast, question: JudgedQuestion, judged: Iterable[JudgedAnswer]
) -> Fraction | None:
    """The judge's share for one contrast; None if they judged nothing of it."""
    kept = [
        judgement for judgement in judged if not set(judgement.scenarios) & set(question.controls)
    ]
    if question.compares == "sides":
        scores = [score for judgement in kept if (score := _side(contrast, judgement)) is not None]
        return sum(scores, Fraction(0)) / len(scores) if scores else None
    of_first, of_second = (
        [
            score
            for judgement in kept
            if len(judgement.conditions) == 1 and judgement.conditions[0] in group
            if (score := question.score(judgement.answer)) is not None
        ]
        for group in (contrast.first, contrast.second)
    )
    if not of_first or not of_second:
        return None
    first, second = (sum(scores, Fraction(0)) / len(scores) for scores in (of_first, of_second))
    return ((first - second + 1) / 2).limit_denominator(_LARGEST_DENOMINATOR)


def _side(contrast: JudgeContrast, judgement: JudgedAnswer) -> Fraction | None:
    """1 if the first was chosen, 0 if the second was, one half if neither was; None if the page
    does not compare them.
    """
    if len(judgement.conditions) != 2 or judgement.answer is None:
        return None
    firsts = [condition in contrast.first for condition in judgement.conditions]
    seconds = [condition in contrast.second for condition in judgement.conditions]
    if sum(firsts) != 1 or sum(seconds) != 1 or firsts == seconds:
        return None
    side = SIDES.get(judgement.answer) if isinstance(judgement.answer, str) else None
    return _HALF if side is None else Fraction(int(firsts[side]))

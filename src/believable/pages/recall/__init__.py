"""A question about the stimulus before it, which only a participant who watched can answer: a
different one for each stimulus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from believable.contracts.instrument import InvalidAnswer
from believable.contracts.page import PageJudging, PageKind, PageLooks, StudyChecks
from believable.contracts.page_parts import Quiz
from believable.contracts.record import Id, Record, Text
from believable.contracts.submission import Judgement, OpenPage
from believable.contracts.trial import Entry, PageAnswer, Question, TrialBase
from believable.core.errors import InvalidInput
from believable.instruments.choice import AnswerOption, ChoiceParams
from believable.pages.check import TriedPage
from believable.study.checks.names import known_stimulus, report_repeated
from believable.study.reading import Reading
from believable.study.wording import unknown

#: Name of the answer.
SEEN = "seen"


class StimulusQuestion(Record):
    """The question about one stimulus: a right answer, and others that are wrong for it."""

    stimulus: Id
    """The stimulus it is about."""
    prompt: Text
    """The question."""
    right: AnswerOption
    """The right answer: a word, or `{value: …, label: …}`."""
    wrong: tuple[AnswerOption, ...] = Field(min_length=1)
    """Answers that are wrong."""


class Recall(TriedPage):
    """A question about the stimulus just watched (`of`: the id of its watch trial), another one for
    each stimulus.

    After `attempts` wrong tries: as in `check`. Options are in an order drawn for each session.
    """

    named = True
    hidden_keys = frozenset({"kind", "asked"})

    kind: Literal["recall"] = "recall"
    of: Id
    """Id of the watch trial it is about."""
    questions: tuple[StimulusQuestion, ...] = Field(min_length=1)
    """One for each stimulus that the watch trial may show."""
    asked: StimulusQuestion | None = None

    def is_about(self, other: TrialBase) -> bool:
        return other.can_be_rated and other.id == self.of

    def about_watched(self, stimuli: Sequence[str]) -> Recall:
        """The page with the question about the stimulus that was watched last."""
        name = stimuli[-1] if stimuli else None
        asked = next((question for question in self.questions if question.stimulus == name), None)
        if asked is None:
            raise InvalidInput(
                f"{self.id}.questions: there is none about the stimulus {name!r}, which {self.of!r}"
                " shows. Add one."
            )
        return self.model_copy(update={"asked": asked})

    @property
    def all_questions(self) -> tuple[Question, ...]:
        """None in the file: which one it is, the stimulus decides."""
        if self.asked is None:
            return ()
        params = ChoiceParams(options=(self.asked.right, *self.asked.wrong), shuffle=True)
        return (Question(id=SEEN, kind="choice", params=params, prompt=self.asked.prompt),)

    @property
    def page_answers(self) -> tuple[PageAnswer, ...]:
        if self.asked is not None:
            return ()
        options = (
            option.value
            for question in self.questions
            for option in (question.right, *question.wrong)
        )
        values = " | ".join(dict.fromkeys(options))
        return (
            PageAnswer(
                name=SEEN,
                about="the answer about the stimulus that was watched",
                type="string",
                values=values,
            ),
        )

    @property
    def quiz(self) -> Quiz:
        right: Any = (
            tuple(dict.fromkeys(question.right.value for question in self.questions))
            if self.asked is None
            else self.asked.right.value
        )
        return Quiz(right_answers={SEEN: right}, is_right=self._is_right, tries=self.attempts)

    def _is_right(self, question: str, answer: Any) -> bool | None:
        return (
            None
            if question != SEEN or self.asked is None
            else bool(answer == self.asked.right.value)
        )


def _check(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    recall, place = entry.item, reading.place(entry.item)
    assert isinstance(recall, Recall)
    if reading.is_broken(place.path):
        return
    earlier = {
        other.item.id
        for other in takewhile(lambda other: other is not entry, entries)
        if other.item.can_be_rated
    }
    if (
        recall.of not in earlier
        and recall.of not in reading.doubtful
        and "*" not in reading.doubtful
    ):
        reading.report(
            place.get("of") or place, *unknown("watch trial before it", recall.of, earlier)
        )
    nodes = list(place.get("questions") or ())
    named = [
        (question.stimulus, node) for question, node in zip(recall.questions, nodes, strict=False)
    ]
    report_repeated(reading, named, "stimulus")
    for question, node in zip(recall.questions, nodes, strict=False):
        known_stimulus(reading, question.stimulus, node)
        values = [question.right.value, *(option.value for option in question.wrong)]
        if len(set(values)) < len(values):
            reading.report(node, "an answer is listed twice.", "Give every answer its own value.")


def _judge(recall: Recall, answers: Mapping[str, Any], page: OpenPage) -> Judgement:
    if recall.quiz.is_right(SEEN, answers.get(SEEN)):
        return Judgement("done", answers)
    if page.attempt < recall.attempts:
        return Judgement("again", answers, {SEEN: InvalidAnswer("error.recall")})
    return Judgement("failed", answers)


RECALL = PageKind(
    name="recall",
    record=Recall,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=_check),
    judging=PageJudging(judge=_judge),
    looks=PageLooks(title=lambda recall: "recall.title"),
    typical_ms=8_000,
)

"""A question with a right answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from believable.contracts.instrument import InvalidAnswer
from believable.contracts.page import PageJudging, PageKind, PageLooks, StudyChecks
from believable.contracts.page_parts import Quiz
from believable.contracts.record import Id
from believable.contracts.submission import Judgement, OpenPage
from believable.contracts.trial import Entry, Outcome, Question, WordedPage
from believable.study.reading import Reading
from believable.study.wording import unknown

#: The end of a session that fails, by the author's choice.
ENDINGS: Mapping[str, Outcome] = {"screen_out": "screened_out", "fail": "failed_checks"}


class TriedPage(WordedPage):
    """A page with right and wrong answers. After `attempts` wrong tries: `screen_out` and `fail`
    end the session (each with a separate code), `continue` records it and shows the next page.
    """

    attempts: int = Field(default=1, ge=1, le=10)
    """How often people may try."""
    on_fail: Literal["screen_out", "fail", "continue"] = "continue"
    """What follows when the last attempt is wrong."""

    @property
    def quiz(self) -> Quiz:
        return Quiz(tries=self.attempts)

    @property
    def ending(self) -> Outcome | None:
        return ENDINGS.get(self.on_fail)


class Check(TriedPage):
    """A question with a right answer.

    After `attempts` wrong tries: `screen_out` and `fail` end the session (each with a separate
    code), `continue` records it and shows the next page.
    """

    named = True
    answer_keys: ClassVar[Mapping[str, str]] = {"correct": "question"}

    kind: Literal["check"] = "check"
    question: Question
    """The question."""
    correct: Any
    """The right answer."""
    reread: Id | None = None
    """Id of an earlier page of words, which is shown below the question once an answer was
    wrong.
    """

    @property
    def all_questions(self) -> tuple[Question, ...]:
        return (self.question,)

    @property
    def quiz(self) -> Quiz:
        return Quiz(
            right_answers={self.question.id: self.correct},
            is_right=self._is_right,
            tries=self.attempts,
            reminds_of=self.reread,
        )

    def _is_right(self, question: str, answer: Any) -> bool | None:
        """Free text is compared without case and outer space; several ticked options without
        order.
        """
        right = self.correct
        if question != self.question.id:
            return None
        if isinstance(right, str) and isinstance(answer, str):
            return answer.strip().casefold() == right.strip().casefold()
        if isinstance(right, list | tuple) and isinstance(answer, list | tuple):
            return sorted(map(str, answer)) == sorted(map(str, right))
        if isinstance(right, bool) or isinstance(answer, bool):
            return answer is right
        if isinstance(answer, str) and isinstance(right, int | float):
            return answer == str(right)
        return bool(answer == right)


def _judge(check: Check, answers: Mapping[str, Any], page: OpenPage) -> Judgement:
    question = check.question.id
    if check.quiz.is_right(question, answers.get(question)):
        return Judgement("done", answers)
    if page.attempt < check.attempts:
        readable = check.reread is not None or check.text is not None
        return Judgement(
            "again",
            answers,
            {question: InvalidAnswer("error.wrong" if readable else "error.wrong_again")},
        )
    return Judgement("failed", answers)


def _check(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    """Pages that are read again were read before."""
    check, place = entry.item, reading.place(entry.item)
    assert isinstance(check, Check)
    if check.reread is None or reading.is_broken(place.path):
        return
    before = takewhile(lambda other: other is not entry, entries)
    words = {
        other.item.id for other in before if {"page", "text"} & type(other.item).model_fields.keys()
    }
    if (
        check.reread not in words
        and check.reread not in reading.doubtful
        and "*" not in reading.doubtful
    ):
        reading.report(
            place.get("reread") or place, *unknown("page of words before it", check.reread, words)
        )


CHECK = PageKind(
    name="check",
    record=Check,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=_check),
    judging=PageJudging(judge=_judge),
    looks=PageLooks(title=lambda check: "check.title"),
    typical_ms=8_000,
)

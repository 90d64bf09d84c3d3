"""What there is to review: every free-text answer with its hints and the decision that holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from believable.collect.desk import Collect
from believable.store import review
from believable.store.decisions import Decision
from believable.store.engine import Connection
from believable.store.review import AnsweredTrial
from believable.study.definition import Definition
from believable.study.progress import page_questions
from believable.study.records import Block, Question, TimelineItem
from believable.web.console import hints
from believable.web.console.hints import SHORT_CHARACTERS, Answer, Hint


@dataclass(frozen=True, slots=True)
class Item:
    """One answer to judge. `name` stands for it in addresses and tells nothing but session, page and question number."""

    name: str
    answer: Answer
    hints: tuple[Hint, ...]
    decision: Decision | None

    @property
    def target(self) -> str:
        return review.target(self.answer.trial_key, self.answer.question)


class HintCache:
    """Hints by study and pool, until an answer comes or goes. Holds no participant's words."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[object, tuple[tuple[Hint, ...], ...]]] = {}

    def get(self, place: tuple[str, str], fingerprint: object) -> tuple[tuple[Hint, ...], ...] | None:
        kept = self._kept.get(place)
        return kept[1] if kept is not None and kept[0] == fingerprint else None

    def put(self, place: tuple[str, str], fingerprint: object, found: tuple[tuple[Hint, ...], ...]) -> None:
        self._kept[place] = (fingerprint, found)


def queue(conn: Connection, collect: Collect, cache: HintCache, study: str, pool: str) -> list[Item]:
    """All answers, those with most hints first, then by session and page. Costly hints are made once per change."""
    known = collect.context.definitions
    trials = review.answered(conn, study, pool)
    definitions = {name: known.get(conn, name) for name in {trial.definition for trial in trials}}
    answers = answers_of(trials, definitions)
    fingerprint = review.fingerprint(conn, study, pool)
    found = cache.get((study, pool), fingerprint)
    if found is None or len(found) != len(answers):
        found = hints.find(with_pastes(answers, review.pasted(conn, study, pool)))
        cache.put((study, pool), fingerprint, found)
    return arranged(answers, found, review.latest(conn, study))


def arranged(
    answers: Sequence[Answer],
    found: Sequence[tuple[Hint, ...]],
    decisions: Mapping[tuple[str, str], Decision],
) -> list[Item]:
    """Pure: answers with their hints and decisions, in the order in which they should be read."""
    items = []
    numbers: dict[tuple[str, int], int] = {}
    for answer, own in zip(answers, found, strict=True):
        page = (answer.session, answer.position)
        numbers[page] = numbers.get(page, 0) + 1
        decision = decisions.get((answer.session, review.target(answer.trial_key, answer.question)))
        name = f"{answer.number}-{answer.position + 1}-{numbers[page]}"
        items.append(Item(name, answer, own, decision))
    return sorted(items, key=lambda item: -len({hint.kind for hint in item.hints}))


def text_questions(items: Iterable[TimelineItem]) -> dict[tuple[str, str], Question]:
    """The free-text questions of a study by (trial id, question id)."""
    found: dict[tuple[str, str], Question] = {}
    for item in items:
        if isinstance(item, Block):
            found |= text_questions(item.each)
        else:
            found |= {(item.id, one.id): one for one in page_questions(item) if one.kind in SHORT_CHARACTERS}
    return found


def answers_of(trials: Sequence[AnsweredTrial], definitions: Mapping[str, Definition]) -> list[Answer]:
    """Every free-text answer that was given, in order of sessions and pages."""
    questions = {name: text_questions(one.study.timeline) for name, one in definitions.items()}
    return [answer for trial in trials for answer in _answers(trial, questions[trial.definition])]


def _answers(trial: AnsweredTrial, questions: Mapping[tuple[str, str], Question]) -> list[Answer]:
    trial_id = trial.key.rpartition(".")[2]
    written = {
        name: text
        for name, text in trial.answers.items()
        if isinstance(text, str) and text and (trial_id, name) in questions
    }
    n_characters = sum(map(len, written.values()))
    return [
        _answer(trial, trial_id, questions[trial_id, name], text, n_characters)
        for name, text in written.items()
    ]


def _answer(trial: AnsweredTrial, trial_id: str, question: Question, text: str, n_characters: int) -> Answer:
    return Answer(
        session=trial.session,
        number=trial.number,
        position=trial.position,
        trial_key=trial.key,
        trial_id=trial_id,
        question=question.id,
        question_kind=question.kind,
        prompt=question.prompt.in_language(trial.language) if question.prompt else "",
        text=text,
        took_ms=trial.took_ms,
        trial_characters=n_characters,
        pasted_characters=0,
        session_ms=trial.session_ms,
    )


def with_pastes(answers: Sequence[Answer], pasted: Mapping[tuple[str, int, str], int]) -> list[Answer]:
    return [
        replace(one, pasted_characters=pasted.get((one.session, one.position, one.question), 0))
        for one in answers
    ]

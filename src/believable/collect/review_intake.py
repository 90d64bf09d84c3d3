"""Adds new free texts to the review queue: a few sessions at a time, each answer once.

The cost of an answer does not grow with the number of those before it: texts are found by keys, and
the medians, which concern all answers, are computed again only when there are a tenth more.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from believable.collect.context import Definitions
from believable.collect.review_hints import (
    ALIKE_FROM,
    NAMED_OTHERS,
    TYPED,
    Hint,
    TextAnswer,
    copied_hint,
    digest,
    fast_hints,
    grams,
    kept_kinds,
    medians,
    normalise_words,
    own_hints,
    place_in_words,
    sharing_keys,
    similarity,
)
from believable.contracts.trial import Block, Question, TrialBase
from believable.store import pending_sessions, review, review_queue
from believable.store.engine import Connection, Store
from believable.store.pending_sessions import NewTrial, PendingSession
from believable.store.review_queue import NewAnswer, QueuedAnswer, QueueState, TimedAnswer
from believable.study.definition import Definition
from believable.study.kinds import kinds_on

#: Sessions taken in at a time: bounds how long a commit takes and how long the interpreter is held.
SESSIONS_AT_ONCE = 20
#: A key that this number of texts share carries no information about the next one. So a text is
#: compared in full with at most this number of others for each of its keys, however many there are.
MOST_SHARING = 20
#: Medians are computed again when the number of answers has grown by this share.
GROWTH = 0.1


def text_questions(items: Iterable[TrialBase]) -> dict[tuple[str, str], Question]:
    """The free-text questions of a study by (trial id, question id)."""
    questions: dict[tuple[str, str], Question] = {}
    texts = kinds_on("text")
    for item in items:
        if isinstance(item, Block):
            questions |= text_questions(item.each)
        else:
            questions |= {
                (item.id, question.id): question
                for question in item.page_questions
                if question.kind in texts
            }
    return questions


def written_texts(
    trial_key: str, answers: Mapping[str, object], questions: Mapping[tuple[str, str], Question]
) -> dict[str, str]:
    """The free texts of one page by question, in the order of its answers."""
    trial_id = trial_key.rpartition(".")[2]
    return {
        name: text
        for name, text in answers.items()
        if isinstance(text, str) and text and (trial_id, name) in questions
    }


@dataclass
class KnownQuestions:
    """Free-text questions by definition, looked up once."""

    definitions: Definitions
    _by_definition: dict[str, dict[tuple[str, str], Question]] = field(default_factory=dict)

    def of(self, conn: Connection, definition: str) -> dict[tuple[str, str], Question]:
        if definition not in self._by_definition:
            parsed: Definition = self.definitions.get(conn, definition)
            self._by_definition[definition] = text_questions(parsed.study.timeline)
        return self._by_definition[definition]


def text_answer(row: QueuedAnswer, questions: Mapping[tuple[str, str], Question]) -> TextAnswer:
    """A row of the queue as the answer it is about."""
    question = questions[row.trial_key.rpartition(".")[2], row.question]
    return TextAnswer(
        session=row.session,
        number=row.number,
        position=row.position,
        trial_key=row.trial_key,
        question=row.question,
        question_kind=question.kind,
        prompt=question.prompt.in_language(row.language) if question.prompt else "",
        text=row.text,
        took_ms=row.took_ms,
        trial_characters=sum(
            map(len, written_texts(row.trial_key, row.answers, questions).values())
        ),
        pasted_characters=row.pasted,
        session_ms=row.session_ms,
    )


def hints_of(
    conn: Connection,
    study: str,
    pool: str,
    row: QueuedAnswer,
    answer: TextAnswer,
    median_ms: Mapping[str, float],
) -> tuple[Hint, ...]:
    """The current hints of one answer as text."""
    hints: list[Hint] = []
    same, n_same = review_queue.copies(conn, study, pool, row, NAMED_OTHERS)
    if n_same:
        hints.append(
            copied_hint([place_in_words(*place, of=row.session) for place in same], n_same, 1.0)
        )
    elif row.alike:
        others = review_queue.by_ids(conn, [other for other, _ in row.alike])
        near = sorted(
            ((share, others[other]) for other, share in row.alike if other in others),
            key=lambda pair: -pair[0],
        )
        if near:
            places = [
                place_in_words(o.session, o.number, o.position, of=row.session) for _, o in near
            ]
            hints.append(copied_hint(places, 0, near[0][0]))
    hints += own_hints(answer)
    return (*hints, *fast_hints(answer.trial_id, row.took_ms, row.session_ms, median_ms))


# ----------------------------------------------------------------------------------------------
# taking in


@dataclass(frozen=True, slots=True)
class Intake:
    """The input of one step, computed from a snapshot and then written."""

    unread: tuple[PendingSession, ...]
    closed: Mapping[str, tuple[int, int]]
    answers: tuple[NewAnswer, ...]
    copied_before: tuple[int, ...]


def take_in(
    store: Store, questions: KnownQuestions, study: str, pool: str, pause: Callable[[float], None]
) -> int:
    """Everything that is new, step by step; how many sessions were read. `pause` receives the
    duration of each step.
    """
    n_read = 0
    while True:
        mark = store.read(lambda conn: review_queue.fingerprint(conn, study, pool))
        queue = store.read(lambda conn: review_queue.state(conn, study, pool))
        if mark == queue.fingerprint:
            return n_read
        n_new = _pass(store, questions, study, pool, queue, pause)
        if not n_new:
            store.write(partial(_settle, study=study, pool=pool, queue=queue, mark=mark))
            return n_read
        n_read += n_new


def _pass(
    store: Store,
    questions: KnownQuestions,
    study: str,
    pool: str,
    queue: QueueState,
    pause: Callable[[float], None],
) -> int:
    """Once through all sessions in the order of their numbers, a few at a time; how many were read.
    A session that continues in the meantime is found by the next pass.
    """
    n_read, after = 0, 0
    while True:
        begun_s = time.thread_time()
        step = store.read(
            partial(_intake, questions=questions, study=study, pool=pool, queue=queue, after=after)
        )
        if step is not None:
            store.write(partial(_put, study=study, pool=pool, queue=queue, step=step))
            n_read, after = n_read + len(step.unread), step.unread[-1].number
        pause(time.thread_time() - begun_s)
        if step is None:
            return n_read


def _intake(
    conn: Connection,
    questions: KnownQuestions,
    study: str,
    pool: str,
    queue: QueueState,
    after: int,
) -> Intake | None:
    unread = pending_sessions.pending(conn, study, pool, SESSIONS_AT_ONCE, after=after)
    if not unread:
        return None
    closed_trials = pending_sessions.new_trials(conn, unread)
    closed = {session.id: (session.closed, session.seq) for session in unread}
    for trial in closed_trials:
        _, seq = closed[trial.session]
        closed[trial.session] = (trial.position, max(seq, trial.submit_seq or 0))
    sessions = {session.id: session for session in unread}
    pasted = {session.id: pending_sessions.pasted_characters(conn, session) for session in unread}
    decided = review.latest_of(conn, list(sessions))
    texts: list[tuple[TextAnswer, int]] = []
    for trial in closed_trials:
        session = sessions[trial.session]
        if trial.status != "skipped":
            texts += _texts(
                trial, session, questions.of(conn, session.definition), pasted[session.id]
            )
    answers, before = _compare(conn, study, pool, [answer for answer, _ in texts])
    rows = []
    for (answer, ordinal), same in zip(texts, answers, strict=True):
        kinds = {str(hint.kind) for hint in own_hints(answer)}
        kinds |= {TYPED} if "fast" in kinds else set()
        kinds |= {"duplicate"} if same.copy or same.alike else set()
        if fast_hints(answer.trial_id, answer.took_ms, answer.session_ms, queue.medians or {}):
            kinds.add("fast")
        words, n_kinds = kept_kinds(kinds)
        decision = decided.get((answer.session, review.target(answer.trial_key, answer.question)))
        rows.append(
            NewAnswer(
                session=answer.session,
                number=answer.number,
                position=answer.position,
                ordinal=ordinal,
                trial_key=answer.trial_key,
                question=answer.question,
                took_ms=answer.took_ms,
                session_ms=answer.session_ms,
                pasted=answer.pasted_characters,
                digest=same.digest,
                alike=same.alike,
                kinds=words,
                n_kinds=n_kinds,
                decision=decision,
                keys=same.keys,
            )
        )
    return Intake(unread, closed, tuple(rows), before)


def _texts(
    trial: NewTrial,
    session: PendingSession,
    questions: Mapping[tuple[str, str], Question],
    pasted: Mapping[tuple[int, str], int],
) -> list[tuple[TextAnswer, int]]:
    """The free texts of a page, each with its number there."""
    written = written_texts(trial.key, trial.answers, questions)
    trial_id = trial.key.rpartition(".")[2]
    return [
        (
            TextAnswer(
                session=trial.session,
                number=session.number,
                position=trial.position,
                trial_key=trial.key,
                question=name,
                question_kind=questions[trial_id, name].kind,
                prompt="",
                text=text,
                took_ms=trial.took_ms,
                trial_characters=sum(map(len, written.values())),
                pasted_characters=pasted.get((trial.position, name), 0),
                session_ms=session.session_ms,
            ),
            ordinal,
        )
        for ordinal, (name, text) in enumerate(written.items(), start=1)
    ]


@dataclass(frozen=True, slots=True)
class Sameness:
    """How a new text compares: whether its words were there before, and which others are nearly the
    same.
    """

    digest: str
    copy: bool = False
    alike: tuple[tuple[int, float], ...] = ()
    keys: tuple[int, ...] = ()


def _compare(
    conn: Connection, study: str, pool: str, answers: Sequence[TextAnswer]
) -> tuple[list[Sameness], tuple[int, ...]]:
    """Each text against those in the queue and those before it in this step; and answers that have
    become copies thereby.
    """
    plain = [normalise_words(answer.text) for answer in answers]
    digests = [digest(text) for text in plain]
    known = review_queue.known_digests(conn, study, pool, (name for name in digests if name))
    first_here: dict[str, int] = {}
    for i, name in enumerate(digests):
        if name:
            first_here.setdefault(name, i)
    twice = {name for name, n in Counter(digests).items() if n > 1}
    fresh = [i for name, i in first_here.items() if name not in known]
    gram_sets = {i: grams(plain[i]) for i in fresh}
    keys = {i: sharing_keys(f"{study}/{pool}", gram_sets[i]) for i in fresh}
    sharing = review_queue.known_keys(conn, (key for own in keys.values() for key in own))
    near, own_keys = _near(conn, fresh, gram_sets, keys, sharing)
    result = [
        Sameness(
            name,
            copy=bool(name) and (name in known or name in twice),
            alike=tuple(near.get(i, ())[:NAMED_OTHERS]),
            keys=own_keys.get(i, ()),
        )
        for i, name in enumerate(digests)
    ]
    before = tuple(id_ for ids in known.values() for id_ in ids)
    return result, before


def _near(
    conn: Connection,
    fresh: Sequence[int],
    gram_sets: dict[int, frozenset[str]],
    keys: Mapping[int, tuple[int, ...]],
    sharing: dict[int, list[int]],
) -> tuple[dict[int, list[tuple[int, float]]], dict[int, tuple[int, ...]]]:
    """Texts that share a key are compared in full. Those of this step go by their negative place,
    from -1.
    """
    candidates: dict[int, list[int]] = {}
    own_keys: dict[int, tuple[int, ...]] = {}
    for i in fresh:
        candidates[i] = list(
            dict.fromkeys(other for key in keys[i] for other in sharing.get(key, ()))
        )
        own_keys[i] = tuple(key for key in keys[i] if len(sharing.get(key, ())) < MOST_SHARING)
        for key in own_keys[i]:
            sharing.setdefault(key, []).append(-i - 1)
    rows = review_queue.by_ids(
        conn, (other for others in candidates.values() for other in others if other >= 0)
    )
    stored = {id_: grams(normalise_words(row.text)) for id_, row in rows.items()}
    near: dict[int, list[tuple[int, float]]] = {}
    for i, others in candidates.items():
        for other in others:
            their = gram_sets[-other - 1] if other < 0 else stored.get(other)
            share = similarity(gram_sets[i], their) if their else 0.0
            if share >= ALIKE_FROM:
                near.setdefault(i, []).append((other, share))
                if other < 0:
                    near.setdefault(-other - 1, []).append((-i - 1, share))
    return {i: sorted(pairs, key=lambda pair: -pair[1]) for i, pairs in near.items()}, own_keys


def _put(conn: Connection, study: str, pool: str, queue: QueueState, step: Intake) -> None:
    review_queue.put(conn, study, pool, step.unread, step.closed, step.answers)
    review_queue.add_kind(conn, step.copied_before, "duplicate")
    ended = [
        session for session in step.unread if session.session_ms is not None and session.closed >= 0
    ]
    if ended:
        review_queue.put_durations(conn, ended)
        rows = review_queue.timed_answers(conn, study, pool, [session.id for session in ended])
        review_queue.put_kinds(conn, changed_kinds(rows, queue.medians or {}))


def _settle(conn: Connection, study: str, pool: str, queue: QueueState, mark: str) -> None:
    """All sessions are read: what concerns all answers, where enough has changed, and the mark that
    says so.
    """
    gone = review_queue.withdrawn(conn, study, pool)
    if gone != queue.withdrawn:
        for id_ in review_queue.lone_copies(conn, study, pool):
            review_queue.drop_kind(conn, id_, "duplicate")
    n_answers = review_queue.n_answers(conn, study, pool)
    if n_answers > queue.n_answers * (1 + GROWTH) or gone != queue.withdrawn:
        rows = review_queue.timed_answers(conn, study, pool)
        median_ms = medians_of(rows)
        review_queue.put_kinds(conn, changed_kinds(rows, median_ms))
        queue = replace(queue, medians=median_ms, n_answers=n_answers)
    review_queue.put_state(conn, study, pool, replace(queue, fingerprint=mark, withdrawn=gone))


def medians_of(rows: Sequence[TimedAnswer]) -> dict[str, float]:
    """Of each page, and of whole sessions under ''."""
    by_page = medians((row.trial_key.rpartition(".")[2], row.took_ms) for row in rows)
    return by_page | medians(
        ("", ms) for ms in {row.session: row.session_ms for row in rows}.values()
    )


def changed_kinds(
    rows: Sequence[TimedAnswer], median_ms: Mapping[str, float]
) -> dict[int, tuple[str, int]]:
    """The rows whose kinds of hints are others by these medians. Pure."""
    changed = {}
    for row in rows:
        kinds = {name for name in row.kinds.split(",") if name}
        slow = not fast_hints(
            row.trial_key.rpartition(".")[2], row.took_ms, row.session_ms, median_ms
        )
        wanted = kinds - {"fast"} if slow and TYPED not in kinds else kinds | {"fast"}
        if wanted != kinds:
            changed[row.id] = kept_kinds(wanted)
    return changed

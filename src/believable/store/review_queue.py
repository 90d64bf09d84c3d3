"""The queue of free texts to review, kept in tables so that a look at it costs the same whatever
has been collected.

`pending` sessions have new answers; `put` ingests them. The queue follows from the trials and can
be made again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, bindparam, case, delete, func, insert, select, update

from believable.store.monitor import link_kinds
from believable.store.pending_sessions import PendingSession
from believable.store.tables.collected import sessions, tombstones, trials
from believable.store.tables.review import (
    review_answers,
    review_keys,
    review_sessions,
    review_states,
)

#: Values that one statement carries at most.
MANY = 500


def _chunks(values: Iterable[Any]) -> list[list[Any]]:
    whole = list(values)
    return [whole[start : start + MANY] for start in range(0, len(whole), MANY)]


# ---------------------------------------------------------------------------------------------- new
# answers


def fingerprint(conn: Connection, study: str, pool: str) -> str:
    """Another text whenever an answer may have been added or removed."""
    where = (sessions.c.study == study, sessions.c.link_kind.in_(link_kinds(pool)))
    finished = func.sum(case((sessions.c.state == "finished", 1), else_=0))
    row = conn.execute(
        select(
            func.count(), func.sum(sessions.c.position), func.sum(sessions.c.run), finished
        ).where(*where)
    ).one()
    return "-".join(str(value or 0) for value in (*row, withdrawn(conn, study, pool)))


def withdrawn(conn: Connection, study: str, pool: str) -> int:
    query = select(func.count()).where(
        tombstones.c.study == study, tombstones.c.link_kind.in_(link_kinds(pool))
    )
    return conn.execute(query).scalar_one()


@dataclass(frozen=True, slots=True)
class QueueState:
    """The source of the queue. `medians` by trial, of the whole session under ''; taken at
    `n_answers` answers.
    """

    fingerprint: str = ""
    medians: Mapping[str, float] | None = None
    n_answers: int = 0
    withdrawn: int = 0


def state(conn: Connection, study: str, pool: str) -> QueueState:
    query = select(review_states).where(
        review_states.c.study == study, review_states.c.pool == pool
    )
    row = conn.execute(query).first()
    if row is None:
        return QueueState()
    return QueueState(row.fingerprint, json.loads(row.medians), row.n_answers, row.withdrawn)


def put_state(conn: Connection, study: str, pool: str, queue: QueueState) -> None:
    mine = and_(review_states.c.study == study, review_states.c.pool == pool)
    conn.execute(delete(review_states).where(mine))
    conn.execute(
        insert(review_states).values(
            study=study,
            pool=pool,
            fingerprint=queue.fingerprint,
            medians=json.dumps(dict(queue.medians or {})),
            n_answers=queue.n_answers,
            withdrawn=queue.withdrawn,
        )
    )


# ----------------------------------------------------------------------------------------------
# sameness


#: Built once: it is asked for every text.
_FIRST_TWO = (
    select(review_answers.c.id, review_answers.c.kinds)
    .where(
        review_answers.c.study == bindparam("own_study"),
        review_answers.c.pool == bindparam("own_pool"),
        review_answers.c.digest == bindparam("own_digest"),
    )
    .order_by(review_answers.c.id)
    .limit(2)
)


def known_digests(
    conn: Connection, study: str, pool: str, digests: Iterable[str]
) -> dict[str, list[int]]:
    """Which of these texts are there already, with those of their answers that are not called
    copies yet.

    All but the first answer of a text are, so that two are enough to look at, however many there
    may be.
    """
    known: dict[str, list[int]] = {}
    for digest in set(digests):
        rows = conn.execute(
            _FIRST_TWO, {"own_study": study, "own_pool": pool, "own_digest": digest}
        ).all()
        if rows:
            known[digest] = [row.id for row in rows if ",duplicate," not in row.kinds]
    return known


def known_keys(conn: Connection, keys: Iterable[int]) -> dict[int, list[int]]:
    """Answers that share one of these keys."""
    sharing: dict[int, list[int]] = {}
    for chunk in _chunks(set(keys)):
        for key, answer in conn.execute(select(review_keys).where(review_keys.c.key.in_(chunk))):
            sharing.setdefault(key, []).append(answer)
    return sharing


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedAnswer:
    """The data of a text in a row of the queue."""

    session: str
    number: int
    position: int
    ordinal: int
    trial_key: str
    question: str
    took_ms: int | None
    session_ms: int | None
    pasted: int
    digest: str
    alike: tuple[tuple[int, float], ...]
    kinds: str
    n_kinds: int
    decision: str | None


@dataclass(frozen=True, slots=True)
class QueuedAnswer(ReviewedAnswer):
    """One row of the queue. `name` is its name in addresses: session, page and the number of the
    question.
    """

    id: int
    definition: str
    language: str
    answers: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.number}-{self.position + 1}-{self.ordinal}"

    @property
    def text(self) -> str:
        return str(self.answers.get(self.question, ""))


_OWN = [column for column in review_answers.c if column.name not in ("study", "pool")]


def rows_of(conn: Connection, query: Any) -> tuple[QueuedAnswer, ...]:
    """Rows of the queue with their texts, which only the trials contain."""
    rows = []
    for row in conn.execute(query):
        values = dict(row._mapping)
        values["alike"] = tuple(
            (int(other), float(similarity)) for other, similarity in json.loads(values["alike"])
        )
        values["answers"] = json.loads(values["answers"])
        rows.append(QueuedAnswer(**values))
    return tuple(rows)


def with_words() -> Any:
    same_trial = and_(
        trials.c.session == review_answers.c.session,
        trials.c.position == review_answers.c.position,
        trials.c.run == sessions.c.run,
    )
    return (
        select(*_OWN, sessions.c.definition, sessions.c.language, trials.c.answers)
        .join(sessions, sessions.c.id == review_answers.c.session)
        .join(trials, same_trial)
    )


def by_ids(conn: Connection, ids: Iterable[int]) -> dict[int, QueuedAnswer]:
    rows: dict[int, QueuedAnswer] = {}
    for chunk in _chunks(set(ids)):
        rows |= {
            row.id: row for row in rows_of(conn, with_words().where(review_answers.c.id.in_(chunk)))
        }
    return rows


def copies(
    conn: Connection, study: str, pool: str, answer: QueuedAnswer, limit: int
) -> tuple[list[tuple[str, int, int]], int]:
    """(session, number, position) of the first answers with the very same words, and how many there
    are.
    """
    if not answer.digest:
        return [], 0
    same = and_(
        review_answers.c.study == study,
        review_answers.c.pool == pool,
        review_answers.c.digest == answer.digest,
        review_answers.c.id != answer.id,
    )
    n = conn.execute(select(func.count()).select_from(review_answers).where(same)).scalar_one()
    columns = (review_answers.c.session, review_answers.c.number, review_answers.c.position)
    query = (
        select(*columns)
        .where(same)
        .order_by(review_answers.c.number, review_answers.c.position)
        .limit(limit)
    )
    return [(row[0], row[1], row[2]) for row in conn.execute(query)], n


# ----------------------------------------------------------------------------------------------
# taking in


@dataclass(frozen=True, slots=True)
class NewAnswer(ReviewedAnswer):
    """A row to add. `alike` names rows by id, and others that are added with it by their negative
    place, from -1.
    """

    keys: tuple[int, ...]


def put(
    conn: Connection,
    study: str,
    pool: str,
    unread: Sequence[PendingSession],
    closed: Mapping[str, tuple[int, int]],
    answers: Sequence[NewAnswer],
) -> None:
    """Add these answers and remember how far the sessions were read. What another process took in
    first is left alone.
    """
    names = [session.id for session in unread]
    for chunk in _chunks(session.id for session in unread if session.begun_again):
        forget(conn, chunk)
    for chunk in _chunks(names):
        conn.execute(delete(review_sessions).where(review_sessions.c.session.in_(chunk)))
    conn.execute(
        insert(review_sessions),
        [
            {
                "session": session.id,
                "run": session.run,
                "position": session.position,
                "state": session.state,
                "closed": closed[session.id][0],
                "seq": closed[session.id][1],
            }
            for session in unread
        ],
    )
    if not answers:
        return
    fields = [column.name for column in _OWN if column.name not in ("id", "alike")]
    rows = [
        {
            "study": study,
            "pool": pool,
            "alike": "[]",
            **{name: getattr(answer, name) for name in fields},
        }
        for answer in answers
    ]
    adding = insert(review_answers).returning(review_answers.c.id, sort_by_parameter_order=True)
    ids = list(conn.execute(adding, rows).scalars())
    keys = [
        {"key": key, "answer": id_}
        for id_, answer in zip(ids, answers, strict=True)
        for key in answer.keys
    ]
    if keys:
        conn.execute(insert(review_keys), keys)
    alike = {
        id_: [
            (ids[-other - 1] if other < 0 else other, similarity)
            for other, similarity in answer.alike
        ]
        for id_, answer in zip(ids, answers, strict=True)
        if answer.alike
    }
    _put_alike(conn, alike)
    _tell_the_others(conn, alike, known=set(ids))


def _put_alike(conn: Connection, alike: Mapping[int, Sequence[tuple[int, float]]]) -> None:
    if alike:
        change = (
            update(review_answers)
            .where(review_answers.c.id == bindparam("b_id"))
            .values(alike=bindparam("b_alike"))
        )
        conn.execute(
            change, [{"b_id": id_, "b_alike": json.dumps(others)} for id_, others in alike.items()]
        )


#: Others that an answer names at most.
MOST_ALIKE = 5


def _tell_the_others(
    conn: Connection, alike: Mapping[int, Sequence[tuple[int, float]]], known: set[int]
) -> None:
    """Being alike goes both ways: answers that were there before name the new ones, too."""
    back: dict[int, list[tuple[int, float]]] = {}
    for id_, others in alike.items():
        for other, similarity in others:
            if other not in known:
                back.setdefault(other, []).append((id_, similarity))
    for chunk in _chunks(back):
        query = select(review_answers.c.id, review_answers.c.alike).where(
            review_answers.c.id.in_(chunk)
        )
        before = {row.id: json.loads(row.alike) for row in conn.execute(query)}
        _put_alike(conn, {id_: (named + back[id_])[:MOST_ALIKE] for id_, named in before.items()})
        add_kind(conn, before, "duplicate")


def add_kind(conn: Connection, ids: Iterable[int], kind: str) -> None:
    for chunk in _chunks(ids):
        missing = and_(
            review_answers.c.id.in_(chunk), ~review_answers.c.kinds.contains(f",{kind},")
        )
        longer = case(
            (review_answers.c.kinds == "", f",{kind},"), else_=review_answers.c.kinds + f"{kind},"
        )
        conn.execute(
            update(review_answers)
            .where(missing)
            .values(kinds=longer, n_kinds=review_answers.c.n_kinds + 1)
        )


def drop_kind(conn: Connection, id_: int, kind: str) -> None:
    row = review_answers.c
    shorter = func.replace(row.kinds, f",{kind},", ",")
    conn.execute(
        update(review_answers)
        .where(row.id == id_, row.kinds.contains(f",{kind},"))
        .values(kinds=case((row.kinds == f",{kind},", ""), else_=shorter), n_kinds=row.n_kinds - 1)
    )


def n_answers(conn: Connection, study: str, pool: str) -> int:
    query = select(func.count()).where(
        review_answers.c.study == study, review_answers.c.pool == pool
    )
    return conn.execute(query).scalar_one()


def forget(conn: Connection, names: Sequence[str]) -> None:
    """Takes these sessions out of the queue."""
    mine = select(review_answers.c.id).where(review_answers.c.session.in_(names))
    conn.execute(delete(review_keys).where(review_keys.c.answer.in_(mine)))
    conn.execute(delete(review_answers).where(review_answers.c.session.in_(names)))
    conn.execute(delete(review_sessions).where(review_sessions.c.session.in_(names)))


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedAnswer:
    """The durations behind the medians, and the hints that depend on them."""

    id: int
    session: str
    trial_key: str
    took_ms: int | None
    session_ms: int | None
    kinds: str


def timed_answers(
    conn: Connection, study: str, pool: str, names: Sequence[str] | None = None
) -> tuple[TimedAnswer, ...]:
    """All answers of a pool, or those of some sessions."""
    columns = [review_answers.c[name] for name in TimedAnswer.__slots__]
    query = select(*columns).where(review_answers.c.study == study, review_answers.c.pool == pool)
    if names is not None:
        query = query.where(review_answers.c.session.in_(names))
    return tuple(TimedAnswer(**row) for row in conn.execute(query).mappings())


def put_kinds(conn: Connection, kinds: Mapping[int, tuple[str, int]]) -> None:
    if kinds:
        change = (
            update(review_answers)
            .where(review_answers.c.id == bindparam("b_id"))
            .values(kinds=bindparam("b_kinds"), n_kinds=bindparam("b_n"))
        )
        conn.execute(
            change, [{"b_id": id_, "b_kinds": words, "b_n": n} for id_, (words, n) in kinds.items()]
        )


def put_durations(conn: Connection, unread: Sequence[PendingSession]) -> None:
    """Sessions that have ended: how long they took."""
    change = (
        update(review_answers)
        .where(review_answers.c.session == bindparam("b_session"))
        .values(session_ms=bindparam("b_ms"))
    )
    rows = [
        {"b_session": s.id, "b_ms": s.session_ms}
        for s in unread
        if s.session_ms is not None and s.closed >= 0
    ]
    if rows:
        conn.execute(change, rows)


def lone_copies(conn: Connection, study: str, pool: str) -> list[int]:
    """Answers called copies whose others are gone, after withdrawals."""
    mine = and_(review_answers.c.study == study, review_answers.c.pool == pool)
    called = and_(mine, review_answers.c.kinds.contains(",duplicate,"))
    same = (
        select(review_answers.c.digest)
        .where(mine, review_answers.c.digest != "")
        .group_by(review_answers.c.digest)
        .having(func.count() > 1)
    )
    query = select(review_answers.c.id, review_answers.c.alike).where(
        called, review_answers.c.digest.not_in(same)
    )
    candidates = {
        row.id: [int(other) for other, _ in json.loads(row.alike)] for row in conn.execute(query)
    }
    named = {other for others in candidates.values() for other in others}
    there: set[int] = set()
    for chunk in _chunks(named):
        there |= set(
            conn.execute(
                select(review_answers.c.id).where(review_answers.c.id.in_(chunk))
            ).scalars()
        )
    return [id_ for id_, others in candidates.items() if not there.intersection(others)]

"""The collected data, as the records a bundle is made from: read in chunks, in an order that never
changes.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Table, bindparam, func, select

from believable.bundle.round_tables import RoundRecord
from believable.bundle.session_records import (
    CollectedSession,
    DecisionRecord,
    EventRecord,
    SessionRecord,
    StrayRecord,
    StudyRecord,
    VersionRecord,
)
from believable.core.errors import NotFound
from believable.store import monitor, review, rounds, studies, study_versions
from believable.store.fixed_statements import FixedStatement
from believable.store.sessions import POOLS, closed_trial, get_file
from believable.store.tables.collected import (
    decisions,
    definitions,
    events,
    sessions,
    strays,
    trials,
)
from believable.store.view_checks import checks_of

T = TypeVar("T")

#: Sessions fetched at a time: bounds the memory, and keeps the number of queries small.
CHUNK = 20


def count(conn: Connection, study_id: str, *, simulated: bool) -> int:
    """How many sessions a bundle will hold."""
    return _in_pool(conn, study_id, "simulated" if simulated else "real")


def study_record(conn: Connection, study_id: str, *, simulated: bool) -> StudyRecord:
    """The study, the definitions its sessions are pinned to (and the current one), and a count of
    everything that is not exported.
    """
    study = studies.get(conn, study_id)
    pool = "simulated" if simulated else "real"
    used = select(sessions.c.definition).where(
        sessions.c.study == study_id, sessions.c.link_kind.in_(POOLS[pool])
    )
    query = (
        select(definitions.c.hash, definitions.c.body)
        .where(definitions.c.hash.in_(used) | (definitions.c.hash == study.definition))
        .order_by(definitions.c.created_ms, definitions.c.hash)
    )
    bodies = {row.hash: row.body for row in conn.execute(query)}
    if study.definition not in bodies:
        raise NotFound(
            f"study {study_id!r}: its definition {study.definition[:12]} is not in this database."
            " Restore the backup."
        )
    previews = 0 if simulated else _in_pool(conn, study_id, "preview")
    gone = monitor.withdrawn(conn, study_id, pool)
    return StudyRecord(
        id=study.id,
        title=study.title,
        definitions=bodies,
        simulated=simulated,
        withdrawn=gone,
        previews=previews,
        versions=version_records(conn, study_id, pool),
    )


def version_records(conn: Connection, study_id: str, pool: str) -> tuple[VersionRecord, ...]:
    """The versions of the study in a pool, with numbers for the names of accounts."""
    names: dict[str, str] = {}
    for revision in study_versions.stated_revisions(conn, study_id):
        names.setdefault(revision.user, f"researcher_{len(names) + 1}")
    return tuple(
        VersionRecord(
            number=version.number,
            definition=version.definition,
            first_used_ms=version.first_used_ms,
            sessions=version.n_sessions,
            reason=version.reason,
            revised_by=None if version.user is None else names[version.user],
            revised_ms=version.revised_ms,
        )
        for version in study_versions.study_versions(conn, study_id, pool)
    )


def collected_sessions(
    conn: Connection, study_id: str, *, simulated: bool
) -> Iterator[CollectedSession]:
    """Every session with all that belongs to it, in order of its number."""
    kinds = POOLS["simulated" if simulated else "real"]
    query = select(sessions.c.id).where(
        sessions.c.study == study_id, sessions.c.link_kind.in_(kinds)
    )
    ids = list(conn.execute(query.order_by(sessions.c.number, sessions.c.id)).scalars())
    looks = review.looks(conn, study_id, "simulated" if simulated else "real")
    names = _reviewers(conn, study_id)
    for start in range(0, len(ids), CHUNK):
        yield from _chunk(conn, ids[start : start + CHUNK], looks, names)


def _reviewers(conn: Connection, study_id: str) -> dict[str, str]:
    """reviewer_1, reviewer_2, … in the order of their first decision about the study: names of
    accounts stay with us.
    """
    deciding = select(decisions.c.user, func.min(decisions.c.id)).join(
        sessions, sessions.c.id == decisions.c.session
    )
    deciding = (
        deciding.where(sessions.c.study == study_id)
        .group_by(decisions.c.user)
        .order_by(func.min(decisions.c.id))
    )
    return {
        row.user: f"reviewer_{number}" for number, row in enumerate(conn.execute(deciding), start=1)
    }


def _in_pool(conn: Connection, study_id: str, pool: str) -> int:
    query = select(func.count()).select_from(sessions)
    return int(
        conn.execute(
            query.where(sessions.c.study == study_id, sessions.c.link_kind.in_(POOLS[pool]))
        ).scalar_one()
    )


_EVENTS = FixedStatement(
    select(events.c.seq, events.c.body, events.c.received_ms)
    .where(events.c.session == bindparam("own"))
    .order_by(events.c.seq)
)


def _chunk(
    conn: Connection, ids: Sequence[str], looks: review.Looks, names: Mapping[str, str]
) -> Iterator[CollectedSession]:
    records = {
        row.id: _session(row)
        for row in conn.execute(select(sessions).where(sessions.c.id.in_(ids)))
    }
    closed = _by_session(conn, trials, ids, ("run", "position"), closed_trial)
    kept = _by_session(
        conn,
        strays,
        ids,
        ("epoch", "seq"),
        lambda row: StrayRecord(row.epoch, row.seq, row.body, row.received_ms),
    )

    def decision(row: Row[Any]) -> DecisionRecord:
        blind = not looks.before(row.user, records[row.session].number, row.at_ms)
        return DecisionRecord(
            kind=row.kind,
            target=row.target,
            reason=row.reason,
            user=names[row.user],
            at_ms=row.at_ms,
            blind=blind,
        )

    decided = _by_session(conn, decisions, ids, ("id",), decision)
    for name in ids:
        # Events are by far the most, so they are fetched one session at a time.
        happened: tuple[EventRecord, ...] = tuple(_EVENTS.run(conn, {"own": name}))
        yield CollectedSession(
            session=records[name],
            trials=tuple(closed[name]),
            events=happened,
            strays=tuple(kept[name]),
            decisions=tuple(decided[name]),
            rounds=_rounds(conn, name),
            view_checks=checks_of(conn, name),
        )


def _rounds(conn: Connection, session: str) -> tuple[RoundRecord, ...]:
    """The rounds of a session, one session at a time: recordings are large."""
    return tuple(
        RoundRecord(
            **{name: getattr(round_.key, name) for name in ("position", "run", "attempt")},
            **{
                name: getattr(round_, name)
                for name in ("setup", "state", "losses", "score", "started_ms", "ended_ms")
            },
            ticks=round_.tick,
            changes=tuple(rounds.changes_of(conn, round_.key)),
            recording=get_file(conn, session, round_.key.recording_name),
        )
        for round_ in rounds.of_session(conn, session)
    )


def _by_session(
    conn: Connection,
    table: Table,
    ids: Sequence[str],
    order: Sequence[str],
    record: Callable[[Row[Any]], T],
) -> dict[str, list[T]]:
    groups: dict[str, list[T]] = defaultdict(list)
    query = (
        select(table)
        .where(table.c.session.in_(ids))
        .order_by(table.c.session, *(table.c[name] for name in order))
    )
    for row in conn.execute(query):
        groups[row.session].append(record(row))
    return groups


def _session(row: Row[Any]) -> SessionRecord:
    values = {name: getattr(row, name) for name in SessionRecord.__slots__}
    return SessionRecord(**values | {"arms": json.loads(row.arms), "rows": json.loads(row.rows)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Recruited:
    """A session that a recruiting platform sent, and what became of it. `reason` is why it was
    rejected or approved.
    """

    number: int
    definition: str
    recruiter_hash: str
    extra: Mapping[str, str]
    state: str
    outcome: str | None
    rejected: bool
    reason: str
    approved: bool = False


def answered_true(conn: Connection, study_id: str, trial: str, answer: str) -> frozenset[str]:
    """Hashes of the recruiter's ids of all people whose answer on this page is yes, such as the
    verdict of a quality test.
    """
    query = (
        select(sessions.c.recruiter_hash, trials.c.key, trials.c.answers)
        .join(trials, trials.c.session == sessions.c.id)
        .where(
            sessions.c.study == study_id,
            sessions.c.link_kind.in_(POOLS["real"]),
            sessions.c.recruiter_hash.is_not(None),
            trials.c.run == sessions.c.run,
        )
    )
    return frozenset(
        row.recruiter_hash
        for row in conn.execute(query)
        if row.key.rpartition(".")[2] == trial and json.loads(row.answers).get(answer) is True
    )


def recruited_sessions(conn: Connection, study_id: str) -> tuple[Recruited, ...]:
    """All real sessions with a recruiter's id, in order of their number."""
    query = (
        select(sessions)
        .where(
            sessions.c.study == study_id,
            sessions.c.link_kind.in_(POOLS["real"]),
            sessions.c.recruiter_hash.is_not(None),
        )
        .order_by(sessions.c.number)
    )
    paying = (
        select(decisions.c.session, decisions.c.reason)
        .join(sessions, sessions.c.id == decisions.c.session)
        .where(sessions.c.study == study_id, decisions.c.kind.in_(("approve", "reject")))
        .order_by(decisions.c.id)
    )
    reasons = {row.session: row.reason for row in conn.execute(paying)}
    return tuple(
        Recruited(
            number=row.number,
            definition=row.definition,
            recruiter_hash=row.recruiter_hash,
            extra=json.loads(row.recruiter_extra),
            state=row.state,
            outcome=row.outcome,
            rejected=bool(row.rejected),
            reason=reasons.get(row.id, "") if row.rejected or row.approved else "",
            approved=bool(row.approved),
        )
        for row in conn.execute(query)
    )

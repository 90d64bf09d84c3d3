"""The versions of a study that participants met, and why it was changed while they took part.

A version is a definition that sessions of a pool are pinned to; versions count in the order of
their first session. Only sessions of real participants make a study one that runs: simulated
sessions and previews pin nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, insert, select

from believable.store import studies
from believable.store.sessions import POOLS
from believable.store.tables.collected import definitions, revisions, sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """Why a study was changed to `definition`, who said so (an account, or `command line`), and
    when.
    """

    definition: str
    previous: str
    reason: str
    user: str
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyVersion:
    """One version. `first_used_ms` is None as long as no session of the pool began with it;
    `reason`, `user` and `revised_ms` are None for the first version and for changes that were made
    before reasons were asked for.
    """

    number: int
    definition: str
    created_ms: int
    first_used_ms: int | None
    n_sessions: int
    reason: str | None = None
    user: str | None = None
    revised_ms: int | None = None


def study_versions(conn: Connection, study: str, pool: str = "real") -> tuple[StudyVersion, ...]:
    """The versions in the order of their first session; the current definition is last if no
    session has begun with it.
    """
    current = studies.get(conn, study).definition
    used = conn.execute(
        select(
            sessions.c.definition,
            func.min(sessions.c.started_ms),
            func.count(),
            func.min(sessions.c.number),
        )
        .where(sessions.c.study == study, sessions.c.link_kind.in_(POOLS[pool]))
        .group_by(sessions.c.definition)
    )
    first_used = sorted((first_ms, number, name, count) for name, first_ms, count, number in used)
    rows: list[tuple[str, int | None, int]] = [
        (name, first_ms, count) for first_ms, _, name, count in first_used
    ]
    if current not in {name for name, _, _ in rows}:
        rows.append((current, None, 0))
    known = select(definitions.c.hash, definitions.c.created_ms).where(
        definitions.c.hash.in_([name for name, _, _ in rows])
    )
    created = {row.hash: int(row.created_ms) for row in conn.execute(known)}
    latest = {revision.definition: revision for revision in stated_revisions(conn, study)}
    return tuple(
        _version(number, name, created.get(name, 0), first_ms, count, latest.get(name))
        for number, (name, first_ms, count) in enumerate(rows, start=1)
    )


def _version(
    number: int,
    definition: str,
    created_ms: int,
    first_used_ms: int | None,
    n_sessions: int,
    stated: Revision | None,
) -> StudyVersion:
    return StudyVersion(
        number=number,
        definition=definition,
        created_ms=created_ms,
        first_used_ms=first_used_ms,
        n_sessions=n_sessions,
        reason=None if stated is None else stated.reason,
        user=None if stated is None else stated.user,
        revised_ms=None if stated is None else stated.at_ms,
    )


def stated_revisions(conn: Connection, study: str) -> tuple[Revision, ...]:
    """Every reason that was recorded, oldest first."""
    columns = (
        revisions.c.definition,
        revisions.c.previous,
        revisions.c.reason,
        revisions.c.user,
        revisions.c.at_ms,
    )
    query = select(*columns).where(revisions.c.study == study).order_by(revisions.c.id)
    return tuple(
        Revision(
            definition=row.definition,
            previous=row.previous,
            reason=row.reason,
            user=row.user,
            at_ms=row.at_ms,
        )
        for row in conn.execute(query)
    )


def record_revision(conn: Connection, study: str, revision: Revision) -> None:
    conn.execute(
        insert(revisions).values(
            study=study,
            definition=revision.definition,
            previous=revision.previous,
            reason=revision.reason,
            user=revision.user,
            at_ms=revision.at_ms,
        )
    )


def pinned_definition(conn: Connection, study: str) -> str | None:
    """The definition of the real session that began last; None as long as no participant has
    begun.
    """
    query = (
        select(sessions.c.definition)
        .where(sessions.c.study == study, sessions.c.link_kind.in_(POOLS["real"]))
        .order_by(sessions.c.started_ms.desc(), sessions.c.number.desc())
        .limit(1)
    )
    name = conn.execute(query).scalar()
    return None if name is None else str(name)


def unpinning_sessions(conn: Connection, study: str, definition: str) -> int:
    """How many simulated sessions and previews began with another definition than this one. They
    need no reason.
    """
    kinds = (*POOLS["simulated"], *POOLS["preview"])
    query = select(func.count()).select_from(sessions)
    others = query.where(
        sessions.c.study == study,
        sessions.c.link_kind.in_(kinds),
        sessions.c.definition != definition,
    )
    return int(conn.execute(others).scalar_one())


def has_sessions(conn: Connection, study: str) -> bool:
    """Whether anyone has begun the study, a participant or not."""
    return (
        conn.execute(select(sessions.c.id).where(sessions.c.study == study).limit(1)).first()
        is not None
    )

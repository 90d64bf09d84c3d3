"""Lists for the console: studies with their numbers, versions of a definition, personal links, sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlalchemy import ColumnElement, Connection, and_, func, select

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.store import studies
from believable.store.monitor import ACTIVE_MS, link_kinds
from believable.store.pools import POOLS
from believable.store.sessions import Session, by_id
from believable.store.studies import StudyRow
from believable.store.tables import definitions, links, sessions

# ---------------------------------------------------------------------------------------------- studies


@dataclass(frozen=True, slots=True)
class PoolNumbers:
    started: int = 0
    active: int = 0
    complete: int = 0


@dataclass(frozen=True, slots=True)
class StudyLine:
    study: StudyRow
    pools: Mapping[str, PoolNumbers]


def study_lines(conn: Connection, *, now_ms: int) -> tuple[StudyLine, ...]:
    """All studies with the numbers of each pool, in two queries."""
    active = and_(sessions.c.state == "active", sessions.c.seen_ms > now_ms - ACTIVE_MS)
    complete = and_(sessions.c.outcome == "complete", sessions.c.rejected.is_(False))
    query = select(
        sessions.c.study,
        sessions.c.link_kind,
        func.count(),
        func.count().filter(active),
        func.count().filter(complete),
    ).group_by(sessions.c.study, sessions.c.link_kind)
    found: dict[tuple[str, str], tuple[int, ...]] = {
        (row[0], row[1]): tuple(row[2:]) for row in conn.execute(query)
    }
    return tuple(
        StudyLine(study, {pool: _sum(found, study.id, kinds) for pool, kinds in POOLS.items()})
        for study in studies.every(conn)
    )


def _sum(found: Mapping[tuple[str, str], tuple[int, ...]], study: str, kinds: tuple[str, ...]) -> PoolNumbers:
    rows = [found.get((study, kind), (0, 0, 0)) for kind in kinds]
    return PoolNumbers(*(sum(column) for column in zip(*rows, strict=True)))


@dataclass(frozen=True, slots=True)
class Version:
    """One definition of a study and how many sessions are pinned to it, over all pools."""

    hash: str
    created_ms: int
    n_sessions: int


def versions(conn: Connection, study: str) -> tuple[Version, ...]:
    """Newest first."""
    query = (
        select(definitions.c.hash, definitions.c.created_ms, func.count(sessions.c.id))
        .outerjoin(sessions, sessions.c.definition == definitions.c.hash)
        .where(definitions.c.study == study)
        .group_by(definitions.c.hash, definitions.c.created_ms)
        .order_by(definitions.c.created_ms.desc(), definitions.c.hash)
    )
    return tuple(Version(*row) for row in conn.execute(query))


# ---------------------------------------------------------------------------------------------- personal links


@dataclass(frozen=True, slots=True)
class PersonalLink:
    """`number`, `state` and `outcome` are of the session that used it; None while unused (or after a withdrawal)."""

    token: str
    label: str
    used: bool
    number: int | None
    state: str | None
    outcome: str | None
    created_ms: int


def personal_links(conn: Connection, study: str) -> tuple[PersonalLink, ...]:
    query = (
        select(links, sessions.c.number, sessions.c.state, sessions.c.outcome)
        .outerjoin(sessions, sessions.c.id == links.c.used_by)
        .where(links.c.study == study, links.c.kind == "personal")
        .order_by(links.c.created_ms.desc(), links.c.label, links.c.token)
    )
    return tuple(
        PersonalLink(
            row.token, row.label, row.used_by is not None, row.number, row.state, row.outcome, row.created_ms
        )
        for row in conn.execute(query)
    )


# ---------------------------------------------------------------------------------------------- sessions

Place: TypeAlias = Literal["all", "running", "dropped_out", "complete", "ended_early", "rejected"]
PLACES: tuple[Place, ...] = ("all", "running", "dropped_out", "complete", "ended_early", "rejected")


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session as lists show it: nothing that tells condition or arm."""

    number: int
    link_kind: str
    language: str
    state: str
    outcome: str | None
    rejected: bool
    position: int
    n_events: int
    missing: int
    started_ms: int
    seen_ms: int
    finished_ms: int | None
    definition: str


def session_lines(
    conn: Connection, study: str, pool: str, place: str, *, now_ms: int, offset: int, limit: int
) -> tuple[tuple[SessionLine, ...], int]:
    """A page of sessions, newest first, and how many there are."""
    where = and_(sessions.c.study == study, sessions.c.link_kind.in_(link_kinds(pool)), _at(place, now_ms))
    total = conn.execute(select(func.count()).select_from(sessions).where(where)).scalar_one()
    names = [name for name in SessionLine.__slots__ if name not in ("n_events", "missing")]
    query = (
        select(*(sessions.c[name] for name in names))
        .add_columns(sessions.c.head_seq, (sessions.c.top_seq - sessions.c.head_seq).label("missing"))
        .where(where)
        .order_by(sessions.c.number.desc())
        .offset(offset)
        .limit(limit)
    )
    return tuple(
        SessionLine(
            n_events=row.head_seq, missing=row.missing, **{name: getattr(row, name) for name in names}
        )
        for row in conn.execute(query)
    ), total


def _at(place: str, now_ms: int) -> ColumnElement[bool]:
    active = sessions.c.state == "active"
    gone = and_(sessions.c.reserved_until_ms <= now_ms, sessions.c.seen_ms <= now_ms - ACTIVE_MS)
    tests: dict[str, ColumnElement[bool]] = {
        "all": sessions.c.number > 0,
        "running": and_(active, ~gone),
        "dropped_out": and_(active, gone),
        "complete": sessions.c.outcome == "complete",
        "ended_early": and_(sessions.c.state == "finished", sessions.c.outcome != "complete"),
        "rejected": sessions.c.rejected.is_(True),
    }
    if place not in tests:
        raise InvalidInput(f"filter of sessions: unknown filter {place!r}. {did_you_mean(place, tests)}")
    return tests[place]


def session_by_number(conn: Connection, study: str, pool: str, number: int) -> Session:
    query = select(sessions.c.id).where(
        sessions.c.study == study, sessions.c.link_kind.in_(link_kinds(pool)), sessions.c.number == number
    )
    found = by_id(conn, conn.execute(query).scalar() or "")
    if found is None:
        raise NotFound(
            f"there is no {pool} session {number} in study {study!r}; it may have been withdrawn. See the list of sessions."
        )
    return found

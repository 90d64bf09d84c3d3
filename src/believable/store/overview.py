"""Lists for the console: studies with their numbers, versions of a definition, personal links,
sessions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.store import studies
from believable.store.monitor import ACTIVE_MS, link_kinds
from believable.store.sessions import POOLS, Session, by_id
from believable.store.studies import StudyRow
from believable.store.tables.collected import definitions, links, sessions
from believable.store.tables.collected import studies as studies_table
from believable.store.view_checks import has_impossible_view, n_impossible

# ----------------------------------------------------------------------------------------------
# studies


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
    complete = and_(
        sessions.c.outcome == "complete",
        sessions.c.rejected.is_(False),
        sessions.c.excluded.is_(False),
    )
    query = select(
        sessions.c.study,
        sessions.c.link_kind,
        func.count(),
        func.count().filter(active),
        func.count().filter(complete),
    ).group_by(sessions.c.study, sessions.c.link_kind)
    numbers: dict[tuple[str, str], tuple[int, ...]] = {
        (row[0], row[1]): tuple(row[2:]) for row in conn.execute(query)
    }
    return tuple(
        StudyLine(study, {pool: _sum(numbers, study.id, kinds) for pool, kinds in POOLS.items()})
        for study in studies.every(conn)
    )


def _sum(
    numbers: Mapping[tuple[str, str], tuple[int, ...]], study: str, kinds: tuple[str, ...]
) -> PoolNumbers:
    rows = [numbers.get((study, kind), (0, 0, 0)) for kind in kinds]
    return PoolNumbers(*(sum(column) for column in zip(*rows, strict=True)))


@dataclass(frozen=True, slots=True)
class Version:
    """One definition of a study and how many sessions are pinned to it, over all pools."""

    hash: str
    created_ms: int
    n_sessions: int


def versions(conn: Connection, study: str) -> tuple[Version, ...]:
    """Newest first. A definition that several studies have is stored once, under the first of
    them.
    """
    own_sessions = and_(sessions.c.definition == definitions.c.hash, sessions.c.study == study)
    current = (
        select(studies_table.c.definition).where(studies_table.c.id == study).scalar_subquery()
    )
    query = (
        select(definitions.c.hash, definitions.c.created_ms, func.count(sessions.c.id))
        .outerjoin(sessions, own_sessions)
        .where(
            (definitions.c.study == study)
            | (definitions.c.hash == current)
            | sessions.c.id.is_not(None)
        )
        .group_by(definitions.c.hash, definitions.c.created_ms)
        .order_by(definitions.c.created_ms.desc(), definitions.c.hash)
    )
    return tuple(Version(*row) for row in conn.execute(query))


# ----------------------------------------------------------------------------------------------
# personal links


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalLink:
    """`number`, `state` and `outcome` are of the session that used it; None while unused (or after
    a withdrawal).
    """

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
            token=row.token,
            label=row.label,
            used=row.used_by is not None,
            number=row.number,
            state=row.state,
            outcome=row.outcome,
            created_ms=row.created_ms,
        )
        for row in conn.execute(query)
    )


# ----------------------------------------------------------------------------------------------
# sessions

#: Where a session can be, as the filters of the list say it.
PLACES: Mapping[str, str] = {
    "all": "all",
    "running": "under way",
    "dropped_out": "dropped out",
    "complete": "complete",
    "ended_early": "ended early",
    "undecided": "complete, undecided",
    "impossible_views": "with impossible views",
    "approved": "approved",
    "rejected": "rejected",
    "excluded": "excluded",
}
#: The sort keys of the list: name in addresses → column.
ORDERS: Mapping[str, ColumnElement[Any]] = {
    "number": sessions.c.number,
    "state": sessions.c.state + case((sessions.c.outcome.is_(None), ""), else_=sessions.c.outcome),
    "started": sessions.c.started_ms,
    "seen": sessions.c.seen_ms,
    "took": sessions.c.finished_ms - sessions.c.started_ms,
    "page": sessions.c.position,
    "events": sessions.c.head_seq,
    "link": sessions.c.link_kind,
    "language": sessions.c.language,
}
_RANGE = re.compile(r"(\d{1,9})\s*[-–]\s*(\d{1,9})")


@dataclass(frozen=True, slots=True)
class SessionSearch:
    """Search words for sessions, and their forms as a code or as a recruiter's id: those are kept
    as hashes only.
    """

    words: str
    code_hash: str = ""
    recruiter_hash: str = ""
    extra_hashes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """Which sessions of a study, in which order. `arm` is (name, level): who asks for it is not
    blind any more.
    """

    pool: str = "real"
    place: str = "all"
    search: SessionSearch | None = None
    arm: tuple[str, str] | None = None
    order: str = "number"
    descending: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLine:
    """A session as lists show it: nothing that reveals condition or arm."""

    id: str
    number: int
    link_kind: str
    language: str
    state: str
    outcome: str | None
    rejected: bool
    approved: bool
    excluded: bool
    position: int
    n_events: int
    missing: int
    n_impossible: int
    started_ms: int
    seen_ms: int
    reserved_until_ms: int
    finished_ms: int | None
    definition: str


def dropped_out(session: Session | SessionLine, now_ms: int) -> bool:
    """Not finished, its place given up, and nothing heard of it lately: as the filter of the same
    name has it.
    """
    gone = session.reserved_until_ms <= now_ms and session.seen_ms <= now_ms - ACTIVE_MS
    return session.state == "active" and gone


def session_lines(
    conn: Connection, study: str, wanted: SessionFilter, *, now_ms: int, offset: int, limit: int
) -> tuple[tuple[SessionLine, ...], int]:
    """A page of sessions, and how many there are."""
    where = _filter_sessions(study, wanted, now_ms)
    if wanted.order not in ORDERS:
        raise InvalidInput(
            f"sort: unknown column {wanted.order[:40]!r}. {did_you_mean(wanted.order, ORDERS)}"
        )
    column = ORDERS[wanted.order]
    # Sessions without the value (no end yet) are last whatever the direction, so paging never hides
    # the rest.
    order = (
        column.is_(None),
        column.desc() if wanted.descending else column.asc(),
        sessions.c.number.desc(),
    )
    total = conn.execute(select(func.count()).select_from(sessions).where(where)).scalar_one()
    names = [
        name
        for name in SessionLine.__slots__
        if name not in ("n_events", "missing", "n_impossible")
    ]
    query = (
        select(*(sessions.c[name] for name in names))
        .add_columns(
            sessions.c.head_seq,
            (sessions.c.top_seq - sessions.c.head_seq).label("missing"),
            n_impossible().label("n_impossible"),
        )
        .where(where)
        .order_by(*order)
        .offset(offset)
        .limit(limit)
    )
    return (
        tuple(
            SessionLine(
                n_events=row.head_seq,
                missing=row.missing,
                n_impossible=row.n_impossible,
                **{name: getattr(row, name) for name in names},
            )
            for row in conn.execute(query)
        ),
        total,
    )


def chosen_sessions(
    conn: Connection, study: str, wanted: SessionFilter, *, now_ms: int, limit: int
) -> tuple[str, ...]:
    """The ids of all sessions that the filter takes; an error when they are more than may be
    decided about at once.
    """
    query = (
        select(sessions.c.id)
        .where(_filter_sessions(study, wanted, now_ms))
        .order_by(sessions.c.number)
        .limit(limit + 1)
    )
    names = tuple(conn.execute(query).scalars())
    if len(names) > limit:
        raise InvalidInput(
            f"sessions: expected at most {limit} at once, got more. Filter the list first."
        )
    return names


def sessions_by_number(
    conn: Connection, study: str, pool: str, numbers: Sequence[int]
) -> tuple[str, ...]:
    """The ids of these sessions; an error when one is gone."""
    query = select(sessions.c.id).where(
        sessions.c.study == study,
        sessions.c.link_kind.in_(link_kinds(pool)),
        sessions.c.number.in_(numbers),
    )
    names = tuple(conn.execute(query).scalars())
    if len(names) < len(set(numbers)):
        raise NotFound(
            "a session is not there any more; it may have been withdrawn. Reload the list."
        )
    return names


def _filter_sessions(study: str, wanted: SessionFilter, now_ms: int) -> ColumnElement[bool]:
    tests = [
        sessions.c.study == study,
        sessions.c.link_kind.in_(link_kinds(wanted.pool)),
        _at(wanted.place, now_ms),
    ]
    if wanted.search is not None and wanted.search.words:
        tests.append(_matches(wanted.search))
    if wanted.arm is not None:
        name, level = (json.dumps(part) for part in wanted.arm)
        tests.append(sessions.c.arms.contains(f"{name}: {level}", autoescape=True))
    return and_(*tests)


def _matches(search: SessionSearch) -> ColumnElement[bool]:
    """By number or range; start of id, definition or recruiter's hash; label of the personal link;
    code; recruiter's id.
    """
    words = search.words.strip()
    numbers = _RANGE.fullmatch(words)
    if numbers:
        return sessions.c.number.between(int(numbers[1]), int(numbers[2]))
    if words.isascii() and words.isdigit() and len(words) <= 9:
        return or_(
            sessions.c.number == int(words), sessions.c.recruiter_hash == search.recruiter_hash
        )
    labelled = select(links.c.used_by).where(
        links.c.used_by.is_not(None),
        func.lower(links.c.label).contains(words.lower(), autoescape=True),
    )
    tests = [
        sessions.c.id.startswith(words, autoescape=True),
        sessions.c.definition.startswith(words.lower(), autoescape=True),
        sessions.c.recruiter_hash.startswith(words.lower(), autoescape=True),
        sessions.c.language == words.lower(),
        sessions.c.link_kind == words.lower(),
        sessions.c.outcome == words.lower().replace(" ", "_"),
        sessions.c.recruiter_hash == search.recruiter_hash,
        sessions.c.code_hash == search.code_hash,
        sessions.c.id.in_(labelled),
    ]
    tests += [
        sessions.c.recruiter_extra.contains(hashed, autoescape=True)
        for hashed in search.extra_hashes
    ]
    return or_(*tests)


def _at(place: str, now_ms: int) -> ColumnElement[bool]:
    active = sessions.c.state == "active"
    gone = and_(sessions.c.reserved_until_ms <= now_ms, sessions.c.seen_ms <= now_ms - ACTIVE_MS)
    tests: dict[str, ColumnElement[bool]] = {
        "all": sessions.c.number > 0,
        "running": and_(active, ~gone),
        "dropped_out": and_(active, gone),
        "complete": sessions.c.outcome == "complete",
        "ended_early": and_(sessions.c.state == "finished", sessions.c.outcome != "complete"),
        "undecided": and_(
            sessions.c.outcome == "complete",
            sessions.c.approved.is_(False),
            sessions.c.rejected.is_(False),
        ),
        "impossible_views": has_impossible_view(),
        "approved": sessions.c.approved.is_(True),
        "rejected": sessions.c.rejected.is_(True),
        "excluded": sessions.c.excluded.is_(True),
    }
    if place not in tests:
        raise InvalidInput(
            f"filter of sessions: unknown filter {place!r}. {did_you_mean(place, tests)}"
        )
    return tests[place]


def session_by_number(conn: Connection, study: str, pool: str, number: int) -> Session:
    query = select(sessions.c.id).where(
        sessions.c.study == study,
        sessions.c.link_kind.in_(link_kinds(pool)),
        sessions.c.number == number,
    )
    session = by_id(conn, conn.execute(query).scalar() or "")
    if session is None:
        raise NotFound(
            f"there is no {pool} session {number} in study {study!r}; it may have been withdrawn."
            " See the list of sessions."
        )
    return session

"""The figures that the console watches: counts, progress, balance, pace and silence of a study.

The cost grows with the number of sessions, not of events: events are looked at only near the end of
each running session. Real, simulated and preview sessions are separate pools and are never added
up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, literal_column, select

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.store.sessions import POOLS
from believable.store.tables.collected import events, sessions, tombstones, trials

#: A session counts as active while something came from it within this time, then as quiet until its
#: place runs out.
ACTIVE_MS = 60_000

#: The pace is counted over at most this number of sessions and scaled up if there are more.
PULSE_SESSIONS = 100
#: No browser sends more than this, so the end of a session is enough to look at.
PULSE_EVENTS_PER_S = 30


#: What sessions of a group have in common, as it is stored.
ALIKE = ("definition", "state", "outcome", "rejected", "excluded", "position", "arms", "rows")


def link_kinds(pool: str) -> tuple[str, ...]:
    if pool not in POOLS:
        raise InvalidInput(f"pool: unknown pool {pool!r}. {did_you_mean(pool, POOLS)}")
    return POOLS[pool]


def _of_pool(study: str, pool: str) -> ColumnElement[bool]:
    return and_(sessions.c.study == study, sessions.c.link_kind.in_(link_kinds(pool)))


def _count(conn: Connection, where: ColumnElement[bool]) -> int:
    return conn.execute(select(func.count()).select_from(sessions).where(where)).scalar_one()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionGroup:
    """Sessions that are alike in everything the monitor shows. `arms` and `rows` are JSON as
    stored.
    """

    definition: str
    state: str
    outcome: str | None
    rejected: bool
    excluded: bool
    position: int
    arms: str
    rows: str
    active: bool
    reserved: bool
    n_sessions: int
    n_events: int

    @property
    def complete(self) -> bool:
        """Whether these count as filled places: finished, complete, and left in."""
        left_out = self.rejected or self.excluded
        return self.state == "finished" and self.outcome == "complete" and not left_out

    @property
    def running(self) -> bool:
        """Still under way, or at least still holding a place."""
        return self.state == "active" and (self.reserved or self.active)


def groups(conn: Connection, study: str, pool: str, *, now_ms: int) -> tuple[SessionGroup, ...]:
    """All sessions of a pool, counted by their common properties: one query, whatever the number of
    events.
    """
    seen = case(
        (and_(sessions.c.state == "active", sessions.c.seen_ms > now_ms - ACTIVE_MS), 1), else_=0
    )
    reserved = case((sessions.c.reserved_until_ms > now_ms, 1), else_=0)
    alike = [sessions.c[name] for name in ALIKE]
    query = (
        select(*alike, seen.label("active"), reserved.label("reserved"))
        .add_columns(
            func.count().label("n_sessions"), func.sum(sessions.c.top_seq).label("n_events")
        )
        .where(_of_pool(study, pool))
        .group_by(*alike, literal_column("active"), literal_column("reserved"))
    )
    return tuple(
        SessionGroup(
            **{name: row[name] for name in (*ALIKE, "n_sessions")},
            active=bool(row["active"]),
            reserved=bool(row["reserved"]),
            n_events=int(row["n_events"] or 0),
        )
        for row in conn.execute(query).mappings()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many sessions of a pool are where. Every started one is in exactly one other, but for the
    last three.
    """

    started: int
    active: int
    quiet: int
    dropped_out: int
    complete: int
    screened_out: int
    failed_checks: int
    declined: int
    withdrawn: int
    rejected: int
    excluded: int
    n_events: int


def counts(session_groups: Iterable[SessionGroup], withdrawn: int) -> Counts:
    """Pure: adds the groups up. A rejected or excluded session stays in its outcome and is counted
    there besides.
    """
    everything = tuple(session_groups)
    tally = dict.fromkeys(
        ("active", "quiet", "dropped_out", "complete", "screened_out", "failed_checks", "declined"),
        0,
    )
    for group in everything:
        tally[_place(group)] += group.n_sessions
    return Counts(
        **tally,
        started=sum(tally.values()) + withdrawn,
        withdrawn=withdrawn,
        rejected=sum(group.n_sessions for group in everything if group.rejected),
        excluded=sum(group.n_sessions for group in everything if group.excluded),
        n_events=sum(group.n_events for group in everything),
    )


def _place(group: SessionGroup) -> str:
    if group.state == "finished":
        return group.outcome or "complete"
    if group.active:
        return "active"
    return "quiet" if group.reserved else "dropped_out"


def withdrawn(conn: Connection, study: str, pool: str) -> int:
    query = select(func.count()).where(
        tombstones.c.study == study, tombstones.c.link_kind.in_(link_kinds(pool))
    )
    return conn.execute(query).scalar_one()


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """One planned trial: how many came to it or past it, how many are at it now, how many ended
    there for good.
    """

    position: int
    reached: int
    present: int
    left: int


@dataclass(frozen=True, slots=True)
class EndedEarly:
    """Sessions that were sent to the end early (screened out, failed, declined) from the trial at
    `position`.
    """

    definition: str
    position: int
    n_sessions: int


def ended_early(conn: Connection, study: str, pool: str) -> tuple[EndedEarly, ...]:
    """Where sessions ended early: at their last failed trial, because they themselves are at the
    finish page.
    """
    last = func.max(trials.c.position).label("position")
    per_session = (
        select(sessions.c.definition, last)
        .join(trials, (trials.c.session == sessions.c.id) & (trials.c.run == sessions.c.run))
        .where(
            _of_pool(study, pool),
            sessions.c.state == "finished",
            sessions.c.outcome != "complete",
            trials.c.status == "failed",
        )
        .group_by(sessions.c.id, sessions.c.definition)
        .subquery()
    )
    alike = (per_session.c.definition, per_session.c.position)
    return tuple(
        EndedEarly(*row) for row in conn.execute(select(*alike, func.count()).group_by(*alike))
    )


def funnel(
    session_groups: Iterable[SessionGroup],
    ended: Iterable[EndedEarly],
    definition: str,
    n_trials: int,
) -> tuple[FunnelStep, ...]:
    """Pure: progress over the planned trials of one definition."""
    last = n_trials - 1
    reached, staying, left = ([0] * n_trials for _ in range(3))
    for group in session_groups:
        if group.definition != definition or (
            group.state == "finished" and group.outcome != "complete"
        ):
            continue
        done = group.state == "finished"
        at = last if done else min(group.position, last)
        reached[at] += group.n_sessions
        if group.running:
            staying[at] += group.n_sessions
        elif not done:
            left[at] += group.n_sessions
    for end in ended:
        if end.definition == definition:
            at = min(end.position, last)
            reached[at] += end.n_sessions
            left[at] += end.n_sessions
    for position in range(last - 1, -1, -1):
        reached[position] += reached[position + 1]
    return tuple(FunnelStep(i, reached[i], staying[i], left[i]) for i in range(n_trials))


def median_duration_ms(conn: Connection, study: str, pool: str) -> float | None:
    """Median time from start to finish of complete sessions, None when there is none."""
    lasted = sessions.c.finished_ms - sessions.c.started_ms
    where = and_(
        _of_pool(study, pool), sessions.c.state == "finished", sessions.c.outcome == "complete"
    )
    n = _count(conn, where)
    if not n:
        return None
    middle = select(lasted).where(where).order_by(lasted).offset((n - 1) // 2).limit(2 - n % 2)
    values = conn.execute(middle).scalars().all()
    return float(sum(values) / len(values))


#: The present rate is that of the last week, or of the time since the first session if that is
#: shorter.
RATE_WINDOW_MS = 7 * 86_400_000


@dataclass(frozen=True, slots=True)
class CompletionRate:
    """How many sessions were completed lately, within how long."""

    n_complete: int
    window_ms: int


def completion_rate(conn: Connection, study: str, pool: str, *, now_ms: int) -> CompletionRate:
    mine = _of_pool(study, pool)
    first_ms = conn.execute(select(func.min(sessions.c.started_ms)).where(mine)).scalar()
    if first_ms is None:
        return CompletionRate(0, 0)
    since_ms = max(first_ms, now_ms - RATE_WINDOW_MS)
    lately = and_(
        mine,
        sessions.c.outcome == "complete",
        sessions.c.finished_ms >= since_ms,
        sessions.c.rejected.is_(False),
        sessions.c.excluded.is_(False),
    )
    return CompletionRate(_count(conn, lately), max(now_ms - since_ms, 3_600_000))


# ----------------------------------------------------------------------------------------------
# pace


@dataclass(frozen=True, slots=True)
class PulseBeat:
    """What arrived in one stretch of time that starts at `at_ms`."""

    at_ms: int
    n_events: float
    n_media_stalls: float


@dataclass(frozen=True, slots=True)
class Pulse:
    """What arrived lately. `exact` is False when only a sample of the running sessions was counted
    and scaled up.
    """

    beats: tuple[PulseBeat, ...]
    bucket_ms: int
    exact: bool


def pulse(
    conn: Connection,
    study: str,
    pool: str,
    *,
    now_ms: int,
    window_ms: int = 60_000,
    bucket_ms: int = 2_000,
) -> Pulse:
    """Events and media stalls by time of arrival, for whole buckets that are over."""
    end = now_ms // bucket_ms
    start_ms = (end - window_ms // bucket_ms) * bucket_ms
    lately = and_(_of_pool(study, pool), sessions.c.seen_ms >= start_ms)
    scale = max(1.0, _count(conn, lately) / PULSE_SESSIONS)
    arrivals = {
        row[0]: row for row in conn.execute(_arrivals(lately, start_ms, bucket_ms, window_ms))
    }
    beats = []
    for bucket in range(start_ms // bucket_ms, end):
        row = arrivals.get(bucket)
        n_events, n_stalls = (row[1] * scale, row[2] * scale) if row else (0.0, 0.0)
        beats.append(PulseBeat(bucket * bucket_ms, n_events, n_stalls))
    return Pulse(tuple(beats), bucket_ms, exact=scale == 1.0)


def _arrivals(
    lately: ColumnElement[bool], start_ms: int, bucket_ms: int, window_ms: int
) -> Select[int, int, int]:
    """Counts by bucket over the ends of a sample of sessions. Session ids are random, so their
    order is a fair draw.
    """
    sample = (
        select(sessions.c.id, sessions.c.top_seq)
        .where(lately)
        .order_by(sessions.c.id)
        .limit(PULSE_SESSIONS)
        .subquery()
    )
    bucket = (events.c.received_ms // bucket_ms).label("bucket")
    stall = case((events.c.body.like('%"media.stall"%'), 1), else_=0)
    return (
        select(bucket, func.count(), func.sum(stall))
        .select_from(sample)
        .join(
            events,
            and_(
                events.c.session == sample.c.id,
                events.c.seq > sample.c.top_seq - PULSE_EVENTS_PER_S * window_ms // 1000,
            ),
        )
        .where(events.c.received_ms >= start_ms)
        .group_by(literal_column("bucket"))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentSession:
    """A running session that is silent, or whose events have a gap that the browser has yet to
    fill.
    """

    number: int
    link_kind: str
    position: int
    silent_ms: int
    missing: int


def silent(
    conn: Connection, study: str, pool: str, *, now_ms: int, limit: int = 20
) -> tuple[tuple[SilentSession, ...], int]:
    """The running sessions that are quiet or have holes, longest silence first, and how many there
    are in all.
    """
    where = and_(
        _of_pool(study, pool),
        sessions.c.state == "active",
        sessions.c.reserved_until_ms > now_ms,
        (sessions.c.seen_ms <= now_ms - ACTIVE_MS) | (sessions.c.top_seq > sessions.c.head_seq),
    )
    columns = (
        sessions.c.number,
        sessions.c.link_kind,
        sessions.c.position,
        now_ms - sessions.c.seen_ms,
    )
    query = select(*columns, sessions.c.top_seq - sessions.c.head_seq).where(where)
    rows = conn.execute(query.order_by(sessions.c.seen_ms, sessions.c.number).limit(limit))
    silent_sessions = tuple(
        SilentSession(
            number=number, link_kind=kind, position=position, silent_ms=silent_ms, missing=missing
        )
        for number, kind, position, silent_ms, missing in rows
    )
    return silent_sessions, _count(conn, where)


# ---------------------------------------------------------------------------------------------- all
# at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Everything the monitor shows of one pool, read at one moment."""

    groups: tuple[SessionGroup, ...]
    counts: Counts
    ended: tuple[EndedEarly, ...]
    median_ms: float | None
    pulse: Pulse
    silent: tuple[SilentSession, ...]
    n_silent: int
    other_pools: Mapping[str, int]


def snapshot(conn: Connection, study: str, pool: str, *, now_ms: int, window_ms: int) -> Snapshot:
    session_groups = groups(conn, study, pool, now_ms=now_ms)
    quiet, n_quiet = silent(conn, study, pool, now_ms=now_ms)
    return Snapshot(
        groups=session_groups,
        counts=counts(session_groups, withdrawn(conn, study, pool)),
        ended=ended_early(conn, study, pool),
        median_ms=median_duration_ms(conn, study, pool),
        pulse=pulse(conn, study, pool, now_ms=now_ms, window_ms=window_ms),
        silent=quiet,
        n_silent=n_quiet,
        other_pools={name: n for name, n in pool_sizes(conn, study).items() if name != pool},
    )


def pool_sizes(conn: Connection, study: str) -> dict[str, int]:
    """How many sessions each pool holds."""
    query = (
        select(sessions.c.link_kind, func.count())
        .where(sessions.c.study == study)
        .group_by(sessions.c.link_kind)
    )
    by_kind = {str(row[0]): int(row[1]) for row in conn.execute(query)}
    return {pool: sum(by_kind.get(kind, 0) for kind in kinds) for pool, kinds in POOLS.items()}

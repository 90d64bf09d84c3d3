"""The shares that the stopping rule `sequential` weighs, session by session, and the answers that
the evidence has given. A session that is withdrawn takes its shares along; an answer stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlalchemy import Connection, Select, func, insert, select

from believable.store.sessions import POOLS
from believable.store.tables.collected import agent_draws, evidence_verdicts, judge_shares, sessions
from believable.study.evidence_state import ReachedVerdict

#: Pools whose sessions are weighed. Previews never are.
WEIGHED = ("real", "simulated")


def weighed_pool(link_kind: str) -> str | None:
    """The pool that a session of this kind of link is weighed in; None if it is not."""
    return next((pool for pool in WEIGHED if link_kind in POOLS[pool]), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredShares:
    """The shares of a pool, in the order of closing, by agent. `judges` counts the sessions that
    have any.
    """

    by_agent: Mapping[str, tuple[Fraction, ...]]
    judges: int


def put_shares(
    conn: Connection, *, session: str, study: str, pool: str, shares: Mapping[str, Fraction]
) -> None:
    """Keep the shares of a session that is being closed, behind those of all others."""
    if not shares:
        return
    last = select(func.max(judge_shares.c.place)).where(
        judge_shares.c.study == study, judge_shares.c.pool == pool
    )
    place = (conn.execute(last).scalar() or 0) + 1
    rows = [
        {
            "session": session,
            "agent": agent,
            "study": study,
            "pool": pool,
            "place": place,
            "numerator": share.numerator,
            "denominator": share.denominator,
        }
        for agent, share in sorted(shares.items())
    ]
    conn.execute(insert(judge_shares), rows)


def get_shares(
    conn: Connection, study: str, pool: str, *, included_only: bool = False
) -> StoredShares:
    """The shares of a pool. `included_only`: without sessions that a researcher rejected or
    excluded, which may follow from their answers.
    """
    columns = (judge_shares.c.agent, judge_shares.c.numerator, judge_shares.c.denominator)
    query: Select[str, int, int, int] = (
        select(*columns, judge_shares.c.place)
        .where(judge_shares.c.study == study, judge_shares.c.pool == pool)
        .order_by(judge_shares.c.place)
    )
    if included_only:
        query = query.join(sessions, sessions.c.id == judge_shares.c.session).where(
            sessions.c.rejected.is_(False), sessions.c.excluded.is_(False)
        )
    by_agent: dict[str, list[Fraction]] = {}
    places: set[int] = set()
    for agent, numerator, denominator, place in conn.execute(query):
        by_agent.setdefault(agent, []).append(Fraction(numerator, denominator))
        places.add(place)
    return StoredShares(
        by_agent={agent: tuple(shares) for agent, shares in by_agent.items()}, judges=len(places)
    )


def weighed_places(conn: Connection, ids: Sequence[str]) -> dict[str, int]:
    """The place of each of these sessions in the order of closing, if it was weighed."""
    query = select(judge_shares.c.session, judge_shares.c.place).where(
        judge_shares.c.session.in_(ids)
    )
    return {row.session: row.place for row in conn.execute(query)}


def count_judges(conn: Connection, study: str, pool: str) -> int:
    """How many sessions were weighed."""
    query = select(func.count(judge_shares.c.place.distinct())).where(
        judge_shares.c.study == study, judge_shares.c.pool == pool
    )
    return conn.execute(query).scalar_one()


def unweighed_sessions(conn: Connection, study: str, pool: str) -> tuple[str, ...]:
    """Complete sessions without shares, in the order in which they ended: from before the rule was
    declared, or that judged nothing of it.
    """
    known = select(judge_shares.c.session).where(judge_shares.c.session == sessions.c.id)
    query = (
        select(sessions.c.id)
        .where(
            sessions.c.study == study,
            sessions.c.link_kind.in_(POOLS[pool]),
            sessions.c.state == "finished",
            sessions.c.outcome == "complete",
            ~known.exists(),
        )
        .order_by(sessions.c.finished_ms, sessions.c.number)
    )
    return tuple(conn.execute(query).scalars())


def put_verdicts(
    conn: Connection,
    study: str,
    pool: str,
    verdicts: Sequence[ReachedVerdict],
    *,
    definition: str,
    at_ms: int,
) -> None:
    for verdict in verdicts:
        conn.execute(
            insert(evidence_verdicts).values(
                study=study,
                pool=pool,
                agent=verdict.agent,
                verdict=verdict.verdict,
                n=verdict.n,
                judges=verdict.judges,
                log_evidence=verdict.log_evidence,
                definition=definition,
                at_ms=at_ms,
            )
        )


def get_verdicts(conn: Connection, study: str, pool: str) -> tuple[ReachedVerdict, ...]:
    """The answers to date, in the order in which they were given."""
    columns = evidence_verdicts.c
    query = (
        select(columns.agent, columns.verdict, columns.n, columns.judges, columns.log_evidence)
        .where(columns.study == study, columns.pool == pool)
        .order_by(columns.judges, columns.agent, columns.verdict)
    )
    return tuple(
        ReachedVerdict(agent=agent, verdict=verdict, n=n, judges=judges, log_evidence=log_evidence)
        for agent, verdict, n, judges, log_evidence in conn.execute(query)
    )


def put_draw(conn: Connection, session: str, agent: str, probability: float) -> None:
    """Keep the agent of a session, and the probability with which it was drawn."""
    conn.execute(insert(agent_draws).values(session=session, agent=agent, probability=probability))


def get_draws(conn: Connection, ids: Sequence[str]) -> dict[str, float]:
    """The probability with which each of these sessions got its agent, if evidence chose it."""
    query = select(agent_draws.c.session, agent_draws.c.probability).where(
        agent_draws.c.session.in_(ids)
    )
    return {row.session: row.probability for row in conn.execute(query)}

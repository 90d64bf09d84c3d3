"""The clips that sessions were given from pools, and how many views each clip has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement, Connection, and_, func, insert, or_, select

from believable.store.sessions import holds_place
from believable.store.tables.collected import clip_draws, sessions
from believable.study.pool_draw import DrawnName, Views, level_key


def store_draw(conn: Connection, session: str, drawn: Sequence[DrawnName]) -> None:
    if drawn:
        conn.execute(
            insert(clip_draws),
            [
                {
                    "session": session,
                    "place": entry.place,
                    "number": entry.number,
                    "kind": entry.kind,
                    "name": entry.name,
                    "probability": entry.probability,
                }
                for entry in drawn
            ],
        )


def draws_of(conn: Connection, sessions_: Sequence[str]) -> Mapping[str, tuple[DrawnName, ...]]:
    """The draws of these sessions; one without any has an empty tuple."""
    query = (
        select(clip_draws)
        .where(clip_draws.c.session.in_(sessions_))
        .order_by(clip_draws.c.session, clip_draws.c.place, clip_draws.c.number)
    )
    drawn: dict[str, list[DrawnName]] = {session: [] for session in sessions_}
    for row in conn.execute(query):
        drawn[row.session].append(
            DrawnName(
                place=row.place,
                number=row.number,
                kind=row.kind,
                name=row.name,
                probability=row.probability,
            )
        )
    return {session: tuple(entries) for session, entries in drawn.items()}


def count_views(
    conn: Connection, study: str, kinds: Sequence[str], now_ms: int, *, fresh: bool
) -> Views:
    """How many sessions have each clip and level. Sessions that hold a place in the balance count;
    with `fresh` also those that were left after something was sent: their clips have been seen.
    """
    counted: ColumnElement[bool] = holds_place(study, kinds, now_ms)
    if fresh:
        begun = and_(
            sessions.c.study == study, sessions.c.link_kind.in_(kinds), sessions.c.top_seq > 0
        )
        counted = or_(counted, begun)
    query = (
        select(clip_draws.c.kind, clip_draws.c.place, clip_draws.c.name, func.count())
        .join(sessions, sessions.c.id == clip_draws.c.session)
        .where(counted)
        .group_by(clip_draws.c.kind, clip_draws.c.place, clip_draws.c.name)
    )
    stimuli: Counter[str] = Counter()
    levels: Counter[str] = Counter()
    for kind, place, name, count in conn.execute(query):
        if kind == "stimulus":
            stimuli[name] += count
        else:
            block = place.removeprefix("levels:").rpartition(".")[0]
            levels[level_key(block, name)] += count
    return Views(stimuli, levels)

"""Links into a study. A link's kind marks its sessions for ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.store.pools import LINK_KINDS
from believable.store.tables import links


@dataclass(frozen=True, slots=True)
class Link:
    """`used_by` is the session of a personal link that was used."""

    token: str
    study: str
    kind: str
    label: str
    used_by: str | None
    created_ms: int


def create(conn: Connection, *, token: str, study: str, kind: str, at_ms: int, label: str = "") -> Link:
    if kind not in LINK_KINDS:
        raise InvalidInput(f"kind of link: unknown kind {kind!r}. {did_you_mean(kind, LINK_KINDS)}")
    link = Link(token, study, kind, label, None, at_ms)
    conn.execute(insert(links).values(token=token, study=study, kind=kind, label=label, created_ms=at_ms))
    return link


def get(conn: Connection, token: str) -> Link:
    row = conn.execute(select(links).where(links.c.token == token)).one_or_none()
    if row is None:
        raise NotFound("this link does not lead to a study. Compare the address with the one you were given.")
    return Link(**row._mapping)


def of_study(conn: Connection, study: str, kinds: Sequence[str] = LINK_KINDS) -> tuple[Link, ...]:
    query = select(links).where(links.c.study == study, links.c.kind.in_(kinds))
    rows = conn.execute(query.order_by(links.c.created_ms, links.c.token))
    return tuple(Link(**row._mapping) for row in rows)


def use(conn: Connection, token: str, session: str) -> None:
    conn.execute(update(links).where(links.c.token == token).values(used_by=session))

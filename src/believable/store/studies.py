"""Studies, their definitions, and the links into them. A link's kind marks its sessions for
ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, insert, select, update

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.store.fixed_statements import FixedStatement
from believable.store.sessions import LINK_KINDS
from believable.store.tables.collected import definitions, links, studies

STATES = ("open", "paused", "closed")
_BY_ID = select(studies).where(studies.c.id == bindparam("key"))
_STUDY, _STUDY_LOCKED = FixedStatement(_BY_ID), FixedStatement(_BY_ID.with_for_update())
_LINK = FixedStatement(select(links).where(links.c.token == bindparam("key")))


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRow:
    id: str
    title: str
    state: str
    definition: str
    created_ms: int


def get(conn: Connection, study_id: str, *, lock: bool = False) -> StudyRow:
    """One study. `lock` keeps other processes from starting sessions of it until this transaction
    ends.
    """
    row = (_STUDY_LOCKED if lock else _STUDY).first(conn, {"key": study_id})
    if row is None:
        known = conn.execute(select(studies.c.id)).scalars()
        raise NotFound(f"there is no study {study_id!r} here. {did_you_mean(study_id, known)}")
    return StudyRow(**row)


def every(conn: Connection) -> tuple[StudyRow, ...]:
    return tuple(
        StudyRow(**row._mapping) for row in conn.execute(select(studies).order_by(studies.c.id))
    )


def put(
    conn: Connection, study_id: str, *, title: str, definition: str, body: str, at_ms: int
) -> None:
    """Register a study, or give it a new definition for later sessions. Its state stays."""
    known = conn.execute(select(studies.c.id).where(studies.c.id == study_id)).first() is not None
    if known:
        conn.execute(
            update(studies)
            .where(studies.c.id == study_id)
            .values(title=title, definition=definition)
        )
    else:
        conn.execute(
            insert(studies).values(
                id=study_id, title=title, state="open", definition=definition, created_ms=at_ms
            )
        )
    if (
        conn.execute(select(definitions.c.hash).where(definitions.c.hash == definition)).first()
        is None
    ):
        conn.execute(
            insert(definitions).values(hash=definition, study=study_id, body=body, created_ms=at_ms)
        )


def definition_body(conn: Connection, definition: str) -> str:
    body = conn.execute(select(definitions.c.body).where(definitions.c.hash == definition)).scalar()
    if body is None:
        raise NotFound(
            f"there is no definition {definition[:12]}… in this database. Restore the backup that"
            " has it."
        )
    return str(body)


def definition_plan(conn: Connection, definition: str) -> str | None:
    """What names the plan of a definition, once that was worked out."""
    name = conn.execute(select(definitions.c.plan).where(definitions.c.hash == definition)).scalar()
    return None if name is None else str(name)


def keep_definition_plan(conn: Connection, definition: str, plan: str) -> None:
    conn.execute(update(definitions).where(definitions.c.hash == definition).values(plan=plan))


def set_state(conn: Connection, study_id: str, state: str) -> None:
    if state not in STATES:
        raise InvalidInput(
            f"state of study {study_id!r}: unknown state {state!r}. {did_you_mean(state, STATES)}"
        )
    get(conn, study_id)
    conn.execute(update(studies).where(studies.c.id == study_id).values(state=state))


# ----------------------------------------------------------------------------------------------
# links


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """`used_by` is the session of a personal link that was used."""

    token: str
    study: str
    kind: str
    label: str
    used_by: str | None
    created_ms: int


def create_link(
    conn: Connection, *, token: str, study: str, kind: str, at_ms: int, label: str = ""
) -> Link:
    if kind not in LINK_KINDS:
        raise InvalidInput(f"kind of link: unknown kind {kind!r}. {did_you_mean(kind, LINK_KINDS)}")
    link = Link(token=token, study=study, kind=kind, label=label, used_by=None, created_ms=at_ms)
    conn.execute(
        insert(links).values(token=token, study=study, kind=kind, label=label, created_ms=at_ms)
    )
    return link


def get_link(conn: Connection, token: str) -> Link:
    row = _LINK.first(conn, {"key": token})
    if row is None:
        raise NotFound(
            "this link does not lead to a study. Compare the address with the one you were given."
        )
    return Link(**row)


def links_of(conn: Connection, study: str, kinds: Sequence[str] = LINK_KINDS) -> tuple[Link, ...]:
    query = select(links).where(links.c.study == study, links.c.kind.in_(kinds))
    rows = conn.execute(query.order_by(links.c.created_ms, links.c.token))
    return tuple(Link(**row._mapping) for row in rows)


def use_link(conn: Connection, token: str, session: str) -> None:
    conn.execute(update(links).where(links.c.token == token).values(used_by=session))

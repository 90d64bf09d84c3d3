"""Finding the link through which simulated participants come: it marks their sessions for ever."""

from __future__ import annotations

from believable.core.errors import NotFound
from believable.store import links, sessions, studies
from believable.store.engine import Store
from believable.store.pools import pool_of


def link_token(store: Store, study_id: str, kind: str = "simulated") -> str:
    """The token of the study's first link of this kind."""
    store.read(lambda conn: studies.get(conn, study_id))
    found = store.read(lambda conn: links.of_study(conn, study_id, (kind,)))
    if not found:
        raise NotFound(f"study {study_id!r} has no {kind} link. Publish it again with: believable serve")
    return found[0].token


def sessions_so_far(store: Store, study_id: str, kind: str = "simulated") -> int:
    """How many sessions of this kind the study has had."""
    return store.read(lambda conn: sessions.next_number(conn, study_id, pool_of(kind))) - 1

"""Does the store hold exactly what the participants did? Compared event by event with their own
logs.
"""

from __future__ import annotations

from collections.abc import Iterable

from believable.core.errors import NotFound
from believable.core.ids import token_hash
from believable.simulate.client import Participant
from believable.store import event_log, sessions
from believable.store.engine import Store


def differences(store: Store, browsers: Iterable[Participant]) -> list[str]:
    """What is missing, changed, doubled or out of order, in words; empty when everything is
    right.
    """
    return [line for browser in browsers for line in _of_one(store, browser)]


def _of_one(store: Store, browser: Participant) -> list[str]:
    name = f"session of token {browser.token[:6]}…"
    try:
        session = store.read(lambda conn: sessions.by_token(conn, token_hash(browser.token)))
    except NotFound:
        return [f"{name}: not stored"]
    stored = store.read(
        lambda conn: [(seq, body) for seq, body, _ in event_log.event_bodies(conn, session.id)]
    )
    expected = list(enumerate(browser.log, start=1))
    acknowledged = expected[: browser.acked]
    problems = []
    if stored[: len(acknowledged)] != acknowledged:
        problems.append(
            f"{name}: {len(acknowledged)} events were acknowledged, and the first"
            f" {len(acknowledged)} stored differ"
        )
    if stored != expected[: len(stored)]:
        problems.append(
            f"{name}: stored {len(stored)} events that are not a beginning of the {len(expected)}"
            " that happened"
        )
    if session.head_seq != len(stored) or session.head_hash != browser.head_at(session.head_seq):
        problems.append(
            f"{name}: the stored chain ends at event {session.head_seq} with another head"
        )
    if store.read(lambda conn: event_log.strays_of(conn, session.id)):
        problems.append(f"{name}: has events outside the chain")
    return problems

"""Every broken chain in a live database is found."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import delete, update

from believable.store import event_checks
from believable.store.backups import broken_chains
from believable.store.engine import Store
from believable.store.sessions import Session
from believable.store.tables.collected import events as table


def test_chains_are_recomputed(
    store: Store, make_session: Callable[..., Session], body: Callable[..., str]
) -> None:
    for number in (1, 2, 3, 4):
        make_session(store, number)
        store.append(
            event_checks.check_batch(
                f"token-{number}", 1, [(seq, body(seq)) for seq in (1, 2, 3, 5)]
            )
        )
    assert store.read(lambda conn: list(broken_chains(conn))) == []
    changes = [
        update(table).where(table.c.session == "session-2", table.c.seq == 2).values(body=body(99)),
        delete(table).where(table.c.session == "session-3", table.c.seq == 2),
        delete(table).where(table.c.session == "session-4", table.c.seq == 5),
    ]
    for change in changes:
        store.write(lambda conn, change=change: conn.execute(change) and None)
    found = store.read(lambda conn: list(broken_chains(conn)))
    assert [line.split(":")[0] for line in found] == [
        "session session-2",
        "session session-3",
        "session session-4",
    ]

"""Group commit: one commit for all who wait, each change for itself, answers only afterwards."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest
from sqlalchemy import Connection, event, insert, select
from sqlalchemy.exc import IntegrityError

from believable.core.errors import InvalidInput, Refused, Unavailable
from believable.store import audit_log, event_checks, sessions
from believable.store.engine import Store
from believable.store.sessions import Session

pytestmark = pytest.mark.both_databases

MakeSession = Callable[..., Session]
Body = Callable[..., str]


def note(what: str) -> Callable[[Connection], None]:
    return lambda conn: audit_log.note_audit(conn, user="u", what=what, at_ms=0)


def noted(store: Store) -> list[str]:
    return [entry.what for entry in reversed(store.read(audit_log.recent_audit))]


def held(store: Store) -> tuple[threading.Event, asyncio.Future[None] | object]:
    """Block the writer inside a change, so that others pile up behind it."""
    release, inside = threading.Event(), threading.Event()

    def block(conn: Connection) -> None:
        inside.set()
        assert release.wait(20)

    waiting = store._writer.submit(block)
    assert inside.wait(20)
    return release, waiting


def test_all_who_wait_share_one_commit(store: Store) -> None:
    commits: list[object] = []
    event.listen(store.database.writer, "commit", commits.append)
    release, _ = held(store)
    futures = [store._writer.submit(note(str(i))) for i in range(50)]
    release.set()
    for future in futures:
        future.result(20)
    assert noted(store) == [str(i) for i in range(50)]
    assert len(commits) == 2, "the blocking change, then everybody else together"


def test_a_failing_change_fails_alone(store: Store) -> None:
    release, _ = held(store)

    def bad(conn: Connection) -> None:
        note("half done")(conn)
        raise InvalidInput("not this one")

    def worse(conn: Connection) -> None:
        conn.exec_driver_sql("SELECT nothing FROM nowhere")

    futures = [
        store._writer.submit(change) for change in (note("a"), bad, note("b"), worse, note("c"))
    ]
    release.set()
    errors = [future.exception(20) for future in futures]
    assert [type(error).__name__ for error in errors[:3]] == [
        "NoneType",
        "InvalidInput",
        "NoneType",
    ]
    assert errors[3] is not None
    assert errors[4] is None
    assert noted(store) == ["a", "b", "c"]


def test_a_returned_error_is_raised_after_storing(store: Store) -> None:
    def refuse(conn: Connection) -> Refused:
        note("failed try")(conn)
        return Refused("no")

    with pytest.raises(Refused, match="no"):
        store.write(refuse)
    assert noted(store) == ["failed try"]


def test_nobody_is_answered_before_the_commit(store: Store) -> None:
    seen: list[bool] = []
    event.listen(store.database.writer, "commit", lambda conn: seen.append(future.done()))
    release, _ = held(store)
    future = store._writer.submit(note("x"))
    release.set()
    future.result(20)
    assert seen == [False, False]


def test_batches_and_changes_mix(store: Store, make_session: MakeSession, body: Body) -> None:
    for number in (1, 2, 3):
        make_session(store, number)
    release, _ = held(store)
    waiting = [
        store._writer.submit(event_checks.check_batch("token-1", 1, [(1, body(1))])),
        store._writer.submit(note("between")),
        store._writer.submit(event_checks.check_batch("nobody", 1, [(1, body(1))])),
        store._writer.submit(event_checks.check_batch("token-2", 1, [(2, body(2))])),
        store._writer.submit(event_checks.check_batch("token-1", 1, [(2, body(2))])),
    ]
    release.set()
    assert waiting[0].result(20) == 2, "both batches of a session are in when the first is answered"
    assert type(waiting[2].exception(20)).__name__ == "NotFound"
    assert waiting[3].result(20) == 0
    assert waiting[4].result(20) == 2
    assert noted(store) == ["between"]


def test_a_batch_that_cannot_be_stored_fails_alone(
    store: Store, make_session: MakeSession, body: Body
) -> None:
    """Session 1's bookkeeping denies an event that is there: storing it again must fail, loudly,
    and only for this session.
    """
    for number in (1, 2):
        make_session(store, number)
    store.append(event_checks.check_batch("token-1", 1, [(1, body(1))]))
    store.write(lambda conn: sessions.change(conn, "session-1", head_seq=0, top_seq=0))
    release, _ = held(store)
    broken = store._writer.submit(event_checks.check_batch("token-1", 1, [(1, body(1))]))
    sound = store._writer.submit(event_checks.check_batch("token-2", 1, [(1, body(1))]))
    release.set()
    assert isinstance(broken.exception(20), IntegrityError)
    assert sound.result(20) == 1


def test_coroutines_are_answered_and_may_give_up(store: Store) -> None:
    async def run() -> None:
        release, _ = held(store)
        impatient = asyncio.ensure_future(store.awrite(note("impatient")))
        patient = [asyncio.ensure_future(store.awrite(note(str(i)))) for i in range(5)]
        await asyncio.sleep(0)
        impatient.cancel()
        release.set()
        await asyncio.gather(*patient)
        assert await store.aread(lambda conn: len(audit_log.recent_audit(conn))) == 6, (
            "what was given up is stored all the same"
        )

    asyncio.run(run())


def test_a_change_may_not_wait_for_another(store: Store) -> None:
    with pytest.raises(RuntimeError, match="same connection"):
        store.write(lambda conn: store.write(note("inner")))


def test_closing_finishes_what_waits_and_refuses_more(store: Store, database_url: str) -> None:
    release, _ = held(store)
    futures = [store._writer.submit(note(str(i))) for i in range(10)]
    threading.Timer(0.05, release.set).start()
    store.close()
    assert all(future.done() for future in futures)
    with pytest.raises(Unavailable, match="closed"):
        store.write(note("late"))
    with Store.open(database_url) as again:
        assert len(noted(again)) == 10


def test_a_group_limit_of_one_commits_each_change(database_url: str) -> None:
    with Store.open(database_url, group_limit=1) as store:
        commits: list[object] = []
        event.listen(store.database.writer, "commit", commits.append)
        release, _ = held(store)
        futures = [store._writer.submit(note(str(i))) for i in range(5)]
        release.set()
        for future in futures:
            future.result(20)
        assert len(commits) == 6


def test_reading_sees_only_what_is_committed(store: Store) -> None:
    from believable.store.tables.accounts import audit as table  # noqa: PLC0415

    inside, release = threading.Event(), threading.Event()

    def slow(conn: Connection) -> None:
        conn.execute(insert(table).values(user="u", what="x", at_ms=0))
        inside.set()
        assert release.wait(20)

    future = store._writer.submit(slow)
    assert inside.wait(20)
    assert store.read(lambda conn: conn.execute(select(table)).all()) == []
    release.set()
    future.result(20)
    assert len(store.read(lambda conn: conn.execute(select(table)).all())) == 1

"""Batches that are duplicated, reordered, truncated, gapped, or from an older tab, against a
model.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event, update

from believable.core import event_chain
from believable.core.clock import VirtualClock
from believable.core.errors import Conflict, InvalidInput, NotFound, Refused, TakenOver, Withdrawn
from believable.store import event_checks, event_log, sessions
from believable.store.database import Database
from believable.store.engine import Store
from believable.store.event_checks import EventBatch
from believable.store.event_log import SEQ_WINDOW
from believable.store.sessions import Session
from believable.store.tables.collected import sessions as sessions_table
from tests.waiting import wait_until

pytestmark = pytest.mark.both_databases

MakeSession = Callable[..., Session]
Body = Callable[..., str]


def stored(store: Store, session: str) -> dict[int, str]:
    return store.read(
        lambda conn: {seq: body for seq, body, _ in event_log.event_bodies(conn, session)}
    )


def strays(store: Store, session: str) -> list[tuple[int, int, str]]:
    return store.read(
        lambda conn: [
            (epoch, seq, body) for epoch, seq, body, _ in event_log.strays_of(conn, session)
        ]
    )


def row(store: Store, session: str) -> Session:
    found = store.read(lambda conn: sessions.by_id(conn, session))
    assert found is not None
    return found


def send(
    store: Store, seqs: list[int], body: Body, *, epoch: int = 1, token: str = "token-1"
) -> int:
    return store.append(event_checks.check_batch(token, epoch, [(seq, body(seq)) for seq in seqs]))


def test_a_batch_is_acknowledged_and_extends_the_chain(
    store: Store, clock: VirtualClock, make_session: MakeSession, body: Body
) -> None:
    session = make_session(store)
    clock.advance(5)
    assert send(store, [1, 2, 3], body) == 3
    after = row(store, session.id)
    assert (after.head_seq, after.top_seq) == (3, 3)
    assert after.head_hash == event_chain.extend(
        event_chain.origin(session.id), [body(1), body(2), body(3)]
    )
    assert after.seen_ms == clock.now_ms()
    assert after.reserved_until_ms == clock.now_ms() + session.reservation_ms


def test_sending_again_changes_nothing(store: Store, make_session: MakeSession, body: Body) -> None:
    session = make_session(store)
    assert send(store, [1, 2], body) == 2
    before = row(store, session.id).head_hash
    assert send(store, [1, 2], body) == 2
    assert send(store, [2, 3], body) == 3
    assert stored(store, session.id) == {1: body(1), 2: body(2), 3: body(3)}
    assert row(store, session.id).head_hash == event_chain.extend(before, [body(3)])


def test_a_gap_is_stored_but_not_acknowledged_past(
    store: Store, make_session: MakeSession, body: Body
) -> None:
    session = make_session(store)
    assert send(store, [1, 4, 5], body) == 1
    assert row(store, session.id).top_seq == 5
    assert send(store, [3], body) == 1
    assert send(store, [2], body) == 5
    everything = [body(seq) for seq in range(1, 6)]
    assert row(store, session.id).head_hash == event_chain.extend(
        event_chain.origin(session.id), everything
    )


def test_other_content_under_a_stored_number_is_a_conflict_with_an_alarm(
    store: Store, make_session: MakeSession, body: Body
) -> None:
    session = make_session(store)
    send(store, [1, 2], body)
    with pytest.raises(Conflict, match=r"event 2 is stored with other content"):
        store.append(event_checks.check_batch("token-1", 1, [(2, body(99)), (3, body(3))]))
    assert stored(store, session.id) == {1: body(1), 2: body(2)}
    assert strays(store, session.id) == [(1, 2, body(99)), (1, 3, body(3))]
    assert [alarm.kind for alarm in store.alarms()] == ["chain_conflict"]
    with pytest.raises(Conflict):
        store.append(event_checks.check_batch("token-1", 1, [(2, body(99))]))
    assert len(store.alarms()) == 1, "the same alarm is not raised twice"
    assert send(store, [3], body) == 3, "the session goes on"


def test_what_an_older_tab_sends_is_kept_beside_the_chain(
    store: Store, make_session: MakeSession, body: Body
) -> None:
    session = make_session(store, epoch=2)
    send(store, [1], body, epoch=2)
    with pytest.raises(TakenOver, match="another tab"):
        send(store, [1, 2], body, epoch=1)
    assert strays(store, session.id) == [(1, 2, body(2))], "event 1 is in the chain already"
    with pytest.raises(TakenOver):
        send(store, [1], body, epoch=1)
    assert stored(store, session.id) == {1: body(1)}


def test_an_epoch_that_was_never_given_out_is_refused(
    store: Store, make_session: MakeSession, body: Body
) -> None:
    make_session(store)
    with pytest.raises(Conflict, match="Claim the session first"):
        send(store, [1], body, epoch=7)


def test_unknown_withdrawn_and_finished_sessions(
    store: Store, make_session: MakeSession, body: Body
) -> None:
    session = make_session(store)
    send(store, [1], body)
    with pytest.raises(NotFound, match="no session with this address"):
        send(store, [1], body, token="nobody")
    store.write(lambda conn: sessions.change(conn, session.id, state="finished"))
    assert send(store, [1], body) == 1, "sending again is still answered"
    with pytest.raises(Refused, match="finished"):
        send(store, [2], body)
    assert strays(store, session.id) == [(1, 2, body(2))]
    store.write(lambda conn: sessions.withdraw(conn, session, 0))
    with pytest.raises(Withdrawn):
        send(store, [1], body)


def test_sending_an_old_event_again_reads_only_that_one(
    store: Store, make_session: MakeSession, body: Body
) -> None:
    session = make_session(store)
    send(store, list(range(1, 101)), body)
    read: list[str] = []
    listener = lambda conn, cursor, statement, *_: read.append(statement)  # noqa: E731
    event.listen(store.database.writer, "before_cursor_execute", listener)
    assert send(store, [1, 100, 101], body) == 101
    bodies = [statement for statement in read if "events.body" in statement]
    assert len(bodies) == 1
    assert "IN" in bodies[0]
    assert len(stored(store, session.id)) == 101


def test_numbers_far_ahead_are_refused(store: Store, make_session: MakeSession, body: Body) -> None:
    session = make_session(store)
    with pytest.raises(InvalidInput, match="ahead of the last complete one"):
        send(store, [SEQ_WINDOW + 1], body)
    assert send(store, [SEQ_WINDOW], body) == 0
    assert list(stored(store, session.id)) == [SEQ_WINDOW]


# One step: who sends (an epoch back), which slice, how it is damaged.
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("send"),
            st.integers(0, 2),  # epochs behind the current one
            st.integers(1, 12),
            st.lists(
                st.integers(0, 11), max_size=12
            ),  # offsets: duplicated, reordered, gapped, truncated
        ),
        st.tuples(st.just("claim"), st.just(0), st.just(0), st.just([])),
        st.tuples(st.just("forge"), st.just(0), st.integers(1, 12), st.just([])),
    ),
    max_size=12,
)


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_any_mix_of_batches_agrees_with_the_model(
    kind: str,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    make_session: MakeSession,
    body: Body,
) -> None:
    """The model: a dict of what was accepted; the chain is over its gap-free beginning; nothing
    sent is lost.
    """
    if kind == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('model') / 'believable.db'}"
    else:
        url = request.getfixturevalue("postgres").new_database()
    with Store.open(url, clock=VirtualClock(), linger_s=0) as store:
        count = iter(range(1, 1_000_000))

        @settings(max_examples=60 if kind == "sqlite" else 25)
        @given(STEPS)
        def run(steps: list[tuple[str, int, int, list[int]]]) -> None:
            number = next(count)
            session = make_session(store, number)
            token, epoch = f"token-{number}", 1
            accepted: dict[int, str] = {}
            sent: set[tuple[int, str]] = set()
            for what, behind, start, offsets in steps:
                if what == "claim":
                    epoch += 1
                    change = (
                        update(sessions_table)
                        .where(sessions_table.c.id == session.id)
                        .values(epoch=epoch)
                    )
                    store.write(lambda conn, change=change: conn.execute(change) and None)
                    continue
                pairs = (
                    [(start + offset, body(start + offset)) for offset in offsets]
                    if what == "send"
                    else []
                )
                if what == "forge":
                    pairs = [(start, body(-start))]
                used = max(0, epoch - behind)
                sent |= set(pairs)
                clash = any(accepted.get(seq, text) != text for seq, text in pairs)
                batch = event_checks.check_batch(token, used, pairs)
                if used < epoch:
                    with pytest.raises(TakenOver):
                        store.append(batch)
                elif clash:
                    with pytest.raises(Conflict):
                        store.append(batch)
                else:
                    accepted |= dict(pairs)
                    assert store.append(batch) == _contiguous(accepted)
            head = _contiguous(accepted)
            after = row(store, session.id)
            assert stored(store, session.id) == accepted
            assert (after.head_seq, after.top_seq) == (head, max(accepted, default=0))
            in_order = [accepted[seq] for seq in range(1, head + 1)]
            assert after.head_hash == event_chain.extend(event_chain.origin(session.id), in_order)
            kept = {(seq, text) for _, seq, text in strays(store, session.id)} | set(
                accepted.items()
            )
            assert sent <= kept

        run()


def _contiguous(accepted: dict[int, str]) -> int:
    seq = 0
    while seq + 1 in accepted:
        seq += 1
    return seq


@pytest.mark.postgres
def test_batches_lock_their_sessions_in_one_order(
    postgres: Any, make_session: MakeSession, body: Body
) -> None:
    """Whoever waits for a session holds none that comes after it, so that two processes never wait
    for each other in a circle.
    """
    with Store.open(postgres.clean_database()) as store:
        # The first one by id comes last in the table and in the index of tokens: only the declared
        # order puts it first.
        tokens = {3: "a" * 64, 2: "b" * 64, 1: "c" * 64}
        for number, token in tokens.items():
            make_session(store, number, token_hash=token)
        batches = [EventBatch(token, 1, ((1, body(1)),)) for token in tokens.values()]
        lock = "SELECT id FROM sessions WHERE id = %s FOR UPDATE"
        database = store.database
        with database.reader.connect() as holder, ThreadPoolExecutor(1) as pool:
            with holder.begin():
                holder.exec_driver_sql(lock, ("session-1",))
                waiting = pool.submit(_apply_batches, database, batches)
                _until_somebody_waits(database)
                holder.exec_driver_sql(f"{lock} NOWAIT", ("session-3",))
                holder.exec_driver_sql(f"{lock} NOWAIT", ("session-2",))
            assert waiting.result(timeout=30) == [1, 1, 1]


def _apply_batches(database: Database, batches: list[EventBatch]) -> list[object]:
    with database.writer.connect() as conn, conn.begin():
        return list(event_log.apply(conn, batches, 1))


def _until_somebody_waits(database: Database) -> None:
    query = "SELECT count(*) FROM pg_locks WHERE NOT granted"

    def waits() -> bool:
        with database.reader.connect() as conn, conn.begin():
            return bool(conn.exec_driver_sql(query).scalar())

    wait_until(waits, "nobody waits for the lock", 30)

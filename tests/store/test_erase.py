"""Withdrawing really deletes: rows, and bytes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, select

from believable.bundle.session_records import ClosedTrial, ViewCheck
from believable.contracts.inputs import InputChange
from believable.core.errors import NotFound, Withdrawn
from believable.core.ids import token_hash
from believable.store import (
    audit_log,
    event_checks,
    event_log,
    evidence,
    review,
    rounds,
    sessions,
    view_checks,
)
from believable.store.clip_draws import store_draw
from believable.store.engine import Store
from believable.store.rounds import RoundKey
from believable.store.sessions import Session
from believable.store.tables import coding as coding_tables
from believable.store.tables.collected import blobs, tombstones
from believable.store.tables.metadata import metadata
from believable.store.tables.review import review_answers, review_keys, review_sessions
from believable.study.pool_draw import DrawnName

MakeSession = Callable[..., Session]
Body = Callable[..., str]
CHECK = ViewCheck(
    position=0,
    run=0,
    player=0,
    length_ms=1,
    media_bytes=1,
    sent_bytes=1,
    open_ms=1,
    needed_ms=1,
    possible=True,
)


def code(conn: Connection, session: Session, words: str) -> None:
    """A text of this session on the coder's desk, coded, decided, and sent once more by a tab that
    was taken over.
    """
    name, at = f"project-{session.number}", {"session": session.id, "received_ms": 0}
    made = {"id": name, "pool": "real", "title": "t", "sources": "[]", "seed": 1, "created_ms": 0}
    conn.execute(insert(coding_tables.coding_projects).values(**made))
    text = {
        "project": name,
        "number": 1,
        "session": session.id,
        "place": "p",
        "text": f"{words} text",
        "about": "{}",
    }
    conn.execute(insert(coding_tables.coding_texts).values(**text))
    log = {"id": f"log-{session.number}", "project": name, "coder": "c", "head_hash": ""}
    conn.execute(insert(coding_tables.coding_logs).values(**log))
    sent = {"log": log["id"], "seq": 1, "body": f"{words} memo", **at}
    conn.execute(insert(coding_tables.coding_operations).values(**sent))
    conn.execute(insert(coding_tables.coding_strays).values(**sent, epoch=1))
    mark = {
        "project": name,
        "round": 1,
        "number": 1,
        "session": session.id,
        "body": f"{words} mark",
        "version": 1,
    }
    flags = {"done": True, "suggested": False, "review": False}
    conn.execute(insert(coding_tables.coding_marks).values(**mark, **flags, coder="c", at_ms=0))
    conn.execute(
        insert(coding_tables.coding_outcomes).values(
            **mark, how="discussed", note=words, user="u", at_ms=0
        )
    )


def fill(store: Store, session: Session, body: Body, words: str) -> None:
    """Something of this session in every table that can hold something."""
    number = session.number
    store.append(
        event_checks.check_batch(
            f"token-{number}",
            1,
            [(n, body(n, text=f"{words} {n} " + "z" * 6000)) for n in range(1, 6)],
        )
    )
    store.write(lambda conn: sessions.change(conn, session.id, epoch=2))
    with pytest.raises(Exception, match="another tab"):
        store.append(
            event_checks.check_batch(f"token-{number}", 1, [(9, body(9, text=f"{words} stray"))])
        )

    def more(conn: Connection) -> None:
        row = ClosedTrial(
            position=0,
            run=0,
            key="about",
            status="done",
            attempts=1,
            submit_seq=1,
            answers={"why": f"{words} answer"},
            opened_ms=0,
            closed_ms=0,
        )
        sessions.close_trial(conn, session.id, row)
        review.add_decision(
            conn, session=session.id, kind="keep", reason=f"{words} reason", user="u", at_ms=0
        )
        audit_log.note_audit(
            conn, user="u", what=f"rejected: {words} reason", at_ms=0, session=session.id
        )
        blob = {
            "session": session.id,
            "name": "r",
            "media_type": "video/mp4",
            "body": f"{words} blob".encode(),
        }
        conn.execute(insert(blobs).values(**blob))
        key = RoundKey(session.id, 0, 0, 1)
        rounds.create(conn, key, setup=f'"{words} setup"', holder="h", at_ms=0)
        rounds.append(conn, [rounds.Piece(key, "h", 3, [InputChange(0, 1, (1, 0, 90, 0, 0))])])
        view_checks.note_sent(conn, session.token_hash, "m", 5)
        view_checks.put_checks(conn, session.id, [CHECK], refused=False)
        code(conn, session, words)
        queue(conn, session, words)

    store.write(more)


def queue(conn: Connection, session: Session, words: str) -> None:
    row = {
        "study": "study",
        "pool": "real",
        "session": session.id,
        "number": session.number,
        "position": 0,
        "ordinal": 1,
    }
    about = {
        "trial_key": "about",
        "question": "why",
        "pasted": 0,
        "digest": f"{words} digest",
        "alike": "[]",
    }
    put = conn.execute(insert(review_answers).values(**row, **about, kinds="", n_kinds=0))
    assert put.inserted_primary_key is not None
    conn.execute(insert(review_keys).values(key=5, answer=put.inserted_primary_key[0]))
    evidence.put_shares(
        conn, session=session.id, study=session.study, pool="real", shares={"agent": Fraction(2, 3)}
    )
    evidence.put_draw(conn, session.id, "agent", 0.5)
    drawn = DrawnName(place="trials", number=0, kind="stimulus", name=f"{words}_clip")
    store_draw(conn, session.id, (drawn,))
    progress = {"run": 0, "position": 0, "state": "active", "closed": 0, "seq": 1}
    conn.execute(insert(review_sessions).values(session=session.id, **progress))


def settled(store: Store) -> None:
    """Returns when the writer has tidied up twice: it does so after it has answered a change."""
    for _ in range(3):
        store.write(lambda conn: None)


def holds_session(conn: Connection, session_id: str) -> set[str]:
    return {
        table.name
        for table in metadata.sorted_tables
        if "session" in table.c
        and conn.execute(select(table).where(table.c.session == session_id)).first() is not None
    }


def test_every_table_is_emptied_of_the_session_and_a_tombstone_counts_it(
    store: Store, make_session: MakeSession, body: Body
) -> None:
    session, other = make_session(store, 1), make_session(store, 2)
    fill(store, session, body, "gone")
    fill(store, other, body, "stays")
    full = {table.name for table in sessions.OF_SESSION} | {"audit"}
    assert store.read(lambda conn: holds_session(conn, session.id)) == full
    everything = {table.name for table in metadata.sorted_tables if "session" in table.c}
    assert everything == full | {"tombstones"}, "a new table with sessions in it must be erased too"
    store.write(lambda conn: sessions.withdraw(conn, session, 5))
    assert store.read(lambda conn: holds_session(conn, session.id)) == {"tombstones"}
    assert store.read(lambda conn: holds_session(conn, other.id)) == full
    assert store.read(lambda conn: len(conn.execute(select(review_keys)).all())) == 1
    stone = store.read(lambda conn: conn.execute(select(tombstones)).one())
    assert (stone.session, stone.study, stone.link_kind, stone.number, stone.withdrawn_ms) == (
        "session-1",
        "study",
        "open",
        1,
        5,
    )
    with pytest.raises(Withdrawn, match="everything of it deleted"):
        store.read(lambda conn: sessions.by_token(conn, token_hash("token-1")))
    with pytest.raises(NotFound):
        store.read(lambda conn: sessions.by_token(conn, token_hash("token-9")))
    assert store.read(lambda conn: sessions.next_number(conn, "study", ("open",))) == 3


def test_not_one_byte_is_left_in_the_sqlite_files(
    tmp_path: Path, make_session: MakeSession, body: Body
) -> None:
    path = tmp_path / "b.db"
    with Store.open(f"sqlite:///{path}") as store:
        session, other = make_session(store, 1, recruiter_hash="f" * 64), make_session(store, 2)
        fill(store, session, body, "unmistakable-words")
        fill(store, other, body, "other-words")
        before = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert b"unmistakable-words" in before
        store.write(lambda conn: sessions.withdraw(conn, session, 5))
        settled(store)
        after = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        for trace in (b"unmistakable-words", b"f" * 64, b"z" * 6000 + b"unm"):
            assert trace not in after
        assert b"other-words" in after


def test_the_log_is_emptied_later_when_somebody_is_reading(
    tmp_path: Path, make_session: MakeSession, body: Body
) -> None:
    path = tmp_path / "b.db"
    with Store.open(f"sqlite:///{path}") as store:
        session = make_session(store)
        fill(store, session, body, "unmistakable-words")
        with store.database.reader.connect() as reading, reading.begin():
            assert len(list(event_log.event_bodies(reading, session.id))) == 5
            store.write(lambda conn: sessions.withdraw(conn, session, 5))
            assert len(list(event_log.event_bodies(reading, session.id))) == 5, (
                "a reader keeps its moment"
            )
        settled(store)
        after = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert b"unmistakable-words" not in after


def test_a_later_change_does_not_forget_that_the_log_must_be_emptied(
    tmp_path: Path, make_session: MakeSession, body: Body
) -> None:
    """The first attempt to empty the log fails; another change is stored before the second."""
    path = tmp_path / "b.db"
    with Store.open(f"sqlite:///{path}") as store:
        session = make_session(store)
        fill(store, session, body, "unmistakable-words")
        with store.database.reader.connect() as reading, reading.begin():
            assert len(list(event_log.event_bodies(reading, session.id))) == 5
            store.write(lambda conn: sessions.withdraw(conn, session, 5))
            store.write(lambda conn: audit_log.note_audit(conn, user="u", what="x", at_ms=0))
            settled(store)
        settled(store)
        after = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"unmistakable-words" not in after

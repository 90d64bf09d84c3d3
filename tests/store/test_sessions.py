"""Sessions: looking up, numbering, and who holds a place."""

from __future__ import annotations

from collections.abc import Callable

from believable.store import sessions
from believable.store.engine import Store
from believable.store.sessions import POOLS, FilledCell, Session, pool_of

MakeSession = Callable[..., Session]


def test_a_session_comes_back_as_it_was_stored(store: Store, make_session: MakeSession) -> None:
    session = make_session(
        store,
        4,
        arms={"b": "x", "a": "y"},
        rows={"clips": 3},
        seed=2**63 - 1,
        recruiter_extra={"S": "h"},
    )
    assert store.read(lambda conn: sessions.by_id(conn, session.id)) == session
    assert store.read(lambda conn: sessions.by_code(conn, "code-4")) == session
    assert store.read(lambda conn: sessions.by_id(conn, "nobody")) is None


def test_a_person_is_found_within_study_and_pool(store: Store, make_session: MakeSession) -> None:
    make_session(store, 1, recruiter_hash="ada")
    make_session(store, 2, recruiter_hash="ada")
    make_session(store, 3, recruiter_hash="ada", link_kind="simulated")

    def find(study: str, who: str, pool: str) -> list[int]:
        return [
            found.number
            for found in store.read(
                lambda conn: sessions.by_recruiter(conn, study, who, POOLS[pool])
            )
        ]

    assert find("study", "ada", "real") == [2, 1], "the latest first"
    assert find("study", "ada", "simulated") == [3]
    assert find("study", "bea", "real") == []
    assert find("other", "ada", "real") == []


def test_numbers_count_within_a_pool(store: Store, make_session: MakeSession) -> None:
    make_session(store, 1)
    make_session(store, 2, link_kind="personal")
    make_session(store, 7, link_kind="preview")
    for kind, number in {"open": 3, "personal": 3, "preview": 8, "simulated": 1}.items():
        assert (
            store.read(lambda conn, kind=kind: sessions.next_number(conn, "study", pool_of(kind)))
            == number
        )


def test_who_holds_a_place(store: Store, make_session: MakeSession) -> None:
    now_ms = 1_000
    rows: list[tuple[dict[str, object], bool]] = [
        ({"state": "active", "reserved_until_ms": 1_001}, True),
        ({"state": "active", "reserved_until_ms": 1_000}, False),
        ({"state": "finished", "outcome": "complete"}, True),
        ({"state": "finished", "outcome": "complete", "rejected": True}, False),
        ({"state": "finished", "outcome": "screened_out"}, False),
        ({"state": "finished", "outcome": "declined", "reserved_until_ms": 5_000}, False),
        ({"state": "finished", "outcome": "complete", "link_kind": "simulated"}, False),
        ({"state": "finished", "outcome": "complete", "link_kind": "personal"}, True),
    ]
    for number, (values, holds) in enumerate(rows, 1):
        make_session(store, number, arms={"holds": str(holds)}, **values)
    filled = store.read(lambda conn: sessions.count_filled(conn, "study", POOLS["real"], now_ms))
    assert filled == (FilledCell({"holds": "True"}, {}, 3),)

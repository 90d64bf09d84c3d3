"""A store of each kind, and sessions to put events into."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Connection, insert, select

from believable.core import event_chain, ids
from believable.core.clock import VirtualClock
from believable.store import migration, sessions
from believable.store.database import Database
from believable.store.engine import Store
from believable.store.sessions import Session
from believable.store.tables.collected import definitions, studies

MakeSession = Callable[..., Session]
Body = Callable[..., str]


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def store(database_url: str, clock: VirtualClock) -> Iterator[Store]:
    with Store.open(database_url, clock=clock) as opened:
        yield opened


@pytest.fixture
def body() -> Body:
    """The text of an event; `n` makes it different from others."""

    def make(n: int = 0, kind: str = "answer.change", trial: int | None = 0, **data: object) -> str:
        event = {
            "kind": kind,
            "trial": trial,
            "at_ms": 1_750_000_000_000 + n,
            "mono_ms": n,
            "data": data or {"n": n},
        }
        return json.dumps(event)

    return make


@pytest.fixture
def make_session() -> MakeSession:
    """A session in a given store; its token is `token-<number>`."""

    def make(store: Store, number: int = 1, **values: object) -> Session:
        session_id = f"session-{number}"
        fields: dict[str, object] = {
            "id": session_id,
            "token_hash": ids.token_hash(f"token-{number}"),
            "code_hash": f"code-{number}",
            "study": "study",
            "definition": "d" * 64,
            "link_kind": "open",
            "number": number,
            "language": "en",
            "arms": {"tool": "a"},
            "rows": {},
            "seed": 1,
            "recruiter_hash": None,
            "recruiter_extra": {},
            "state": "active",
            "outcome": None,
            "position": 0,
            "run": 0,
            "run_after_seq": 0,
            "wrong_tries": 0,
            "tried_seq": 0,
            "opened_ms": 0,
            "epoch": 1,
            "head_seq": 0,
            "head_hash": event_chain.origin(session_id),
            "top_seq": 0,
            "started_ms": 0,
            "seen_ms": 0,
            "reserved_until_ms": 0,
            "reservation_ms": 7_200_000,
            "finished_ms": None,
            "rejected": False,
        }
        session = Session(**{**fields, **values})  # type: ignore[arg-type]

        def create(conn: Connection) -> None:
            if (
                conn.execute(select(studies.c.id).where(studies.c.id == session.study)).first()
                is None
            ):
                row = {
                    "id": session.study,
                    "title": "T",
                    "state": "open",
                    "definition": session.definition,
                }
                conn.execute(insert(studies).values(**row, created_ms=0))
            known = select(definitions.c.hash).where(definitions.c.hash == session.definition)
            if conn.execute(known).first() is None:
                row = {"hash": session.definition, "study": session.study, "body": "{}"}
                conn.execute(insert(definitions).values(**row, created_ms=0))
            sessions.create(conn, session)

        store.write(create)
        return session

    return make


@pytest.fixture(
    scope="session", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def migrated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """One database of each kind, with empty tables, for tests that undo what they do."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('migrated') / 'believable.db'}"
    else:
        url = request.getfixturevalue("postgres").new_database()
    database = Database(url)
    migration.migrate(database)
    yield database
    database.dispose()


@pytest.fixture
def scratch(migrated: Database) -> Iterator[Connection]:
    """A connection to empty tables. Everything done on it is undone."""
    with migrated.writer.connect() as conn, conn.begin() as transaction:
        yield conn
        transaction.rollback()

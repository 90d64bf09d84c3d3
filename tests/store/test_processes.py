"""Several server processes on one database: nothing is lost, doubled or acknowledged too early."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from believable.core import event_chain
from believable.store import event_log, sessions
from believable.store.engine import Store
from believable.store.sessions import Session

pytestmark = pytest.mark.both_databases

WORKER = Path(__file__).parent / "worker.py"
N_WORKERS, N_SESSIONS, N_EVENTS = 3, 20, 60


def test_processes_share_the_events_of_the_same_sessions(
    database_url: str, store: Store, make_session: Callable[..., Session]
) -> None:
    for number in range(1, N_SESSIONS + 1):
        make_session(store, number)
    workers = [
        subprocess.Popen(
            [
                sys.executable,
                str(WORKER),
                database_url,
                *map(str, (worker, N_WORKERS, N_SESSIONS, N_EVENTS)),
            ],
            stdout=subprocess.PIPE,
        )
        for worker in range(N_WORKERS)
    ]
    acks = [json.loads(worker.communicate(timeout=120)[0]) for worker in workers]
    assert all(worker.returncode == 0 for worker in workers)
    for number in range(1, N_SESSIONS + 1):
        found = store.read(
            lambda conn, number=number: list(event_log.event_bodies(conn, f"session-{number}"))
        )
        assert [seq for seq, _, _ in found] == list(range(1, N_EVENTS + 1))
        row = store.read(lambda conn, number=number: sessions.by_id(conn, f"session-{number}"))
        assert row is not None
        assert row.head_seq == row.top_seq == N_EVENTS
        assert row.head_hash == event_chain.extend(
            event_chain.origin(row.id), [body for _, body, _ in found]
        )
        assert max(acks[worker][number - 1][-1] for worker in range(N_WORKERS)) == N_EVENTS
        for worker in range(N_WORKERS):
            own = acks[worker][number - 1]
            assert own == sorted(own), "an acknowledgement never goes back"

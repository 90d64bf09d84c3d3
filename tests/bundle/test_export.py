"""From the database to the bundle: the same bytes from either database, previews and withdrawn
sessions only counted.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, insert

from believable.bundle.read import read
from believable.bundle.session_records import CollectedSession
from believable.bundle.write import write
from believable.core.clock import VirtualClock
from believable.core.errors import NotFound
from believable.store import studies
from believable.store.bundle_export import export
from believable.store.collected import CHUNK, collected_sessions, version_records
from believable.store.engine import Store
from believable.store.tables.collected import tombstones

Fill = Callable[[Store, Iterable[CollectedSession]], None]


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def fill(making: Any, insert_session: Any) -> Fill:
    def put(store: Store, many: Iterable[CollectedSession]) -> None:
        definition = making.definition

        def study(conn: Connection) -> None:
            studies.put(
                conn,
                "who_plays",
                title="Who plays like a human?",
                definition=definition.hash,
                body=definition.to_json(),
                at_ms=0,
            )

        store.write(study)
        for one in many:
            store.write(lambda conn, one=one: insert_session(conn, one))

    return put


def test_the_store_gives_exactly_what_was_collected(
    database_url: str,
    fill: Fill,
    making: Any,
    some_sessions: tuple[CollectedSession, ...],
    tmp_path: Path,
) -> None:
    with Store.open(database_url, clock=VirtualClock()) as store:
        extra = [making.session(1, link_kind="preview"), making.session(1, link_kind="simulated")]
        fill(store, [*reversed(some_sessions), *extra])
        gone = {"study": "who_plays", "withdrawn_ms": 0}
        store.write(
            lambda conn: conn.execute(
                insert(tombstones),
                [
                    {
                        "session": "w1",
                        "link_kind": "open",
                        "token_hash": "w1",
                        "number": 90,
                        **gone,
                    },
                    {
                        "session": "w2",
                        "link_kind": "personal",
                        "token_hash": "w2",
                        "number": 91,
                        **gone,
                    },
                    {
                        "session": "w3",
                        "link_kind": "simulated",
                        "token_hash": "w3",
                        "number": 92,
                        **gone,
                    },
                ],
            )
        )
        seen: list[tuple[int, int]] = []
        written = export(
            store,
            "who_plays",
            tmp_path / "out",
            progress=lambda done, total: seen.append((done, total)),
        )
        simulated = export(store, "who_plays", tmp_path / "sim", simulated=True)
        versions = store.read(lambda conn: version_records(conn, "who_plays", "real"))
    assert (written.sessions, simulated.sessions) == (6, 1)
    assert seen[-1] == (6, 6)
    named = [
        replace(
            session,
            decisions=tuple(replace(decision, user="reviewer_1") for decision in session.decisions),
        )
        for session in some_sessions
    ]
    study = replace(making.study(withdrawn=2, previews=1), versions=versions)
    direct = write(study, named, tmp_path / "direct")
    assert content(tmp_path / "out") == content(direct.folder)
    found = read(tmp_path / "sim")
    assert found.simulated
    assert found.withdrawn == 1
    assert b"t-o" not in b"".join(content(tmp_path / "out").values())


def test_hostile_text_survives_the_database(
    database_url: str,
    fill: Fill,
    hostile_texts: list[str],
    hostile_sessions: list[CollectedSession],
    tmp_path: Path,
) -> None:
    with Store.open(database_url, clock=VirtualClock()) as store:
        fill(store, hostile_sessions)
        export(store, "who_plays", tmp_path / "out")
    bundle = read(tmp_path / "out")
    found = [row["value_text"] for row in bundle["answers"].rows() if row["question"] == "words"]
    assert found == hostile_texts


def test_an_unknown_study_is_named(database_url: str, fill: Fill, tmp_path: Path) -> None:
    with Store.open(database_url, clock=VirtualClock()) as store:
        fill(store, [])
        with pytest.raises(NotFound, match=r"no study 'who_play' here. Did you mean 'who_plays'"):
            export(store, "who_play", tmp_path / "x")
        export(store, "who_plays", tmp_path / "empty")
    assert len(read(tmp_path / "empty")["participants"]) == 0


def test_memory_is_bounded_by_the_chunk(fill: Fill, making: Any, tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'believable.db'}", clock=VirtualClock()) as store:
        fill(store, (making.session(number, extra_events=60) for number in range(1, 4 * CHUNK + 1)))

        def peak_bytes(limit: int | None) -> int:
            tracemalloc.start()
            with_limit = store.read(
                lambda conn: sum(
                    1 for _ in _first(collected_sessions(conn, "who_plays", simulated=False), limit)
                )
            )
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert with_limit == (limit or 4 * CHUNK)
            return peak

        peak_bytes(1)
        assert peak_bytes(None) < 1.5 * peak_bytes(CHUNK)


def _first(many: Iterable[CollectedSession], limit: int | None) -> Iterable[CollectedSession]:
    for number, one in enumerate(many):
        if limit is not None and number >= limit:
            return
        yield one

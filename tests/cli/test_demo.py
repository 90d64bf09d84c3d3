"""The demo's finished participants: there before it begins, once, and marked as simulated."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from believable.app.study_data import DataOptions
from believable.cli.demo_studies import BEFORE_MS, finish_some, without_people
from believable.core.clock import WallClock
from believable.protocols import READY_STUDIES


def test_some_have_finished_before_the_demo_begins(tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    READY_STUDIES["trace"].copy(folder)
    file = folder / "study.yaml"
    file.write_text(file.read_text().replace("duration_s: 60", "duration_s: 5"))
    settings = DataOptions().settings([folder])
    finish_some(settings, 3)
    with sqlite3.connect(folder / ".believable" / "believable.db") as conn:
        sessions = conn.execute("SELECT link_kind, started_ms FROM sessions").fetchall()
        finished = conn.execute(
            "SELECT count(*) FROM sessions WHERE state = 'finished'"
        ).fetchone()[0]
        rounds = conn.execute("SELECT count(*) FROM rounds WHERE state = 'over'").fetchone()[0]
    conn.close()
    now_ms = WallClock().now_ms()
    assert {kind for kind, _ in sessions} == {"simulated"}
    assert len(sessions) == 3
    assert finished >= 1
    assert rounds >= 2 * finished
    assert all(now_ms - BEFORE_MS - 60_000 <= started_ms <= now_ms for _, started_ms in sessions)
    assert without_people(settings) == (), "a second start adds nobody"

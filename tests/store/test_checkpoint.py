"""The log is folded into the file while people write, and closing leaves one file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from believable.store import event_checks
from believable.store.engine import Store
from believable.store.sessions import Session
from tests.waiting import wait_until


def test_pages_move_into_the_file_by_themselves(
    tmp_path: Path, make_session: Callable[..., Session], body: Callable[..., str]
) -> None:
    path = tmp_path / "b.db"
    with Store.open(f"sqlite:///{path}") as store:
        make_session(store)
        text = "x" * 3_000
        store.append(
            event_checks.check_batch("token-1", 1, [(n, body(n, text=text)) for n in range(1, 200)])
        )
        assert Path(f"{path}-wal").stat().st_size > 500_000
        wait_until(lambda: path.stat().st_size > 500_000, "the log is not folded into the file")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["b.db", "b.db-turn"]

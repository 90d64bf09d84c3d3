"""`believable backup` and `believable restore`, as they are typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from believable.cli.backup import command as backup_command
from believable.cli.backup import restore as restore_command
from believable.store import sessions
from believable.store.engine import Store
from believable.store.sessions import Session


def test_back_up_and_restore(tmp_path: Path, make_session: Callable[..., Session]) -> None:
    data = tmp_path / "data"
    url = f"sqlite:///{data / 'believable.db'}"
    with Store.open(url) as store:
        make_session(store)
        made = CliRunner().invoke(backup_command, ["--data", str(data)], catch_exceptions=False)
        assert made.exit_code == 0, made.output
        assert "1 sessions, 0 events, 0 withdrawn" in made.stdout
        path = Path(made.stdout.splitlines()[0])
        assert path.parent == data / "backups"
        make_session(store, 2)
    checked = CliRunner().invoke(restore_command, [str(path), "--check"], catch_exceptions=False)
    assert "1 sessions" in checked.stdout
    done = CliRunner().invoke(
        restore_command, [str(path), "--data", str(data)], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    assert "before-restore-1" in done.stdout
    with Store.open(url) as store:
        assert store.read(lambda conn: sessions.by_id(conn, "session-2")) is None
        assert store.read(lambda conn: sessions.by_id(conn, "session-1")) is not None

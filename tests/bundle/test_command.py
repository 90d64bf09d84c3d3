"""`believable export`: a folder or a zip, real or simulated, and the cure when there is nothing
yet.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import Connection

from believable.bundle.read import read
from believable.cli import group
from believable.core.clock import VirtualClock
from believable.core.errors import NotFound
from believable.store import studies
from believable.store.engine import Store


@pytest.fixture
def study(tmp_path: Path, making: Any, insert_session: Any) -> Path:
    folder = tmp_path / "pilot"
    folder.mkdir()
    (folder / "study.yaml").write_text("believable: 1\n")
    definition = making.definition
    sessions: Iterable[Any] = [
        making.session(1),
        making.session(2),
        making.session(1, link_kind="simulated"),
    ]

    def fill(conn: Connection) -> None:
        studies.put(
            conn,
            "pilot",
            title="Pilot",
            definition=definition.hash,
            body=definition.to_json(),
            at_ms=0,
        )
        for session in sessions:
            insert_session(conn, session, study="pilot")

    with Store.open(
        f"sqlite:///{folder / '.believable' / 'believable.db'}", clock=VirtualClock()
    ) as store:
        store.write(fill)
    return folder


def run(*arguments: str) -> str:
    result = CliRunner().invoke(group, ["export", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_real_and_simulated_sessions_go_to_bundles_of_their_own(
    study: Path, tmp_path: Path
) -> None:
    assert "2 sessions" in run(str(study), "--out", str(tmp_path / "real"))
    assert "1 simulated sessions" in run(
        str(study), "--simulated", "--out", str(tmp_path / "simulated")
    )
    assert read(tmp_path / "real")["participants"]["simulated"].cells() == (False, False)
    assert read(tmp_path / "simulated")["participants"]["simulated"].cells() == (True,)


def test_the_default_place_is_named_after_the_study(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(str(study))
    run(str(study), "--simulated", "--zip")
    assert read(tmp_path / "pilot-bundle").title == "Pilot"
    assert zipfile.is_zipfile(tmp_path / "pilot-simulated-bundle.zip")


def test_a_zip_holds_the_same_bundle(study: Path, tmp_path: Path) -> None:
    run(str(study), "--zip", "--out", str(tmp_path / "data.zip"))
    first = (tmp_path / "data.zip").read_bytes()
    run(str(study), "--zip", "--out", str(tmp_path / "data.zip"))
    assert (tmp_path / "data.zip").read_bytes() == first
    with zipfile.ZipFile(tmp_path / "data.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    assert len(read(tmp_path / "unpacked" / "data")["participants"]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.zip", "pilot", "unpacked"]


def test_recruiter_hashes_only_when_asked(study: Path, tmp_path: Path) -> None:
    run(str(study), "--out", str(tmp_path / "plain"))
    run(str(study), "--with-recruiter-hashes", "--out", str(tmp_path / "hashed"))
    assert "recruiter_hash" not in read(tmp_path / "plain")["participants"].columns
    assert "recruiter_hash" in read(tmp_path / "hashed")["participants"].columns


def test_without_a_database_the_cure_is_named(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("believable: 1\n")
    with pytest.raises(NotFound, match="Serve the study first"):
        CliRunner().invoke(group, ["export", str(tmp_path)], catch_exceptions=False)

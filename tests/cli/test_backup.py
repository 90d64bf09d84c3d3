"""Backups on a schedule: how many are kept, and the key that goes with them."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from believable.app.backup import key_beside, surplus
from believable.cli import group
from believable.core.errors import Conflict, InvalidInput, NotFound
from believable.core.object_storage import storage_at
from believable.store.backups import last_backup_ms
from believable.web.app import Settings, prepare

STUDY = (
    "believable: 1\ntitle: Kept\nseed: 1\ntimeline:\n  - text: {id: hello, text: Hello.}\n  -"
    " finish: {}\n"
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    study = tmp_path / "kept"
    study.mkdir()
    (study / "study.yaml").write_text(STUDY)
    prepare(Settings(data_dir=tmp_path / "data", study_folders=(study,)))
    return tmp_path / "data"


def test_only_dated_backups_beyond_the_newest_are_surplus() -> None:
    names = ["2027-01-01T000000Z.backup", "2027-01-02T000000Z.backup", "2027-01-03T000000Z.backup"]
    present = ["notes.txt", *names[::-1], "mine.backup", "2027-01-01T000000Z.backup.key"]
    assert surplus(present, 2) == names[:1]
    assert surplus(present, 3) == surplus(present, 9) == surplus(present, None) == []


def test_a_scheduled_backup_keeps_some_and_comes_back_with_its_key(
    data: Path, tmp_path: Path
) -> None:
    safe = tmp_path / "safe"
    safe.mkdir()
    old = safe / "2020-01-01T000000Z.backup"
    old.write_bytes(b"of long ago")
    key_beside(old).write_bytes(b"its key")
    command = ["backup", "--data", str(data), "--into", str(safe), "--keep", "1", "--with-key"]
    result = CliRunner().invoke(group, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert f"Removed {old}" in result.output
    (backup,) = safe.glob("*.backup")
    assert sorted(path.name for path in safe.iterdir()) == [backup.name, key_beside(backup).name]
    assert stat.S_IMODE(os.stat(key_beside(backup)).st_mode) == 0o600
    key = (data / "secret.key").read_bytes()
    assert key_beside(backup).read_bytes() == key

    elsewhere = tmp_path / "new-machine"  # nothing is left of the old one
    again = ["restore", str(backup), "--data", str(elsewhere), "--live-lost"]
    result = CliRunner().invoke(group, again, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "codes and links work again" in result.output
    assert (elsewhere / "secret.key").read_bytes() == key
    (elsewhere / "secret.key").write_text("another\n")
    result = CliRunner().invoke(group, again, catch_exceptions=False)
    assert "is another key than" in result.output, "a key that is there is never replaced"
    assert (elsewhere / "secret.key").read_text() == "another\n"


def test_one_file_or_a_folder_of_them(data: Path) -> None:
    with pytest.raises(InvalidInput, match="Give one or the other"):
        CliRunner().invoke(
            group,
            ["backup", "--data", str(data), "--to", "x.backup", "--keep", "2"],
            catch_exceptions=False,
        )


def test_backups_in_a_bucket_are_kept_checked_and_come_back(
    data: Path, tmp_path: Path, s3: Any
) -> None:
    place = f"{s3.new_bucket()}/believable"
    storage = storage_at(place)
    old = tmp_path / "2020-01-01T000000Z.backup"
    old.write_bytes(b"of long ago")
    for name in (old.name, f"{old.name}.key", "notes.txt"):
        storage.put(name, old)
    run(
        ["backup", "--data", str(data), "--into", place, "--keep", "1", "--with-key"],
        f"Removed {place}/{old.name}",
    )
    backup, key, notes = storage.names()
    assert (key, notes) == (f"{backup}.key", "notes.txt")
    assert not list(data.glob(".backup-*")), "nothing is left beside the data"
    assert last_backup_ms(data) is not None

    run(["restore", f"{place}/{backup}", "--check"], "verified")
    elsewhere = tmp_path / "new-machine"
    words = run(
        ["restore", place, "--data", str(elsewhere), "--live-lost"], "codes and links work again"
    )
    assert f"Taking the newest of 1: {backup}" in words
    assert (elsewhere / "secret.key").read_bytes() == (data / "secret.key").read_bytes()
    assert run(["list", "--data", str(elsewhere)], "Kept")
    (elsewhere / "secret.key").write_text("another\n")
    run(
        ["restore", place, "--data", str(elsewhere), "--live-lost"],
        f"is another key than {place}/{backup}.key",
    )

    run(["backup", "--data", str(data), "--to", f"{place}/monday.backup"], f"{place}/monday.backup")
    with pytest.raises(Conflict, match="exists already"):
        run(["backup", "--data", str(data), "--to", f"{place}/monday.backup"])


def test_a_folder_of_backups_gives_its_newest(data: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no backup named by date and time"):
        run(["restore", str(tmp_path), "--check"])
    run(["backup", "--data", str(data), "--into", str(tmp_path / "safe")])
    run(["restore", str(tmp_path / "safe"), "--check"], "Taking the newest of 1")


def run(words: list[str], expected: str = "") -> str:
    result = CliRunner().invoke(group, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert expected in result.output
    return result.output

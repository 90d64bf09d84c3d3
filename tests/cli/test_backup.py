"""Backups on a schedule: how many are kept, and the key that goes with them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.cli.backup import key_beside, surplus
from believable.core.errors import InvalidInput
from believable.web.app import Settings, prepare

STUDY = "believable: 1\ntitle: Kept\nseed: 1\ntimeline:\n  - text: {id: hello, text: Hello.}\n  - finish: {}\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    study = tmp_path / "kept"
    study.mkdir()
    (study / "study.yaml").write_text(STUDY)
    prepare(Settings(data_dir=tmp_path / "data", study_folders=(study,)))
    return tmp_path / "data"


def test_only_dated_backups_beyond_the_newest_are_surplus(tmp_path: Path) -> None:
    names = ["2027-01-01T000000Z.backup", "2027-01-02T000000Z.backup", "2027-01-03T000000Z.backup"]
    for name in [*names, "mine.backup", "2027-01-01T000000Z.backup.key", "notes.txt"]:
        (tmp_path / name).touch()
    assert [path.name for path in surplus(tmp_path, 2)] == names[:1]
    assert surplus(tmp_path, 3) == []
    assert surplus(tmp_path, 9) == []


def test_a_scheduled_backup_keeps_some_and_comes_back_with_its_key(data: Path, tmp_path: Path) -> None:
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
            group, ["backup", "--data", str(data), "--to", "x.backup", "--keep", "2"], catch_exceptions=False
        )

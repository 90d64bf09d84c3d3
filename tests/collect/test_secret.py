"""The key file: made once, private, and never replaced silently."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from believable.collect.context import load_key
from believable.core.errors import InvalidInput, NotFound


def test_the_key_is_made_once_and_private(tmp_path: Path) -> None:
    key = load_key(tmp_path / "data", {})
    assert len(key) == 32
    assert load_key(tmp_path / "data", {}) == key
    path = tmp_path / "data" / "secret.key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["secret.key"]


@pytest.mark.slow
def test_processes_that_start_together_get_the_same_key(tmp_path: Path) -> None:
    imports = "import sys, pathlib; from believable.collect.context import load_key; "
    code = imports + "print(load_key(pathlib.Path(sys.argv[1]), {}).hex())"
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert len({process.communicate(timeout=60)[0] for process in started}) == 1


def test_a_named_file_is_used_and_never_made(tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.key"
    environment = {"BELIEVABLE_KEY_FILE": str(path)}
    with pytest.raises(NotFound, match="BELIEVABLE_KEY_FILE"):
        load_key(tmp_path, environment)
    path.write_text("ab" * 32)
    assert load_key(tmp_path, environment) == bytes.fromhex("ab" * 32)


@pytest.mark.parametrize("text", ["", "abc", "zz" * 32, "ab" * 31])
def test_a_damaged_key_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "secret.key").write_text(text)
    with pytest.raises(InvalidInput, match="at least 64 hexadecimal digits"):
        load_key(tmp_path, {})

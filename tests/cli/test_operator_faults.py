"""Broken surroundings, as operators meet them: one clear line and an exit code, never a traceback,
and nothing half-written.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from believable.cli import main
from believable.store.backups import backup

NOBODY_THERE = "postgresql://anna:geheim@127.0.0.1:1/z"
Refusal = Callable[..., str]


@pytest.fixture(scope="module")
def taken(made_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo study with two simulated sessions. Do not change it."""
    folder = Path(shutil.copytree(made_demo, tmp_path_factory.mktemp("taken") / "demo"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            sys,
            "argv",
            ["believable", "simulate", str(folder), "--participants", "2", "--processes", "1"],
        )
        with pytest.raises(SystemExit, match="0"):
            main()
    return folder


@pytest.fixture
def refusal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Refusal:
    """What a command says that cannot do its work: the line after `believable: `."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object, code: int = 4) -> str:
        monkeypatch.setattr(sys, "argv", ["believable", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == code
        lines = capsys.readouterr().err.splitlines()
        assert lines[-1].startswith("believable: "), "one line, the last"
        return lines[-1].removeprefix("believable: ")

    return run


@contextmanager
def small_disk(place: Path, kilobytes: int) -> Iterator[Path]:
    """A disk of its own, as large as said."""
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", place],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("this account may not mount a disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("audit",),
        ("export", "--simulated"),
        ("report", "--formats", ""),
        ("analyse",),
        ("preregister",),
        ("simulate", "--participants", "1"),
        ("code", "list"),
        ("backup", "--to", "new.backup"),
        ("backup", "--into", "backups"),
        ("restore", "kept.backup", "--live-lost"),
    ],
    ids=" ".join,
)
def test_a_database_that_does_not_answer(
    taken: Path, refusal: Refusal, tmp_path: Path, words: tuple[str, ...]
) -> None:
    if words[0] == "restore":
        backup(f"sqlite:///{taken / '.believable' / 'believable.db'}", tmp_path / "kept.backup")
    message = refusal(*words, taken, "--database", NOBODY_THERE)
    assert message.startswith("the database postgresql://anna:***@127.0.0.1:1/z cannot be opened: ")
    assert message.endswith("Connection refused. Check its address, and that it runs.")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["kept.backup"] * (
        words[0] == "restore"
    )


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux", reason="disks of any size are mounted as Linux does it"
)
@pytest.mark.parametrize(
    ("words", "kilobytes"),
    [
        (("export", "--simulated", "--out"), 40),
        (("export", "--simulated", "--zip", "--out"), 40),
        (("report", "--formats", "", "--out"), 200),
        (("analyse", "--out"), 20),
        (("audit", "--out"), 4),
        (("publish", "--formats", "", "--licence", "CC-BY-4.0", "--redact", "all", "--out"), 200),
        (("backup", "--to"), 100),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, tuple) else None,
)
def test_no_space(
    taken: Path, refusal: Refusal, tmp_path: Path, words: tuple[str, ...], kilobytes: int
) -> None:
    with small_disk(tmp_path / "full", kilobytes) as disk:
        (disk / "other").write_bytes(
            b"x" * 4096
        )  # so that even a few lines are too much for the smallest
        message = refusal(words[0], taken, *words[1:], disk / "target")
        assert [path.name for path in disk.iterdir()] == ["other"]
    assert str(disk) in message
    assert re.search(
        r"(No space left on device|disk is full|disk I/O error)\. (Free space on|Check that)",
        message,
    )
    assert message.endswith("or name another place.")


def test_a_file_where_the_data_folder_should_be(
    made_demo: Path, refusal: Refusal, tmp_path: Path
) -> None:
    study = Path(shutil.copytree(made_demo, tmp_path / "demo"))
    (study / ".believable").write_text("x")
    for words in (("backup", study), ("simulate", study)):
        message = refusal(*words)
        assert "cannot be made: " in message
        assert message.endswith("Move away the file in the way, or name another.")


def test_an_endpoint_that_is_no_address(
    taken: Path, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.setenv(variable, "drill")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "nonsense")
    assert (
        refusal("backup", taken, "--into", "s3://lab/x", code=1)
        == "environment variable AWS_ENDPOINT_URL: expected http(s)://HOST, got 'nonsense'. Correct"
        " or unset it."
    )
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    message = refusal("restore", "s3://lab/x", taken, "--live-lost")
    assert message.startswith("s3://lab/x: the storage cannot be used now (")
    assert message.endswith(
        "Check the network, AWS_ENDPOINT_URL, AWS_REGION and that credentials are set."
    )

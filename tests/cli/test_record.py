"""`believable record maze`: scripted rounds as recordings; those of people are tested in the browser."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.cli import record as recorder
from believable.core.errors import InvalidInput, MissingExtra, Refused
from believable.pages import KINDS
from believable.protocols import PROTOCOLS
from believable.recordings.file import read
from believable.study.load import load
from believable.worlds import WORLDS


def record(*options: str) -> str:
    result = CliRunner().invoke(group, ["record", "maze", *options], catch_exceptions=False, standalone_mode=False)
    return result.stdout


def test_scripted_rounds_are_recordings_that_repeat_with_the_seed(tmp_path: Path) -> None:
    options = ["--scripted", "--rounds", "2", "--seconds", "6", "--opponent", "0.5", "--size", "15"]
    told = record(str(tmp_path / "a"), *options)
    record(str(tmp_path / "b"), *options)
    record(str(tmp_path / "c"), *options, "--seed", "2", "--name", "maze-0.5")
    files = sorted((tmp_path / "a").iterdir())
    assert [file.name for file in files] == ["maze-0.5-01.replay.json.gz", "maze-0.5-02.replay.json.gz"]
    assert told.split() == [str(file) for file in files]
    first, second = (read(file) for file in files)
    assert first.timing.frames == 180
    assert (first.agent, first.world.kind, first.world.width) == ("frustration-0.5", "maze", 15)
    assert first.world.walls != second.world.walls
    for file in files:
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
        assert file.read_bytes() != (tmp_path / "c" / file.name).read_bytes()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "maze-calm-01.replay.json.gz").write_bytes(b"mine")
    with pytest.raises(Refused, match="exists already"):
        record(str(tmp_path), "--scripted")


@pytest.mark.parametrize(
    ("options", "words"), [(["--opponent", "clam"], "Did you mean 'calm'"), (["--size", "20"], "odd number")]
)
def test_what_cannot_be_played_is_told(tmp_path: Path, options: list[str], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        record(str(tmp_path), "--scripted", *options)


def test_people_at_a_task_are_served_a_study_and_numbered_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("vizdoom", reason="the engine is the extra `doom`")
    served: list[tuple[list[Path], str, dict[str, object]]] = []
    monkeypatch.setattr(recorder, "_by_hand", lambda targets, study, **place: served.append((targets, study, place)))
    folder = tmp_path / "people"
    folder.mkdir()
    (folder / "navigation-007.replay.json.gz").touch()
    options = ["--players", "2", "--runs", "3", "--host", "0.0.0.0", "--port", "8123", "--base-url", "http://lab:8123"]
    CliRunner().invoke(group, ["record", "navigation", str(folder), *options], catch_exceptions=False, standalone_mode=False)
    ((targets, study, place),) = served
    assert [target.name for target in targets[:2]] == ["navigation-008.replay.json.gz", "navigation-009.replay.json.gz"]
    assert len(targets) == 6
    assert (place["host"], place["port"], place["base_url"]) == ("0.0.0.0", 8123, "http://lab:8123")
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.yaml").write_text(study, encoding="utf-8")
    timeline = load(tmp_path / "study", kinds=KINDS, protocols=PROTOCOLS).study.timeline
    assert timeline[1].repeat == 3
    assert WORLDS["doom"].game.options_in(timeline[1].each[0]).goal == "far"


def test_what_films_need_is_named_before_a_round_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    words = ["record", "maze", str(tmp_path / "rounds"), "--scripted", "--rounds", "1", "--seconds", "5", "--video"]
    with pytest.raises(MissingExtra, match=r"believable\[video\]"):
        CliRunner().invoke(group, words, catch_exceptions=False, standalone_mode=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_sigterm_ends_the_server_and_removes_its_folder(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-u", "-m", "believable", "record", "maze", str(tmp_path / "clips"), "--no-browser"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = next(line for line in process.stdout if line.startswith("Play here: ")).split()[-1]
        assert httpx.get(address).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=120) == -signal.SIGTERM
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)
    assert list(tmp_path.glob("believable-record-*")) == []

"""`believable record maze`: scripted rounds as recordings; those of people are tested in the
browser.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result

import believable
from believable.app import record as recorder
from believable.app.record import temporary_folder
from believable.cli import group
from believable.collect.session_rounds import setup_of
from believable.contracts.registries import WORLDS
from believable.core.errors import InvalidInput, MissingExtra, Refused
from believable.recordings.file import read
from believable.study.load import load
from believable.study.plan import Assignment, plan, session_seed


def record(*options: str) -> str:
    result = CliRunner().invoke(
        group, ["record", "maze", *options], catch_exceptions=False, standalone_mode=False
    )
    return result.stdout


def test_scripted_rounds_are_recordings_that_repeat_with_the_seed(tmp_path: Path) -> None:
    options = ["--scripted", "--rounds", "2", "--seconds", "6", "--opponent", "0.5", "--size", "15"]
    told = record(str(tmp_path / "a"), *options)
    record(str(tmp_path / "b"), *options)
    record(str(tmp_path / "c"), *options, "--seed", "2", "--name", "maze-0.5")
    files = sorted((tmp_path / "a").iterdir())
    assert [file.name for file in files] == [
        "maze-0.5-01.replay.json.gz",
        "maze-0.5-02.replay.json.gz",
    ]
    assert told.split() == [str(file) for file in files]
    first, second = (read(file) for file in files)
    assert first.timing.frames == 180
    assert (first.agent, first.world.kind, first.world.width) == ("frustration-0.5", "maze", 15)
    assert first.world.walls != second.world.walls
    for file in files:
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
        assert file.read_bytes() != (tmp_path / "c" / file.name).read_bytes()


def setups_by_hand(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str
) -> list[dict[str, object]]:
    """The setups of the rounds that the first person is served."""
    served: list[str] = []
    monkeypatch.setattr(
        recorder, "serve_players", lambda targets, study, **place: served.append(study)
    )
    CliRunner().invoke(group, ["record", *words], catch_exceptions=False, standalone_mode=False)
    folder.mkdir()
    (folder / "study.yaml").write_text(served[0], encoding="utf-8")
    study = load(folder).study
    seed = session_seed(study, 1, "a secret of the server")
    planned = [
        trial for trial in plan(study, Assignment({}, {}, seed)) if trial.trial.kind == "play"
    ]
    return [setup_of(trial, seed).model_dump() for trial in planned if not trial.trial.practice]


AGENT = "def agent(env):\n    return lambda observation: {action}\n"


def test_agents_and_people_get_the_same_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "starter", raising=False)
    (tmp_path / "starter.py").write_text(AGENT.format(action="env.action_space.sample()"))
    words = ["--env", "MiniGrid-FourRooms-v0", "--episodes", "3", "--seconds", "5", "--seed", "4"]
    by_hand = setups_by_hand(tmp_path / "study", monkeypatch, "gym", "p", *words)
    CliRunner().invoke(
        group,
        ["record", "gym", "a", *words, "--agent", "starter:agent"],
        catch_exceptions=False,
        standalone_mode=False,
    )
    starts = [
        WORLDS["gym"].start_of(read(file))
        for file in sorted((tmp_path / "a").glob("*.replay.json.gz"))
    ]
    assert starts == [f"MiniGrid-FourRooms-v0, seed {setup['seed']}" for setup in by_hand]
    assert len(set(starts)) == 3


def test_scripts_and_people_get_the_same_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--rounds", "2", "--seconds", "5", "--size", "15"]
    by_hand = setups_by_hand(tmp_path / "study", monkeypatch, "maze", str(tmp_path / "p"), *words)
    record(str(tmp_path / "s"), *words, "--scripted")
    scripted = [read(file) for file in sorted((tmp_path / "s").iterdir())]
    assert [recording.seed for recording in scripted] == [setup["maze_seed"] for setup in by_hand]


def gym_by_agent(folder: Path, monkeypatch: pytest.MonkeyPatch, action: str, *words: str) -> Result:
    monkeypatch.chdir(folder)
    monkeypatch.delitem(sys.modules, "stepper", raising=False)
    (folder / "stepper.py").write_text(AGENT.format(action=action))
    return CliRunner().invoke(
        group, ["record", "gym", "a", *words, "--agent", "stepper:agent"], standalone_mode=False
    )


def test_an_agent_goes_at_the_pace_of_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--env", "MiniGrid-FourRooms-v0", "--seconds"]
    gym_by_agent(tmp_path, monkeypatch, "0", *words, "5", "--name", "fast")
    gym_by_agent(tmp_path, monkeypatch, "0", *words, "30", "--name", "slow", "--pace", "human")
    gym_by_agent(tmp_path, monkeypatch, "0", *words, "30", "--name", "half", "--pace", "0.5")
    steps = {}
    for name in ("fast", "slow", "half"):
        recording = read(tmp_path / "a" / f"{name}-01.replay.json.gz")
        acted = [
            number
            for number, action in enumerate(recording.telemetry["action"])
            if action is not None
        ]
        steps[name] = len(acted) / (recording.timing.duration_ms / 1000)
        gaps = {after - before for before, after in pairwise(acted)}
        assert (len(gaps) > 3) == (name != "fast"), "people's gaps vary"
    assert steps["fast"] > 9
    assert steps["slow"] == pytest.approx(2.3, rel=0.15)
    assert steps["half"] == pytest.approx(0.5, rel=0.3)
    slow = read(tmp_path / "a" / "slow-01.replay.json.gz").provenance
    assert slow["steps_per_s"] == pytest.approx(1 / 0.43)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--env", "MiniGrid-FourRooms-v0", "--pace", "quick"],
            "expected human, or steps per second from 0.1 to 60, got 'quick'",
        ),
        (["--env", "CartPole-v1", "--pace", "human"], "'CartPole-v1' goes on by itself"),
    ],
)
def test_a_pace_that_cannot_be_kept_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    result = gym_by_agent(tmp_path, monkeypatch, "0", *words)
    assert isinstance(result.exception, InvalidInput)
    assert message in str(result.exception)


def test_a_program_needs_no_keys_and_equal_episodes_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = gym_by_agent(
        tmp_path, monkeypatch, "1", "--env", "CliffWalking-v1", "--episodes", "2", "--seconds", "5"
    )
    assert result.exception is None, result.exception
    assert "gym-02.mp4 shows the same as gym-01.mp4" in result.stderr
    assert "Choose an environment with random starts" in result.stderr


def test_rounds_are_recorded_without_a_command_line(tmp_path: Path) -> None:
    """The same rounds as the command records, by its own names of options."""
    record(str(tmp_path / "a"), "--scripted", "--seconds", "5", "--opponent", "0", "--size", "15")
    done = believable.record_rounds(
        "maze",
        str(tmp_path / "b"),
        scripted=True,
        seconds=5,
        opponent=0,
        world_options={"size": 15},
    )
    (file,) = done.files
    assert file.name == "maze-0-01.replay.json.gz"
    assert file.read_bytes() == (tmp_path / "a" / file.name).read_bytes()
    with pytest.raises(InvalidInput, match="--rounds: Input should be greater"):
        believable.record_rounds("maze", tmp_path, rounds=0)


def test_the_answer_is_also_given_as_json(tmp_path: Path) -> None:
    told = json.loads(record(str(tmp_path), "--scripted", "--seconds", "5", "--json"))
    assert told["files"] == [str(tmp_path / "maze-calm-01.replay.json.gz")]
    again = json.loads(record(str(tmp_path), "--scripted", "--seconds", "5", "--json"))
    assert "exists already" in again["error"]["message"]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "maze-calm-01.replay.json.gz").write_bytes(b"mine")
    with pytest.raises(Refused, match="exists already"):
        record(str(tmp_path), "--scripted")


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--opponent", "clam"], "Did you mean 'calm'"), (["--size", "20"], "odd number")],
)
def test_what_cannot_be_played_is_told(tmp_path: Path, options: list[str], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        record(str(tmp_path), "--scripted", *options)


def test_people_at_a_task_are_served_a_study_and_numbered_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("vizdoom", reason="the engine is the extra `doom`")
    served: list[tuple[list[Path], str, dict[str, object]]] = []
    monkeypatch.setattr(
        recorder,
        "serve_players",
        lambda targets, study, **place: served.append((targets, study, place)),
    )
    folder = tmp_path / "people"
    folder.mkdir()
    (folder / "navigation-007.replay.json.gz").touch()
    options = [
        "--players",
        "2",
        "--runs",
        "3",
        "--host",
        "0.0.0.0",
        "--port",
        "8123",
        "--base-url",
        "http://lab:8123",
    ]
    CliRunner().invoke(
        group,
        ["record", "navigation", str(folder), *options],
        catch_exceptions=False,
        standalone_mode=False,
    )
    ((targets, study, place),) = served
    assert [target.name for target in targets[:2]] == [
        "navigation-008.replay.json.gz",
        "navigation-009.replay.json.gz",
    ]
    assert len(targets) == 6
    assert (place["host"], place["port"], place["base_url"]) == ("0.0.0.0", 8123, "http://lab:8123")
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.yaml").write_text(study, encoding="utf-8")
    timeline = load(tmp_path / "study").study.timeline
    assert timeline[1].repeat == 3
    assert WORLDS["doom"].game.trial.options_in(timeline[1].each[0]).goal == "far"


def test_what_films_need_is_named_before_a_round_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    words = [
        "record",
        "maze",
        str(tmp_path / "rounds"),
        "--scripted",
        "--rounds",
        "1",
        "--seconds",
        "5",
        "--video",
    ]
    with pytest.raises(MissingExtra, match=r"believable\[video\]"):
        CliRunner().invoke(group, words, catch_exceptions=False, standalone_mode=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="waits for a process that is no child, as only Linux can"
)
def test_the_server_ends_if_its_parent_is_killed_and_its_folder_goes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [
        sys.executable,
        "-u",
        "-m",
        "believable",
        "record",
        "maze",
        str(tmp_path / "clips"),
        "--no-browser",
    ]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = next(line for line in process.stderr if line.startswith("Play here: ")).split()[
            -1
        ]
        (server,) = (
            int(pid)
            for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        )
        ended = os.pidfd_open(server)
        try:
            assert httpx.get(address).status_code == 200
            process.kill()
            assert process.wait(timeout=120) == -signal.SIGKILL
            assert select.select([ended], [], [], 60)[0] == [ended], "the server still runs"
        finally:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(ended, signal.SIGKILL)
            os.close(ended)
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)
    assert list(tmp_path.glob("believable-record-*/*/rounds/study.yaml"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary_folder() as place, temporary_folder() as other:
        assert {path for path in place.parent.iterdir() if path.is_dir()} == {place, other}, (
            "what is in use stays"
        )
    assert list(place.parent.iterdir()) == []


def test_a_temporary_folder_that_others_can_use_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    parent = tmp_path / f"believable-record-{os.getuid()}"
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    for make in (
        lambda: parent.mkdir(mode=0o777),
        lambda: parent.symlink_to(tmp_path / "elsewhere"),
    ):
        make()
        if not parent.is_symlink():
            parent.chmod(0o777)
        with pytest.raises(Refused, match="only this account"), temporary_folder():
            pass
        parent.unlink() if parent.is_symlink() else parent.rmdir()


def test_sigterm_ends_the_server_and_removes_its_folder(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [
        sys.executable,
        "-u",
        "-m",
        "believable",
        "record",
        "maze",
        str(tmp_path / "clips"),
        "--no-browser",
    ]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = next(line for line in process.stderr if line.startswith("Play here: ")).split()[
            -1
        ]
        assert httpx.get(address).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=120) == -signal.SIGTERM
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)
    assert list(tmp_path.glob("believable-record-*/*")) == []

"""Which agent `--agent` means, and what is said if it means none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.agents import names_in
from believable.agents.choice import choose_agent, choose_in
from believable.agents.failure import AgentFailed
from believable.cli import group
from believable.contracts.registries import AGENTS, WORLDS
from believable.core.errors import BelievableError
from believable.core.object_storage import digest_of
from believable.recordings.file import read

MAZE = WORLDS["maze"]
CODE = """
def agent(seed):
    return lambda view: (1, 0, view["p"][2], 0, 0)


def broken(seed):
    def act(view):
        return (5 // (5 - view["t"]) * 0, 0, 0, 0, 0)
    return act


number = 5
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a program of the user."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "my_agent", raising=False)
    (tmp_path / "my_agent.py").write_text(CODE)
    return tmp_path


@pytest.mark.parametrize(
    "written", ["scripted", "maze/scripted", "my_agent:agent", "my_agent.py:agent", "my_agent.py"]
)
def test_names_functions_and_files_are_agents(folder: Path, written: str) -> None:
    chosen = choose_in(written, MAZE, "player")
    assert chosen.agent.world == "maze"
    assert callable(chosen.sit_down(1))


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("scritped", "unknown agent 'scritped'. Did you mean 'scripted'?"),
        ("scripted:3", "it takes nothing behind a colon, got '3'"),
        ("doom/wanderer", "plays in 'doom', not in 'maze'. Its agents: maze/scripted"),
        ("my_agnet:agent", "there is no module 'my_agnet'. Change to the folder of my_agnet.py"),
        ("my_agent:agnet", "my_agent has no 'agnet'. Did you mean 'agent'?"),
        ("my_agent:number", "'number' is int, expected a function or an Agent"),
        ("my_agent:", "MODULE:FUNCTION such as my_agent:agent"),
        ("other.py:agent", "there is no such file"),
        ("notes.txt", "no agent of 'maze' is made from such a file"),
        ("needy:agent", "needy needs 'no_such_thing'. Install it with: pip install no_such_thing"),
    ],
)
def test_what_is_no_agent_is_said(folder: Path, written: str, message: str) -> None:
    (folder / "notes.txt").touch()
    (folder / "needy.py").write_text("import no_such_thing\n")
    with pytest.raises(BelievableError) as raised:
        choose_in(written, MAZE, "player")
    assert message in str(raised.value)


def test_options_are_read_and_checked() -> None:
    assert choose_agent("scripted", MAZE, {"aim_error_deg": "3"}).params.aim_error_deg == 3.0
    with pytest.raises(
        BelievableError, match=r"unknown option 'aim'\. Its options: reaction_ticks"
    ):
        choose_agent("scripted", MAZE, {"aim": "3"})
    with pytest.raises(BelievableError, match=r"option reaction_ticks: .* got 'x'"):
        choose_agent("scripted", MAZE, {"reaction_ticks": "x"})


def record(folder: Path, *words: str) -> Path:
    command = ["record", "maze", "clips", "--seconds", "5", "--name", "mine", *words]
    CliRunner().invoke(group, command, catch_exceptions=False, standalone_mode=False)
    return folder / "clips" / "mine-01.replay.json.gz"


def test_a_recording_names_its_agent_by_module_file_and_commit(folder: Path) -> None:
    about = read(record(folder, "--agent", "my_agent:agent")).provenance
    assert about["player"] == "my_agent:agent"
    assert (about["agent_name"], about["agent_module"]) == ("maze/my_agent:agent", "my_agent")
    assert about["agent_sha256"] == digest_of(folder / "my_agent.py")
    assert "agent_commit" not in about


def test_a_recording_names_the_commit_and_whether_the_file_was_changed(folder: Path) -> None:
    def git(*command: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        done = subprocess.run(
            ["git", *identity, *command], cwd=folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    git("add", "my_agent.py")
    git("commit", "-qm", "an agent")
    about = read(record(folder, "--agent", "my_agent:agent")).provenance
    assert (about["agent_commit"], about["agent_changed"]) == (git("rev-parse", "HEAD"), False)
    (folder / "other_agent.py").write_text(CODE)
    about = choose_agent("other_agent:agent", MAZE).identity()
    assert about["agent_changed"] is True


def test_ours_are_named_by_the_version_of_the_package(folder: Path) -> None:
    about = read(record(folder, "--scripted")).provenance
    assert (about["player"], about["agent_name"]) == ("maze/scripted", "maze/scripted")
    assert str(about["agent_package"]).startswith("believable ")
    assert "agent_sha256" not in about


def test_an_exception_of_an_agent_shows_its_own_lines(folder: Path) -> None:
    with pytest.raises(AgentFailed) as raised:
        record(folder, "--agent", "my_agent:broken")
    message = str(raised.value)
    assert "agent 'my_agent:broken' failed at decision 6: ZeroDivisionError" in message
    assert 'return (5 // (5 - view["t"]) * 0' in message
    assert not any(file in message for file in ("live_round.py", "failure.py"))


def agents(*words: str) -> str:
    command = ["agents", *words]
    return CliRunner().invoke(group, command, catch_exceptions=False, standalone_mode=False).stdout


def test_agents_are_listed_with_what_they_need() -> None:
    listed = agents()
    assert all(name in listed for name in AGENTS.names)
    assert "a file .imitation" in listed
    rows = json.loads(agents("--world", "doom", "--json"))
    assert {row["name"] for row in rows} == set(names_in("doom"))
    assert {tuple(row["needs"]) for row in rows} == {("doom",)}


def test_one_agent_is_described_and_checked() -> None:
    row = json.loads(agents("maze/scripted", "--check", "--json"))
    assert row["params"]["aim_error_deg"]["default"] == 9.0
    assert row["check"]["decisions"] == 180
    with pytest.raises(BelievableError, match="Did you mean 'maze/scripted'"):
        agents("maze/scriptd")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("hybird", "unknown agent 'hybird'. Did you mean 'hybrid'?"),
        ("wanderer", "'navigation' has no agent 'wanderer'"),
        ("mine.safetensors", "there is no such file"),
    ],
)
def test_evaluate_says_the_same_about_agents(written: str, message: str) -> None:
    words = ["evaluate", "navigation", "--agent", written]
    with pytest.raises(BelievableError) as raised:
        CliRunner().invoke(group, words, catch_exceptions=False, standalone_mode=False)
    assert message in str(raised.value)

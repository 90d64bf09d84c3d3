"""The page about agents, followed to the letter."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from believable.contracts.agent import Agent
from believable.recordings.file import read
from tests.programs import ROOT, believable, install

PAGE = (ROOT / "docs" / "how-to" / "add-an-agent.md").read_text("utf-8")
FILES = dict(re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL))
COMMANDS = [shlex.split(line)[1:] for line in PAGE.splitlines() if line.startswith("believable ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("how-to")
    for name in ("my_agent.py", "acme_agents.py", "pyproject.toml"):
        (folder / name).write_text(FILES[name], encoding="utf-8")
    install(folder, tomllib.loads(FILES["pyproject.toml"]))
    return folder


def test_each_command_works_on_the_first_try(folder: Path) -> None:
    printed = [believable(*command, folder=folder, site=folder) for command in COMMANDS]
    assert len(printed) == 6
    assert "maze/runner" in printed[1]
    assert "checked: 180 decisions" in printed[4]
    first = read(folder / "clips" / "maze-calm-01.replay.json.gz")
    assert (folder / "clips" / "maze-calm-02.replay.json.gz").is_file()
    assert first.provenance["agent_module"] == "my_agent"
    by_name = read(folder / "clips" / "runner-01.replay.json.gz").provenance
    assert by_name["agent_package"] == "acme-agents 1.0"
    assert json.loads(str(by_name["agent_params"])) == {"straight_ticks": 5}


def test_the_check_of_the_page_passes(folder: Path) -> None:
    (code,) = re.findall(r"## Check it\n\n```python\n(.*?)```", PAGE, re.DOTALL)
    program = f"{code}\ntest_runner_keeps_the_contract()\n"
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, timeout=120)


def test_every_field_of_the_record_is_described() -> None:
    names = {field.name for field in fields(Agent)}
    table = PAGE.partition("| field | meaning |")[2].partition("##")[0]
    described = set(re.findall(r"`(\w+)`", table)) & names
    assert names - described == {"game"}, "`game` is for agents of this package"


def test_lines_are_short() -> None:
    assert all(len(line) <= 120 for line in PAGE.splitlines())

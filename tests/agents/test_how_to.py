"""The page about agents, followed to the letter."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from believable.contracts.agent import Agent
from believable.recordings.file import read
from tests.how_to import DOCS, PAGES, commands_of, installed_package
from tests.programs import believable, run

PAGE = (DOCS / PAGES["agent"]).read_text("utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed_package(tmp_path_factory.mktemp("how-to"), "agent")


def test_each_command_works_on_the_first_try(folder: Path) -> None:
    printed = [
        believable(*command, folder=folder, site=folder) for command in commands_of(PAGES["agent"])
    ]
    assert len(printed) == 6
    assert "maze/runner" in printed[1]
    assert "checked: 180 decisions" in printed[4]
    first = read(folder / "clips" / "maze-calm-01.replay.json.gz")
    assert (folder / "clips" / "maze-calm-02.replay.json.gz").is_file()
    assert first.provenance["agent_module"] == "my_agent"
    by_name = read(folder / "clips" / "runner-01.replay.json.gz").provenance
    assert by_name["agent_package"] == "acme-believable 1.0"
    assert json.loads(str(by_name["agent_params"])) == {"straight_ticks": 5}


def test_the_check_of_the_page_passes(folder: Path) -> None:
    program = (folder / "tests" / "test_runner.py").read_text("utf-8")
    done = run("-c", f"{program}\ntest_runner_keeps_the_contract()\n", site=folder)
    assert done.returncode == 0, done.stderr


def test_every_field_of_the_record_is_described() -> None:
    names = {field.name for field in fields(Agent)}
    table = PAGE.partition("| field | meaning |")[2].partition("##")[0]
    described = set(re.findall(r"`(\w+)`", table)) & names
    assert names - described == {"game"}, "`game` is for agents of this package"


def test_lines_are_short() -> None:
    assert all(len(line) <= 120 for line in PAGE.splitlines())

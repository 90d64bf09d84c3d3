"""An installed package provides an agent for the maze, one for Doom, and a mind for the town."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from believable.core.object_storage import digest_of
from believable.recordings.file import read
from tests.programs import believable, install

STUDY = """\
believable: 1
title: Hunted
seed: 3
timeline:
  - play: {id: round, world: maze, opponent: hunter, duration_s: 5}
  - finish: {}
"""
PACKAGE = Path(__file__).parents[1] / "agent_package"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, and what pip writes about it."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(PACKAGE / "acme_agents", site / "acme_agents")
    install(site, tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8")))
    return site


def test_its_agents_are_listed_and_keep_the_contract(site: Path, tmp_path: Path) -> None:
    rows = json.loads(believable("agents", "--world", "maze", "--json", folder=tmp_path, site=site))
    assert {"maze/runner", "maze/scripted"} <= {row["name"] for row in rows}
    for name in ("maze/runner", "maze/hunter", "town/walker"):
        row = json.loads(
            believable("agents", name, "--check", "--json", folder=tmp_path, site=site)
        )
        assert row["check"]["decisions"] > 20


def test_the_agent_of_the_maze_plays_by_its_name(site: Path, tmp_path: Path) -> None:
    words = ["maze", "clips", "--seconds", "5", "--agent", "runner", "--option"]
    believable("record", *words, "straight_ticks=5", folder=tmp_path, site=site)
    recording = read(tmp_path / "clips" / "maze-calm-01.replay.json.gz")
    (track,) = [track for track in recording.tracks if track.actor == "player"]
    assert len(set(zip(track.x, track.y, strict=True))) > 10
    about = recording.provenance
    assert about["player"] == "runner"
    assert (about["agent_name"], about["agent_module"]) == ("maze/runner", "acme_agents")
    assert about["agent_package"] == "acme-agents 2.1"
    assert about["agent_params"] == '{"straight_ticks": 5}'
    assert about["agent_sha256"] == digest_of(site / "acme_agents" / "__init__.py")


def test_an_agent_is_the_opponent_by_its_name(site: Path, tmp_path: Path) -> None:
    words = ["maze", "clips", "--seconds", "5", "--scripted", "--opponent", "hunter"]
    believable("record", *words, folder=tmp_path, site=site)
    recording = read(tmp_path / "clips" / "maze-hunter-01.replay.json.gz")
    assert recording.agent == "hunter"
    assert recording.provenance["opponent_name"] == "maze/hunter"
    assert recording.provenance["opponent_package"] == "acme-agents 2.1"
    (track,) = [track for track in recording.tracks if track.actor == "opponent"]
    assert len(set(zip(track.x, track.y, strict=True))) > 3
    said = believable(
        "record", "maze", "c", "--agent", "hunter", folder=tmp_path, site=site, status=1
    )
    assert "takes the seat 'opponent', not 'player'" in said


def test_a_study_takes_it_as_opponent(site: Path, tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.yaml").write_text(STUDY)
    assert "hunter" in believable("check", "study", folder=tmp_path, status=1, printed=True)
    believable("check", "study", folder=tmp_path, site=site)
    words = ["--participants", "1", "--seed", "1"]
    believable("simulate", "study", *words, folder=tmp_path, site=site)


def test_the_agent_of_doom_plays_by_its_name(site: Path, tmp_path: Path) -> None:
    pytest.importorskip("vizdoom", reason="the engine is the extra `doom`")
    words = ["doom", "clips", "--seconds", "5", "--picture", "160x120", "--agent", "strafer"]
    believable(
        "record", *words, "--opponent", "nobody", "--name", "round", folder=tmp_path, site=site
    )
    recording = read(tmp_path / "clips" / "round-01.replay.json.gz")
    assert recording.provenance["agent_name"] == "doom/strafer"
    assert len(set(recording.tracks[0].x)) > 10


def test_the_mind_of_the_town_lives_by_its_name(site: Path, tmp_path: Path) -> None:
    words = ["--people", "2", "--days", "1", "--agent", "walker"]
    believable("town", "run", "run", *words, folder=tmp_path, site=site)
    recording = read(tmp_path / "run" / "town.replay.json.gz")
    assert recording.provenance["agent_name"] == "town/walker"
    assert recording.provenance["agent_package"] == "acme-agents 2.1"
    assert {action.verb for action in recording.actions} == {"move-to"}


def test_a_misspelled_agent_is_said_with_those_of_the_package(site: Path, tmp_path: Path) -> None:
    said = believable(
        "record", "maze", "clips", "--agent", "runer", folder=tmp_path, site=site, status=4
    )
    assert "unknown agent 'runer'. Did you mean 'runner'?" in said

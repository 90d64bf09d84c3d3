"""Entries of pools become ordinary stimuli with names that people can read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from believable.core.clock import VirtualClock
from believable.core.errors import StudyError
from believable.study.definition import Definition
from believable.study.load import load
from believable.study.pools import FORMAT, INDEX, agent_folder, readable_id

STUDY = """\
believable: 1
title: Pools
seed: 1
draw: pool
conditions: [human, agent]
stimuli:
  - {{id: fixed, file: fixed.mp4, condition: human, scenario: gate}}
  - {{pool: {pool}, condition: agent{more}}}
timeline:
  - watch: {{id: clip, stimulus: fixed, ask: [{{id: human, prompt: Human?, likert: {{points: 5}}}}]}}
  - finish: {{}}
"""


def study(folder: Path, pool: str = "pools/agent", more: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(STUDY.format(pool=pool, more=more), encoding="utf-8")
    return folder


def add(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def loaded(folder: Path) -> Definition:
    return load(folder, clock=VirtualClock())


def test_each_clip_is_a_stimulus_and_folders_inside_are_scenarios(tmp_path: Path) -> None:
    folder = study(tmp_path / "s")
    add(folder / "pools/agent", "north/run-01.mp4", "south/run-01.webm", "run 2.replay.json.gz")
    add(folder / "pools/agent", ".hidden/x.mp4", "notes.txt", "north/run-01.replay.json.gz")
    stimuli = loaded(folder).study.stimuli[1:]
    assert [(one.id, one.file, one.condition, one.scenario) for one in stimuli] == [
        ("agent_north_run_01", "pools/agent/north/run-01.mp4", "agent", "north"),
        ("agent_run_2", "pools/agent/run 2.replay.json.gz", "agent", None),
        ("agent_south_run_01", "pools/agent/south/run-01.webm", "agent", "south"),
    ]


def test_the_definition_does_not_need_the_folder(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", more=", scenario: gate")
    add(folder / "pools/agent", "a.mp4", "b.mp4")
    definition = loaded(folder)
    again = Definition.from_json(definition.to_json())
    assert again.study == definition.study
    assert [one.scenario for one in again.study.stimuli] == ["gate"] * 3
    add(folder / "pools/agent", "c.mp4")
    assert loaded(folder).hash != definition.hash, "another pool is another study"


def test_an_index_says_scenario_pair_and_length(tmp_path: Path) -> None:
    folder = study(tmp_path / "s")
    add(folder / "pools/agent", "a.mp4", "not_listed.mp4")
    clip = {
        "id": "agent_a",
        "file": "a.mp4",
        "scenario": "gate",
        "pair": "p1",
        "duration_ms": 9000,
        "origin": "raw.replay.json.gz",
    }
    index = folder / "pools/agent" / INDEX
    index.write_text(json.dumps({"format": FORMAT, "clips": [clip]}), encoding="utf-8")
    (_, only) = loaded(folder).study.stimuli
    assert (only.id, only.pair, only.duration_ms, only.match_group) == (
        "agent_a",
        "p1",
        9000,
        "gate/p1",
    )
    index.write_text('{"format": "other", "clips": []}', encoding="utf-8")
    with pytest.raises(StudyError, match="is not the index of a pool"):
        loaded(folder)


def test_an_agent_names_its_folder(tmp_path: Path) -> None:
    assert agent_folder("doom/reward-shaping") == "pools/doom-reward-shaping"
    folder = study(tmp_path / "s", pool="maze/chaser")
    add(folder / "pools/maze-chaser", "a.mp4")
    assert [one.id for one in loaded(folder).study.stimuli] == ["fixed", "agent_a"]


@pytest.mark.parametrize(
    ("pool", "more", "message"),
    [
        ("pools/nowhere", "", r"study\.yaml:8.*no folder 'pools/nowhere' in the study"),
        ("../outside", "", "no folder '../outside'"),
        ("pools/empty", "", "holds no films and no recordings"),
        ("pools/agent", ", scenari: x", "unknown key 'scenari' of a pool"),
        ("pools/agent", ", scenario: [x]", "scenario"),
    ],
)
def test_a_pool_that_cannot_be_read_is_reported_at_its_line(
    tmp_path: Path, pool: str, more: str, message: str
) -> None:
    folder = study(tmp_path / "s", pool=pool, more=more)
    add(tmp_path / "outside", "a.mp4")
    add(folder / "pools/agent", "a.mp4")
    (folder / "pools/empty").mkdir()
    with pytest.raises(StudyError, match=message):
        loaded(folder)


def test_names_are_readable_and_used_once(tmp_path: Path) -> None:
    assert readable_id("agent", "9 lives — again") == "agent_9_lives_again"
    assert readable_id("", "9") == "clip_9"
    assert len(readable_id("x" * 99)) == 64
    folder = study(tmp_path / "s")
    add(folder / "pools/agent", "a-1.mp4", "a_1.mp4")
    assert [one.id for one in loaded(folder).study.stimuli[1:]] == ["agent_a_1", "agent_a_1_2"]

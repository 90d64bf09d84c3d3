"""Matched pools end to end: films of one length and rate in a pair, an index, a study that shows
them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from believable.app.pools import make_clip_pools
from believable.app.stimuli import even
from believable.core.errors import InvalidInput
from believable.recordings.file import write
from believable.recordings.recording import Actor, RecordedWorld, Recording, Timing, Track
from believable.stimuli.artifacts import film_amounts
from believable.stimuli.clip_pools import source_clips
from believable.stimuli.verify import verify
from believable.study.load import load
from believable.study.pools import INDEX
from tests.films import film

pytest.importorskip("av", reason="needs the video extra")

STUDY = """\
believable: 1
title: Pools
seed: 1
conditions: [human, agent]
stimuli: [{id: old, file: old.mp4, condition: human, scenario: gate}]
timeline:
  - consent: {text: Please agree.}
  - block:
      id: trials
      over: scenario
      order: random
      each:
        - watch: {id: clip, ask: [{id: human, prompt: Human?, likert: {points: 5}}]}
  - finish: {}
"""
SMALL: dict[str, Any] = {"size": "160x90", "fps": 10, "workers": 1}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    return folder


def recordings(folder: Path, lengths: dict[str, int]) -> Path:
    """Recordings of so many frames of 100 ms."""
    for name, frames in lengths.items():
        track = Track(
            actor="m",
            x=tuple(2000 + 100 * n for n in range(frames)),
            y=(4500,) * frames,
            heading=(0,) * frames,
        )
        path = folder / f"{name}.replay.json.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        walls = ("#" * 16, *["#..............#"] * 7, "#" * 16)
        recording = Recording(
            world=RecordedWorld(kind="arena", width=16, height=9, walls=walls),
            actors=(Actor("m", "M", "mover"),),
            timing=Timing(frame_ms=100, frames=frames),
            tracks=(track,),
        )
        write(recording, path)
    return folder


def test_recordings_become_pairs_of_equal_films(study: Path, tmp_path: Path) -> None:
    people = recordings(tmp_path / "people", {"north/p-1": 20, "north/p-2": 32, "south/p-1": 25})
    agents = recordings(tmp_path / "agent", {"north/a-1": 30, "north/a-2": 21, "south/a-1": 25})
    clips = [f"human={people}", f"agent={agents}"]
    made = make_clip_pools(study, clips=clips, trials=1, **SMALL)
    assert (made.pairs, made.made, made.kept, made.failed) == (3, 6, 0, {})
    definition = load(study)
    assert definition.study.draw == "fresh"
    lengths: dict[str, set[int]] = {}
    for stimulus in definition.study.stimuli:
        amounts = film_amounts(study / stimulus.file)
        lengths.setdefault(str(stimulus.match_group), set()).add(round(amounts["length_ms"]))
        assert amounts["length_ms"] == stimulus.duration_ms
    assert sorted(lengths.values(), key=min) == [{2000}, {2500}, {3000}], (
        "no length tells who plays"
    )
    assert {name.partition("/")[0] for name in lengths} == {"north", "south"}
    assert not [problem for problem in verify(definition, study) if problem.severity == "error"]
    names = {stimulus.id for stimulus in definition.study.stimuli}
    assert "human_p_1" in names
    again = make_clip_pools(study, clips=clips, trials=1, **SMALL)
    assert (again.made, again.kept) == (0, 6)


def test_a_changed_recording_is_filmed_again_and_others_are_kept(
    study: Path, tmp_path: Path
) -> None:
    clips = [
        f"human={recordings(tmp_path / 'people', {'p-1': 20, 'p-2': 30})}",
        f"agent={recordings(tmp_path / 'agent', {'a-1': 20, 'a-2': 30})}",
    ]
    make_clip_pools(study, clips=clips, **SMALL)
    recordings(tmp_path / "people", {"p-1": 21})
    (study / "stimuli/agent/agent_a_2.mp4").unlink()
    again = make_clip_pools(study, clips=clips, **SMALL)
    assert (again.made, again.kept) == (2, 2)
    listed = json.loads((study / "stimuli/human" / INDEX).read_text())["clips"]
    assert [(clip["id"], clip["scenario"], clip["origin"]) for clip in listed] == [
        ("human_p_1", "scene_01", "p-1.replay.json.gz"),
        ("human_p_2", "scene_02", "p-2.replay.json.gz"),
    ]


def test_films_are_encoded_again_alike(study: Path, tmp_path: Path) -> None:
    film(tmp_path / "people/p.mp4", duration_s=1.2, hue=200)
    film(tmp_path / "agent/a.mp4", duration_s=1.0, hue=90)
    made = make_clip_pools(
        study, clips=[f"human={tmp_path / 'people'}", f"agent={tmp_path / 'agent'}"], **SMALL
    )
    assert (made.pairs, made.failed) == (1, {})
    amounts = [film_amounts(study / one.file) for one in load(study).study.stimuli]
    assert amounts[0]["length_ms"] == amounts[1]["length_ms"]
    assert amounts[0]["bytes"] == pytest.approx(amounts[1]["bytes"], rel=0.01)


def test_films_and_recordings_do_not_mix(study: Path, tmp_path: Path) -> None:
    people = recordings(tmp_path / "people", {"p": 20})
    film(tmp_path / "agent/a.mp4", duration_s=2.0)
    with pytest.raises(InvalidInput, match="some clips are films and some are recordings"):
        make_clip_pools(study, clips=[f"human={people}", f"agent={tmp_path / 'agent'}"], **SMALL)
    assert load(study).study.stimuli[0].id == "old", "the study is as before"


def test_unknown_conditions_and_empty_folders_are_named(study: Path, tmp_path: Path) -> None:
    people = recordings(tmp_path / "people", {"p": 20})
    with pytest.raises(InvalidInput, match=r"no condition 'humen'.*human"):
        make_clip_pools(study, clips=[f"humen={people}"], **SMALL)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="no films"):
        source_clips(tmp_path / "empty")


def test_the_command_that_makes_stimuli_even_leaves_pools_alone(
    study: Path, tmp_path: Path
) -> None:
    clips = [
        f"human={recordings(tmp_path / 'people', {'p-1': 20})}",
        f"agent={recordings(tmp_path / 'agent', {'a-1': 20})}",
    ]
    make_clip_pools(study, clips=clips, **SMALL)
    with pytest.raises(InvalidInput, match="it names pools"):
        even(study)

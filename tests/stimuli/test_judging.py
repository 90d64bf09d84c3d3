from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from believable.core.errors import StudyError
from believable.recordings import actions, file
from believable.recordings.actions import log_of
from believable.recordings.recording import Recording
from believable.stimuli.judging import Variant, judged_log, judged_replay, pad_header, served_replay
from believable.stimuli.prepare import prepare
from believable.stimuli.verify import verify
from believable.study.definition import REPLAY_TYPE, Definition
from believable.study.load import load
from believable.worlds.maze.standins import walk
from tests.towns import town_day

STUDY = """\
believable: 1
title: Day
seed: 1
stimuli: [{id: d, file: stimuli/day.replay.json.gz%s}]
timeline:
  - watch: {stimulus: d}
  - finish: {}
"""


@pytest.fixture(scope="module")
def day() -> Recording:
    return town_day(2, checks=False)


def study(folder: Path, day: Recording, more: str = "") -> Definition:
    (folder / "stimuli").mkdir(exist_ok=True)
    file.write(day, folder / "stimuli/day.replay.json.gz")
    (folder / "study.yaml").write_text(STUDY % more)
    return load(folder)


def length_ms(day: Recording) -> int:
    return day.timing.frames * day.timing.frame_ms


def unpacked(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def test_a_recording_is_kept_by_its_content(tmp_path: Path, day: Recording) -> None:
    definition = study(tmp_path, day)
    medium = prepare(definition, tmp_path, tmp_path / "media")["d"]
    source = (tmp_path / "stimuli/day.replay.json.gz").read_bytes()
    assert medium.digest == hashlib.sha256(source).hexdigest()
    assert (medium.media_type, medium.duration_ms, medium.bytes) == (
        REPLAY_TYPE,
        length_ms(day),
        len(source),
    )
    assert medium.is_replay
    assert (tmp_path / "media" / medium.digest).read_bytes() == source
    assert prepare(definition, tmp_path, tmp_path / "media")["d"] == medium


def test_a_damaged_recording_names_itself(tmp_path: Path, day: Recording) -> None:
    definition = study(tmp_path, day)
    path = tmp_path / "stimuli/day.replay.json.gz"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(StudyError, match=r"day\.replay\.json\.gz"):
        prepare(definition, tmp_path, tmp_path / "media")
    (problem,) = verify(definition, tmp_path)
    assert problem.severity == "error"
    assert "cannot be read" in problem.message


def test_a_wrong_length_is_found(tmp_path: Path, day: Recording) -> None:
    assert verify(study(tmp_path, day), tmp_path) == []
    (problem,) = verify(study(tmp_path, day, ", duration_ms: 5000"), tmp_path)
    assert f"{length_ms(day)} ms, not the stated 5000 ms" in problem.message


@pytest.mark.parametrize(
    "variant", [Variant(), Variant(plan=True), Variant(log=True), Variant(plan=True, log=True)]
)
def test_plan_and_log_only_where_they_are_shown(
    tmp_path: Path, day: Recording, variant: Variant
) -> None:
    digest = "0" * 64
    file.write(day, tmp_path / digest)
    path = judged_replay(tmp_path, digest, variant)
    tree = unpacked(path)
    assert bool(tree["replay"]["plans"]["id"]) == variant.plan
    assert bool(tree["replay"]["actions"]["id"]) == variant.log
    assert set(tree["replay"]) == {"format", "actors", "timing", "tracks", "actions", "plans"}
    made = path.read_bytes(), path.stat().st_mtime_ns
    assert judged_replay(tmp_path, digest, variant) == path
    assert (path.read_bytes(), path.stat().st_mtime_ns) == made


def test_sprites_follow_the_renumbered_figures(tmp_path: Path, day: Recording) -> None:
    digest = "0" * 64
    file.write(day, tmp_path / digest)
    tree = unpacked(judged_replay(tmp_path, digest, Variant()))
    actors = {actor["id"] for actor in tree["replay"]["actors"]}
    assert {sprite["actor"] for sprite in tree["scene"]["sprites"]} == actors
    assert {track["actor"] for track in tree["replay"]["tracks"]} == actors
    assert actors == {f"w{number}" for number in range(1, len(day.actors) + 1)}


def test_the_log_of_a_video(tmp_path: Path, day: Recording) -> None:
    (tmp_path / "log").write_text(json.dumps(actions.to_tree(log_of(day))))
    tree = unpacked(judged_log(tmp_path, "log", Variant(log=True)))
    assert tree["actions"]["id"][:2] == ["a1", "a2"]
    assert tree["plans"]["id"] == []


PAIRS = """\
believable: 1
title: Pairs
seed: 1
conditions: [human, agent]
stimuli:
%s
timeline:
  - finish: {}
"""


def test_recordings_of_a_scenario_are_served_with_equal_sizes(tmp_path: Path) -> None:
    """What moves more takes more bytes: without padding the larger file is the human one."""
    (tmp_path / "stimuli").mkdir()
    lines = []
    for number in range(3):
        for condition in ("human", "agent"):
            name = f"{condition}{number}"
            file.write(
                walk(number, f"standin_{condition}"), tmp_path / f"stimuli/{name}.replay.json.gz"
            )
            lines.append(
                f"  - {{id: {name}, file: stimuli/{name}.replay.json.gz, condition: {condition},"
                f" scenario: s{number}}}"
            )
    (tmp_path / "study.yaml").write_text(PAIRS % "\n".join(lines))
    definition = load(tmp_path)
    media = tmp_path / "media"
    definition = replace(definition, media=prepare(definition, tmp_path, media))
    for number in range(3):
        names = (f"human{number}", f"agent{number}")
        bare = [judged_replay(media, definition.media[name].digest, Variant()) for name in names]
        served = [served_replay(media, definition, name, Variant()) for name in names]
        assert bare[0].stat().st_size != bare[1].stat().st_size
        assert served[0].stat().st_size == served[1].stat().st_size
        assert [unpacked(path) for path in served] == [unpacked(path) for path in bare]
        assert [served_replay(media, definition, name, Variant()) for name in names] == served


@pytest.mark.parametrize("missing", [0, 1, 2, 70_000])
def test_padding_is_exact_and_changes_nothing(missing: int) -> None:
    body = gzip.compress(b"what is seen", mtime=0)
    longer = pad_header(body, len(body) + missing)
    assert len(longer) == len(body) + missing
    assert gzip.decompress(longer) == b"what is seen"

"""A cropped recording is its beginning, and can be read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.recordings.actions import ActionLog, log_of
from believable.recordings.cropping import crop_log, crop_recording
from believable.recordings.file import read, write
from believable.recordings.recording import Action, Actor, PlanStep, Recording
from believable.worlds.maze.standins import walk


@pytest.fixture(scope="module")
def whole() -> Recording:
    return walk(5, "standin_human")


def test_a_cropped_recording_is_its_beginning(whole: Recording, tmp_path: Path) -> None:
    frames = whole.timing.frames // 2
    part = crop_recording(whole, frames)
    write(part, tmp_path / "part.replay.json.gz")
    again = read(tmp_path / "part.replay.json.gz")
    assert again == part
    assert again.timing.frames == frames
    assert again.timing.duration_ms == pytest.approx(frames * whole.timing.frame_ms, abs=1)
    for track, before in zip(again.tracks, whole.tracks, strict=True):
        assert track.x == before.x[:frames]
        assert track.heading == before.heading[:frames]
    assert all(len(values) == frames for values in again.telemetry.values())
    assert all(action.t1_ms <= again.timing.duration_ms for action in log_of(again).actions)
    assert again.provenance["cropped_from_frames"] == whole.timing.frames


def test_all_of_it_is_left_alone_and_more_is_refused(whole: Recording) -> None:
    assert crop_recording(whole, whole.timing.frames) is whole
    for frames in (0, whole.timing.frames + 1):
        with pytest.raises(
            InvalidInput, match=f"expected 1 to {whole.timing.frames} frames, got {frames}"
        ):
            crop_recording(whole, frames)


def test_a_part_of_a_log_counts_from_its_beginning() -> None:
    log = ActionLog(
        actors=(Actor("a", "Ada", ""),),
        actions=(
            Action(id="1", actor="a", t0_ms=0, t1_ms=900, verb="walk"),
            Action(id="2", actor="a", t0_ms=900, t1_ms=2000, verb="sit", serves="before"),
            Action(id="3", actor="a", t0_ms=2000, t1_ms=5000, verb="eat", serves="within"),
        ),
        plans=(
            PlanStep(id="before", actor="a", parent=None, level=0, t0_ms=0, t1_ms=1000, text="go"),
            PlanStep(
                id="within", actor="a", parent="before", level=1, t0_ms=1000, t1_ms=9000, text="eat"
            ),
        ),
    )
    part = crop_log(log, 1000, 3000)
    assert [(action.id, action.t0_ms, action.t1_ms, action.serves) for action in part.actions] == [
        ("2", 0, 1000, None),
        ("3", 1000, 2000, "within"),
    ]
    assert [(step.id, step.t0_ms, step.t1_ms, step.parent) for step in part.plans] == [
        ("within", 0, 2000, None)
    ]

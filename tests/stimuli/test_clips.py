"""The demonstration clips: same bytes for the same seed, the same technique for every condition, visibly different movement."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.stimuli import clips
from believable.stimuli.movers import FRAMES_PER_S, MOVERS
from believable.stimuli.scene import CELL_PX, PLACES, free_cells

av = pytest.importorskip("av", reason="needs the video extra")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    folder = tmp_path_factory.mktemp("clips")
    return clips.generate(folder, clips.clip_set(scenarios=["atrium"]), seed=3, duration_s=4.0)


def test_same_seed_same_bytes(pair: tuple[Path, ...], tmp_path: Path) -> None:
    again = clips.render(clips.Clip("x", "human", "atrium"), tmp_path / "x.mp4", seed=3, duration_s=4.0)
    other = clips.render(clips.Clip("y", "human", "atrium"), tmp_path / "y.mp4", seed=4, duration_s=4.0)
    digest = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (pair[0], again, other)]
    assert digest[0] == digest[1] != digest[2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.mp4", "y.mp4"]


def test_clips_play_with_picture_and_sound(pair: tuple[Path, ...]) -> None:
    for path in pair:
        with av.open(str(path)) as file:
            video, audio = file.streams.video[0], file.streams.audio[0]
            assert (video.codec_context.name, video.width, video.height) == ("h264", 640, 360)
            assert audio.codec_context.name == "aac"
            assert abs(file.duration / 1000 - 4000) < 50
            assert sum(1 for _ in file.decode(video)) == 4 * FRAMES_PER_S
        assert 40_000 < path.stat().st_size < 600_000


def test_the_sound_is_not_silence(pair: tuple[Path, ...]) -> None:
    with av.open(str(pair[0])) as file:
        sound = np.concatenate([frame.to_ndarray()[0] for frame in file.decode(audio=0)])
    assert np.abs(sound).max() > 0.02


@pytest.mark.parametrize("scenario", clips.SCENARIOS)
@pytest.mark.parametrize("condition", clips.CONDITIONS)
def test_figures_move_and_never_stand_in_a_wall(scenario: str, condition: str) -> None:
    free = free_cells(PLACES[scenario])
    for take in range(5):
        motion = clips._motion(clips.Clip("c", condition, scenario, take), 7, 150)
        length_px = float(np.hypot(np.diff(motion.x), np.diff(motion.y)).sum())
        assert 250 < length_px < 1000
        for x, y in zip(motion.x, motion.y, strict=True):
            near = free[
                max(0, int(y / CELL_PX - 0.5)) : int(y / CELL_PX + 0.5) + 1,
                max(0, int(x / CELL_PX - 0.5)) : int(x / CELL_PX + 0.5) + 1,
            ]
            assert near.any(), (scenario, condition, take, x, y)


def test_the_script_turns_at_right_angles_and_the_person_does_not() -> None:
    def off_axis(condition: str) -> float:
        motion = clips._motion(clips.Clip("c", condition, "garden"), 7, 150)
        dx, dy = np.abs(np.diff(motion.x)), np.abs(np.diff(motion.y))
        return float(np.mean((dx > 0.3) & (dy > 0.3)))

    assert off_axis("scripted") < 0.05
    assert off_axis("human") > 0.3


def test_both_conditions_find_the_same_room() -> None:
    one, other = (
        clips._motion(clips.Clip("c", condition, "harbour"), 7, 100) for condition in clips.CONDITIONS
    )
    assert one.coins == other.coins
    assert (one.x[0], one.y[0]) == pytest.approx((other.x[0], other.y[0]), abs=CELL_PX)


def test_unknown_names_are_refused_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"unknown condition 'humen'. Did you mean 'human'"):
        clips.render(clips.Clip("c", "humen", "garden"), tmp_path / "c.mp4", seed=1, duration_s=4)
    with pytest.raises(InvalidInput, match="expected 1 to 60 seconds"):
        clips.render(clips.Clip("c", "human", "garden"), tmp_path / "c.mp4", seed=1, duration_s=0)


def test_every_mover_is_a_condition() -> None:
    assert set(clips.CONDITIONS) == set(MOVERS)

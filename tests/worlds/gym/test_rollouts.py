"""`believable.record`: any agent's episodes as film and recording, and what cannot be filmed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import believable
from believable.core.errors import InvalidInput, Refused
from believable.recordings.file import read
from believable.recordings.film_file import load_av
from believable.worlds.contract import View
from believable.worlds.gym.gym_environment import fitted
from believable.worlds.gym.gym_game import pictures

MINIGRID = "MiniGrid-Empty-5x5-v0"
#: Forward twice, turn right, forward twice: the goal of the smallest room.
TO_THE_GOAL = (2, 2, 1, 2, 2)


@pytest.fixture(autouse=True)
def _known() -> None:
    import_module("minigrid")
    import_module("ale_py")


def frames(film: Path) -> list[Any]:
    with load_av("test").open(str(film)) as opened:
        return [frame.to_ndarray(format="rgb24") for frame in opened.decode(video=0)]


def test_each_episode_is_a_film_and_a_recording_of_what_was_done(tmp_path: Path) -> None:
    env = believable.record(
        gymnasium.make(MINIGRID, render_mode="rgb_array"),
        tmp_path / "clips",
        name="walk",
        info=["steps"],
        agent="scripted",
    )
    for seed in (4, 5):
        env.reset(seed=seed)
        for action in TO_THE_GOAL:
            _, reward, ended, _, _ = env.step(action)
    assert ended
    env.reset(seed=6)  # nobody acts in it
    env.close()
    names = [f"walk-0{n}.{ending}" for n in (1, 2) for ending in ("mp4", "replay.json.gz")]
    assert sorted(file.name for file in (tmp_path / "clips").iterdir()) == names
    first = read(tmp_path / "clips" / "walk-01.replay.json.gz")
    assert (first.timing.frames, first.timing.frame_ms, first.seed, first.agent) == (
        6,
        100.0,
        4,
        "scripted",
    )  # the start is seen, too
    assert first.telemetry["action"] == (None, *map(str, TO_THE_GOAL))
    assert first.telemetry["reward"] == (0.0, 0.0, 0.0, 0.0, 0.0, float(reward))
    assert first.telemetry["return"][-1] == float(reward) == pytest.approx(1 - 0.9 * 5 / 100)
    assert first.telemetry["info.steps"] == (None,) * 6
    assert first.provenance["ended"] == "terminated"
    filmed, again = (
        frames(tmp_path / "clips" / "walk-01.mp4"),
        list(pictures(first, View(480, 480))),
    )
    assert len(filmed) == len(again) == 6
    for shown, picture in zip(filmed, again, strict=True):
        assert (
            np.abs(shown.astype(int) - fitted(picture, *shown.shape[1::-1]).astype(int)).mean() < 12
        )


def test_the_same_rollout_is_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        env = believable.record(
            gymnasium.make(MINIGRID, render_mode="rgb_array"), tmp_path / folder
        )
        env.reset(seed=1)
        for action in TO_THE_GOAL:
            env.step(action)
        env.close()
    for name in ("episode-01.mp4", "episode-01.replay.json.gz"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_values_of_info_are_kept_and_a_broken_off_episode_says_so(tmp_path: Path) -> None:
    env = believable.record(
        gymnasium.make("ALE/Pong-v5", render_mode="rgb_array"),
        tmp_path,
        info=["lives", "frame_number"],
    )
    env.reset()
    for _ in range(3):
        env.step(2)
    env.close()
    recording = read(tmp_path / "episode-01.replay.json.gz")
    assert recording.telemetry["info.lives"] == (None, 0, 0, 0)
    frame_numbers = [int(number or 0) for number in recording.telemetry["info.frame_number"][1:]]
    assert frame_numbers == sorted(set(frame_numbers))
    assert recording.provenance["ended"] == "broken off"
    with pytest.raises(InvalidInput, match="Use the film beside it"):
        next(pictures(recording, View(320, 420)))


def test_what_cannot_be_filmed_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match=r"draws no pictures.*Make it with render_mode='rgb_array'"
    ):
        believable.record(gymnasium.make("CartPole-v1"), tmp_path)
    with pytest.raises(InvalidInput, match="expected a Gymnasium environment, got str"):
        believable.record("CartPole-v1", tmp_path)
    (tmp_path / "episode-01.mp4").write_bytes(b"mine")
    env = believable.record(gymnasium.make("CartPole-v1", render_mode="rgb_array"), tmp_path)
    with pytest.raises(Refused, match="exists already"):
        env.reset(seed=1)
    env.close()
    assert (tmp_path / "episode-01.mp4").read_bytes() == b"mine"

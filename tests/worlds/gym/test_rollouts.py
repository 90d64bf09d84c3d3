"""`believable.record`: any agent's episodes as film and recording, and what cannot be filmed."""

from __future__ import annotations

import gc
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import believable
from believable.contracts.film import View
from believable.core.errors import InvalidInput
from believable.core.object_storage import digest_of
from believable.recordings.file import read
from believable.recordings.film_file import load_av
from believable.worlds.gym.gym_environment import fit_frame
from believable.worlds.gym.gym_game import pictures
from believable.worlds.gym.recorder import RecordingWarning

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
    names = [f"walk-00000{n}.{ending}" for n in (1, 2) for ending in ("mp4", "replay.json.gz")]
    assert sorted(file.name for file in (tmp_path / "clips").iterdir()) == names
    first = read(tmp_path / "clips" / "walk-000001.replay.json.gz")
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
        frames(tmp_path / "clips" / "walk-000001.mp4"),
        list(pictures(first, View(width_px=480, height_px=480))),
    )
    assert len(filmed) == len(again) == 6
    for shown, picture in zip(filmed, again, strict=True):
        assert (
            np.abs(shown.astype(int) - fit_frame(picture, *shown.shape[1::-1]).astype(int)).mean()
            < 12
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
    for name in ("episode-000001.mp4", "episode-000001.replay.json.gz"):
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
    recording = read(tmp_path / "episode-000001.replay.json.gz")
    assert recording.telemetry["info.lives"] == (None, 0, 0, 0)
    frame_numbers = [int(number or 0) for number in recording.telemetry["info.frame_number"][1:]]
    assert frame_numbers == sorted(set(frame_numbers))
    assert recording.provenance["ended"] == "broken off"
    with pytest.raises(InvalidInput, match="Use the film next to it"):
        next(pictures(recording, View(width_px=320, height_px=420)))


def test_what_cannot_be_filmed_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match=r"draws no pictures.*Make it with render_mode='rgb_array'"
    ):
        believable.record(gymnasium.make("CartPole-v1"), tmp_path)
    with pytest.raises(InvalidInput, match="expected a Gymnasium environment, got str"):
        believable.record("CartPole-v1", tmp_path)
    with pytest.raises(InvalidInput, match="every: expected 1 or more, got 0"):
        believable.record(gymnasium.make("CartPole-v1", render_mode="rgb_array"), tmp_path, every=0)


# ----------------------------------------------------------------------------------------------
# in a training loop


def cartpole(**options: Any) -> Any:
    return gymnasium.make("CartPole-v1", render_mode="rgb_array", **options)


def play(env: Any, episodes: int, steps: int = 2) -> None:
    for number in range(episodes):
        env.reset(seed=number)
        for _ in range(steps):
            env.step(env.action_space.sample())


def films(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob("*.mp4"))


def test_only_some_episodes_are_recorded_and_the_others_are_not_drawn(tmp_path: Path) -> None:
    bare = cartpole()
    drawn: list[int] = []
    render = bare.unwrapped.render
    bare.unwrapped.render = lambda: drawn.append(1) or render()
    env = believable.record(bare, tmp_path, every=3)
    play(env, 7)
    env.close()
    assert films(tmp_path) == [f"episode-00000{n}.mp4" for n in (1, 2, 3)]
    assert len(drawn) == 3 * 3, "a start and two steps of each"
    numbers = [
        read(file).provenance["episode"] for file in sorted(tmp_path.glob("*.replay.json.gz"))
    ]
    assert numbers == [0, 3, 6]


def test_a_trigger_chooses_episodes_and_recording_can_be_switched_off(tmp_path: Path) -> None:
    env = believable.record(cartpole(), tmp_path / "a", episode_trigger=lambda number: number == 1)
    play(env, 3)
    env.close()
    assert films(tmp_path / "a") == ["episode-000001.mp4"]
    bare = cartpole()
    assert believable.record(bare, tmp_path / "b", enabled=False) is bare
    bare.close()


def test_a_reused_folder_takes_the_next_free_names(tmp_path: Path) -> None:
    (tmp_path / "episode-000007.mp4").write_bytes(b"mine")
    env = believable.record(cartpole(), tmp_path)
    play(env, 1)
    env.close()
    assert films(tmp_path) == ["episode-000007.mp4", "episode-000008.mp4"]
    assert (tmp_path / "episode-000007.mp4").read_bytes() == b"mine"


def test_two_environments_share_a_folder(tmp_path: Path) -> None:
    envs = [believable.record(cartpole(), tmp_path) for _ in range(2)]
    for env in envs:
        env.reset(seed=1)
    for env in envs:
        env.step(0)
    for env in envs:
        env.close()
    assert films(tmp_path) == ["episode-000001.mp4", "episode-000002.mp4"]
    assert len(list(tmp_path.iterdir())) == 4, "no reservation is left"


def test_a_vector_of_recorded_environments_shares_a_folder(tmp_path: Path) -> None:
    envs = gymnasium.make_vec(
        "CartPole-v1",
        num_envs=3,
        vectorization_mode="sync",
        wrappers=[lambda env: believable.record(env, tmp_path)],
        render_mode="rgb_array",
    )
    envs.reset(seed=1)
    envs.step(envs.action_space.sample())
    envs.close()
    assert len(films(tmp_path)) == 3


@pytest.mark.parametrize("kind", ["vector", "pettingzoo"])
def test_several_agents_are_refused_with_a_way_out(tmp_path: Path, kind: str) -> None:
    if kind == "vector":
        env: Any = gymnasium.make_vec("CartPole-v1", num_envs=2)
        words = r"Record inside it: gymnasium\.make_vec.*believable\.record\(env"
    else:
        env = import_module("believable.environments.maze_v1").parallel_env()
        words = r"one of PettingZoo.*Wrap it as a gymnasium\.Env"
    with pytest.raises(InvalidInput, match=words):
        believable.record(env, tmp_path)
    env.close()


class Painting(gymnasium.Env[Any, Any]):
    """Takes actions of a Dict, and draws what it is handed."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012
    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Dict(
        {"move": gymnasium.spaces.Discrete(3), "aim": gymnasium.spaces.Box(-1, 1, (2,))}
    )
    render_mode = "rgb_array"

    def __init__(self) -> None:
        self.picture: Any = np.zeros((64, 96, 3), np.uint8)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return 0, {}

    def step(self, action: Any) -> Any:
        return 0, 0.0, False, False, {}

    def render(self) -> Any:
        return self.picture


def test_actions_with_parts_are_kept(tmp_path: Path) -> None:
    env = believable.record(Painting(), tmp_path)
    env.reset(seed=1)
    env.step({"move": np.int64(2), "aim": np.array([0.5, -0.5])})
    env.close()
    recording = read(tmp_path / "episode-000001.replay.json.gz")
    assert recording.telemetry["action"][-1] == '{"move": 2, "aim": [0.5, -0.5]}'


def test_a_picture_of_another_size_is_fitted_with_a_warning(tmp_path: Path) -> None:
    bare = Painting()
    env = believable.record(bare, tmp_path)
    env.reset(seed=1)
    bare.picture = np.full((128, 96, 3), 200, np.uint8)
    with pytest.warns(RecordingWarning, match="It is fitted into that size"):
        env.step(bare.action_space.sample())
    env.close()
    assert len({picture.shape for picture in frames(tmp_path / "episode-000001.mp4")}) == 1


def test_what_goes_wrong_is_a_warning_and_the_training_goes_on(tmp_path: Path) -> None:
    bare = Painting()
    env = believable.record(bare, tmp_path)
    env.reset(seed=1)
    bare.picture = None
    with pytest.warns(RecordingWarning, match="this episode is not recorded"):
        env.step(bare.action_space.sample())
    assert env.step(bare.action_space.sample())[0] == 0
    bare.picture = np.zeros((64, 96, 3), np.uint8)
    env.reset(seed=2)
    env.step(bare.action_space.sample())
    env.close()
    assert films(tmp_path) == ["episode-000002.mp4"]
    assert not list(tmp_path.glob(".*")), "nothing unfinished is left"


LOOP = """
import gymnasium, believable
env = believable.record(
    gymnasium.make("CartPole-v1", render_mode="rgb_array"), "clips", agent="mine", checkpoint="w.pt"
)
env.reset(seed=1)
env.step(0)
raise RuntimeError("the training fails")
"""


def test_an_episode_is_kept_if_the_program_ends_without_close(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LOOP)
    (tmp_path / "w.pt").write_bytes(b"weights")
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "the training fails" in done.stderr
    recording = read(tmp_path / "clips" / "episode-000001.replay.json.gz")
    assert recording.timing.frames == 2
    about = recording.provenance
    assert about["ended"] == "broken off"
    assert (about["agent_name"], about["agent_file"]) == ("mine", "train.py")
    assert about["agent_sha256"] == digest_of(tmp_path / "train.py")
    assert about["agent_checkpoint_sha256"] == digest_of(tmp_path / "w.pt")


def test_an_environment_that_is_forgotten_keeps_its_episode(tmp_path: Path) -> None:
    env = believable.record(Painting(), tmp_path)
    env.reset(seed=1)
    env.step(env.action_space.sample())
    del env
    gc.collect()
    assert films(tmp_path) == ["episode-000001.mp4"]

"""Minari datasets, made here: one recording per episode, and films of those that can be played
again.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import minari
import numpy as np
import pytest
from click.testing import CliRunner
from minari.data_collector.episode_buffer import EpisodeBuffer

from believable.cli import group
from believable.contracts.film import View
from believable.core.errors import InvalidInput, NotFound
from believable.recordings.file import read
from believable.worlds.gym import GYM


def episode(env: Any, number: int, seed: int | None) -> EpisodeBuffer:
    observation, _ = env.reset(seed=seed)
    observations, steps = [observation], []
    for tick in range(12):
        observation, *step, _ = env.step(tick % 2)
        observations.append(observation)
        steps.append((tick % 2, *step))
    actions, rewards, terminations, truncations = (
        list(column) for column in zip(*steps, strict=True)
    )
    return EpisodeBuffer(
        id=number,
        seed=seed,
        options=None,
        observations=np.array(observations),
        actions=np.array(actions),
        rewards=rewards,
        terminations=terminations,
        truncations=truncations,
        infos={"pace": np.arange(13)},
    )


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    env = gymnasium.make("CartPole-v1")
    minari.create_dataset_from_buffers(
        "lab/cartpole-v0",
        buffer=[episode(env, 0, 5), episode(env, 1, None)],
        env=env,
        eval_env=env,
        algorithm_name="alternating",
        author="lab",
        author_email="lab@example.org",
        code_permalink="https://example.org",
        description="Left, right.",
    )
    return tmp_path / "minari" / "lab" / "cartpole-v0"


def run(*options: str) -> Any:
    return CliRunner().invoke(group, ["import", "minari", *options], standalone_mode=False)


@pytest.mark.parametrize("by", ["id", "folder"])
def test_an_episode_is_a_recording_that_can_be_filmed(
    dataset: Path, tmp_path: Path, by: str
) -> None:
    out = tmp_path / "out"
    result = run(
        "lab/cartpole-v0" if by == "id" else str(dataset), "--out", str(out), "--info", "pace"
    )
    assert result.exception is None, result.output
    assert result.output.strip() == f"{out}: 2 of 2 episodes, 1 of them can be filmed"
    first, second = (read(out / f"episode-0{n}.replay.json.gz") for n in (1, 2))
    assert first.telemetry["action"] == ("0", "1") * 6
    assert first.telemetry["return"] == tuple(float(n) for n in range(1, 13))
    assert first.telemetry["info.pace"] == tuple(range(1, 13))
    assert (first.seed, first.agent, second.seed) == (5, "alternating", None)
    assert "Minari dataset lab/cartpole-v0, episode 0" in str(first.provenance["source"])
    assert len(GYM.game.tabular.telemetry_rows(first)) == 12
    rendering = GYM.game.filmable
    assert rendering is not None
    assert len(list(rendering.pictures(first, View(width_px=300, height_px=200)))) == 12
    other = replace(first, telemetry={**first.telemetry, "reward": (1.0,) * 11 + (0.5,)})
    with pytest.raises(InvalidInput, match=r"frame 11 brings 1\.0 and was recorded with 0\.5"):
        list(rendering.pictures(other, View(width_px=300, height_px=200)))


def test_what_cannot_be_read_is_told(dataset: Path, tmp_path: Path) -> None:
    missing = run("lab/nothing-v0", "--out", str(tmp_path / "a"))
    assert isinstance(missing.exception, NotFound)
    assert "Give its folder, or its id after: minari download lab/nothing-v0" in str(
        missing.exception
    )
    wrong = run(str(dataset), "--out", str(tmp_path / "b"), "--info", "speed")
    assert "episode 0 has no 'speed'. It has: pace." in str(wrong.exception)
    (tmp_path / "broken" / "data").mkdir(parents=True)
    assert isinstance(
        run(str(tmp_path / "broken"), "--out", str(tmp_path / "c")).exception, InvalidInput
    )

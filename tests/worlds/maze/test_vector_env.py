"""Rounds by the batch are the single environment's, to the last bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest

from believable import environments  # noqa: F401  registers the ids
from believable.worlds.maze.opponents import ShortestPathChaser
from believable.worlds.maze.rules import MazeRules

pytest.importorskip("numba")
#: The first use on a machine compiles.
pytestmark = pytest.mark.timeout(900)
IDS = ["believable/Maze-Player-v1", "believable/Maze-Opponent-v1"]
#: A round that ends soon, with bombs enough that fire is in the way.
SHORT = replace(MazeRules(), round_ticks=450, fire_life=200)


def same(name: str, n_envs: int, ticks: int, seed: int, **options: Any) -> dict[str, int]:
    """Plays both beside each other and counts what happened on the way."""
    batch = gymnasium.make_vec(name, num_envs=n_envs, **options)
    single = gymnasium.make_vec(name, num_envs=n_envs, vectorization_mode="sync", **options)
    seen, infos = batch.reset(seed=seed)
    seen_single, infos_single = single.reset(seed=seed)
    assert seen.tobytes() == seen_single.tobytes()
    assert infos["seed"].tolist() == infos_single["seed"].tolist()
    chance = np.random.default_rng(seed)
    counts = {"rewarded": 0, "punished": 0, "ended": 0, "fire": 0, "in sight": 0}
    chaser = ShortestPathChaser()

    def drawn() -> Any:
        return chance.integers(
            0, batch.single_action_space.nvec, (n_envs, len(batch.single_action_space.nvec))
        )

    actions = drawn()
    for tick in range(ticks):
        # A key is held for some ticks, as people and policies do; otherwise nobody gets anywhere.
        keep = chance.random(n_envs) < 0.9
        actions = np.where(keep[:, None], actions, drawn())
        if "Opponent" in name:  # goes after the player, or they would hardly ever meet
            for i in np.flatnonzero(chance.random(n_envs) < 0.8):
                actions[i] = chaser.decide(single.envs[i].unwrapped._game, []).heading_deg // 10, 1
        seen, rewards, terminated, truncated, infos = batch.step(actions)
        seen_single, rewards_single, terminated_single, truncated_single, infos_single = (
            single.step(actions)
        )
        place = f"{name}, tick {tick}"
        assert rewards.tobytes() == rewards_single.tobytes(), place
        assert seen.tobytes() == seen_single.tobytes(), place
        assert (terminated.tolist(), truncated.tolist()) == (
            terminated_single.tolist(),
            truncated_single.tolist(),
        ), place
        assert {key: value.tolist() for key, value in infos.items()} == {
            key: value.tolist() for key, value in infos_single.items()
        }, place
        counts["rewarded"] += int((rewards > 0).sum())
        counts["punished"] += int((rewards < 0).sum())
        counts["ended"] += int(truncated.sum())
        counts["fire"] += int((seen[:, :121] == 1).any(axis=1).sum())
        counts["in sight"] += int(seen[:, 124].sum())
    return counts


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("preset_name", ["frustrated", "calm"])
def test_both_are_the_same_to_the_last_bit_also_beyond_the_end_of_a_round(
    name: str, preset_name: str
) -> None:
    counts = same(name, 6, 1000, 3, settings=SHORT, preset_name=preset_name)
    assert counts["ended"] == 12
    assert all(counts.values()), counts


@pytest.mark.parametrize("name", IDS)
def test_whole_rounds_of_the_usual_maze_are_the_same(name: str) -> None:
    counts = same(name, 4, 1802, 40)
    assert counts["ended"] == 4


def test_what_is_given_back_stays_as_it_was() -> None:
    envs = gymnasium.make_vec(IDS[0], num_envs=2)
    first, _ = envs.reset(seed=1)
    kept = first.copy()
    envs.step(np.array([[2, 2, 9, 1, 1]] * 2))
    assert np.array_equal(first, kept)


def test_gymnasium_makes_the_batch_by_itself() -> None:
    envs = gymnasium.make_vec(IDS[1], num_envs=3)
    assert type(envs.unwrapped).__name__ == "MazeOpponentRounds"
    assert envs.observation_space.shape == (3, 131)
    assert envs.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP

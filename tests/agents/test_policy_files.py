"""Policies by their file: plain networks, and what is said about those that cannot be read."""

from __future__ import annotations

import importlib.util
import json
import zipfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from click.testing import CliRunner

from believable.agents.choice import choose_agent
from believable.cli import group
from believable.contracts.registries import AGENTS
from believable.core.errors import BelievableError, InvalidInput, MissingExtra
from believable.core.object_storage import digest_of
from believable.recordings.file import read
from believable.worlds import WORLDS
from believable.worlds.agent_check import check_agent
from believable.worlds.gym.policy_files import BaselinesParams, _load_baselines, read_network
from believable.worlds.gym.rollouts import read_action

GYM = WORLDS["gym"]
#: Pushes the cart to the side to which the pole falls.
BALANCES = {
    "actor.0.weight": np.array([[0.0, 0.0, 1.0, 0.5], [0.0, 0.0, -1.0, -0.5]]),
    "actor.0.bias": np.zeros(2),
    "actor.2.weight": np.array([[-1.0, 1.0], [1.0, -1.0]]),
    "actor.2.bias": np.zeros(2),
    "critic.0.weight": np.zeros((2, 4)),
}


@pytest.fixture
def balances(tmp_path: Path) -> Path:
    np.savez(tmp_path / "cartpole.npz", **BALANCES)
    return tmp_path / "cartpole.npz"


def test_a_network_in_a_file_plays_and_the_recording_names_it(balances: Path) -> None:
    folder = balances.parent / "clips"
    words = ["record", "gym", str(folder), "--env", "CartPole-v1", "--seconds", "6"]
    CliRunner().invoke(
        group, [*words, "--agent", str(balances)], catch_exceptions=False, standalone_mode=False
    )
    recording = read(folder / "gym-01.replay.json.gz")
    total = recording.telemetry["return"][-1]
    assert isinstance(total, float)
    assert total > 150, "it balances"
    about = recording.provenance
    assert about["agent_name"] == "gym/network"
    assert about["agent_checkpoint"] == "cartpole.npz"
    assert about["agent_checkpoint_sha256"] == digest_of(balances)


def test_it_keeps_the_contract(balances: Path) -> None:
    check_agent(AGENTS["gym/network"], {"file": balances}, options={"env": "CartPole-v1"})
    drawn = {"file": balances, "deterministic": False}
    check_agent(AGENTS["gym/network"], drawn, options={"env": "CartPole-v1"})


def test_means_and_values_are_understood(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "means.npz",
        **{
            "actor_mean.0.weight": np.ones((1, 3)),
            "actor_mean.0.bias": np.zeros(1),
            "actor_logstd": np.full((1, 1), -20.0),
        },
    )
    act = choose_agent(str(tmp_path / "means.npz"), GYM, {"deterministic": "no"}).sit_down(1)
    assert act({"observation": np.ones(3)}) == pytest.approx(3.0)
    values = {"network.0.weight": np.eye(3), "network.0.bias": np.array([0.0, 0.0, 1.0])}
    np.savez(tmp_path / "values.npz", **values)
    act = choose_agent(f"network:{tmp_path / 'values.npz'}", GYM).sit_down(1)
    assert act({"observation": np.array([0.5, 0.2, 0.1])}) == 2


def test_layers_of_values_are_joined_by_relu_and_those_of_actors_by_tanh(tmp_path: Path) -> None:
    for name, expected in (("network", [0.0, 2.0]), ("actor", [np.tanh(-3.0), np.tanh(2.0)])):
        layers = {
            f"{name}.{number}.{part}": value
            for number in (0, 2)
            for part, value in (("weight", np.eye(2)), ("bias", np.zeros(2)))
        }
        np.savez(tmp_path / f"{name}.npz", **layers)
        assert read_network(tmp_path / f"{name}.npz")([-3.0, 2.0]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"encoder.weight": np.ones(3)}, "expected layers actor.N.* got encoder.weight"),
        (
            {"actor.0.weight": np.ones((2, 3, 8, 8)), "actor.0.bias": np.ones(2)},
            "not fully connected",
        ),
    ],
)
def test_a_network_that_is_not_understood_is_refused(
    tmp_path: Path, arrays: dict[str, Any], message: str
) -> None:
    np.savez(tmp_path / "net.npz", **arrays)
    with pytest.raises(InvalidInput, match=message):
        read_network(tmp_path / "net.npz")


def test_an_observation_of_another_environment_is_refused(balances: Path) -> None:
    act = choose_agent(str(balances), GYM).sit_down(1)
    with pytest.raises(InvalidInput, match="the network takes 4 numbers, the environment gives 2"):
        act({"observation": np.zeros(2)})


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
def test_without_torch_the_message_names_it(tmp_path: Path) -> None:
    (tmp_path / "ppo.cleanrl_model").touch()
    with pytest.raises(MissingExtra, match="pip install 'torch'"):
        choose_agent(str(tmp_path / "ppo.cleanrl_model"), GYM).sit_down(1)


@pytest.mark.skipif(
    importlib.util.find_spec("stable_baselines3") is not None, reason="it is installed"
)
def test_without_stable_baselines3_the_message_names_it(tmp_path: Path) -> None:
    (tmp_path / "model.zip").touch()
    with pytest.raises(BelievableError, match="pip install 'stable-baselines3'"):
        choose_agent(str(tmp_path / "model.zip"), GYM)


class Model:
    """As stable_baselines3.PPO is used here."""

    seeds: tuple[int, ...] = ()

    @classmethod
    def load(cls, file: Path, device: str) -> Model:
        assert device == "cpu"
        return cls()

    def set_random_seed(self, seed: int) -> None:
        Model.seeds += (seed,)

    def predict(self, observation: Any, deterministic: bool = False) -> tuple[Any, None]:
        return np.array(int(observation[0] > 0)), None


def model_file(folder: Path, **settings: Any) -> Path:
    with zipfile.ZipFile(folder / "model.zip", "w") as archive:
        archive.writestr("data", json.dumps(settings))
    return folder / "model.zip"


def test_the_algorithm_is_found_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module: Any = type(importlib)("stable_baselines3")
    module.PPO = Model
    monkeypatch.setitem(__import__("sys").modules, "stable_baselines3", module)
    act = _load_baselines(BaselinesParams(model_file(tmp_path, clip_range=0.2, gae_lambda=1)), 7)
    assert act({"observation": np.array([1.0])}) == 1
    assert Model.seeds[-1] == 7
    with pytest.raises(InvalidInput, match="the algorithm is not known from the file"):
        _load_baselines(BaselinesParams(model_file(tmp_path, gamma=1)), 1)
    with pytest.raises(InvalidInput, match="has no algorithm 'DQN'"):
        _load_baselines(BaselinesParams(model_file(tmp_path, exploration_fraction=1)), 1)
    (tmp_path / "other.zip").write_bytes(b"no archive")
    with pytest.raises(InvalidInput, match="expected a model that Stable-Baselines3 saved"):
        _load_baselines(BaselinesParams(tmp_path / "other.zip"), 1)


def test_a_prediction_that_is_passed_whole_is_understood() -> None:
    space = gymnasium.spaces.Discrete(2)
    assert read_action(space, (np.array(1), None), "mine") == 1
    box = gymnasium.spaces.Box(-1, 1, (2,))
    assert read_action(box, (np.zeros(2), None), "mine").shape == (2,)
    pair = gymnasium.spaces.Tuple((space, space))
    assert read_action(pair, (1, 0), "mine") == (1, 0)
    for answer in ("left", None, 5, (5, None)):
        with pytest.raises(
            InvalidInput, match=r"agent 'mine': expected an action of Discrete\(2\)"
        ):
            read_action(space, answer, "mine")

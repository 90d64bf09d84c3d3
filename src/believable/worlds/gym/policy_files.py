"""Trained policies by their file: those of Stable-Baselines3, and networks of plain layers such as
CleanRL saves them.
"""

from __future__ import annotations

import importlib
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from believable.contracts.agent import ActFunction, Agent, View
from believable.core.errors import InvalidInput, MissingExtra

Weights = Mapping[str, NDArray[np.float64]]

# ----------------------------------------------------------------------------------------------
# Stable-Baselines3


@dataclass(frozen=True, slots=True)
class BaselinesParams:
    """A model that `model.save(FILE)` wrote. `algorithm` is a class of stable_baselines3 such as
    PPO; `auto` finds it out. Loading runs code from the file: take files of your own only.
    """

    file: Path
    algorithm: str = "auto"
    deterministic: bool = True


#: A setting that only this algorithm has, in this order.
_TELLTALE = {
    "clip_range": "PPO",
    "target_policy_noise": "TD3",
    "target_entropy": "SAC",
    "exploration_fraction": "DQN",
    "gae_lambda": "A2C",
}


def _algorithm_of(file: Path) -> str:
    """From the settings that the file lists."""
    try:
        with zipfile.ZipFile(file) as archive:
            settings = json.loads(archive.read("data"))
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError) as error:
        raise InvalidInput(
            f"{file}: expected a model that Stable-Baselines3 saved ({error})."
        ) from None
    for setting, algorithm in _TELLTALE.items():
        if setting in settings:
            return algorithm
    raise InvalidInput(
        f"{file}: the algorithm is not known from the file. Give --option algorithm=NAME, such as"
        " PPO."
    )


def _load_baselines(params: BaselinesParams, seed: int) -> ActFunction:
    name = _algorithm_of(params.file) if params.algorithm == "auto" else params.algorithm
    try:
        baselines: Any = importlib.import_module("stable_baselines3")
    except ImportError:
        what = "a policy of Stable-Baselines3"
        raise MissingExtra(what=what, install="stable-baselines3") from None
    algorithm = getattr(baselines, name, None)
    if algorithm is None or not hasattr(algorithm, "load"):
        raise InvalidInput(f"{params.file}: stable_baselines3 has no algorithm {name!r}.")
    model = algorithm.load(params.file, device="cpu")
    model.set_random_seed(seed % 2**32)

    def act(view: View) -> Any:
        return model.predict(view["observation"], deterministic=params.deterministic)[0]

    return act


STABLE_BASELINES3 = Agent(
    name="gym/stable-baselines3",
    world="gym",
    about="A policy of Stable-Baselines3: stable-baselines3:MODEL.zip, or the file alone.",
    params=BaselinesParams,
    new=_load_baselines,
    needs=("gym", "stable-baselines3"),
    takes="file",
    files=(".zip",),
    acts="environment",
)

# ----------------------------------------------------------------------------------------------
# plain networks


@dataclass(frozen=True, slots=True)
class NetworkParams:
    """Weights of fully connected layers as CleanRL names them: `actor.N.weight` and `.bias` (PPO),
    `actor_mean.N` with `actor_logstd` (PPO, continuous), `network.N` or `q_network.N` (DQN). A
    `.npz` has the same names. `activation` is the function between layers; by default tanh for
    actors, relu for values.
    """

    file: Path
    activation: Literal["auto", "tanh", "relu"] = "auto"
    deterministic: bool = True


_LAYER = re.compile(r"(?:(?:agent|policy|module)\.)?(\w+)\.(\d+)\.weight")
#: Name of a network → usual activation, and the meaning of its outputs.
_NETWORKS: Mapping[str, tuple[str, Literal["logits", "means", "values"]]] = {
    "actor": ("tanh", "logits"),
    "actor_mean": ("tanh", "means"),
    "network": ("relu", "values"),
    "q_network": ("relu", "values"),
}


def _read_weights(file: Path) -> Weights:
    if file.suffix == ".npz":
        try:
            with np.load(file, allow_pickle=False) as arrays:
                return {name: np.asarray(arrays[name], float) for name in arrays.files}
        except ValueError as error:
            raise InvalidInput(f"{file}: expected arrays of numpy ({error}).") from None
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:
        raise MissingExtra(what=f"reading {file.name}", install="torch") from None
    try:
        state = torch.load(file, map_location="cpu", weights_only=True)
        return {name: np.asarray(value.numpy(), float) for name, value in state.items()}
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise InvalidInput(
            f"{file}: expected what torch.save(agent.state_dict(), FILE) writes ({reason})."
        ) from error


@dataclass(frozen=True, slots=True)
class PlainNetwork:
    """Fully connected layers, and how an action follows from their output."""

    layers: tuple[tuple[NDArray[np.float64], NDArray[np.float64]], ...]
    activation: Callable[[Any], Any]
    outputs: Literal["logits", "means", "values"]
    log_sd: NDArray[np.float64] | None = None

    def __call__(self, observation: Any) -> NDArray[np.float64]:
        value = np.asarray(observation, float).reshape(-1)
        if value.shape[0] != self.layers[0][0].shape[1]:
            raise InvalidInput(
                f"the network takes {self.layers[0][0].shape[1]} numbers, the environment gives"
                f" {value.shape[0]}. Use the environment that it was trained in."
            )
        for number, (weight, bias) in enumerate(self.layers):
            value = weight @ value + bias
            if number < len(self.layers) - 1:
                value = self.activation(value)
        return np.asarray(value)


def read_network(file: Path, activation: str = "auto") -> PlainNetwork:
    """The network in a file, or an error that names the unknown part."""
    weights = _read_weights(file)
    found: dict[str, dict[int, str]] = {}
    for name in weights:
        if match := _LAYER.fullmatch(name):
            found.setdefault(match[1], {})[int(match[2])] = name.removesuffix(".weight")
    chosen = next((name for name in _NETWORKS if name in found), None)
    if chosen is None:
        raise InvalidInput(
            f"{file}: expected layers actor.N, actor_mean.N, network.N or q_network.N, got"
            f" {', '.join(list(weights)[:6]) or 'nothing'}. Write a function that loads it:"
            " --agent my_agent:agent."
        )
    names = [found[chosen][number] for number in sorted(found[chosen])]
    layers = tuple((weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names)
    if any(weight.ndim != 2 for weight, _ in layers) or any(
        before[0].shape[0] != after[0].shape[1] for before, after in pairwise(layers)
    ):
        raise InvalidInput(
            f"{file}: {chosen} has layers that are not fully connected. Write a function that loads"
            " it: --agent my_agent:agent."
        )
    usual, outputs = _NETWORKS[chosen]
    function: Mapping[str, Callable[[Any], Any]] = {
        "tanh": np.tanh,
        "relu": lambda value: np.maximum(value, 0),
    }
    return PlainNetwork(
        layers,
        function[usual if activation == "auto" else activation],
        outputs,
        weights.get("actor_logstd"),
    )


def _load_network(params: NetworkParams, seed: int) -> ActFunction:
    network, rng = read_network(params.file, params.activation), np.random.default_rng(seed)

    def act(view: View) -> Any:
        output = network(view["observation"])
        if network.outputs == "means":
            if params.deterministic or network.log_sd is None:
                return output.astype(np.float32)
            return rng.normal(output, np.exp(network.log_sd.reshape(-1))).astype(np.float32)
        if network.outputs == "values" or params.deterministic:
            return int(output.argmax())
        shares = np.exp(output - output.max())
        return int(rng.choice(len(output), p=shares / shares.sum()))

    return act


NETWORK = Agent(
    name="gym/network",
    world="gym",
    about="A network of plain layers, such as CleanRL saves it: network:FILE, or the file alone.",
    params=NetworkParams,
    new=_load_network,
    needs=("gym",),
    takes="file",
    files=(".cleanrl_model", ".pt", ".pth", ".npz"),
    acts="environment",
)

"""What Stable-Baselines3's PPO makes of a given batch: advantages, and the network after three
updates. Its output is committed.

    pip install stable-baselines3
    python -m tests.worlds.doom.navigation.outside_update > tests/worlds/doom/navigation/outside_update.json

The network is written here once more with torch's own layers; only its first weights and the batch
are shared with our recipe. Their loss of values is the mean square, ours half of it: their weight
of it is half of ours.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import gymnasium
import numpy as np
import stable_baselines3
import torch
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv
from torch import nn

from tests.worlds.doom.navigation.given_batch import (
    ACTIONS,
    CLIP,
    DEPTH_PX,
    DISCOUNT,
    ENVIRONMENTS,
    EPOCHS,
    GRADIENT_NORM,
    NUMBERS,
    RATE,
    STEPS,
    TRACE,
    VALUE_WEIGHT,
    drawn_batch,
    drawn_weights,
    following,
)


class WitnessLayers(BaseFeaturesExtractor):
    def __init__(self, space: Any) -> None:
        super().__init__(space, 256)
        self.senses, self.body, self.seen = (
            nn.Linear(NUMBERS, 128),
            nn.Linear(128, 128),
            nn.Linear(128, 128),
        )
        self.near, self.far = nn.Conv2d(1, 16, 8, stride=4), nn.Conv2d(16, 32, 4, stride=2)

    def forward(self, seen: dict[str, torch.Tensor]) -> torch.Tensor:
        hidden = torch.relu(self.body(torch.relu(self.senses(seen["senses"]))))
        picture = torch.relu(self.far(torch.relu(self.near(seen["depth"].float()[:, None] / 255))))
        return torch.cat([hidden, torch.relu(self.seen(picture.flatten(1)))], 1)


class SilentEnv(gymnasium.Env[Any, Any]):
    observation_space = spaces.Dict(
        senses=spaces.Box(-1, 1, (NUMBERS,), np.float32),
        depth=spaces.Box(0, 255, (DEPTH_PX, DEPTH_PX), np.uint8),
    )
    action_space = spaces.Discrete(ACTIONS)


def main() -> None:
    model = PPO(
        "MultiInputPolicy",
        DummyVecEnv([SilentEnv] * ENVIRONMENTS),
        n_steps=STEPS,
        batch_size=STEPS * ENVIRONMENTS,
        n_epochs=EPOCHS,
        learning_rate=RATE,
        gamma=DISCOUNT,
        gae_lambda=TRACE,
        clip_range=CLIP,
        max_grad_norm=GRADIENT_NORM,
        vf_coef=VALUE_WEIGHT / 2,
        ent_coef=0.0,
        device="cpu",
        policy_kwargs={
            "features_extractor_class": WitnessLayers,
            "net_arch": [],
            "normalize_images": False,
        },
    )
    policy, weights, batch = model.policy, drawn_weights(), drawn_batch()
    layers: dict[str, Any] = {
        name: getattr(policy.features_extractor, name)
        for name in ("senses", "body", "near", "far", "seen")
    } | {"action": policy.action_net, "value": policy.value_net}
    with torch.no_grad():
        for name, layer in layers.items():
            layer.weight.copy_(torch.from_numpy(weights[f"{name}.weight"]))
            layer.bias.copy_(torch.from_numpy(weights[f"{name}.bias"]))
    buffer = model.rollout_buffer
    starts = np.vstack([np.zeros((1, ENVIRONMENTS), bool), batch["over"][:-1]])
    for step in range(STEPS):
        buffer.add(
            {"senses": batch["senses"][step], "depth": batch["depth"][step]},
            batch["action"][step],
            batch["reward"][step],
            starts[step],
            torch.from_numpy(batch["value"][step]),
            torch.from_numpy(batch["chance"][step].astype(np.float32)),
        )
    buffer.compute_returns_and_advantage(torch.from_numpy(following()), batch["over"][-1])
    advantage = buffer.advantages.tolist()
    model.set_logger(configure(None, []))
    model.train()
    output = {
        "tool": f"stable-baselines3 {stable_baselines3.__version__}, torch {torch.__version__}",
        "advantage": advantage,
        "layers": {
            f"{name}.{part}": [float(values.double().sum()), float(values.double().norm())]
            for name, layer in layers.items()
            for part, values in (("weight", layer.weight.detach()), ("bias", layer.bias.detach()))
        },
        "action_bias": layers["action"].bias.tolist(),
        "value_bias": layers["value"].bias.tolist(),
    }
    json.dump(output, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()

"""A batch and first weights that our recipe and Stable-Baselines3's are both given
(`outside_update.py`), from numpy's chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

STEPS, ENVIRONMENTS, ACTIONS, NUMBERS, DEPTH_PX = 24, 4, 8, 56, 32
DISCOUNT, TRACE, CLIP, RATE, EPOCHS, GRADIENT_NORM, VALUE_WEIGHT = (
    0.99,
    0.95,
    0.2,
    3e-3,
    3,
    0.5,
    0.5,
)
#: The layers, under the names of our network, with the shapes of their weights.
LAYERS = {
    "senses": (128, NUMBERS),
    "body": (128, 128),
    "near": (16, 1, 8, 8),
    "far": (32, 16, 4, 4),
    "seen": (128, 128),
    "action": (ACTIONS, 256),
    "value": (1, 256),
}


def drawn_weights() -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(11)
    weights = {}
    for name, shape in LAYERS.items():
        weights[f"{name}.weight"] = (rng.normal(size=shape) / np.sqrt(np.prod(shape[1:]))).astype(
            np.float32
        )
        weights[f"{name}.bias"] = rng.normal(0, 0.1, shape[0]).astype(np.float32)
    return weights


def drawn_batch() -> dict[str, NDArray[Any]]:
    """Steps × environments. Chances are not those of the weights, so that some ratios are
    clipped.
    """
    rng, shape = np.random.default_rng(12), (STEPS, ENVIRONMENTS)
    return {
        "senses": rng.uniform(-1, 1, (*shape, NUMBERS)).astype(np.float32),
        "depth": rng.integers(0, 256, (*shape, DEPTH_PX, DEPTH_PX)).astype(np.uint8),
        "action": rng.integers(0, ACTIONS, shape),
        "chance": np.log(rng.uniform(0.05, 0.25, shape)),
        "value": rng.normal(size=shape).astype(np.float32),
        "reward": rng.normal(size=shape).astype(np.float32),
        "over": rng.random(shape) < 0.15,
    }


def following() -> NDArray[np.float32]:
    """What was expected after the last step."""
    return np.random.default_rng(13).normal(size=ENVIRONMENTS).astype(np.float32)

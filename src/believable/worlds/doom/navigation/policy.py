"""A trained agent that plays: the network's forward pass in numpy. Training computes the same with
torch (`ppo.py`).

Depth goes through two convolutions and a layer of 128, everything else through two layers of 128;
both together give a number for each action.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from believable.worlds.doom.navigation.senses import Depth

Floats = NDArray[np.float32]


class NavigationPolicy:
    """Weights by name, as `ppo.py` saves them."""

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self._weights = weights
        self.sees_depth = "near.weight" in weights

    def logits(self, senses: Floats, depth: Depth | None) -> Floats:
        """For one moment: a number for each action."""
        hidden = rectify(self._layer("body", rectify(self._layer("senses", senses))))
        if depth is not None and self.sees_depth:
            picture = depth.astype(np.float32)[None] / np.float32(255)
            near = rectify(self._convolved("near", picture, stride=4))
            far = rectify(self._convolved("far", near, stride=2))
            hidden = np.concatenate([hidden, rectify(self._layer("seen", far.reshape(-1)))])
        return self._layer("action", hidden)

    def draw(self, senses: Floats, depth: Depth | None, rng: np.random.Generator) -> int:
        """An action by its chance, as in training."""
        numbers = self.logits(senses, depth).astype(np.float64)
        return int(np.argmax(numbers + rng.gumbel(size=numbers.size)))

    def _layer(self, name: str, values: Floats) -> Floats:
        result: Floats = self._weights[f"{name}.weight"] @ values + self._weights[f"{name}.bias"]
        return result

    def _convolved(self, name: str, picture: Floats, stride: int) -> Floats:
        kernels, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        side = kernels.shape[-1]
        windows = np.lib.stride_tricks.sliding_window_view(picture, (side, side), axis=(1, 2))[
            :, ::stride, ::stride
        ]
        result: Floats = (
            np.einsum("cyxij,kcij->kyx", windows, kernels, optimize=True) + bias[:, None, None]
        )
        return result.astype(np.float32)


def rectify(values: Floats) -> Floats:
    return np.maximum(values, np.float32(0))

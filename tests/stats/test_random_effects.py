"""The block factorisation beside the same algebra with dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.stats.inputs import FloatArray
from believable.stats.models.design import Varying
from believable.stats.models.random_effects import backward, by_size, factor, forward, gram, offsets


def dense(varying: tuple[Varying, ...]) -> FloatArray:
    columns = []
    for v in varying:
        block = np.zeros((len(v.codes), v.levels, v.width))
        block[np.arange(len(v.codes)), v.codes] = v.values
        columns.append(block.reshape(len(v.codes), -1))
    return np.concatenate(columns, axis=1)


def draw(seed: int, widths: list[int], n: int = 60) -> tuple[Varying, ...]:
    rng = np.random.default_rng(seed)
    made = []
    for index, width in enumerate(widths):
        levels = int(rng.integers(2, 9))
        codes = rng.permutation(np.arange(n) % levels)
        names = tuple(f"c{a}" for a in range(width))
        made.append(
            Varying(
                group=f"g{index}",
                names=names,
                codes=codes,
                levels=levels,
                values=rng.normal(size=(n, width)),
            )
        )
    return by_size(tuple(made))


@given(st.integers(0, 10_000), st.lists(st.integers(1, 3), min_size=1, max_size=3))
def test_factor_equals_the_dense_cholesky(seed: int, widths: list[int]) -> None:
    varying = draw(seed, widths)
    rng = np.random.default_rng(seed + 1)
    weights, border = rng.uniform(0.1, 2, 60), rng.normal(size=(60, 3))
    relative = [np.tril(rng.normal(size=(v.width, v.width))) for v in varying]
    found = factor(gram(varying, border, weights), varying, relative)
    scale = np.zeros((0, 0))
    for v, block in zip(varying, relative, strict=True):
        for _ in range(v.levels):
            grown = np.zeros((len(scale) + v.width, len(scale) + v.width))
            grown[: len(scale), : len(scale)], grown[len(scale) :, len(scale) :] = scale, block
            scale = grown
    z = dense(varying) @ scale
    whole = z.T @ (weights[:, None] * z) + np.eye(z.shape[1])
    assert found.log_det == pytest.approx(np.linalg.slogdet(whole)[1], rel=1e-9, abs=1e-9)
    zx = z.T @ (weights[:, None] * border)
    left = border.T @ (weights[:, None] * border) - zx.T @ np.linalg.solve(whole, zx)
    edge = offsets(varying)[-1]
    assert found.rest[edge:, edge:] @ found.rest[edge:, edge:].T == pytest.approx(left, abs=1e-8)


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_forward_and_backward_solve_every_level(seed: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    lower = np.tril(rng.normal(size=(5, width, width))) + 2 * np.eye(width)
    right = rng.normal(size=(5 * width, 3))
    shaped = right.reshape(5, width, 3)
    assert forward(lower, right).reshape(5, width, 3) == pytest.approx(
        np.linalg.solve(lower, shaped), rel=1e-6
    )
    turned = lower.transpose(0, 2, 1)
    assert backward(lower, right).reshape(5, width, 3) == pytest.approx(
        np.linalg.solve(turned, shaped), rel=1e-6
    )

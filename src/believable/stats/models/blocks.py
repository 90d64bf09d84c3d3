"""Linear algebra of crossed random effects: the largest group is block-diagonal, the rest a dense remainder.

With Z the random-effect columns, Λ their relative Cholesky factor and W row weights, every fit here needs the
Cholesky factor of Λ'Z'WZΛ + I bordered by further columns. Eliminating the largest group level by level
leaves a matrix of the size of the other groups only, so a design of thousands of participants × dozens of
scenarios costs little more than its scenarios.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from believable.stats.inputs import FloatArray
from believable.stats.models.design import Varying


@dataclass(frozen=True, slots=True)
class Gram:
    """Z'W[Z, M] and M'WM: `first` (levels, k, k), `cross` (levels·k, rest + border), `rest` (rest + border)²."""

    first: FloatArray
    cross: FloatArray
    rest: FloatArray


@dataclass(frozen=True, slots=True)
class Factor:
    """The Cholesky factor: of each block of the first group, what it leaves in the cross part, of the remainder."""

    first: FloatArray
    cross: FloatArray
    rest: FloatArray
    log_det: float


def by_size(varying: tuple[Varying, ...]) -> tuple[Varying, ...]:
    """The largest group first; the order among equals is that of the formula."""
    return tuple(sorted(varying, key=lambda v: -v.levels * v.width))


def offsets(varying: tuple[Varying, ...]) -> list[int]:
    """Where the columns of each group after the first start in the remainder, and where they end."""
    return [int(edge) for edge in np.cumsum([0, *(v.levels * v.width for v in varying[1:])])]


def gram(varying: tuple[Varying, ...], border: FloatArray, weights: FloatArray | None = None) -> Gram:
    """The cross-products; `border` holds the further columns (fixed effects, response …)."""
    w = np.ones(len(border)) if weights is None else weights
    edges, head = offsets(varying), varying[0]
    size = edges[-1] + border.shape[1]
    first = _pair(head, head, w, same=True)
    cross = np.empty((head.levels * head.width, size))
    rest = np.zeros((size, size))
    for index, one in enumerate(varying[1:]):
        here = slice(edges[index], edges[index + 1])
        cross[:, here] = _pair(head, one, w, same=False)
        rest[here, here] = linalg.block_diag(*_pair(one, one, w, same=True))
        for later, other in enumerate(varying[index + 2 :], start=index + 1):
            there = slice(edges[later], edges[later + 1])
            rest[here, there] = _pair(one, other, w, same=False)
            rest[there, here] = rest[here, there].T
        rest[here, edges[-1] :] = _with_border(one, border, w)
        rest[edges[-1] :, here] = rest[here, edges[-1] :].T
    cross[:, edges[-1] :] = _with_border(head, border, w)
    rest[edges[-1] :, edges[-1] :] = (border * w[:, None]).T @ border
    return Gram(first, cross, rest)


def factor(found: Gram, varying: tuple[Varying, ...], relative: list[FloatArray]) -> Factor:
    """The Cholesky factor of the bordered Λ'Z'WZΛ + I; `relative` are the k × k blocks of Λ.

    `log_det` is that of the random-effect part. The border of `rest` holds what is left of M'WM.
    """
    edges, head = offsets(varying), relative[0]
    width = varying[0].width
    cross = _scale_rows(found.cross, head)
    rest = found.rest.copy()
    for index, block in enumerate(relative[1:]):
        here = slice(edges[index], edges[index + 1])
        cross[:, here] = _scale_rows(cross[:, here].T, block).T
        rest[here, :] = _scale_rows(rest[here, :], block)
        rest[:, here] = _scale_rows(rest[:, here].T, block).T
    rest[np.arange(edges[-1]), np.arange(edges[-1])] += 1.0
    if width == 1:
        lower = np.sqrt(found.first[:, :, 0] * head[0, 0] ** 2 + 1)
        solved = cross / lower
        first, log_first = lower[:, :, None], float(np.log(lower).sum())
    else:
        first = np.linalg.cholesky(head.T @ found.first @ head + np.eye(width)).astype(np.float64)
        solved = forward(first, cross)
        log_first = float(np.log(np.diagonal(first, axis1=1, axis2=2)).sum())
    # numpy's factorisation, like the product before it: numpy and scipy bring a thread pool each, and two pools
    # in turn, call by call, keep waiting for each other.
    remainder = np.linalg.cholesky(rest - solved.T @ solved).astype(np.float64)
    log_rest = float(np.log(np.diagonal(remainder)[: edges[-1]]).sum())
    return Factor(first, solved, remainder, 2 * (log_first + log_rest))


def forward(lower: FloatArray, right: FloatArray) -> FloatArray:
    """Solve the lower-triangular block of every level; the blocks are tiny, so this beats a library call each."""
    solved = right.reshape(len(lower), lower.shape[1], -1).copy()
    for row in range(lower.shape[1]):
        for column in range(row):
            solved[:, row] -= lower[:, row, column, None] * solved[:, column]
        solved[:, row] /= lower[:, row, row, None]
    return solved.reshape(right.shape)


def backward(lower: FloatArray, right: FloatArray) -> FloatArray:
    """Solve the transpose of the lower-triangular block of every level."""
    solved = right.reshape(len(lower), lower.shape[1], -1).copy()
    for row in reversed(range(lower.shape[1])):
        for below in range(row + 1, lower.shape[1]):
            solved[:, row] -= lower[:, below, row, None] * solved[:, below]
        solved[:, row] /= lower[:, row, row, None]
    return solved.reshape(right.shape)


def _pair(one: Varying, other: Varying, w: FloatArray, *, same: bool) -> FloatArray:
    """Z_one' W Z_other: blocks per level for a group with itself, dense otherwise."""
    if same:
        blocks = np.empty((one.levels, one.width, one.width))
        for a in range(one.width):
            for b in range(a + 1):
                weights = w * one.values[:, a] * one.values[:, b]
                blocks[:, a, b] = np.bincount(one.codes, weights, minlength=one.levels)
                blocks[:, b, a] = blocks[:, a, b]
        return blocks
    joined = one.codes * other.levels + other.codes
    dense = np.empty((one.levels, one.width, other.levels, other.width))
    for a in range(one.width):
        for b in range(other.width):
            weights = w * one.values[:, a] * other.values[:, b]
            flat = np.bincount(joined, weights, minlength=one.levels * other.levels)
            dense[:, a, :, b] = flat.reshape(one.levels, other.levels)
    return dense.reshape(one.levels * one.width, other.levels * other.width)


def _with_border(one: Varying, border: FloatArray, w: FloatArray) -> FloatArray:
    dense = np.empty((one.levels, one.width, border.shape[1]))
    for a in range(one.width):
        for column in range(border.shape[1]):
            weights = w * one.values[:, a] * border[:, column]
            dense[:, a, column] = np.bincount(one.codes, weights, minlength=one.levels)
    return dense.reshape(one.levels * one.width, border.shape[1])


def _scale_rows(rows: FloatArray, block: FloatArray) -> FloatArray:
    """Λ' times rows, Λ repeating `block` along its diagonal."""
    if block.shape == (1, 1):
        scaled: FloatArray = rows * block[0, 0]
        return scaled
    width = len(block)
    shaped = rows.reshape(-1, width, rows.shape[1])
    product: FloatArray = np.einsum("ba,lbm->lam", block, shaped).reshape(rows.shape)
    return product

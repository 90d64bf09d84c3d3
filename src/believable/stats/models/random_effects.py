"""The parameters of random effects: from a flat vector to relative Cholesky blocks, and back to
SDs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, sparse

from believable.stats.inputs import FloatArray
from believable.stats.models.design import Varying
from believable.stats.models.fitted import RandomCorrelation, RandomSd

# Below this share of filled cells, and above this many cells, sparse products beat dense ones.
_SPARSE_BELOW = 0.15
#: Smaller matrices are faster dense, whatever they hold.
_SPARSE_FROM_CELLS = 20_000

#: As lme4's `isSingular`: a standard deviation this small relative to the residual's is at the
#: boundary.
SINGULAR_BELOW = 1e-4
"""A relative standard deviation below this counts as none, as in lme4."""


def standardise_columns(
    varying: tuple[Varying, ...],
) -> tuple[tuple[Varying, ...], list[FloatArray]]:
    """Columns of mean square 1, so that an optimiser meets one scale; and the factors they were
    divided by.
    """
    scales = [np.sqrt((v.values**2).mean(axis=0)) for v in varying]
    scales = [np.where(scale > 0, scale, 1.0) for scale in scales]
    scaled = tuple(
        replace(v, values=v.values / scale) for v, scale in zip(varying, scales, strict=True)
    )
    return scaled, scales


def unscale_block(block: FloatArray, scale: FloatArray) -> FloatArray:
    """The Cholesky block of the columns before they were divided."""
    return block / scale[:, None]


def start(varying: tuple[Varying, ...]) -> FloatArray:
    """The identity for every group."""
    return np.concatenate([np.eye(v.width)[np.tril_indices(v.width)] for v in varying])


#: Where a search for the size of a random intercept, in residual standard deviations, begins at the
#: least and at the most.
_LEAST_START, _MOST_START = 0.1, 3.0


def likely_start(varying: tuple[Varying, ...], residual: FloatArray) -> FloatArray:
    """For random intercepts what an analysis of variance of each group alone suggests, else the
    identity: nearer to the optimum, so that a search takes a third of the steps.
    """
    return np.concatenate(
        [
            np.array([_by_moments(v, residual)])
            if v.width == 1 and bool((v.values == 1).all())
            else np.eye(v.width)[np.tril_indices(v.width)]
            for v in varying
        ]
    )


def _by_moments(group: Varying, residual: FloatArray) -> float:
    counts = np.bincount(group.codes, minlength=group.levels)
    means = np.bincount(group.codes, weights=residual, minlength=group.levels) / np.maximum(
        counts, 1
    )
    n, used = len(residual), int((counts > 0).sum())
    within = float(((residual - means[group.codes]) ** 2).sum()) / max(1, n - used)
    between = (float((counts * means**2).sum()) - within * used) / n
    if within <= 0 or between <= 0:
        return 1.0 if within <= 0 else _LEAST_START
    return float(np.clip(np.sqrt(between / within), _LEAST_START, _MOST_START))


def lower_limits(varying: tuple[Varying, ...]) -> FloatArray:
    """Zero for diagonal entries, none for the others."""
    parts = [
        np.where(np.eye(v.width)[np.tril_indices(v.width)] == 1, 0.0, -np.inf) for v in varying
    ]
    return np.concatenate(parts)


def blocks(theta: FloatArray, varying: tuple[Varying, ...]) -> list[FloatArray]:
    """The lower-triangular k × k block of each group."""
    parts, at = [], 0
    for v in varying:
        block = np.zeros((v.width, v.width))
        count = v.width * (v.width + 1) // 2
        block[np.tril_indices(v.width)] = theta[at : at + count]
        parts.append(block)
        at += count
    return parts


def is_singular(theta: FloatArray, varying: tuple[Varying, ...]) -> bool:
    """Is a diagonal entry (practically) zero?"""
    return any(float(np.diagonal(block).min()) < SINGULAR_BELOW for block in blocks(theta, varying))


def describe(
    covariances: list[FloatArray], varying: tuple[Varying, ...]
) -> tuple[tuple[RandomSd, ...], tuple[RandomCorrelation, ...]]:
    """Standard deviations and correlations from the k × k covariance of each group."""
    sds: list[RandomSd] = []
    correlations: list[RandomCorrelation] = []
    for covariance, v in zip(covariances, varying, strict=True):
        spread = [math.sqrt(max(float(covariance[i, i]), 0.0)) for i in range(v.width)]
        sds += [
            RandomSd(v.group, name, sd, v.levels) for name, sd in zip(v.names, spread, strict=True)
        ]
        for i in range(v.width):
            for j in range(i):
                both = spread[i] * spread[j]
                value = float(covariance[i, j]) / both if both > 0 else None
                correlations.append(RandomCorrelation(v.group, (v.names[j], v.names[i]), value))
    return tuple(sds), tuple(correlations)


@dataclass(frozen=True, slots=True)
class Gram:
    """Z'W[Z, M] and M'WM: `first` (levels, k, k), `cross` (levels·k, rest + border), `rest` (rest +
    border)².
    """

    first: FloatArray
    cross: FloatArray | sparse.csr_array
    rest: FloatArray


@dataclass(frozen=True, slots=True)
class Factor:
    """The Cholesky factor: of each block of the first group, of its remainder in the cross part,
    and of the remainder.
    """

    first: FloatArray
    cross: FloatArray | sparse.csr_array
    rest: FloatArray
    log_det: float


def by_size(varying: tuple[Varying, ...]) -> tuple[Varying, ...]:
    """The largest group first; the order among equals is that of the formula."""
    return tuple(sorted(varying, key=lambda v: -v.levels * v.width))


def offsets(varying: tuple[Varying, ...]) -> list[int]:
    """The start and end columns in the remainder of each group after the first."""
    return [int(edge) for edge in np.cumsum([0, *(v.levels * v.width for v in varying[1:])])]


def gram(
    varying: tuple[Varying, ...], border: FloatArray, weights: FloatArray | None = None
) -> Gram:
    """The cross-products; `border` holds the further columns (fixed effects, response …)."""
    w = np.ones(len(border)) if weights is None else weights
    edges, head = offsets(varying), varying[0]
    size = edges[-1] + border.shape[1]
    first = _blocks_of(head, w)
    cross = _cross(varying, border, w)
    rest = np.zeros((size, size))
    for index, own in enumerate(varying[1:]):
        rows = slice(edges[index], edges[index + 1])
        rest[rows, rows] = linalg.block_diag(*_blocks_of(own, w))
        for later, other in enumerate(varying[index + 2 :], start=index + 1):
            there = slice(edges[later], edges[later + 1])
            rest[rows, there] = _pair(own, other, w).toarray()
            rest[there, rows] = rest[rows, there].T
        rest[rows, edges[-1] :] = _with_border(own, border, w)
        rest[edges[-1] :, rows] = rest[rows, edges[-1] :].T
    rest[edges[-1] :, edges[-1] :] = (border * w[:, None]).T @ border
    return Gram(first, cross, rest)


def factor(products: Gram, varying: tuple[Varying, ...], relative: list[FloatArray]) -> Factor:
    """The Cholesky factor of the bordered Λ'Z'WZΛ + I; `relative` are the k × k blocks of Λ.

    `log_det` is that of the random-effect part. The border of `rest` holds the remainder of M'WM.
    """
    edges, head = offsets(varying), relative[0]
    width = varying[0].width
    rest = products.rest.copy()
    for index, block in enumerate(relative[1:]):
        rows = slice(edges[index], edges[index + 1])
        rest[rows, :] = _scale_rows(rest[rows, :], block)
        rest[:, rows] = _scale_rows(rest[:, rows].T, block).T
    rest[np.arange(edges[-1]), np.arange(edges[-1])] += 1.0
    if width == 1:
        first = np.sqrt(products.first * head[0, 0] ** 2 + 1)
    else:
        first = np.linalg.cholesky(head.T @ products.first @ head + np.eye(width)).astype(
            np.float64
        )
    log_first = float(np.log(np.diagonal(first, axis1=1, axis2=2)).sum())
    if sparse.issparse(products.cross):
        solved = _solved_sparse(products.cross, varying, relative, first)
        taken = (solved.T @ solved).toarray()
    else:
        cross = _scale_rows(products.cross, head)
        for index, block in enumerate(relative[1:]):
            rows = slice(edges[index], edges[index + 1])
            cross[:, rows] = _scale_rows(cross[:, rows].T, block).T
        solved = cross / first[:, 0] if width == 1 else forward(first, cross)
        taken = solved.T @ solved
    # numpy's factorisation, like the product before it: numpy and scipy bring a thread pool each,
    # and two pools in turn, call by call, keep waiting for each other.
    remainder = np.linalg.cholesky(rest - taken).astype(np.float64)
    log_rest = float(np.log(np.diagonal(remainder)[: edges[-1]]).sum())
    return Factor(first, solved, remainder, 2 * (log_first + log_rest))


def _solved_sparse(
    cross: sparse.csr_array,
    varying: tuple[Varying, ...],
    relative: list[FloatArray],
    first: FloatArray,
) -> sparse.csr_array:
    """The same forward solution as a product of sparse matrices: block-diagonal, cross part,
    block-diagonal.
    """
    head, levels = relative[0], len(first)
    if all(
        len(block) == 1 for block in relative
    ):  # intercepts only: the entries themselves are scaled
        across = [
            np.full(v.levels, block[0, 0])
            for v, block in zip(varying[1:], relative[1:], strict=True)
        ]
        across.append(np.ones(cross.shape[1] - sum(map(len, across))))
        down = np.repeat(head[0, 0] / first[:, 0, 0], np.diff(cross.indptr))
        entries = cross.data * down * np.concatenate(across)[cross.indices]
        return sparse.csr_array((entries, cross.indices, cross.indptr), shape=cross.shape)
    left = np.linalg.inv(first) @ head.T
    rows = sparse.bsr_array((left, np.arange(levels), np.arange(levels + 1)))
    scales = [
        sparse.kron(sparse.eye_array(v.levels), block)
        for v, block in zip(varying[1:], relative[1:], strict=True)
    ]
    border = sparse.eye_array(cross.shape[1] - sum(scale.shape[1] for scale in scales))
    return (rows @ cross @ sparse.block_diag([*scales, border], format="csr")).tocsr()


def forward(lower: FloatArray, right: FloatArray) -> FloatArray:
    """Solve the lower-triangular block of every level; the blocks are tiny, so this beats a library
    call each.
    """
    solved = right.reshape(len(lower), lower.shape[1], right.shape[1]).copy()
    for row in range(lower.shape[1]):
        for column in range(row):
            solved[:, row] -= lower[:, row, column, None] * solved[:, column]
        solved[:, row] /= lower[:, row, row, None]
    return solved.reshape(right.shape)


def backward(lower: FloatArray, right: FloatArray) -> FloatArray:
    """Solve the transpose of the lower-triangular block of every level."""
    solved = right.reshape(len(lower), lower.shape[1], right.shape[1]).copy()
    for row in reversed(range(lower.shape[1])):
        for below in range(row + 1, lower.shape[1]):
            solved[:, row] -= lower[:, below, row, None] * solved[:, below]
        solved[:, row] /= lower[:, row, row, None]
    return solved.reshape(right.shape)


def _cross(
    varying: tuple[Varying, ...], border: FloatArray, w: FloatArray
) -> FloatArray | sparse.csr_array:
    """Z_head' W [Z_rest, M]; sparse where most levels of the first group never meet most of the
    others.
    """
    head = varying[0]
    parts = [_pair(head, other, w) for other in varying[1:]]
    edge = _with_border(head, border, w)
    cells = head.levels * head.width * sum(part.shape[1] for part in parts)
    if cells > _SPARSE_FROM_CELLS and sum(part.nnz for part in parts) < _SPARSE_BELOW * cells:
        return sparse.hstack([*parts, sparse.csr_array(edge)], format="csr")
    return np.hstack([*(part.toarray() for part in parts), edge])


def _blocks_of(own: Varying, w: FloatArray) -> FloatArray:
    """Z' W Z of a group with itself: one block per level."""
    blocks = np.empty((own.levels, own.width, own.width))
    for a in range(own.width):
        for b in range(a + 1):
            weights = w * own.values[:, a] * own.values[:, b]
            blocks[:, a, b] = np.bincount(own.codes, weights, minlength=own.levels)
            blocks[:, b, a] = blocks[:, a, b]
    return blocks


def _pair(own: Varying, other: Varying, w: FloatArray) -> sparse.csr_array:
    """Z_own' W Z_other: entries only where levels of both meet."""
    rows = own.codes[:, None] * own.width + np.arange(own.width)
    columns = other.codes[:, None] * other.width + np.arange(other.width)
    entries = w[:, None, None] * own.values[:, :, None] * other.values[:, None, :]
    places = np.broadcast_arrays(rows[:, :, None], columns[:, None, :])
    shape = (own.levels * own.width, other.levels * other.width)
    return sparse.coo_array(
        (entries.ravel(), tuple(place.ravel() for place in places)), shape=shape
    ).tocsr()


def _with_border(own: Varying, border: FloatArray, w: FloatArray) -> FloatArray:
    dense = np.empty((own.levels, own.width, border.shape[1]))
    for a in range(own.width):
        for column in range(border.shape[1]):
            weights = w * own.values[:, a] * border[:, column]
            dense[:, a, column] = np.bincount(own.codes, weights, minlength=own.levels)
    return dense.reshape(own.levels * own.width, border.shape[1])


def _scale_rows(rows: FloatArray, block: FloatArray) -> FloatArray:
    """Λ' times rows, Λ repeating `block` along its diagonal."""
    if block.shape == (1, 1):
        scaled: FloatArray = rows * block[0, 0]
        return scaled
    width = len(block)
    shaped = rows.reshape(len(rows) // width, width, rows.shape[1])
    product: FloatArray = np.einsum("ba,lbm->lam", block, shaped).reshape(rows.shape)
    return product

"""The Laplace likelihood of a cumulative logit model with crossed random effects."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize, special

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray
from believable.stats.models import random_effects
from believable.stats.models.cumulative import AnswerSlopes, OrderedCells, answer_slopes
from believable.stats.models.design import Varying
from believable.stats.models.laplace import solve_by_group
from believable.stats.models.random_effects import Factor, factor, gram, offsets

_INNER_STEPS, _OUTER_STEPS = 100, 30
#: A descent has arrived when one more Newton step would raise the log-likelihood by less.
_GAIN_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Priors:
    """Standard deviations of normal priors around 0 (infinite: none); that of the spreads is
    half-normal, for columns with a mean square of 1.
    """

    thresholds: float = math.inf
    fixed: float = math.inf
    spreads: float = math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinalFit:
    """The optimum: thresholds (one row each, with the effects of nominal columns after them),
    coefficients, their joint covariance, and relative Cholesky blocks in the order of `varying`.
    """

    thresholds: FloatArray
    beta: FloatArray
    covariance: FloatArray
    varying: tuple[Varying, ...]
    blocks: list[FloatArray]
    log_likelihood: float
    converged: bool
    singular: bool
    evaluations: int
    gain_left: float


def fit_ordinal(
    cells: OrderedCells, priors: Priors | None = None, begin: OrdinalFit | None = None
) -> OrdinalFit:
    """Maximise over thresholds, coefficients and spreads; `begin` is the fit of the same model with
    all columns fixed.
    """
    surface = OrdinalSurface(cells, priors or Priors())
    if begin is not None:
        at, gain, curve = _climb(surface, surface.start_from(begin, cells))
    else:
        at, gain, curve = _descend(surface, surface.start(1.0))
        if surface.is_singular(at):  # local optima hide at a boundary, so try from nearer to it too
            other = _descend(surface, surface.start(0.1))
            if surface(other[0])[0] < surface(at)[0] - 1e-9:
                at, gain, curve = other
    value = surface(at)[0]
    return OrdinalFit(
        thresholds=at[: surface.edges[0]].reshape(cells.thresholds, -1),
        beta=at[surface.edges[0] : surface.edges[1]],
        covariance=linalg.pinvh(curve)[: surface.edges[1], : surface.edges[1]],
        varying=surface.varying,
        blocks=[
            random_effects.unscale_block(block, scale)
            for block, scale in zip(surface.blocks(at), surface.scales, strict=True)
        ],
        log_likelihood=-value,
        converged=gain < _GAIN_TOLERANCE,
        singular=surface.is_singular(at),
        evaluations=surface.evaluations,
        gain_left=gain,
    )


class OrdinalSurface:
    """−ℓ and its gradient at (thresholds, β, θ); remembers the last mode of the random effects,
    from which the next search for it starts.
    """

    def __init__(self, cells: OrderedCells, priors: Priors) -> None:
        self._cells = cells
        self.varying, self.scales = random_effects.standardise_columns(
            random_effects.by_size(cells.varying)
        )
        self._columns = np.column_stack([np.ones(len(cells.answers)), cells.nominal])
        rows = cells.thresholds * self._columns.shape[1]
        first = rows + cells.fixed.shape[1]
        self.lower = np.concatenate(
            [np.full(first, -np.inf), random_effects.lower_limits(self.varying)]
            if self.varying
            else [np.full(first, -np.inf)]
        )
        self.edges = (rows, first, len(self.lower))
        self._precision = np.concatenate(
            [
                np.full(rows, priors.thresholds**-2.0),
                np.full(first - rows, priors.fixed**-2.0),
                np.full(len(self.lower) - first, priors.spreads**-2.0),
            ]
        )
        self._mode = [np.zeros((v.levels, v.width)) for v in self.varying]
        self.evaluations = 0

    def start(self, spread: float) -> FloatArray:
        """Thresholds from the shares of the answers, no effects."""
        cells = self._cells
        shares = np.bincount(cells.answers, cells.weights)
        rows = np.zeros((cells.thresholds, self._columns.shape[1]))
        rows[:, 0] = special.logit(np.cumsum(shares)[:-1] / shares.sum())
        spreads = spread * random_effects.start(self.varying) if self.varying else np.empty(0)
        return np.concatenate([rows.ravel(), np.zeros(cells.fixed.shape[1]), spreads])

    def start_from(self, fit: OrdinalFit, cells: OrderedCells) -> FloatArray:
        """The point of this model that says what `fit` says; its coefficients for the nominal
        columns are the last ones.
        """
        kept = cells.fixed.shape[1]
        rows = np.column_stack(
            [fit.thresholds[:, 0], *np.tile(-fit.beta[kept:], (cells.thresholds, 1)).T]
        )
        spreads = [
            (block * scale[:, None])[np.tril_indices(len(block))]
            for block, scale in zip(fit.blocks, self.scales, strict=True)
        ]
        return np.concatenate([rows.ravel(), fit.beta[:kept], *spreads])

    def blocks(self, at: FloatArray) -> list[FloatArray]:
        return random_effects.blocks(at[self.edges[1] :], self.varying)

    def is_singular(self, at: FloatArray) -> bool:
        return random_effects.is_singular(at[self.edges[1] :], self.varying)

    def __call__(self, at: FloatArray) -> tuple[float, FloatArray]:
        """Infinite where two thresholds cross."""
        self.evaluations += 1
        cells, blocks = self._cells, self.blocks(at)
        rows = at[: self.edges[0]].reshape(cells.thresholds, -1)
        limits = self._columns @ rows.T
        if cells.thresholds > 1 and not (np.diff(limits, axis=1) > 0).all():
            return math.inf, np.full(len(at), np.nan)
        limits = limits - (cells.fixed @ at[self.edges[0] : self.edges[1]])[:, None]
        edge = np.full((len(limits), 1), np.inf)
        padded = np.hstack([-edge, limits, edge])
        index = np.arange(len(limits))
        upper, lower = padded[index, cells.answers + 1], padded[index, cells.answers]
        penalty = 0.5 * float(self._precision @ at**2)
        if not self.varying:
            slopes = answer_slopes(upper, lower)
            value = float(cells.weights @ slopes.log_chance)
            zero = np.zeros(len(index))
            down = self._slope_in_thresholds(slopes, zero, zero)
            return penalty - value, self._precision * at - down
        joint, slopes, chol = self._find_mode(upper, lower, blocks)
        value = joint - chol.log_det / 2
        down = self._slope(slopes, chol, blocks)
        return penalty - value, self._precision * at - down

    def _find_mode(
        self, upper: FloatArray, lower: FloatArray, blocks: list[FloatArray]
    ) -> tuple[float, AnswerSlopes, Factor]:
        mode = self._mode
        joint, slopes = self._joint(upper, lower, mode, blocks)
        if not math.isfinite(joint):
            mode = [np.zeros_like(part) for part in mode]
            joint, slopes = self._joint(upper, lower, mode, blocks)
        for _ in range(_INNER_STEPS):
            chol = self._factor(slopes, blocks)
            right = [
                part - u
                for part, u in zip(
                    self._sums(self._cells.weights * slopes.slope, blocks), mode, strict=True
                )
            ]
            step = solve_by_group(chol, right, self.varying)
            size = 1.0
            while True:
                moved = [u + size * s for u, s in zip(mode, step, strict=True)]
                value, slopes_moved = self._joint(upper, lower, moved, blocks)
                if value >= joint - 1e-12 * abs(joint) or size < 1e-6:
                    break
                size /= 2
            mode, joint, slopes = moved, value, slopes_moved
            if size == 1.0 and max(float(np.abs(s).max()) for s in step) < 1e-6:
                break  # steps shrink quadratically: the next one would be 1e-12
        self._mode = mode
        return joint, slopes, self._factor(slopes, blocks)

    def _joint(
        self, upper: FloatArray, lower: FloatArray, mode: list[FloatArray], blocks: list[FloatArray]
    ) -> tuple[float, AnswerSlopes]:
        shift = self._shift(mode, blocks)
        slopes = answer_slopes(upper - shift, lower - shift)
        fit = float(self._cells.weights @ slopes.log_chance)
        return fit - sum(float((u**2).sum()) for u in mode) / 2, slopes

    def _shift(self, mode: list[FloatArray], blocks: list[FloatArray]) -> FloatArray:
        """The part of the random effects in the linear predictor of each cell."""
        shift = np.zeros(len(self._cells.answers))
        for u, block, v in zip(mode, blocks, self.varying, strict=True):
            shift += ((u @ block.T)[v.codes] * v.values).sum(axis=1)
        return shift

    def _sums(self, of_cells: FloatArray, blocks: list[FloatArray]) -> list[FloatArray]:
        """Λ'Z' times a value per cell, by group."""
        return [
            _by_level(of_cells, v) @ block for block, v in zip(blocks, self.varying, strict=True)
        ]

    def _factor(self, slopes: AnswerSlopes, blocks: list[FloatArray]) -> Factor:
        weights = np.maximum(self._cells.weights * slopes.weight, 1e-300)
        return factor(
            gram(self.varying, np.empty((len(weights), 0)), weights), self.varying, blocks
        )

    def _slope(self, slopes: AnswerSlopes, chol: Factor, blocks: list[FloatArray]) -> FloatArray:
        """The gradient of the Laplace likelihood: of the joint likelihood at the mode, less half
        that of the log determinant, which depends on the parameters directly and through the mode.
        """
        n, mode = self._cells.weights, self._mode
        pulled = _leverages(chol, self.varying, blocks)
        leverage = sum(
            ((part @ block.T) * v.values).sum(axis=1)
            for part, block, v in zip(pulled, blocks, self.varying, strict=True)
        )
        bend = -slopes.density_above * (1 - 2 * slopes.above) - slopes.density_below * (
            1 - 2 * slopes.below
        )
        pull = n * leverage * bend
        through = solve_by_group(chol, self._sums(pull, blocks), self.varying)
        moved = self._shift(through, blocks)
        parts = [self._slope_in_thresholds(slopes, np.asarray(leverage), moved)]
        direct = n * slopes.slope - pull / 2 + n * slopes.weight * moved / 2
        for u, q, part, v in zip(mode, through, pulled, self.varying, strict=True):
            block = (
                _outer(direct, u, v)
                - _outer(n * slopes.slope, q, v) / 2
                - np.einsum("i,ia,ib->ab", n * slopes.weight, v.values, part)
            )
            parts.append(block[np.tril_indices(v.width)])
        return np.concatenate(parts)

    def _slope_in_thresholds(
        self, slopes: AnswerSlopes, leverage: FloatArray, moved: FloatArray
    ) -> FloatArray:
        """The gradient in thresholds and fixed effects."""
        cells = self._cells
        with np.errstate(over="ignore"):
            inverse = 1 / np.expm1(slopes.gap)
        up = (1 - slopes.above) + inverse
        up -= slopes.density_above * (leverage * (1 - 2 * slopes.above) + moved) / 2
        down = -slopes.below - inverse
        down -= slopes.density_below * (leverage * (1 - 2 * slopes.below) + moved) / 2
        up, down = cells.weights * up, cells.weights * down
        rows = np.zeros((cells.thresholds, self._columns.shape[1]))
        for threshold in range(cells.thresholds):
            rows[threshold] = up[cells.answers == threshold] @ self._columns[
                cells.answers == threshold
            ] + (
                down[cells.answers == threshold + 1] @ self._columns[cells.answers == threshold + 1]
            )
        return np.concatenate([rows.ravel(), -cells.fixed.T @ (up + down)])


def _by_level(of_cells: FloatArray, v: Varying) -> FloatArray:
    return np.column_stack(
        [np.bincount(v.codes, of_cells * column, minlength=v.levels) for column in v.values.T]
    )


def _outer(of_cells: FloatArray, effects: FloatArray, v: Varying) -> FloatArray:
    """Σ cell · z u' over the cells, with u as the effects of the cell's level."""
    product: FloatArray = np.einsum("i,ia,ib->ab", of_cells, v.values, effects[v.codes])
    return product


def _leverages(
    chol: Factor, varying: tuple[Varying, ...], blocks: list[FloatArray]
) -> list[FloatArray]:
    """For each group: (Λ'Z'WZΛ + I)⁻¹Λ'z of every cell, at the cell's own level of the group."""
    head = varying[0]
    scaled = [v.values @ block for v, block in zip(varying, blocks, strict=True)]
    lower = chol.first
    eye = np.broadcast_to(np.eye(head.width), (head.levels, head.width, head.width))
    inverse = random_effects.forward(lower, eye.reshape(-1, head.width)).reshape(eye.shape)
    first = np.einsum("lba,lbc->lac", inverse, inverse)
    edges = offsets(varying)
    if edges[-1] == 0:
        return [np.einsum("iab,ib->ia", first[head.codes], scaled[0])]
    half = linalg.solve_triangular(
        chol.rest[: edges[-1], : edges[-1]], np.eye(edges[-1]), lower=True
    )
    rest = half.T @ half
    cross = chol.cross if isinstance(chol.cross, np.ndarray) else chol.cross.toarray()
    away = random_effects.backward(lower, cross[:, : edges[-1]])
    both = -(away @ rest).reshape(head.levels, head.width, edges[-1])
    shaped = away.reshape(head.levels, head.width, edges[-1])
    first = first - np.einsum("lar,lbr->lab", both, shaped)
    places = [
        edge + v.codes[:, None] * v.width + np.arange(v.width)
        for v, edge in zip(varying[1:], edges, strict=False)
    ]
    pulled = [np.einsum("iab,ib->ia", first[head.codes], scaled[0])]
    for place, own in zip(places, scaled[1:], strict=True):
        met = both[head.codes[:, None, None], np.arange(head.width)[:, None], place[:, None, :]]
        pulled[0] += np.einsum("iab,ib->ia", met, own)
        part = np.einsum("iab,ia->ib", met, scaled[0])
        for other, theirs in zip(places, scaled[1:], strict=True):
            part += np.einsum("iab,ib->ia", rest[place[:, :, None], other[:, None, :]], theirs)
        pulled.append(part)
    return pulled


def _descend(surface: OrdinalSurface, begin: FloatArray) -> tuple[FloatArray, float, FloatArray]:
    """L-BFGS-B on the logarithms of the gaps between thresholds, which cannot cross; then Newton
    steps. Entries of θ that end at zero stay there.
    """
    count = surface.edges[0]
    if surface(begin)[0] == math.inf:
        raise InvalidInput("thresholds: expected a start in order. This is a fault of the fit.")

    def raw(free: FloatArray) -> FloatArray:
        at = free.copy()
        at[:count] = free[0] + np.concatenate([[0.0], np.cumsum(np.exp(free[1:count]))])
        return at

    def objective(free: FloatArray) -> tuple[float, FloatArray]:
        value, slope = surface(raw(free))
        later = np.cumsum(slope[:count][::-1])[::-1]
        slope = slope.copy()
        slope[0], slope[1:count] = later[0], later[1:] * np.exp(free[1:count])
        return value, slope

    free = begin.copy()
    free[1:count] = np.log(np.diff(begin[:count]))
    best = optimize.minimize(
        objective,
        free,
        jac=True,
        method="L-BFGS-B",
        bounds=optimize.Bounds(
            np.where(np.arange(len(free)) < 1, -60.0, np.maximum(surface.lower, -60.0)), 60.0
        ),
        options={"maxiter": 1000, "ftol": 1e-12, "gtol": 1e-5},
    )
    at = raw(best.x)
    at[(surface.lower == 0) & (np.abs(at) < random_effects.SINGULAR_BELOW)] = 0.0
    return _climb(surface, at)


def _climb(surface: OrdinalSurface, begin: FloatArray) -> tuple[FloatArray, float, FloatArray]:
    """Newton steps with halving on the free entries: the point, the gain of one more step, and
    the curvature there.
    """
    free = (surface.lower < 0) | (begin > 0)
    at = begin.copy()
    value, slope = surface(at)
    curve = _curvature(surface, at, free)
    gain = math.inf
    for _ in range(_OUTER_STEPS):
        step = np.zeros(len(at))
        step[free] = np.linalg.lstsq(_made_definite(curve), slope[free], rcond=None)[0]
        gain = abs(float(slope @ step)) if free.any() else 0.0
        if gain < 1e-12:
            break
        size = 1.0
        while size > 1e-4:
            moved = np.maximum(at - size * step, surface.lower)
            value_moved, slope_moved = surface(moved)
            if value_moved <= value:
                break
            size /= 2
        else:
            break
        at, value, slope = moved, value_moved, slope_moved
        curve = _curvature(surface, at, free)
    return at, gain, curve


def _made_definite(curve: FloatArray) -> FloatArray:
    """The curvature with its eigenvalues made positive, so that a step always descends."""
    values, vectors = np.linalg.eigh(curve)
    floor = 1e-10 * max(float(np.abs(values).max()), 1e-300)
    definite: FloatArray = (vectors * np.maximum(np.abs(values), floor)) @ vectors.T
    return definite


def _curvature(surface: OrdinalSurface, at: FloatArray, free: NDArray[np.bool_]) -> FloatArray:
    """Differences of the gradient over the free entries."""
    places = np.flatnonzero(free)
    curve = np.empty((len(places), len(places)))
    for row, place in enumerate(places):
        step = 1e-5 * max(1.0, abs(float(at[place])))
        up, down = at.copy(), at.copy()
        up[place] += step
        down[place] = max(down[place] - step, surface.lower[place])
        slopes = surface(up)[1][places] - surface(down)[1][places]
        curve[row] = slopes / (up[place] - down[place])
    return (curve + curve.T) / 2

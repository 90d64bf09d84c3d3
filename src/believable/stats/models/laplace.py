"""Slopes and curvature of a smooth function, by differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize, special

from believable.stats.inputs import FloatArray
from believable.stats.models import random_effects
from believable.stats.models.design import Varying
from believable.stats.models.random_effects import (
    Factor,
    backward,
    by_size,
    factor,
    forward,
    gram,
    offsets,
)


def gradient(
    function: Callable[[FloatArray], float], at: FloatArray, lower: FloatArray | None = None
) -> FloatArray:
    """Central differences; forward ones at a lower limit."""
    slopes = np.empty_like(at)
    for index in range(len(at)):
        step = 1e-5 * max(1.0, abs(float(at[index])))
        up, down = at.copy(), at.copy()
        up[index] += step
        down[index] -= step
        if lower is not None:
            down[index] = max(down[index], lower[index])
        slopes[index] = (function(up) - function(down)) / (up[index] - down[index])
    return slopes


def hessian(function: Callable[[FloatArray], float], at: FloatArray) -> FloatArray:
    """Central second differences."""
    size = len(at)
    steps = 1e-3 * np.maximum(1.0, np.abs(at)) * np.eye(size)
    middle = function(at)
    curvature = np.empty((size, size))
    for i in range(size):
        curvature[i, i] = (function(at + steps[i]) - 2 * middle + function(at - steps[i])) / steps[
            i, i
        ] ** 2
        for j in range(i):
            mixed = (
                function(at + steps[i] + steps[j])
                - function(at + steps[i] - steps[j])
                - function(at - steps[i] + steps[j])
                + function(at - steps[i] - steps[j])
            )
            curvature[i, j] = curvature[j, i] = mixed / (4 * steps[i, i] * steps[j, j])
    return curvature


_NEWTON_STEPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceFit:
    """The optimum: coefficients with their covariance, relative Cholesky blocks in the order of
    `varying`.
    """

    beta: FloatArray
    cov_beta: FloatArray
    varying: tuple[Varying, ...]
    blocks: list[FloatArray]
    log_likelihood: float
    converged: bool
    singular: bool
    evaluations: int
    decrease_left: float


def fit_laplace(
    successes: FloatArray,
    trials: FloatArray,
    fixed: FloatArray,
    varying: tuple[Varying, ...],
    *,
    prior_sd: FloatArray | None = None,
    random_prior_sd: float = math.inf,
) -> LaplaceFit:
    """Maximise over (β, θ); `prior_sd` adds a normal prior around 0 for each coefficient (infinite:
    none), `random_prior_sd` a half-normal one for each standard deviation of a random effect, its
    column scaled to a mean square of 1.

    The log-likelihood leaves out the binomial coefficients.
    """
    ordered, scales = random_effects.standardise_columns(by_size(varying))
    surface = _Surface(successes, trials, fixed, ordered, prior_sd, random_prior_sd)
    p = fixed.shape[1]
    lower = np.concatenate([np.full(p, -np.inf), random_effects.lower_limits(ordered)])
    begin = surface.logistic_start(), random_effects.start(ordered)
    at, curve, left = _descend(surface, np.concatenate(begin), lower)
    if random_effects.is_singular(
        at[p:], ordered
    ):  # local optima hide at a boundary, so try from nearer to it too
        other = _descend(surface, np.concatenate([begin[0], 0.1 * begin[1]]), lower)
        at, curve, left = other if surface(other[0]) < surface(at) - 1e-9 else (at, curve, left)
    spread = linalg.pinvh(curve)[:p, :p]
    blocks = [
        random_effects.unscale_block(block, scale)
        for block, scale in zip(random_effects.blocks(at[p:], ordered), scales, strict=True)
    ]
    return LaplaceFit(
        beta=at[:p],
        cov_beta=spread,
        varying=ordered,
        blocks=blocks,
        log_likelihood=-surface(at),
        converged=left < 1e-6,
        singular=random_effects.is_singular(at[p:], ordered),
        evaluations=surface.evaluations,
        decrease_left=left,
    )


class _Surface:
    """−ℓ(β, θ); remembers the last mode, from which the next search for it starts."""

    def __init__(
        self,
        successes: FloatArray,
        trials: FloatArray,
        fixed: FloatArray,
        varying: tuple[Varying, ...],
        prior_sd: FloatArray | None,
        random_prior_sd: float,
    ) -> None:
        self._y, self._m, self._x, self._varying = successes, trials, fixed, varying
        self._precision = np.zeros(fixed.shape[1]) if prior_sd is None else prior_sd**-2.0
        self._random_precision = float(random_prior_sd) ** -2
        self._mode = [np.zeros((v.levels, v.width)) for v in varying]
        self.evaluations = 0

    def __call__(self, at: FloatArray) -> float:
        self.evaluations += 1
        p = self._x.shape[1]
        blocks = random_effects.blocks(at[p:], self._varying)
        penalty = 0.5 * float(self._precision @ at[:p] ** 2)
        # The squares in a row of a Cholesky block add up to the variance of its effect.
        penalty += 0.5 * self._random_precision * sum(float((block**2).sum()) for block in blocks)
        return penalty - self._marginal(self._x @ at[:p], blocks)

    def logistic_start(self) -> FloatArray:
        """Coefficients without random effects: penalised Newton steps (a tiny ridge keeps them
        finite).
        """
        beta = np.zeros(self._x.shape[1])
        ridge = np.maximum(self._precision, 1e-2)
        for _ in range(25):
            chance = special.expit(self._x @ beta)
            weights = self._m * chance * (1 - chance)
            curve = (self._x * weights[:, None]).T @ self._x + np.diag(ridge)
            beta = beta + linalg.solve(
                curve, self._x.T @ (self._y - self._m * chance) - ridge * beta
            )
        return beta

    def _marginal(self, eta_fixed: FloatArray, blocks: list[FloatArray]) -> float:
        mode = self._mode
        joint, eta = self._joint(eta_fixed, mode, blocks)
        for _ in range(_NEWTON_STEPS):
            step, log_det = self._step(eta, mode, blocks)
            size = 1.0
            while True:
                moved = [u + size * s for u, s in zip(mode, step, strict=True)]
                value, eta_moved = self._joint(eta_fixed, moved, blocks)
                if value >= joint - 1e-12 * abs(joint) or size < 1e-6:
                    break
                size /= 2
            gained, mode, joint, eta = value - joint, moved, value, eta_moved
            if (
                abs(gained) < 1e-13 * abs(joint)
                and max(float(np.abs(s).max()) for s in step) < 1e-7
            ):
                break
        _, log_det = self._step(eta, mode, blocks)
        self._mode = mode
        return joint - log_det / 2

    def _joint(
        self, eta_fixed: FloatArray, mode: list[FloatArray], blocks: list[FloatArray]
    ) -> tuple[float, FloatArray]:
        eta = eta_fixed.copy()
        for u, block, v in zip(mode, blocks, self._varying, strict=True):
            eta += ((u @ block.T)[v.codes] * v.values).sum(axis=1)
        fit = float(self._y @ eta - self._m @ np.logaddexp(0, eta))
        return fit - sum(float((u**2).sum()) for u in mode) / 2, eta

    def _step(
        self, eta: FloatArray, mode: list[FloatArray], blocks: list[FloatArray]
    ) -> tuple[list[FloatArray], float]:
        """The Newton step of u, and log |Λ'Z'WZΛ + I|."""
        chance = special.expit(eta)
        weights = np.maximum(self._m * chance * (1 - chance), 1e-300)
        products = gram(self._varying, np.empty((len(eta), 0)), weights)
        chol = factor(products, self._varying, blocks)
        residual = self._y - self._m * chance
        down = []
        for u, block, v in zip(mode, blocks, self._varying, strict=True):
            sums = np.column_stack(
                [
                    np.bincount(v.codes, residual * v.values[:, a], minlength=v.levels)
                    for a in range(v.width)
                ]
            )
            down.append(sums @ block - u)
        return solve_by_group(chol, down, self._varying), chol.log_det


def solve_by_group(
    chol: Factor, right: list[FloatArray], varying: tuple[Varying, ...]
) -> list[FloatArray]:
    """(Λ'Z'WZΛ + I)⁻¹ times a vector given by group."""

    head = right[0].reshape(-1, 1)
    lower = chol.first
    first = forward(lower, head)
    edges = offsets(varying)
    if edges[-1] == 0:
        return [backward(lower, first).reshape(right[0].shape)]
    tail: FloatArray = np.concatenate([part.ravel() for part in right[1:]])
    tail = np.linalg.solve(
        chol.rest.T, np.linalg.solve(chol.rest, tail - (chol.cross.T @ first)[:, 0])
    )
    head = backward(lower, first - chol.cross @ tail[:, None])
    parts: list[FloatArray] = [
        tail[edges[i] : edges[i + 1]].reshape(v.levels, v.width) for i, v in enumerate(varying[1:])
    ]
    return [head.reshape(right[0].shape), *parts]


def _descend(
    surface: _Surface, begin: FloatArray, lower: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """L-BFGS-B, then Newton steps; entries of θ that end at zero stay there."""
    best = optimize.minimize(
        surface,
        begin,
        method="L-BFGS-B",
        bounds=optimize.Bounds(lower, np.inf),
        jac=lambda at: gradient(surface, at, lower),
        options={"maxiter": 1000, "ftol": 1e-15, "gtol": 1e-7},
    )
    at = np.where((lower == 0) & (np.abs(best.x) < random_effects.SINGULAR_BELOW), 0.0, best.x)
    return _polish(surface, at, (lower < 0) | (at > 0))


def _polish(
    surface: _Surface, at: FloatArray, free: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[FloatArray, FloatArray, float]:
    """Newton steps on the free entries; the curvature at the end, with the fixed effects first."""

    def of_free(values: FloatArray) -> float:
        whole = at.copy()
        whole[free] = values
        return surface(whole)

    point, left = at[free], math.inf
    for _ in range(4):
        down, curve = gradient(of_free, point), hessian(of_free, point)
        step = np.linalg.lstsq(curve, down, rcond=None)[0]
        left = abs(float(down @ step))
        if left < 1e-13 or of_free(point - step) > of_free(point):
            break
        point = point - step
    whole = at.copy()
    whole[free] = point
    return whole, hessian(of_free, point), left

"""Linear mixed models: an own REML fit for crossed random intercepts and slopes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import linalg, optimize, stats
from threadpoolctl import threadpool_limits

from believable.core.errors import InvalidInput
from believable.stats.estimate import Estimate, check_level, without_interval
from believable.stats.inputs import FloatArray, one_of
from believable.stats.models import random_effects
from believable.stats.models.design import Design, Table, Varying, design, parse
from believable.stats.models.fitted import Convergence, MixedModel, ModelTerm
from believable.stats.models.laplace import gradient, hessian
from believable.stats.models.random_effects import Gram, by_size, factor, gram, offsets

#: A descent has arrived when the deviance could fall by less.
_DECREASE_TOLERANCE = 1e-6


def mixed_linear(
    formula: str,
    table: Table,
    *,
    criterion: str = "REML",
    levels: Mapping[str, Sequence[str]] | None = None,
    least_levels: int = 5,
    level: float = 0.95,
) -> MixedModel:
    """A linear model with crossed random intercepts and slopes.

    Says         how a measure depends on conditions when judgements share participants, scenarios
                 or clips.
    formula      as in lme4: "rating ~ condition + (1 + condition | participant) + (1 | scenario)"
    table        columns by name; `levels` orders the levels of a category (the first one is the
                 reference)
    Formula      profiled deviance over the relative Cholesky factor of the random effects,
                 minimised over its entries; own code, since no light library fits crossed random
                 effects.
    criterion    "REML" (default) or "ML"
    Intervals    t with Satterthwaite's degrees of freedom (z when they cannot be had, which the
                 notes say)
    least_levels a group with fewer levels becomes a fixed effect, with one level it is dropped (see
    notes)
    Undefined    a response without variance, terms that others determine, and a group with as many
                 random effects as rows (they cannot be separated from the residual) are errors.
                 Singular fits and failed optimisations are in `convergence`.
    Source       Bates, Mächler, Bolker & Walker (2015); Kuznetsova et al. (2017) for the degrees of
                 freedom.
    Checked      R lme4 and lmerTest: sleepstudy and simulated crossed designs.
    """
    check_level(level)
    one_of(criterion, ("REML", "ML"), name="criterion")
    matrices = design(parse(formula), table, levels=levels or {}, least_levels=least_levels)
    if not matrices.varying:
        raise InvalidInput(
            f"formula: no random part is left in {formula!r}"
            f" ({'; '.join(matrices.notes) or 'none given'}). Use regression.ols for a model"
            " without random effects."
        )
    if matrices.response.min() == matrices.response.max():
        raise InvalidInput(
            f"table[{matrices.formula.response!r}]: expected a response that varies, "
            f"got {matrices.response[0]} in all {len(matrices.response)} rows."
        )
    for group in matrices.varying:
        if group.levels * group.width >= len(matrices.response):
            raise InvalidInput(
                f"formula: {group.group!r} has {group.levels * group.width} random effects for"
                f" {len(matrices.response)} rows, so they cannot be separated from the residual."
                " Give"
                " several rows per level, or leave the group out."
            )
    # A few hundred small factorizations: extra threads cost more than they save, and on a busy
    # machine waiting for each other takes nearly all the time.
    with threadpool_limits(1):
        problem = _DevianceProblem.of(matrices, reml=criterion == "REML")
        theta, convergence = _optimise(problem)
        return _describe(matrices, problem, theta, convergence, criterion, level)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Solution:
    deviance: float
    log_dets: float
    residual: float
    beta: FloatArray
    unscaled: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class _DevianceProblem:
    """The data of a fit in coordinates that keep its digits: fixed effects as the Q of their QR
    decomposition, the response as its residual from ordinary least squares.
    """

    varying: tuple[Varying, ...]
    scales: list[FloatArray]
    products: Gram
    upper: FloatArray
    least_squares: FloatArray
    begin: FloatArray
    n: int
    reml: bool
    known: dict[bytes, tuple[FloatArray, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, matrices: Design, *, reml: bool) -> _DevianceProblem:
        q, upper = linalg.qr(matrices.fixed, mode="economic")
        projected = q.T @ matrices.response
        residual = matrices.response - q @ projected
        varying, scales = random_effects.standardise_columns(by_size(matrices.varying))
        products = gram(varying, np.column_stack([q, residual]))
        begin = random_effects.likely_start(varying, residual)
        solved = linalg.solve_triangular(upper, projected)
        return cls(
            varying=varying,
            scales=scales,
            products=products,
            upper=upper,
            least_squares=solved,
            begin=begin,
            n=len(residual),
            reml=reml,
        )

    @property
    def rank(self) -> int:
        return len(self.upper)

    @property
    def scale_df(self) -> int:
        return self.n - self.rank if self.reml else self.n

    def corner(self, theta: FloatArray) -> tuple[FloatArray, float]:
        """The fixed effects and the response after removing the random effects, and the log
        determinants.

        A fit asks for many points several times (differences at other residual scales, of every
        coefficient), and a corner is as small as the fixed effects: those seen are kept.
        """
        key = theta.tobytes()
        if key not in self.known:
            self.known[key] = self._corner(theta)
        return self.known[key]

    def _corner(self, theta: FloatArray) -> tuple[FloatArray, float]:
        factored = factor(self.products, self.varying, random_effects.blocks(theta, self.varying))
        edge = offsets(self.varying)[-1]
        corner = factored.rest[edge:, edge:].copy()
        diagonals = np.diagonal(corner)[: self.rank], np.diagonal(self.upper)
        of_fixed = 2 * sum(float(np.log(np.abs(diagonal)).sum()) for diagonal in diagonals)
        return corner, factored.log_det + (of_fixed if self.reml else 0.0)

    def deviance(self, theta: FloatArray) -> float:
        corner, log_dets = self.corner(theta)
        residual = float(corner[-1, -1]) ** 2
        return log_dets + self.scale_df * (1 + math.log(2 * math.pi * residual / self.scale_df))

    def solve(self, theta: FloatArray) -> _Solution:
        corner, log_dets = self.corner(theta)
        p = self.rank
        back = np.linalg.inv(corner[:p, :p].T @ self.upper)
        beta = self.least_squares + back @ corner[p, :p]
        return _Solution(
            deviance=self.deviance(theta),
            log_dets=log_dets,
            residual=float(corner[p, p]) ** 2,
            beta=beta,
            unscaled=back @ back.T,
        )

    def at_scale(self, theta: FloatArray, sigma: float) -> float:
        """The deviance before the residual scale is profiled out."""
        corner, log_dets = self.corner(theta)
        residual = float(corner[-1, -1]) ** 2
        return log_dets + self.scale_df * math.log(2 * math.pi * sigma**2) + residual / sigma**2


def _optimise(problem: _DevianceProblem) -> tuple[FloatArray, Convergence]:
    """The best of several descents when the first one ends at a boundary, where local optima
    hide.
    """
    theta, left, evaluations = _descend(problem, problem.begin)
    if left >= _DECREASE_TOLERANCE or random_effects.is_singular(theta, problem.varying):
        begin = random_effects.start(problem.varying)
        for other in (begin, 0.1 * begin, 3 * begin, _without_gradient(problem, begin)):
            again, its_left, more = _descend(problem, other)
            evaluations += more
            gained = problem.deviance(theta) - problem.deviance(again)
            if gained > 1e-9 or (gained > -1e-9 and its_left < left):
                theta, left = again, its_left
    converged = left < _DECREASE_TOLERANCE
    messages = () if converged else (f"the deviance could still fall by {left:.2g}",)
    singular = random_effects.is_singular(theta, problem.varying)
    return theta, Convergence(
        converged=converged,
        singular=singular,
        separated=False,
        evaluations=evaluations,
        decrease_left=left,
        messages=messages,
    )


def _descend(problem: _DevianceProblem, begin: FloatArray) -> tuple[FloatArray, float, int]:
    """L-BFGS-B with forward differences, then Newton steps on the free entries; entries at zero
    stay there.
    """
    lower = random_effects.lower_limits(problem.varying)

    def slopes(theta: FloatArray) -> FloatArray:
        middle = problem.deviance(theta)
        steps = 1e-5 * np.maximum(1.0, np.abs(theta)) * np.eye(len(theta))
        return np.array([(problem.deviance(theta + step) - middle) / step.sum() for step in steps])

    best = optimize.minimize(
        problem.deviance,
        begin,
        method="L-BFGS-B",
        bounds=optimize.Bounds(lower, np.full(len(lower), np.inf)),
        jac=slopes,
        options={"maxiter": 500, "ftol": 1e-11, "gtol": 1e-5},  # Newton steps follow
    )
    theta = np.where((lower == 0) & (np.abs(best.x) < random_effects.SINGULAR_BELOW), 0.0, best.x)
    if problem.deviance(theta) > float(best.fun) + 1e-8:
        theta = np.asarray(best.x, dtype=np.float64)
    free = (lower < 0) | (theta > 0)
    theta, left = _newton(problem.deviance, theta, free, lower)
    return theta, left, int(best.nfev)


def _without_gradient(problem: _DevianceProblem, begin: FloatArray) -> FloatArray:
    """A trust-region search that needs no slopes, which mislead near a boundary."""
    lower = random_effects.lower_limits(problem.varying)
    optimum = optimize.minimize(
        problem.deviance,
        begin,
        method="COBYQA",
        bounds=optimize.Bounds(lower, np.full(len(lower), np.inf)),
        options={"final_tr_radius": 1e-7, "maxfev": 500 * len(begin)},
    )
    return np.asarray(optimum.x, dtype=np.float64)


def _newton(
    function: Callable[[FloatArray], float],
    theta: FloatArray,
    free: np.ndarray[tuple[int], np.dtype[np.bool_]],
    lower: FloatArray,
) -> tuple[FloatArray, float]:
    """Polish the free entries; returns by how much a further step would lower the function."""
    if not free.any():
        return theta, 0.0

    def of_free(values: FloatArray) -> float:
        whole = theta.copy()
        whole[free] = values
        return function(whole)

    point, left = theta[free], math.inf
    for _ in range(6):
        down, curve = gradient(of_free, point), hessian(of_free, point)
        try:
            step = linalg.cho_solve(linalg.cho_factor(curve), down)
        except linalg.LinAlgError:
            step = np.linalg.lstsq(curve, down, rcond=None)[0]
        left = abs(float(down @ step)) / 2
        moved = np.maximum(point - step, lower[free])
        if of_free(moved) >= of_free(point) - 1e-10:
            break
        point = moved
    polished = theta.copy()
    polished[free] = point
    return polished, left


def _describe(
    matrices: Design,
    problem: _DevianceProblem,
    theta: FloatArray,
    convergence: Convergence,
    criterion: str,
    level: float,
) -> MixedModel:
    solution = problem.solve(theta)
    sigma = math.sqrt(solution.residual / problem.scale_df)
    variances = sigma**2 * np.diagonal(solution.unscaled)
    dfs = _satterthwaite(problem, theta, sigma)
    notes = (
        matrices.notes
        if dfs is not None
        else (*matrices.notes, "no degrees of freedom: intervals and p by z")
    )
    terms = tuple(
        ModelTerm(
            name,
            _coefficient(
                float(beta),
                math.sqrt(float(variance)),
                None if dfs is None else float(dfs[i]),
                problem.n,
                level,
            ),
        )
        for i, (name, beta, variance) in enumerate(
            zip(matrices.names, solution.beta, variances, strict=True)
        )
    )
    relative = random_effects.blocks(theta, problem.varying)
    cholesky = [
        random_effects.unscale_block(block, scale)
        for block, scale in zip(relative, problem.scales, strict=True)
    ]
    parts = [sigma**2 * block @ block.T for block in cholesky]
    sds, correlations = random_effects.describe(parts, problem.varying)
    groups = tuple(dict.fromkeys((v.group, v.levels) for v in problem.varying))
    return MixedModel(
        formula=matrices.formula.text,
        terms=terms,
        random=sds,
        correlations=correlations,
        sigma=sigma,
        log_likelihood=-solution.deviance / 2,
        criterion=criterion,
        n=problem.n,
        groups=groups,
        method=f"linear mixed model, {criterion}",
        convergence=convergence,
        notes=notes,
    )


def _satterthwaite(problem: _DevianceProblem, theta: FloatArray, sigma: float) -> FloatArray | None:
    """2·v²/Var(v) for the variance v of each coefficient; entries of theta at zero are held
    there.
    """
    lower = random_effects.lower_limits(problem.varying)
    free = (lower < 0) | (theta > 0)

    def unpack(values: FloatArray) -> tuple[FloatArray, float]:
        whole = theta.copy()
        whole[free] = values[:-1]
        return (
            whole,
            float(values[-1]) * sigma,
        )  # in units of sigma, so that all steps have one scale

    def variance(values: FloatArray) -> FloatArray:
        whole, scale = unpack(values)
        return scale**2 * np.diagonal(problem.solve(whole).unscaled)

    at = np.append(theta[free], 1.0)
    curve = hessian(lambda values: problem.at_scale(*unpack(values)), at)
    if np.linalg.eigvalsh(curve).min() <= 0:
        return None
    spread = 2 * linalg.inv(curve)
    slopes = np.column_stack(
        [
            gradient(lambda values, i=i: float(variance(values)[i]), at)  # type: ignore[misc]
            for i in range(problem.rank)
        ]
    )
    of_variance = np.einsum("ai,ab,bi->i", slopes, spread, slopes)
    dfs: FloatArray = 2 * variance(at) ** 2 / of_variance
    return dfs


def _coefficient(beta: float, se: float, df: float | None, n: int, level: float) -> Estimate:
    if se == 0 or not math.isfinite(se):
        return without_interval(
            beta, "no standard error", method="linear mixed model", n=n, level=level
        )
    spread = stats.norm if df is None else stats.t(df)
    half = float(spread.ppf((1 + level) / 2)) * se
    method = (
        "linear mixed model, z interval"
        if df is None
        else "linear mixed model, Satterthwaite t interval"
    )
    return Estimate(
        value=beta,
        low=beta - half,
        high=beta + half,
        level=level,
        n=n,
        method=method,
        se=se,
        statistic=beta / se,
        df=() if df is None else (df,),
        p_value=2 * float(spread.sf(abs(beta / se))),
    )

"""Ordinary least squares: an outcome from numeric predictors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, stats

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.stats.estimate import Estimate, check_level, without_interval
from believable.stats.inputs import FloatArray, finite_array, one_of
from believable.stats.result import TestResult, no_result

INTERCEPT = "(Intercept)"


@dataclass(frozen=True, slots=True)
class Term:
    """One coefficient of a model; the estimate carries se, statistic, degrees of freedom and p."""

    name: str
    estimate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class OlsResult:
    """An ordinary least-squares fit: `terms` in the order given (intercept first), and the fit as a
    whole.
    """

    terms: tuple[Term, ...]
    r_squared: float | None
    adjusted_r_squared: float | None
    f_test: TestResult
    sigma: float
    n: int
    df_residual: int
    method: str

    def term(self, name: str) -> Estimate:
        """The estimate of that coefficient."""
        for term in self.terms:
            if term.name == name:
                return term.estimate
        raise InvalidInput(
            f"term: unknown name {name!r}. {did_you_mean(name, [t.name for t in self.terms])}"
        )


def ols(
    outcome: ArrayLike,
    predictors: Mapping[str, ArrayLike],
    *,
    errors: str = "classical",
    level: float = 0.95,
) -> OlsResult:
    """Ordinary least squares of an outcome on numeric predictors, with an intercept.

    Says         how much the outcome changes per unit of each predictor, the others held fixed; R²
                 is the share of its variance they account for, F tests them all at once (always the
                 classical F).
    errors       "classical": equal variances; "HC3": robust against unequal ones. Intervals and p
                 by t with n − k degrees of freedom.
    Undefined    a constant outcome has no R² and no F, and its coefficients no interval. Too few
                 rows, or predictors that determine each other, are errors that name them.
    Source       MacKinnon & White (1985) for HC3.
    Checked      R lm; statsmodels for HC3.
    """
    check_level(level)
    one_of(errors, ("classical", "HC3"), name="errors")
    y = finite_array(outcome, name="outcome", squared=True)
    names, design = _design(y, predictors)
    n, k = design.shape
    q, r = linalg.qr(design, mode="economic")
    coefficients = linalg.solve_triangular(r, q.T @ y)
    residuals = y - design @ coefficients
    inverse = linalg.solve_triangular(r, np.eye(k))
    residual_ss = (
        float(residuals @ residuals) if y.min() != y.max() else 0.0
    )  # exactly, not up to rounding
    df = n - k
    variances = _variances(q, inverse, residuals, residual_ss / df, errors)
    terms = tuple(
        (
            Term(name, _coefficient(float(beta), float(variance), df, n, errors, level))
            if y.min() != y.max()
            else Term(
                name, _of_constant(float(y[0]) if name == INTERCEPT else 0.0, n, errors, level)
            )
        )
        for name, beta, variance in zip(names, coefficients, variances, strict=True)
    )
    total_ss = float(((y - y.mean()) ** 2).sum()) if y.min() != y.max() else 0.0
    fit = _f_test(total_ss, residual_ss, k - 1, df, n)
    r_squared = 1 - residual_ss / total_ss if total_ss > 0 else None
    adjusted = 1 - (1 - r_squared) * (n - 1) / df if r_squared is not None else None
    return OlsResult(
        terms=terms,
        r_squared=r_squared,
        adjusted_r_squared=adjusted,
        f_test=fit,
        sigma=math.sqrt(residual_ss / df),
        n=n,
        df_residual=df,
        method=f"ordinary least squares, {errors} errors",
    )


def _design(y: FloatArray, predictors: Mapping[str, ArrayLike]) -> tuple[list[str], FloatArray]:
    names, columns = [INTERCEPT], [np.ones(len(y))]
    for name, values in predictors.items():
        column = finite_array(values, name=f"predictors[{name!r}]", squared=True)
        if len(column) != len(y):
            raise InvalidInput(
                f"predictors[{name!r}]: expected {len(y)} values as in the outcome, got"
                f" {len(column)}."
            )
        names.append(name)
        columns.append(column)
    design = np.column_stack(columns)
    if len(y) <= len(names):
        raise InvalidInput(
            f"outcome: expected more than {len(names)} rows for {len(names)} coefficients, "
            f"got {len(y)}. Leave predictors out or give more data."
        )
    check_rank(design, names, place="predictors")
    return names, design


def check_rank(design: FloatArray, names: list[str], *, place: str) -> None:
    """Refuse columns that earlier ones determine, by name."""
    scaled = design / np.maximum(np.abs(design).max(axis=0), np.finfo(np.float64).tiny)
    for index in range(1, len(names) + 1):
        if np.linalg.matrix_rank(scaled[:, :index]) < index:
            raise InvalidInput(
                f"{place}[{names[index - 1]!r}]: the terms before it determine it "
                f"({', '.join(names[: index - 1])}). Leave it out, or give data in which it varies."
            )


def _variances(
    q: FloatArray, inverse: FloatArray, residuals: FloatArray, variance: float, errors: str
) -> FloatArray:
    if errors == "classical":
        classical: FloatArray = variance * (inverse**2).sum(axis=1)
        return classical
    leverage = (q**2).sum(axis=1)
    weights = np.divide(
        residuals, 1 - leverage, out=np.zeros_like(residuals), where=leverage < 1 - 1e-12
    )
    robust: FloatArray = ((inverse @ (q * weights[:, None]).T) ** 2).sum(axis=1)
    return robust


def _coefficient(
    beta: float, variance: float, df: int, n: int, errors: str, level: float
) -> Estimate:
    method = f"OLS coefficient, {errors} t interval"
    se = math.sqrt(variance)
    if se <= 1e-13 * max(abs(beta), 1e-300):
        return without_interval(
            beta, "the model fits without error", method=method, n=n, level=level
        )
    half = float(stats.t.ppf((1 + level) / 2, df)) * se
    t = beta / se
    return Estimate(
        value=beta,
        low=beta - half,
        high=beta + half,
        level=level,
        n=n,
        method=method,
        se=se,
        statistic=t,
        df=(float(df),),
        p_value=2 * float(stats.t.sf(abs(t), df)),
    )


def _of_constant(beta: float, n: int, errors: str, level: float) -> Estimate:
    """Of an outcome that is the same everywhere: exact values, since rounding would give them an
    error to test by.
    """
    method = f"OLS coefficient, {errors} t interval"
    return without_interval(beta, "the outcome is constant", method=method, n=n, level=level)


def _f_test(total_ss: float, residual_ss: float, model_df: int, df: int, n: int) -> TestResult:
    method = "F test of all predictors"
    if model_df == 0:
        return no_result("there are no predictors", method=method, n=n)
    if total_ss == 0:
        return no_result("the outcome is constant", method=method, n=n)
    if residual_ss <= 1e-26 * total_ss:
        return no_result("the model fits without error: F is infinite", method=method, n=n)
    f = (total_ss - residual_ss) / model_df / (residual_ss / df)
    f = max(f, 0.0)
    return TestResult(
        statistic=f,
        p_value=float(stats.f.sf(f, model_df, df)),
        n=n,
        method=method,
        df=(float(model_df), float(df)),
        symbol="F",
    )

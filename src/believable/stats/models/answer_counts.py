"""Yes/no answers as counts per cell, and whether the fixed effects separate them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray
from believable.stats.models.design import Design, Table, Varying


@dataclass(frozen=True, slots=True, kw_only=True)
class CellCounts:
    """Rows with the same predictors and groups, as one row of counts. `constant` restores logLik of
    the rows.
    """

    successes: FloatArray
    trials: FloatArray
    fixed: FloatArray
    varying: tuple[Varying, ...]
    constant: float
    n: int


def trials_of(matrices: Design, table: Table, trials: str | None) -> FloatArray:
    """The number of answers in each row; the response is checked against it."""
    response, name = matrices.response, matrices.formula.response
    if trials is None:
        wrong = (response != 0) & (response != 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidInput(
                f"table[{name!r}][{row}]: expected 0 or 1, got {response[row]}. For counts name the"
                " column of their totals with trials=."
            )
        sizes = np.ones_like(response)
    else:
        if trials not in table:
            raise InvalidInput(
                f"trials: unknown column {trials!r}. The table has {', '.join(table)}."
            )
        sizes = np.asarray(table[trials], dtype=np.float64)
        whole = (
            (response == np.floor(response))
            & (sizes == np.floor(sizes))
            & (response >= 0)
            & (sizes >= 1)
        )
        wrong = ~(whole & (response <= sizes))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidInput(
                f"table[{name!r}][{row}]: expected a count from 0 to {trials!r} (at least 1), got "
                f"{response[row]} of {sizes[row]}."
            )
    if response.sum() in (0, sizes.sum()):
        raise InvalidInput(
            f"table[{name!r}]: expected both answers, got"
            f" {'none' if not response.any() else 'only'} successes in all {len(response)} rows."
            " There is nothing to model."
        )
    return sizes


def number_cells(matrices: Design, *leading: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each row, the same for rows that agree in `leading`, predictors and groups."""
    key = np.zeros(len(matrices.fixed), dtype=np.int64)
    for column in (
        *leading,
        *matrices.fixed.T,
        *(v.codes for v in matrices.varying),
        *(c for v in matrices.varying for c in v.values.T),
    ):
        values, codes = np.unique(column, return_inverse=True)
        # Renumbering after every column keeps the joint key small, so that it never overflows.
        key = np.unique(key * len(values) + codes, return_inverse=True)[1]
    return key


def collapse(matrices: Design, sizes: FloatArray) -> CellCounts:
    """One row per distinct combination of predictors and groups."""
    key = number_cells(matrices)
    _, first = np.unique(key, return_index=True)
    successes = np.bincount(key, matrices.response).astype(np.float64)
    trials = np.bincount(key, sizes).astype(np.float64)
    varying = tuple(
        replace(v, codes=v.codes[first], values=v.values[first]) for v in matrices.varying
    )
    constant = log_choose(sizes, matrices.response) - log_choose(trials, successes)
    return CellCounts(
        successes=successes,
        trials=trials,
        fixed=matrices.fixed[first],
        varying=varying,
        constant=constant,
        n=len(sizes),
    )


def log_choose(trials: FloatArray, successes: FloatArray) -> float:
    """The binomial coefficients' part of a log-likelihood."""
    log_factorial = special.gammaln
    return float(
        (
            log_factorial(trials + 1)
            - log_factorial(successes + 1)
            - log_factorial(trials - successes + 1)
        ).sum()
    )


def is_separated(successes: FloatArray, trials: FloatArray, fixed: FloatArray) -> bool:
    """Is there a direction of the coefficients that never hurts any answer and helps at least one?

    Complete and quasi-complete separation, decided by a linear program (Konis 2007) on the distinct
    rows of the fixed effects, unless plain logistic regression settles at a finite optimum, which
    is quicker to find and rules separation out. Random effects do not matter: moving along such a
    direction never lowers the likelihood.
    """
    if _settles(successes, trials, fixed):
        return False
    _, first, inverse = np.unique(fixed, axis=0, return_index=True, return_inverse=True)
    yes = np.bincount(inverse.ravel(), successes)
    all_of = np.bincount(inverse.ravel(), trials)
    rows = fixed[first]
    rows = rows / np.maximum(np.abs(rows).max(axis=0), np.finfo(np.float64).tiny)
    mixed = (yes > 0) & (yes < all_of)
    signed = rows[~mixed] * np.where(yes[~mixed] > 0, 1.0, -1.0)[:, None]
    if len(signed) == 0:
        return False
    bounds = [(-1.0, 1.0)] * fixed.shape[1]
    program = optimize.linprog(
        -signed.sum(axis=0),
        A_ub=-signed,
        b_ub=np.zeros(len(signed)),
        A_eq=rows[mixed] if mixed.any() else None,
        b_eq=np.zeros(int(mixed.sum())) if mixed.any() else None,
        bounds=bounds,
    )
    return bool(program.success and -program.fun > 1e-7)


def _settles(successes: FloatArray, trials: FloatArray, fixed: FloatArray) -> bool:
    """Do Newton's steps shrink to nothing? Under separation they keep their length, whatever the
    slope does.
    """
    beta = np.zeros(fixed.shape[1])
    for _ in range(30):
        chance = special.expit(fixed @ beta)
        weights = trials * chance * (1 - chance)
        curve = (fixed * weights[:, None]).T @ fixed
        try:
            step = np.linalg.solve(curve, fixed.T @ (successes - trials * chance))
        except np.linalg.LinAlgError:
            return False
        if not np.isfinite(step).all():
            return False
        beta = beta + step
        if float(np.abs(fixed @ step).max()) < 1e-6:
            return True
    return False

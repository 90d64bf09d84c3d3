"""Yes/no rows collapsed to counts: rows with the same predictors and groups are one cell."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray
from believable.stats.models.design import Design, Table, Varying


@dataclass(frozen=True, slots=True)
class CellCounts:
    """Rows with the same predictors and groups, as one row of counts. `constant` restores logLik of the rows."""

    successes: FloatArray
    trials: FloatArray
    fixed: FloatArray
    varying: tuple[Varying, ...]
    constant: float
    n: int


def trials_of(made: Design, table: Table, trials: str | None) -> FloatArray:
    """How many answers each row stands for; the response is checked against it."""
    response, name = made.response, made.formula.response
    if trials is None:
        wrong = (response != 0) & (response != 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidInput(
                f"table[{name!r}][{row}]: expected 0 or 1, got {response[row]}. For counts name the "
                "column of their totals with trials=."
            )
        sizes = np.ones_like(response)
    else:
        if trials not in table:
            raise InvalidInput(f"trials: unknown column {trials!r}. The table has {', '.join(table)}.")
        sizes = np.asarray(table[trials], dtype=np.float64)
        whole = (response == np.floor(response)) & (sizes == np.floor(sizes)) & (response >= 0) & (sizes >= 1)
        wrong = ~(whole & (response <= sizes))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidInput(
                f"table[{name!r}][{row}]: expected a count from 0 to {trials!r} (at least 1), got "
                f"{response[row]} of {sizes[row]}."
            )
    if response.sum() in (0, sizes.sum()):
        raise InvalidInput(
            f"table[{name!r}]: expected both answers, got {'none' if not response.any() else 'only'} "
            f"successes in all {len(response)} rows. There is nothing to model."
        )
    return sizes


def collapse(made: Design, sizes: FloatArray) -> CellCounts:
    """One row per distinct combination of predictors and groups."""
    key = np.zeros(len(sizes), dtype=np.int64)
    columns = [
        *made.fixed.T,
        *(v.codes for v in made.varying),
        *(c for v in made.varying for c in v.values.T),
    ]
    for column in columns:
        found, codes = np.unique(column, return_inverse=True)
        # Renumbering after every column keeps the joint key small, so that it never overflows.
        key = np.unique(key * len(found) + codes, return_inverse=True)[1]
    _, first = np.unique(key, return_index=True)
    successes = np.bincount(key, made.response).astype(np.float64)
    trials = np.bincount(key, sizes).astype(np.float64)
    varying = tuple(replace(v, codes=v.codes[first], values=v.values[first]) for v in made.varying)
    constant = log_choose(sizes, made.response) - log_choose(trials, successes)
    return CellCounts(successes, trials, made.fixed[first], varying, constant, len(sizes))


def log_choose(trials: FloatArray, successes: FloatArray) -> float:
    """The binomial coefficients' part of a log-likelihood."""
    log_factorial = special.gammaln
    return float(
        (
            log_factorial(trials + 1) - log_factorial(successes + 1) - log_factorial(trials - successes + 1)
        ).sum()
    )

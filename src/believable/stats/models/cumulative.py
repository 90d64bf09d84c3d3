"""Ordered answers: the chance of each one, and its slopes, under a cumulative logit model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray
from believable.stats.models.answer_counts import number_cells
from believable.stats.models.design import Design, Varying
from believable.stats.regression import INTERCEPT


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedCells:
    """Rows with the same answer, predictors and groups, as one row that counts `weights` times.

    answers  index of the answer among `categories`, the distinct answers in their order
    fixed    columns whose effect is the same at every threshold
    nominal  columns whose effect differs from threshold to threshold
    """

    categories: tuple[float, ...]
    answers: NDArray[np.int64]
    weights: FloatArray
    names: tuple[str, ...]
    fixed: FloatArray
    nominal: FloatArray
    varying: tuple[Varying, ...]
    n: int

    @property
    def thresholds(self) -> int:
        return len(self.categories) - 1


def order_answers(matrices: Design, nominal: tuple[str, ...] = ()) -> OrderedCells:
    """The cells of a design; the columns named in `nominal` leave the fixed ones."""
    name = matrices.formula.response
    if INTERCEPT not in matrices.names:
        raise InvalidInput(
            f"formula: the thresholds of an ordinal model are its intercepts, got"
            f" {matrices.formula.text!r}. Leave out the 0."
        )
    categories, answers = np.unique(matrices.response, return_inverse=True)
    if len(categories) < 2:
        raise InvalidInput(
            f"table[{name!r}]: expected at least two different answers, got {categories[0]:g} in"
            f" all {len(answers)} rows. There is nothing to model."
        )
    key = number_cells(matrices, answers)
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    fixed = [i for i, one in enumerate(matrices.names) if one not in (INTERCEPT, *nominal)]
    apart = [matrices.names.index(one) for one in nominal]
    return OrderedCells(
        categories=tuple(float(value) for value in categories),
        answers=answers[first].astype(np.int64),
        weights=counts.astype(np.float64),
        names=tuple(matrices.names[i] for i in fixed),
        fixed=matrices.fixed[first][:, fixed],
        nominal=matrices.fixed[first][:, apart],
        varying=tuple(
            replace(v, codes=v.codes[first], values=v.values[first]) for v in matrices.varying
        ),
        n=len(answers),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSlopes:
    """Of each cell: log chance of its answer, slope and weight (negative curvature) in the linear
    predictor, and the distribution at the thresholds above and below with its density.
    """

    log_chance: FloatArray
    slope: FloatArray
    weight: FloatArray
    above: FloatArray
    below: FloatArray
    density_above: FloatArray
    density_below: FloatArray
    gap: FloatArray


def answer_slopes(upper: FloatArray, lower: FloatArray) -> AnswerSlopes:
    """With `upper` and `lower` as the thresholds around each answer, less the linear predictor;
    infinite for the highest and the lowest answer.
    """
    gap = upper - lower
    above, below = special.expit(upper), special.expit(lower)
    density_above = above * special.expit(-upper)
    density_below = below * special.expit(-lower)
    # F(a) - F(b) = F(a) F(-b) (1 - exp(b - a)) keeps its digits in both tails.
    log_chance = special.log_expit(upper) + special.log_expit(-lower) + np.log(-np.expm1(-gap))
    return AnswerSlopes(
        log_chance=log_chance,
        slope=above + below - 1,
        weight=density_above + density_below,
        above=above,
        below=below,
        density_above=density_above,
        density_below=density_below,
        gap=gap,
    )


def is_separated(cells: OrderedCells) -> bool:
    """Is there a direction of coefficients and thresholds, with a coefficient in it, that never
    hurts any answer and helps at least one?

    Decided by a linear program, as for yes/no answers (Konis 2007).
    """
    if cells.fixed.shape[1] == 0:
        return False
    scaled = cells.fixed / np.maximum(np.abs(cells.fixed).max(axis=0), np.finfo(np.float64).tiny)
    rows = np.unique(np.column_stack([cells.answers, scaled]), axis=0)
    answers, x = rows[:, 0].astype(np.int64), rows[:, 1:]
    marks = np.eye(cells.thresholds)
    up, down = answers < cells.thresholds, answers > 0
    upper = np.column_stack([marks[answers[up]], -x[up]])
    lower = np.column_stack([marks[answers[down] - 1], -x[down]])
    helps = np.vstack([upper, -lower])
    program = optimize.linprog(
        -helps.sum(axis=0),
        A_ub=-helps,
        b_ub=np.zeros(len(helps)),
        bounds=[(-1.0, 1.0)] * helps.shape[1],
    )
    return bool(program.success and -program.fun > 1e-7)

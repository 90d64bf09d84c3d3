"""Logistic regression with a ridge, by Newton's method: small, exact, stored as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from believable.core.errors import InvalidInput
from believable.motion.motion_track import Floats

#: Newton's method has converged when no coefficient moves by more than this.
_TOLERANCE, _MOST_STEPS = 1e-9, 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogisticFit:
    """`weights` of standardized features and the intercept; `mean` and `spread` standardize."""

    mean: Floats
    spread: Floats
    weights: Floats
    intercept: float

    def log_odds(self, values: Floats) -> Floats:
        """Return the log odds of the class 1 for each row."""
        return np.asarray(self.contributions(values).sum(axis=1) + self.intercept)

    def contributions(self, values: Floats) -> Floats:
        """Return how much each feature adds to the log odds of each row."""
        return np.asarray((values - self.mean) / self.spread * self.weights)


def fit_logistic(
    values: Floats, labels: Floats, row_weights: Floats, *, ridge: float
) -> LogisticFit:
    """Fit labels of 0 and 1.

    Formula      maximizes Σ w ln p − ridge/2 Σ β² over standardized features; the intercept is free
    Undefined    one class only: an error
    Checked      scikit-learn's LogisticRegression (C = 1/ridge)
    """
    if len(np.unique(labels)) != 2:
        raise InvalidInput("logistic: expected rows of two classes, got one. Add the other one.")
    mean, spread = values.mean(axis=0), values.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    design = np.column_stack([(values - mean) / spread, np.ones(len(values))])
    penalty = np.full(design.shape[1], ridge)
    penalty[-1] = 0.0
    beta = np.zeros(design.shape[1])
    for _ in range(_MOST_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ beta, -35, 35)))
        slope = design.T @ (row_weights * (labels - chance)) - penalty * beta
        bend = (design * (row_weights * chance * (1 - chance))[:, None]).T @ design
        step = np.linalg.solve(bend + np.diag(penalty) + 1e-12 * np.eye(len(beta)), slope)
        beta = beta + step
        if np.abs(step).max() < _TOLERANCE:
            break
    return LogisticFit(mean=mean, spread=spread, weights=beta[:-1], intercept=float(beta[-1]))

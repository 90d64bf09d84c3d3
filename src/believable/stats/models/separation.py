"""Do fixed effects predict answers perfectly, so that no finite logistic estimate exists?"""

from __future__ import annotations

import numpy as np
from scipy import optimize, special

from believable.stats.inputs import FloatArray


def is_separated(successes: FloatArray, trials: FloatArray, fixed: FloatArray) -> bool:
    """Is there a direction of the coefficients that never hurts any answer and helps at least one?

    Complete and quasi-complete separation, decided by a linear program (Konis 2007) on the distinct rows of
    the fixed effects, unless plain logistic regression settles at a finite optimum, which is
    quicker to find and rules separation out. Random effects do not matter: moving along such a direction
    never lowers the likelihood."""
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
    found = optimize.linprog(
        -signed.sum(axis=0),
        A_ub=-signed,
        b_ub=np.zeros(len(signed)),
        A_eq=rows[mixed] if mixed.any() else None,
        b_eq=np.zeros(int(mixed.sum())) if mixed.any() else None,
        bounds=bounds,
    )
    return bool(found.success and -found.fun > 1e-7)


def _settles(successes: FloatArray, trials: FloatArray, fixed: FloatArray) -> bool:
    """Do Newton's steps shrink to nothing? Under separation they keep their length, whatever the slope does."""
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

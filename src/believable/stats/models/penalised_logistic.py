"""Penalised logistic fits, and the records of coefficients that all logistic fits share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from believable.stats.estimate import Estimate, without_interval
from believable.stats.models import random_effects
from believable.stats.models.answer_counts import CellCounts, log_choose
from believable.stats.models.design import Design
from believable.stats.models.fitted import Convergence, MixedModel, ModelTerm
from believable.stats.models.laplace import fit_laplace
from believable.stats.regression import INTERCEPT

PRIOR_SD, PRIOR_SD_INTERCEPT = 2.5, 10.0
_PENALISED = (
    f"penalised (Laplace, normal prior with sd {PRIOR_SD:g}, intercept {PRIOR_SD_INTERCEPT:g})"
)
#: Of the half-normal prior of a standard deviation between levels, in log odds, if data are too
#: sparse to limit it.
PRIOR_SD_RANDOM = 1.5
_SPARSE = (
    f"{_PENALISED.removesuffix(')')}, half-normal prior with sd {PRIOR_SD_RANDOM:g} for random"
    " effects)"
)


def fitted_model(
    matrices: Design,
    counts: CellCounts,
    terms: Any,
    sds: Any,
    correlations: Any,
    log_likelihood: float,
    criterion: str,
    convergence: Convergence,
    notes: tuple[str, ...] = (),
) -> MixedModel:
    groups = tuple(dict.fromkeys((v.group, v.levels) for v in counts.varying))
    return MixedModel(
        formula=matrices.formula.text,
        terms=terms,
        random=sds,
        correlations=correlations,
        sigma=None,
        log_likelihood=log_likelihood,
        criterion=criterion,
        n=counts.n,
        groups=groups,
        method=f"logistic mixed model, {criterion}",
        convergence=convergence,
        notes=matrices.notes + notes,
    )


def fit_penalised(
    matrices: Design,
    counts: CellCounts,
    degrees: tuple[float | None, ...],
    level: float,
    *,
    separated: bool,
) -> MixedModel:
    """The named fit with priors: of the coefficients if they are separated; of the spreads between
    levels, too, if the data do not limit them.
    """
    prior = np.array(
        [PRIOR_SD_INTERCEPT if name == INTERCEPT else PRIOR_SD for name in matrices.names]
    )
    spread = math.inf if separated else PRIOR_SD_RANDOM
    fit = fit_laplace(
        counts.successes,
        counts.trials,
        counts.fixed,
        counts.varying,
        prior_sd=prior,
        random_prior_sd=spread,
    )
    terms = tuple(
        coefficient(
            name,
            beta=float(beta),
            se=math.sqrt(float(variance)),
            df=df,
            n=counts.n,
            level=level,
            method="penalised Laplace, Wald interval",
        )
        for name, beta, variance, df in zip(
            matrices.names, fit.beta, np.diagonal(fit.cov_beta), degrees, strict=True
        )
    )
    sds, correlations = random_effects.describe(
        [block @ block.T for block in fit.blocks], fit.varying
    )
    convergence = Convergence(
        converged=fit.converged,
        singular=fit.singular,
        separated=separated,
        evaluations=fit.evaluations,
        decrease_left=fit.decrease_left,
    )
    total = fit.log_likelihood + log_choose(counts.trials, counts.successes) + counts.constant
    note = (
        "separation: fixed effects predict some answers perfectly; the estimates are from a"
        " penalised fit"
        if separated
        else (
            "too sparse for this model: the answers do not limit the spread between levels of a"
            " random effect; the estimates are from a penalised fit"
        )
    )
    criterion = _PENALISED if separated else _SPARSE
    return fitted_model(
        matrices,
        counts=counts,
        terms=terms,
        sds=sds,
        correlations=correlations,
        log_likelihood=total,
        criterion=criterion,
        convergence=convergence,
        notes=(note,),
    )


def coefficient(
    name: str, beta: float, se: float, df: float | None, n: int, level: float, method: str
) -> ModelTerm:
    if df is not None and df < 1:
        reason = "too few levels of a group tell this effect: it has no degrees of freedom"
        return ModelTerm(
            name, without_interval(beta, reason, method=f"log odds, {method}", n=n, level=level)
        )
    spread = stats.norm if df is None else stats.t(df)
    half = float(spread.ppf((1 + level) / 2)) * se
    estimate = Estimate(
        value=beta,
        low=beta - half,
        high=beta + half,
        level=level,
        n=n,
        method=f"log odds, {method}",
        se=se,
        statistic=beta / se,
        df=() if df is None else (df,),
        p_value=2 * float(spread.sf(abs(beta / se))),
    )
    return ModelTerm(name, estimate, odds(estimate))


def odds(estimate: Estimate) -> Estimate:
    def power(value: float | None) -> float:
        return math.inf if value is None or value > 700 else math.exp(value)

    method = estimate.method.replace("log odds", "odds ratio")
    return Estimate(
        value=power(estimate.value),
        low=power(estimate.low),
        high=power(estimate.high),
        level=estimate.level,
        n=estimate.n,
        method=method,
        statistic=estimate.statistic,
        df=estimate.df,
        p_value=estimate.p_value,
    )

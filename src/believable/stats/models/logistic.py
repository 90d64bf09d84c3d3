"""Mixed logistic regression: yes/no judgements that share participants and scenarios."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
from scipy import optimize, stats

from believable.core.errors import InvalidInput, MissingExtra
from believable.stats.estimate import check_level, without_interval
from believable.stats.inputs import FloatArray, one_of
from believable.stats.models import random_effects
from believable.stats.models.answer_counts import CellCounts, collapse, is_separated, trials_of
from believable.stats.models.degrees_of_freedom import degrees_of_freedom
from believable.stats.models.design import Design, Table, Varying, design, parse
from believable.stats.models.fitted import Convergence, MixedModel, ModelTerm
from believable.stats.models.penalised_logistic import (
    coefficient,
    fit_penalised,
    fitted_model,
    odds,
)
from believable.stats.regression import INTERCEPT

#: A standard deviation between levels beyond this (odds of 20 to 1 at one SD) says that the answers
#: do not limit it.
LARGEST_SD = 3.0


def mixed_logistic(
    formula: str,
    table: Table,
    *,
    trials: str | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
    least_levels: int = 5,
    interval: str = "wald",
    freedom: str = "levels",
    level: float = 0.95,
) -> MixedModel:
    """A logistic model with crossed random effects, by the Laplace approximation.

    Says         by what factor the odds of "yes" (say, of a flagged action) change between
                 conditions, for the same participant and scenario.
    formula      as in lme4: "flag ~ condition + (1 | participant) + (1 | scenario)"
    table        columns by name; the response is 0/1, or a count out of the column `trials`.
                 `levels` orders the levels of a category (the first one is the reference).
    least_levels a group with fewer levels becomes a fixed effect, with one level it is dropped (see
    notes)
    interval     "wald": estimate ± quantile·se; "profile": where the profiled log-likelihood has
                 fallen by half the chi-square quantile (slower, better when estimates are large)
    freedom      "levels": an effect that varies between the levels of a group (a random slope, or a
                 predictor that is constant within levels) has Student's t with as many degrees of
                 freedom as there are informative levels: those in which a random slope's predictor
                 varies, less one; or all levels, less the predictors constant within them. Of
                 simulated studies with 11 people whose own effects differ (SD .6), z rejects in
                 .094 without an effect on average, t in .057 (`python -m validation.odds_size`).
                 Other effects, and the intercept, have z. "normal": z throughout, as lme4 prints.
    Separation   when fixed effects predict some answers perfectly no finite estimate exists. The
                 result is then a named penalized fit (normal prior, sd 2.5 per coefficient, 10 for
                 the intercept) and `convergence.separated` is true.
    Sparse       with few answers per level the likelihood may rise with the spread between levels,
                 up to estimates such as an odds ratio of .002 for shares of .27 and .55. If a
                 spread exceeds 3 log odds (of a column with mean square 1), the result is a named
                 penalized fit: the same prior, and a half-normal one with sd 1.5 for each spread. A
                 note says "too sparse for this model". Answers that do limit a large spread
                 outweigh the prior.
    Singular     a random effect without variance is reported in `convergence`; the fixed effects
                 are then those of the simpler model.
    Undefined    all answers equal, terms that others determine: errors that name them. Where every
                 level of a group (say every participant) gives one answer throughout, the spread
                 between levels has no finite estimate: the optimiser's last point without
                 intervals, `convergence.converged` false, and the reason.
    Library      `glmm` (extra "models"), on rows collapsed to binomial counts; z and p from
                 estimate and se.
    Source       Bates et al. (2015) for the model; Gelman et al. (2008), Chung et al. (2013) for
                 the penalty; Pinheiro & Bates (2000) and Li & Redden (2015) for the degrees of
                 freedom between levels.
    Checked      R lme4 with a tight optimiser and glmmTMB on cbpp and three simulated crossed
                 designs; an own Laplace fit; R blme for the penalised fit.
    """
    check_level(level)
    one_of(interval, ("wald", "profile"), name="interval")
    one_of(freedom, ("levels", "normal"), name="freedom")
    engine = _engine()
    matrices = design(parse(formula), table, levels=levels or {}, least_levels=least_levels)
    counts = collapse(matrices, trials_of(matrices, table, trials))
    if not matrices.varying:
        raise InvalidInput(
            f"formula: no random part is left in {formula!r}"
            f" ({'; '.join(matrices.notes) or 'none given'}). Give a group that varies, such as (1"
            " | participant)."
        )
    degrees = degrees_of_freedom(matrices) if freedom == "levels" else (None,) * len(matrices.names)
    if is_separated(counts.successes, counts.trials, counts.fixed):
        return fit_penalised(matrices, counts, degrees, level, separated=True)
    fit, messages = _run(engine, counts, matrices)
    if group := _always_alike(counts):
        reason = (
            f"every {group} gives one answer throughout, so the spread between them has no finite"
            " estimate"
        )
        return _report_failure(matrices, counts, fit, (*messages, reason), level, reason)
    if not bool(fit.converged) or not np.isfinite(fit.se).all():
        return _report_failure(matrices, counts, fit, messages, level)
    if _is_unlimited(fit, counts):
        return fit_penalised(matrices, counts, degrees, level, separated=False)
    model = _describe(matrices, counts, fit, messages, degrees, level)
    if interval == "profile":
        bounds = [
            _profile(engine, counts, matrices, fit, index, level)
            for index in range(len(matrices.names))
        ]
        terms = tuple(
            _with_bounds(term, *both) for term, both in zip(model.terms, bounds, strict=True)
        )
        model = replace(model, terms=terms)
    return model


def _engine() -> ModuleType:
    try:
        import glmm  # noqa: PLC0415 an optional extra
    except ImportError as error:
        raise MissingExtra(what="mixed_logistic (the library glmm)", extra="models") from error
    module: ModuleType = glmm
    return module


def _run(
    engine: ModuleType,
    counts: CellCounts,
    matrices: Design,
    *,
    without: int | None = None,
    offset: FloatArray | None = None,
) -> tuple[Any, tuple[str, ...]]:
    """Fit, with our own design columns under neutral names; its warnings become messages."""
    kept = [index for index in range(counts.fixed.shape[1]) if index != without]
    data: dict[str, Any] = {f"x{index}": counts.fixed[:, index] for index in kept}
    data["y"] = counts.successes / counts.trials
    random = []
    for number, v in enumerate(counts.varying):
        data[f"g{number}"] = np.char.add("L", v.codes.astype(str))
        random.append("(" + " + ".join(["1", *_slopes(v, matrices, without)]) + f" | g{number})")
    right = " + ".join(["0", *(f"x{index}" for index in kept), *random])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = engine.fit(
            data,
            f"y ~ {right}",
            family="binomial",
            weights=counts.trials,
            offset=offset,
            anova_test="Wald",
        )
    return fit, tuple(dict.fromkeys(str(warning.message) for warning in caught))


def _slopes(v: Varying, matrices: Design, without: int | None) -> list[str]:
    """The columns of random slopes by their neutral names; the library wants them among the fixed
    effects.
    """
    if v.names[0] != INTERCEPT:
        raise InvalidInput(
            f"formula: a random slope of {v.group!r} needs a random intercept here. Write (1 +"
            f" {v.names[0]} | {v.group})."
        )
    absent = [name for name in v.names[1:] if name not in matrices.names]
    if absent:
        raise InvalidInput(
            f"formula: the random slope {absent[0]!r} of {v.group!r} is not among the fixed"
            f" effects. Add {absent[0].split('[')[0]} to the fixed part."
        )
    indices = [matrices.names.index(name) for name in v.names[1:]]
    if without in indices:
        raise InvalidInput(
            f"interval: {matrices.names[without or 0]!r} has a random slope, so its profile cannot"
            " be had. Use interval='wald'."
        )
    return [f"x{index}" for index in indices]


def _describe(
    matrices: Design,
    counts: CellCounts,
    fit: Any,
    messages: tuple[str, ...],
    degrees: tuple[float | None, ...],
    level: float,
) -> MixedModel:
    terms = tuple(
        coefficient(
            name,
            beta=float(beta),
            se=float(se),
            df=df,
            n=counts.n,
            level=level,
            method="Laplace, Wald interval",
        )
        for name, beta, se, df in zip(matrices.names, fit.beta, fit.se, degrees, strict=True)
    )
    parts = [
        _unpack(np.asarray(packed), v.width)
        for packed, v in zip(fit.varcorr, counts.varying, strict=True)
    ]
    sds, correlations = random_effects.describe(parts, counts.varying)
    convergence = Convergence(
        converged=bool(fit.converged),
        singular=bool(fit.singular),
        separated=False,
        evaluations=int(fit.n_eval),
        messages=messages,
    )
    return fitted_model(
        matrices,
        counts=counts,
        terms=terms,
        sds=sds,
        correlations=correlations,
        log_likelihood=float(fit.loglik) + counts.constant,
        criterion="ML (Laplace)",
        convergence=convergence,
    )


def _is_unlimited(fit: Any, counts: CellCounts) -> bool:
    """Is a spread between levels so large that only answers without exception can mean it?"""
    for packed, v in zip(fit.varcorr, counts.varying, strict=True):
        variances = np.diagonal(_unpack(np.asarray(packed), v.width)) * (v.values**2).mean(axis=0)
        if float(variances.max()) > LARGEST_SD**2:
            return True
    return False


def _always_alike(counts: CellCounts) -> str | None:
    """The group whose every level has one answer only, although most of them answered several
    times.
    """
    for v in counts.varying:
        yes, trials = (
            np.bincount(v.codes, column, minlength=v.levels)
            for column in (counts.successes, counts.trials)
        )
        if ((yes == 0) | (yes == trials)).all() and np.median(trials) > 1:
            return v.group
    return None


def _report_failure(
    matrices: Design,
    counts: CellCounts,
    fit: Any,
    messages: tuple[str, ...],
    level: float,
    reason: str = "the fit did not converge",
) -> MixedModel:
    """The optimiser's last point, without intervals: a reader must see it, but not take it for a
    result.
    """
    terms = tuple(
        ModelTerm(
            name,
            without_interval(
                float(beta), reason, method="logistic mixed model", n=counts.n, level=level
            ),
        )
        for name, beta in zip(matrices.names, fit.beta, strict=True)
    )
    convergence = Convergence(
        converged=False,
        singular=bool(fit.singular),
        separated=False,
        evaluations=int(fit.n_eval),
        messages=messages or (reason,),
    )
    log_likelihood = float(fit.loglik) + counts.constant
    return fitted_model(
        matrices,
        counts=counts,
        terms=terms,
        sds=(),
        correlations=(),
        log_likelihood=log_likelihood,
        criterion="ML (Laplace)",
        convergence=convergence,
        notes=(reason,),
    )


def _with_bounds(term: ModelTerm, low: float, high: float) -> ModelTerm:
    estimate = replace(
        term.estimate, low=low, high=high, method="log odds, Laplace, profile-likelihood interval"
    )
    return replace(term, estimate=estimate, odds_ratio=odds(estimate))


def _profile(
    engine: ModuleType, counts: CellCounts, matrices: Design, fit: Any, index: int, level: float
) -> tuple[float, float]:
    """Where twice the drop of the profiled log-likelihood reaches the chi-square quantile."""
    beta, se = float(fit.beta[index]), float(fit.se[index])
    drop = float(stats.chi2.ppf(level, 1))

    def excess(value: float) -> float:
        held = value * counts.fixed[:, index]
        held_fit, _ = _run(engine, counts, matrices, without=index, offset=held)
        return 2 * (float(fit.loglik) - float(held_fit.loglik)) - drop

    def bound(direction: float) -> float:
        near, far = beta, beta + direction * 2.5 * se
        for _ in range(30):
            if excess(far) > 0:
                return float(optimize.brentq(excess, near, far, xtol=1e-6 * se))
            near, far = far, far + direction * 2 * se
        return math.copysign(math.inf, direction)

    return bound(-1.0), bound(1.0)


def _unpack(packed: FloatArray, width: int) -> FloatArray:
    """A covariance from the columns of its lower triangle."""
    whole = np.zeros((width, width))
    rows, columns = np.triu_indices(width)
    whole[columns, rows] = packed
    whole[rows, columns] = packed
    return whole

"""Mixed ordinal regression: ratings in ordered categories that share participants and stimuli."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy import stats
from threadpoolctl import threadpool_limits

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.stats.estimate import Estimate, check_level, undefined, without_interval
from believable.stats.inputs import one_of
from believable.stats.models import random_effects
from believable.stats.models.cumulative import OrderedCells, is_separated, order_answers
from believable.stats.models.cumulative_laplace import OrdinalFit, Priors, fit_ordinal
from believable.stats.models.degrees_of_freedom import degrees_of_freedom
from believable.stats.models.design import Design, Table, design, parse
from believable.stats.models.fitted import Convergence, MixedModel, ModelTerm, Threshold
from believable.stats.models.logistic import LARGEST_SD
from believable.stats.models.penalised_logistic import (
    PRIOR_SD,
    PRIOR_SD_INTERCEPT,
    PRIOR_SD_RANDOM,
    coefficient,
)

_METHOD = "cumulative link mixed model (logit)"
_SEPARATED = Priors(thresholds=PRIOR_SD_INTERCEPT, fixed=PRIOR_SD)
_SPARSE = replace(_SEPARATED, spreads=PRIOR_SD_RANDOM)
_PENALISED = f"normal prior with sd {PRIOR_SD:g}, thresholds {PRIOR_SD_INTERCEPT:g}"


def mixed_ordinal(
    formula: str,
    table: Table,
    *,
    levels: Mapping[str, Sequence[str]] | None = None,
    least_levels: int = 5,
    freedom: str = "levels",
    level: float = 0.95,
) -> MixedModel:
    """A cumulative logit model with crossed random effects, by the Laplace approximation.

    Says         by what factor the odds of a higher rating change between conditions, whichever
                 rating one starts from, for the same participant and stimulus; and how often the
                 higher condition gets the higher rating.
    formula      as in R's ordinal: "rating ~ condition + (1 | participant) + (1 | clip)". Without a
                 random part it is plain ordinal regression.
    table        columns by name; the response is numbers, of which only the order counts, and the
                 ones that occur are the categories. `levels` orders the levels of a category (the
                 first one is the reference).
    Formula      log odds of an answer of at most j: θ_j - x'β - z'b, with one threshold θ between
                 neighbouring answers and normal b. A term's probability of superiority is the
                 chance that one of two such answers is higher before both are cut into categories:
                 e^β (e^β - β - 1) / (e^β - 1)².
    freedom      as for `mixed_logistic`: "levels" gives Student's t to effects that vary between
                 the levels of a group; "normal" z throughout, as R prints.
    least_levels a group with fewer levels becomes a fixed effect, with one level it is dropped (see
                 notes)
    Sparse       categories without answers have no threshold. If a fixed effect predicts some
                 answers perfectly, or a spread between levels exceeds 3 log odds, the result is a
                 named penalised fit with the priors of `mixed_logistic`.
    Singular     a random effect without variance is reported in `convergence`.
    Undefined    one answer only, terms that others determine: errors that name them. A fit that did
                 not converge has no intervals, and says so.
    Assumes      the same odds ratio at every threshold; `proportional_odds` checks it.
    Source       Agresti (2010); Christensen (2018) for the model; Agresti & Kateri (2017) for the
                 probability.
    Checked      R ordinal (clmm, clm, clmm2) on wine and three simulated crossed designs.
    """
    check_level(level)
    one_of(freedom, ("levels", "normal"), name="freedom")
    matrices = design(parse(formula), table, levels=levels or {}, least_levels=least_levels)
    cells = order_answers(matrices)
    with threadpool_limits(1):
        separated = is_separated(cells)
        fit = fit_ordinal(cells, _SEPARATED if separated else None)
        sparse = not separated and _is_unlimited(fit)
        if sparse:
            fit = fit_ordinal(cells, _SPARSE)
    degrees = dict(
        zip(
            matrices.names,
            degrees_of_freedom(matrices) if freedom == "levels" else [None] * len(matrices.names),
            strict=True,
        )
    )
    return _describe(matrices, cells, fit, degrees, level, separated=separated, sparse=sparse)


def proportional_odds(
    formula: str,
    table: Table,
    term: str,
    *,
    levels: Mapping[str, Sequence[str]] | None = None,
    least_levels: int = 5,
    level: float = 0.95,
) -> Estimate:
    """Is the odds ratio of one term the same at every threshold?

    Says         whether one number describes the term. A small p means that the term moves some
                 answers more than others; then report the shares of each answer, too.
    term         a fixed effect as the model names it, such as "condition" or "condition[agent]"
    Formula      likelihood ratio of the model in which the term has an effect per threshold; the
                 value is the largest odds ratio of these effects over the smallest
    Undefined    two categories (there is one threshold), an effect that no answers limit at some
                 threshold: no value, with the reason.
    Source       Christensen (2018), nominal effects
    Checked      R ordinal: clmm2 with a nominal effect on wine, nominal_test without random effects
    """
    check_level(level)
    matrices = design(parse(formula), table, levels=levels or {}, least_levels=least_levels)
    proportional = order_answers(matrices)
    if term not in proportional.names:
        raise InvalidInput(
            f"term: unknown name {term!r}. {did_you_mean(term, list(proportional.names))}"
        )
    method = "likelihood-ratio test of proportional odds"
    n, steps = proportional.n, proportional.thresholds
    if steps < 2:
        return undefined("two categories have one threshold", method=method, n=n, level=level)
    if is_separated(proportional):
        return undefined(
            "fixed effects predict some answers perfectly", method=method, n=n, level=level
        )
    # The column moves last, where the fit for each threshold begins.
    order = [one for one in proportional.names if one != term] + [term]
    columns = [proportional.names.index(one) for one in order]
    proportional = replace(proportional, names=tuple(order), fixed=proportional.fixed[:, columns])
    with threadpool_limits(1):
        same = fit_ordinal(proportional)
        apart = fit_ordinal(order_answers(matrices, (term,)), begin=same)
    effects = -apart.thresholds[:, 1]
    if not (same.converged and apart.converged) or float(np.abs(effects).max()) > 30:
        return undefined(
            "no answers limit the effect at some threshold", method=method, n=n, level=level
        )
    statistic = max(0.0, 2 * (apart.log_likelihood - same.log_likelihood))
    return Estimate(
        value=math.exp(float(effects.max() - effects.min())),
        low=None,
        high=None,
        reason="a ratio of the largest to the smallest has no interval",
        level=level,
        n=n,
        method=method,
        statistic=statistic,
        df=(float(steps - 1),),
        p_value=float(stats.chi2.sf(statistic, steps - 1)),
    )


def probability_of_superiority(log_odds: float) -> float:
    """The chance that an answer is higher than one whose log odds are lower by `log_odds`, before
    both are cut into categories: the distribution of the difference of two logistic variables.
    """
    size = abs(log_odds)
    if size < 1e-3:  # the formula is 0/0 at 0; the next term of its series is below 1e-11
        chance = 0.5 + size / 6
    elif size > 700:
        chance = 1.0
    else:
        rest = math.expm1(-size)
        chance = (1 - (1 + size) * math.exp(-size)) / rest**2
    return chance if log_odds >= 0 else 1 - chance


def _is_unlimited(fit: OrdinalFit) -> bool:
    """Is a spread between levels so large that only answers without exception can mean it?"""
    for block, v in zip(fit.blocks, fit.varying, strict=True):
        scale = (v.values**2).mean(axis=0)
        if block.size and float((np.diagonal(block @ block.T) * scale).max()) > LARGEST_SD**2:
            return True
    return False


def _describe(
    matrices: Design,
    cells: OrderedCells,
    fit: OrdinalFit,
    degrees: Mapping[str, float | None],
    level: float,
    *,
    separated: bool,
    sparse: bool,
) -> MixedModel:
    errors = np.sqrt(np.maximum(np.diagonal(fit.covariance), 0.0))
    criterion = "ML (Laplace)" if fit.varying else "ML"
    notes: tuple[str, ...] = ()
    if separated:
        criterion = f"penalised ({criterion}, {_PENALISED})"
        notes = (
            "separation: fixed effects predict some answers perfectly; the estimates are from a"
            " penalised fit",
        )
    elif sparse:
        criterion = (
            f"penalised ({criterion}, {_PENALISED}, half-normal prior with sd {PRIOR_SD_RANDOM:g}"
            " for random effects)"
        )
        notes = (
            "too sparse for this model: the answers do not limit the spread between levels of a"
            " random effect; the estimates are from a penalised fit",
        )
    terms = tuple(
        _term(
            name, float(beta), float(se), df=degrees[name], n=cells.n, level=level, ok=fit.converged
        )
        for name, beta, se in zip(cells.names, fit.beta, errors[cells.thresholds :], strict=True)
    )
    sds, correlations = random_effects.describe(
        [block @ block.T for block in fit.blocks], fit.varying
    )
    thresholds = tuple(
        Threshold(below, above, float(value), float(se))
        for below, above, value, se in zip(
            cells.categories,
            cells.categories[1:],
            fit.thresholds[:, 0],
            errors[: cells.thresholds],
            strict=False,
        )
    )
    return MixedModel(
        formula=matrices.formula.text,
        terms=terms,
        random=sds,
        correlations=correlations,
        sigma=None,
        log_likelihood=fit.log_likelihood,
        criterion=criterion,
        n=cells.n,
        groups=tuple(dict.fromkeys((v.group, v.levels) for v in matrices.varying)),
        method=f"{_METHOD if fit.varying else 'cumulative link model (logit)'}, {criterion}",
        convergence=Convergence(
            converged=fit.converged,
            singular=fit.singular,
            separated=separated,
            evaluations=fit.evaluations,
            decrease_left=fit.gain_left,
        ),
        notes=matrices.notes + notes,
        thresholds=thresholds,
    )


def _term(
    name: str, beta: float, se: float, *, df: float | None, n: int, level: float, ok: bool
) -> ModelTerm:
    if not ok or not math.isfinite(se) or se <= 0:
        reason = "the fit did not converge"
        return ModelTerm(name, without_interval(beta, reason, method=_METHOD, n=n, level=level))
    term = coefficient(
        name, beta=beta, se=se, df=df, n=n, level=level, method=f"{_METHOD}, Wald interval"
    )
    estimate = term.estimate
    superiority = replace(
        estimate,
        value=probability_of_superiority(beta),
        low=None if estimate.low is None else probability_of_superiority(estimate.low),
        high=None if estimate.high is None else probability_of_superiority(estimate.high),
        se=None,
        method=f"probability of superiority, {_METHOD}, Wald interval",
    )
    return replace(term, superiority=superiority)

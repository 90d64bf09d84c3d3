"""What the published criterion can tell: how often an agent passes whose judges are right in a given share of trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from believable.analysis.findings import Section, Table, estimate_cells
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, number
from believable.analysis.settled_plan import Plan
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate
from believable.study.records import Study

LAYOUTS = Layouts(__file__)

#: True accuracies that are looked at.
ACCURACIES = (0.5, 0.55, 0.6, 0.65, 0.7)
#: Resamples of each simulated study's bootstrap; percentiles at 95 % need no more for a share of studies.
RESAMPLES = 400
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)


@dataclass(frozen=True, slots=True)
class PassChance:
    """`passes`: share of simulated studies whose interval of the median contains chance; `equivalent`: share in which the
    equivalence test shows that accuracy is chance."""

    judges: int
    accuracy: float
    passes: Estimate
    equivalent: Estimate


def pass_chances(
    judges: int,
    pairs: int,
    *,
    judge_sd: float,
    pair_sd: float,
    margin: float,
    rng: np.random.Generator,
    studies: int,
    chance: float = 0.5,
    alpha: float = 0.05,
) -> tuple[PassChance, ...]:
    """Studies in which all judges see the same pairs; judges and pairs differ by these SD, in log-odds."""
    chances = []
    for accuracy in ACCURACIES:
        passed = equal = 0
        centre = _log_odds(accuracy, float(np.hypot(judge_sd, pair_sd)))
        for _ in range(studies):
            logit = centre + rng.normal(0, judge_sd, judges)[:, None] + rng.normal(0, pair_sd, pairs)[None, :]
            right = (rng.random((judges, pairs)) < special.expit(logit)).sum(axis=1)
            low, high = _median_interval(right, pairs, rng, alpha)
            passed += low <= chance <= high
            equal += _equivalent(right / pairs, chance, margin, alpha)
        chances.append(PassChance(judges, accuracy, proportion(passed, studies), proportion(equal, studies)))
    return tuple(chances)


def _log_odds(accuracy: float, sd: float) -> float:
    """The log-odds at which the mean over judges and pairs is this accuracy."""
    low, high = -8.0, 8.0
    for _ in range(50):
        middle = (low + high) / 2
        mean = float((special.expit(middle + sd * _NODES) * _WEIGHTS).sum() / _WEIGHTS.sum())
        low, high = (middle, high) if mean < accuracy else (low, middle)
    return (low + high) / 2


def _median_interval(right: NDArray[np.int64], pairs: int, rng: np.random.Generator, alpha: float) -> tuple[float, float]:
    """The percentile bootstrap of the median, drawn as counts per number of right trials: judges with equal numbers are alike."""
    n = len(right)
    counts = rng.multinomial(n, np.bincount(right, minlength=pairs + 1) / n, size=RESAMPLES).cumsum(axis=1)
    middle = ((counts <= (n - 1) // 2).sum(axis=1) + (counts <= n // 2).sum(axis=1)) / 2
    low, high = np.quantile(middle / pairs, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def _equivalent(accuracy: NDArray[np.float64], chance: float, margin: float, alpha: float) -> bool:
    """Two one-sided t tests over judges."""
    se = float(accuracy.std(ddof=1)) / len(accuracy) ** 0.5
    reach = float(special.stdtrit(len(accuracy) - 1, 1 - alpha)) * se
    mean = float(accuracy.mean())
    return bool(chance - margin < mean - reach and mean + reach < chance + margin)


def chances_table(plan: Plan, sizes: Sequence[int], pairs: int, rng: np.random.Generator) -> Table:
    """The operating characteristic for so many judges and pairs, with what it assumes."""
    judge_sd, pair_sd = float(plan.option("judge_sd")), float(plan.option("pair_sd"))
    studies = int(plan.option("criterion_studies"))
    margin = float(plan.test_option("accuracy", "margin"))
    rows = [
        (chance.judges, chance.accuracy, *estimate_cells(chance.passes), *estimate_cells(chance.equivalent))
        for judges in sizes
        for chance in pass_chances(
            judges,
            pairs,
            judge_sd=judge_sd,
            pair_sd=pair_sd,
            margin=margin,
            rng=rng,
            studies=studies,
            chance=float(plan.option("chance")),
            alpha=plan.alpha,
        )
    ]
    return LAYOUTS.table(
        "criterion",
        rows,
        studies=counted(studies, "study", "studies"),
        pairs=counted(pairs, "pair"),
        judge_sd=number(judge_sd),
        pair_sd=number(pair_sd),
        margin=number(margin),
    )


def criterion_section(plan: Plan, judges: int, pairs: int, rng: np.random.Generator) -> Section | None:
    """For the report: the study at hand. None where it has too few judges, or nothing is to be simulated."""
    if judges < 2 or pairs < 1 or int(plan.option("criterion_studies")) == 0:
        return None
    rows = chances_table(plan, [judges], pairs, rng)
    chart = LAYOUTS.chart("criterion")
    return LAYOUTS.section("criterion", tables=(rows,), charts=(chart,))


def planned(plan: Plan, study: Study, sizes: Sequence[int], rng: np.random.Generator) -> Table | None:
    """For `believable power`: the same for the sizes that are being considered."""
    pairs = len(study.scenarios)
    if not pairs or int(plan.option("criterion_studies")) == 0:
        return None
    return chances_table(plan, [size for size in sizes if size > 1], pairs, rng)

"""The power of a study: how often an agent whose judges are right in a given share of trials passes
by the published criterion, is distinguished from people, or is shown to be equivalent to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from believable.analysis.claims import name_clips, number_word
from believable.analysis.findings import Section, Table, estimate_cells
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, number, share
from believable.analysis.settled_plan import Plan
from believable.protocols.hntt.agent_verdict import compare_with_chance
from believable.stats.counts import proportion
from believable.stats.crossed import LEAST_UNITS, Over
from believable.stats.estimate import Estimate
from believable.study.records import Study

LAYOUTS = Layouts(__file__)

#: True accuracies that are looked at.
ACCURACIES = (0.5, 0.55, 0.6, 0.65, 0.7)
#: Resamples of each simulated study's bootstrap; percentiles at 95 % need no more for a share of
#: studies.
RESAMPLES = 400
#: Simulated choices of pairs, for what any number of judges can show.
LIMIT_STUDIES = 4000
#: The reference for a small number of pairs, and the chance below which a small number is called
#: too small.
MANY_PAIRS, ENOUGH = 24, 0.5
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassChance:
    """`passes`: share of simulated studies whose interval of the median contains chance;
    `different` and `equivalent`: shares in which the verdict that the plan asks for is that.
    """

    judges: int
    accuracy: float
    passes: Estimate
    different: Estimate
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
    over: Over = "both",
    chance: float = 0.5,
    alpha: float = 0.05,
) -> tuple[PassChance, ...]:
    """Studies in which all judges see the same pairs; judges and pairs differ by these SD, in
    log-odds.
    """
    chances = []
    judge, pair = np.repeat(np.arange(judges), pairs), np.tile(np.arange(pairs), judges)
    for accuracy in ACCURACIES:
        passed = apart = equal = 0
        centre = _log_odds(accuracy, float(np.hypot(judge_sd, pair_sd)))
        for _ in range(studies):
            logit = (
                centre
                + rng.normal(0, judge_sd, judges)[:, None]
                + rng.normal(0, pair_sd, pairs)[None, :]
            )
            correct = rng.random((judges, pairs)) < special.expit(logit)
            low, high = _median_interval(correct.sum(axis=1), pairs, rng, alpha)
            passed += low <= chance <= high
            test, same = compare_with_chance(
                correct.ravel(), judge, pair, over=over, chance=chance, margin=margin, alpha=alpha
            )
            apart += test.significant(alpha)
            equal += same.equivalent
        chances.append(
            PassChance(
                judges=judges,
                accuracy=accuracy,
                passes=proportion(passed, studies),
                different=proportion(apart, studies),
                equivalent=proportion(equal, studies),
            )
        )
    return tuple(chances)


def _log_odds(accuracy: float, sd: float) -> float:
    """The log-odds at which the mean over judges and pairs is this accuracy."""
    low, high = -8.0, 8.0
    for _ in range(50):
        middle = (low + high) / 2
        mean = float((special.expit(middle + sd * _NODES) * _WEIGHTS).sum() / _WEIGHTS.sum())
        low, high = (middle, high) if mean < accuracy else (low, middle)
    return (low + high) / 2


def _median_interval(
    right: NDArray[np.int64], pairs: int, rng: np.random.Generator, alpha: float
) -> tuple[float, float]:
    """The percentile bootstrap of the median, drawn as counts per number of right trials: judges
    with equal numbers are alike.
    """
    n = len(right)
    counts = rng.multinomial(n, np.bincount(right, minlength=pairs + 1) / n, size=RESAMPLES).cumsum(
        axis=1
    )
    middle = ((counts <= (n - 1) // 2).sum(axis=1) + (counts <= n // 2).sum(axis=1)) / 2
    low, high = np.quantile(middle / pairs, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def most_equivalent(
    pairs: int, *, judge_sd: float, pair_sd: float, margin: float, chance: float, alpha: float
) -> float:
    """How often equivalence is shown at most: of an agent at chance, by any number of judges who
    all see these pairs.

    With this number of judges the accuracy of each pair is known, and only the choice of pairs is
    random: a t test over pairs.
    """
    if pairs < LEAST_UNITS:
        return 0.0
    rng = np.random.default_rng(pairs)
    logit = _log_odds(chance, float(np.hypot(judge_sd, pair_sd))) + rng.normal(
        0, pair_sd, (LIMIT_STUDIES, pairs)
    )
    known = (special.expit(logit[..., None] + judge_sd * _NODES) * _WEIGHTS).sum(
        axis=-1
    ) / _WEIGHTS.sum()
    reach = float(special.stdtrit(pairs - 1, 1 - alpha)) * known.std(axis=1, ddof=1) / pairs**0.5
    return float((np.abs(known.mean(axis=1) - chance) + reach < margin).mean())


def limit_words(plan: Plan, pairs: int) -> str:
    """What more judges cannot change, for verdicts about the agent."""
    if plan.over == "judges":
        return (
            f"Verdicts are about {name_clips(pairs)}, so that they say nothing about other clips of"
            " the agent."
        )
    assumed = {name: float(plan.option(name)) for name in ("judge_sd", "pair_sd", "chance")}
    margin = float(plan.test_option("accuracy", "margin"))
    most, more = (
        most_equivalent(n, margin=margin, alpha=plan.alpha, **assumed) for n in (pairs, MANY_PAIRS)
    )
    words = (
        f"With any number of judges, {counted(pairs, 'clip')} that all of them see (pairs of"
        f" recordings) show that an agent at {assumed['chance']:g} is equivalent to people in at"
        f" most {share(most, 0)} of studies."
    )
    if most >= ENOUGH:
        return words
    hardly = (
        f"{number_word(pairs).capitalize()} shared {'clip' if pairs == 1 else 'clips'} can hardly"
        " show equivalence. "
    )
    return (
        f"{hardly}{words} More clips help, more judges do not: {MANY_PAIRS} show it in at most"
        f" {share(more, 0)}."
    )


def chances_table(plan: Plan, sizes: Sequence[int], pairs: int, rng: np.random.Generator) -> Table:
    """The operating characteristic for given numbers of judges and pairs, with its assumptions."""
    judge_sd, pair_sd = float(plan.option("judge_sd")), float(plan.option("pair_sd"))
    studies = int(plan.option("criterion_studies"))
    margin = float(plan.test_option("accuracy", "margin"))
    rows = [
        (
            chance.judges,
            chance.accuracy,
            *estimate_cells(chance.passes),
            *estimate_cells(chance.different),
            *estimate_cells(chance.equivalent),
        )
        for judges in sizes
        for chance in pass_chances(
            judges,
            pairs,
            judge_sd=judge_sd,
            pair_sd=pair_sd,
            margin=margin,
            rng=rng,
            studies=studies,
            over=plan.over,
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
        about="the agent" if plan.over == "both" else name_clips(pairs),
        limit=limit_words(plan, pairs),
    )


def criterion_section(
    plan: Plan, judges: int, pairs: int, rng: np.random.Generator
) -> Section | None:
    """For the report: the current study. None if it has too few judges, or if simulations are
    off.
    """
    if judges < 2 or pairs < 1 or int(plan.option("criterion_studies")) == 0:
        return None
    rows = chances_table(plan, [judges], pairs, rng)
    chart = LAYOUTS.chart("criterion")
    return LAYOUTS.section("criterion", tables=(rows,), charts=(chart,))


def planned_sizes(
    plan: Plan, study: Study, sizes: Sequence[int], rng: np.random.Generator
) -> Table | None:
    """For `believable power`: the same for the sizes that are being considered."""
    pairs = len(study.scenarios)
    if not pairs or int(plan.option("criterion_studies")) == 0:
        return None
    return chances_table(plan, [size for size in sizes if size > 1], pairs, rng)

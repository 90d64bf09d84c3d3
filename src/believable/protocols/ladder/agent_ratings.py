"""Ratings of single clips: means of the conditions, and differences of means over judges and clips."""

from __future__ import annotations

import numpy as np

from believable.analysis.claims import refuse
from believable.analysis.data import Data, numbers
from believable.analysis.findings import (
    LOOSE_CELL,
    Direction,
    Finding,
    Section,
    estimate_cells,
    number_or,
    tested_cells,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import estimate_words, in_words
from believable.protocols.ladder.pair_choices import Ladder
from believable.stats.crossed import crossed_mean
from believable.stats.crossed_contrasts import crossed_difference
from believable.stats.result import holm

LAYOUTS = Layouts(__file__)


def ratings_section(data: Data, ladder: Ladder) -> Section | None:
    """None without ratings."""
    if not data.has("rating"):
        return None
    answers = data.answers("rating")
    values = numbers(answers)
    known = ~np.isnan(values) & np.array([name is not None for name in answers.condition], np.bool_)
    if not known.any():
        return None
    value, judge = values[known], answers.code[known]
    condition, clip = answers.condition[known].astype(str), answers.stimulus[known].astype(str)
    plan, claim = ladder.plan, ladder.claim
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings: list[Finding] = []
    for name in ladder.ordered():
        own = condition == name
        mean = refuse(
            crossed_mean(value[own], judge[own], clip[own], over=plan.over, level=plan.level), claim
        )
        spread = float(value[own].std(ddof=1)) if own.sum() > 1 else None
        rows.append((name, int(own.sum()), *estimate_cells(mean), number_or(spread, "one rating")))
        findings.append(
            Finding(
                outcome="rating",
                title=f"Rating, {in_words(name)}",
                sentence=f"{in_words(name)} has a mean rating of {estimate_words(mean)}.",
                estimate=mean,
                about=name,
            )
        )
    compared = []
    for first, second in ladder.pairs:
        own = (condition == first) | (condition == second)
        test = crossed_difference(
            value[own],
            condition[own] == first,
            judge[own],
            clip[own],
            over=plan.over,
            alternative=plan.alternative("rating", f"{first}-{second}"),
            level=plan.level,
        ).test
        compared.append((first, second, refuse(test, claim)))
    adjusted = holm([test.p_value for _, _, test in compared])
    differences: list[tuple[LOOSE_CELL, ...]] = []
    for (first, second, test), p_holm in zip(compared, adjusted, strict=True):
        none = test.reason or "undefined"
        differences.append((f"{first}-{second}", *tested_cells(test), number_or(p_holm, none)))
        findings.append(
            Finding(
                outcome="rating",
                title=f"Rating, {in_words(first)} against {in_words(second)}",
                sentence=(
                    f"Mean ratings of {in_words(first)} and {in_words(second)} differ by"
                    f" {estimate_words(test.estimate)}."
                    if test.estimate is not None and test.estimate.value is not None
                    else f"Ratings of {in_words(first)} and {in_words(second)} cannot be compared"
                    f" ({none})."
                ),
                estimate=test.estimate,
                test=test,
                about=f"{first}-{second}",
                direction=Direction(
                    0.0,
                    f"{in_words(first)} is rated more human-like",
                    f"{in_words(second)} is rated more human-like",
                ),
            )
        )
    return LAYOUTS.section(
        "ratings",
        findings=findings,
        tables=(LAYOUTS.table("ratings", rows), LAYOUTS.table("rating_contrasts", differences)),
        charts=(LAYOUTS.chart("ratings"),),
    )

"""Whether promises were kept: shares with their Monte-Carlo intervals, and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from believable.stats.counts import proportion
from validation.truth.cases import Promise
from validation.truth.studies import HIGH, LOW, Outcomes, P

#: Level of the interval around a share of simulated studies.
MONTE_CARLO = 0.99
ALPHA = 0.05
CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """How often it happened, in how many studies. A study without a result counts as a miss, and as
    no rejection.
    """

    promise: Promise
    truth: float | None
    hits: int
    studies: int
    undefined: int

    @property
    def share(self) -> float:
        return self.hits / self.studies

    @property
    def interval(self) -> tuple[float, float]:
        estimate = proportion(self.hits, self.studies, interval="exact", level=MONTE_CARLO)
        return float(estimate.low or 0.0), 1.0 if estimate.high is None else float(estimate.high)

    @property
    def kept(self) -> bool:
        """The interval includes the nominal level; what is discrete may also be on the safe side of
        it.
        """
        low, high = self.interval
        if self.promise.kind == "rejection":
            return low <= ALPHA and (self.promise.discrete or high >= ALPHA)
        return high >= 1 - ALPHA and (self.promise.discrete or low <= 1 - ALPHA)


def judge(
    promise: Promise, outcomes: Outcomes, values: Mapping[str, float | NDArray[np.float64]]
) -> Verdict:
    """`values`: the true value of each outcome, one for all studies or one for each; the verdict
    then has their mean.
    """
    rows = outcomes[promise.key]
    if promise.kind == "rejection":
        known = np.isfinite(rows[:, P])
        hits = int((rows[known, P] < ALPHA).sum())
        return Verdict(promise, None, hits, len(rows), int((~known).sum()))
    truth = CHANCE if promise.kind == "passing" else values[promise.key]
    known = np.isfinite(rows[:, LOW]) & np.isfinite(rows[:, HIGH])
    inside = known & (rows[:, LOW] <= truth) & (truth <= rows[:, HIGH])
    return Verdict(
        promise, float(np.mean(truth)), int(inside.sum()), len(rows), int((~known).sum())
    )


_KIND = {"coverage": "coverage", "rejection": "rejection at .05", "passing": "contains one half"}


def table(verdicts: Sequence[Verdict]) -> str:
    """As Markdown, one row per promise."""
    lines = [
        "| setting | outcome | what | true value | share | 99 % interval | undefined | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for verdict in verdicts:
        low, high = verdict.interval
        truth = (
            ""
            if verdict.truth is None or verdict.promise.kind == "passing"
            else f"{verdict.truth:.4f}"
        )
        lines.append(
            f"| {verdict.promise.setting} | {verdict.promise.key} | {_KIND[verdict.promise.kind]} |"
            f" {truth} | {verdict.share:.4f} | {low:.4f} to {high:.4f} | {verdict.undefined} |"
            f" {_words(verdict)} |"
        )
    return "\n".join(lines)


def _words(verdict: Verdict) -> str:
    if not verdict.promise.judged:
        return "reported, not judged"
    return (
        ("kept (discrete)" if verdict.promise.discrete else "kept") if verdict.kept else "NOT KEPT"
    )

"""Whether promises were kept: shares with their Monte-Carlo intervals, and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from believable.simulate.truth.cases import Promise
from believable.simulate.truth.studies import HIGH, LOW, Outcomes, P
from believable.stats.counts import proportion

#: Level of the interval around a share of simulated studies.
MONTE_CARLO = 0.99
ALPHA = 0.05
CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """How often it happened, in how many studies. A study without a result counts as a miss, and as no rejection."""

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
        found = proportion(self.hits, self.studies, interval="exact", level=MONTE_CARLO)
        return float(found.low or 0.0), 1.0 if found.high is None else float(found.high)

    @property
    def kept(self) -> bool:
        """The interval includes the nominal level; what is discrete may also be on the safe side of it."""
        low, high = self.interval
        if self.promise.kind == "rejection":
            return low <= ALPHA and (self.promise.discrete or high >= ALPHA)
        return high >= 1 - ALPHA and (self.promise.discrete or low <= 1 - ALPHA)


def judge(promise: Promise, outcomes: Outcomes, values: Mapping[str, float | NDArray[np.float64]]) -> Verdict:
    """`values`: the true value of each outcome, one for all studies or one for each; the verdict then has their mean."""
    rows = outcomes[promise.key]
    if promise.kind == "rejection":
        known = np.isfinite(rows[:, P])
        hits = int((rows[known, P] < ALPHA).sum())
        return Verdict(promise, None, hits, len(rows), int((~known).sum()))
    truth = CHANCE if promise.kind == "passing" else values[promise.key]
    known = np.isfinite(rows[:, LOW]) & np.isfinite(rows[:, HIGH])
    inside = known & (rows[:, LOW] <= truth) & (truth <= rows[:, HIGH])
    return Verdict(promise, float(np.mean(truth)), int(inside.sum()), len(rows), int((~known).sum()))


_KIND = {"coverage": "coverage", "rejection": "rejection at .05", "passing": "contains one half"}


def table(verdicts: Sequence[Verdict]) -> str:
    """As Markdown, one row per promise."""
    lines = [
        "| setting | outcome | what | true value | share | 99 % interval | undefined | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in verdicts:
        low, high = one.interval
        truth = "" if one.truth is None or one.promise.kind == "passing" else f"{one.truth:.4f}"
        lines.append(
            f"| {one.promise.setting} | {one.promise.key} | {_KIND[one.promise.kind]} | {truth} | {one.share:.4f} |"
            f" {low:.4f} to {high:.4f} | {one.undefined} | {_words(one)} |"
        )
    return "\n".join(lines)


def _words(one: Verdict) -> str:
    if not one.promise.judged:
        return "reported, not judged"
    return ("kept (discrete)" if one.promise.discrete else "kept") if one.kept else "NOT KEPT"

"""Whether the difference of two items changed between two sets of paired comparisons."""

from __future__ import annotations

import math

from believable.core.errors import InvalidInput
from believable.stats.bradley_terry import BradleyTerry
from believable.stats.crossed import t_against
from believable.stats.estimate import t_estimate, undefined
from believable.stats.result import TestResult, no_result
from believable.stats.strength_contrasts import strength_contrasts


def strength_drift(
    before: BradleyTerry, after: BradleyTerry, first: str, second: str, *, level: float = 0.95
) -> TestResult:
    """Test whether two items stand in the same relation in two studies of different judges.

    Says         whether judges of the later study see the two differently, on the scale of log
                 strengths.
    Formula      later difference minus earlier one; SE = sqrt(SE₁² + SE₂²); t with Welch's degrees
                 of freedom.
    Undefined    if one of the differences has no interval.
    Source       Welch (1947).
    Checked      in R, by Welch's formula on the two differences and their SE.
    """
    if first not in before.items or first not in after.items:
        raise InvalidInput(f"first: {first!r} is not in both studies. Name an item of both.")
    if second not in before.items or second not in after.items:
        raise InvalidInput(f"second: {second!r} is not in both studies. Name an item of both.")
    method = "t test of the change of a difference of log strengths"
    earlier, later = (
        strength_contrasts(fit, pairs=[(first, second)], level=level)[0].difference
        for fit in (before, after)
    )
    n = earlier.n + later.n
    if not earlier.se or not later.se or earlier.value is None or later.value is None:
        reason = earlier.reason or later.reason or "no standard error"
        nothing = undefined(reason, method=method, n=n, level=level)
        return no_result(reason, method=method, n=n, alternative="two-sided", estimate=nothing)
    parts = (earlier.se**2, later.se**2)
    free = sum(part**2 / df for part, df in zip(parts, (earlier.df[0], later.df[0]), strict=True))
    df = sum(parts) ** 2 / free if free else math.inf
    change = t_estimate(
        later.value - earlier.value, math.sqrt(sum(parts)), df, level=level, n=n, method=method
    )
    return t_against(change, 0.0, method=method)

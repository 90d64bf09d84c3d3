"""Whether the answers of groups of sessions differ: versions of a study, or sites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Cell
from believable.analysis.settled_plan import Plan
from believable.analysis.version_answers import SessionValues, session_values
from believable.stats.means import welch_t
from believable.stats.permutation import permutation_anova
from believable.stats.result import TestResult, holm

#: The group of each session, from 0.
SessionGroups: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
#: Each quantity with its unadjusted p and its test, whose p is adjusted over the quantities.
Compared: TypeAlias = list[tuple[SessionValues, float | None, TestResult]]


def compare_groups(
    data: Data, plan: Plan, groups: SessionGroups, rng: np.random.Generator
) -> Compared:
    """A permutation ANOVA of each quantity that the plan rests on, adjusted by Holm's method."""
    quantities = session_values(data, plan)
    tests = [permutation_anova(quantity.values, groups, rng=rng) for quantity in quantities]
    adjusted = holm([test.p_value for test in tests])
    compared: Compared = []
    for quantity, test, p_value in zip(quantities, tests, adjusted, strict=True):
        many = f", Holm-adjusted over {len(tests)} tests" if len(tests) > 1 else ""
        own = TestResult(
            statistic=test.statistic,
            p_value=p_value,
            n=test.n,
            method=f"{test.method}{many}",
            reason=test.reason,
            symbol=test.symbol,
        )
        compared.append((quantity, test.p_value, own))
    return compared


def test_rows(compared: Compared) -> Iterator[tuple[Cell, ...]]:
    for quantity, p_value, test in compared:
        yield (
            quantity.title,
            test.n,
            test.statistic if test.symbol == "F" else None,
            p_value,
            test.p_value,
            test.reason or test.method,
        )


def mean_rows(
    plan: Plan, compared: Compared, groups: SessionGroups, names: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    """Mean and number of sessions by group, and each later one against the first, with Welch's
    interval for means.
    """
    for quantity, _, _ in compared:
        for column, cell in enumerate(quantity.cells):
            first = _known(quantity, column, groups == 0)
            for index, name in enumerate(names):
                own = _known(quantity, column, groups == index)
                mean = float(own.mean()) if len(own) else None
                difference = (
                    None
                    if not index or mean is None or not len(first)
                    else mean - float(first.mean())
                )
                estimate = (
                    welch_t(own, first, level=plan.level).estimate
                    if index and not quantity.is_share
                    else None
                )
                bounds = (
                    (None, None)
                    if estimate is None or difference is None
                    else (estimate.low, estimate.high)
                )
                yield (quantity.title, cell, name, len(own), mean, difference, *bounds)


def _known(
    quantity: SessionValues, column: int, own: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = quantity.values[own, column]
    return np.asarray(values[~np.isnan(values)])

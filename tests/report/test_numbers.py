"""Numbers as the APA writes them."""

from __future__ import annotations

import doctest
import math

import pytest

from believable.analysis.records import Cell, Column
from believable.report import numbers
from believable.stats.estimate import Estimate, without_interval
from believable.stats.result import TestResult, no_result


def test_examples_in_the_module_hold() -> None:
    assert doctest.testmod(numbers).failed == 0


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [
        (-1.005, 1, "−1.0"),
        (-0.004, 2, "0.00"),
        (0.0, 0, "0"),
        (12345.678, 1, "12\u202f345.7"),
        (-math.inf, 2, "−∞"),
    ],
)
def test_a_number_has_a_true_minus_and_never_a_negative_zero(value: float, digits: int, written: str) -> None:
    assert numbers.number(value, digits) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "< .001"),
        (0.00099, "< .001"),
        (0.001, ".001"),
        (0.05, ".050"),
        (0.9994, ".999"),
        (1.0, "> .999"),
    ],
)
def test_p_has_no_leading_zero_and_is_never_zero_or_one(value: float, written: str) -> None:
    assert numbers.p_cell(value) == written


def test_an_interval_says_its_level() -> None:
    estimate = Estimate(0.8, 0.49, 0.943, 0.9, 10, "wilson")
    assert numbers.interval(estimate) == "90\u202f% CI [0.49,\u00a00.94]"
    assert numbers.interval(without_interval(0.8, "one observation", method="mean", n=1)) is None


def test_a_test_says_statistic_df_p_and_side() -> None:
    two = TestResult(2.311, 0.0272, 34, "paired t test", df=(33,))
    assert numbers.words_of_test(two) == "t(33) = 2.31, p = .027"
    welch = TestResult(-1.5, 0.00002, 40, "Welch's t test", df=(31.27,), alternative="less")
    assert numbers.words_of_test(welch) == "t(31.3) = −1.50, p < .001 (one-sided, less)"
    assert numbers.words_of_test(no_result("no data", method="paired t test", n=0)) is None


@pytest.mark.parametrize(
    ("column", "value", "written"),
    [
        (Column("x", "x", "share", 1), 0.5, "50.0\u202f%"),
        (Column("x", "x", "integer"), 1200, "1\u202f200"),
        (Column("x", "x", "flag"), False, "no"),
        (Column("x", "x", "p"), 0.04, ".040"),
        (Column("x", "x", "number", 3), None, "–"),
        (Column("x", "x"), 3, "3"),
        (Column("x", "x", "number"), "not asked", "not asked"),
    ],
)
def test_a_cell_follows_its_column(column: Column, value: Cell, written: str) -> None:
    assert numbers.cell(column, value) == written

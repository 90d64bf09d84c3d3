"""Numbers as the APA writes them."""

from __future__ import annotations

import doctest
import math

import pytest

from believable.analysis import numbers
from believable.analysis.findings import Cell, Column
from believable.core.errors import InvalidInput
from believable.stats.correlations import pearson
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.result import TestResult, no_result


def test_examples_in_the_module_hold() -> None:
    assert doctest.testmod(numbers).failed == 0


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [
        (-1.005, 1, "−1.0"),
        (-0.004, 2, "0.00"),
        (0.0, 0, "0"),
        (12345.678, 1, "12,345.7"),
        (-math.inf, 2, "−∞"),
    ],
)
def test_a_number_has_a_true_minus_and_never_a_negative_zero(
    value: float, digits: int, written: str
) -> None:
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
    assert numbers.p_value(value) == written


def test_an_interval_says_its_level() -> None:
    estimate = Estimate(value=0.8, low=0.49, high=0.943, level=0.9, n=10, method="wilson")
    assert numbers.interval_words(estimate) == "90\u202f% CI [0.49,\u00a00.94]"
    assert numbers.interval_words(without_interval(0.8, "one observation", method="mean", n=1)) == (
        "no interval: one observation"
    )


def test_an_estimate_states_its_interval_and_an_undefined_one_its_reason() -> None:
    estimate = Estimate(
        value=0.8, low=0.5, high=0.9, level=0.95, n=10, method="share, Wilson interval"
    )
    written = numbers.estimate_words(estimate)
    assert written == "0.80 (95\u202f% CI [0.50,\u00a00.90])"
    assert numbers.estimate_words(undefined("no judge", method="m", n=0)) == "undefined (no judge)"


def test_a_test_says_its_own_symbol_df_p_and_side() -> None:
    two = TestResult(
        statistic=2.311, p_value=0.0272, n=34, method="paired t test", df=(33,), symbol="t"
    )
    assert numbers.statistic_words(two) == "t(33) = 2.31, p = .027, two-sided"
    welch = TestResult(
        statistic=-1.5,
        p_value=0.00002,
        n=40,
        method="Welch's t test",
        df=(31.27,),
        alternative="less",
        symbol="t",
    )
    assert numbers.statistic_words(welch) == "t(31.3) = −1.50, p < .001, one-sided (less)"
    of_fit = TestResult(
        statistic=2.0, p_value=0.04, n=20, method="F test", df=(2.0, 17.0), symbol="F"
    )
    assert numbers.statistic_words(of_fit) == "F(2, 17) = 2.00, p = .040"
    assert (
        numbers.statistic_words(no_result("no data", method="paired t test", n=0))
        == "no test: no data"
    )


def test_pearsons_test_is_printed_as_the_t_it_is() -> None:
    test = pearson([1, 2, 3, 4, 5], [1.1, 1.9, 3.3, 3.8, 5.2])
    assert numbers.statistic_words(test).startswith("t(3) = ")


def test_a_statistic_without_its_symbol_is_refused() -> None:
    with pytest.raises(InvalidInput, match="without its symbol"):
        TestResult(statistic=2.0, p_value=0.04, n=20, method="t test", symbol="")


@pytest.mark.parametrize(
    ("column", "value", "written"),
    [
        (Column(name="x", title="x", form="share", digits=1), 0.5, "50.0\u202f%"),
        (Column(name="x", title="x", form="integer"), 1200, "1,200"),
        (Column(name="x", title="x", form="flag"), False, "no"),
        (Column(name="x", title="x", form="p"), 0.04, ".040"),
        (Column(name="x", title="x", form="number", digits=3), None, "–"),
        (Column(name="x", title="x"), 3, "3"),
        (Column(name="x", title="x", form="number"), "not asked", "not asked"),
    ],
)
def test_a_cell_follows_its_column(column: Column, value: Cell, written: str) -> None:
    assert numbers.cell(column, value) == written


def test_counts_and_lists() -> None:
    counts = [
        numbers.counted(1, "judge"),
        numbers.counted(1200, "judge"),
        numbers.counted(2, "stimulus", "stimuli"),
    ]
    assert counts == ["1 judge", "1,200 judges", "2 stimuli"]
    lists = [
        numbers.listed([]),
        numbers.listed(["a"]),
        numbers.listed(["a", "b"]),
        numbers.listed(("a", "b", "c")),
    ]
    assert lists == ["", "a", "a and b", "a, b and c"]

"""Instruments compared with each other: differences with a choice, differences with differences, deviations within people."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from believable.analysis.instruments import Choice, Measure, Row, compare, correlations, table
from believable.analysis.records import Column
from believable.core.errors import InvalidInput
from believable.stats.correlations import within_correlation

RNG = np.random.default_rng(6)
PEOPLE = [f"p{n}" for n in range(20)]
FIRST, SECOND = RNG.normal(size=20), RNG.normal(size=20)
TRACE = Measure(
    "trace", "trace: mean",
    {(p, 1): float(v) for p, v in zip(PEOPLE, FIRST, strict=True)}
    | {(p, 2): float(v) for p, v in zip(PEOPLE, SECOND, strict=True)},
)  # fmt: skip
LIKING = Measure(
    "liking", "likert: liking", {thing: round(value) + 4.0 for thing, value in TRACE.values.items()}
)
CHOSEN = Choice(
    "choice", "choice", {p: float(np.sign(a - b)) for p, a, b in zip(PEOPLE, FIRST, SECOND, strict=True)}
)


def test_with_a_choice_it_is_the_correlation_of_first_minus_second() -> None:
    found = compare(TRACE, CHOSEN)
    expected = stats.pearsonr(FIRST - SECOND, np.sign(FIRST - SECOND))
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.n == 20


def test_two_things_each_are_compared_by_differences() -> None:
    found = compare(TRACE, LIKING)
    liking = np.array([LIKING.values[p, 1] - LIKING.values[p, 2] for p in PEOPLE])
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(stats.pearsonr(FIRST - SECOND, liking).statistic)


def test_more_things_are_compared_within_people() -> None:
    things = [(p, place) for p in PEOPLE[:6] for place in (1, 2, 3)]
    a = Measure(
        "a", "a", {thing: float(value) for thing, value in zip(things, RNG.normal(size=18), strict=True)}
    )
    b = Measure("b", "b", {thing: value + RNG.normal() for thing, value in a.values.items()})
    found = compare(a, b)
    expected = within_correlation(
        [a.values[t] for t in things], [b.values[t] for t in things], [p for p, _ in things]
    )
    assert found.statistic == pytest.approx(expected.statistic)


def test_people_who_lack_one_are_left_out() -> None:
    fewer = Measure("trace", "trace", {thing: v for thing, v in TRACE.values.items() if thing != ("p3", 2)})
    assert compare(fewer, CHOSEN).n == 19
    assert compare(fewer, LIKING).n == 19


def test_the_table_has_r_and_p_for_every_pair_and_marks_what_is_significant() -> None:
    made = table("t", "T", [TRACE, LIKING], [TRACE, LIKING, CHOSEN])
    assert [column.name for column in made.columns] == [
        "measure", "n", "trace_r", "trace_p", "liking_r", "liking_p", "choice_r", "choice_p",
    ]  # fmt: skip
    assert made.rows[0][2] is None
    assert made.undefined[0, "trace_r"] == "a measure with itself"
    assert {(0, "liking_r"), (1, "trace_r"), (0, "choice_r"), (1, "choice_r")} <= made.marked


def test_a_row_without_all_tests_is_refused() -> None:
    with pytest.raises(InvalidInput, match="expected tests for a, b, got a"):
        correlations(
            "t", "T", [Column("x", "x")], [Row(("r",), {"a": compare(TRACE, CHOSEN)})], {"a": "A", "b": "B"}
        )

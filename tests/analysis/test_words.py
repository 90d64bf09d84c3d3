"""Numbers in sentences."""

from __future__ import annotations

import math

from believable.analysis.words import (
    counted,
    estimate_words,
    fixed,
    interval_words,
    level_words,
    listed,
    p_words,
)
from believable.analysis.words import (
    test_words as words_of,
)
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.result import TestResult, no_result


def test_numbers():
    assert [fixed(0.8333), fixed(-1.5, 1), fixed(None), fixed(math.inf), fixed(-math.inf), fixed(-0.0001)] == [
        "0.83", "−1.5", "undefined", "∞", "−∞", "0.00",
    ]  # fmt: skip


def test_p_values():
    assert [p_words(p) for p in (0.0123, 0.0001, 0.9999, 0.05, None)] == [
        "p = .012", "p < .001", "p > .999", "p = .050", "p undefined",
    ]  # fmt: skip


def test_an_interval_states_its_method_and_an_undefined_one_its_reason():
    estimate = Estimate(0.8, 0.5, 0.9, 0.95, 10, "share, Wilson interval")
    assert estimate_words(estimate) == "0.80 (95 % interval 0.50 to 0.90; share, Wilson interval)"
    assert interval_words(without_interval(1.0, "one judge", method="m", n=1)) == "no interval: one judge"
    assert estimate_words(undefined("no judge", method="m", n=0)) == "undefined (no judge)"
    assert level_words(0.9) == "90 %"


def test_a_test_states_its_side_where_it_has_one():
    assert (
        words_of(TestResult(2.0, 0.04, 20, "t test", (19.0,)), "t")
        == "t(19) = 2.00, p = .040, two-sided; t test"
    )
    assert (
        words_of(TestResult(2.0, 0.04, 20, "F test", (2.0, 17.0)), "F") == "F(2, 17) = 2.00, p = .040; F test"
    )
    assert words_of(no_result("too few", method="t test", n=1), "t") == "no test: too few"


def test_counts_and_lists():
    assert [counted(1, "judge"), counted(1200, "judge"), counted(2, "stimulus", "stimuli")] == [
        "1 judge", "1,200 judges", "2 stimuli",
    ]  # fmt: skip
    assert [listed([]), listed(["a"]), listed(["a", "b"]), listed(("a", "b", "c"))] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]

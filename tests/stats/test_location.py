"""Tests of location: R's numbers, ties, zeros, and data that allow no test."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from believable.core.errors import InvalidInput
from believable.stats.location import mann_whitney, paired_comparison, paired_t, shapiro, wilcoxon

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "tests"
INPUT = json.loads((ORACLE / "input.json").read_text())
OUTPUT = json.loads((ORACLE / "output.json").read_text())
HNTT = Path(__file__).resolve().parents[1] / "data" / "hntt"
SIDES = ("two-sided", "less", "greater")
PAIRED, GROUPS = list(INPUT["paired"]), list(INPUT["groups"])


@pytest.mark.parametrize("name", PAIRED)
def test_paired_t_as_in_r(name: str) -> None:
    a, b, r = INPUT["paired"][name]["a"], INPUT["paired"][name]["b"], OUTPUT["paired"][name]
    found = paired_t(a, b)
    assert found.statistic == pytest.approx(r["t"], rel=1e-10)
    assert found.df == (r["t_df"],)
    assert found.estimate is not None
    assert (found.estimate.low, found.estimate.high) == pytest.approx(r["t_ci"], rel=1e-9)
    assert [paired_t(a, b, alternative=side).p_value for side in SIDES] == pytest.approx(
        r["t_sides"], rel=1e-9
    )


@pytest.mark.parametrize("name", PAIRED)
def test_wilcoxon_as_in_r_with_ties_and_zeros(name: str) -> None:
    a, b, r = INPUT["paired"][name]["a"], INPUT["paired"][name]["b"], OUTPUT["paired"][name]
    assert wilcoxon(a, b).statistic == r["w"]
    assert wilcoxon(a, b, p="exact").p_value == pytest.approx(r["w_p_exact"], rel=1e-9)
    assert wilcoxon(a, b, p="exact", zeros="pratt").p_value == pytest.approx(
        r["pratt_p_exact"], rel=1e-9
    )
    normal = [wilcoxon(a, b, p="normal", alternative=side).p_value for side in SIDES]
    assert normal == pytest.approx(r["w_sides_normal"], rel=1e-9)


@pytest.mark.parametrize("name", [name for name in PAIRED if "hl" in OUTPUT["paired"][name]])
def test_pseudo_median_and_interval_as_in_r(name: str) -> None:
    a, b, r = INPUT["paired"][name]["a"], INPUT["paired"][name]["b"], OUTPUT["paired"][name]
    estimate = wilcoxon(a, b).estimate
    assert estimate is not None
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(r["hl"], rel=1e-9)
    assert wilcoxon(a, b).p_value == pytest.approx(r["w_p_base"], rel=1e-9)


@pytest.mark.parametrize("name", PAIRED)
def test_shapiro_as_in_r(name: str) -> None:
    a, b = np.array(INPUT["paired"][name]["a"]), np.array(INPUT["paired"][name]["b"])
    found = shapiro(a - b)
    assert (found.statistic, found.p_value) == pytest.approx(
        OUTPUT["paired"][name]["shapiro"], rel=1e-6
    )


@pytest.mark.parametrize("name", GROUPS)
def test_mann_whitney_as_in_r_with_ties(name: str) -> None:
    a, b, r = INPUT["groups"][name]["a"], INPUT["groups"][name]["b"], OUTPUT["groups"][name]
    assert mann_whitney(a, b).statistic == r["u"]
    assert mann_whitney(a, b, p="exact").p_value == pytest.approx(r["p_exact"], rel=1e-8)
    exact = [mann_whitney(a, b, p="exact", alternative=side).p_value for side in SIDES]
    assert exact == pytest.approx(r["sides_exact"], rel=1e-8)
    assert exact[0] == pytest.approx(r["p_exact_coin"], rel=1e-8)
    normal = [mann_whitney(a, b, p="normal", alternative=side).p_value for side in SIDES]
    assert normal == pytest.approx(r["sides_normal"], rel=1e-9)


def test_shift_and_interval_as_in_r() -> None:
    r = OUTPUT["groups"]["continuous"]
    estimate = mann_whitney(**INPUT["groups"]["continuous"]).estimate
    assert estimate is not None
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(r["hl"], rel=1e-9)


def turing_test_study(measure: str) -> tuple[list[float], list[float]]:
    """Both studies' values of a measure, from the reconstructed marginals."""
    with (HNTT / "hntt_long.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["measure"] == measure]
    one, two = ([float(row["value"]) for row in rows if row["study"] == study] for study in "12")
    return one, two


def as_published(one: list[float], two: list[float], expected: dict[str, Any]) -> None:
    found = mann_whitney(one, two)
    assert found.statistic is not None
    assert min(found.statistic, len(one) * len(two) - found.statistic) == expected["U_min"]
    assert found.p_value == pytest.approx(expected["p_two_sided"], abs=5e-8)
    one_sided = min(
        mann_whitney(one, two, alternative=side).p_value or 1 for side in ("less", "greater")
    )
    assert one_sided == pytest.approx(expected["p_one_sided"], abs=5e-8)
    if "means" in expected:
        assert [np.mean(one), np.mean(two)] == pytest.approx(expected["means"])
    if "sds" in expected:
        assert [np.std(one), np.std(two)] == pytest.approx(expected["sds"], abs=5e-8)


@pytest.mark.parametrize(
    ("measure", "recomputed", "printed"),
    [
        ("accuracy", "accuracy", "accuracy"),
        ("uncertainty", "uncertainty", "uncertainty"),
        ("hybrid_share", "hybrid_n31_as_in_notebook", "hybrid_vs_symbolic"),
    ],
)
def test_published_turing_test_study(measure: str, recomputed: str, printed: str) -> None:
    """Every value of the study's notebook; its shares of hybrid agents count a phantom participant
    with 0.
    """
    one, two = turing_test_study(measure)
    if measure == "hybrid_share":
        one, two = [0.0, *one], [0.0, *two]
    expected = json.loads((HNTT / "expected.json").read_text())
    as_published(one, two, expected["recomputed_from_reconstruction"][recomputed])
    output = expected["published_outputs"][printed]
    for values, study in ((one, "study1"), (two, "study2")):
        assert [np.mean(values), np.std(values)] == pytest.approx(output[study])
    assert (
        output["mannwhitney_U"] == expected["recomputed_from_reconstruction"][recomputed]["U_min"]
    )
    assert output["p_printed"] == round(
        expected["recomputed_from_reconstruction"][recomputed]["p_one_sided"], 3
    )


def test_published_turing_test_study_without_the_phantom() -> None:
    one, two = turing_test_study("hybrid_share")
    expected = json.loads((HNTT / "expected.json").read_text())["recomputed_from_reconstruction"]
    as_published(one, two, expected["hybrid_true_n30"])


def test_the_rule_chooses_the_test() -> None:
    chosen = {name: paired_comparison(**INPUT["paired"][name]).chosen for name in PAIRED}
    wanted = {
        name: "paired_t" if OUTPUT["paired"][name]["shapiro"][1] >= 0.05 else "wilcoxon"
        for name in PAIRED
    }
    assert chosen == wanted
    assert set(chosen.values()) == {"paired_t", "wilcoxon"}
    forced = paired_comparison(**INPUT["paired"]["continuous"], rule="wilcoxon")
    assert forced.test == wilcoxon(**INPUT["paired"]["continuous"])
    assert forced.effect.method.startswith("Cohen's dz")


def test_a_difference_of_rounding_is_a_tie() -> None:
    """0.3 − 0.1 and 0.5 − 0.3 are the same difference, although not the same float."""
    found = wilcoxon([0.3, 0.5, 0.9, 0.1], [0.1, 0.3, 0.6, 0.3], p="exact")
    assert found.p_value == wilcoxon([3, 5, 9, 1], [1, 3, 6, 3], p="exact").p_value


@pytest.mark.parametrize(
    ("test", "a", "b", "reason"),
    [
        (paired_t, [1, 2, 3], [0, 1, 2], "no variance"),
        (paired_t, [1], [2], "at least 2 pairs, got 1"),
        (paired_t, [], [], "at least 2 pairs, got 0"),
        (wilcoxon, [1, 2], [1, 2], "no difference other than zero"),
        (wilcoxon, [], [], "no pairs"),
        (mann_whitney, [1, 1], [1], "all values are equal"),
        (mann_whitney, [], [1], "at least 1 value in each group"),
    ],
)
def test_no_result_comes_with_its_reason(test, a, b, reason) -> None:  # type: ignore[no-untyped-def]
    found = test(a, b)
    assert found.statistic is None
    assert found.p_value is None
    assert reason in found.reason
    assert not found.significant()


def test_constant_differences_still_have_a_rank_test() -> None:
    found = paired_comparison([2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6])
    assert (found.chosen, found.test.p_value) == ("wilcoxon", 2 / 2**6)
    assert found.effect.value is None
    assert found.normality.reason == "all values are equal"


def test_zero_differences_are_counted() -> None:
    assert wilcoxon([1, 2, 5, 6], [1, 2, 3, 3]).notes == ("differences of zero left out: 2",)
    assert "ranked" in wilcoxon([1, 2, 5, 6], [1, 2, 3, 3], zeros="pratt").notes[0]


def test_too_few_pairs_for_a_bounded_interval() -> None:
    estimate = wilcoxon([3, 4, 6], [1, 1, 1]).estimate
    assert estimate is not None
    assert (estimate.low, estimate.high) == (-np.inf, np.inf)
    assert "too few" in estimate.notes[0]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_non_finite_values_are_named(bad: float) -> None:
    with pytest.raises(InvalidInput, match=r"b\[1\]: expected a finite number, got (nan|inf)"):
        paired_t([1, 2, 3], [1, bad, 3])


def test_unknown_options_are_refused() -> None:
    with pytest.raises(InvalidInput, match="alternative: unknown value 'bigger'"):
        paired_t([1, 2], [2, 4], alternative="bigger")
    with pytest.raises(InvalidInput, match="the same length, got 2 and 3"):
        wilcoxon([1, 2], [1, 2, 3])


def test_shapiro_beyond_its_tables() -> None:
    found = shapiro(np.random.default_rng(1).normal(size=6000))
    assert found.notes == ("p is extrapolated above 5,000 values",)
    assert shapiro([1, 2]).reason == "needs at least 3 values, got 2"
    tiny = shapiro(1e9 + 1e-6 * np.array([1.0, 2, 3, 4, 5, 7]))
    assert tiny.statistic == pytest.approx(shapiro([1.0, 2, 3, 4, 5, 7]).statistic, abs=0.02)


def test_large_samples_use_selection_instead_of_all_pairs() -> None:
    """The order statistics of 4 million Walsh averages and differences, against the direct way on a
    thinned copy.
    """
    rng = np.random.default_rng(4)
    a, b = rng.normal(0.3, 1, 2001), rng.normal(0, 1, 2001)
    found = wilcoxon(a, b).estimate
    shift = mann_whitney(a, b).estimate
    assert found is not None
    assert shift is not None
    difference = np.sort(a - b)
    rows, columns = np.triu_indices(2001)
    assert found.value == pytest.approx(
        float(np.median(difference[rows] + difference[columns])) / 2, abs=1e-12
    )
    assert shift.value == pytest.approx(float(np.median(np.subtract.outer(a, b))), abs=1e-12)


def test_a_constant_shift_has_a_mean_difference_but_no_test() -> None:
    test = paired_t([1.0, 2.0, 3.0, 4.0], [2.5, 3.5, 4.5, 5.5])
    assert test.p_value is None
    assert test.reason == "the differences have no variance"
    assert test.estimate is not None
    assert (test.estimate.value, test.estimate.low, test.estimate.high) == (-1.5, None, None)
    assert paired_t([], []).estimate.value is None  # type: ignore[union-attr]


def test_rounded_values_are_ranked_as_whole_numbers_are() -> None:
    """scipy ranks the floats as given: of tenths, its p is ours once the differences are whole."""
    rng = np.random.default_rng(0)
    differs = 0
    for _ in range(60):
        n = int(rng.integers(8, 30))
        a, b = (np.round(rng.normal(shift, 1, n), 1) for shift in (0, 0.2))
        ours = wilcoxon(a, b, p="normal").p_value
        whole = stats.wilcoxon(
            np.rint(10 * a) - np.rint(10 * b), correction=True, method="approx"
        ).pvalue
        assert ours == pytest.approx(float(whole), abs=1e-12)
        differs += (
            abs(float(stats.wilcoxon(a - b, correction=True, method="approx").pvalue) - whole)
            > 1e-9
        )
    assert differs > 0

"""Effect sizes: R's numbers and the edges of their ranges."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.stats.effects import (
    cliffs_delta,
    dav,
    dz,
    g,
    noncentral_t_bounds,
    odds_ratio,
    rank_biserial,
)
from believable.stats.estimate import Estimate

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "tests"
INPUT = json.loads((ORACLE / "input.json").read_text())
OUTPUT = json.loads((ORACLE / "output.json").read_text())


def triple(estimate: Estimate) -> tuple[float | None, float | None, float | None]:
    return estimate.value, estimate.low, estimate.high


@pytest.mark.parametrize("name", INPUT["paired"])
def test_paired_effects_as_in_r(name: str) -> None:
    samples, r = INPUT["paired"][name], OUTPUT["paired"][name]
    assert triple(dz(**samples)) == pytest.approx(
        r["dz"], abs=2e-5
    )  # effectsize solves its bounds to 5 digits
    assert triple(dav(**samples)) == pytest.approx(r["dav"], abs=1e-8)
    assert triple(rank_biserial(**samples)) == pytest.approx(r["rank_biserial"], abs=1e-10)
    assert rank_biserial(**samples).value == pytest.approx(r["rank_biserial_effectsize"], abs=1e-10)


@pytest.mark.parametrize("name", INPUT["groups"])
def test_group_effects_as_in_r(name: str) -> None:
    samples, r = INPUT["groups"][name], OUTPUT["groups"][name]
    found = g(**samples)
    assert found.value == pytest.approx(r["g"], abs=1e-10)
    assert (found.low, found.high) == pytest.approx(r["g_bounds"], abs=2e-5)
    assert triple(cliffs_delta(**samples)) == pytest.approx(r["cliff"], abs=1e-10)
    assert cliffs_delta(**samples).value == pytest.approx(r["cliff_effectsize"], abs=1e-10)


@pytest.mark.parametrize(("table", "r"), list(zip(INPUT["odds"], OUTPUT["odds"], strict=True)))
def test_odds_ratio_as_in_r(table: list[list[int]], r: dict) -> None:  # type: ignore[type-arg]
    exact, midp = odds_ratio(table, interval="exact"), odds_ratio(table)
    tight = r["tight"]
    assert exact.value == midp.value == pytest.approx(tight["value"], rel=1e-9)
    assert (exact.low, exact.high) == pytest.approx(tight["exact"], rel=1e-9)
    assert (midp.low, midp.high) == pytest.approx(tight["midp"], rel=1e-9)
    # The packages themselves search their roots with a wide tolerance.
    assert exact.value == pytest.approx(r["fisher_value"], rel=1e-3)
    assert (exact.low, exact.high) == pytest.approx(r["fisher_exact"], rel=2e-2)
    assert (midp.low, midp.high) == pytest.approx(r["epitools_midp"], rel=1e-2)
    assert (exact.exact, midp.exact) == (True, False)


def test_odds_ratio_with_a_zero_cell() -> None:
    found = odds_ratio([[5, 0], [2, 6]])
    assert found.value == pytest.approx(5.5 * 6.5 / (0.5 * 2.5))
    assert found.high == math.inf
    assert found.notes == ("zero cell: the value has 0.5 added to every cell",)
    mirrored = odds_ratio([[0, 5], [6, 2]])
    assert mirrored.low == 0.0
    assert mirrored.high == pytest.approx(1 / found.low)


def test_odds_ratio_refuses_what_is_no_table_of_counts() -> None:
    with pytest.raises(InvalidInput, match=r"table\[0, 1\]: expected a count, got 2.5"):
        odds_ratio([[1, 2.5], [3, 4]])
    with pytest.raises(InvalidInput, match=r"expected 2 rows and 2 columns, got .*chi_square"):
        odds_ratio([[1, 2, 3], [3, 4, 5]])
    assert odds_ratio([[0, 0], [3, 4]]).reason == "a row or a column of the table is empty"


@pytest.mark.parametrize(
    ("effect", "a", "b", "reason"),
    [
        (dz, [1], [2], "at least 2 pairs"),
        (dz, [0.3, 0.5, 0.9], [0.1, 0.3, 0.7], "no variance"),
        (dz, [2, 3], [1, 2], "no variance"),
        (dav, [1, 1], [2, 2], "both samples are constant"),
        (g, [1], [2, 3], "at least 2 values in each group"),
        (g, [1, 1], [2, 2], "neither group has any variance"),
        (rank_biserial, [1, 2], [1, 2], "no difference other than zero"),
        (cliffs_delta, [], [1], "at least 1 value in each group"),
    ],
)
def test_undefined_effects_say_why(effect, a, b, reason) -> None:  # type: ignore[no-untyped-def]
    found = effect(a, b)
    assert found.value is None
    assert reason in found.reason


def test_complete_order_has_an_interval() -> None:
    assert triple(rank_biserial([2, 4, 6, 8, 9], [1, 1, 1, 1, 1]))[0] == 1.0
    paired = rank_biserial([2, 4, 6, 8, 9], [1, 1, 1, 1, 1])
    assert paired.low == pytest.approx(2 * 0.025 ** (2 / 5) - 1)
    assert paired.exact
    order = cliffs_delta([5, 6, 7, 8], [1, 2, 3])
    assert order.value == 1.0
    assert order.high == 1.0
    assert order.low is not None
    assert 0 < order.low < 1
    assert "Newcombe" in order.method


def test_single_values_have_no_interval() -> None:
    assert (
        cliffs_delta([1], [0, 2]).reason
        == "needs at least 2 values in each group; there are 1 and 2"
    )
    assert (
        rank_biserial([1, 4], [3, 1]).reason == "the jackknife needs at least 3 differences, got 2"
    )
    shifted = dav([1, 2, 4], [2, 3, 5])
    assert shifted.value is not None
    assert shifted.reason == "the differences have no variance"


def test_effects_without_bounds_in_sight_keep_an_interval() -> None:
    """Samples worlds apart: the noncentral t leaves the range of the library, the interval stays
    continuous.
    """
    near, far = noncentral_t_bounds(1999.9, 29, 0.95), noncentral_t_bounds(2000.1, 29, 0.95)
    assert far == pytest.approx(near, rel=2e-4)
    assert noncentral_t_bounds(-2000.1, 29, 0.95) == pytest.approx((-far[1], -far[0]))
    huge = dz([1e9, 1.1e9, 1.2e9], [0, 0, 0])
    assert huge.low is not None
    apart = g([1e9, 1e9 + 1, 1e9 + 2], [0, 1, 2])
    assert apart.low is not None
    assert apart.low < apart.value < (apart.high or 0)  # type: ignore[operator]

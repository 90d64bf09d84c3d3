"""Shares, paired answers and tables: R's numbers and the empty cases."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from believable.core.errors import InvalidInput
from believable.stats.counts import binomial, chi_square, mcnemar, proportion

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "tests"
INPUT = json.loads((ORACLE / "input.json").read_text())
OUTPUT = json.loads((ORACLE / "output.json").read_text())
SIDES = ("two-sided", "less", "greater")


def cases(name: str) -> list[tuple[Any, Any]]:
    return list(zip(INPUT[name], OUTPUT[name], strict=True))


@pytest.mark.parametrize(("given", "r"), cases("binomial"))
def test_binomial_as_in_r(given: dict[str, Any], r: dict[str, Any]) -> None:
    k, n, p = given["k"], given["n"], given["p"]
    found = [binomial(k, n, null=p, alternative=side) for side in SIDES]
    assert [result.p_value for result in found] == pytest.approx(r["sides"], rel=1e-9)
    exact, wilson = found[0].estimate, proportion(k, n)
    assert exact is not None
    assert exact.exact
    assert (exact.low, exact.high) == pytest.approx(r["ci"], abs=1e-10)
    assert (wilson.low, wilson.high) == pytest.approx(r["wilson"], abs=1e-10)


def test_cohens_h_follows_the_share() -> None:
    found = binomial(24, 34).effect
    assert found is not None
    assert found.value == pytest.approx(2 * math.asin(math.sqrt(24 / 34)) - math.pi / 2)
    assert found.low is not None
    assert found.low < found.value < (found.high or 0)


@pytest.mark.parametrize(("table", "r"), cases("mcnemar"))
def test_mcnemar_as_in_r(table: list[list[int]], r: dict[str, Any]) -> None:
    for p in ("exact", "midp", "chi2", "chi2_corrected"):
        assert mcnemar(table, p=p).p_value == pytest.approx(r[p], rel=1e-9), p
    effect = mcnemar(table).effect
    assert effect is not None
    assert (effect.value, effect.low, effect.high) == pytest.approx(r["odds"], rel=1e-9)


@pytest.mark.parametrize(("table", "r"), cases("chi_square"))
def test_chi_square_as_in_r(table: list[list[int]], r: dict[str, Any]) -> None:
    found = chi_square(table)
    assert (found.statistic, found.p_value) == pytest.approx((r["statistic"], r["p"]), rel=1e-10)
    assert found.df == (r["df"],)
    assert found.effect is not None
    assert (found.effect.value, found.effect.low, found.effect.high) == pytest.approx(
        r["v"], abs=2e-5
    )


@pytest.mark.parametrize(("given", "r"), cases("fit"))
def test_fit_as_in_r(given: dict[str, Any], r: dict[str, Any]) -> None:
    found = chi_square(given["counts"], expected=given["shares"])
    assert (found.statistic, found.p_value) == pytest.approx((r["statistic"], r["p"]), rel=1e-10)


def test_what_allows_no_result_says_so() -> None:
    assert proportion(0, 0).reason == "no observations"
    assert binomial(0, 0).reason == "no observations"
    assert mcnemar([[3, 0], [0, 2]]).reason == "no discordant pair"
    assert (
        chi_square([[3, 0], [2, 0]]).reason
        == "needs at least 2 rows and 2 columns, none of them empty"
    )
    assert chi_square([5]).reason == "needs at least 2 categories and 1 observation, got 1 and 5"
    one_way = mcnemar([[3, 4], [0, 2]])
    assert one_way.p_value == pytest.approx(2 * 0.5**4)
    assert one_way.effect is not None
    assert one_way.effect.reason == "no pair answers yes on the second occasion only"


def test_certain_shares_keep_their_bound() -> None:
    none, all_of = proportion(0, 20), proportion(20, 20)
    assert (none.low, all_of.high) == (0.0, 1.0)
    assert none.high == pytest.approx(1 - (all_of.low or 0))


def test_small_expected_counts_are_noted() -> None:
    assert chi_square([[1, 2], [3, 4]]).notes == ("4 of 4 expected counts are below 5",)
    equal = chi_square([[10, 10], [10, 10]])
    assert (equal.statistic, equal.p_value) == (0.0, 1.0)
    assert equal.effect is not None
    assert equal.effect.low == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: binomial(5, 3), "expected counts with 0 ≤ successes ≤ n, got 5 of 3"),
        (lambda: binomial(2.5, 3), "got 2.5 of 3"),
        (lambda: binomial(1, 3, null=2), "null: expected a share between 0 and 1, got 2"),
        (lambda: mcnemar([[1, 2, 3], [3, 4, 5]]), "table: expected 2 rows and 2 columns"),
        (lambda: chi_square([[1, 2], [3, -4]]), r"table\[1, 1\]: expected a count, got -4.0"),
        (lambda: chi_square([1, 2], expected=[0.5, 0.6]), "2 positive shares that sum to 1"),
        (
            lambda: chi_square([[1, 2], [3, 4]], expected=[0.5, 0.5]),
            "expected: given for a two-way table",
        ),
    ],
)
def test_wrong_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()

"""Correlations and least squares: R's numbers, perfect fits, collinear predictors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

from believable.core.errors import InvalidInput
from believable.stats.correlations import pearson, spearman
from believable.stats.regression import ols

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "tests"
INPUT = json.loads((ORACLE / "input.json").read_text())
OUTPUT = json.loads((ORACLE / "output.json").read_text())


@pytest.mark.parametrize("name", INPUT["correlation"])
def test_correlations_as_in_r(name: str) -> None:
    samples, r = INPUT["correlation"][name], OUTPUT["correlation"][name]
    found = pearson(**samples)
    assert found.estimate is not None
    assert (found.statistic, found.p_value) == pytest.approx((r["t"], r["p"]), rel=1e-9)
    assert (found.estimate.value, found.estimate.low, found.estimate.high) == pytest.approx(
        (r["r"], *r["ci"]), rel=1e-9
    )
    ranked = spearman(**samples)
    assert ranked.statistic == pytest.approx(r["rho"], rel=1e-12)
    if "rho_p_exact" in r:
        assert ranked.method.endswith("(exact)")
        assert ranked.p_value == pytest.approx(r["rho_p_exact"], rel=1e-6)
    elif len(samples["a"]) > 9:
        assert ranked.p_value == pytest.approx(r["rho_p_t"], rel=1e-9)


@pytest.mark.parametrize(("given", "r"), list(zip(INPUT["ols"], OUTPUT["ols"], strict=True)))
def test_ols_as_in_r(given: dict[str, Any], r: dict[str, Any]) -> None:
    found = ols(given["y"], {"x": given["x"], "z": given["z"]})
    for term, row, ci in zip(found.terms, r["coefficients"], r["ci"], strict=True):
        e = term.estimate
        assert (e.value, e.se, e.statistic, e.p_value) == pytest.approx(row, rel=1e-9)
        assert (e.low, e.high) == pytest.approx(ci, rel=1e-9)
    assert (found.r_squared, found.adjusted_r_squared) == pytest.approx(
        (r["r2"], r["adjusted"]), rel=1e-9
    )
    assert (found.f_test.statistic, *found.f_test.df) == pytest.approx(r["f"], rel=1e-9)
    assert found.f_test.p_value == pytest.approx(r["f_p"], rel=1e-9)
    robust = ols(given["y"], {"x": given["x"], "z": given["z"]}, errors="HC3")
    assert [term.estimate.se for term in robust.terms] == pytest.approx(r["hc3"], rel=1e-9)


def test_robust_errors_as_in_statsmodels() -> None:
    rng = np.random.default_rng(5)
    x, z = rng.normal(size=(2, 60))
    y = x + rng.normal(size=60) * np.abs(x)
    theirs = sm.OLS(y, sm.add_constant(np.column_stack([x, z]))).fit(cov_type="HC3", use_t=True)
    ours = ols(y, {"x": x, "z": z}, errors="HC3")
    assert [term.estimate.p_value for term in ours.terms] == pytest.approx(theirs.pvalues, rel=1e-9)


def test_perfect_correlations_have_a_value_but_no_test() -> None:
    found = pearson([1, 2, 3, 4], [2, 4, 6, 8])
    assert found.reason == "the correlation is perfect: t is infinite"
    assert found.estimate is not None
    assert (found.estimate.value, found.estimate.low) == (1.0, None)
    ranked = spearman([1, 2, 3, 4], [9, 8, 7, 1])
    assert (ranked.statistic, ranked.p_value) == (-1.0, 2 / 24)
    long = spearman(range(12), range(12))
    assert long.reason == "the correlation is perfect: t is infinite"


@pytest.mark.parametrize("test", [pearson, spearman])
def test_undefined_correlations_say_why(test: Any) -> None:
    assert test([1, 2], [2, 3]).reason == "needs at least 3 pairs, got 2"
    assert (
        test([1, 1, 1], [2, 3, 4]).reason
        == "the first measure does not vary, so that there is nothing to correlate"
    )
    assert (
        test([1, 1, 1], [4, 4, 4]).reason
        == "neither measure varies, so that there is nothing to correlate"
    )
    short = test([1, 2, 3], [1, 3, 2])
    assert short.p_value is not None
    assert short.estimate.reason == "needs at least 4 pairs, got 3"
    with pytest.raises(InvalidInput, match=r"a\[2\]: expected a finite number, got nan"):
        test([1, 2, np.nan], [1, 2, 3])


def test_ols_names_what_it_cannot_use() -> None:
    rows = [1.0, 2, 3, 4, 5]
    with pytest.raises(
        InvalidInput, match=r"predictors\['twice'\]: the terms before it determine it"
    ):
        ols([1, 2, 1, 2, 3], {"x": rows, "twice": [2 * x for x in rows]})
    with pytest.raises(
        InvalidInput, match=r"predictors\['c'\]: the terms before it determine it \(\(Intercept\)\)"
    ):
        ols([1, 2, 1, 2, 3], {"c": [4] * 5})
    with pytest.raises(InvalidInput, match="expected more than 2 rows for 2 coefficients, got 2"):
        ols([1, 2], {"x": [1, 2]})
    with pytest.raises(
        InvalidInput, match=r"predictors\['x'\]: expected 3 values as in the outcome, got 2"
    ):
        ols([1, 2, 3], {"x": [1, 2]})
    with pytest.raises(
        InvalidInput, match=r"unknown name 'fammiliarity'\. Did you mean 'familiarity'"
    ):
        ols([1, 2, 1, 3], {"familiarity": [1, 2, 3, 4]}).term("fammiliarity")


def test_degenerate_outcomes() -> None:
    exact = ols([1.0, 3, 5, 7], {"x": [0, 1, 2, 3]})
    assert exact.f_test.reason == "the model fits without error: F is infinite"
    assert exact.term("x").value == pytest.approx(2)
    assert exact.term("x").reason == "the model fits without error"
    flat = ols([2, 2, 2, 2], {"x": [0, 1, 2, 4]})
    assert (flat.r_squared, flat.f_test.reason) == (None, "the outcome is constant")
    assert ols([1, 2, 4], {}).f_test.reason == "there are no predictors"


def test_a_constant_outcome_gives_exact_coefficients_and_no_test() -> None:
    fit = ols([3.3] * 6, {"x": [0.1, 0.7, 0.2, 0.9, 0.4, 0.6]})
    assert [term.estimate.value for term in fit.terms] == [3.3, 0.0]
    assert {term.estimate.reason for term in fit.terms} == {"the outcome is constant"}
    assert all(term.estimate.p_value is None for term in fit.terms)

"""Linear mixed models: lme4's optimum, singular fits, and what scaling and relabelling must not
change.
"""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from believable.core.errors import InvalidInput
from believable.stats.models import MixedModel, linear, mixed_linear, random_effects
from believable.stats.models.design import design, parse

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "models"
OUTPUT = json.loads((ORACLE / "output.json").read_text())["linear"]
DATA = Path(__file__).resolve().parents[1] / "data" / "mixed_models"


def simulated(name: str) -> dict[str, Any]:
    with gzip.open(ORACLE / f"{name}.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    table: dict[str, Any] = {key: [row[key] for row in rows] for key in ("participant", "scenario")}
    table |= {
        key: np.array([int(row[key]) for row in rows]) for key in ("condition", "order", "flag")
    }
    return table | {"rating": np.array([float(row["rating"]) for row in rows])}


def sleepstudy() -> dict[str, Any]:
    with (DATA / "lme4_sleepstudy.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {
        "Reaction": [float(row["Reaction"]) for row in rows],
        "Days": [float(row["Days"]) for row in rows],
        "Subject": [row["Subject"] for row in rows],
    }


def as_in_lme4(found: MixedModel, r: dict[str, Any], *, df: bool = True) -> None:
    assert [t.estimate.value for t in found.terms] == pytest.approx(r["beta"], rel=1e-5)
    assert [t.estimate.se for t in found.terms] == pytest.approx(r["se"], rel=1e-5)
    if df:
        assert [t.estimate.df[0] for t in found.terms] == pytest.approx(r["df"], rel=1e-3)
        assert [t.estimate.p_value for t in found.terms] == pytest.approx(
            r["p"], rel=1e-2, abs=1e-12
        )
    for group in {effect.group for effect in found.random}:
        ours = sorted(effect.sd for effect in found.random if effect.group == group)
        theirs = [
            sd
            for key, value in r["sd"].items()
            if key.split(".")[0] == group
            for sd in (value if isinstance(value, list) else [value])
        ]
        assert ours == pytest.approx(sorted(theirs), rel=1e-4)
    assert found.sigma == pytest.approx(r["sigma"], rel=1e-6)
    assert found.log_likelihood == pytest.approx(r["loglik"], rel=1e-9)
    assert found.convergence.converged


def test_sleepstudy_as_in_lme4() -> None:
    table = sleepstudy()
    found = mixed_linear("Reaction ~ Days + (Days | Subject)", table)
    as_in_lme4(found, OUTPUT["sleepstudy"])
    assert found.correlations[0].value == pytest.approx(
        OUTPUT["sleepstudy"]["cor"]["Subject"], rel=1e-4
    )
    expected = json.loads((DATA / "expected.json").read_text())["sleepstudy_REML"]
    assert -2 * found.log_likelihood == pytest.approx(expected["REML"], abs=1e-6)
    for name in ("(Intercept)", "Days"):
        assert found.term(name).estimate.value == pytest.approx(expected["fixef"][name], rel=1e-8)
        assert found.term(name).estimate.se == pytest.approx(expected["se"][name], rel=1e-4)
        assert found.random_sd("Subject", name) == pytest.approx(expected["sd"][name], rel=1e-4)
    assert found.correlations[0].value == pytest.approx(expected["corr"], rel=1e-3)
    assert found.sigma == pytest.approx(expected["sigma"], rel=1e-5)
    as_in_lme4(
        mixed_linear("Reaction ~ Days + (Days | Subject)", table, criterion="ML"),
        OUTPUT["sleepstudy_ml"],
    )
    as_in_lme4(
        mixed_linear("Reaction ~ Days + (Days || Subject)", table),
        OUTPUT["sleepstudy_uncorrelated"],
    )


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("small", "rating ~ condition + order + (1 + condition | participant) + (1 | scenario)"),
        ("medium", "rating ~ condition * order + (1 | participant) + (1 | scenario)"),
        ("large", "rating ~ condition + (1 | participant) + (1 | scenario)"),
    ],
)
def test_crossed_designs_as_in_lme4(name: str, formula: str) -> None:
    as_in_lme4(mixed_linear(formula, simulated(name)), OUTPUT[name])


def test_scaling_shifting_and_reordering() -> None:
    table = simulated("small")
    formula = "rating ~ condition + (1 + condition | participant) + (1 | scenario)"
    plain = mixed_linear(formula, table)
    order = np.random.default_rng(1).permutation(len(table["rating"]))
    other = {key: np.asarray(column)[order] for key, column in table.items()}
    other["rating"] = 1e4 + 100 * other["rating"]
    other["participant"] = np.array([f"p{name}" for name in other["participant"]])
    scaled = mixed_linear(formula, other)
    for one, two in zip(plain.terms, scaled.terms, strict=True):
        shift = 1e4 if one.name == "(Intercept)" else 0
        assert two.estimate.value == pytest.approx(
            shift + 100 * (one.estimate.value or 0), rel=1e-6
        )
        assert two.estimate.se == pytest.approx(100 * (one.estimate.se or 0), rel=1e-5)
    assert scaled.random_sd("participant") == pytest.approx(
        100 * plain.random_sd("participant"), rel=1e-4
    )


def test_a_group_without_variance_is_reported_as_singular() -> None:
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(10), 8)
    noise = rng.normal(size=80)
    noise -= np.array(
        [noise[groups == g].mean() for g in groups]
    )  # no differences between groups at all
    found = mixed_linear("y ~ x + (1 | g)", {"y": noise, "x": rng.normal(size=80), "g": groups})
    assert found.convergence.singular
    assert found.convergence.converged
    assert found.random_sd("g") == 0.0
    assert found.term("x").estimate.low is not None


@pytest.mark.parametrize("seed", range(8))
def test_no_other_search_finds_a_better_optimum(seed: int) -> None:
    """Awkward designs (slopes of any scale, perfect correlations, groups without variance) beside
    Nelder-Mead.
    """
    rng = np.random.default_rng(seed)
    people, scenes, n = (
        int(rng.integers(5, 30)),
        int(rng.integers(5, 12)),
        int(rng.integers(60, 300)),
    )
    g, s, x = (
        rng.integers(0, people, n),
        rng.integers(0, scenes, n),
        rng.normal(size=n) * 10 ** rng.uniform(-2, 2),
    )
    sd, rho = 10 ** rng.uniform(-3, 1.5), rng.choice([-1, 0, 1, 0.9])
    by_person = rng.normal(size=people)
    slope = rho * by_person + np.sqrt(1 - rho**2) * rng.normal(size=people)
    slope *= sd / np.abs(x).mean() * rng.choice([0, 0.1, 1])
    y = (
        1
        + 0.5 * x
        + sd * by_person[g]
        + slope[g] * x
        + rng.normal(size=scenes)[s] * rng.choice([0, 0.5, 5])
    )
    table = {"y": y + rng.normal(size=n), "x": x, "g": g, "s": s}
    formula = "y ~ x + (1 + x | g) + (1 | s)"
    found = mixed_linear(formula, table)
    made = design(parse(formula), table, levels={}, least_levels=5)
    problem = linear._DevianceProblem.of(made, reml=True)
    lower = [(0.0, None), (None, None), (0.0, None), (0.0, None)]
    if problem.varying[0].width == 1:
        lower = [(0.0, None), (0.0, None), (None, None), (0.0, None)]
    best = min(
        optimize.minimize(
            problem.deviance,
            factor * random_effects.start(problem.varying),
            method="Nelder-Mead",
            bounds=lower,
            options={"maxiter": 3000, "xatol": 1e-7, "fatol": 1e-9},
        ).fun
        for factor in (1.0, 0.1, 10.0)
    )
    assert found.convergence.converged
    assert -2 * found.log_likelihood <= best + 1e-5


def test_models_that_cannot_be_fitted() -> None:
    table = {"y": [1.0] * 12, "x": list(range(12)), "g": list("abcdef" * 2)}
    with pytest.raises(
        InvalidInput, match=r"table\['y'\]: expected a response that varies, got 1.0 in all 12 rows"
    ):
        mixed_linear("y ~ x + (1 | g)", table)
    with pytest.raises(InvalidInput, match=r"no random part is left .*Use regression\.ols"):
        mixed_linear("x ~ y", table | {"y": list(range(1, 13))})
    with pytest.raises(
        InvalidInput, match=r"criterion: unknown value 'reml'\. Choose one of: ML, REML"
    ):
        mixed_linear("y ~ x + (1 | g)", table, criterion="reml")


def test_few_scenarios_become_fixed() -> None:
    table = simulated("small")
    table["scenario"] = [str(int(name) % 3) for name in table["scenario"]]
    found = mixed_linear("rating ~ condition + (1 | participant) + (1 | scenario)", table)
    assert [term.name for term in found.terms] == [
        "(Intercept)",
        "condition",
        "scenario[1]",
        "scenario[2]",
    ]
    assert "became a fixed effect" in found.notes[0]
    kept = mixed_linear(
        "rating ~ condition + (1 | participant) + (1 | scenario)", table, least_levels=2
    )
    assert ("scenario", 3) in kept.groups


def test_a_group_with_one_row_per_level_is_refused() -> None:
    rng = np.random.default_rng(2)
    table = {"y": rng.normal(size=20), "x": [0, 1] * 10, "g": [f"p{index}" for index in range(20)]}
    with pytest.raises(
        InvalidInput,
        match="'g' has 20 random effects for 20 rows, so they cannot be separated from the residual",
    ):
        mixed_linear("y ~ x + (1 | g)", table)
    twice = {name: [*column, *column] for name, column in table.items()}
    with pytest.raises(InvalidInput, match="'g' has 40 random effects for 40 rows"):
        mixed_linear("y ~ x + (1 + x | g)", twice)


def test_sparse_and_dense_products_give_the_same_fit() -> None:
    rng = np.random.default_rng(6)
    people, clips = rng.integers(0, 120, 900), rng.integers(0, 200, 900)
    x = rng.integers(0, 2, 900)
    y = (
        0.3 * x
        + rng.normal(0, 0.7, 120)[people]
        + (0.5 + 0.4 * x) * rng.normal(0, 1, 200)[clips]
        + rng.normal(size=900)
    )
    table = {"y": y, "x": x, "p": people, "c": clips}
    formula = "y ~ x + (1 | p) + (1 + x | c)"
    sparse = mixed_linear(formula, table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(random_effects, "_SPARSE_BELOW", 0.0)
        dense = mixed_linear(formula, table)
    assert sparse.log_likelihood == pytest.approx(dense.log_likelihood, abs=1e-7)
    for ours, theirs in zip(sparse.terms, dense.terms, strict=True):
        assert ours.estimate.value == pytest.approx(theirs.estimate.value, abs=1e-6)
        assert ours.estimate.se == pytest.approx(theirs.estimate.se, rel=1e-5)

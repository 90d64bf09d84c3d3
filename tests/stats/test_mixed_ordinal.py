"""Mixed ordinal regression: R's ordinal, laws, proportional odds, sparse and separated answers."""

from __future__ import annotations

import csv
import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

from believable.core.errors import InvalidInput
from believable.stats.models import (
    MixedModel,
    mixed_logistic,
    mixed_ordinal,
    probability_of_superiority,
    proportional_odds,
)
from believable.stats.models.cumulative import is_separated, order_answers
from believable.stats.models.cumulative_laplace import OrdinalSurface, Priors
from believable.stats.models.design import design, parse

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "ordinal"
OUTPUT = json.loads((ORACLE / "output.json").read_text())
MODELS = {
    "wine": "rating ~ temp + contact + (1 | judge)",
    "wine_interaction": "rating ~ temp * contact + (1 | judge)",
    "small": "rating ~ condition + (1 | participant) + (1 | clip)",
    "medium": "rating ~ condition + order + (1 + condition | participant) + (1 | clip)",
    "large": "rating ~ condition + order + (1 | participant) + (1 | clip)",
}


def wine() -> dict[str, Any]:
    with (ORACLE / "wine.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {
        "rating": [int(row["rating"]) for row in rows],
        "temp": [row["temp"] for row in rows],
        "contact": [row["contact"] for row in rows],
        "judge": [f"judge {row['judge']}" for row in rows],
    }


def simulated(name: str) -> dict[str, Any]:
    with gzip.open(ORACLE / f"{name}.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    table: dict[str, Any] = {key: [row[key] for row in rows] for key in ("participant", "clip")}
    return table | {
        key: np.array([int(row[key]) for row in rows]) for key in ("condition", "order", "rating")
    }


def data(name: str) -> dict[str, Any]:
    return wine() if name.startswith("wine") else simulated(name)


def listed(value: Any) -> list[float]:
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("name", MODELS)
def test_the_model_is_that_of_r(name: str) -> None:
    """Five digits, where R has them: its gradient is by differences, so its optimum lies within a
    ten-thousandth of a standard error, and not above ours. Its standard errors agree in four.
    """
    found = mixed_ordinal(MODELS[name], data(name), freedom="normal")
    expected = OUTPUT["mixed"][name]
    assert found.convergence.converged
    assert [t.estimate.value for t in found.terms] == pytest.approx(
        listed(expected["beta"]), rel=1e-5, abs=1e-4 * min(listed(expected["se"]))
    )
    assert [t.value for t in found.thresholds] == pytest.approx(
        listed(expected["thresholds"]), rel=1e-5, abs=1e-4 * min(expected["threshold_se"])
    )
    assert [t.estimate.se for t in found.terms] == pytest.approx(listed(expected["se"]), rel=1e-4)
    assert [t.se for t in found.thresholds] == pytest.approx(
        listed(expected["threshold_se"]), rel=1e-4
    )
    for group, sd in expected["sd"].items():
        ours = [effect.sd for effect in found.random if effect.group == group]
        assert ours == pytest.approx(listed(sd), rel=5e-5)
    for group, correlation in expected["correlation"].items():
        ours = [c.value for c in found.correlations if c.group == group]
        assert ours == pytest.approx(listed(correlation), rel=1e-4)
    assert expected["loglik"] - 1e-6 < found.log_likelihood < expected["loglik"] + 1e-5


@pytest.mark.parametrize(
    ("name", "formula"),
    [("wine", "rating ~ temp + contact"), ("small", "rating ~ condition + order")],
)
def test_without_a_random_part_it_is_plain_ordinal_regression(name: str, formula: str) -> None:
    found, expected = mixed_ordinal(formula, data(name)), OUTPUT["plain"][name]
    assert [t.estimate.value for t in found.terms] == pytest.approx(expected["beta"], rel=1e-6)
    assert [t.estimate.se for t in found.terms] == pytest.approx(expected["se"], rel=1e-5)
    assert [t.value for t in found.thresholds] == pytest.approx(expected["thresholds"], rel=1e-6)
    assert [t.se for t in found.thresholds] == pytest.approx(expected["threshold_se"], rel=1e-5)
    assert found.log_likelihood == pytest.approx(expected["loglik"], abs=1e-8)
    assert found.criterion == "ML"


@pytest.mark.parametrize("name", ["wine", "small", "medium"])
def test_proportional_odds_without_a_random_part_is_that_of_r(name: str) -> None:
    formula = "rating ~ temp + contact" if name == "wine" else "rating ~ condition + order"
    expected = OUTPUT["nominal"][name]
    for term, statistic, df, p in zip(
        *(expected[k] for k in ("terms", "lrt", "df", "p")), strict=True
    ):
        column = {"temp": "temp[warm]", "contact": "contact[yes]"}.get(term, term)
        found = proportional_odds(formula, data(name), column)
        assert found.statistic == pytest.approx(statistic, rel=1e-5, abs=1e-7)
        assert found.df == (df,)
        assert found.p_value == pytest.approx(p, rel=1e-5)


def test_proportional_odds_of_a_mixed_model_is_that_of_clmm2() -> None:
    expected = OUTPUT["nominal_mixed"]["wine_temp"]
    found = proportional_odds(MODELS["wine"], wine(), "temp[warm]")
    assert found.statistic == pytest.approx(2 * (expected["apart"] - expected["same"]), abs=2e-4)


def two_by_two(
    rng: np.random.Generator, *, people: int = 30, effect: float = 1.0
) -> dict[str, Any]:
    person, clip = (part.ravel() for part in np.mgrid[:people, :6])
    latent = (
        effect * (clip % 2) + rng.normal(0, 0.8, people)[person] + rng.logistic(size=len(person))
    )
    return {
        "rating": np.digitize(latent, (-1.0, 0.5, 1.5)) + 1,
        "condition": clip % 2,
        "arm": person % 2,
        "participant": [f"p{p}" for p in person],
    }


def test_two_answers_are_logistic_regression() -> None:
    """The same Laplace likelihood as an independent library's, with the threshold as −intercept."""
    table = two_by_two(np.random.default_rng(3))
    table["yes"] = (table["rating"] > 2).astype(int)
    ordinal = mixed_ordinal("yes ~ condition + (1 | participant)", table)
    logistic = mixed_logistic("yes ~ condition + (1 | participant)", table)
    assert ordinal.term("condition").estimate.value == pytest.approx(
        logistic.term("condition").estimate.value, rel=1e-4
    )
    assert ordinal.thresholds[0].value == pytest.approx(
        -(logistic.term("(Intercept)").estimate.value or 0), rel=1e-4, abs=1e-5
    )
    assert ordinal.log_likelihood == pytest.approx(logistic.log_likelihood, abs=1e-5)


def test_only_the_order_of_answers_counts() -> None:
    table = two_by_two(np.random.default_rng(4))
    plain = mixed_ordinal("rating ~ condition + (1 | participant)", table)
    stretched = table | {"rating": np.array([0, 1, 10, 11, 500])[table["rating"]]}
    other = mixed_ordinal("rating ~ condition + (1 | participant)", stretched)
    assert other.term("condition").estimate.value == plain.term("condition").estimate.value
    assert [(t.below, t.above) for t in other.thresholds] == [(1, 10), (10, 11), (11, 500)]


def test_reversed_answers_reverse_the_effect() -> None:
    table = two_by_two(np.random.default_rng(5))
    plain = mixed_ordinal("rating ~ condition + (1 | participant)", table)
    other = mixed_ordinal(
        "rating ~ condition + (1 | participant)", table | {"rating": -table["rating"]}
    )
    assert other.term("condition").estimate.value == pytest.approx(
        -(plain.term("condition").estimate.value or 0), rel=1e-6
    )
    assert other.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-8)


@pytest.mark.parametrize("priors", [Priors(), Priors(thresholds=10.0, fixed=2.5, spreads=1.5)])
def test_the_gradient_is_the_slope_of_the_likelihood(priors: Priors) -> None:
    rng = np.random.default_rng(6)
    table = two_by_two(rng) | {"clip": [f"c{i % 6}" for i in range(180)], "z": rng.normal(size=180)}
    formula = parse("rating ~ condition + z + (1 + condition | participant) + (1 | clip)")
    cells = order_answers(design(formula, table, levels={}, least_levels=5))
    surface = OrdinalSurface(cells, priors)
    at = surface.start(0.7)
    at[3:] += 0.1 * rng.normal(size=len(at) - 3)
    slopes = [
        (surface(at + 1e-5 * one)[0] - surface(at - 1e-5 * one)[0]) / 2e-5
        for one in np.eye(len(at))
    ]
    assert surface(at)[1] == pytest.approx(slopes, abs=1e-6)


def test_the_likelihood_is_the_integral_over_the_random_effect() -> None:
    """With many answers per person, Laplace's approximation meets numerical integration."""
    rng = np.random.default_rng(7)
    table = two_by_two(rng, people=5)
    table = {key: np.tile(column, 20) for key, column in table.items()}
    found = mixed_ordinal("rating ~ condition + (1 | participant)", table)
    thresholds = np.array([-np.inf, *(t.value for t in found.thresholds), np.inf])
    beta, sd = found.term("condition").estimate.value or 0, found.random_sd("participant")

    def log_chances(person: str, effect: float) -> float:
        mine = table["participant"] == person
        eta = beta * table["condition"][mine] + sd * effect
        answer = table["rating"][mine]
        chance = special.expit(thresholds[answer] - eta) - special.expit(
            thresholds[answer - 1] - eta
        )
        return float(np.log(chance).sum())

    total = 0.0
    for person in sorted(set(table["participant"])):
        grid = np.linspace(-6, 6, 1201)
        logs = np.array([log_chances(person, x) + stats.norm.logpdf(x) for x in grid])
        top = logs.max()
        total += top + math.log(integrate.simpson(np.exp(logs - top), x=grid))
    assert found.log_likelihood == pytest.approx(total, abs=0.05)


@pytest.mark.parametrize("log_odds", [-3.0, -0.4, 0.0, 1e-4, 0.9, 6.0])
def test_superiority_is_the_chance_of_the_higher_latent_answer(log_odds: float) -> None:
    chance, _ = integrate.quad(
        lambda x: stats.logistic.pdf(x) * stats.logistic.sf(x - log_odds), -60, 60, limit=400
    )
    assert probability_of_superiority(log_odds) == pytest.approx(chance, abs=1e-9)


def test_superiority_has_the_bounds_of_the_effect() -> None:
    found = mixed_ordinal(
        "rating ~ condition + (1 | participant)", two_by_two(np.random.default_rng(8))
    ).term("condition")
    assert found.superiority is not None
    assert found.superiority.value == probability_of_superiority(found.estimate.value or 0)
    assert found.superiority.low == probability_of_superiority(found.estimate.low or 0)
    assert found.superiority.high == probability_of_superiority(found.estimate.high or 0)
    assert found.superiority.p_value == found.estimate.p_value
    assert found.odds_ratio is not None
    assert found.odds_ratio.value == pytest.approx(math.exp(found.estimate.value or 0))


def test_an_effect_that_differs_between_thresholds_is_found() -> None:
    rng = np.random.default_rng(9)
    n = 900
    condition = np.arange(n) % 2
    noise = rng.logistic(size=n)
    shifted = np.where(condition == 1, np.where(noise > 0.4, noise + 0.8, noise - 0.6), noise)
    table = {"rating": np.digitize(shifted, (-1.0, 0.4, 1.5)), "condition": condition}
    found = proportional_odds("rating ~ condition", table, "condition")
    assert (found.p_value or 1) < 1e-6
    even = table | {"rating": np.digitize(noise + 0.8 * condition, (-1.0, 0.4, 1.5))}
    assert (proportional_odds("rating ~ condition", even, "condition").p_value or 0) > 0.01


def test_a_planted_interaction_is_found() -> None:
    rng = np.random.default_rng(10)
    table = two_by_two(rng, people=120)
    latent = 1.2 * table["condition"] * table["arm"] + rng.logistic(size=len(table["rating"]))
    latent += rng.normal(0, 0.8, 120)[np.arange(720) // 6]
    table["rating"] = np.digitize(latent, (-1.0, 0.5, 1.5))
    found = mixed_ordinal("rating ~ condition * arm + (1 | participant)", table)
    term = found.term("condition:arm").estimate
    assert term.low is not None
    assert term.low > 0
    assert term.low < 1.2 < (term.high or 0)


def test_separated_answers_get_a_named_penalised_fit() -> None:
    table = two_by_two(np.random.default_rng(11))
    table["rating"] = np.where(table["condition"] == 1, 4, np.minimum(table["rating"], 3))
    found = mixed_ordinal("rating ~ condition + (1 | participant)", table)
    assert found.convergence.separated
    assert found.criterion.startswith("penalised")
    assert any("separation" in note for note in found.notes)
    assert 0 < (found.term("condition").estimate.value or 0) < 20
    undecided = proportional_odds("rating ~ condition + (1 | participant)", table, "condition")
    assert undecided.reason == "fixed effects predict some answers perfectly"


def test_one_exception_ends_the_separation() -> None:
    table = two_by_two(np.random.default_rng(11))
    table["rating"] = np.where(table["condition"] == 1, 4, np.minimum(table["rating"], 3))
    table["rating"][np.flatnonzero(table["condition"] == 1)[0]] = 1
    cells = order_answers(
        design(parse("rating ~ condition + (1 | participant)"), table, levels={}, least_levels=5)
    )
    assert not is_separated(cells)


def test_a_spread_that_nothing_limits_gets_a_named_penalised_fit() -> None:
    table = two_by_two(np.random.default_rng(12), people=12)
    own = np.arange(72) // 6
    table["rating"] = np.where(own % 2 == 0, 1, 4)
    table["rating"][[3, 9]] = 2
    found = mixed_ordinal("rating ~ condition + (1 | participant)", table)
    assert any("too sparse" in note for note in found.notes)
    assert found.random_sd("participant") < 10


def test_a_rare_category_does_not_break_the_fit() -> None:
    table = two_by_two(np.random.default_rng(13))
    table["rating"][0] = 9
    found = mixed_ordinal("rating ~ condition + (1 | participant)", table)
    assert found.convergence.converged
    assert found.thresholds[-1].above == 9
    assert found.thresholds[-1].se > found.thresholds[1].se


def test_people_who_do_not_differ_make_a_singular_fit() -> None:
    rng = np.random.default_rng(14)
    table = two_by_two(rng)
    table["rating"] = np.tile(np.repeat([1, 2, 3, 4, 1, 2], 1), 30)
    table["condition"] = rng.integers(0, 2, 180)
    found = mixed_ordinal("rating ~ condition + (1 | participant)", table)
    plain = mixed_ordinal("rating ~ condition", table)
    assert found.convergence.singular
    assert found.random_sd("participant") == 0
    assert found.term("condition").estimate.value == pytest.approx(
        plain.term("condition").estimate.value, abs=1e-5
    )


def test_wrong_input_is_named() -> None:
    table = two_by_two(np.random.default_rng(15))
    with pytest.raises(InvalidInput, match="at least two different answers, got 3 in all 180 rows"):
        mixed_ordinal("rating ~ condition", table | {"rating": np.full(180, 3)})
    with pytest.raises(InvalidInput, match="Leave out the 0"):
        mixed_ordinal("rating ~ 0 + condition", table)
    with pytest.raises(InvalidInput, match="term: unknown name 'arms'"):
        proportional_odds("rating ~ condition + arm", table, "arms")
    two = table | {"rating": (table["rating"] > 2).astype(int)}
    assert proportional_odds("rating ~ condition", two, "condition").reason == (
        "two categories have one threshold"
    )


def share_covered(seed: int, studies: int, *, people: int = 20, effect: float = 0.6) -> float:
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(studies):
        person, clip = (part.ravel() for part in np.mgrid[:people, :10])
        latent = (
            effect * (clip % 2) + rng.normal(0, 1, people)[person] + rng.logistic(size=len(person))
        )
        model: MixedModel = mixed_ordinal(
            "rating ~ condition + (1 | participant)",
            {
                "rating": np.digitize(latent, (-2.0, -0.5, 0.7, 2.2)),
                "condition": clip % 2,
                "participant": [f"p{p}" for p in person],
            },
        )
        estimate = model.term("condition").estimate
        hits += (estimate.low or 0) <= effect <= (estimate.high or 0)
    return hits / studies


@pytest.mark.slow
def test_intervals_cover() -> None:
    """Forty studies: a share of .8 or less would happen once in 3,000 if the coverage were .95. The
    whole check is `python -m validation.coverage mixed_ordinal`.
    """
    assert share_covered(21, 40) > 0.8

"""Mixed logistic regression: the converged Laplace optimum of lme4 and glmmTMB, an own fit,
separation, singularity.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, special, stats

from believable.core.errors import InvalidInput, MissingExtra
from believable.stats.models import MixedModel, answer_counts, mixed_logistic
from believable.stats.models.answer_counts import is_separated
from believable.stats.models.design import design, parse
from believable.stats.models.laplace import fit_laplace

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "models"
OUTPUT = json.loads((ORACLE / "output.json").read_text())
DATA = Path(__file__).resolve().parents[1] / "data" / "mixed_models"
CROSSED = "flag ~ condition + order + (1 | participant) + (1 | scenario)"


def simulated(name: str) -> dict[str, Any]:
    with gzip.open(ORACLE / f"{name}.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    table: dict[str, Any] = {key: [row[key] for row in rows] for key in ("participant", "scenario")}
    return table | {
        key: np.array([int(row[key]) for row in rows]) for key in ("condition", "order", "flag")
    }


def cbpp() -> dict[str, Any]:
    with (DATA / "lme4_cbpp.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {
        "herd": [row["herd"] for row in rows],
        "period": [row["period"] for row in rows],
        "incidence": [int(row["incidence"]) for row in rows],
        "size": [int(row["size"]) for row in rows],
    }


def as_in(found: MixedModel, r: dict[str, Any], *, rel: float = 1e-4) -> None:
    assert [t.estimate.value for t in found.terms] == pytest.approx(r["beta"], rel=rel)
    assert [t.estimate.se for t in found.terms] == pytest.approx(r["se"], rel=rel)
    for group, sd in r["sd"].items():
        ours = [effect.sd for effect in found.random if effect.group == group]
        assert ours == pytest.approx(sd if isinstance(sd, list) else [sd], rel=rel)
    assert found.log_likelihood == pytest.approx(r["loglik"], abs=1e-4)
    assert found.convergence.converged


def test_cbpp_at_the_converged_optimum() -> None:
    """Against lme4 with a tight optimiser and glmmTMB; the default glmer stops early and is not the
    witness.
    """
    found = mixed_logistic("incidence ~ period + (1 | herd)", cbpp(), trials="size")
    as_in(found, OUTPUT["cbpp"]["lme4_tight"])
    as_in(found, OUTPUT["cbpp"]["glmmTMB"])
    expected = json.loads((DATA / "expected.json").read_text())["cbpp_converged"]
    names = ["(Intercept)", "period[2]", "period[3]", "period[4]"]
    assert [found.term(name).estimate.value for name in names] == pytest.approx(
        list(expected["fixef"].values()), rel=1e-4
    )
    assert [round(found.term(name).estimate.se or 0, 4) for name in names] == [
        0.2325,
        0.3066,
        0.3266,
        0.4274,
    ]
    assert found.random_sd("herd") == pytest.approx(expected["sd_herd"], rel=1e-4)
    assert found.log_likelihood == pytest.approx(expected["logLik"], abs=1e-4)
    for term in found.terms:
        e, odds = term.estimate, term.odds_ratio
        assert odds is not None
        assert e.statistic == pytest.approx((e.value or 0) / (e.se or 1))
        assert e.p_value == pytest.approx(math.erfc(abs(e.statistic or 0) / math.sqrt(2)), rel=1e-9)
        assert (odds.value, odds.low, odds.high) == pytest.approx(
            [math.exp(x) for x in (e.value or 0, e.low or 0, e.high or 0)]
        )


def test_glmers_default_stops_just_before_our_optimum() -> None:
    found = mixed_logistic("incidence ~ period + (1 | herd)", cbpp(), trials="size")
    early = json.loads((DATA / "expected.json").read_text())["cbpp"]
    assert 0 < found.log_likelihood - early["logLik"] < 3e-4
    values, errors = (
        [getattr(term.estimate, name) or 0.0 for term in found.terms] for name in ("value", "se")
    )
    assert values == pytest.approx(list(early["fixef"].values()), abs=6e-4)
    assert errors == pytest.approx(list(early["se"].values()), rel=0.015)
    assert found.random_sd("herd") == pytest.approx(early["sd_herd"], abs=3e-4)
    parameters, rows = len(found.terms) + 1, len(cbpp()["herd"])
    assert 2 * parameters - 2 * found.log_likelihood == pytest.approx(early["AIC"], abs=1e-3)
    assert math.log(rows) * parameters - 2 * found.log_likelihood == pytest.approx(
        early["BIC"], abs=1e-3
    )


def test_profile_intervals_as_in_lme4() -> None:
    found = mixed_logistic(
        "incidence ~ period + (1 | herd)", cbpp(), trials="size", interval="profile"
    )
    ours = [bound for term in found.terms for bound in (term.estimate.low, term.estimate.high)]
    assert ours == pytest.approx(
        np.ravel(OUTPUT["cbpp"]["profile"]), rel=3e-4
    )  # lme4 interpolates its profile
    assert "profile" in found.terms[0].estimate.method


@pytest.mark.parametrize("name", ["small", "medium", "large"])
def test_crossed_designs_as_in_r(name: str) -> None:
    found = mixed_logistic(CROSSED, simulated(name))
    for witness in OUTPUT["crossed"][name].values():
        as_in(found, witness)


def test_random_slopes_as_in_r() -> None:
    found = mixed_logistic(
        "flag ~ condition + (1 + condition | participant) + (1 | scenario)", simulated("medium")
    )
    as_in(found, OUTPUT["slopes"], rel=2e-4)


@pytest.mark.parametrize("name", ["small", "medium"])
def test_the_own_laplace_fit_agrees(name: str) -> None:
    """An independent implementation, on the rows as they are: no collapsing, no library."""
    table = simulated(name)
    made = design(parse(CROSSED), table, levels={}, least_levels=5)
    own = fit_laplace(made.response, np.ones_like(made.response), made.fixed, made.varying)
    found = mixed_logistic(CROSSED, table)
    assert [t.estimate.value for t in found.terms] == pytest.approx(own.beta, rel=1e-5)
    assert [t.estimate.se for t in found.terms] == pytest.approx(
        np.sqrt(np.diagonal(own.cov_beta)), rel=1e-4
    )
    sds = {v.group: float(block[0, 0]) for v, block in zip(own.varying, own.blocks, strict=True)}
    assert {e.group: e.sd for e in found.random} == pytest.approx(sds, rel=1e-4)
    assert found.log_likelihood == pytest.approx(own.log_likelihood, abs=1e-5)
    assert own.converged


def test_counts_and_rows_are_the_same_model() -> None:
    table = simulated("small")
    keys = list(
        zip(*(table[key] for key in ("participant", "scenario", "condition", "order")), strict=True)
    )
    cells = sorted(set(keys))
    index = np.array([cells.index(key) for key in keys])
    counts = {
        name: [cell[i] for cell in cells]
        for i, name in enumerate(("participant", "scenario", "condition", "order"))
    }
    counts["flag"] = np.bincount(index, table["flag"]).astype(int)
    counts["n"] = np.bincount(index)
    rows, cellwise = mixed_logistic(CROSSED, table), mixed_logistic(CROSSED, counts, trials="n")
    assert [t.estimate.value for t in rows.terms] == pytest.approx(
        [t.estimate.value for t in cellwise.terms], rel=1e-9
    )
    constant = sum(
        math.log(math.comb(int(n), int(k)))
        for n, k in zip(counts["n"], counts["flag"], strict=True)
    )
    assert cellwise.log_likelihood - rows.log_likelihood == pytest.approx(constant, abs=1e-6)


def test_swapping_the_answer_turns_the_signs() -> None:
    table = simulated("small")
    plain, turned = (
        mixed_logistic(CROSSED, table),
        mixed_logistic(CROSSED, table | {"flag": 1 - table["flag"]}),
    )
    assert [t.estimate.value for t in turned.terms] == pytest.approx(
        [-(t.estimate.value or 0) for t in plain.terms], abs=2e-5
    )
    assert turned.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-6)


def test_separation_is_reported_and_penalised_by_name() -> None:
    table = simulated("small")
    table["flag"] = np.where(table["condition"] == 1, 0, table["flag"])
    found = mixed_logistic("flag ~ condition + order + (1 | participant)", table)
    assert found.convergence.separated
    assert found.convergence.converged
    assert "normal prior with sd 2.5" in found.criterion
    assert found.notes[-1].startswith("separation:")
    r = OUTPUT["penalised"]
    assert [t.estimate.value for t in found.terms] == pytest.approx(
        r["beta"], abs=2e-3
    )  # blme's optimiser is coarse
    assert found.random_sd("participant") == pytest.approx(r["sd"], rel=1e-3)
    assert all(t.estimate.low is not None for t in found.terms)


def test_separation_is_found_exactly() -> None:
    x = np.column_stack([np.ones(4), [0.0, 0, 1, 1]])
    ones = np.ones(4)
    assert is_separated(np.array([0.0, 0, 1, 1]), ones, x)
    assert is_separated(np.array([0.0, 1, 1, 1]), ones, x)  # quasi-complete
    assert not is_separated(np.array([0.0, 1, 0, 1]), ones, x)
    line = np.column_stack([np.ones(6), np.arange(6.0)])
    assert is_separated(np.array([0.0, 0, 0, 1, 1, 1]), np.ones(6), line)
    assert not is_separated(np.array([0.0, 0, 1, 0, 1, 1]), np.ones(6), line)


@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.integers(0, 1), st.integers(0, 1)), min_size=4, max_size=25
    )
)
def test_separation_as_the_linear_program_alone_decides_it(
    rows: list[tuple[int, int, int]],
) -> None:
    """The quick way out (a settled logistic regression) never disagrees with the exact decision."""
    x = np.array([[1.0, a, b] for a, b, _ in rows])
    y = np.array([float(answer) for *_, answer in rows])
    if np.linalg.matrix_rank(x) < 3:
        return
    quick = is_separated(y, np.ones_like(y), x)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer_counts, "_settles", lambda *_: False)
        assert is_separated(y, np.ones_like(y), x) == quick


def test_a_group_without_variance_is_reported_as_singular() -> None:
    groups, condition = (axis.ravel() for axis in np.indices((12, 2, 10))[:2])
    flag = np.tile([0, 1] * 5, 24) ^ 0
    flag = np.where((condition == 1) & (np.arange(240) % 10 == 0), 1, flag)
    found = mixed_logistic(
        "flag ~ condition + (1 | g)", {"flag": flag, "condition": condition, "g": groups}
    )
    assert found.convergence.singular
    assert found.random_sd("g") == pytest.approx(0, abs=1e-6)
    assert found.term("condition").estimate.low is not None
    assert found.term("condition").estimate.value == pytest.approx(math.log(1.5), rel=1e-4)


def test_few_levels_become_fixed() -> None:
    table = simulated("small")
    table["scenario"] = [str(int(name) % 3) for name in table["scenario"]]
    found = mixed_logistic(CROSSED, table)
    assert found.groups == (("participant", 24),)
    assert "became a fixed effect" in found.notes[0]
    assert "scenario[1]" in [term.name for term in found.terms]
    table["scenario"] = ["only"] * len(table["flag"])
    assert mixed_logistic(CROSSED, table).notes == (
        "scenario has 1 level: its random part was dropped",
    )


@pytest.mark.parametrize(
    ("change", "formula", "options", "message"),
    [
        (
            {"flag": [0, 2, 0, 1]},
            "flag ~ x + (1|g)",
            {},
            r"table\['flag'\]\[1\]: expected 0 or 1, got 2.0",
        ),
        ({"flag": [0, 0, 0, 0]}, "flag ~ x + (1|g)", {}, "expected both answers, got none"),
        ({"flag": [1, 1, 1, 1]}, "flag ~ x + (1|g)", {}, "expected both answers, got only"),
        (
            {"m": [1, 1, 0, 1]},
            "flag ~ x + (1|g)",
            {"trials": "m"},
            r"table\['flag'\]\[2\]: expected a count from 0",
        ),
        ({}, "flag ~ x + (1|g)", {"trials": "mm"}, "trials: unknown column 'mm'"),
        ({}, "flag ~ x", {}, "no random part is left"),
        ({}, "flag ~ x + (1|g)", {"interval": "exact"}, "interval: unknown value 'exact'"),
    ],
)
def test_wrong_input_is_named(change: Any, formula: str, options: Any, message: str) -> None:
    table = {"flag": [0, 1, 0, 1], "x": [1, 2, 2, 1], "g": ["a", "b", "a", "b"]} | change
    with pytest.raises(InvalidInput, match=message):
        mixed_logistic(formula, table, least_levels=2, **options)


def test_slopes_without_intercept_are_refused_by_name() -> None:
    with pytest.raises(
        InvalidInput,
        match=r"needs a random intercept here. Write \(1 \+ condition \| participant\)",
    ):
        mixed_logistic("flag ~ condition + (0 + condition | participant)", simulated("small"))


def test_slopes_that_the_library_cannot_profile_or_place() -> None:
    table = simulated("small")
    with pytest.raises(
        InvalidInput, match="'condition' has a random slope, so its profile cannot be had"
    ):
        mixed_logistic(
            "flag ~ condition + (1 + condition | participant)", table, interval="profile"
        )
    with pytest.raises(
        InvalidInput, match=r"'order' of 'participant' is not among the fixed effects\. Add order"
    ):
        mixed_logistic("flag ~ condition + (1 + order | participant)", table)


def test_without_the_library_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "glmm", None)
    with pytest.raises(MissingExtra, match=r"pip install 'believable\[models\]'"):
        mixed_logistic("flag ~ x + (1|g)", {"flag": [0, 1], "x": [1, 2], "g": ["a", "b"]})


def test_people_who_never_change_their_answer_leave_no_finite_spread() -> None:
    people = np.repeat(np.arange(20), 6)
    answers = (people % 3 == 0).astype(int)
    table = {"flag": answers, "condition": np.tile([0, 1], 60), "person": people}
    model = mixed_logistic("flag ~ condition + (1 | person)", table)
    assert not model.convergence.converged
    assert model.notes[-1].startswith("every person gives one answer throughout")
    assert all(term.estimate.low is None and term.estimate.p_value is None for term in model.terms)
    mixed = {**table, "flag": np.where(np.arange(120) < 8, np.arange(120) % 2, answers)}
    assert (
        mixed_logistic("flag ~ condition + (1 | person)", mixed).term("condition").estimate.p_value
        is not None
    )


def test_separated_answers_of_one_group_with_slopes_are_fitted_too() -> None:
    rng = np.random.default_rng(5)
    people = np.repeat(np.arange(30), 2)
    condition = np.tile([0, 1], 30)
    table = {"yes": rng.binomial(20, np.where(condition == 1, 0.0, 0.3)), "of": np.full(60, 20)}
    model = mixed_logistic(
        "yes ~ c + (1 + c | p)", {**table, "c": condition, "p": people}, trials="of"
    )
    assert model.convergence.separated
    assert (model.term("c").estimate.value or 0) < -2


#: Two answers of 11 people to each of two groups, `aabb` by person: shares of .55 and .27.
SPARSE = np.array([int(answer) for answer in "01001100010011110000110010101000101100011000"])
SPARSE_TABLE: dict[str, Any] = {
    "yes": SPARSE,
    "group": np.tile(list("aabb"), 11),
    "person": np.repeat(np.arange(11), 4),
}


def test_sparse_answers_get_a_regular_fit_by_name() -> None:
    """Maximum likelihood gives an odds ratio of .001 here, with a spread of 13 log odds between
    people.
    """
    found = mixed_logistic("yes ~ group + (1 + group | person)", SPARSE_TABLE)
    odds = found.term("group[b]").odds_ratio
    assert "half-normal prior with sd 1.5" in found.criterion
    assert found.notes[-1].startswith("too sparse for this model")
    assert found.convergence.converged
    assert not found.convergence.separated
    assert odds is not None
    assert odds.value == pytest.approx(
        (3 / 8) / (6 / 5), rel=0.5
    )  # that of the shares, for people between whom little is known
    assert max(effect.sd for effect in found.random) < 3


def test_the_prior_of_a_spread_against_a_plain_maximisation() -> None:
    """The same optimum by Nelder-Mead on an objective written out person by person, for a random
    intercept.
    """
    people, groups, yes = (
        SPARSE_TABLE["person"],
        (SPARSE_TABLE["group"] == "b").astype(float),
        SPARSE.astype(float),
    )

    def lost(at: NDArray[np.float64]) -> float:
        total = at[0] ** 2 / 200 + at[1] ** 2 / 12.5 + at[2] ** 2 / 4.5
        for person in range(11):
            own = people == person
            fixed = at[0] + at[1] * groups[own]

            def joint(
                u: float, fixed: NDArray[np.float64] = fixed, own: NDArray[np.bool_] = own
            ) -> float:
                eta = fixed + at[2] * u
                return float(np.logaddexp(0, eta).sum() - yes[own] @ eta) + u**2 / 2

            best = optimize.minimize_scalar(joint, tol=1e-12)
            chance = special.expit(fixed + at[2] * best.x)
            total += (
                float(best.fun)
                + math.log(1 + at[2] ** 2 * float((chance * (1 - chance)).sum())) / 2
            )
        return float(total)

    plain = optimize.minimize(
        lost, [0.0, -1.0, 1.0], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10}
    )
    matrices = design(parse("yes ~ group + (1 | person)"), SPARSE_TABLE, levels={}, least_levels=5)
    fit = fit_laplace(
        yes,
        np.ones(44),
        matrices.fixed,
        matrices.varying,
        prior_sd=np.array([10.0, 2.5]),
        random_prior_sd=1.5,
    )
    assert [*fit.beta, fit.blocks[0][0, 0]] == pytest.approx(
        [plain.x[0], plain.x[1], abs(plain.x[2])], abs=1e-4
    )


def test_a_large_spread_that_the_answers_do_limit_is_kept() -> None:
    """With 400 answers per person the prior moves a spread of 4 log odds by little."""
    rng = np.random.default_rng(3)
    own = rng.normal(0, 4, 60)
    people, condition = (axis.ravel() for axis in np.indices((60, 2)))
    yes, of = rng.binomial(200, special.expit(own[people] + condition)), np.full(120, 200)
    table = {"yes": yes, "c": condition, "p": people, "of": of}
    found = mixed_logistic("yes ~ c + (1 | p)", table, trials="of")
    matrices = design(parse("yes ~ c + (1 | p)"), table, levels={}, least_levels=5)
    likely = fit_laplace(yes.astype(float), of.astype(float), matrices.fixed, matrices.varying)
    assert found.random_sd("p") == pytest.approx(likely.blocks[0][0, 0], rel=0.1)
    assert found.term("c").estimate.value == pytest.approx(likely.beta[1], abs=0.01)


def test_an_effect_between_people_has_as_many_degrees_of_freedom_as_people_tell_it() -> None:
    rng = np.random.default_rng(8)
    people, condition, later = (axis.ravel() for axis in np.indices((14, 2, 3)))
    old = (people % 2).astype(float)
    kept = ~((people == 0) & (condition == 1))  # one of them saw one condition only
    yes = rng.binomial(
        60,
        special.expit(
            -2 + rng.normal(0, 0.5, 14)[people] + rng.normal(0, 0.6, 14)[people] * condition
        ),
    )
    columns = {
        "yes": yes,
        "c": condition,
        "later": later,
        "old": old,
        "p": people,
        "of": np.full(84, 60),
    }
    table = {name: np.asarray(column)[kept] for name, column in columns.items()}
    found = mixed_logistic("yes ~ c + later + old + (1 + c | p)", table, trials="of")
    assert found.term("c").estimate.df == (12,)  # 13 people saw both
    assert found.term("old").estimate.df == (12,)  # 14 people, less intercept and this effect
    assert found.term("later").estimate.df == ()
    slope = found.term("c").estimate
    assert slope.p_value == pytest.approx(2 * float(stats.t.sf(abs(slope.statistic or 0), 12)))
    assert (slope.high or 0) - (slope.value or 0) == pytest.approx(
        2.178813 * (slope.se or 0), rel=1e-6
    )
    plain = (
        mixed_logistic("yes ~ c + later + old + (1 + c | p)", table, trials="of", freedom="normal")
        .term("c")
        .estimate
    )
    assert (plain.value, plain.se, plain.df) == (slope.value, slope.se, ())
    assert plain.p_value == pytest.approx(2 * float(stats.norm.sf(abs(slope.statistic or 0))))

"""Evidence after every judge: equal to R's products and integrals, independent of order, and kept."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.stats.e_values import e_benjamini_hochberg
from believable.stats.sequential import (
    always_covers,
    follow_evidence,
    stopping_times,
    weigh_evidence,
)
from believable.stats.stopping_rule import StoppingRule, choose_rule

ORACLE = Path(__file__).parents[1] / "oracles" / "sequential"
INPUT: dict[str, Any] = json.loads((ORACLE / "input.json").read_text())
OUTPUT: dict[str, Any] = json.loads((ORACLE / "output.json").read_text())
FRESH = choose_rule(trials=6)
POOLED = choose_rule(trials=6, pool=60)
MANY_TRIALS = choose_rule(trials=20)
RULES = pytest.mark.parametrize("rule", [FRESH, POOLED, MANY_TRIALS], ids=lambda rule: rule.form)


def draw(accuracy: float, *shape: int, trials: int = 6, seed: int = 1) -> Any:
    return np.random.default_rng(seed).binomial(trials, accuracy, shape) / trials


@pytest.mark.parametrize("index", range(len(INPUT["cases"])))
def test_evidence_and_interval_equal_those_of_r(index: int) -> None:
    case, expected = INPUT["cases"][index], OUTPUT["cases"][index]
    rule = StoppingRule(**{name: case[name] for name in ("form", "margin", "alpha", "widening")})
    evidence = weigh_evidence(case["shares"], rule)
    assert evidence.log_different == pytest.approx(expected["different"], abs=1e-10)
    assert evidence.log_equivalent == pytest.approx(expected["equivalent"], abs=1e-10)
    interval = (evidence.mean.low, evidence.mean.high)
    assert interval == pytest.approx(expected["interval"], abs=1e-9)


@pytest.mark.parametrize("index", range(len(INPUT["discoveries"])))
def test_discoveries_equal_those_of_the_definition_in_r(index: int) -> None:
    case = INPUT["discoveries"][index]
    chosen = e_benjamini_hochberg(case["log_evidence"], alpha=case["alpha"])
    assert list(chosen) == OUTPUT["discoveries"][index]


def test_one_very_large_e_value_is_a_discovery_and_does_not_carry_others() -> None:
    assert e_benjamini_hochberg([math.log(200), 0.0, 0.0]) == (True, False, False)
    assert e_benjamini_hochberg([]) == ()


@RULES
def test_the_order_of_arrival_does_not_change_a_byte(rule: StoppingRule) -> None:
    shares = draw(0.6, 120)
    first = weigh_evidence(shares, rule)
    for seed in range(5):
        assert weigh_evidence(np.random.default_rng(seed).permutation(shares), rule) == first


@RULES
def test_the_path_is_the_evidence_of_each_beginning(rule: StoppingRule) -> None:
    shares = draw(0.58, 40, seed=3)
    path = follow_evidence(shares, rule)
    for n in (1, 4, 5, 17, 40):
        evidence = weigh_evidence(shares[:n], rule)
        assert path.log_different[n - 1] == evidence.log_different
        assert path.log_equivalent[n - 1] == evidence.log_equivalent
        assert evidence.mean.low is not None
        assert path.low[n - 1] >= evidence.mean.low
    assert (np.diff(path.low) >= 0).all()
    assert (np.diff(path.high) <= 0).all()


@RULES
def test_verdicts_are_reached_at_the_first_crossing(rule: StoppingRule) -> None:
    shares = draw(0.8, 60, seed=4)
    path = follow_evidence(shares, rule)
    assert path.different_at is not None
    n = path.different_at
    assert weigh_evidence(shares[:n], rule).different
    assert not weigh_evidence(shares[: n - 1], rule).different
    times = stopping_times(shares[None], rule)
    assert times.different[0] == n
    assert math.isinf(times.equivalent[0])
    assert path.equivalent_at is None


@RULES
def test_reversed_answers_are_equally_distinguishable(rule: StoppingRule) -> None:
    shares = draw(0.7, 30, seed=5)
    one, other = weigh_evidence(shares, rule), weigh_evidence(1 - shares, rule)
    assert one.log_different == pytest.approx(other.log_different, rel=1e-9)
    assert one.log_equivalent == pytest.approx(other.log_equivalent, rel=1e-9)
    assert one.mean.low == pytest.approx(1 - (other.mean.high or 0), abs=1e-9)


def test_judges_at_chance_are_seldom_called_different_although_read_after_each() -> None:
    for rule, trials in ((FRESH, 6), (MANY_TRIALS, 20)):
        times = stopping_times(draw(0.5, 2_000, 200, trials=trials, seed=6), rule)
        assert 0.01 < np.isfinite(times.different).mean() <= 0.05
        assert (times.equivalent <= 120).mean() >= 0.95


def test_judges_at_the_margin_are_seldom_called_equivalent() -> None:
    for rule, trials in ((FRESH, 6), (MANY_TRIALS, 20)):
        for accuracy in (0.4, 0.6):
            shares = draw(accuracy, 2_000, 200, trials=trials, seed=7)
            assert np.isfinite(stopping_times(shares, rule).equivalent).mean() <= 0.05


def test_the_interval_holds_at_all_times() -> None:
    for rule, trials in ((FRESH, 6), (MANY_TRIALS, 20)):
        covered = always_covers(draw(0.65, 2_000, 200, trials=trials, seed=8), 0.65, rule)
        assert 0.95 <= covered.mean() < 1


def test_a_clear_difference_needs_few_judges() -> None:
    for rule, trials, most in ((FRESH, 6, 10), (MANY_TRIALS, 20, 8)):
        times = stopping_times(draw(0.75, 1_000, 100, trials=trials, seed=9), rule)
        assert np.median(times.different) <= most


def test_a_pool_widens_the_null_and_the_interval_and_spends_alpha() -> None:
    assert POOLED.form == "betting"
    assert POOLED.widening == pytest.approx(2.576 * 0.15 / math.sqrt(60))
    assert math.exp(-POOLED.log_threshold) == pytest.approx(0.04)
    plain = StoppingRule(form="betting")
    shares = draw(0.62, 80, seed=10)
    wide, narrow = weigh_evidence(shares, POOLED), weigh_evidence(shares, plain)
    assert wide.log_different < narrow.log_different
    assert wide.mean.low is not None
    assert narrow.mean.low is not None
    assert wide.mean.low < narrow.mean.low - POOLED.widening


def test_a_pool_too_small_for_the_margin_never_shows_equivalence() -> None:
    rule = choose_rule(trials=6, pool=6)
    assert rule.widening > rule.margin
    evidence = weigh_evidence(np.full(500, 0.5), rule)
    assert evidence.log_equivalent == -math.inf
    assert not evidence.equivalent
    assert evidence.more_equivalent is None


def test_the_design_chooses_the_form() -> None:
    assert choose_rule(trials=11).form == "symmetric"
    assert choose_rule(trials=12).form == "t"
    assert choose_rule(trials=20, pool=300).form == "betting"


def test_the_judges_still_needed_follow_from_the_best_bet() -> None:
    shares = draw(0.65, 12, seed=11)
    evidence = weigh_evidence(shares, FRESH)
    d = shares - 0.5
    growth = max(
        float((bet * d - np.log(np.cosh(bet * d))).mean())
        for size in (0.5, 1, 2, 4, 8, 16, 32)
        for bet in (size, -size)
    )
    needed = math.ceil((math.log(20) - evidence.log_different) / growth)
    assert evidence.more_different == needed
    assert weigh_evidence(draw(0.9, 40), FRESH).more_different == 0


def test_without_judges_nothing_is_claimed() -> None:
    for rule in (FRESH, MANY_TRIALS, POOLED):
        evidence = weigh_evidence([], rule)
        assert evidence.log_different == pytest.approx(0.0, abs=1e-12)
        assert evidence.log_equivalent == pytest.approx(0.0, abs=1e-12)
        assert evidence.mean.value is None
        assert evidence.more_different is None
        path = follow_evidence([], rule)
        assert path.different_at is None
        assert len(path.low) == 0


def test_judges_who_are_all_right_decide_soon_in_the_t_form() -> None:
    path = follow_evidence(np.ones(8), MANY_TRIALS)
    assert path.different_at == 6
    assert path.low[-1] > 0.9
    assert follow_evidence(np.full(8, 0.5), MANY_TRIALS).equivalent_at is not None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            lambda: weigh_evidence([0.2, 1.2], FRESH),
            "shares: expected numbers from 0 to 1, got 1.2",
        ),
        (lambda: StoppingRule(margin=0.6), "margin: expected a number between 0 and .5, got 0.6"),
        (lambda: StoppingRule(alpha=0.0), "alpha: expected a number between 0.01 and 1, got 0.0"),
        (lambda: StoppingRule(widening=0.1), "form: clips of a pool need the form 'betting'"),
        (lambda: choose_rule(trials=0), "trials and pool: expected at least 1, got 0 and None"),
        (
            lambda: choose_rule(trials=6, clip_sd=2),
            "clip_sd: expected a number from 0 to .5, got 2",
        ),
        (lambda: always_covers([[0.5]], 0.01, POOLED), "mean: expected a number between"),
        (lambda: e_benjamini_hochberg([math.nan]), "log_evidence: expected a flat list of numbers"),
    ],
)
def test_wrong_input_is_refused_with_the_fix(wrong: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words.replace(".", r"\.")):
        wrong()

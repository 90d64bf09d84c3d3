"""Contrasts, ranks and equivalence on the scale of a paired-comparison model, with judges and clips
as samples.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.stats.bradley_terry import bradley_terry
from believable.stats.equivalence import as_test
from believable.stats.pairs import Comparisons, comparisons
from believable.stats.strength_contrasts import (
    human_equivalence,
    lead_equivalence,
    rank_strengths,
    strength_contrasts,
    strength_lead,
)
from validation.ladder import SPAN, simulate, true_strengths

ORACLE = Path(__file__).parents[1] / "oracles" / "pairs"
INPUT = json.loads((ORACLE / "input.json").read_text())["clustered"]
OUTPUT = json.loads((ORACLE / "output.json").read_text())["clustered"]
LEADS_INPUT = json.loads((ORACLE.parent / "leads" / "input.json").read_text())["clustered"]
LEADS = json.loads((ORACLE.parent / "leads" / "output.json").read_text())["clustered"]
#: The level of the ranks in the script, so that some of them are significant.
RANK_ALPHA = 0.3


def read_sample(sample: dict[str, Any]) -> Comparisons:
    return comparisons(
        sample["left"],
        sample["right"],
        sample["winner"],
        judges=sample["judge"],
        clips=(sample["left_clip"], sample["right_clip"]),
    )


@pytest.mark.parametrize("index", [0, 1])
def test_contrasts_by_judge_and_clip_as_in_r(index: int) -> None:
    r = OUTPUT[index]
    fit = bradley_terry(read_sample(INPUT[index]))
    found = strength_contrasts(fit)
    assert [(c.first, c.second) for c in found] == list(zip(r["first"], r["second"], strict=True))
    assert [c.difference.value for c in found] == pytest.approx(r["value"], abs=1e-6)
    assert [c.difference.se for c in found] == pytest.approx(r["se"], rel=1e-5)
    assert [c.difference.df[0] for c in found] == pytest.approx(r["df"], rel=1e-5)
    assert [c.test.p_value for c in found] == pytest.approx(r["p"], rel=1e-4)
    assert [c.p_adjusted for c in found] == pytest.approx(r["holm"], rel=1e-4)
    assert "clustered by judge and clip" in fit.method


@pytest.mark.parametrize("index", [0, 1])
def test_ranks_as_in_r(index: int) -> None:
    r = OUTPUT[index]
    fit = bradley_terry(read_sample(INPUT[index]))
    ranks = {
        rank.item: rank for rank in rank_strengths(fit, strength_contrasts(fit), alpha=RANK_ALPHA)
    }
    assert [ranks[item].rank for item in r["items"]] == r["rank"]
    assert [ranks[item].best for item in r["items"]] == r["best"]
    assert [ranks[item].worst for item in r["items"]] == r["worst"]


@pytest.mark.parametrize("index", [0, 1])
def test_equivalence_with_people_as_in_r(index: int) -> None:
    r, sample = OUTPUT[index], INPUT[index]
    fit = bradley_terry(read_sample(sample))
    for first, second, p_value in zip(r["first"], r["second"], r["tost"], strict=True):
        result = human_equivalence(fit, first, second, margin=sample["margin"])
        assert result.p_value == pytest.approx(p_value, rel=1e-4)
        assert result.equivalent == (p_value < 0.05)
        assert as_test(result).p_value == result.p_value


@pytest.mark.parametrize("index", [0, 1])
def test_leads_and_parts_of_the_variance_as_in_r(index: int) -> None:
    r = LEADS[index]
    fit = bradley_terry(read_sample(LEADS_INPUT[index]))
    assert fit.spread is not None
    for row, (first, second) in enumerate(zip(r["first"], r["second"], strict=True)):
        lead = strength_lead(fit, first, second)
        assert lead.value == pytest.approx(r["lead"][row], abs=1e-6)
        assert lead.low == pytest.approx(r["low"][row], abs=1e-5)
        assert lead.high == pytest.approx(r["high"][row], abs=1e-5)
        assert lead.se == pytest.approx(r["se"][row], rel=1e-4)
        assert lead.df[0] == pytest.approx(r["df"][row], rel=1e-4)
        margin = LEADS_INPUT[index]["margin"] / 4
        same = lead_equivalence(fit, first, second, margin=margin)
        assert same.p_value == pytest.approx(r["tost"][row], rel=1e-3)
        assert same.equivalent == (r["tost"][row] < 0.05)
        back = strength_lead(fit, second, first)
        assert (back.low, back.high) == pytest.approx((-lead.high, -lead.low), abs=1e-9)
        weights = np.zeros(len(fit.spread.values))
        weights[fit.items.index(first)], weights[fit.items.index(second)] = 1, -1
        shares = fit.spread.shares(weights)
        parts = [r[f"share_{part}"][row] for part in ("judges", "clips", "rest")]
        assert shares == pytest.approx(parts, rel=1e-4, abs=1e-6)


def test_without_ties_the_lead_is_the_hyperbolic_tangent_of_half_the_difference() -> None:
    data = comparisons(["a"] * 9, ["b"] * 9, ["left"] * 6 + ["right"] * 3)
    lead = strength_lead(bradley_terry(data), "a", "b")
    assert lead.value == pytest.approx(6 / 9 - 3 / 9)
    assert lead.low is not None
    assert -1 < lead.low < lead.value


def test_a_contrast_does_not_depend_on_the_order_of_the_comparisons_or_of_the_two() -> None:
    sample = INPUT[0]
    order = list(range(len(sample["left"])))
    random.Random(1).shuffle(order)
    shuffled = {
        key: [column[row] for row in order] for key, column in sample.items() if key != "margin"
    }
    fit, other = bradley_terry(read_sample(sample)), bradley_terry(read_sample(shuffled))
    (one,) = strength_contrasts(fit, pairs=[("human", "v2")])
    (again,) = strength_contrasts(other, pairs=[("v2", "human")])
    assert one.difference.value == pytest.approx(-(again.difference.value or 0.0))
    assert one.difference.low == pytest.approx(-(again.difference.high or 0.0))
    assert one.p_adjusted == pytest.approx(again.p_adjusted)


def test_an_interval_that_ignores_the_clips_is_narrower_if_clips_differ() -> None:
    data = simulate(SPAN, "fixed", np.random.default_rng(3), random.Random(3))
    by_both = strength_contrasts(bradley_terry(data))
    judged = Comparisons(
        items=data.items, left=data.left, right=data.right, score=data.score, judges=data.judges
    )
    by_judge = strength_contrasts(bradley_terry(judged))
    widths = [
        (a.difference.half_width or 0.0) / (b.difference.half_width or 1.0)
        for a, b in zip(by_both, by_judge, strict=True)
    ]
    assert np.median(widths) > 1.1


@pytest.mark.parametrize("draw", ["fixed", "aimed"])
def test_contrasts_cover_the_truth_in_simulated_studies(draw: str) -> None:
    truth = true_strengths(SPAN)
    rng, draws = np.random.default_rng(5), random.Random(5)
    covered = [
        contrast.difference.contains(
            float(truth[int(contrast.first)] - truth[int(contrast.second)])
        )
        for _ in range(40)
        for contrast in strength_contrasts(bradley_terry(simulate(SPAN, draw, rng, draws)))
    ]
    # 40 studies of 28 dependent contrasts: three standard errors of about .013 around .95.
    assert 0.91 <= np.mean(covered) <= 0.99


def test_one_sided_tests_halve_the_p_value_of_the_expected_side() -> None:
    fit = bradley_terry(read_sample(INPUT[0]))
    pair = ("human", "v2")
    (both,) = strength_contrasts(fit, pairs=[pair])
    (above,) = strength_contrasts(fit, pairs=[pair], alternatives={pair: "greater"})
    assert above.test.p_value == pytest.approx((both.test.p_value or 0.0) / 2)


def test_without_judges_contrasts_are_normal() -> None:
    sample = INPUT[0]
    fit = bradley_terry(comparisons(sample["left"], sample["right"], sample["winner"]))
    (found,) = strength_contrasts(fit, pairs=[("human", "v2")])
    assert found.difference.half_width == pytest.approx(1.959964 * (found.difference.se or 0.0))
    assert found.test.p_value is not None


def test_an_agent_with_one_clip_has_no_interval_by_clip() -> None:
    sample = {key: list(column) for key, column in INPUT[1].items() if key != "margin"}
    for side in ("left", "right"):
        sample[f"{side}_clip"] = [
            "only" if item == "human" else clip
            for item, clip in zip(sample[side], sample[f"{side}_clip"], strict=True)
        ]
    fit = bradley_terry(read_sample(sample))
    (found,) = strength_contrasts(fit, pairs=[("a", "human")])
    assert found.difference.reason == "one clip only of an agent: no interval by clip"
    assert found.difference.value is not None
    assert found.test.p_value is None
    assert human_equivalence(fit, "a", "human", margin=1.0).reason == found.difference.reason


def test_without_estimates_there_are_no_contrasts_and_no_ranks() -> None:
    fit = bradley_terry(comparisons(["a", "b"], ["b", "c"], ["left", "left"]))
    (found,) = strength_contrasts(fit, pairs=[("a", "c")])
    assert found.difference.value is None
    assert found.p_adjusted is None
    assert "not linked" in (found.difference.reason or "")
    assert {rank.rank for rank in rank_strengths(fit, [found])} == {None}


def test_a_clip_belongs_to_one_agent() -> None:
    with pytest.raises(InvalidInput, match="'x' shows 'b' here and 'a' elsewhere"):
        comparisons(
            ["a", "b"], ["c", "c"], ["left", "tie"], judges=[1, 2], clips=(["x"] * 2, ["y", "z"])
        )
    with pytest.raises(InvalidInput, match="expected one length"):
        comparisons(["a"], ["b"], ["left"], judges=[1], clips=(["x"], []))

"""Paired comparisons: the published scores, R's fits, unlinked items, order and relabelling."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from believable.core.errors import InvalidInput
from believable.stats.bradley_terry import bradley_terry
from believable.stats.pairs import Comparisons, comparisons, win_rates

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "pairs"
INPUT = json.loads((ORACLE / "input.json").read_text())
OUTPUT = json.loads((ORACLE / "output.json").read_text())
DATA = Path(__file__).resolve().parents[1] / "data" / "pairwise"


def of(sample: dict[str, Any], *, judges: bool = False) -> Comparisons:
    return comparisons(
        sample["left"],
        sample["right"],
        sample["winner"],
        judges=sample["judge"] if judges else None,
    )


def published(name: str) -> tuple[Comparisons, dict[str, dict[str, float]]]:
    with (DATA / f"{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    scores: dict[str, dict[str, float]] = {}
    with (DATA / f"{name}-golden.csv").open() as file:
        for row in csv.DictReader(file):
            scores.setdefault(row["algorithm"], {})[row["item"]] = float(row["score"])
    data = comparisons(*([row[key] for row in rows] for key in ("left", "right", "winner")))
    return data, scores


@pytest.mark.parametrize("name", ["food", "simple"])
def test_every_published_score(name: str) -> None:
    data, scores = published(name)
    half, davidson = bradley_terry(data, ties="half"), bradley_terry(data)
    found = {
        "bradley_terry": dict(zip(half.items, half.strength, strict=True)),
        "average_win_rate": {rate.item: rate.average for rate in win_rates(data)},
        "counting": {rate.item: rate.score for rate in win_rates(data)},
    }
    for algorithm, expected in scores.items():
        # Ratings that depend on the order, and scores of the graph: a study has no use for them.
        if algorithm in ("elo", "eigen", "pagerank"):
            continue
        if (
            algorithm == "newman"
        ):  # Davidson's model, on a scale that the algorithm happens to end at
            centre = np.mean([math.log(score) for score in expected.values()])
            ours = {item: davidson.of(item).value for item in data.items}
            assert ours == pytest.approx(
                {item: math.log(s) - centre for item, s in expected.items()}, abs=1e-9
            )
        else:
            assert found[algorithm] == pytest.approx(expected, rel=1e-9), algorithm


@pytest.mark.parametrize("index", [0, 1])
def test_bradley_terry_as_in_r(index: int) -> None:
    r = OUTPUT["no_ties"][index]
    found, by_judge = (
        bradley_terry(of(INPUT["no_ties"][index])),
        bradley_terry(of(INPUT["no_ties"][index], judges=True)),
    )
    assert list(found.items) == r["items"]
    assert [e.value for e in found.log_strength] == pytest.approx(r["value"], abs=1e-7)
    assert [e.se for e in found.log_strength] == pytest.approx(r["se"], rel=1e-6)
    assert found.log_likelihood == pytest.approx(r["loglik"], rel=1e-9)
    assert [e.se for e in by_judge.log_strength] == pytest.approx(r["judge_se"], rel=1e-5)
    half = stats.t.ppf(0.975, r["judges"] - 1) * r["judge_se"][0]
    assert by_judge.log_strength[0].half_width == pytest.approx(half, rel=1e-5)
    assert "clustered by judge" in by_judge.method


@pytest.mark.parametrize("index", [0, 1])
def test_davidson_as_the_log_linear_model_of_r(index: int) -> None:
    r = OUTPUT["ties"][index]
    found = bradley_terry(of(INPUT["ties"][index]))
    assert [e.value for e in found.log_strength] == pytest.approx(r["value"], abs=1e-6)
    assert [e.se for e in found.log_strength] == pytest.approx(r["se"], rel=1e-5)
    assert found.tie is not None
    assert found.tie.value == pytest.approx(r["tie"], rel=1e-6)
    assert found.tie.high == pytest.approx(
        r["tie"] * math.exp(1.959964 * r["log_tie_se"]), rel=1e-5
    )
    half = bradley_terry(of(INPUT["ties"][index]), ties="half")
    assert [e.value for e in half.log_strength] == pytest.approx(r["half"], abs=1e-6)


@pytest.mark.parametrize("index", [0, 1, 2, 3])
def test_shares_won_as_in_r(index: int) -> None:
    r, sample = OUTPUT["rates"][index], [*INPUT["no_ties"], *INPUT["ties"]][index]
    rates = win_rates(of(sample))
    assert [rate.item for rate in rates] == r["items"]
    assert [rate.wins for rate in rates] == r["wins"]
    assert [rate.ties for rate in rates] == r["ties"]
    assert [rate.share.value for rate in rates] == pytest.approx(r["share"], rel=1e-12)
    assert [rate.average for rate in rates] == pytest.approx(r["average"], rel=1e-12)
    for rate, (low, high) in zip(rates, r["interval"], strict=True):
        assert (rate.share.low, rate.share.high) == pytest.approx(
            (max(low, 0), min(high, 1)), rel=1e-9
        )


def test_ties_can_be_left_out_and_are_counted() -> None:
    sample = INPUT["ties"][0]
    decided = [i for i, winner in enumerate(sample["winner"]) if winner != "tie"]
    kept = {key: [values[i] for i in decided] for key, values in sample.items()}
    dropped = bradley_terry(of(sample), ties="drop")
    assert dropped.log_strength == bradley_terry(of(kept), ties="drop").log_strength
    assert dropped.notes == (f"ties left out: {sample['winner'].count('tie')}",)


def test_items_without_a_finite_strength_are_named() -> None:
    found = bradley_terry(comparisons(["a", "b", "a"], ["b", "a", "c"], ["left", "left", "left"]))
    assert found.reason in {
        f"not linked by wins in both directions: {groups}" for groups in ("c; a, b", "a, b; c")
    }
    assert found.strength == (None, None, None)
    assert found.of("c").value is None
    assert bradley_terry(comparisons([], [], [])).reason == "no comparisons"
    lost_only = comparisons(["a"] * 6, ["b"] * 6, ["left", "left", "left", "tie", "left", "tie"])
    assert "the ties leave no finite estimate" in (bradley_terry(lost_only).reason or "")
    assert bradley_terry(lost_only, ties="half").reason is None
    assert bradley_terry(comparisons(["a"], ["b"], ["tie"])).reason is not None


CHOICES = st.lists(
    st.tuples(
        st.sampled_from("abcd"), st.sampled_from("abcd"), st.sampled_from(["left", "right", "tie"])
    ).filter(lambda row: row[0] != row[1]),
    min_size=1,
    max_size=40,
)


@given(CHOICES, st.sampled_from(["davidson", "half", "drop"]), st.randoms(use_true_random=False))
def test_order_sides_and_names_do_not_matter(
    rows: list[tuple[str, str, str]], ties: str, random: Any
) -> None:
    found = bradley_terry(comparisons(*zip(*rows, strict=True)), ties=ties)
    turned = {"left": "right", "right": "left", "tie": "tie"}
    other = [
        (b, a, turned[winner]) if random.random() < 0.5 else (a, b, winner) for a, b, winner in rows
    ]
    random.shuffle(other)
    names = dict(zip("abcd", "zyxw", strict=True))
    other = [(names[a], names[b], winner) for a, b, winner in other]
    again = bradley_terry(comparisons(*zip(*other, strict=True)), ties=ties)
    assert (found.reason is None) == (again.reason is None)
    if found.reason is None:
        assert [again.of(names[item]).value for item in found.items] == pytest.approx(
            [found.of(item).value for item in found.items], abs=1e-6
        )
        assert sum(e.value or 0 for e in found.log_strength) == pytest.approx(0, abs=1e-9)
        assert sum(s or 0 for s in found.strength) == pytest.approx(1)


@given(CHOICES)
def test_wins_and_losses_balance(rows: list[tuple[str, str, str]]) -> None:
    data = comparisons(*zip(*rows, strict=True))
    rates = win_rates(data)
    assert sum(rate.wins for rate in rates) == sum(rate.losses for rate in rates)
    assert sum(rate.score for rate in rates) == len(rows)


def test_win_rates_by_judge_need_chance() -> None:
    data = of(INPUT["ties"][0], judges=True)
    with pytest.raises(InvalidInput, match="rng: expected a generator"):
        win_rates(data)
    found = win_rates(data, rng=np.random.default_rng(1))
    assert "by cluster" in found[0].share.method
    assert found[0].share.n <= 25


def test_one_judge_has_no_interval() -> None:
    data = comparisons(["a", "b", "a"], ["b", "a", "b"], ["left", "left", "tie"], judges=[1, 1, 1])
    found = bradley_terry(data)
    assert found.log_strength[0].value is not None
    assert found.log_strength[0].reason == "one judge only: no interval by judge"


def test_wrong_input_is_named() -> None:
    with pytest.raises(
        InvalidInput, match=r"winner\[1\]: unknown value 'lft'\. Did you mean 'left'"
    ):
        comparisons(["a", "b"], ["b", "a"], ["left", "lft"])
    with pytest.raises(InvalidInput, match=r"left\[0\]: 'a' is compared with itself"):
        comparisons(["a"], ["a"], ["left"])
    with pytest.raises(InvalidInput, match="expected one length, got"):
        comparisons(["a"], ["b", "c"], ["left"])
    with pytest.raises(InvalidInput, match="item: unknown name 'hybird'"):
        bradley_terry(of(INPUT["no_ties"][0])).of("hybird")


def test_a_number_and_a_text_that_look_alike_are_not_one_item() -> None:
    with pytest.raises(
        InvalidInput, match="left, right: expected names of one kind, got numbers and texts"
    ):
        comparisons([1, 2], ["1", "3"], ["left", "left"])
    with pytest.raises(
        InvalidInput, match="judges: expected names of one kind, got numbers and texts"
    ):
        comparisons(["a", "b"], ["b", "a"], ["left", "left"], judges=[1, "1"])

"""Whether two items stand in the same relation in two studies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.stats.bradley_terry import bradley_terry
from believable.stats.pairs import comparisons
from believable.stats.strength_drift import strength_drift

LEADS = Path(__file__).parents[1] / "oracles" / "leads"
INPUT = json.loads((LEADS / "input.json").read_text())["clustered"]
OUTPUT = json.loads((LEADS / "output.json").read_text())["drift"]


def fits():
    return [
        bradley_terry(
            comparisons(
                sample["left"],
                sample["right"],
                sample["winner"],
                judges=sample["judge"],
                clips=(sample["left_clip"], sample["right_clip"]),
            )
        )
        for sample in INPUT
    ]


@pytest.mark.parametrize("case", OUTPUT, ids=lambda case: f"{case['first']}-{case['second']}")
def test_the_change_as_in_r(case):
    test = strength_drift(*fits(), case["first"], case["second"])
    assert test.estimate is not None
    assert test.estimate.value == pytest.approx(case["change"], abs=1e-5)
    assert test.estimate.se == pytest.approx(case["se"], rel=1e-4)
    assert test.df[0] == pytest.approx(case["df"], rel=1e-4)
    assert test.p_value == pytest.approx(case["p"], rel=1e-3)


def test_items_of_one_study_only_are_refused_and_one_judge_has_no_test():
    before, after = fits()
    with pytest.raises(InvalidInput, match="is not in both studies"):
        strength_drift(before, after, "nobody", before.items[0])
    alone = bradley_terry(
        comparisons(["a"] * 4, ["b"] * 4, ["left", "right", "left", "tie"], judges=["j"] * 4)
    )
    test = strength_drift(alone, alone, "a", "b")
    assert test.p_value is None
    assert test.reason == "one judge only: no interval by judge"

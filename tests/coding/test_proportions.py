"""Shares of codes: they add up, recover what was planted, and their differences are tested."""

from __future__ import annotations

import random

import pytest

from believable.coding.labels import CodedResponse
from believable.coding.phrases import Planted, planted_for, read_reason, write_reason
from believable.coding.proportions import (
    HIGH,
    LOW,
    by_accuracy,
    by_condition,
    differences,
    proportions,
)


def judged(
    planted: Planted, n: int, rng: random.Random, condition: str = "a", first: int = 0
) -> list[CodedResponse]:
    found = []
    for number in range(n):
        mark = read_reason(planted.codebook, write_reason(planted, rng).text)
        judge = f"j{first + number // 3}"
        found.append(CodedResponse(judge, mark.keys, condition, discarded=mark.discard is not None))
    return found


@pytest.mark.parametrize("name", ["hntt", "replay"])
def test_planted_shares_are_recovered_within_their_intervals(name: str) -> None:
    planted = planted_for(name)
    inside = total = 0
    for seed in range(8):
        found = proportions(judged(planted, 396, random.Random(seed)))
        for one in found:
            inside += one.share.contains(planted.shares[one.side][one.code, one.direction])
            total += 1
    assert inside / total > 0.92


def test_the_shares_of_a_side_add_up_to_one() -> None:
    found = proportions(judged(planted_for("hntt"), 300, random.Random(1)))
    for side in ("more", "less"):
        assert sum(one.share.value or 0 for one in found if one.side == side) == pytest.approx(1)
        assert len({one.total for one in found if one.side == side}) == 1


def test_discarded_texts_and_left_out_codes_do_not_count() -> None:
    texts = [
        CodedResponse("a", frozenset({("goal", "+", "more"), ("other", None, "more")})),
        CodedResponse("b", frozenset({("goal", "+", "more")})),
        CodedResponse("c", frozenset({("goal", "-", "more")}), discarded=True),
    ]
    (only,) = proportions(texts, leave_out=("other",))
    assert (only.code, only.count, only.total, only.share.value) == ("goal", 2, 2, 1.0)


def test_a_code_nobody_used_has_its_row_where_it_is_asked_for() -> None:
    texts = [
        CodedResponse("a", frozenset({("x", None, None)})),
        CodedResponse("b", frozenset({("x", None, None)})),
    ]
    rows = proportions(texts, keys=[("x", None), ("y", None)])
    assert [(row.code, row.share.value) for row in rows] == [("x", 1.0), ("y", 0.0)]


def test_a_single_judge_gives_no_interval_and_no_code_no_share() -> None:
    (one,) = proportions([CodedResponse("a", frozenset({("x", None, None)}))])
    assert one.share.value == 1.0
    assert one.share.reason == "a single judge"
    found = proportions(
        [
            CodedResponse("a", frozenset({("x", None, "more")}), "c"),
            CodedResponse("b", frozenset(), "d"),
        ],
        by=by_condition,
    )
    assert {(one.group, one.share.value) for one in found} == {("c", 1.0), ("d", None)}


def test_intervals_rest_on_judges_not_on_texts() -> None:
    """Ten judges who each say the same ten times tell no more than ten texts."""
    once = [
        CodedResponse(f"j{n}", frozenset({("x" if n < 4 else "y", None, None)})) for n in range(10)
    ]
    often = [one for one in once for _ in range(10)]
    few, many = (proportions(texts)[0].share for texts in (once, often))
    assert (few.value, few.low, few.high) == pytest.approx((many.value, many.low, many.high))
    assert many.n == 10


def test_a_planted_difference_is_found_and_an_absent_one_is_not() -> None:
    rng = random.Random(3)
    more = dict(planted_for("hntt").shares["more"])
    more[("smoothness", "+")], more[("goal", "+")] = 0.02, 0.40
    other = Planted(
        codebook="hntt", shares={"more": more, "less": planted_for("hntt").shares["less"]}
    )
    plain = Planted(codebook="hntt", shares=planted_for("hntt").shares)
    texts = judged(plain, 300, rng, "a") + judged(other, 300, rng, "b", first=1000)
    for method in ("mixed", "chi2"):
        found = {
            (difference.code, difference.direction, difference.side): difference
            for difference in differences(texts, by_condition, method=method)
        }
        for pair in (("smoothness", "+", "more"), ("goal", "+", "more")):
            p = found[pair].p_adjusted
            assert p is not None
            assert p < 0.001
        quiet = [one for key, one in found.items() if key[2] == "less"]
        assert all((one.p_adjusted or 1) > 0.05 for one in quiet)
        assert all(
            one.test.p_value is None or one.p_adjusted is None or one.p_adjusted >= one.test.p_value
            for one in found.values()
        )


def test_a_code_that_only_one_group_used_is_tested_and_says_how() -> None:
    texts = [
        CodedResponse(
            f"j{n}",
            frozenset({("x", None, None)} if n < 15 else {("y", None, None)}),
            "a" if n < 30 else "b",
        )
        for n in range(60)
    ]
    x = differences(texts, by_condition)[0]
    assert x.test.p_value is not None
    assert "no finite estimate" in " ".join(x.test.notes)


def test_undefined_differences_have_reasons() -> None:
    texts = [CodedResponse(f"j{n}", frozenset({("x", None, None)}), "a") for n in range(5)]
    (only,) = differences(texts, by_condition)
    assert only.test.reason == "fewer than two groups with texts"
    both = [CodedResponse(f"j{n}", frozenset({("x", None, None)}), "ab"[n % 2]) for n in range(6)]
    assert differences(both, by_condition)[0].test.reason == "the code is in every text"


def test_high_and_low_accuracy_judges() -> None:
    group = by_accuracy({"a": 0.83, "b": 0.80, "c": 0.5})
    assert [group(CodedResponse(name, frozenset())) for name in "abcd"] == [HIGH, LOW, LOW, None]


def test_the_two_sides_of_the_same_texts() -> None:
    texts = judged(
        Planted(codebook="hntt", shares=planted_for("hntt").shares), 300, random.Random(2)
    )
    found = {
        (difference.code, difference.direction): difference
        for difference in differences(texts, "side")
    }
    smooth = found["smoothness", "-"]
    assert [count.group for count in smooth.counts] == ["less", "more"]
    assert (smooth.p_adjusted or 1) < 0.001
    assert (found["self_reference", None].p_adjusted or 0) > 0.05

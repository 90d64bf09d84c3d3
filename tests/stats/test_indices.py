"""Indices of the published protocols: worked examples, witnesses from R, edge cases."""

from __future__ import annotations

import csv
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.errors import InvalidInput
from believable.stats import indices

ORACLE = Path(__file__).parents[1] / "oracles" / "indices"
DATA = Path(__file__).resolve().parents[1] / "data"
INPUT, R = (json.loads((ORACLE / name).read_text()) for name in ("input.json", "output.json"))
BOTH = pytest.mark.parametrize("case", [0, 1])


def rng() -> np.random.Generator:
    return np.random.default_rng(20)


class TestClips:
    def test_the_worked_example(self) -> None:
        assert indices.believability_index([[5], [1]], [1, 5]).value == pytest.approx(5 / 6)
        assert indices.confidence_index([1, 5]).value == pytest.approx(0.6)

    @BOTH
    def test_indices_and_intervals_are_those_of_r(self, case: int) -> None:
        given_data, expected = INPUT["clips"][case], R["clips"][case]
        found = indices.believability_index(given_data["ratings"], given_data["experience"])
        assert found.value == pytest.approx(expected["index"], abs=1e-12)
        assert [found.value, found.low, found.high] == pytest.approx(
            expected["interval"], abs=1e-12
        )
        confidence = indices.confidence_index(given_data["experience"])
        assert confidence.value == pytest.approx(expected["confidence"], abs=1e-12)
        assert [confidence.low, confidence.high] == pytest.approx(
            expected["confidence_interval"], abs=1e-12
        )

    @BOTH
    def test_recall_is_that_of_r_under_both_treatments(self, case: int) -> None:
        ratings, expected = INPUT["clips"][case]["ratings"], R["clips"][case]
        for middle, key in (("not_human", "recall"), ("left_out", "recall_left_out")):
            found = indices.clip_recall(ratings, middle=middle)  # type: ignore[arg-type]
            assert [found.value, found.low, found.high] == pytest.approx(expected[key], abs=1e-12)

    def test_precision(self) -> None:
        tables = {
            "human": [[1, 2], [5, 1]],
            "imitation": [[2, 3], [4, 1]],
            "rules": [[5, 1], [4, 2]],
        }
        called_human = indices.clip_precision(tables, correct={"human", "imitation"})
        assert called_human.value == pytest.approx(5 / 7)
        called_artificial = indices.clip_precision(tables, correct={"rules"}, answer="artificial")
        assert called_artificial.value == pytest.approx(2 / 4)

    def test_incomplete_respondents_are_counted(self) -> None:
        found = indices.believability_index([[1, np.nan], [1, 1], [5, 1]], [3, 2, np.nan])
        assert found.value == 1
        assert found.notes == ("2 of 3 left out for missing data",)
        assert found.reason == "one respondent has no spread"

    def test_nobody_is_undefined(self) -> None:
        assert indices.believability_index([[np.nan]], [3]).value is None
        assert indices.confidence_index([]).value is None
        assert indices.clip_recall([[3, 3]], middle="left_out").value is None
        assert indices.clip_precision({"a": [[3]]}, correct={"a"}).value is None

    @given(
        st.lists(
            st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)),
            min_size=2,
            max_size=12,
        )
    )
    def test_laws(self, rows: list[tuple[int, int, int]]) -> None:
        ratings, experience = [row[:2] for row in rows], [row[2] for row in rows]
        found = indices.believability_index(ratings, experience)
        assert found.value is not None
        assert 0 <= found.value <= 1
        mirrored = indices.believability_index(6 - np.array(ratings), experience).value
        assert mirrored == pytest.approx(1 - found.value)
        doubled = indices.believability_index(ratings * 2, experience * 2).value
        assert doubled == pytest.approx(found.value)
        backwards = indices.believability_index(ratings[::-1], experience[::-1])
        assert (backwards.value, backwards.low) == pytest.approx((found.value, found.low))


class TestRates:
    @BOTH
    def test_the_rate_and_its_interval_are_those_of_r(self, case: int) -> None:
        expected = R["rates"][case]
        found = indices.unbelievable_rate(**INPUT["rates"][case])
        assert found.value == pytest.approx(expected["rate"], abs=1e-12)
        assert [found.low, found.high] == pytest.approx(expected["interval"], abs=1e-6)

    @BOTH
    def test_sessions_together(self, case: int) -> None:
        found = indices.pooled_unbelievable_rate(**INPUT["sessions"][case])
        assert [found.value, found.low, found.high] == pytest.approx(R["sessions"][case], abs=1e-10)

    def test_more_flags_never_lower_the_bounds(self) -> None:
        viewed = np.full(34, 40)
        rates = [
            indices.pooled_unbelievable_rate((np.arange(34) < flags).astype(int), viewed)
            for flags in range(35)
        ]
        assert all(
            (earlier.high or 0) < (later.high or 0) for earlier, later in itertools.pairwise(rates)
        )
        assert all(
            (earlier.low or 0) <= (later.low or 0) for earlier, later in itertools.pairwise(rates)
        )

    def test_the_interval_of_few_sessions_is_said_to_be_cautious(self) -> None:
        few = indices.pooled_unbelievable_rate([1] * 12, [40] * 12)
        assert few.notes == (
            "fewer than 20 sessions: the interval is cautious, wider than its level asks for",
        )
        assert indices.pooled_unbelievable_rate([1] * 34, [40] * 34).notes == ()

    def test_one_session_has_no_interval(self) -> None:
        assert indices.pooled_unbelievable_rate([2], [10]).reason == "one session has no spread"

    def test_nothing_viewed_is_undefined_with_the_reason(self) -> None:
        assert indices.unbelievable_rate(0, 0).reason == "no action was viewed"
        assert indices.pooled_unbelievable_rate([0, 0], [0, 0]).reason == "no action was viewed"

    def test_a_session_without_views_is_noted(self) -> None:
        found = indices.pooled_unbelievable_rate([1, 0, 2], [10, 0, 10])
        assert found.value == pytest.approx(15)
        assert found.notes[0] == "1 of 3 left out for missing data"


class TestHntt:
    @BOTH
    def test_median_quartiles_and_interval_are_those_of_r(self, case: int) -> None:
        expected = R["hntt"][case]
        found = indices.hntt_pass(INPUT["accuracy"][case], rng=rng())
        assert found.median.value == pytest.approx(expected["median"])
        assert [found.quartile_low, found.quartile_high] == pytest.approx(expected["quartiles"])
        assert [found.median.low, found.median.high] == pytest.approx(
            expected["interval"], abs=1e-12
        )

    def test_guessing_judges_pass_the_agent_and_seeing_ones_do_not(self) -> None:
        assert indices.hntt_pass(np.tile([1 / 3, 0.5, 0.5, 2 / 3], 4), rng=rng()).passes is True
        assert indices.hntt_pass(np.tile([5 / 6, 1.0], 25), rng=rng()).passes is False

    def test_a_failing_agent_is_told_from_people_or_taken_for_one(self) -> None:
        assert indices.hntt_pass(np.tile([4 / 6, 5 / 6, 1.0], 8), rng=rng()).above
        assert not indices.hntt_pass(np.tile([0.0, 1 / 6, 2 / 6], 8), rng=rng()).above

    def test_an_interval_without_width_carries_no_verdict(self) -> None:
        found = indices.hntt_pass(np.tile([1 / 3, 0.5, 2 / 3], 20), rng=rng())
        assert (found.median.low, found.median.high) == (0.5, 0.5)
        assert found.contains is True
        assert found.passes is None

    def test_one_judge_cannot_decide(self) -> None:
        found = indices.hntt_pass([0.5], rng=rng())
        assert found.passes is None
        assert found.median.reason

    def test_the_same_seed_gives_the_same_verdict(self) -> None:
        accuracy = np.random.default_rng(1).integers(0, 7, 92) / 6
        assert indices.hntt_pass(accuracy, rng=rng()) == indices.hntt_pass(accuracy, rng=rng())

    def test_subsampling(self) -> None:
        accuracy = np.repeat([1 / 3, 0.5, 2 / 3], [20, 50, 22])
        found = indices.hntt_subsampling(accuracy, rng=rng(), n=50, repeats=20, resamples=500)
        assert (found.n, found.repeats, found.passed) == (50, 20, 20)
        assert found.mean_low <= 0.5 <= found.mean_high
        assert (found.mean_median, found.variance_median) == (0.5, 0)

    def test_one_subsample_has_no_variance(self) -> None:
        alone = indices.hntt_subsampling(
            np.tile([0.2, 0.5, 0.9], 5), rng=rng(), n=9, repeats=1, resamples=100
        )
        assert (alone.variance_median, alone.variance_low, alone.variance_high) == (
            None,
            None,
            None,
        )

    def test_the_public_accuracies(self) -> None:
        path = DATA / "hntt" / "hntt_long.csv"
        with open(path, newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["measure"] == "accuracy"]
        expected = json.loads((path.parent / "expected.json").read_text())["published_outputs"][
            "accuracy"
        ]
        for study in ("1", "2"):
            values = np.array([float(row["value"]) for row in rows if row["study"] == study])
            mean, sd = expected[f"study{study}"]
            assert values.mean() == pytest.approx(mean)
            assert sd == pytest.approx(values.std()) or sd == pytest.approx(values.std(ddof=1))
            verdict = indices.hntt_pass(values, rng=rng())
            assert verdict.passes is False
            assert verdict.median.value == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: indices.believability_index([[6]], [1]),
            r"ratings\[0, 0\]: expected 1 \(human\) to 5",
        ),
        (
            lambda: indices.believability_index([[1]], [0]),
            r"experience\[0\]: expected 1 to 5, got 0",
        ),
        (lambda: indices.believability_index([[1]], [1, 2]), "one experience per respondent"),
        (lambda: indices.confidence_index([1], highest=1), "highest: expected the top"),
        (lambda: indices.clip_recall([[1]], middle="drop"), "middle: unknown value 'drop'"),
        (lambda: indices.clip_precision({"a": [[1]]}, correct={"b"}), "unknown type 'b'"),
        (
            lambda: indices.clip_precision({"a": [[1]], "b": [[1], [2]]}, correct={"a"}),
            "same respondents",
        ),
        (lambda: indices.unbelievable_rate(3, 2), "0 ≤ flagged ≤ viewed, got 3 and 2"),
        (
            lambda: indices.pooled_unbelievable_rate([1, 9], [2, 8]),
            r"flagged\[1\]: expected 0 to 8",
        ),
        (lambda: indices.hntt_pass([1.5], rng=rng()), r"accuracy\[0\]: expected a share"),
        (lambda: indices.hntt_pass([], rng=rng()), "accuracy: expected at least 1"),
        (
            lambda: indices.hntt_subsampling([0.5, 1], rng=rng(), n=50),
            r"n: expected 6 \(fewer judges have no interval of the median\) to 2 judges",
        ),
    ],
)
def test_errors_name_place_value_and_cure(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


def test_flags_that_a_few_sessions_hold_are_noted() -> None:
    views = np.full(30, 50)
    few = np.where(np.arange(30) < 2, 40, 0)
    spread = np.resize([2, 3, 4], 30)
    assert any(
        "few sessions hold most of the flags" in note
        for note in indices.pooled_unbelievable_rate(few, views).notes
    )
    assert not indices.pooled_unbelievable_rate(spread, views).notes
    assert not indices.pooled_unbelievable_rate(np.zeros(30), views).notes
    assert not indices.pooled_unbelievable_rate(np.resize([0, 1], 30), np.ones(30)).notes

"""Annotators against known signals and against each other, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from believable.protocols.qa.annotator_scores import (
    AnnotatorTrace,
    Score,
    against,
    against_others,
    gate_accuracy,
    learning_slope,
    mean_by_annotator,
    reliability,
    verdicts,
)
from believable.stats.estimate import undefined
from believable.traces import gold_standard, sda

STEP = 250.0
NOTHING = undefined("not needed", method="test", n=0)


def trace(
    annotator: str, values: list[float], *, group: str = "all", stimulus: str = "v"
) -> AnnotatorTrace:
    return AnnotatorTrace(
        annotator=annotator, group=group, stimulus=stimulus, bins=np.array(values, dtype=float)
    )


def score(annotator: str, value: float, place: int = 1) -> Score:
    return Score(
        annotator=annotator,
        group="all",
        stimulus="v",
        place=place,
        sda=value,
        kappa=NOTHING,
        lag=NOTHING,
        halves=None,
    )


def test_against_a_signal_both_are_cut_to_the_shorter() -> None:
    (found,) = against(
        [trace("a", [0, 1, 2, 1, 1])], [np.array([0.0, 1, 2, 3, 3, 3, 3])], step_ms=STEP
    )
    assert found.sda == pytest.approx(0.5)  # up, up, down (wrong), rest


def test_a_trace_one_step_late_has_that_lag() -> None:
    signal = np.array([0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 0, 1, 2], dtype=float)
    late = trace("a", [0.0, *signal[:-1]])
    assert against([late], [signal], step_ms=STEP)[0].lag.value == STEP


def test_getting_better_on_the_way() -> None:
    signal = np.arange(20.0)
    (found,) = against(
        [trace("a", [*(-np.arange(10.0)), *np.arange(10.0)])], [signal], step_ms=STEP
    )
    assert found.halves == pytest.approx(
        1.0 - (1 - 9) / 10
    )  # nine steps the wrong way and the leap back up, then all right


def test_traces_of_any_length_are_scored_as_each_by_itself() -> None:
    rng = np.random.default_rng(3)
    signals = [rng.normal(size=length).cumsum() for length in (30, 41, 30, 2, 35, 41)]
    traces = [
        trace(f"a{n}", rng.integers(-2, 3, size=length).tolist())
        for n, length in enumerate((41, 41, 30, 9, 41, 41))
    ]
    scores = against(traces, signals, step_ms=STEP)
    assert scores == tuple(
        against([own], [signal], step_ms=STEP)[0]
        for own, signal in zip(traces, signals, strict=True)
    )
    assert [score.annotator for score in scores] == [own.annotator for own in traces]
    assert scores[3].lag.reason == "needs at least 3 points"


def test_the_gold_standard_leaves_the_annotator_out() -> None:
    rng = np.random.default_rng(1)
    traces = [trace(f"a{n}", rng.normal(size=12).cumsum().tolist()) for n in range(5)]
    scores, alone = against_others(traces, step_ms=STEP)
    assert alone == ()
    table = np.stack([one.values for one in traces])
    for row, one in enumerate(scores):
        assert one.sda == pytest.approx(sda(table[row], gold_standard(table, leave_out=row)))


def test_groups_and_stimuli_have_their_own_gold_standard() -> None:
    up, down = [0.0, 1, 2, 3], [3.0, 2, 1, 0]
    traces = [
        trace("a", up, group="x"),
        trace("b", up, group="x"),
        trace("c", down, group="y"),
        trace("d", down, group="y"),
    ]
    scores, _ = against_others(traces, step_ms=STEP)
    assert [one.sda for one in scores] == [1, 1, 1, 1]
    scores, alone = against_others([*traces, trace("e", up, stimulus="w")], step_ms=STEP)
    assert alone == (("e", "all", "w"),)
    assert len(scores) == 4


def test_published_cross_table() -> None:
    """6 reliable in both, 10 unreliable in both, 3 failed the gate only, 1 the task only: 80 %."""
    gate = {f"p{n}": 0.3 for n in range(7)} | {f"p{n}": -0.3 for n in range(7, 20)}
    task = {f"p{n}": 0.2 for n in range(6)} | {"p6": -0.1} | {f"p{n}": 0.2 for n in range(7, 10)}
    task |= {f"p{n}": -0.2 for n in range(10, 20)}
    found = verdicts(gate, task, dict.fromkeys(gate, "all"))
    cells = [one.cell for one in found]
    assert cells.count("reliable in both") == 6
    assert cells.count("unreliable in both") == 10
    assert cells.count("failed the gate only") == 3
    assert cells.count("failed the task only") == 1
    assert gate_accuracy(found).value == pytest.approx(0.8)


def test_exactly_at_the_threshold_is_reliable() -> None:
    (found,) = verdicts({"a": 0.0}, {"a": -0.01}, {"a": "all"})
    assert found.cell == "failed the task only"


def test_whoever_lacks_one_of_both_is_in_no_cell() -> None:
    assert verdicts({"a": 0.1}, {"b": 0.1}, {"a": "all", "b": "all"}) == ()


def test_means_and_learning() -> None:
    scores = [score("a", 0.1, 1), score("a", 0.2, 2), score("a", 0.3, 3), score("b", 0.5)]
    assert mean_by_annotator(scores) == pytest.approx({"a": 0.2, "b": 0.5})
    assert learning_slope(scores[:3]) == pytest.approx(0.1)
    assert learning_slope(scores[:2]) is None


def test_reliability_of_a_single_annotator_says_what_is_undefined() -> None:
    one = trace("a", [0, 1, 2, 3])
    found = reliability("all", [one], against([one], [np.arange(4.0)], step_ms=STEP))
    assert found.sda.value == 1
    assert found.sda.reason == "one value has no spread"
    assert found.krippendorff.value is None
    assert found.cronbach_time_items.value is None

"""Mean SDA on the task: what is left out, what is computed again, and that the test keeps its level where a t test does not."""

from __future__ import annotations

import numpy as np
import pytest

from believable.analysis.qa.scores import Annotated, against_others, mean_by_annotator
from believable.analysis.qa.task import compared, task_sda
from believable.stats.means import welch_t


def group(rng: np.random.Generator, n: int, *, skill: float = 0.5, name: str = "g") -> list[Annotated]:
    """Annotators who follow the same hidden signal in this share of steps, on two stimuli."""
    signals = [np.random.default_rng(seed).integers(-1, 2, 60) for seed in (1, 2)]
    return [
        Annotated(
            f"{name}{person}", name, f"v{index}",
            np.cumsum(np.where(rng.uniform(size=60) < skill, signal, rng.integers(-1, 2, 60))).astype(float),
        )
        for person in range(n)
        for index, signal in enumerate(signals)
    ]  # fmt: skip


def test_the_value_is_the_mean_over_annotators_of_their_mean_sda() -> None:
    traces = group(np.random.default_rng(1), 9)
    scores, _ = against_others(traces, step_ms=250, detail="sda")
    found = task_sda(traces, np.random.default_rng(2))
    assert found.value == pytest.approx(np.mean(list(mean_by_annotator(scores).values())))
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high  # type: ignore[operator]
    assert "d = 4" in found.method


def test_few_annotators_have_no_interval_and_one_has_nothing() -> None:
    rng = np.random.default_rng(1)
    assert task_sda(group(rng, 4), rng).reason == "the jackknife needs at least 6 annotators, got 4"
    assert task_sda(group(rng, 1), rng).reason == "nobody else annotated the same stimuli"
    test = compared(
        {"a": task_sda(group(rng, 4), rng), "b": task_sda(group(rng, 9), rng)}, alternative="two-sided"
    )
    assert test.reason == "the jackknife needs at least 6 annotators, got 4"


def test_better_groups_are_told_apart() -> None:
    rng = np.random.default_rng(3)
    groups = {
        "good": task_sda(group(rng, 20, skill=0.8), rng),
        "bad": task_sda(group(rng, 20, skill=0.2), rng),
    }
    test = compared(groups, alternative="two-sided")
    assert test.p_value is not None
    assert test.p_value < 0.001
    assert test.estimate is not None
    assert test.estimate.value == pytest.approx(groups["good"].value - groups["bad"].value)  # type: ignore[operator]


def test_without_a_difference_it_rejects_rarely_where_a_t_test_over_annotators_does_not() -> None:
    rng = np.random.default_rng(4)
    studies, ours, plain = 60, 0, 0
    for _ in range(studies):
        both = [group(rng, int(rng.integers(14, 22)), skill=0.35) for _ in range(2)]
        found = {str(number): task_sda(traces, rng) for number, traces in enumerate(both)}
        ours += compared(found, alternative="two-sided").significant()
        means = [
            list(mean_by_annotator(against_others(one, step_ms=250, detail="sda")[0]).values())
            for one in both
        ]
        plain += welch_t(*means).significant()
    assert ours / studies <= 0.12
    assert plain / studies >= 0.2

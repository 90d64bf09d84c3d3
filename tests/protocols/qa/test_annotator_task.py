"""Mean SDA on the task: the value, groups of different sizes, and that the test keeps its level
where a t test does not.
"""

from __future__ import annotations

import numpy as np
import pytest

from believable.protocols.qa.annotator_scores import (
    AnnotatorTrace,
    against_others,
    mean_by_annotator,
)
from believable.protocols.qa.group_agreement import GroupTask, compare_groups, task_sda
from believable.stats.estimate import Estimate
from believable.stats.means import welch_t


def traces(
    rng: np.random.Generator, n: int, *, skill: float = 0.5, name: str = "g"
) -> list[AnnotatorTrace]:
    """Annotators who follow the same hidden signal in this share of steps, on two stimuli."""
    signals = [np.random.default_rng(seed).integers(-1, 2, 60) for seed in (1, 2)]
    return [
        AnnotatorTrace(
            annotator=f"{name}{person}",
            group=name,
            stimulus=f"v{index}",
            bins=np.cumsum(
                np.where(rng.uniform(size=60) < skill, signal, rng.integers(-1, 2, 60))
            ).astype(float),
        )
        for person in range(n)
        for index, signal in enumerate(signals)
    ]


def scored(
    rng: np.random.Generator, n: int, *, skill: float = 0.5, name: str = "g"
) -> tuple[GroupTask, Estimate]:
    group = GroupTask.of(traces(rng, n, skill=skill, name=name))
    return group, task_sda(group, rng)


def test_the_value_is_the_mean_over_annotators_of_their_mean_sda() -> None:
    # Some did one stimulus only: their mean is over that one.
    made = [
        trace
        for trace in traces(np.random.default_rng(1), 9)
        if (trace.annotator, trace.stimulus) != ("g3", "v1")
    ]
    scores, _ = against_others(made, step_ms=250, detail="sda")
    found = task_sda(GroupTask.of(made), np.random.default_rng(2))
    assert found.value == pytest.approx(np.mean(list(mean_by_annotator(scores).values())))
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high  # type: ignore[operator]
    assert found.method == "mean SDA, BCa bootstrap over annotators"
    assert (found.n, found.df) == (9, (8.0,))


def test_few_annotators_have_no_interval_and_one_has_nothing() -> None:
    rng = np.random.default_rng(1)
    few, enough = scored(rng, 4), scored(rng, 9)
    assert few[1].reason == "the bootstrap needs at least 6 annotators, got 4"
    assert scored(rng, 1)[1].reason == "nobody else annotated the same stimuli"
    assert task_sda(GroupTask.of([]), rng).reason == "nobody else annotated the same stimuli"
    test = compare_groups([few, enough], rng, alternative="two-sided")
    assert test.reason == "the bootstrap needs at least 6 annotators, got 4"


def test_better_groups_are_told_apart() -> None:
    rng = np.random.default_rng(3)
    good, bad = scored(rng, 20, skill=0.8), scored(rng, 20, skill=0.2)
    test = compare_groups([good, bad], rng, alternative="two-sided")
    assert test.p_value is not None
    assert test.p_value < 0.001
    assert test.estimate is not None
    assert test.estimate.value == pytest.approx(good[1].value - bad[1].value)  # type: ignore[operator]
    assert test.estimate.notes == ()


def test_the_median_of_an_odd_number_and_of_an_even_one_differ_and_groups_are_compared_at_one_size() -> (
    None
):
    rng = np.random.default_rng(5)
    group = GroupTask.of(traces(rng, 200, skill=0.9))
    at = {size: group.value_of(size, rng) for size in (12, 13, 14, 15)}
    assert min(at[12], at[14]) > max(at[13], at[15]) + 0.02
    small, large = scored(rng, 12, skill=0.3), scored(rng, 25, skill=0.3)
    found = compare_groups(
        [small, large], np.random.default_rng(6), alternative="two-sided"
    ).estimate
    assert found is not None
    assert found.notes == (
        "groups of 12 annotators, the larger one standing for its subsets of that size",
    )
    expected = small[1].value - large[0].value_of(12, np.random.default_rng(7))  # type: ignore[operator]
    assert found.value == pytest.approx(expected, abs=0.2 * found.se)  # type: ignore[operator]


def test_without_a_difference_it_rejects_rarely_where_a_t_test_over_annotators_does_not() -> None:
    rng = np.random.default_rng(4)
    studies, ours, plain = 60, 0, 0
    for _ in range(studies):
        both = [traces(rng, int(rng.integers(14, 22)), skill=0.7) for _ in range(2)]
        groups = [GroupTask.of(one) for one in both]
        found = [(group, task_sda(group, rng)) for group in groups]
        ours += compare_groups(found, rng, alternative="two-sided").significant()
        means = [
            list(mean_by_annotator(against_others(one, step_ms=250, detail="sda")[0]).values())
            for one in both
        ]
        plain += welch_t(*means).significant()
    assert ours / studies <= 0.12
    assert plain / studies >= 0.3

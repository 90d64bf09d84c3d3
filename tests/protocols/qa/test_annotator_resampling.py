"""Agreement with the others when annotators are drawn anew, against the plain definition."""

from __future__ import annotations

import numpy as np
import pytest

from believable.protocols.qa import group_agreement as resampled
from believable.protocols.qa.group_agreement import ResampledTraces
from believable.traces import sda
from believable.traces.trace_agreement import others_medians


def traces(people: int, seed: int = 1, steps: int = 30) -> np.ndarray:
    """Few levels, so that ties are everywhere."""
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.integers(-1, 2, (people, steps)), axis=1) / 4


def plainly(table: np.ndarray, counts: np.ndarray) -> list[float]:
    """Each annotator who counts, against the median of a list that holds the others as often as
    they count.
    """
    found = []
    for one, count in enumerate(counts):
        others = [
            table[other] for other, times in enumerate(counts) if other != one for _ in range(times)
        ]
        found.append(sda(table[one], np.median(others, axis=0)) if count and others else np.nan)
    return found


@pytest.mark.parametrize("people", [2, 3, 8, 9])
def test_drawn_anew_it_is_the_definition_with_ones_own_copies_left_out(people: int) -> None:
    table = traces(people)
    counts = np.random.default_rng(2).multinomial(people, np.full(people, 1 / people), size=40)
    assert counts.max() > 1
    found = ResampledTraces.of(table).sda(counts)
    for row, drawn in zip(found, counts, strict=True):
        assert row == pytest.approx(plainly(table, drawn), nan_ok=True)


def test_with_everybody_once_it_is_leave_one_out() -> None:
    table = traces(11)
    gold = others_medians(table)
    expected = [sda(one, median) for one, median in zip(table, gold, strict=True)]
    assert ResampledTraces.of(table).sda(np.ones((1, 11), dtype=np.int64))[0] == pytest.approx(
        expected
    )


def test_subsets_of_different_sizes_side_by_side() -> None:
    table = traces(7)
    counts = np.array([[1, 1, 0, 0, 0, 0, 0], [1] * 7, [0, 0, 0, 0, 0, 0, 3], [0] * 7])
    found = ResampledTraces.of(table).sda(counts)
    for row, drawn in zip(found, counts, strict=True):
        assert row == pytest.approx(plainly(table, drawn), nan_ok=True)
    assert np.isnan(found[2:]).all(), "nobody has others"


def test_the_size_of_the_working_table_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table, counts = traces(6), np.random.default_rng(3).multinomial(6, np.full(6, 1 / 6), size=25)
    whole = ResampledTraces.of(table).sda(counts)
    monkeypatch.setattr(resampled, "VALUES_AT_ONCE", 1)
    assert np.array_equal(ResampledTraces.of(table).sda(counts), whole, equal_nan=True)

"""All leave-one-out medians at once are those of one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.errors import InvalidInput
from believable.traces import gold_standard
from believable.traces.trace_agreement import others_medians


@given(st.integers(2, 9), st.integers(1, 5), st.integers(0, 1000))
def test_same_as_one_at_a_time(annotators: int, points: int, seed: int) -> None:
    table = np.random.default_rng(seed).integers(-3, 4, size=(annotators, points)).astype(float)
    expected = np.stack([gold_standard(table, leave_out=row) for row in range(annotators)])
    assert others_medians(table) == pytest.approx(expected)


def test_one_annotator_has_no_others() -> None:
    with pytest.raises(InvalidInput, match="at least 2 annotators"):
        others_medians(np.ones((1, 4)))

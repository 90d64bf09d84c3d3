"""The simulations of sequential evidence and of aimed assignment keep what they promise, in small."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from validation import aimed, sequential


def test_aimed_assignment_saves_judges() -> None:
    found = aimed.measure(8, 60)
    assert found.kept
    assert found.ratios[0.9] < found.ratios[0.75] < 1


@pytest.mark.parametrize(
    "change",
    [{"ratios": {0.5: 0.8, 0.75: 0.9, 0.9: 0.4}}, {"wrong_aimed": 0.2}, {"least_views": 2}],
)
def test_a_broken_promise_is_noticed(change: dict[str, object]) -> None:
    assert not replace(aimed.measure(8, 20), **change).kept  # type: ignore[arg-type]


def test_views_of_a_pool_are_balanced_and_answers_have_the_stated_accuracy() -> None:
    for design in sequential.DESIGNS[:6]:
        shares = sequential.simulate_shares(design, 0.65, 40, np.random.default_rng(1))
        assert shares.shape == (40, sequential.JUDGES)
        assert shares.mean() == pytest.approx(0.65, abs=0.01)


def test_a_design_keeps_its_promises_and_a_broken_one_is_noticed() -> None:
    rates = sequential.measure(sequential.DESIGNS[0], 200)
    assert rates.covered >= 0.9
    kept = replace(rates, size=0.04, false_equivalent=0.03, covered=0.96, equivalent=0.97)
    assert replace(kept, medians=(25.0, 10.0)).kept
    assert not replace(kept, medians=(26.0, 10.0)).kept
    assert not replace(kept, medians=(25.0, 10.0), size=0.06).kept
    assert not replace(kept, medians=(25.0, 10.0), covered=0.94).kept

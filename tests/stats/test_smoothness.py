"""Spectral arc length and jerk: R's values, what they must not depend on, and undefined cases."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.stats.smoothness import rms_jerk, spectral_arc_length

ORACLE = Path(__file__).parents[1] / "oracles" / "smoothness"
INPUT, OUTPUT = (json.loads((ORACLE / f"{name}.json").read_text()) for name in ("input", "output"))


def test_arc_lengths_are_those_of_r() -> None:
    values = [spectral_arc_length(case["speed"], case["hz"]) for case in INPUT["arc_lengths"]]
    assert values == pytest.approx(OUTPUT["arc_lengths"], rel=1e-9)


def test_jerks_are_those_of_r() -> None:
    assert [rms_jerk(case["places"], case["hz"]) for case in INPUT["jerks"]] == pytest.approx(
        OUTPUT["jerks"], rel=1e-9
    )


def test_one_stroke_is_smoother_than_two_and_size_does_not_count() -> None:
    one_stroke, two_strokes = (np.array(INPUT["arc_lengths"][n]["speed"]) for n in (0, 1))
    assert spectral_arc_length(one_stroke, 35) > spectral_arc_length(two_strokes, 35)
    assert spectral_arc_length(7 * one_stroke, 35) == pytest.approx(
        spectral_arc_length(one_stroke, 35)
    )


def test_a_parabola_has_no_jerk() -> None:
    time = np.arange(20.0)
    assert rms_jerk(np.c_[time**2, 3 * time], 35) == pytest.approx(0, abs=1e-6)
    assert rms_jerk(np.c_[time**3, 0 * time], 1) == pytest.approx(6)


def test_undefined_cases() -> None:
    assert spectral_arc_length([0.0] * 10, 35) is None
    assert spectral_arc_length([1.0, 2.0, 1.0], 35) is None
    assert rms_jerk([[0.0, 0.0]] * 3, 35) is None
    with pytest.raises(InvalidInput, match="samples per second above 0"):
        spectral_arc_length([1.0] * 9, 0)
    with pytest.raises(InvalidInput, match="expected a finite number"):
        rms_jerk([[0.0], [float("nan")], [1.0], [2.0]], 35)

"""Signal detection: R's probit regression, corrections, and the symmetries of d′ and c."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.errors import InvalidInput
from believable.stats.detection import criterion, d_prime
from believable.stats.estimate import Estimate

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "detection"
CASES = list(
    zip(
        json.loads((ORACLE / "input.json").read_text()),
        json.loads((ORACLE / "output.json").read_text())["cases"],
        strict=True,
    )
)
COUNTS = st.integers(0, 60)


def triple(estimate: Estimate) -> tuple[float | None, float | None, float | None]:
    return estimate.value, estimate.low, estimate.high


@pytest.mark.parametrize(("given_counts", "r"), CASES)
def test_as_the_probit_regression_of_r(
    given_counts: dict[str, int], r: dict[str, dict[str, list[float]]]
) -> None:
    for correction, expected in r.items():
        # R takes half counts as they are, so the log-linear correction is half a count in every
        # cell.
        assert triple(d_prime(**given_counts, correction=correction)) == pytest.approx(
            expected["d"], abs=1e-6
        )
        assert triple(criterion(**given_counts, correction=correction)) == pytest.approx(
            expected["c"], abs=1e-6
        )


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_swapping_kinds_and_answers(
    hits: int, misses: int, false_alarms: int, rejections: int
) -> None:
    whole = (
        d_prime(hits, misses, false_alarms, rejections),
        criterion(hits, misses, false_alarms, rejections),
    )
    if hits + misses == 0 or false_alarms + rejections == 0:
        assert {estimate.reason for estimate in whole} == {"one kind of stimulus was never shown"}
        return
    d, c = (estimate.value or 0.0 for estimate in whole)
    swapped = false_alarms, rejections, hits, misses  # the other kind is called the signal
    assert d_prime(*swapped).value == pytest.approx(-d, abs=1e-12)
    assert criterion(*swapped).value == pytest.approx(c, abs=1e-12)
    opposite = misses, hits, rejections, false_alarms  # "yes" means "no"
    assert d_prime(*opposite).value == pytest.approx(-d, abs=1e-12)
    assert criterion(*opposite).value == pytest.approx(-c, abs=1e-12)


def test_perfect_answers_are_finite_only_with_the_correction() -> None:
    assert d_prime(20, 0, 0, 25).value is not None
    raw = d_prime(20, 0, 0, 25, correction="none")
    assert raw.value is None
    assert "use correction='loglinear'" in (raw.reason or "")


def test_rates_instead_of_counts_are_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"hits: expected a count, got 0.8. Give whole numbers, not rates"
    ):
        d_prime(0.8, 0.2, 0.3, 0.7)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="misses: expected a count, got -1"):
        criterion(4, -1, 3, 3)

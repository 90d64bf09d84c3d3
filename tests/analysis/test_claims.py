"""Whom a verdict is about, and how many clips it needs."""

from __future__ import annotations

import doctest

import pytest

from believable.analysis import claims
from believable.analysis.claims import Claim, refuse
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult


def test_examples() -> None:
    assert doctest.testmod(claims).failed == 0


@pytest.mark.parametrize(
    ("over", "n_clips", "least", "refused"),
    [
        ("both", 1, None, True),
        ("both", 2, None, False),
        ("both", 12, 1, True),
        ("both", 12, 2, False),
        ("judges", 1, 1, False),
    ],
)
def test_a_claim_beyond_the_clips_needs_two_of_each_part(
    over: str, n_clips: int, least: int | None, refused: bool
) -> None:
    claim = Claim(over=over, n_clips=n_clips, least=least)  # type: ignore[arg-type]
    assert bool(claim.refusal) == refused
    if refused and least is not None:
        assert "at least two of each, there is one" in claim.refusal


def test_a_refused_claim_keeps_the_value_and_nothing_that_decides() -> None:
    estimate = Estimate(
        value=0.7,
        low=0.6,
        high=0.8,
        level=0.95,
        n=9,
        method="mean",
        se=0.1,
        statistic=2.0,
        df=(8.0,),
        p_value=0.04,
    )
    test = TestResult(
        statistic=2.0,
        p_value=0.04,
        n=9,
        method="t test",
        df=(8.0,),
        alternative="greater",
        estimate=estimate,
        symbol="t",
    )
    refused, kept = (
        refuse(test, Claim(over="both", n_clips=1)),
        refuse(estimate, Claim(over="both", n_clips=1)),
    )
    assert (refused.statistic, refused.p_value, refused.df) == (None, None, ())
    assert (refused.n, refused.alternative, refused.estimate) == (9, "greater", kept)
    assert (kept.value, kept.low, kept.high, kept.se) == (0.7, None, None, None)
    assert (kept.statistic, kept.df, kept.p_value) == (None, (), None)
    assert refuse(test, Claim(over="judges", n_clips=1)) is test

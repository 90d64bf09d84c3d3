"""The coverage simulation itself: it must be able to fail, and be the same on any number of
workers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from believable.core.errors import NotFound
from believable.stats.agreement import __all__ as agreement_names
from believable.stats.estimate import Estimate, undefined
from validation.coverage.case import COVERS_LEAST, CoverageCase, Tally, tally
from validation.coverage.run import all_cases, chosen_cases, main, run_cases, table

NO_INTERVAL_OF_ITS_OWN = {"IccForm"}


def normal_mean(factor: float) -> CoverageCase:
    def estimate(data: np.ndarray) -> Estimate:
        half = factor * data.std(ddof=1) / np.sqrt(len(data))
        return Estimate(
            value=data.mean(),
            low=data.mean() - half,
            high=data.mean() + half,
            level=0.95,
            n=len(data),
            method="mean",
        )

    return CoverageCase("mean", 0.0, lambda rng: rng.standard_normal(30), estimate)


def test_a_right_interval_keeps_its_promise_and_wrong_ones_do_not() -> None:
    for factor, verdict in ((2.045, True), (1.2, False), (4.0, False)):
        counted = tally(normal_mean(factor), simulations=1000, rng=np.random.default_rng(3))
        assert counted.keeps(exact=False) is verdict


def test_an_exact_interval_may_cover_more() -> None:
    counted = tally(normal_mean(4.0), simulations=500, rng=np.random.default_rng(3))
    assert counted.keeps(exact=True)


def test_a_case_that_is_said_to_cover_less_has_a_limit_of_its_own() -> None:
    counted = tally(normal_mean(1.2), simulations=1000, rng=np.random.default_rng(3))
    for least, verdict in ((0.7, True), (0.8, False)):
        assert replace(normal_mean(1.2), narrow="say why", least=least).kept(counted) is verdict
    said = [case for case in all_cases() if case.narrow]
    assert said
    assert all(case.least < COVERS_LEAST for case in said)
    assert all(case.least == COVERS_LEAST for case in all_cases() if not case.narrow)


def test_an_undefined_interval_is_a_miss() -> None:
    case = CoverageCase(
        "none", 0.0, lambda rng: rng, lambda _: undefined("nothing", method="none", n=0)
    )
    assert tally(case, simulations=4, rng=np.random.default_rng(0)) == Tally(4, 0, 0, 0, 4, 0.0)


def test_the_tally_is_the_same_on_any_number_of_workers() -> None:
    cases = chosen_cases(["percent_agreement all"])
    assert run_cases(cases, simulations=250, workers=1) == run_cases(
        cases, simulations=250, workers=2
    )


def test_every_agreement_measure_is_simulated() -> None:
    simulated = {name.split(":")[0].split()[0] for name in all_cases().names}
    assert set(agreement_names) - NO_INTERVAL_OF_ITS_OWN <= simulated


def test_the_command_prints_the_table_and_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cronbach_alpha", "--simulations", "600", "--workers", "1"]) == 0
    printed = capsys.readouterr().out
    assert "cronbach_alpha: n=50 items=6" in printed
    assert "ok" in printed


def test_a_broken_promise_is_printed_and_fails() -> None:
    case = normal_mean(1.0)
    printed = table([case], {"mean": tally(case, simulations=200, rng=np.random.default_rng(1))})
    assert "FAILS" in printed


def test_an_unknown_case_is_an_error() -> None:
    with pytest.raises(NotFound, match="unknown coverage case"):
        chosen_cases(["cohen_kapa"])

"""What people notice of what the checker finds: planted d′ comes back, by category; hand-counted cases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from believable.analysis.run import run
from believable.bundle.read import Bundle
from believable.protocols import PROTOCOLS
from believable.protocols.replay.noticed_violations import FlagCounts, sensitivity
from believable.protocols.replay.people import ReplayTruth
from believable.simulate.simulated_sessions import Sessions
from believable.stats.detection import d_prime

#: Everybody is as ready to flag as everybody else, so that d′ of all viewings together is that of each.
TRUTH = ReplayTruth(
    flag_logit=-3.0, flag_effect=0.0, effect_sd=0.0, flag_sd=0.0, undone=0.0, skips=0.0,
    d_goal=0.5, d_environment=1.5, d_temporal=1.0, d_social=0.0, d_control=2.0,
)  # fmt: skip
PLANTED = {"environment rule": 1.5, "temporal": 1.0, "control failure": 2.0}


@pytest.fixture(scope="module")
def tables(simulated: Callable[..., tuple[Sessions, Bundle]]) -> dict[str, dict[str, dict[str, object]]]:
    _, bundle = simulated("replay", 90, TRUTH)
    analysis = run(bundle, protocols=PROTOCOLS)
    return {
        table.name: {
            str(row[0]): dict(zip([column.name for column in table.columns], row, strict=True)) for row in table.rows
        }
        for table in analysis.tables
        if table.name in ("flags_by_checker", "objective", "flags_by_viewing")
    }


def test_planted_sensitivity_is_recovered_by_category(tables: dict[str, dict[str, dict[str, object]]]) -> None:
    for category, planted in PLANTED.items():
        row = tables["flags_by_checker"][category]
        assert float(str(row["d_prime"])) == pytest.approx(planted, abs=0.3), category
        assert float(str(row["d_low"])) - 0.1 < planted < float(str(row["d_high"])) + 0.1, category
    order = sorted(PLANTED, key=lambda name: float(str(tables["flags_by_checker"][name]["hit_rate"])))
    assert order == sorted(PLANTED, key=PLANTED.__getitem__)


def test_what_is_right_is_flagged_as_often_as_planted(tables: dict[str, dict[str, dict[str, object]]]) -> None:
    row = tables["flags_by_checker"]["no violation (false alarms)"]
    assert float(str(row["hit_rate"])) == pytest.approx(1 / (1 + np.exp(3.0)), abs=0.012)
    assert row["d_prime"] is None


def test_counts_stand_beside_judgements(tables: dict[str, dict[str, dict[str, object]]]) -> None:
    theirs, ours = tables["objective"]["generative"], tables["objective"]["neurosymbolic"]
    assert float(str(ours["wrong"])) < 1
    assert float(str(ours["wrong"])) < float(str(theirs["wrong"])) / 4
    assert float(str(ours["fulfilled"])) >= 0.8
    assert 0 <= float(str(theirs["fulfilled"])) <= 1


def test_d_prime_is_that_of_all_viewings_with_an_interval_over_people() -> None:
    people = [FlagCounts(3, 5, 1, 50), FlagCounts(1, 5, 2, 50), FlagCounts(4, 6, 0, 40)]
    estimate = sensitivity(people, 0.95)
    assert estimate.value == d_prime(8, 8, 3, 137).value
    left = [d_prime(5, 6, 2, 88).value, d_prime(7, 4, 1, 89).value, d_prime(4, 6, 3, 97).value]
    mean = sum(value or 0.0 for value in left) / 3
    se = (2 / 3 * sum(((value or 0.0) - mean) ** 2 for value in left)) ** 0.5
    assert estimate.se == pytest.approx(se)
    assert estimate.low is not None
    assert estimate.low < estimate.value < (estimate.high or 0)  # type: ignore[operator]


def test_without_a_violation_it_is_undefined_and_says_why() -> None:
    assert sensitivity([FlagCounts(0, 0, 1, 50)], 0.95).reason == "no such violation was viewed"
    assert sensitivity([], 0.95).reason == "no such violation was viewed"

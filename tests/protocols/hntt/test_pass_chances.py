"""How often an agent passes by the published criterion, against an independent simulation of the
same design.
"""

from __future__ import annotations

import numpy as np
import pytest

from believable.analysis.run import run
from believable.contracts.registries import PROTOCOLS
from believable.protocols.hntt.pass_chances import ACCURACIES, _median_interval, pass_chances
from believable.simulate.power_curve import assumptions
from believable.stats.indices import hntt_pass
from believable.study.load import load

#: Simulated apart from this code: 6 shared pairs, judges and pairs with an SD of .5 in log-odds.
KNOWN = {50: (0.99, 0.93, 0.77, 0.45, 0.13), 92: (0.99, 0.94, 0.74, 0.28, 0.05)}


@pytest.mark.parametrize("judges", KNOWN)
def test_the_operating_characteristic_is_the_known_one(judges: int) -> None:
    found = pass_chances(
        judges, 6, judge_sd=0.5, pair_sd=0.5, margin=0.1, rng=np.random.default_rng(2), studies=300
    )
    assert [chance.accuracy for chance in found] == list(ACCURACIES)
    assert [chance.passes.value for chance in found] == pytest.approx(KNOWN[judges], abs=0.09)
    assert found[0].equivalent.value > found[-1].equivalent.value


def test_its_bootstrap_is_that_of_the_criterion() -> None:
    """The quick way to draw resamples gives the published interval."""
    rng = np.random.default_rng(3)
    agree = 0
    for _ in range(60):
        right = rng.binomial(6, 0.6, size=50)
        median = hntt_pass(right / 6, rng=rng, resamples=400).median
        agree += _median_interval(right, 6, rng, 0.05) == pytest.approx(
            (median.low, median.high), abs=1e-9
        )
    assert agree >= 50


def test_the_report_shows_it_for_the_study_at_hand(studies) -> None:
    tree = {**studies.COMPARING, "analysis": {**studies.COMPARING["analysis"]}}
    tree["analysis"]["options"] = {"resamples": 500, "criterion_studies": 40}
    analysis = run(studies.judges(12, tree=tree))
    table = next(table for table in analysis.tables if table.name == "criterion")
    assert table.column("judges") == (12,) * len(ACCURACIES)
    assert "40 studies simulated for each row: 6 pairs" in table.note


def test_power_says_what_it_assumes_and_what_follows() -> None:
    definition = load(PROTOCOLS["hntt"].folder)
    plain = {part.name or part.words: part for part in assumptions(definition)}
    assert plain["skill"].words.startswith("log-odds of choosing the human one")
    accuracy = "then the true value of accuracy is"
    changed = {part.name or part.words: part for part in assumptions(definition, {"skill": 0.0})}
    assert changed["skill"].value == "0"
    assert (
        float(plain[accuracy].value)
        > float(changed[accuracy].value)
        == pytest.approx(0.5, abs=0.01)
    )

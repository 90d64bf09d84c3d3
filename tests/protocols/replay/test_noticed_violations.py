"""What people notice of what the checker finds: planted d′ comes back, by category; hand-counted
cases.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import expit
from scipy.stats import norm

from believable.analysis.run import run
from believable.bundle.read import Bundle
from believable.protocols.replay.flag_detection import FlagCounts, sensitivity
from believable.protocols.replay.planted_truth import ReplayTruth
from believable.simulate.simulated_sessions import Sessions
from believable.stats.detection import d_prime

#: Some flag much and some little; d′ is the same for all.
TRUTH = ReplayTruth(
    flag_logit=-3.0,
    flag_effect=0.0,
    effect_sd=0.0,
    flag_sd=0.8,
    undone=0.0,
    skips=0.0,
    d_goal=0.5,
    d_environment=1.5,
    d_temporal=1.0,
    d_social=0.0,
    d_control=2.0,
)
PLANTED = {"environment rule": 1.5, "temporal": 1.0, "control failure": 2.0}


@pytest.fixture(scope="module")
def tables(
    simulated: Callable[..., tuple[Sessions, Bundle]],
) -> dict[str, dict[str, dict[str, object]]]:
    _, bundle = simulated("replay", 90, TRUTH)
    analysis = run(bundle)
    return {
        table.name: {
            str(row[0]): dict(zip([column.name for column in table.columns], row, strict=True))
            for row in table.rows
        }
        for table in analysis.tables
        if table.name in ("flags_by_checker", "objective", "flags_by_viewing")
    }


def test_planted_sensitivity_is_recovered_by_category(
    tables: dict[str, dict[str, dict[str, object]]],
) -> None:
    for category, planted in PLANTED.items():
        row = tables["flags_by_checker"][category]
        assert float(str(row["d_prime"])) == pytest.approx(planted, abs=0.3), category
        assert float(str(row["d_low"])) - 0.1 < planted < float(str(row["d_high"])) + 0.1, category
    order = sorted(
        PLANTED, key=lambda name: float(str(tables["flags_by_checker"][name]["hit_rate"]))
    )
    assert order == sorted(PLANTED, key=PLANTED.__getitem__)


def test_what_is_right_is_flagged_as_often_as_planted(
    tables: dict[str, dict[str, dict[str, object]]],
) -> None:
    row = tables["flags_by_checker"]["no violation (false alarms)"]
    planted = norm.expect(lambda ready: expit(-3.0 + 0.8 * ready))
    assert float(str(row["hit_rate"])) == pytest.approx(planted, abs=0.012)
    assert row["d_prime"] is None


def test_counts_stand_beside_judgements(tables: dict[str, dict[str, dict[str, object]]]) -> None:
    theirs, ours = tables["objective"]["generative"], tables["objective"]["neurosymbolic"]
    assert float(str(ours["wrong"])) < 1
    assert float(str(ours["wrong"])) < float(str(theirs["wrong"])) / 4
    assert float(str(ours["fulfilled"])) >= 0.8
    assert 0 <= float(str(theirs["fulfilled"])) <= 1


PEOPLE = [FlagCounts(3, 5, 1, 50), FlagCounts(1, 5, 2, 50), FlagCounts(4, 6, 0, 40)]


def probit(people: list[FlagCounts]) -> float:
    """The same regression by statsmodels: a constant, offsets from false alarms, half a hit of one
    more viewing.
    """
    total = FlagCounts(
        0, 0, sum(own.false_alarms for own in people), sum(own.noise for own in people)
    )
    offsets = [norm.ppf((own.false_alarms + 0.5) / (own.noise + 1)) for own in [*people, total]]
    seen = np.array([*((own.hits, own.signals - own.hits) for own in people), (0.5, 0.5)])
    family = sm.families.Binomial(link=sm.families.links.Probit())
    return float(
        sm.GLM(seen, np.ones(len(seen)), family=family, offset=offsets).fit(tol=1e-12).params[0]
    )


def test_d_prime_is_a_probit_regression_with_an_interval_over_people() -> None:
    estimate = sensitivity(PEOPLE, 0.95)
    assert estimate.value == pytest.approx(probit(PEOPLE), abs=1e-6)
    # The added viewing keeps everybody's false alarms; without it each leave-one-out fit is the
    # regression of the others.
    many = PEOPLE * 20
    left = np.array([probit([*many[:at], *many[at + 1 :]]) for at in range(3)])
    se = ((len(many) - 1) / len(many) * 20 * ((left - left.mean()) ** 2).sum()) ** 0.5
    assert sensitivity(many, 0.95).se == pytest.approx(se, rel=0.02)
    assert estimate.low is not None
    assert estimate.low < estimate.value < (estimate.high or 0)  # type: ignore[operator]


def test_of_one_viewer_it_is_the_loglinear_d_prime() -> None:
    assert sensitivity(PEOPLE[:1], 0.95).value == pytest.approx(d_prime(3, 2, 1, 49).value)


def test_nobody_pulls_it_down_by_flagging_more_than_others() -> None:
    """Two viewers with d′ 2 and criteria far apart: all viewings together would give less."""
    ready, slow = (norm.cdf([criterion, criterion + 2]) * 10_000 for criterion in (-1.0, -3.0))
    people = [FlagCounts(round(hit), 10_000, round(false), 10_000) for false, hit in (ready, slow)]
    assert sensitivity(people, 0.95).value == pytest.approx(2.0, abs=0.01)
    together = np.sum([(own.hits, own.false_alarms) for own in people], axis=0)
    assert d_prime(
        together[0], 20_000 - together[0], together[1], 20_000 - together[1]
    ).value == pytest.approx(1.4, abs=0.1)


def test_without_a_violation_it_is_undefined_and_says_why() -> None:
    assert sensitivity([FlagCounts(0, 0, 1, 50)], 0.95).reason == "no such violation was viewed"
    assert sensitivity([], 0.95).reason == "no such violation was viewed"

"""How many judges show that one leads the other: claims that the plan does not make."""

from __future__ import annotations

import pytest

from believable.app.power import with_claims
from believable.core.errors import InvalidInput
from believable.protocols.ladder.people import LadderTruth, marginal_strengths, values
from believable.simulate.power_curve import power_curve

CLAIM = "lead:standin_human-standin_agent>=.10"


def test_a_claim_is_answered_and_the_study_stays_as_it_is(ready):
    definition = ready("ladder")
    asked = with_claims(definition, [CLAIM])
    assert [claim.id for claim in definition.study.analysis.hypotheses] == ["H1", "H2", "H3"]
    claim = asked.study.analysis.hypotheses[-1]
    assert (claim.outcome, claim.about) == ("lead", "standin_human-standin_agent")
    assert (claim.criterion, claim.value) == ("at_least", 0.1)
    shares = {}
    for span in (0.0, 3.0):
        points = power_curve(asked, [40], studies=10, seed=1, truth={"span": span}, workers=1)
        shares[span] = next(point.power.value for point in points if point.what == "claim1")
    assert shares[0.0] < 0.4 < 0.6 < shares[3.0]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("lead", "expected OUTCOME:ABOUT>=VALUE"),
        ("leed:standin_human-standin_agent>=.1", "unknown outcome 'leed'. Did you mean 'lead'"),
        ("lead:standin_human>=.1", "lead is not about 'standin_human'"),
    ],
)
def test_a_claim_that_cannot_be_read_says_why(ready, written, message):
    with pytest.raises(InvalidInput, match=message):
        with_claims(ready("ladder"), [written])


def test_the_assumed_lead_is_that_of_the_choices(simulated, resolved):
    truth = LadderTruth(clip_sd=0.0)
    sessions, _ = simulated("ladder", 4, truth)
    known = values(truth, sessions)
    about = "standin_human-standin_agent"
    own = marginal_strengths(truth, 6)
    assert known[f"strength.{about}"] == pytest.approx(own[0] - own[-1])
    assert 0.3 < known[f"lead.{about}"] < 0.5
    assert known[f"lead.{about}"] > known["lead.standin_human-standin_halting"]

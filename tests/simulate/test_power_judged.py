"""Power counts every simulated study, and says in how many a test was undefined or a criterion left
open.
"""

from __future__ import annotations

import pytest

from believable.analysis.findings import Finding
from believable.analysis.power_record import SimulatedPower, share_words
from believable.analysis.verdicts import undefined_because
from believable.app.power import as_csv
from believable.cli.power import curves_text
from believable.simulate.power_curve import PowerPoint, SimulatedVerdict, _point
from believable.stats.estimate import Estimate, undefined
from believable.stats.result import no_result
from believable.study.declaration import Hypothesis

REASON = "needs at least 6 annotators, got 5"
MET, MISSED, OPEN, UNDEFINED = (
    SimulatedVerdict(True),
    SimulatedVerdict(False),
    SimulatedVerdict(None),
    SimulatedVerdict(None, REASON),
)
H1 = Hypothesis.model_validate(
    {"id": "H1", "text": "Alike.", "outcome": "score", "criterion": "equivalent"}
)


def point_of(
    met: int = 0, missed: int = 0, n_open: int = 0, n_undefined: int = 0, participants: int = 14
) -> PowerPoint:
    verdicts = [MET] * met + [MISSED] * missed + [OPEN] * n_open + [UNDEFINED] * n_undefined
    return _point(participants, "H1", [{"H1": verdict} for verdict in verdicts], 0.95)


def test_studies_with_an_undefined_test_count_as_not_met_and_are_named() -> None:
    point = point_of(met=60, missed=13, n_undefined=177)
    assert (point.met, point.judged, point.undefined, point.studies) == (60, 73, 177, 250)
    assert point.power.value == 60 / 250
    text = curves_text([point], 0.8)
    assert (
        f"undefined in 177 of 250 simulated studies – most often: {REASON}; these count as not met"
        in text
    )
    assert "left open" not in text
    assert "the test is undefined too often" in text
    assert "Share of 250 simulated studies" in text
    assert as_csv([point]).splitlines()[1].startswith("14,H1,60,73,0.24,")
    assert as_csv([point]).splitlines()[1].endswith(",177")


def test_a_criterion_that_the_interval_leaves_open_is_not_undefined() -> None:
    text = curves_text([point_of(met=5, n_open=15)], 0.8)
    assert "left open by the interval in 15 of 20 studies; these count as not met" in text
    assert "undefined" not in text
    always = point_of(n_open=20)
    assert always.power.value == 0


def test_a_test_that_is_missing_in_a_study_is_undefined_there() -> None:
    point = _point(9, "score A", [{"score A": MET}, {}, {}], 0.95)
    assert (point.undefined, point.reason) == (2, "there was no test")


def test_a_test_that_was_never_defined_has_no_power() -> None:
    point = point_of(n_undefined=20, participants=3)
    assert point.power.value is None
    assert "    3  undefined in 20 of 20 simulated studies" in curves_text([point], 0.8)


def test_nothing_is_said_if_all_could_be_judged() -> None:
    text = curves_text([point_of(met=20)], 0.8)
    assert "undefined" not in text
    assert "left open" not in text


def test_registrations_and_the_checklist_say_it_too() -> None:
    point = SimulatedPower(
        participants=14,
        what="H1",
        met=60,
        judged=73,
        share=0.24,
        low=0.19,
        high=0.3,
        undefined=177,
        reason=REASON,
    )
    words = f"undefined in 177 of 250 simulated studies – most often: {REASON}"
    assert share_words(point, 250) == f"0.24 [0.19, 0.30] ({words}, counted as not met)"
    assert (
        share_words(
            SimulatedPower(
                participants=14, what="H1", met=60, judged=250, share=0.24, low=0.19, high=0.3
            ),
            250,
        )
        == "0.24 [0.19, 0.30]"
    )


@pytest.mark.parametrize(
    ("shares", "claim", "advice"),
    [
        ((0, 0), H1, "The assumed truth may lie outside the margin, or too close to it"),
        ((10, 10), None, "The assumed truth may lie too close to no effect"),
        ((100, 300), None, "try more participants: more studies will not change that"),
        ((100, 400), None, "more studies narrow the intervals"),
    ],
)
def test_the_advice_is_one_that_can_help(
    shares: tuple[int, int], claim: Hypothesis | None, advice: str
) -> None:
    points = [
        point_of(met=met, missed=500 - met, participants=n)
        for n, met in zip((20, 80), shares, strict=True)
    ]
    text = curves_text(points, 0.8, {} if claim is None else {"H1": claim})
    assert advice in text
    assert ("narrow the intervals" in text) == ("narrow" in advice)


def criterion(name: str) -> Hypothesis:
    value = {"value": 0.5} if name not in ("significant", "equivalent") else {}
    return Hypothesis.model_validate(
        {"id": "H1", "text": "x", "outcome": "score", "criterion": name} | value
    )


def test_the_reason_is_that_of_the_test_or_the_interval() -> None:
    test = no_result(REASON, method="t", n=5)
    nothing = undefined("no variance", method="r", n=5)
    wide = Estimate(value=0.5, low=0.1, high=0.9, level=0.95, n=5, method="r")
    flat = Estimate(value=0.5, low=0.5, high=0.5, level=0.95, n=5, method="r")
    assert (
        undefined_because(
            criterion("significant"),
            Finding(outcome="score", title="", sentence="", estimate=wide, test=test),
        )
        == REASON
    )
    assert (
        undefined_because(criterion("significant"), Finding(outcome="score", title="", sentence=""))
        == "there was no test"
    )
    assert (
        undefined_because(
            criterion("at_most"), Finding(outcome="score", title="", sentence="", estimate=nothing)
        )
        == "no variance"
    )
    assert (
        undefined_because(
            criterion("at_most"), Finding(outcome="score", title="", sentence="", estimate=flat)
        )
        == "the interval has no width"
    )
    assert (
        undefined_because(
            criterion("at_most"), Finding(outcome="score", title="", sentence="", estimate=wide)
        )
        == ""
    )

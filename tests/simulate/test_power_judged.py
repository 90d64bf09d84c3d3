"""Power counts every simulated study, and says in how many a criterion could be judged."""

from __future__ import annotations

from believable.cli.power import curves_text
from believable.simulate.power_curve import _point


def test_studies_that_could_not_be_judged_count_as_not_met_and_are_named() -> None:
    verdicts = [{"H1": True}] * 60 + [{"H1": False}] * 13 + [{"H1": None}] * 177
    point = _point(14, "H1", verdicts, 0.95)
    assert (point.met, point.judged, point.studies) == (60, 73, 250)
    assert point.power.value == 60 / 250
    text = curves_text([point], 0.8)
    assert "could be judged in 73 of 250 studies; the others count as not met" in text
    assert "Share of 250 simulated studies" in text


def test_a_criterion_that_was_never_judged_has_no_power() -> None:
    point = _point(3, "H1", [{"H1": None}] * 20, 0.95)
    assert point.power.value is None
    assert "it could be judged in none of 20 studies" in curves_text([point], 0.8)


def test_nothing_is_said_if_all_could_be_judged() -> None:
    assert "could be judged" not in curves_text([_point(30, "H1", [{"H1": True}] * 20, 0.95)], 0.8)

"""`hntt` with few judges, and with judges who are all alike: possible intervals, no contradiction,
no verdict without width.
"""

from __future__ import annotations

from typing import Any

import pytest

from believable.analysis.findings import Analysis
from believable.analysis.run import run


def analysed(studies: Any, judges: int, accuracy: float) -> Analysis:
    plan = {**studies.COMPARING["analysis"], "stopping": None}
    return run(
        studies.judges(
            judges, seed=2, accuracy=accuracy, tree={**studies.COMPARING, "analysis": plan}
        )
    )


@pytest.mark.parametrize("accuracy", [0.3, 0.75])
def test_three_judges_have_no_interval_that_cannot_be(studies: Any, accuracy: float) -> None:
    analysis = analysed(studies, 3, accuracy)
    for finding in analysis.findings:
        if finding.outcome not in ("accuracy", "median_accuracy"):
            continue
        estimate = finding.estimate
        assert estimate is not None
        assert estimate.low is None or (
            estimate.high is not None and 0 <= estimate.low <= estimate.high <= 1
        )
        if finding.outcome == "median_accuracy":
            assert estimate.low is None
            assert "3 values are too few for a median" in finding.sentence
            assert finding.supported is None


def test_judges_who_are_all_right_have_a_mean_of_one_wherever_it_is_printed(studies: Any) -> None:
    analysis = analysed(studies, 12, 0.9999)
    findings = [finding for finding in analysis.findings if finding.outcome == "accuracy"]
    assert len(findings) == 2
    for finding in findings:
        assert finding.estimate is not None
        assert finding.estimate.value == 1
        assert "1.00" in finding.sentence
        assert "undefined" not in finding.sentence


def test_a_median_without_width_passes_nothing(studies: Any) -> None:
    analysis = analysed(studies, 12, 0.9999)
    (finding,) = (finding for finding in analysis.findings if finding.outcome == "median_accuracy")
    assert finding.estimate is not None
    assert finding.estimate.low == finding.estimate.high == 1
    assert finding.supported is None
    assert "pass" not in finding.sentence.replace("passes by no", "")
    (hypothesis,) = (row for row in analysis.hypotheses if row.id == "H2")
    assert hypothesis.verdict == "cannot be judged, because its interval has no width"

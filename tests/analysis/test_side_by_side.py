"""Several studies of one protocol in one report."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from believable.analysis.run import run
from believable.analysis.side_by_side import side_by_side
from believable.core.errors import InvalidInput
from believable.report.page import page


def analyses(studies):
    quick = {"resamples": 300, "criterion_studies": 20}
    plan = {
        **studies.COMPARING["analysis"],
        "options": quick,
        "stopping": {"rule": "after_exclusions", "n": 12},
    }
    trees = [
        {**studies.COMPARING, "title": title, "analysis": plan}
        for title in ("Symbolic", "Hybrid", "Shaped")
    ]
    return [
        run(studies.judges(12, seed=place, accuracy=accuracy, tree=tree))
        for place, (accuracy, tree) in enumerate(zip((0.85, 0.8, 0.5), trees, strict=True))
    ]


def test_tables_stand_under_each_other_and_nothing_is_pooled(studies):
    three = analyses(studies)
    together = side_by_side(three)
    merged = next(table for table in together.tables if table.name == "accuracy")
    assert [column.name for column in merged.columns][:2] == ["study", "agent"]
    assert len(merged.rows) == 3
    for place, analysis in enumerate(three):
        own = next(table for table in analysis.tables if table.name == "accuracy")
        assert merged.rows[place][1:] == own.rows[0]
    chart = next(
        chart
        for section in together.sections
        for chart in section.charts
        if chart.name == "accuracy"
    )
    assert chart.use["category"] == "study"
    assert len(together.hypotheses) == sum(len(analysis.hypotheses) for analysis in three)
    assert together.source.simulated
    html = page(together, draw=lambda spec: "<svg></svg>", script=lambda: "").html
    assert "3 studies side by side" in html
    assert html.count("Adjusted for the number of primary tests.") == 1, (
        "p values at a glance are marked as adjusted"
    )
    assert "came in" not in html, "each study has its own flow"


def test_results_that_were_registered_are_counted(studies):
    three = analyses(studies)
    registered = [
        replace(
            analysis,
            hypotheses=tuple(
                replace(
                    row,
                    findings=tuple(
                        replace(finding, status="confirmatory") for finding in row.findings
                    ),
                )
                for row in analysis.hypotheses
            ),
        )
        for analysis in three
    ]
    count = sum(len(row.findings) for analysis in three for row in analysis.hypotheses)
    html = page(side_by_side(registered), draw=lambda spec: "<svg></svg>", script=lambda: "").html
    assert re.search(rf">{count}<.{{0,80}}confirmatory results", html, re.DOTALL)


def test_different_protocols_and_single_studies_are_refused(studies):
    three = analyses(studies)
    with pytest.raises(InvalidInput, match="two or more of one protocol"):
        side_by_side(three[:1])
    with pytest.raises(InvalidInput, match="of clips and hntt"):
        side_by_side([three[0], run(studies.ratings(6))])

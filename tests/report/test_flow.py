"""The flow of participants: branches say what they count, and every line reaches what it leads
to.
"""

from __future__ import annotations

import re

from believable.analysis.findings import FlowStep
from believable.report.colours import PAGE
from believable.report.flow import funnel_svg

STEPS = (
    FlowStep("Sessions in the dataset", 40, 40, ""),
    FlowStep("Complete", 40, 36, "did not reach the end"),
    FlowStep("Traces that were used", 34, 34, "hardly any input", "RankTrace", "traces"),
    FlowStep("Traces that were used", 38, 37, "hardly any input", "BTrace", "traces"),
    FlowStep("Traces like the others", 37, 35, "unlike all others", "BTrace", "traces"),
    FlowStep("Participants with two valid traces", 36, 31, "had fewer than two valid traces"),
)


def test_a_branch_says_what_it_counts() -> None:
    drawing = funnel_svg(STEPS, PAGE)
    assert ">RankTrace, traces<" in drawing
    assert ">BTrace, traces<" in drawing


def test_the_line_of_a_shorter_branch_begins_at_its_last_box() -> None:
    """Two boxes in one branch and three in the other: both lines go from the lower edge of a box to
    the junction.
    """
    drawing = funnel_svg(STEPS, PAGE)
    boxes = [
        (int(x), int(y) + int(height))
        for x, y, height in re.findall(
            r'<rect x="(\d+)" y="(\d+)" width="\d+" height="(\d+)"', drawing
        )
    ]
    ends = re.findall(r'd="M(\d+) (\d+)V(\d+)H60"', drawing)
    assert len(ends) == 2
    assert len({junction for _, _, junction in ends}) == 1
    for middle, begin, _ in ends:
        assert any(abs(int(middle) - 60 - x) <= 1 and int(begin) == lower for x, lower in boxes)

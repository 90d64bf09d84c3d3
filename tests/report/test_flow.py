"""The flow of participants: branches say what they count, and every line reaches what it leads
to.
"""

from __future__ import annotations

import re

from believable.analysis.findings import FlowStep
from believable.report.colours import PAGE
from believable.report.flow import funnel_svg

STEPS = (
    FlowStep(title="Sessions in the dataset", before=40, after=40, reason=""),
    FlowStep(title="Complete", before=40, after=36, reason="did not reach the end"),
    FlowStep(
        title="Traces that were used",
        before=34,
        after=34,
        reason="hardly any input",
        branch="RankTrace",
        unit="traces",
    ),
    FlowStep(
        title="Traces that were used",
        before=38,
        after=37,
        reason="hardly any input",
        branch="BTrace",
        unit="traces",
    ),
    FlowStep(
        title="Traces like the others",
        before=37,
        after=35,
        reason="unlike all others",
        branch="BTrace",
        unit="traces",
    ),
    FlowStep(
        title="Participants with two valid traces",
        before=36,
        after=31,
        reason="had fewer than two valid traces",
    ),
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

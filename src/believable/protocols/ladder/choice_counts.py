"""Pair by pair: what was chosen, and what the model of all choices says; and the sides of the
screen.
"""

from __future__ import annotations

import math

from believable.analysis.findings import LOOSE_CELL, Finding, Section, Undefined, number_or
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, estimate_words
from believable.protocols.ladder.pair_choices import Ladder
from believable.stats.crossed_contrasts import crossed_share_test

LAYOUTS = Layouts(__file__)


def counts_section(ladder: Ladder) -> Section:
    """The choices of each pair next to those that the model expects."""
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for first, second in ladder.pairs:
        scores = ladder.choices.between(first, second)
        counts = [int((scores == value).sum()) for value in (1.0, 0.5, 0.0)]
        expected = _expected(ladder, first, second)
        none = Undefined(ladder.fit.reason or "no estimate")
        rows.append(
            (
                f"{first}-{second}",
                len(scores),
                *counts,
                number_or(
                    float(scores.mean()) if len(scores) else None,
                    "the two were never shown together",
                ),
                none if expected is None else expected,
            )
        )
    side = _side_preference(ladder)
    return LAYOUTS.section(
        "pairs",
        findings=(side,) if side is not None else (),
        tables=(LAYOUTS.table("pairs", rows),),
    )


def _expected(ladder: Ladder, first: str, second: str) -> float | None:
    """The share of choices of the first that the model expects, ties counting half."""
    a, b = ladder.fit.of(first).value, ladder.fit.of(second).value
    if a is None or b is None:
        return None
    nu = 0.0 if ladder.fit.tie is None or ladder.fit.tie.value is None else ladder.fit.tie.value
    half = (a - b) / 2
    whole = math.exp(half) + math.exp(-half) + nu
    return (math.exp(half) + nu / 2) / whole


def _side_preference(ladder: Ladder) -> Finding | None:
    """Test whether judges preferred a side. Judges are the units."""
    judged = ladder.choices
    own = judged.side_known & (judged.score != 0.5)
    if not own.any():
        return None
    first = judged.score[own] == 1
    pairs = [" / ".join(sorted(map(str, clips))) for clips in judged.clips[own].tolist()]
    test = crossed_share_test(
        first, judged.judge[own], pairs, over="judges", level=ladder.plan.level
    )
    mean = (
        ""
        if test.estimate is None
        else f": a mean share of {estimate_words(test.estimate)} over judges"
    )
    return Finding(
        outcome="side",
        title="Side of the screen",
        sentence=f"Player A (left) was chosen in {int(first.sum())} of"
        f" {counted(len(first), 'decided choice')}{mean}.",
        estimate=test.estimate,
        test=test,
    )

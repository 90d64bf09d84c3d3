"""Telemetry in the windows of traces: means, counts of events, correlations within rounds."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from believable.analysis import data as analysis_data
from believable.analysis.resolution import default_plan
from believable.bundle.memory import bundle
from believable.protocols.trace.analysis import analyse, clean
from believable.protocols.trace.round_telemetry import DRAWN, in_windows, per_window


def test_means_and_counts_per_window() -> None:
    times = np.array([0.0, 2999.0, 3000.0, 9000.0])
    assert in_windows(times, np.array([1.0, 3.0, 5.0, 9.0]), 3, 3000)[:2].tolist() == [2.0, 5.0]
    assert np.isnan(in_windows(times, np.array([1.0, 3.0, 5.0, 9.0]), 3, 3000)[2])
    assert per_window(times, 3, 3000).tolist() == [2.0, 1.0, 0.0]


def study(make: Any, people: int = 8) -> Any:
    """The health of the opponent falls while the trace rises; hits come with rises."""
    rng = np.random.default_rng(4)
    rows: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("participants", "trials", "traces", "answers", "telemetry")
    }
    for number in range(people):
        session = f"s{number}"
        rows["participants"].append({"session": session, "arm_tool": "ranktrace"})
        for place in (1, 2):
            made = make.ranktrace(session, place, rng)
            key = {
                "session": session,
                "position": 2 * place,
                "trial": "annotate",
                "trial_key": f"a{place}",
            }
            key |= {"stimulus": f"round:r{place}", "condition": ("calm", "frustrated")[place - 1]}
            rows["trials"].append(key | {"kind": "watch"})
            rows["traces"] += [
                key
                | {
                    "instrument": "ranktrace",
                    "media_ms": float(t),
                    "value": float(v),
                    "input": "wheel",
                }
                for t, v in zip(made.media_ms, made.value, strict=True)
            ]
            for tick, t_ms in enumerate(range(0, 60_000, 500)):
                level = (
                    float(made.value[made.media_ms <= t_ms][-1])
                    if (made.media_ms <= t_ms).any()
                    else 0.0
                )
                rows["telemetry"].append(
                    {
                        "session": session,
                        "position": 2 * place - 1,
                        "run": 0,
                        "tick": tick,
                        "t_ms": t_ms,
                        "score": 0,
                        "player_health": 100,
                        "opponent_health": int(50 - level),
                        "player_x": 0.0,
                        "player_y": 0.0,
                        "player_heading_deg": 0,
                        "opponent_x": 0.0,
                        "opponent_y": 0.0,
                        "opponent_heading_deg": 0,
                        "distance": 1.0 + rng.normal(),
                        "move_x": 0,
                        "move_y": 0,
                        "shoot": False,
                        "bomb": False,
                        "events": "hit" if tick % 10 == 0 else None,
                    }
                )
        rows["answers"].append(
            {
                "session": session,
                "position": 9,
                "trial": "choice",
                "trial_key": "choice",
                "question": "preference",
                "kind": "preference",
                "value_text": ("first", "second")[number % 2],
            }
        )
    plan = default_plan("trace", None)
    data = analysis_data.load(bundle(rows), plan, None)
    return clean(data, plan), plan


def test_what_falls_while_the_trace_rises_is_found(make: Any) -> None:
    data, plan = study(make)
    sections = {one.name: one for one in analyse(data, plan, np.random.default_rng(1))}
    section = sections["telemetry"]
    assert section.status == "exploratory"
    table = next(table for table in section.tables if table.name == "telemetry_correlations")
    rows = {row[0]: row for row in table.rows}
    assert set(rows) == {
        "score",
        "player health",
        "opponent health",
        "distance",
        "shoot",
        "bomb",
        "event: hit",
    }
    assert rows["opponent health"][3] < -0.8
    assert rows["score"][3] is None
    assert (
        table.undefined[[row[0] for row in table.rows].index("score"), "r"]
        == "a measure does not vary within people"
    )
    assert "opponent health" in section.findings[0].sentence
    drawn = next(table for table in section.tables if table.name == "telemetry_examples")
    assert {"trace", "opponent health"} <= set(drawn.column("channel"))
    assert len(set(drawn.column("channel"))) <= 1 + DRAWN, "more lines could not be told apart"
    panels = list(dict.fromkeys(str(name) for name in drawn.column("trace")))
    assert 0 < len(panels) <= 4
    assert all(re.fullmatch(r"\w+, round [12]: .+", name) for name in panels), (
        "a round is shown with its condition"
    )


def test_without_telemetry_there_is_no_such_section(make: Any) -> None:
    data, plan = study(make)
    tables = {
        name: list(data.bundle[name].rows())
        for name in ("participants", "trials", "traces", "answers")
    }
    again = clean(analysis_data.load(bundle(tables), plan, None), plan)
    assert "telemetry" not in {one.name for one in analyse(again, plan, np.random.default_rng(1))}

"""The time line of a stimulus: actions, plan, flags and traces joined, with a link to every
moment.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from believable.analysis import data as analysis_data
from believable.analysis.data import Data
from believable.analysis.moments import join, link, moments
from believable.analysis.resolution import default_plan
from believable.analysis.settled_plan import Plan
from believable.bundle.memory import bundle

RNG = np.random.default_rng(1)
STEP = 4000
NAMES = ("enter", "cook", "vanish", "sleep")


def study(*, flags: bool = True, traces: bool = False, logged: bool = True) -> tuple[Data, Plan]:
    """Twelve people watch one recording. `vanish` is flagged by nine of them, `cook` by one; traces
    fall at `vanish`.
    """
    rows: dict[str, list[dict[str, Any]]] = {
        name: []
        for name in ("participants", "trials", "flags", "views", "traces", "actions", "plans")
    }
    for number in range(12):
        page = {"session": f"s{number}", "position": 1, "stimulus": "monday"}
        rows["participants"].append({"session": page["session"]})
        trial = page | {"trial": "day", "trial_key": "day", "condition": "ours"}
        rows["trials"].append(trial | {"kind": "watch"})
        rows["views"].append(page | {"from_ms": 0, "to_ms": 16_000, "rate": 1.0})
        if flags and number < 9:
            rows["flags"].append(page | {"media_ms": 9000.0, "action": "vanish"})
        if flags and number == 9:
            rows["flags"].append(page | {"media_ms": 5000.0, "action": "cook"})
        if traces:
            rows["traces"] += [
                trial
                | {"instrument": "ranktrace", "media_ms": at, "value": value, "input": "wheel"}
                for at, value in ((1000.0, 5.0), (9500.0, 0.0 + 0.1 * number))
            ]
    if logged:
        rows["actions"] = [
            {
                "stimulus": "monday",
                "action": name,
                "verb": name,
                "from_ms": STEP * n,
                "to_ms": STEP * (n + 1),
            }
            for n, name in enumerate(NAMES)
        ]
        rows["plans"] = [
            {
                "stimulus": "monday",
                "log": "memory",
                "step": "d",
                "actor": "ada",
                "level": 0,
                "from_ms": 0,
                "to_ms": 16_000,
                "text": "a day",
            },
            {
                "stimulus": "monday",
                "log": "memory",
                "step": "e",
                "actor": "ada",
                "parent": "d",
                "level": 1,
                "from_ms": 4000,
                "to_ms": 12_000,
                "text": "eat",
            },
        ]
    plan = default_plan("replay", None)
    return analysis_data.load(bundle(rows), plan, None), plan


def test_the_worst_action_comes_first_with_its_plan_and_its_clip() -> None:
    (section,) = moments(*study(), RNG)
    table = next(table for table in section.tables if table.name == "moments")
    assert table.title == "Actions that broke belief"
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    assert [(row["rank"], row["action"], row["viewers"], row["flagged"]) for row in rows] == [
        (1, "vanish", 12, 9),
        (2, "cook", 12, 1),
    ]
    assert [(row["at"], row["from_s"], row["to_s"]) for row in rows] == [
        ("0:08.0", 8.0, 12.0),
        ("0:04.0", 4.0, 8.0),
    ]
    assert rows[0]["planned"] == "eat"
    assert rows[0]["link"] == "stimulus:monday@7000"
    assert "flagged by 9 of 12 viewers" in section.findings[0].sentence
    assert section.status == "exploratory"


def test_the_time_line_has_lanes_for_plan_actions_and_flags() -> None:
    (section,) = moments(*study(), RNG)
    table = next(table for table in section.tables if table.name == "moments_timeline")
    lanes = table.column("lane")
    assert [
        lanes.count(lane) for lane in ("plan, level 1", "plan, level 2", "actions", "flags")
    ] == [1, 1, 4, 2]
    chart = next(chart for chart in section.charts if chart.kind == "spans")
    assert set(chart.use.values()) <= {column.name for column in table.columns}
    assert all(str(one).startswith("stimulus:monday@") for one in table.column("link"))


def test_traces_alone_rank_by_their_fall() -> None:
    (section,) = moments(*study(flags=False, traces=True), RNG)
    table = next(table for table in section.tables if table.name == "moments")
    assert table.title == "Actions on which traces fell"
    assert table.rows[0][3] == "vanish"
    assert not {"viewers", "flagged", "share"} & {column.name for column in table.columns}, (
        "nobody was asked to flag"
    )
    assert any(chart.name == "moments_traces" for chart in section.charts)


def test_flags_alone_say_nothing_about_traces() -> None:
    (section,) = moments(*study(flags=True, traces=False), RNG)
    (words,) = section.paragraphs
    assert (
        words == "Actions are ranked by the lower bound of the share of viewers who flagged them."
    )
    table = next(table for table in section.tables if table.name == "moments")
    assert "fall" not in {column.name for column in table.columns}


def test_without_a_log_stretches_take_the_place_of_actions() -> None:
    data, plan = study(flags=False, traces=True, logged=False)
    (joined,) = join(data, plan)
    assert not joined.logged
    assert joined.actions.ids == ("0 s", "3 s", "6 s", "9 s")
    (section,) = moments(data, plan, RNG)
    assert section.findings[0].sentence.startswith("9 s") or section.findings[
        0
    ].sentence.startswith("6 s")


def test_nothing_flagged_and_nothing_annotated_gives_no_section() -> None:
    assert moments(*study(flags=False), RNG) == ()


def test_clips_begin_shortly_before_also_in_time_lapse() -> None:
    assert link("a", 500) == "stimulus:a@0"
    assert link("a", 5000) == "stimulus:a@4000"
    assert link("a", 3_600_000, 86_400_000) == f"stimulus:a@{3_600_000 - 172_800}"


def test_undefined_cells_explain_themselves() -> None:
    for options in ({}, {"traces": True}, {"flags": False, "traces": True}):
        (section,) = moments(*study(**options), RNG)
        table = next(table for table in section.tables if table.name == "moments")
        for number, row in enumerate(table.rows):
            for column, cell in zip(table.columns, row, strict=True):
                assert cell is not None or (number, column.name) in table.undefined


@pytest.mark.parametrize("stimulus", ["round:r1"])
def test_own_rounds_are_left_out(stimulus: str) -> None:
    data, plan = study(flags=False, traces=True)
    tables = {
        name: [
            row | ({"stimulus": stimulus} if "stimulus" in row else {})
            for row in data.bundle[name].rows()
        ]
        for name in ("participants", "trials", "traces", "views")
    }
    assert moments(analysis_data.load(bundle(tables), plan, None), plan, RNG) == ()

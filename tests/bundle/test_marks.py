"""Plans of recordings and traces as rows of a bundle."""

from __future__ import annotations

from typing import Any

import pytest

from believable.bundle.marks import PLANS, Happening, Logs, plan_rows, trace_rows
from believable.recordings.actions import ActionLog
from believable.recordings.recording import Actor, PlanStep
from believable.study.definition import REPLAY_TYPE, Definition, Medium


class _Known(Logs):
    """Logs that need no files."""

    def __init__(self, log: ActionLog) -> None:
        super().__init__(None)
        self._log = log

    def of(self, medium: Medium | None) -> ActionLog | None:
        return self._log if medium is not None and medium.is_replay else None


def test_every_step_once_per_version_of_a_file() -> None:
    steps = (
        PlanStep(id="d", actor="ada", parent=None, level=0, t0_ms=0, t1_ms=900, text="a day"),
        PlanStep(id="e", actor="ada", parent="d", level=1, t0_ms=100, t1_ms=400, text="eat"),
    )
    log = ActionLog((Actor("ada", "Ada", ""),), (), steps)
    media = {
        "monday": Medium(digest="a" * 64, bytes=10, duration_ms=900, media_type=REPLAY_TYPE),
        "film": Medium(digest="b" * 64, bytes=10, duration_ms=900, media_type="video/mp4"),
    }
    one = Definition(study=None, tree={}, media=media)  # type: ignore[arg-type]
    rows = [row for place in _Known(log).each([one, one]) for row in plan_rows(*place)]
    assert [
        (row["stimulus"], row["step"], row["parent"], row["level"], row["text"]) for row in rows
    ] == [("monday", "d", None, 0, "a day"), ("monday", "e", "d", 1, "eat")]
    assert set(rows[0]) == set(PLANS.columns)


def trace(kind: str, seq: int = 1, at_ms: int | None = 50_000, **data: Any) -> Happening:
    return Happening(seq, kind, 0, at_ms, 9_000.0, data)


def rows_of(*events: Happening) -> list[dict[str, Any]]:
    return [dict(row) for row in trace_rows(events, lambda event: {"session": "s"})]


def test_a_hold_of_three_seconds_is_31_labels() -> None:
    rows = rows_of(
        trace("trace.mark", 1, 47_000, sign=-1, media_ms=1_000, frame=31, input="key"),
        trace(
            "trace.hold",
            2,
            sign=-1,
            from_ms=1_000,
            media_ms=4_000,
            repeat_ms=100,
            frame=121,
            input="key",
        ),
    )
    assert [row["media_ms"] for row in rows] == list(range(1_000, 4_001, 100))
    assert {row["value"] for row in rows} == {-1}
    assert [row["at_ms"] for row in rows] == list(range(47_000, 50_001, 100))
    assert [row["frame"] for row in rows] == [31, *[None] * 30]


def test_single_presses_of_older_sessions_read_as_they_were() -> None:
    (row,) = rows_of(trace("trace.mark", sign=1, media_ms=700, frame=22, input="pointer"))
    assert (row["media_ms"], row["value"], row["frame"], row["input"]) == (700, 1, 22, "pointer")


@pytest.mark.parametrize(
    "wrong",
    [
        {"from_ms": None},
        {"repeat_ms": 0},
        {"repeat_ms": -5},
        {"from_ms": 9_000},
        {"media_ms": 1e300},
        {"from_ms": "1"},
    ],
)
def test_a_hold_that_no_browser_of_ours_made_gives_no_row(wrong: dict[str, Any]) -> None:
    data = {
        "sign": 1,
        "from_ms": 0,
        "media_ms": 4_000,
        "repeat_ms": 100,
        "frame": 1,
        "input": "key",
    }
    assert rows_of(trace("trace.hold", **(data | wrong))) == []

"""Plans of recordings as rows of a bundle."""

from __future__ import annotations

from believable.bundle.marks import Logs
from believable.bundle.plans import PLANS, plan_rows
from believable.replay.actions import ActionLog
from believable.replay.records import Actor, PlanStep
from believable.study.definition import REPLAY_TYPE, Definition, Medium


class _Known(Logs):
    """Logs that need no files."""

    def __init__(self, log: ActionLog) -> None:
        super().__init__(None)
        self._log = log

    def of(self, medium: Medium | None) -> ActionLog | None:
        return self._log if medium is not None and medium.is_replay else None


def test_every_step_once_per_version_of_a_file() -> None:
    steps = (PlanStep("d", "ada", None, 0, 0, 900, "a day"), PlanStep("e", "ada", "d", 1, 100, 400, "eat"))
    log = ActionLog((Actor("ada", "Ada", ""),), (), steps)
    media = {
        "monday": Medium("a" * 64, 10, 900, REPLAY_TYPE),
        "film": Medium("b" * 64, 10, 900, "video/mp4"),
    }
    one = Definition(None, {}, media=media)  # type: ignore[arg-type]
    rows = list(plan_rows([one, one], _Known(log)))
    assert [(row["stimulus"], row["step"], row["parent"], row["level"], row["text"]) for row in rows] == [
        ("monday", "d", None, 0, "a day"), ("monday", "e", "d", 1, "eat"),
    ]  # fmt: skip
    assert set(rows[0]) == set(PLANS.columns)

"""Which plan results follow: one answer for the command line, the console and releases."""

from __future__ import annotations

from pathlib import Path

from believable.study.declaration import DeclaredPlan
from believable.study.load import load


def plan_to_follow(folder: Path | None) -> DeclaredPlan | None:
    """The plan that `study.yaml` declares now. None without a folder: then a bundle's own
    definition has the plan.

    Sessions keep the definition they began with. A plan reaches no participant, so results follow
    its latest form, and every difference from the registered plan is listed as a deviation. Raises
    `StudyError` if `study.yaml` has problems.
    """
    return None if folder is None else load(folder).study.analysis

"""The rules of the town, and the findings of a check."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.core.nodes import read_plain

CATEGORIES = (
    "goal_inconsistency",
    "environment_rule",
    "temporal",
    "social_norm",
    "control_failure",
)
#: Rule → its category. The tests plant a violation of each.
RULES: Mapping[str, str] = {
    "serves nothing": "goal_inconsistency",
    "twice the same meal": "goal_inconsistency",
    "work elsewhere": "goal_inconsistency",
    "through a wall": "environment_rule",
    "too fast": "environment_rule",
    "not switched on": "environment_rule",
    "without what it takes": "environment_rule",
    "out of reach": "environment_rule",
    "more than fit": "environment_rule",
    "closed place": "environment_rule",
    "odd hour": "temporal",
    "odd duration": "temporal",
    "two things at once": "temporal",
    "no sleep": "temporal",
    "somebody's home": "social_norm",
    "staff only": "social_norm",
    "bathroom in use": "social_norm",
    "somebody's bed": "social_norm",
    "not paid": "social_norm",
    "talks to a sleeper": "social_norm",
    "no answer": "social_norm",
    "cannot be done": "control_failure",
    "to and fro": "control_failure",
    "idle": "control_failure",
    "again and again": "control_failure",
    "unwashed hands": "social_norm",
    "front door left open": "social_norm",
    "left switched on": "environment_rule",
    "late music": "social_norm",
    "late meal": "social_norm",
    "talk at night": "social_norm",
    "loud in the library": "social_norm",
    "dirty hands": "social_norm",
    "no break": "social_norm",
    "holds up the work": "social_norm",
    "once too often": "social_norm",
}
#: The rules of `manners.yaml`, which are in the code of neither mind. They are reported separately:
#: a mind that was built on the other rules differs from one that behaves well.
HIDDEN = frozenset(
    {
        *("late music", "late meal", "talk at night", "loud in the library", "dirty hands"),
        *("no break", "holds up the work", "once too often"),
    }
)
#: The `violations` of an action without any, and the suffix of a hidden norm.
NOTHING_WRONG, UNKNOWN_NORM = "none", "/unknown to minds"


@dataclass(frozen=True, slots=True, kw_only=True)
class TownViolation:
    """A violation of a rule by an action. `hidden`: no mind knows the norm."""

    rule: str
    category: str
    actor: str
    t_ms: int
    action: str
    reason: str
    hidden: bool

    @property
    def label(self) -> str:
        """The violation in the column `violations` of a recording."""
        return f"{self.category}/{self.rule}{UNKNOWN_NORM if self.hidden else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TownFindings:
    """The result of a check. `intentions` counts the plan steps of level 1 that name the activity
    that fulfils them.
    """

    actions: int
    violations: tuple[TownViolation, ...]
    intentions: int
    fulfilled: int
    activities: int
    talks: int
    skipped: tuple[str, ...] = ()

    @property
    def per_100(self) -> float | None:
        """Violations per 100 actions without hidden norms; None without actions."""
        known = sum(not violation.hidden for violation in self.violations)
        return None if self.actions == 0 else 100 * known / self.actions

    @property
    def intentions_fulfilled(self) -> float | None:
        return None if self.intentions == 0 else self.fulfilled / self.intentions

    def by_category(self, *, hidden: bool = False) -> dict[str, int]:
        counts = Counter(
            violation.category for violation in self.violations if violation.hidden == hidden
        )
        return {category: counts[category] for category in CATEGORIES}


def find_norm(activity: str | None) -> Mapping[str, Any]:
    """Return what `norms.yaml` says about an activity."""
    norm: Mapping[str, Any] = _norms()["activities"].get(activity, _norms()["otherwise"])
    return norm


@functools.cache
def _norms() -> Mapping[str, Any]:
    norms: Mapping[str, Any] = read_plain(Path(__file__).with_name("norms.yaml"))
    return norms

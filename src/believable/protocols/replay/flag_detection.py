"""How well flags separate violations from other actions: hits, false alarms, and d′."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr, ndtri

from believable.analysis.data import Data, logs
from believable.protocols.replay.watched_days import WatchedDay
from believable.simulate.demonstration import NOTHING_WRONG
from believable.stats.estimate import Estimate, undefined

FloatArray: TypeAlias = NDArray[np.float64]


CATEGORIES = (
    "goal_inconsistency",
    "environment_rule",
    "temporal",
    "social_norm",
    "control_failure",
)


#: The suffix of a violation of a norm that no mind knows.
UNKNOWN = "/unknown to minds"


#: Scoring needs five to ten.
MOST_STEPS = 100


@dataclass(frozen=True, slots=True)
class CheckedAction:
    """An action with its violations: categories and rules; norms that no mind knows are marked."""

    words: str
    text: str
    activity: str | None
    verb: str

    @property
    def parts(self) -> tuple[str, ...]:
        return () if self.words == NOTHING_WRONG else tuple(self.words.split("; "))

    @property
    def is_right(self) -> bool:
        return not self.parts

    def of_category(self, category: str) -> bool:
        return any(
            part.partition("/")[0] == category and not part.endswith(UNKNOWN) for part in self.parts
        )

    @property
    def breaks_unknown_norm(self) -> bool:
        return any(part.endswith(UNKNOWN) for part in self.parts)


Checked = Mapping[tuple[str, str], CheckedAction]


def checked_actions(data: Data) -> Checked:
    """By stimulus and action; empty where the recordings were not checked."""
    rows = data.table("actions")
    if "violations" not in rows.columns:
        return {}
    current = logs(data.bundle)
    checked: dict[tuple[str, str], CheckedAction] = {}
    for row in rows.rows():
        stimulus, words = str(row["stimulus"]), row["violations"]
        if words is None or current.get(stimulus, row["log"]) != row["log"]:
            continue
        activity = row["activity"]
        checked[stimulus, str(row["action"])] = CheckedAction(
            str(words),
            str(row["text"] or ""),
            None if activity is None else str(activity),
            str(row["verb"] or ""),
        )
    return checked


@dataclass(frozen=True, slots=True)
class FlagCounts:
    """One person's viewings of actions that are wrong in some way, and of those that are right, and
    how many were flagged.
    """

    hits: int = 0
    signals: int = 0
    false_alarms: int = 0
    noise: int = 0


def counts_of(
    seen: Sequence[WatchedDay], checked: Checked, is_signal: Callable[[CheckedAction], bool]
) -> dict[str, FlagCounts]:
    """By person."""
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for day in seen:
        own = totals[day.session]
        for action, viewed, flagged in zip(
            day.actions.ids, day.judged.viewed, day.judged.flagged, strict=True
        ):
            known = checked.get((day.stimulus, action))
            if known is None or not viewed:
                continue
            if is_signal(known):
                own["signals"] += 1
                own["hits"] += bool(flagged)
            elif known.is_right:
                own["noise"] += 1
                own["false_alarms"] += bool(flagged)
    return {
        person: FlagCounts(own["hits"], own["signals"], own["false_alarms"], own["noise"])
        for person, own in totals.items()
    }


def sensitivity(people: Iterable[FlagCounts], level: float) -> Estimate:
    """Estimate the d′ under which the hits of all viewers are most likely, each with the
    criterion of that viewer's false alarms.

    This is a probit regression with the criteria as offsets. Half a hit of one more viewing is
    added, which for one viewer is the loglinear correction. The interval is a jackknife over
    people.
    """
    method = "d′ from each viewer's own false alarms (probit), jackknife over people"
    everyone = list(people)
    rows = np.array(
        [
            (own.hits, own.signals, own.false_alarms, own.noise)
            for own in everyone
            if own.signals and own.noise
        ],
        dtype=np.float64,
    ).reshape(-1, 4)
    n = len(rows)
    if n == 0:
        any_signals = any(own.signals for own in everyone)
        reason = "nothing else was viewed" if any_signals else "no such violation was viewed"
        return undefined(reason, method=method, n=len(everyone), level=level)
    hits, signals, false_alarms, noise = np.vstack([rows, [0.5, 1.0, *rows[:, 2:].sum(axis=0)]]).T
    readiness = ndtri((false_alarms + 0.5) / (noise + 1))
    (whole,) = _most_likely(hits, signals, readiness, np.ones((1, n + 1)))
    if n < 2:
        return Estimate(
            value=float(whole),
            low=None,
            high=None,
            level=level,
            n=n,
            method=method,
            reason="fewer than two people viewed any",
        )
    left = _most_likely(hits, signals, readiness, 1 - np.eye(n, n + 1))
    se = float(np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * se
    return Estimate(
        value=float(whole),
        low=float(whole) - half,
        high=float(whole) + half,
        level=level,
        n=n,
        method=method,
        se=se,
    )


def _most_likely(
    hits: FloatArray, signals: FloatArray, readiness: FloatArray, weights: FloatArray
) -> FloatArray:
    """For each row of weights over viewers: where the likelihood of their hits is highest, by
    Fisher scoring.
    """
    d: FloatArray = np.zeros(len(weights))
    for _ in range(MOST_STEPS):
        z = readiness + d[:, None]
        p = np.clip(ndtr(z), 1e-12, 1 - 1e-12)
        density = np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
        score = (weights * density * (hits - signals * p) / (p * (1 - p))).sum(axis=1)
        step = score / (weights * signals * density**2 / (p * (1 - p))).sum(axis=1)
        d = d + np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    return d

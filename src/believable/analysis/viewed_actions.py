"""Which actions a person saw, and which of them were flagged: the numerator and the denominator of
the unbelievable rate. Which of them broke belief: how many of their viewers flagged them, and by
how much traces fell while they went on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.analysis.data import Data, logs
from believable.analysis.settled_plan import Plan
from believable.core.errors import InvalidInput
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray
from believable.stats.means import mean_t

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Seeing:
    """When an action counts as seen, and how flags find their action.

    least_share      of the action's duration that must be watched where its start was not
    least_screen_ms  of wall time it must have been on screen
    reach_ms         of replay time: a flag without an action belongs to the nearest one within this
                     reach, and flags on one action that lie no further apart are one flag
    """

    least_share: float = 0.5
    least_screen_ms: float = 200
    reach_ms: float = 2000

    def __post_init__(self) -> None:
        if not (0 < self.least_share <= 1 and self.least_screen_ms >= 0 and self.reach_ms >= 0):
            raise InvalidInput(
                "seeing: expected a share above 0 and at most 1, and times of 0 or more, got "
                f"{self.least_share}, {self.least_screen_ms} and {self.reach_ms}."
            )


PUBLISHED = Seeing()


@dataclass(frozen=True, slots=True, eq=False)
class LoggedActions:
    """The logged actions of one stimulus, in the order of their beginnings."""

    ids: tuple[str, ...]
    from_ms: FloatArray
    to_ms: FloatArray

    @classmethod
    def of(cls, ids: Sequence[str], from_ms: ArrayLike, to_ms: ArrayLike) -> LoggedActions:
        starts = np.asarray(from_ms, dtype=np.float64)
        order = np.argsort(starts, kind="stable")
        ends = np.asarray(to_ms, dtype=np.float64)[order]
        return cls(tuple(ids[index] for index in order.tolist()), starts[order], ends)

    def __len__(self) -> int:
        return len(self.ids)

    def places(self) -> Mapping[str, int]:
        return {name: index for index, name in enumerate(self.ids)}


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Uninterrupted play: replay time from and to, and how fast."""

    from_ms: FloatArray
    to_ms: FloatArray
    rate: FloatArray

    @property
    def wall_ms(self) -> float:
        """Time in front of the player while it played."""
        return float(((self.to_ms - self.from_ms) / self.rate).sum())


@dataclass(frozen=True, slots=True)
class ActionFlag:
    """A thumbs down that was not taken back. `action` is None if a moment was marked; `how` is None
    if it was not recorded; `delay_ms` is the wall time from the first picture of a chosen action to
    the key press.
    """

    media_ms: float
    action: str | None = None
    how: str | None = None
    delay_ms: float | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JudgedActions:
    """The actions of one replay that one person saw and flagged.

    viewed, flagged  per action; a flagged action is counted in `f` only if it was viewed
    flags            event-level flags, after merging; raw_flags before
    unseen           merged flags on actions that were never viewed: kept, not in `f`
    unattached       flags with no action on screen or within reach
    """

    viewed: BoolArray
    flagged: BoolArray
    raw_flags: int
    flags: int
    unseen: int
    unattached: int

    @property
    def a(self) -> int:
        """Viewed atomic actions."""
        return int(self.viewed.sum())

    @property
    def f(self) -> int:
        """Viewed actions flagged at least once."""
        return int((self.viewed & self.flagged).sum())

    @property
    def rate(self) -> float | None:
        """Flagged per 100 viewed actions; None if none was viewed."""
        return 100 * self.f / self.a if self.a else None

    @property
    def reason(self) -> str:
        return "" if self.a else "no action was viewed, so there is nothing to divide by"


def viewed_mask(
    actions: LoggedActions, stretches: Stretches, seeing: Seeing = PUBLISHED
) -> BoolArray:
    """Per action: did the watched intervals contain its start or enough of it, and was it on screen
    long enough?

    An action without duration is on screen from its start until the end of the play interval.
    """
    if not len(actions) or not len(stretches.from_ms):
        return np.zeros(len(actions), dtype=bool)
    begin, end = actions.from_ms[None, :], actions.to_ms[None, :]
    since, until = stretches.from_ms[:, None], stretches.to_ms[:, None]
    holds_start = (since <= begin) & (begin <= until)
    instant = begin == end
    overlap = np.clip(np.minimum(end, until) - np.maximum(begin, since), 0.0, None)
    on_screen = np.where(instant, np.where(holds_start, until - begin, 0.0), overlap)
    screen_ms = (on_screen / stretches.rate[:, None]).sum(axis=0)
    enough = _covered_share(actions, stretches) >= seeing.least_share * (
        actions.to_ms - actions.from_ms
    )
    started = holds_start.any(axis=0)
    seen: BoolArray = (started | (enough & ~instant[0])) & (
        screen_ms >= seeing.least_screen_ms - 1e-9
    )
    return seen


def attach(
    flags: Sequence[ActionFlag], actions: LoggedActions, seeing: Seeing = PUBLISHED
) -> tuple[int | None, ...]:
    """The place of each flag's action; None if there is none.

    A flag that names its action belongs to it. Otherwise to the action on screen at that moment (of
    several, to the one that began last), else to the nearest within reach.
    """
    places = actions.places()
    return tuple(_place(flag, actions, places, seeing) for flag in flags)


def judge_actions(
    actions: LoggedActions,
    stretches: Stretches,
    flags: Sequence[ActionFlag],
    seeing: Seeing = PUBLISHED,
) -> JudgedActions:
    """Who saw what, and flagged what of it."""
    seen = viewed_mask(actions, stretches, seeing)
    at = attach(flags, actions, seeing)
    flagged = np.zeros(len(actions), dtype=bool)
    merged = unseen = 0
    for place in sorted({index for index in at if index is not None}):
        times = sorted(
            flag.media_ms for flag, where in zip(flags, at, strict=True) if where == place
        )
        events = _events(times, seeing.reach_ms)
        merged += events
        unseen += 0 if seen[place] else events
        flagged[place] = True
    return JudgedActions(
        viewed=seen,
        flagged=flagged,
        raw_flags=len(flags),
        flags=merged,
        unseen=unseen,
        unattached=sum(place is None for place in at),
    )


def _covered_share(actions: LoggedActions, stretches: Stretches) -> FloatArray:
    """How much of each action lies in the union of the stretches."""
    edges = np.unique(np.concatenate([stretches.from_ms, stretches.to_ms]))
    if len(edges) < 2:
        return np.zeros(len(actions))
    middles = (edges[:-1] + edges[1:]) / 2
    inside = (
        (stretches.from_ms[:, None] <= middles[None, :])
        & (middles[None, :] <= stretches.to_ms[:, None])
    ).any(axis=0)
    watched = np.concatenate([[0.0], np.cumsum(np.where(inside, np.diff(edges), 0.0))])
    covered: FloatArray = np.interp(actions.to_ms, edges, watched) - np.interp(
        actions.from_ms, edges, watched
    )
    return covered


def _place(
    flag: ActionFlag, actions: LoggedActions, places: Mapping[str, int], seeing: Seeing
) -> int | None:
    if flag.action is not None:
        return places.get(flag.action)
    going = np.flatnonzero((actions.from_ms <= flag.media_ms) & (flag.media_ms <= actions.to_ms))
    if len(going):
        return int(going[-1])
    if not len(actions):
        return None
    away = np.maximum(actions.from_ms - flag.media_ms, flag.media_ms - actions.to_ms)
    nearest = int(np.argmin(away))
    return nearest if away[nearest] <= seeing.reach_ms else None


def _events(times_ms: Sequence[float], reach_ms: float) -> int:
    """How many flags are left when those within reach of the first of a run are one."""
    count, since = 0, -np.inf
    for time_ms in times_ms:
        if time_ms - since > reach_ms:
            count, since = count + 1, time_ms
    return count


def seeing_of(plan: Plan) -> Seeing:
    """As the plan's options have it, where its protocol has such options."""
    if not {"least_share", "least_shown_ms", "merge_ms"} <= {
        option.name for option in plan.declaration.options
    }:
        return PUBLISHED
    return Seeing(
        float(plan.option("least_share")),
        float(plan.option("least_shown_ms")),
        float(plan.option("merge_ms")),
    )


def actions_by_stimulus(data: Data) -> Mapping[str, LoggedActions]:
    """The actions of each stimulus; of several versions of its file the one of the definition, else
    the last.
    """
    table = data.table("actions")
    current = logs(data.bundle)
    groups: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, (stimulus, log) in enumerate(
        zip(table["stimulus"].values, table["log"].values, strict=True)
    ):
        groups[str(stimulus)][str(log)].append(row)
    actions: dict[str, LoggedActions] = {}
    for stimulus, versions in groups.items():
        log = current.get(stimulus, "")
        rows = versions[log] if log in versions else list(versions.values())[-1]
        actions[stimulus] = LoggedActions.of(
            [str(table["action"].values[row]) for row in rows],
            table["from_ms"].values[rows],
            table["to_ms"].values[rows],
        )
    return actions


def stretches_by_page(
    data: Data,
) -> tuple[dict[tuple[str, int], Stretches], dict[tuple[str, int, str], int]]:
    """The play intervals of each page, and how often plan and log were opened alongside."""
    table = data.table("views")
    groups: dict[tuple[str, int, str], list[int]] = defaultdict(list)
    for row, key in enumerate(
        zip(
            table["session"].values,
            table["position"].values.tolist(),
            table["what"].values,
            strict=True,
        )
    ):
        groups[key].append(row)
    since, until, rate = (
        table[name].values.astype(np.float64) for name in ("from_ms", "to_ms", "rate")
    )
    played: dict[tuple[str, int], Stretches] = {}
    opened: dict[tuple[str, int, str], int] = {}
    for (session, position, what), rows in groups.items():
        ordered = sorted(rows, key=lambda row: int(table["seq"].values[row]))
        if what == "stimulus":
            kept = [row for row in ordered if rate[row] > 0]
            played[session, position] = Stretches(since[kept], until[kept], rate[kept])
        else:
            opened[session, position, what] = _openings(since[ordered], until[ordered])
    return played, opened


def _openings(since: np.ndarray, until: np.ndarray) -> int:
    """Intervals that continue directly after the previous one belong to one opening."""
    if not len(since):
        return 0
    return 1 + int((np.abs(since[1:] - until[:-1]) > 1.0).sum())


def flags_by_page(
    data: Data,
) -> tuple[dict[tuple[str, int], list[ActionFlag]], dict[tuple[str, int], int]]:
    table = data.table("flags")
    flags: dict[tuple[str, int], list[ActionFlag]] = defaultdict(list)
    undone: dict[tuple[str, int], int] = defaultdict(int)
    for row in table.rows():
        key = str(row["session"]), int(row["position"] or 0)
        if row["undone"]:
            undone[key] += 1
        else:
            action, how = row["action"], row.get("how")
            delay_ms = row.get("delay_ms")
            flags[key].append(
                ActionFlag(
                    float(row["media_ms"] or 0),
                    None if action is None else str(action),
                    None if how is None else str(how),
                    None if delay_ms is None else float(delay_ms),
                )
            )
    return flags, undone


#: The baseline of a trace: this long before an action begins.
BEFORE_MS = 2000.0
#: People react late: the fall is searched from this long after the beginning …
REACTION_MS = 500.0
#: … to this long after the end.
AFTER_MS = 2000.0


@dataclass(frozen=True, slots=True)
class BeliefBreak:
    """One action: by its place among the stimulus's actions.

    flagged   share of its viewers who flagged it, with Wilson's interval
    fall      mean over annotators of the trace before it minus the trace after it began, from 0 to
              1; t interval
    """

    action: int
    flagged: Estimate
    fall: Estimate

    @property
    def key(self) -> tuple[float, float]:
        """They are ranked by the lower bound of the flagged share, then by the fall."""
        least = self.flagged.low if self.flagged.low is not None else -1.0
        return least, self.fall.value if self.fall.value is not None else -2.0


def flagged_share(viewers: int, flagged: int, *, level: float = 0.95) -> Estimate:
    if viewers == 0:
        return undefined(
            "nobody viewed it", method="share of viewers, Wilson interval", n=0, level=level
        )
    return proportion(flagged, viewers, interval="wilson", level=level)


def falls(
    traces: FloatArray, actions: LoggedActions, *, bin_ms: float, level: float = 0.95
) -> tuple[Estimate, ...]:
    """By how much traces (annotators × bins, from 0 to 1) fall around each action."""
    if traces.size == 0:
        reason = "nobody annotated it"
        return tuple(
            undefined(reason, method="mean fall, t interval", n=0, level=level) for _ in actions.ids
        )
    sums = np.concatenate([np.zeros((len(traces), 1)), np.cumsum(traces, axis=1)], axis=1)
    bins = traces.shape[1]

    def mean_between(start_ms: FloatArray, end_ms: FloatArray) -> FloatArray:
        """Annotators × actions; NaN where no bin lies between."""
        first = np.clip(np.ceil(start_ms / bin_ms - 1e-9), 0, bins).astype(np.int64)
        last = np.clip(np.ceil(end_ms / bin_ms - 1e-9), 0, bins).astype(np.int64)
        width = last - first
        means = (sums[:, last] - sums[:, first]) / np.maximum(width, 1)
        return np.where(width > 0, means, np.nan)

    before = mean_between(actions.from_ms - BEFORE_MS, actions.from_ms)
    after = mean_between(actions.from_ms + REACTION_MS, actions.to_ms + AFTER_MS)
    return tuple(_mean_fall(column, level) for column in (before - after).T)


def rank_actions(breaks: Sequence[BeliefBreak]) -> tuple[BeliefBreak, ...]:
    """The worst first; among equals the earlier one."""
    return tuple(sorted(breaks, key=lambda broke: (*(-part for part in broke.key), broke.action)))


def _mean_fall(column: FloatArray, level: float) -> Estimate:
    known = column[np.isfinite(column)]
    if not len(known):
        return undefined("no trace before it", method="mean fall, t interval", n=0, level=level)
    return mean_t(known, level=level)

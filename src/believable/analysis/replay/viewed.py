"""Which actions a person saw, and which of them were flagged: what the unbelievable rate counts, and what it divides by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Seeing:
    """When an action counts as seen, and how flags find their action.

    least_share      of the action's duration that must be watched where its start was not
    least_screen_ms  of wall time it must have been on screen
    reach_ms         of replay time: a flag without an action belongs to the nearest one within this reach, and flags on one
                     action that lie no further apart are one flag
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
class Actions:
    """The logged actions of one stimulus, in the order of their beginnings."""

    ids: tuple[str, ...]
    from_ms: FloatArray
    to_ms: FloatArray

    @classmethod
    def of(cls, ids: Sequence[str], from_ms: ArrayLike, to_ms: ArrayLike) -> Actions:
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
    """What was played without interruption: replay time from and to, and how fast."""

    from_ms: FloatArray
    to_ms: FloatArray
    rate: FloatArray

    @property
    def wall_ms(self) -> float:
        """Time in front of the player while it played."""
        return float(((self.to_ms - self.from_ms) / self.rate).sum())


@dataclass(frozen=True, slots=True)
class Flag:
    """A thumbs down that was not taken back. `action` is None where a moment was marked."""

    media_ms: float
    action: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What one person saw and flagged of one replay.

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
        """Flagged per 100 viewed actions; None where none was viewed."""
        return 100 * self.f / self.a if self.a else None

    @property
    def reason(self) -> str:
        return "" if self.a else "no action was viewed, so there is nothing to divide by"


def viewed(actions: Actions, stretches: Stretches, seeing: Seeing = PUBLISHED) -> BoolArray:
    """Per action: did the watched intervals contain its start or enough of it, and was it on screen long enough?

    An action without duration is on screen from its start for as long as the stretch goes on.
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
    enough = _covered(actions, stretches) >= seeing.least_share * (actions.to_ms - actions.from_ms)
    started = holds_start.any(axis=0)
    seen: BoolArray = (started | (enough & ~instant[0])) & (screen_ms >= seeing.least_screen_ms - 1e-9)
    return seen


def attach(flags: Sequence[Flag], actions: Actions, seeing: Seeing = PUBLISHED) -> tuple[int | None, ...]:
    """The place of each flag's action; None where there is none.

    A flag that names its action belongs to it. Otherwise to the action on screen at that moment (of several, to the one that
    began last), else to the nearest within reach.
    """
    places = actions.places()
    return tuple(_place(flag, actions, places, seeing) for flag in flags)


def judged(
    actions: Actions, stretches: Stretches, flags: Sequence[Flag], seeing: Seeing = PUBLISHED
) -> Judged:
    """Who saw what, and flagged what of it."""
    seen = viewed(actions, stretches, seeing)
    at = attach(flags, actions, seeing)
    flagged = np.zeros(len(actions), dtype=bool)
    merged = unseen = 0
    for place in sorted({one for one in at if one is not None}):
        times = sorted(flag.media_ms for flag, where in zip(flags, at, strict=True) if where == place)
        events = _events(times, seeing.reach_ms)
        merged += events
        unseen += 0 if seen[place] else events
        flagged[place] = True
    return Judged(seen, flagged, len(flags), merged, unseen, sum(place is None for place in at))


def _covered(actions: Actions, stretches: Stretches) -> FloatArray:
    """How much of each action lies in the union of the stretches."""
    edges = np.unique(np.concatenate([stretches.from_ms, stretches.to_ms]))
    if len(edges) < 2:
        return np.zeros(len(actions))
    middles = (edges[:-1] + edges[1:]) / 2
    inside = (
        (stretches.from_ms[:, None] <= middles[None, :]) & (middles[None, :] <= stretches.to_ms[:, None])
    ).any(axis=0)
    watched = np.concatenate([[0.0], np.cumsum(np.where(inside, np.diff(edges), 0.0))])
    covered: FloatArray = np.interp(actions.to_ms, edges, watched) - np.interp(
        actions.from_ms, edges, watched
    )
    return covered


def _place(flag: Flag, actions: Actions, places: Mapping[str, int], seeing: Seeing) -> int | None:
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

"""Which runs make a pair: to the same goal and about as long, drawn by chance. And the two
controls: two people, and a person and an agent on the way to different goals.

In the published study clips of one agent were twice as long as those of another: judges may have
judged the length. Here both of a pair took about as long, and are shown for exactly as long.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

#: Runs shorter than this show too little (the published limit), longer ones tire.
SHORTEST_S, LONGEST_S = 10.0, 30.0
#: How far the lengths of two runs of a pair may be apart, as a share of the longer.
LENGTH_SHARE = 0.3
#: The end reveals how each arrived; it is not shown.
CUT_S = 1.5


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that reached its goal."""

    file: Path
    goal: int
    seconds: float

    @property
    def fits(self) -> bool:
        return SHORTEST_S <= self.seconds <= LONGEST_S


@dataclass(frozen=True, slots=True)
class RunPair:
    """`second` is the agent's, or in a control of two people another person's."""

    first: FinishedRun
    second: FinishedRun

    @property
    def shown_ms(self) -> int:
        """As long as the shorter, less its end."""
        return round(1000 * (min(self.first.seconds, self.second.seconds) - CUT_S))


Fitting = Callable[[FinishedRun, FinishedRun], bool]


def match_runs(
    agents: Sequence[FinishedRun], people: Sequence[FinishedRun], count: int, rng: random.Random
) -> list[RunPair]:
    """Agents' runs are drawn with the same chance each; each takes the person's run to the same
    goal that is nearest in length. A goal that was shown is drawn again only if no other is left.
    Fewer than `count` if there are no more.
    """
    return _drawn(agents, people, count, rng, lambda run, other: run.goal == other.goal)


def mismatch_pairs(
    agents: Sequence[FinishedRun], people: Sequence[FinishedRun], count: int, rng: random.Random
) -> list[RunPair]:
    """The same, to different goals."""
    return _drawn(agents, people, count, rng, lambda run, other: run.goal != other.goal)


def of_people(people: Sequence[FinishedRun], count: int, rng: random.Random) -> list[RunPair]:
    """Two people to the same goal; no person twice."""
    pairs: list[RunPair] = []
    free = [run for run in people if run.fits]
    while len(pairs) < count:
        pair = _drawn(
            free, free, 1, rng, lambda run, other: run is not other and run.goal == other.goal
        )
        if not pair:
            break
        pairs += pair
        free = [run for run in free if run not in (pair[0].first, pair[0].second)]
    return pairs


def _drawn(
    agents: Sequence[FinishedRun],
    people: Sequence[FinishedRun],
    count: int,
    rng: random.Random,
    fitting: Fitting,
) -> list[RunPair]:
    drawn = rng.sample(list(agents), len(agents))
    free, pairs = list(people), list[RunPair]()
    for again in (False, True):
        for run in drawn:
            shown = [pair.second.goal for pair in pairs]
            if len(pairs) == count or not run.fits or any(run is pair.second for pair in pairs):
                continue
            if run.goal in shown and not again:
                continue
            nearest = nearest_run(run, [other for other in free if fitting(run, other)])
            if nearest is not None:
                free.remove(nearest)
                pairs.append(RunPair(nearest, run))
    return pairs


def nearest_run(run: FinishedRun, others: Sequence[FinishedRun]) -> FinishedRun | None:
    """Of those that can be shown the one nearest in length, if it is near enough."""
    nearest = min(
        (other for other in others if other.fits),
        key=lambda other: abs(other.seconds - run.seconds),
        default=None,
    )
    if nearest is None:
        return None
    apart = abs(nearest.seconds - run.seconds) / max(nearest.seconds, run.seconds)
    return nearest if apart <= LENGTH_SHARE else None

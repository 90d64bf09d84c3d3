"""Which actions broke belief: how many of their viewers flagged them, and by how much traces fell while they went on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from believable.analysis.replay.viewed import Actions
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray
from believable.stats.means import mean_t

#: What a trace is compared with: this long before an action begins.
BEFORE_MS = 2000.0
#: People answer what they see late: the fall is looked for from this long after the beginning …
REACTION_MS = 500.0
#: … to this long after the end.
AFTER_MS = 2000.0


@dataclass(frozen=True, slots=True)
class Break:
    """One action: by its place among the stimulus's actions.

    flagged   share of its viewers who flagged it, with Wilson's interval
    fall      mean over annotators of the trace before it minus the trace after it began, from 0 to 1; t interval
    """

    action: int
    flagged: Estimate
    fall: Estimate

    @property
    def key(self) -> tuple[float, float]:
        """What they are ranked by: the lower bound of the flagged share, then the fall."""
        least = self.flagged.low if self.flagged.low is not None else -1.0
        return least, self.fall.value if self.fall.value is not None else -2.0


def flagged_share(viewers: int, flagged: int, *, level: float = 0.95) -> Estimate:
    if viewers == 0:
        return undefined("nobody viewed it", method="share of viewers, Wilson interval", n=0, level=level)
    return proportion(flagged, viewers, interval="wilson", level=level)


def falls(
    traces: FloatArray, actions: Actions, *, bin_ms: float, level: float = 0.95
) -> tuple[Estimate, ...]:
    """By how much traces (annotators × bins, from 0 to 1) fall around each action."""
    if traces.size == 0:
        reason = "nobody annotated it"
        return tuple(undefined(reason, method="mean fall, t interval", n=0, level=level) for _ in actions.ids)
    sums = np.concatenate([np.zeros((len(traces), 1)), np.cumsum(traces, axis=1)], axis=1)
    bins = traces.shape[1]

    def mean_between(start_ms: FloatArray, end_ms: FloatArray) -> FloatArray:
        """Annotators × actions; NaN where no bin lies between."""
        first = np.clip(np.ceil(start_ms / bin_ms - 1e-9), 0, bins).astype(np.int64)
        last = np.clip(np.ceil(end_ms / bin_ms - 1e-9), 0, bins).astype(np.int64)
        width = last - first
        found = (sums[:, last] - sums[:, first]) / np.maximum(width, 1)
        return np.where(width > 0, found, np.nan)

    before = mean_between(actions.from_ms - BEFORE_MS, actions.from_ms)
    after = mean_between(actions.from_ms + REACTION_MS, actions.to_ms + AFTER_MS)
    return tuple(_mean_fall(column, level) for column in (before - after).T)


def ranked(found: Sequence[Break]) -> tuple[Break, ...]:
    """The worst first; among equals the earlier one."""
    return tuple(sorted(found, key=lambda one: (*(-part for part in one.key), one.action)))


def _mean_fall(column: FloatArray, level: float) -> Estimate:
    known = column[np.isfinite(column)]
    if not len(known):
        return undefined("no trace before it", method="mean fall, t interval", n=0, level=level)
    return mean_t(known, level=level)

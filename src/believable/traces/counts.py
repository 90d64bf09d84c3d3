"""What a session says in counts: windows above and below a centre, windows rising and falling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from believable.core.errors import InvalidInput
from believable.stats.inputs import finite_array

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class HighLow:
    """H windows above centre + ε, L windows below centre − ε, and the mean of all windows."""

    high: int
    low: int
    mean: float
    centre: float
    windows: int

    @property
    def difference(self) -> int:
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class RisesFalls:
    """Steps from window to window that rise or fall by more than ε."""

    rises: int
    falls: int
    steps: int

    @property
    def difference(self) -> int:
        return self.rises - self.falls


def high_low(windows: ArrayLike, *, epsilon: float, centre: Literal["mean"] | float = "mean") -> HighLow:
    """How many windows of a session are clearly high, how many clearly low?

    H = windows > c + ε, L = windows < c − ε, D = H − L; the centre c is the session's own mean or a number (0.5: the
    neutral centre of values in [0, 1]). Rounding in the last digits does not make a window high or low.
    """
    values = finite_array(windows, name="windows", least=1)
    _check_epsilon(epsilon)
    mean = float(values.mean())
    if isinstance(centre, str) and centre != "mean":
        raise InvalidInput(f"centre: expected 'mean' or a number, got {centre!r}.")
    middle = mean if isinstance(centre, str) else float(centre)
    if not math.isfinite(middle):
        raise InvalidInput(f"centre: expected 'mean' or a finite number, got {centre!r}.")
    slack = _ROUNDING * max(1.0, float(np.abs(values).max()))
    high = int((values - middle > epsilon + slack).sum())
    low = int((middle - values > epsilon + slack).sum())
    return HighLow(high, low, mean, middle, len(values))


def rises_falls(windows: ArrayLike, *, epsilon: float) -> RisesFalls:
    """How many windows rise by more than ε over the one before, how many fall? One window has no step: 0 and 0."""
    values = finite_array(windows, name="windows", least=1)
    _check_epsilon(epsilon)
    steps = np.diff(values)
    slack = _ROUNDING * max(1.0, float(np.abs(values).max()))
    return RisesFalls(int((steps > epsilon + slack).sum()), int((-steps > epsilon + slack).sum()), len(steps))


def _check_epsilon(epsilon: float) -> None:
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise InvalidInput(f"epsilon: expected 0 or more, got {epsilon}.")

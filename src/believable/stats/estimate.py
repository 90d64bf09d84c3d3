"""One number with its interval, or the reason why there is none; and the intervals of shares that
several modules need.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from believable.core.deferred import special
from believable.core.errors import InvalidInput
from believable.core.notebook import html_fields
from believable.stats.inputs import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A statistic at full precision.

    value       the estimate, or None when it is undefined for these data; `reason` then says why
    low, high   the interval at `level`; both None when only the interval is undefined (`reason`
                says why). A bound may be infinite, never NaN. Resampling intervals need not contain
                the value.
    n           the number of independent units it rests on (items, participants, sessions)
    method      the name of the estimator and of its interval
    exact       True when the interval guarantees its level and may therefore cover more
    se, statistic, df, p_value   where the method has them; the test is that of "no effect" or
                                 "chance only"
    notes       facts that a reader must know, such as rows left out for missing values
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    method: str
    reason: str | None = None
    exact: bool = False
    se: float | None = None
    statistic: float | None = None
    df: tuple[float, ...] = ()
    p_value: float | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_level(self.level)
        if (self.low is None) != (self.high is None):
            raise InvalidInput(
                f"Estimate ({self.method}): one bound is missing, got low={self.low},"
                f" high={self.high}. Give both bounds or neither."
            )
        if self.value is None:
            self._check_undefined()
        elif not math.isfinite(self.value):
            raise InvalidInput(
                f"Estimate ({self.method}): the value must be finite, got {self.value}. Use"
                " undefined(...) with a reason."
            )
        if self.low is None and not self.reason:
            raise InvalidInput(
                f"Estimate ({self.method}): there is no interval and no reason. Say why it is"
                " undefined."
            )
        if self.low is not None and self.high is not None and not self.low <= self.high:
            raise InvalidInput(
                f"Estimate ({self.method}): the bounds must be ordered numbers, got low={self.low},"
                f" high={self.high}."
            )

    def _check_undefined(self) -> None:
        if self.low is not None:
            raise InvalidInput(
                f"Estimate ({self.method}): an undefined value cannot have bounds [{self.low},"
                f" {self.high}]. Leave them out."
            )
        if not self.reason:
            raise InvalidInput(
                f"Estimate ({self.method}): the value is undefined without a reason. Say why."
            )

    @property
    def is_defined(self) -> bool:
        return self.value is not None

    @property
    def half_width(self) -> float | None:
        """Half the interval, as in `mean ± half-width`; None without an interval."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2

    def _repr_html_(self) -> str:
        return html_fields(self)

    def contains(self, number: float) -> bool:
        """Does the interval contain this number? False without an interval."""
        return self.low is not None and self.high is not None and self.low <= number <= self.high


def undefined(
    reason: str, *, method: str, n: int, level: float = 0.95, notes: tuple[str, ...] = ()
) -> Estimate:
    """The result of a computation that these data do not allow."""
    return Estimate(
        value=None, low=None, high=None, level=level, n=n, method=method, reason=reason, notes=notes
    )


def without_interval(
    value: float,
    reason: str,
    *,
    method: str,
    n: int,
    level: float = 0.95,
    notes: tuple[str, ...] = (),
) -> Estimate:
    """A defined value whose interval these data do not allow."""
    return Estimate(
        value=value,
        low=None,
        high=None,
        level=level,
        n=n,
        method=method,
        reason=reason,
        notes=notes,
    )


#: The limits of a value that can be any number.
UNLIMITED = (-math.inf, math.inf)


def t_estimate(
    value: float,
    se: float,
    df: float,
    *,
    level: float,
    n: int,
    method: str,
    limits: tuple[float, float] = UNLIMITED,
) -> Estimate:
    """A value with its t interval, which ends at `limits` that the value cannot leave."""
    half = float(special.stdtrit(df, (1 + level) / 2)) * se
    low, high = max(value - half, limits[0]), min(value + half, limits[1])
    return Estimate(
        value=value, low=low, high=high, level=level, n=n, method=method, se=se, df=(df,)
    )


def check_level(level: float) -> float:
    """The confidence level, if it is one."""
    if not 0 < level < 1:
        raise InvalidInput(
            f"level: expected a number between 0 and 1, got {level!r}. For 95 % give 0.95."
        )
    return float(level)


def wilson(share: float, n: float, *, level: float, df: float | None = None) -> tuple[float, float]:
    """The score interval of a share; with `df`, Student's quantile replaces the normal one."""
    tail = 1 - (1 - level) / 2
    z = float(special.ndtri(tail) if df is None else special.stdtrit(df, tail))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(max(share * (1 - share) / n + z * z / (4 * n * n), 0.0))
    return max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share))


def mean_share(shares: FloatArray, *, level: float) -> tuple[float, float]:
    """The interval of a mean of shares in [0, 1], one per item: Wilson's, with the effective number
    of items.

    The spread between items gives the number of yes/no items that would carry as much information,
    mean·(1 − mean)/SE². Without any spread it is the number of items itself.
    """
    n, mean = len(shares), float(shares.mean())
    variance = float(shares.var(ddof=1)) / n
    return wilson(mean, _effective(mean, variance, n), level=level, df=n - 1)


def ratio_share(parts: FloatArray, wholes: FloatArray, *, level: float) -> tuple[float, float]:
    """The interval of Σ parts/Σ wholes, one part and whole per person: Wilson's, with the effective
    number.

    The variance is that of a ratio estimator over people (linearised), so ratings of one person may
    depend on each other.
    """
    n, total = len(wholes), float(wholes.sum())
    share = float(parts.sum()) / total
    residual = parts - share * wholes
    variance = n / (n - 1) * float(residual @ residual) / total**2
    return wilson(share, _effective(share, variance, n), level=level, df=n - 1)


def _effective(share: float, variance: float, n: int) -> float:
    return share * (1 - share) / variance if variance > 0 and 0 < share < 1 else float(n)

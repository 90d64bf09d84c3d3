"""The record of one hypothesis test."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from believable.core.deferred import special
from believable.core.errors import InvalidInput
from believable.core.notebook import html_fields
from believable.stats.estimate import Estimate
from believable.stats.inputs import FloatArray, one_of

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "less", "greater")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """The result of a test, at full precision.

    statistic, p_value   both None when the test is undefined for these data; `reason` then says why
    symbol               the printed name of the statistic: t, W, U, χ² …; empty only when it is
                         undefined
    df                   degrees of freedom, empty where the test has none
    n                    independent units (pairs for a paired test, all observations otherwise)
    alternative          "less" and "greater" speak of the first sample, or of the estimate against
                         its null value
    estimate             the quantity under test in its own unit, with interval
    effect               the standardised effect size, with interval
    method               test, variant and correction by name
    notes                facts that a reader must know, such as zero differences left out
    """

    __test__: ClassVar[bool] = (
        False  # its name starts with Test, but pytest has nothing to collect here
    )

    statistic: float | None
    p_value: float | None
    n: int
    method: str
    df: tuple[float, ...] = ()
    alternative: Alternative = "two-sided"
    estimate: Estimate | None = None
    effect: Estimate | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    symbol: str = field(kw_only=True)

    def __post_init__(self) -> None:
        if (self.statistic is None) != (self.p_value is None):
            raise InvalidInput(
                f"TestResult ({self.method}): statistic and p_value go together, got"
                f" {self.statistic} and {self.p_value}."
            )
        if self.statistic is None:
            if not self.reason:
                raise InvalidInput(
                    f"TestResult ({self.method}): undefined without a reason. Say why."
                )
            return
        if not self.symbol:
            raise InvalidInput(
                f"TestResult ({self.method}): a statistic without its symbol. Say whether it is t,"
                " U, χ² …"
            )
        if not math.isfinite(self.statistic) or self.p_value is None or not 0 <= self.p_value <= 1:
            raise InvalidInput(
                f"TestResult ({self.method}): expected a finite statistic and a probability, "
                f"got {self.statistic} and {self.p_value}. Give a reason instead."
            )

    @property
    def is_defined(self) -> bool:
        return self.p_value is not None

    def _repr_html_(self) -> str:
        return html_fields(self)

    def significant(self, alpha: float = 0.05) -> bool:
        """Is p below alpha? False when the test is undefined."""
        return self.p_value is not None and self.p_value < alpha


def no_result(
    reason: str,
    *,
    method: str,
    n: int,
    alternative: Alternative = "two-sided",
    estimate: Estimate | None = None,
    effect: Estimate | None = None,
    notes: tuple[str, ...] = (),
) -> TestResult:
    """A test these data do not allow."""
    return TestResult(
        statistic=None,
        p_value=None,
        n=n,
        method=method,
        alternative=alternative,
        estimate=estimate,
        effect=effect,
        reason=reason,
        notes=notes,
        symbol="",
    )


def t_test(
    estimate: Estimate,
    *,
    method: str,
    alternative: Alternative = "two-sided",
    effect: Estimate | None = None,
    null: float = 0.0,
) -> TestResult:
    """Student's test of an estimate with a standard error against a value."""
    if estimate.value is None or not estimate.se:
        raise InvalidInput(
            f"t test ({method}): an estimate without a standard error has no t. Say why it has"
            " none."
        )
    t, df = (estimate.value - null) / estimate.se, estimate.df[0]
    p_value = tail(float(special.stdtr(df, t)), float(special.stdtr(df, -t)), alternative)
    return TestResult(
        statistic=t,
        p_value=p_value,
        n=estimate.n,
        method=method,
        df=(df,),
        alternative=alternative,
        estimate=estimate,
        effect=effect,
        symbol="t",
    )


def check_alternative(alternative: str) -> Alternative:
    """The alternative, if it is one."""
    checked: Alternative = one_of(alternative, ALTERNATIVES, name="alternative")
    return checked


def tail(lower: float, upper: float, alternative: Alternative) -> float:
    """The p value from both one-sided ones; two-sided is twice the smaller, at most 1."""
    if alternative == "less":
        return min(1.0, lower)
    if alternative == "greater":
        return min(1.0, upper)
    return min(1.0, 2 * min(lower, upper))


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's step-down adjustment: the chance of any false rejection stays below alpha.

    Formula      the i-th smallest of m times (m − i + 1), made non-decreasing, at most 1.
    Undefined    a None (a test that was undefined) stays None and does not count in m.
    Source       Holm (1979). Checked against R p.adjust(method = "holm").
    """
    return _adjust(p_values, _step_down)


def benjamini_hochberg(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """The Benjamini-Hochberg adjustment: the expected share of false rejections stays below alpha.

    Formula      the i-th smallest of m times m/i, made non-decreasing from the largest down, at
                 most 1.
    Undefined    a None (a test that was undefined) stays None and does not count in m.
    Source       Benjamini & Hochberg (1995). Checked against R p.adjust(method = "BH").
    """
    return _adjust(p_values, _step_up)


def _step_down(ordered: FloatArray) -> FloatArray:
    m = len(ordered)
    return np.minimum(np.maximum.accumulate(ordered * np.arange(m, 0, -1)), 1.0)


def _step_up(ordered: FloatArray) -> FloatArray:
    m = len(ordered)
    return np.minimum(np.minimum.accumulate((ordered * m / np.arange(1, m + 1))[::-1])[::-1], 1.0)


def _adjust(
    p_values: Sequence[float | None], step: Callable[[FloatArray], FloatArray]
) -> tuple[float | None, ...]:
    for index, p in enumerate(p_values):
        if p is not None and not 0 <= p <= 1:
            raise InvalidInput(
                f"p_values[{index}]: expected a probability or None, got {p!r}. Give None for a"
                " test that is undefined."
            )
    places = [index for index, p in enumerate(p_values) if p is not None]
    known = np.array([p_values[index] for index in places], dtype=np.float64)
    order = np.argsort(known, kind="stable")
    adjusted = np.empty_like(known)
    adjusted[order] = step(known[order])
    result: list[float | None] = [None] * len(p_values)
    for place, value in zip(places, adjusted, strict=True):
        result[place] = float(value)
    return tuple(result)

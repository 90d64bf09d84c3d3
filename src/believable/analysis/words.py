"""Numbers in sentences: p values, intervals with their method, undefined values with their reason."""

from __future__ import annotations

import math

from believable.stats.estimate import Estimate
from believable.stats.result import TestResult

#: Statistics that only have one tail, so that no side needs to be named.
_ONE_TAILED = ("F", "χ²")


def fixed(number: float | None, digits: int = 2) -> str:
    """`0.83`, `∞`, or `undefined`.

    >>> fixed(0.8333), fixed(None), fixed(-0.001)
    ('0.83', 'undefined', '0.00')
    """
    if number is None:
        return "undefined"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    text = f"{number:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


def p_words(p: float | None) -> str:
    """`p = .012`, `p < .001`, `p > .999`.

    >>> p_words(0.0123), p_words(0.00001), p_words(None)
    ('p = .012', 'p < .001', 'p undefined')
    """
    if p is None:
        return "p undefined"
    if p < 0.001:
        return "p < .001"
    if p > 0.999:
        return "p > .999"
    return f"p = {p:.3f}".replace("0.", ".", 1)


def level_words(level: float) -> str:
    """`95 %`."""
    return f"{100 * level:g} %"


def interval_words(estimate: Estimate, digits: int = 2, *, scale: float = 1) -> str:
    """`95 % interval 0.67 to 1.00, median, percentile bootstrap`; the reason where there is none."""
    if estimate.low is None or estimate.high is None:
        return f"no interval: {estimate.reason}"
    low, high = fixed(scale * estimate.low, digits), fixed(scale * estimate.high, digits)
    return f"{level_words(estimate.level)} interval {low} to {high}; {estimate.method}"


def estimate_words(estimate: Estimate, digits: int = 2, *, unit: str = "", scale: float = 1) -> str:
    """`0.83 (95 % interval 0.67 to 1.00; …)`; `undefined (reason)`."""
    if estimate.value is None:
        return f"undefined ({estimate.reason})"
    value = fixed(scale * estimate.value, digits)
    return f"{value}{unit} ({interval_words(estimate, digits, scale=scale)})"


def test_words(test: TestResult, symbol: str) -> str:
    """`t(49) = 2.31, p = .025, two-sided`; the reason where the test is undefined."""
    if test.statistic is None:
        return f"no test: {test.reason}"
    df = f"({', '.join(f'{one:.4g}' for one in test.df)})" if test.df else ""
    side = "" if symbol in _ONE_TAILED else f", {test.alternative}"
    return f"{symbol}{df} = {fixed(test.statistic)}, {p_words(test.p_value)}{side}; {test.method}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 judge`, `2 judges`.

    >>> counted(1, "judge"), counted(2, "judge")
    ('1 judge', '2 judges')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listed(names: list[str] | tuple[str, ...]) -> str:
    """`a, b and c`.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"

"""How numbers are written: the manner of the APA, with a true minus sign. Rounding happens here and nowhere else."""

from __future__ import annotations

import math

from believable.analysis.records import Cell, Column
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult

MINUS = "\N{MINUS SIGN}"
THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
NO_BREAK = "\N{NO-BREAK SPACE}"
NOTHING = "\N{EN DASH}"

#: Below this a p value is not told from others.
SMALLEST_P = 0.001

#: What a test's statistic is called, by how its method begins.
_LETTERS: tuple[tuple[str, str], ...] = (
    ("paired t", "t"),
    ("Welch", "t"),
    ("one-sample t", "t"),
    ("t test", "t"),
    ("Student", "t"),
    ("Wilcoxon", "W"),
    ("Mann-Whitney", "U"),
    ("Kruskal", "H"),
    ("chi-squared", "χ²"),
    ("Fisher", "OR"),
    ("Wald", "z"),
    ("exact binomial", "k"),
    ("Pearson", "r"),
    ("Spearman", "ρ"),
    ("F test", "F"),
    ("TOST", "t"),
)


def number(value: float, digits: int = 2) -> str:
    """
    >>> number(-0.5), number(1234.5, 1), number(-0.001), number(float("inf"))
    ('−0.50', '1\\u202f234.5', '0.00', '∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if math.isnan(value):
        return NOTHING
    written = f"{abs(value):,.{digits}f}".replace(",", THIN_SPACE)
    below_zero = value < 0 and any(mark in written for mark in "123456789")
    return f"{MINUS}{written}" if below_zero else written


def integer(value: float) -> str:
    """
    >>> integer(1234567)
    '1\\u202f234\\u202f567'
    """
    return number(value, 0)


def share(value: float, digits: int = 1) -> str:
    """
    >>> share(0.875), share(1.0, 0)
    ('87.5\\u202f%', '100\\u202f%')
    """
    return f"{number(100 * value, digits)}{THIN_SPACE}%"


def p_cell(value: float) -> str:
    """A p value under a heading that says p.

    >>> p_cell(0.0321), p_cell(0.00004), p_cell(0.9996)
    ('.032', '< .001', '> .999')
    """
    if value < SMALLEST_P:
        return "< .001"
    if value > 1 - SMALLEST_P / 2:
        return "> .999"
    return f"{value:.3f}".removeprefix("0")


def p_words(value: float) -> str:
    """
    >>> p_words(0.0321), p_words(0.00004)
    ('p = .032', 'p < .001')
    """
    written = p_cell(value)
    return f"p {written}" if written[0] in "<>" else f"p = {written}"


def level_words(level: float) -> str:
    """
    >>> level_words(0.95), level_words(0.999)
    ('95\\u202f%', '99.9\\u202f%')
    """
    per_cent = 100 * level
    return f"{per_cent:.3f}".rstrip("0").rstrip(".") + f"{THIN_SPACE}%"


def bounds(low: float, high: float, digits: int = 2) -> str:
    """
    >>> bounds(-0.1, 0.25)
    '[−0.10,\\xa00.25]'
    """
    return f"[{number(low, digits)},{NO_BREAK}{number(high, digits)}]"


def interval(estimate: Estimate, digits: int = 2) -> str | None:
    """`95 % CI [0.49, 0.94]`; None without an interval."""
    if estimate.low is None or estimate.high is None:
        return None
    return f"{level_words(estimate.level)} CI {bounds(estimate.low, estimate.high, digits)}"


def letter(method: str) -> str:
    """The usual symbol of a method's statistic, or `statistic`."""
    beginnings = (symbol for start, symbol in _LETTERS if method.lower().startswith(start.lower()))
    return next(beginnings, "statistic")


def words_of_test(test: TestResult, digits: int = 2) -> str | None:
    """`t(33) = 2.31, p = .027`; None when the test is undefined."""
    if test.statistic is None or test.p_value is None:
        return None
    freedom = ", ".join(number(df, 0 if float(df).is_integer() else 1) for df in test.df)
    name = f"{letter(test.method)}({freedom})" if freedom else letter(test.method)
    side = "" if test.alternative == "two-sided" else f" (one-sided, {test.alternative})"
    whole = letter(test.method) == "k"
    return f"{name} = {number(test.statistic, 0 if whole else digits)}, {p_words(test.p_value)}{side}"


def cell(column: Column, value: Cell) -> str:
    """A table's cell as people read it. None is undefined; its reason is a footnote elsewhere."""
    if value is None:
        return NOTHING
    if column.form == "flag" or isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) or column.form == "text":
        return str(value) if isinstance(value, str) else plain(value)
    writers = {"integer": integer, "p": p_cell}
    if column.form in writers:
        return writers[column.form](value)
    return share(value, column.digits) if column.form == "share" else number(value, column.digits)


def plain(value: float) -> str:
    """A number in a column of words: whole ones without a point."""
    return integer(value) if float(value).is_integer() else number(value)

"""The one place where numbers become text: the manner of the APA, with a true minus sign. Rounding
happens here and nowhere else.

Sentences, tables, LaTeX and figures write a number by the same function, so that one value never
looks like two.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from believable.analysis.findings import Cell, Column
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult

MINUS = "\N{MINUS SIGN}"
THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"
NO_BREAK = "\N{NO-BREAK SPACE}"
NOTHING = "\N{EN DASH}"

#: Smaller p values are printed as less than this.
SMALLEST_P = 0.001
#: Statistics that only have one tail, so that no side needs to be named.
_ONE_TAILED = ("F", "χ²")
#: Statistics that count: successes are whole, ranks can be halves.
_DIGITS = {"k": 0, "U": 1}


def number(value: float | None, digits: int = 2) -> str:
    """
    >>> number(-0.5), number(1234.5, 1), number(-0.001), number(float("inf")), number(None)
    ('−0.50', '1,234.5', '0.00', '∞', 'undefined')
    """
    if value is None:
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if math.isnan(value):
        return NOTHING
    written = f"{abs(value):,.{digits}f}"
    below_zero = value < 0 and any(digit in written for digit in "123456789")
    return f"{MINUS}{written}" if below_zero else written


def integer(value: float) -> str:
    """
    >>> integer(1234567)
    '1,234,567'
    """
    return number(value, 0)


def share(value: float, digits: int = 1) -> str:
    """
    >>> share(0.875), share(1.0, 0)
    ('87.5\\u202f%', '100\\u202f%')
    """
    return f"{number(100 * value, digits)}{THIN_SPACE}%"


def p_value(value: float | None) -> str:
    """A p value where a heading says p.

    >>> p_value(0.0321), p_value(0.00004), p_value(0.9996), p_value(None)
    ('.032', '< .001', '> .999', 'undefined')
    """
    if value is None:
        return "undefined"
    if value < SMALLEST_P:
        return "< .001"
    written = f"{value:.3f}"
    return "> .999" if written == "1.000" else written.removeprefix("0")


def p_equals(value: float | None) -> str:
    """A p value in a sentence.

    >>> p_equals(0.0321), p_equals(0.00004), p_equals(None)
    ('p = .032', 'p < .001', 'p undefined')
    """
    return (
        f"p = {p_value(value)}"
        if value is not None and p_value(value)[0] == "."
        else f"p {p_value(value)}"
    )


def level_words(level: float) -> str:
    """
    >>> level_words(0.95), level_words(0.999)
    ('95\\u202f%', '99.9\\u202f%')
    """
    return f"{100 * level:.3f}".rstrip("0").rstrip(".") + f"{THIN_SPACE}%"


def bounds(low: float, high: float, digits: int = 2) -> str:
    """
    >>> bounds(-0.1, 0.25)
    '[−0.10,\\xa00.25]'
    """
    return f"[{number(low, digits)},{NO_BREAK}{number(high, digits)}]"


def interval_words(estimate: Estimate, digits: int = 2) -> str:
    """`95 % CI [0.49, 0.94]`, or why there is none."""
    if estimate.low is None or estimate.high is None:
        return f"no interval: {estimate.reason}"
    if math.isinf(estimate.low) and math.isinf(estimate.high):
        return "no bounded interval"
    return f"{level_words(estimate.level)} CI {bounds(estimate.low, estimate.high, digits)}"


def estimate_words(estimate: Estimate, digits: int = 2) -> str:
    """`0.83 (95 % CI [0.67, 1.00])`; `undefined (reason)`. The methods and the result itself state
    how it was estimated.
    """
    if estimate.value is None:
        return f"undefined ({estimate.reason})"
    return f"{number(estimate.value, digits)} ({interval_words(estimate, digits)})"


def degrees_of_freedom(test: TestResult) -> str:
    """`2, 47`, `31.3`; empty for a test that has none."""
    return ", ".join(number(df, 0 if float(df).is_integer() else 1) for df in test.df)


def statistic_words(test: TestResult) -> str:
    """`t(49) = 2.31, p = .025, two-sided`, or why there is none."""
    if test.statistic is None:
        return f"no test: {test.reason}"
    freedom = degrees_of_freedom(test)
    symbol = f"{test.symbol}({freedom})" if freedom else test.symbol
    side = "two-sided" if test.alternative == "two-sided" else f"one-sided ({test.alternative})"
    tail = "" if test.symbol in _ONE_TAILED else f", {side}"
    return (
        f"{symbol} = {number(test.statistic, _DIGITS.get(test.symbol, 2))},"
        f" {p_equals(test.p_value)}{tail}"
    )


def in_words(text: str) -> str:
    """A text in which names of the study file are replaced by readable names; text between
    backticks is code and stays.

    >>> in_words("standin_agent against `standin_human`")
    'standin agent against `standin_human`'
    """
    if "_" not in text:
        return text
    parts = text.split("`")
    spaced = [_NAME.sub(lambda name: name[0].replace("_", " "), part) for part in parts]
    return "`".join(part if place % 2 else spaced[place] for place, part in enumerate(parts))


#: A name as study files have them: letters and digits with underscores between; not in addresses
#: and file names.
_NAME = re.compile(r"(?<![\w./#-])[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+(?![\w/]|\.\w)")


def cell(column: Column, value: Cell) -> str:
    """A table's cell as people read it. None is undefined; its reason is a footnote elsewhere."""
    if value is None:
        return NOTHING
    if column.form == "flag" or isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return in_words(value)
    if column.form == "p":
        return p_value(value)
    if column.form == "share":
        return share(value, column.digits)
    if column.form == "text":
        return number(value, 0 if float(value).is_integer() else 2)
    return number(value, 0 if column.form == "integer" else column.digits)


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """
    >>> counted(1, "judge"), counted(2000, "judge"), counted(2, "stimulus", "stimuli")
    ('1 judge', '2,000 judges', '2 stimuli')
    """
    return f"{integer(count)} {singular if count == 1 else plural or singular + 's'}"


def listed(names: Sequence[str]) -> str:
    """
    >>> listed(["a", "b", "c"]), listed([])
    ('a, b and c', '')
    """
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)

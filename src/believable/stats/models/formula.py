"""Model formulas as in R's lme4: `flag ~ condition * order + (1 | participant) + (1 + condition | scenario)`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations

from believable.core.errors import InvalidInput

_NAME = re.compile(r"^[^\W\d]\w*$")
_RANDOM = re.compile(r"\(([^()|]*)(\|\|?)([^()|]*)\)")
_CURE = "Write it like 'flag ~ condition + (1 | participant)'."


@dataclass(frozen=True, slots=True)
class RandomPart:
    """One `( … | group)`: which columns vary between the levels of `group` (several names: their combination)."""

    group: tuple[str, ...]
    intercept: bool
    slopes: tuple[str, ...]

    @property
    def label(self) -> str:
        return ":".join(self.group)


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula; `terms` are the fixed ones, each the names whose product it is, lower orders first."""

    text: str
    response: str
    intercept: bool
    terms: tuple[tuple[str, ...], ...]
    random: tuple[RandomPart, ...]


def parse(text: str) -> Formula:
    """The formula, or an error that names the part that cannot be read."""
    sides = text.split("~")
    if len(sides) != 2:
        raise InvalidInput(f"formula: expected one '~', got {text!r}. {_CURE}")
    response = _name(sides[0].strip(), text)
    random = tuple(part for found in _RANDOM.finditer(sides[1]) for part in _random(found, text))
    rest = _RANDOM.sub("", sides[1])
    if "(" in rest or "|" in rest:
        raise InvalidInput(
            f"formula: cannot read {rest.strip()!r} of {text!r}. Random parts are (1 | group) or "
            "(1 + slope | group); parentheses serve nothing else."
        )
    intercept, terms = _sum(rest, text)
    return Formula(text, response, intercept, terms, random)


def _random(found: re.Match[str], text: str) -> list[RandomPart]:
    left, bar, right = found.groups()
    group = tuple(_name(name.strip(), text) for name in right.split(":"))
    intercept, terms = _sum(left, text)
    if any(len(term) > 1 for term in terms):
        raise InvalidInput(
            f"formula: interactions as random slopes are not supported, got {found.group()!r}. "
            "Compute the product as a column of its own."
        )
    slopes = tuple(term[0] for term in terms)
    if not intercept and not slopes:
        raise InvalidInput(f"formula: nothing varies in {found.group()!r}. {_CURE}")
    if bar == "||":
        first = [RandomPart(group, True, ())] if intercept else []
        return first + [RandomPart(group, False, (slope,)) for slope in slopes]
    return [RandomPart(group, intercept, slopes)]


def _sum(side: str, text: str) -> tuple[bool, tuple[tuple[str, ...], ...]]:
    """The terms of one side in the order of their degree, and whether there is an intercept."""
    intercept, terms = True, []
    pieces = [piece.strip() for piece in re.sub(r"-\s*1\b", "+ 0", side).split("+")]
    for piece in filter(None, pieces):
        if piece in ("0", "1"):
            intercept = piece == "1"
            continue
        factors = [
            tuple(_name(name.strip(), text) for name in factor.split(":")) for factor in piece.split("*")
        ]
        for size in range(1, len(factors) + 1):
            terms += [sum(chosen, ()) for chosen in combinations(factors, size)]
    unique = list(dict.fromkeys(terms))
    return intercept, tuple(sorted(unique, key=len))


def _name(name: str, text: str) -> str:
    if not _NAME.match(name):
        raise InvalidInput(f"formula: expected the name of a column, got {name!r} in {text!r}. {_CURE}")
    return name

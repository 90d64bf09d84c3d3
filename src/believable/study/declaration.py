"""What an analysis needs and offers, declared: the roles it looks for, its outcomes, its options. One record per protocol.

The study layer checks plans against these; the analysis reads its own roles, outcomes and options from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from believable.core.errors import NotFound
from believable.core.registry import did_you_mean

_R = TypeVar("_R", "Role", "Option", "Outcome")

#: What a role names: a question (`question` or `trial.question`), a trial, an arm, or one or more conditions.
RoleOf = Literal["question", "trial", "arm", "condition"]
#: Stands for every condition of the study.
CONDITIONS = ("*",)
OptionType = Literal["number", "integer", "numbers", "flag", "word", "words"]


@dataclass(frozen=True, slots=True)
class Role:
    """A part that something of the study plays in the analysis.

    defaults   where the plan does not say: the first of these that the study has
    required   without it there is nothing to analyse
    several    whether more than one may be named
    kinds      for a question: the instruments whose answers can be used; empty: any
    """

    name: str
    about: str
    of: RoleOf = "question"
    defaults: tuple[str, ...] = ()
    required: bool = False
    several: bool = False
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """A parameter of an analysis or of an outcome's test. `one_of` lists the words it may be."""

    name: str
    about: str
    type: OptionType
    default: Any
    least: float | None = None
    most: float | None = None
    one_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Something the analysis estimates or tests. `tests` are the options that `tests: {outcome: {…}}` may set.

    tested     whether it comes with a p value
    equivalence  whether it comes with an equivalence test, so that `criterion: equivalent` can be judged
    parts      what a hypothesis may be `about`, where it is found for several; CONDITIONS: any condition
    """

    name: str
    title: str
    about: str
    tested: bool = False
    equivalence: bool = False
    tests: tuple[Option, ...] = ()
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """What one protocol's analysis declares."""

    name: str
    about: str
    roles: tuple[Role, ...]
    outcomes: tuple[Outcome, ...]
    options: tuple[Option, ...]

    def role(self, name: str) -> Role:
        return _named(self.roles, name)

    def outcome(self, name: str) -> Outcome:
        return _named(self.outcomes, name)

    def option(self, name: str) -> Option:
        return _named(self.options, name)


def problem_of(option: Option, value: Any) -> str | None:
    """What a value should be, where it is not; None for a value that can be used."""
    if option.type == "flag":
        return None if isinstance(value, bool) else "true or false"
    if option.type in ("numbers", "words"):
        return _list_problem(option, value)
    return _single_problem(option, value)


def _list_problem(option: Option, value: Any) -> str | None:
    single = replace(option, type="number" if option.type == "numbers" else "word")
    listed = isinstance(value, list | tuple) and len(value) > 0
    if listed and all(_single_problem(single, one) is None for one in value):
        return None
    return f"a list of values, each {_single_words(single)}"


def _single_problem(option: Option, value: Any) -> str | None:
    if option.type == "word":
        sound = isinstance(value, str) and (not option.one_of or value in option.one_of)
    else:
        sound = (
            isinstance(value, int if option.type == "integer" else int | float)
            and not isinstance(value, bool)
            and (option.least is None or value >= option.least)
            and (option.most is None or value <= option.most)
        )
    return None if sound else _single_words(option)


def _single_words(option: Option) -> str:
    if option.type == "word":
        return " or ".join(option.one_of) or "a word"
    what = "a whole number" if option.type == "integer" else "a number"
    if option.least is not None and option.most is not None:
        return f"{what} from {option.least:g} to {option.most:g}"
    if option.least is not None:
        return f"{what} of at least {option.least:g}"
    return what if option.most is None else f"{what} of at most {option.most:g}"


def _named(records: Sequence[_R], name: str) -> _R:
    found = next((one for one in records if one.name == name), None)
    if found is None:
        raise NotFound(f"unknown name {name!r}. {did_you_mean(name, [one.name for one in records])}")
    return found

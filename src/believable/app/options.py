"""Options records: the arguments of a use case, with their help, defaults and checks.

    @options
    class CheckOptions(StudyOptions):
        strict: bool = option("Warnings count as problems.", default=False)

    @use_case(CheckOptions)
    def check(options: CheckOptions) -> CheckResult:
        \"""Report every problem of a study at once.\"""

`check` is then called as `check("my-study", strict=True)`. A front end reads the record's fields
with `fields_of`, and derives its own form of them.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass as plain_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, cast, dataclass_transform

from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass
from pydantic.fields import FieldInfo

from believable.core.errors import WrongUsage
from believable.core.work import Progress

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Record = TypeVar("Record", bound="Options")

#: A path may be given as text everywhere.
AnyPath: TypeAlias = Path | str
PathKind: TypeAlias = Literal["any", "known", "file", "folder", "known file", "known folder"]
#: Called as `progress(label, done, total)`.
ProgressCallback: TypeAlias = Callable[[str, int, int], None]


def argument(
    description: str,
    *,
    default: Any = ...,
    kw_only: bool,
    metavar: str = "",
    path: PathKind = "any",
) -> Any:
    """Declare an argument that is usually given by position (`kw_only=False`)."""
    extra: dict[str, Any] = {"position": True, "metavar": metavar, "path": path}
    return Field(default, description=description, kw_only=kw_only, json_schema_extra=extra)


def option(
    description: str,
    *,
    default: Any = ...,
    metavar: str = "",
    path: PathKind = "any",
    flags: str = "",
    show_default: bool | None = None,
    hidden: bool = False,
    **limits: Any,
) -> Any:
    """Declare an option. Without a default it is required.

    `flags` replaces the name that the command line derives, and `limits` are those of pydantic
    (`ge`, `le`, `gt`).
    """
    extra: dict[str, Any] = {
        "metavar": metavar,
        "path": path,
        "flags": flags,
        "show_default": show_default,
        "hidden": hidden,
    }
    return Field(default, description=description, kw_only=True, json_schema_extra=extra, **limits)


def setting(description: str, *, default: Any, **details: Any) -> Any:
    """Declare an option whose default the help names."""
    return option(description, default=default, show_default=True, **details)


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(Field, argument, option, setting)
)
def options(record: type[T]) -> type[T]:
    """Make a class a frozen options record."""
    config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    return cast("type[T]", dataclass(frozen=True, kw_only=True, config=config)(record))


@options
class Options:
    """What every use case can be given by its front end."""

    progress: ProgressCallback | None = Field(default=None, kw_only=True, exclude=True)
    """Called as `progress(label, done, total)`; default: a bar in a terminal or a notebook."""
    notice: Callable[[str], None] | None = Field(default=None, kw_only=True, exclude=True)
    """Called with each notice; default: it is printed to standard error."""
    actor: str = Field(default="Python", kw_only=True, exclude=True)
    """Named in the audit log as the one who did it."""

    @contextmanager
    def counting(self, label: str, total: int = 1) -> Iterator[Progress]:
        """Report the progress of one step; the function takes (done, total)."""
        report = self.progress or show_bar
        report(label, 0, total)
        yield functools.partial(report, label)

    @contextmanager
    def counting_each(self, label: str, total: int) -> Iterator[Callable[[], None]]:
        """Report the progress of one step, of which the function is called for each part."""
        done = itertools.count(1)
        with self.counting(label, total) as progress:
            yield lambda: progress(next(done), total)

    def say(self, text: str) -> None:
        """Report something that the user should know, without stopping."""
        if self.notice is not None:
            self.notice(text)
        else:
            print(text, file=sys.stderr)  # noqa: T201


@plain_dataclass(frozen=True, slots=True, kw_only=True)
class OptionField:
    """One field of an options record, as front ends see it."""

    name: str
    annotation: Any
    default: Any
    required: bool
    description: str
    limits: Mapping[str, Any]
    details: Mapping[str, Any]


def fields_of(record: type[Options]) -> Iterator[OptionField]:
    """Return the fields: positional ones in their order, then a record's own options before those
    that it shares with others.
    """
    known: Mapping[str, FieldInfo] = record.__pydantic_fields__  # type: ignore[attr-defined]
    order = {
        name: -depth
        for depth, base in enumerate(reversed(record.__mro__))
        for name in inspect.get_annotations(base)
    }
    for name, field in sorted(
        known.items(), key=lambda item: (item[1].kw_only, item[1].kw_only and order[item[0]])
    ):
        if field.exclude:
            continue
        details = field.json_schema_extra
        assert isinstance(details, dict), f"{record.__name__}.{name}: use option() or argument()"
        limits = {
            limit: getattr(constraint, limit)
            for constraint in field.metadata
            for limit in ("ge", "gt", "le", "lt")
            if hasattr(constraint, limit)
        }
        yield OptionField(
            name=name,
            annotation=field.annotation,
            default=None if field.is_required() else field.get_default(call_default_factory=True),
            required=field.is_required(),
            description=field.description or "",
            limits=limits,
            details=details,
        )


def use_case(record: Callable[P, Record]) -> Callable[[Callable[[Record], R]], Callable[P, R]]:
    """Let a function of an options record be called with the record's fields."""

    def decorate(function: Callable[[Record], R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                given = record(*args, **kwargs)
            except ValidationError as error:
                raise WrongUsage(usage_text(error)) from None
            return function(given)

        signature = inspect.signature(record)
        returns = inspect.signature(function).return_annotation
        signature = signature.replace(return_annotation=returns)
        call.__signature__ = signature  # type: ignore[attr-defined]
        call.options = record  # type: ignore[attr-defined]
        return call

    return decorate


def usage_text(error: ValidationError) -> str:
    """Return the first problem of the options in one line."""
    first = error.errors()[0]
    name = "--" + str(first["loc"][0]).replace("_", "-") if first["loc"] else "options"
    if first["type"] == "missing":
        return f"{name}: it is required."
    if first["type"] == "unexpected_keyword_argument":
        return f"{name}: there is no such option."
    return f"{name}: {first['msg']}, got {first['input']!r}."


class UseCaseOutcome(StrEnum):
    """How a use case ended that can end without an error, and yet not well."""

    DONE = "done"
    PROBLEMS = "problems"
    UNCHECKED = "unchecked"
    NOT_MET = "not met"
    OPEN = "open"


#: Width of the bar in characters.
_BAR = 30


def show_bar(label: str, done: int, total: int) -> None:
    """Draw a progress bar on standard error, in a terminal or a notebook."""
    if total and (sys.stderr.isatty() or "ipykernel" in sys.modules):
        bar = "█" * (_BAR * done // total)
        end = "\n" if done >= total else ""
        print(f"\r{label:<20} {bar:<{_BAR}} {done}/{total}", end=end, file=sys.stderr)  # noqa: T201


def from_environment(value: AnyPath | None, variable: str) -> str | None:
    """Return the option's value, or that of the environment variable that sets it as well."""
    return str(value) if value is not None else os.environ.get(variable) or None

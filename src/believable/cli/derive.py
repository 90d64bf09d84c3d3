"""Click commands from options records: a use case of `app` becomes a command.

    @derive(check, example="believable check my-study")
    def command(result: CheckResult) -> None:
        click.echo(...)

The decorated function shows the result in the terminal. Arguments, options, defaults, limits and
help are read from the options record and the docstring of the use case; `--json` prints the result.
"""

from __future__ import annotations

import inspect
import json
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import click
from pydantic_core import to_jsonable_python

from believable.app.options import OptionField, UseCaseOutcome, fields_of
from believable.cli.exit_codes import NOT_MET, OK, OPEN, PROBLEMS, UNCHECKED, error_json, exit_code
from believable.core.errors import BelievableError
from believable.core.whole_files import disk_error

R = TypeVar("R")

#: Named in the audit log.
ACTOR = "command line"
EXIT_OF = {
    UseCaseOutcome.DONE: OK,
    UseCaseOutcome.PROBLEMS: PROBLEMS,
    UseCaseOutcome.UNCHECKED: UNCHECKED,
    UseCaseOutcome.NOT_MET: NOT_MET,
    UseCaseOutcome.OPEN: OPEN,
}


def derive(
    use_case: Callable[..., R],
    *,
    example: str,
    group: click.Group | None = None,
    name: str | None = None,
    prepare: Callable[[dict[str, Any]], None] | None = None,
    answer: Callable[[R], object] | None = None,
    outcome: Callable[[R, Mapping[str, Any]], UseCaseOutcome] | None = None,
    json_option: bool = True,
) -> Callable[[Callable[[R], None]], click.Command]:
    """Make a command of a use case; the decorated function shows its result.

    `prepare` may change the values of the options before the use case gets them, and `answer`
    turns the result into the value that `--json` prints. `outcome` says how it ended, given the
    values of the options; by default the result says so itself.
    """

    def decorate(show: Callable[[R], None]) -> click.Command:
        options = use_case.options  # type: ignore[attr-defined]
        params = [parameter(field) for field in fields_of(options)]
        params.sort(key=lambda each: isinstance(each, click.Option))
        if json_option:
            params.append(JSON_OPTION)
        lines = "\n".join(f"  {line.strip()}" for line in example.strip().splitlines())
        text = f"{inspect.getdoc(use_case)}\n\n\b\nExample:\n{lines}"
        command = click.Command(
            name or use_case.__name__.replace("_", "-"),
            params=params,
            help=text,
            callback=callback(use_case, show, prepare=prepare, answer=answer, outcome=outcome),
        )
        if group is not None:
            group.add_command(command)
        return command

    return decorate


def callback(
    use_case: Callable[..., R],
    show: Callable[[R], None],
    *,
    prepare: Callable[[dict[str, Any]], None] | None = None,
    answer: Callable[[R], object] | None = None,
    outcome: Callable[[R, Mapping[str, Any]], UseCaseOutcome] | None = None,
) -> Callable[..., int]:
    """Return the function that click calls with the values of the options."""

    def run(as_json: bool = False, **values: Any) -> int:
        if prepare is not None:
            prepare(values)
        with terminal() as surroundings:
            if not as_json:
                result = use_case(**values, **surroundings)
            else:
                try:
                    result = use_case(**values, **surroundings)
                except (BelievableError, OSError) as error:
                    reported = disk_error(error) if isinstance(error, OSError) else error
                    echo_json(error_json(reported))
                    return exit_code(error)
        if as_json:
            echo_json(result if answer is None else answer(result))
        else:
            show(result)
        if outcome is not None:
            return EXIT_OF[outcome(result, values)]
        return EXIT_OF[getattr(result, "outcome", UseCaseOutcome.DONE)]

    return run


def echo_json(value: object) -> None:
    """Print a result as JSON: a record may say by `as_json` which parts are the answer."""
    told = value.as_json() if hasattr(value, "as_json") else value
    plain = to_jsonable_python(told, fallback=str, inf_nan_mode="null")
    click.echo(json.dumps(plain, indent=2, ensure_ascii=False))


JSON_OPTION = click.Option(["--json", "as_json"], is_flag=True, help="Print JSON, for scripts.")


def parameter(field: OptionField) -> click.Parameter:
    """Return one field of an options record as an argument or option."""
    details = field.details
    annotation, repeated = field.annotation, False
    if get_origin(annotation) in (Union, types.UnionType):
        inner = [part for part in get_args(annotation) if part is not type(None)]
        several = [part for part in inner if get_origin(part) is Sequence]
        annotation = (several if details.get("position") else []) or [_path_or(inner)]
        annotation = annotation[0]
    if get_origin(annotation) in (Sequence, tuple) and Ellipsis not in get_args(annotation):
        repeated = get_origin(annotation) is Sequence
        annotation = get_args(annotation)[0] if repeated else annotation
    kinds: Any = click_type(annotation, field.limits, details)
    name = field.name.rstrip("_")
    given: dict[str, Any] = {} if field.required or repeated else {"default": field.default}
    if details.get("position"):
        return click.Argument(
            [field.name],
            type=kinds,
            required=field.required,
            metavar=details["metavar"] or None,
            nargs=-1 if repeated else None,
            **given,
        )
    shown: dict[str, Any] = {"help": field.description, "hidden": details["hidden"]}
    spelled = (details["flags"] or f"--{name.replace('_', '-')}").split()
    if annotation is bool:
        default = None if field.annotation is not bool else field.default
        return click.Option([*spelled, field.name], is_flag=True, default=default, **shown)
    return click.Option(
        [*spelled, field.name],
        type=kinds,
        required=field.required,
        multiple=repeated,
        metavar=details["metavar"] or None,
        show_default=details["show_default"],
        **given,
        **shown,
    )


def _path_or(parts: Sequence[Any]) -> Any:
    """Return the form of a union that a command line can give: a path before text."""
    return Path if Path in parts else parts[0]


FOLDER = click.Path(file_okay=False, path_type=Path)
#: What `click.Path` is given for a kind of path.
PATH_KINDS: Mapping[str, Mapping[str, bool]] = {
    "any": {},
    "known": {"exists": True},
    "file": {"dir_okay": False},
    "folder": {"file_okay": False},
    "known file": {"dir_okay": False, "exists": True},
    "known folder": {"file_okay": False, "exists": True},
}


def click_type(annotation: Any, limits: Mapping[str, Any], details: Mapping[str, Any]) -> Any:
    """Return the click type of one value."""
    if get_origin(annotation) is tuple:
        return tuple(click_type(part, {}, details) for part in get_args(annotation))
    if get_origin(annotation) is Literal:
        return click.Choice(get_args(annotation))
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = _path_or(get_args(annotation))
    if annotation is Path:
        return click.Path(path_type=Path, **PATH_KINDS[details["path"]])
    if limits and annotation in (int, float):
        kind = click.IntRange if annotation is int else click.FloatRange
        low, high = limits.get("gt", limits.get("ge")), limits.get("le")
        return kind(low, high, min_open="gt" in limits)
    return annotation


class _Bars:
    """Progress bars on standard error, one after the other."""

    def __init__(self) -> None:
        self._bar: Any = None

    def progress(self, label: str, done: int, total: int) -> None:
        if self._bar is None or (done == 0 and label != self._bar.label):
            self.close()
            self._bar = click.progressbar(
                length=total, label=label, file=sys.stderr, hidden=total == 0
            )
            self._bar.__enter__()
        self._bar.label, self._bar.length = label, total
        self._bar.update(done - self._bar.pos)

    def notice(self, text: str) -> None:
        self.close()
        click.echo(text, err=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None


@contextmanager
def terminal() -> Iterator[dict[str, Any]]:
    """Return the callbacks that a use case is given here."""
    bars = _Bars()
    try:
        yield {"progress": bars.progress, "notice": bars.notice, "actor": ACTOR}
    finally:
        bars.close()

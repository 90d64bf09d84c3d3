"""Commands are derived from options records: nothing is lost on the way, and answers are JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click
import pytest
from click.testing import CliRunner

from believable.app.options import (
    AnyPath,
    Options,
    UseCaseOutcome,
    argument,
    fields_of,
    option,
    options,
    setting,
    use_case,
)
from believable.cli import COMMANDS, group
from believable.cli.derive import derive
from believable.cli.exit_codes import EXIT_CODES, exit_code
from believable.core import errors
from believable.worlds.gym.gym_environment import PACKAGES, make_environment

#: Commands that serve until they are stopped, or print a schema, or a page of their own.
WITHOUT_ANSWER = {"serve", "gallery", "demo", "schema"}
#: Not derived yet.
BY_HAND = {"record"}


@options
class SampleOptions(Options):
    folder: AnyPath = argument("The folder.", kw_only=False)
    n: int = setting("How many.", default=3, ge=1, le=9)
    share: float | None = option("A share.", default=None, gt=0)
    from_: str = option("The beginning.", default="a", metavar="TEXT")
    kind: Literal["one", "two"] = setting("Which.", default="one")
    name: Sequence[str] = option("A name.", default=(), metavar="NAME")
    shown: bool | None = option("Whether.", default=None, flags="--shown/--hidden")
    quick: bool = option("Quickly.", default=False)


class Answer(dict[str, Any]):
    outcome = UseCaseOutcome.PROBLEMS


@use_case(SampleOptions)
def sample(options: SampleOptions) -> Answer:
    """Return the options."""
    if options.kind == "two":
        raise errors.NotFound("two: there is none.")
    with options.counting("Looking", 2) as progress:
        progress(2, 2)
    options.say("a notice")
    return Answer({field.name: getattr(options, field.name) for field in fields_of(SampleOptions)})


@derive(sample, example="believable sample x")
def command(result: Answer) -> None:
    click.echo(f"n is {result['n']}")


def run(*words: str) -> Any:
    return CliRunner().invoke(command, words, standalone_mode=False)


def test_values_and_defaults_reach_the_use_case() -> None:
    result = run("x", "--name", "a", "--name", "b", "--from", "z", "--hidden", "--json")
    assert json.loads(result.stdout) == {
        "folder": "x",
        "n": 3,
        "share": None,
        "from_": "z",
        "kind": "one",
        "name": ["a", "b"],
        "shown": False,
        "quick": False,
    }
    assert result.return_value == 1, "the outcome decides about the exit code"
    assert "a notice" in result.stderr
    assert run("x", "--n", "4").stdout == "n is 4\n"


@pytest.mark.parametrize("words", [("--n", "0"), ("--n", "x"), ("--share", "0"), ("--kind", "no")])
def test_limits_and_choices_are_wrong_usage(words: tuple[str, ...]) -> None:
    assert isinstance(run("x", *words).exception, click.UsageError)


def test_an_error_is_json_with_its_exit_code() -> None:
    result = run("x", "--kind", "two", "--json")
    assert json.loads(result.stdout) == {
        "error": {"kind": "NotFound", "message": "two: there is none.", "exit_code": 4}
    }
    assert result.return_value == 4
    assert isinstance(run("x", "--kind", "two").exception, errors.NotFound)


def test_progress_and_notices_are_callbacks() -> None:
    seen: list[object] = []
    sample("x", progress=lambda *step: seen.append(step), notice=seen.append)
    assert seen == [("Looking", 0, 2), ("Looking", 2, 2), "a notice"]


def test_every_answer_can_be_json() -> None:
    def leaves(name: str, command: click.Command) -> list[tuple[str, click.Command]]:
        if isinstance(command, click.Group):
            return [leaf for sub, inner in command.commands.items() for leaf in leaves(sub, inner)]
        return [(name, command)]

    context = click.Context(group)
    missing = [
        f"{entry.name} {name}"
        for entry in COMMANDS
        if entry.name not in WITHOUT_ANSWER | BY_HAND
        for name, leaf in leaves(entry.name, group.get_command(context, entry.name))  # type: ignore[arg-type]
        if "as_json" not in {parameter.name for parameter in leaf.params}
    ]
    assert missing == []


def test_every_error_has_one_of_the_documented_codes() -> None:
    kinds = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, errors.BelievableError)
    ]
    made = [
        kind(what="x", extra="video") if kind is errors.MissingExtra else kind("x")
        for kind in kinds
        if kind is not errors.StudyError
    ]
    assert {exit_code(error) for error in made} == {1, 2, 3, 4, 7}
    assert {exit_code(error) for error in made} <= set(EXIT_CODES)


@pytest.mark.parametrize(
    "words",
    [
        ("power",),
        ("power", "--test", "paired_t"),
        ("new", "x", "--protocol", "hnt"),
        ("new", "x", "--blank", "--protocol", "hntt"),
        ("report", "a", "b"),
        ("agents", "--check"),
    ],
)
def test_wrong_usage_is_2(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(group, words, standalone_mode=False)
    assert result.exception is not None
    assert exit_code(result.exception) == 2, result.exception


@pytest.mark.parametrize("name", ["report", "serve", "list"])
def test_an_argument_that_takes_one_or_several_takes_several(name: str) -> None:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    (studies,) = [each for each in command.params if isinstance(each, click.Argument)]
    assert studies.nargs == -1


def test_a_missing_package_is_3_as_a_missing_extra_is(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gymnasium")
    monkeypatch.setitem(PACKAGES, "Nowhere-", ("nowhere_at_all", "nowhere"))
    with pytest.raises(errors.InvalidInput, match="pip install 'nowhere'") as raised:
        make_environment("Nowhere-v0", {})
    assert exit_code(raised.value) == 3

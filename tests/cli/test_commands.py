"""Every command is one file, loads on its own, and explains itself with an example."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from believable.cli import COMMANDS, CommandEntry, group
from believable.cli.exit_codes import exit_code
from believable.core.errors import (
    InvalidInput,
    MissingExtra,
    NotFound,
    Refused,
    StorageFull,
    StudyError,
)

FOLDER = Path(__file__).resolve().parents[2] / "src" / "believable" / "cli"
#: Parts that commands share.
NOT_COMMANDS = {"__init__", "agent_options", "demo_studies", "derive", "exit_codes"}


def command_of(entry: CommandEntry) -> click.Command:
    command = group.get_command(click.Context(group), entry.name)
    assert command is not None
    return command


def leaves(name: str, command: click.Command) -> list[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        return [(name, command)]
    return [
        leaf for sub, inner in command.commands.items() for leaf in leaves(f"{name} {sub}", inner)
    ]


def test_every_file_is_a_command_and_every_command_a_file() -> None:
    files = {file.stem for file in FOLDER.glob("*.py")} - NOT_COMMANDS
    assert files == {entry.module for entry in COMMANDS}


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_the_overview_says_what_the_command_says(entry: CommandEntry) -> None:
    assert (command_of(entry).help or "").split("\n")[0] == entry.about


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_help_shows_an_example_that_names_the_command(entry: CommandEntry) -> None:
    command = command_of(entry)
    documented = [command, *(leaf for _, leaf in leaves(entry.name, command))]
    for one in documented:
        help_text = one.help or ""
        assert re.search(r"Examples?:", help_text), f"{one.name}: add an example to the help text"
        assert f"believable {entry.name}" in help_text


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_every_option_is_explained(entry: CommandEntry) -> None:
    for name, command in leaves(entry.name, command_of(entry)):
        for parameter in command.params:
            if isinstance(parameter, click.Option) and parameter.name not in ("help", "port"):
                assert parameter.help, f"{name} --{parameter.name} has no help text"


def test_help_of_the_whole_lists_all_commands() -> None:
    result = CliRunner().invoke(group, ["--help"])
    assert result.exit_code == 0
    for entry in COMMANDS:
        assert f"  {entry.name}" in result.output


def test_an_unknown_command_is_answered_with_the_nearest() -> None:
    result = CliRunner().invoke(group, ["exprot"])
    assert result.exit_code == 2
    assert "Did you mean 'export'?" in result.output


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidInput("x"), 1),
        (StudyError([]), 1),
        (MissingExtra(what="x", extra="video"), 3),
        (NotFound("x"), 4),
        (Refused("x"), 4),
        (StorageFull("x"), 4),
        (OSError("x"), 4),
    ],
)
def test_errors_have_exit_codes(error: Exception, code: int) -> None:
    assert exit_code(error) == code

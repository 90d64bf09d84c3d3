"""Every command in the documentation is one that the command line takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from believable.cli import group

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(believable [^`]+)`")


def commands(page: Path) -> list[str]:
    """What calls us, in blocks and between words, without prompt, comment and what the shell does
    with the output.
    """
    text = page.read_text()
    lines = [
        line for block in BLOCK.findall(text) for line in block.replace("\\\n", " ").splitlines()
    ]
    calls = [re.sub(r"^\$ ", "", line.strip()) for line in lines]
    calls = [line for line in calls if line.startswith("believable ")] + INLINE.findall(
        BLOCK.sub("", text)
    )
    return [re.split(r"\s[|>&]", line)[0] for line in calls]


#: Known only with the package of the page, whose test runs it.
OF_A_PACKAGE = "believable record pond"
GIVEN = [
    pytest.param(line, id=f"{page.relative_to(ROOT)}:{number}")
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page.name != "cli.md"  # made from the commands themselves
    for number, line in enumerate(commands(page))
    if not line.startswith(OF_A_PACKAGE)
]


def takes(command: click.Command, context: click.Context, words: list[str]) -> None:
    """Raises `click.UsageError` where it does not. Files that the page only talks about need not
    exist.
    """
    if isinstance(command, click.Group):
        if not words or words == ["--help"]:  # which every group takes, and ends there
            return None
        name, found, rest = command.resolve_command(context, words)
        assert found is not None
        return takes(found, click.Context(found, info_name=name, parent=context), rest)
    given, _, order = command.make_parser(context).parse_args(list(words))
    for parameter in order:
        if parameter.name in given and isinstance(parameter.type, click.Choice):
            parameter.type_cast_value(context, given[parameter.name])
    for parameter in (
        command.get_params(context) if words else ()
    ):  # a name alone only says what is meant
        if parameter.required:
            assert given.get(parameter.name or "") is not None, f"{parameter.name} is missing"
    return None


def test_there_are_commands() -> None:
    assert len(GIVEN) > 20


@pytest.mark.parametrize("line", GIVEN)
def test_a_documented_command_is_taken(line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    takes(group, click.Context(group, info_name="believable"), words)

"""Commands in messages can be copied into a shell."""

from __future__ import annotations

import shlex
from pathlib import Path

from click.testing import CliRunner

from believable.cli import group
from believable.core.shell import quote_command


def test_arguments_survive_a_shell() -> None:
    arguments = ["mein Experiment ü", "a'b", "$HOME", "plain"]
    assert shlex.split(quote_command("believable check", *arguments)) == [
        "believable",
        "check",
        *arguments,
    ]


def test_new_suggests_a_command_that_can_be_copied(tmp_path: Path) -> None:
    folder = tmp_path / "mein Experiment ü"
    result = CliRunner().invoke(
        group, ["new", str(folder), "--protocol", "hntt"], catch_exceptions=False
    )
    suggested = result.output.partition("Next: ")[2].splitlines()[0]
    assert shlex.split(suggested) == ["believable", "check", str(folder)]


def test_every_suggested_command_is_quoted() -> None:
    """A path inside a suggested command goes through `quote_command`."""
    source = Path(__file__).parents[2] / "src" / "believable"
    paths = ("{folder}", "{place}", "{study.", "{path}", "{target}", "{source}", "{name}", "{email")
    bare = [
        f"{file.relative_to(source)}:{number}"
        for file in sorted(source.rglob("*.py"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1)
        if any(f" {path}" in line.partition("believable ")[2].partition("`")[0] for path in paths)
        and 'f"' in line
        and "believable " in line
    ]
    assert bare == []

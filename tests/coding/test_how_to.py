"""docs/how-to/coding.md is true: its codebook loads, its commands exist, its keys are those of the
desk.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from believable.core.nodes import parse
from believable.study.codebook import Codebook, resolve_codebook

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "coding.md").read_text(
    encoding="utf-8"
)


def test_the_codebook_of_the_page_loads() -> None:
    (snippet,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    tree, problems = parse(snippet.encode(), "page")
    assert problems == []
    assert tree is not None
    (one,) = tree.freeze()["codebooks"]
    book = resolve_codebook(Codebook.model_validate(one, strict=True))
    assert book.codes[-1].id == "speed"


COMMANDS = sorted(set(re.findall(r"^believable (code \w+)", PAGE, re.MULTILINE)))


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_of_the_page_exist(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "believable", *command.split(), "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_options_of_the_page_are_known() -> None:
    for command in COMMANDS:
        used = set(
            re.findall(
                r"--[a-z]+",
                "\n".join(re.findall(rf"^believable {command} .*$", PAGE, re.MULTILINE)),
            )
        )
        shown = subprocess.run(
            [sys.executable, "-m", "believable", *command.split(), "--help"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert all(option in shown for option in used), (command, used)

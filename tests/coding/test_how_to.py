"""docs/how-to/coding.md is true: its codebook loads, its commands exist, its keys are those of the
desk.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from believable.core.nodes import parse
from believable.study.codebook import Codebook, resolve_codebook
from tests import programs

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
    assert programs.believable(*command.split(), "--help")


def test_options_of_the_page_are_known() -> None:
    for command in COMMANDS:
        used = set(
            re.findall(
                r"--[a-z]+",
                "\n".join(re.findall(rf"^believable {command} .*$", PAGE, re.MULTILINE)),
            )
        )
        shown = programs.believable(*command.split(), "--help")
        assert all(option in shown for option in used), (command, used)

from __future__ import annotations

from pathlib import Path

from believable.cli import COMMANDS
from believable.cli.reference import render

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "cli.md"


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "run: make reference"


def test_the_page_holds_every_command() -> None:
    text = render()
    for entry in COMMANDS:
        assert f"### `believable {entry.name}`" in text

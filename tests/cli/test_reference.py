from __future__ import annotations

from pathlib import Path

from believable.cli import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"


def test_the_page_holds_every_command() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for entry in COMMANDS:
        assert f"### `believable {entry.name}`" in text

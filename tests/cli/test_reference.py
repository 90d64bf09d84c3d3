from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from believable.cli import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"


def test_the_page_is_fresh() -> None:
    """Rendered in a process of its own: click remembers help options from the first context that asked for them."""
    done = subprocess.run(
        [sys.executable, "-m", "believable.cli.reference"], capture_output=True, text=True, check=True
    )
    assert PAGE.read_text(encoding="utf-8") == done.stdout, "run: make reference"


def test_the_page_holds_every_command() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for entry in COMMANDS:
        assert f"### `believable {entry.name}`" in text

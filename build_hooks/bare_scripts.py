"""Scripts as they travel: the wheel holds the browser's scripts without the types and comments that
are half of them.

A checkout installed with `pip install -e` serves the sources as they are.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path("src/believable")

_BLOCK = re.compile(r"/\*\*.*?\*/ ?", re.DOTALL)
_LINE = re.compile(r"^\s*//.*\n", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+|\n(?=\n)", re.MULTILINE)


def without_comments(script: str) -> str:
    """`script` without documentation comments (which must not occur in a string), whole-line
    comments, indents, empty lines.
    """
    return _INDENT.sub("", _LINE.sub("", _BLOCK.sub("", script))).lstrip()


class BareScripts(BuildHookInterface):  # type: ignore[type-arg]
    """Puts bare copies of the scripts into the wheel in place of the sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self.copies = tempfile.TemporaryDirectory()
        root = Path(self.root)
        for script in sorted((root / PACKAGE).rglob("*.js")):
            inside = script.relative_to(root / PACKAGE.parent)
            copy = Path(self.copies.name) / inside
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(without_comments(script.read_text(encoding="utf-8")), encoding="utf-8")
            build_data["force_include"][str(copy)] = inside.as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self.copies.cleanup()

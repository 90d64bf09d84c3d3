"""The description that travels with the package: README without the pictures and links that lead to
files of the repository, which nobody has who reads it in an index of packages.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

#: A row of a table that shows pictures, with the rows above it that only head it.
_PICTURES = re.compile(r"(?:^\|.*\n)*(?:^\|.*!\[.*\n)+", re.MULTILINE)
_PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https?:)[^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#)[^)]*\)")


def travelling(readme: str) -> str:
    """
    >>> travelling("See [the page](docs/page.md) and [gym](https://gymnasium.farama.org).")
    'See the page and [gym](https://gymnasium.farama.org).'
    """
    return _LINK.sub(r"\1", _PICTURE.sub(r"\1", _PICTURES.sub("", readme)))


class PlainReadme(MetadataHookInterface):
    """Fills in `readme`, which pyproject declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": travelling(text)}

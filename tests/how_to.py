"""The pages about adding a part, followed to the letter: their files, declarations and commands as
they are printed, with nothing edited.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

from tests.programs import ROOT, install

DOCS = ROOT / "docs"
#: The part that each page adds to a package. The protocol asks with the instrument.
PAGES = {
    "agent": "how-to/add-an-agent.md",
    "instrument": "how-to/add-an-instrument.md",
    "page": "how-to/add-a-page-kind.md",
    "player": "how-to/add-a-player.md",
    "protocol": "how-to/add-a-protocol.md",
    "world": "how-to/add-a-world.md",
}
_BLOCK = re.compile(r"([^\n]*)\n\n```(\w*)\n(.*?)^```$", re.S | re.M)
_COMMENTED = re.compile(r"(?:#|//|/\*|<!--) (\S+/\S+\.\w+)(?: -->| \*/)?\n")
_ANNOUNCED = re.compile(r"`([\w./-]+\.\w+)`:$")


def files_of(page: str) -> dict[str, str]:
    """The files that a page shows. A path is in the first line, or in the line before the block."""
    files = {}
    for before, _, text in _BLOCK.findall((DOCS / page).read_text("utf-8")):
        path = _COMMENTED.match(text) or _ANNOUNCED.search(before)
        if path is not None:
            assert path[1] not in files, f"{page} shows {path[1]} twice"
            files[path[1]] = text
    return files


def declarations_of(page: str) -> str:
    """The lines that a page adds to pyproject.toml."""
    blocks = _BLOCK.findall((DOCS / page).read_text("utf-8"))
    return "\n".join(text for _, _, text in blocks if text.startswith("[project.entry-points"))


def commands_of(page: str) -> list[list[str]]:
    """The commands that a page shows, without the name of the program."""
    return [
        shlex.split(line)[1:]
        for _, language, text in _BLOCK.findall((DOCS / page).read_text("utf-8"))
        if not language
        for line in text.splitlines()
        if line.startswith("believable ")
    ]


def write_package(folder: Path, *parts: str) -> Path:
    """Write a package with these parts, as `extend.md` and the page of each part say. Its checks
    are in `tests/`.
    """
    pages = [PAGES[part] for part in parts]
    files: dict[str, str] = {}
    for page in ("extend.md", *pages):
        files |= files_of(page)
    files["pyproject.toml"] = "\n".join([files["pyproject.toml"], *map(declarations_of, pages)])
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def installed_package(folder: Path, *parts: str) -> Path:
    """The same, installed where it is."""
    write_package(folder, *parts)
    install(folder, tomllib.loads((folder / "pyproject.toml").read_text("utf-8")))
    return folder

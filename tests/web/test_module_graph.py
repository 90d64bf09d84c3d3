"""What a page's scripts import is asked for with the page."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urljoin

import pytest

from believable.contracts.registries import WORLDS
from believable.web.module_graph import WORLD_SCRIPTS, preload_files, served_folders, with_imports

#: Every import of a file, told in another way: the words after `from`, wherever they stand.
_FROM = re.compile(r'(?:from|^import)\s+"([^"]+\.js)"', re.MULTILINE)
MAIN = "/static/participant/main.js"


def files() -> dict[str, Path]:
    worlds = [(f"{WORLD_SCRIPTS}/{world.name}", world.folder / "static") for world in WORLDS]
    folders = [*served_folders(), *worlds]
    return {
        f"{address}/{file.relative_to(folder).as_posix()}": file
        for address, folder in reversed(folders)
        for file in folder.rglob("*.js")
    }


@pytest.mark.parametrize(
    "address",
    sorted(address for address in files() if re.search("/(participant|pages|worlds)/", address)),
)
def test_no_import_is_left_out(address: str) -> None:
    known = with_imports((address,))
    for name in _FROM.findall(
        re.sub(r"/\*.*?\*/", "", files()[address].read_text(encoding="utf-8"), flags=re.DOTALL)
    ):
        assert urljoin(address, name) in known
    assert all(script in files() for script in known)


def test_scripts_are_named_once_and_none_without_address() -> None:
    scripts = preload_files((MAIN, None, MAIN))
    assert scripts[0] == MAIN
    assert len(set(scripts)) == len(scripts) > 10

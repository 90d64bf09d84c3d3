"""The architecture page says what is so: its table of what to write to add something names things
that are there.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import believable
from believable.core.registry import Registry

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SOURCE = "".join(
    file.read_text(encoding="utf-8") for file in (ROOT / "src" / "believable").glob("*/*.py")
)
TABLE = PAGE.partition("## To add something")[2].partition("\n## ")[0]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TABLE.splitlines()
    if line.startswith(("| a ", "| an "))
]


def test_everything_that_can_be_added_is_in_the_table() -> None:
    assert [row[0].split(" ", 1)[1] for row in ROWS] == [
        *(
            "instrument",
            "player",
            "world",
            "agent of a world",
            "protocol",
            "kind of page",
            "statistic",
            "console page",
        )
    ]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_names_what_is_there(row: list[str]) -> None:
    _, write, shared, check, how = row
    assert int(shared.split()[0]) <= 2
    folder = re.search(r"`([\w/]+)/<\w+>", write)
    assert folder is None or (ROOT / "src" / "believable" / folder[1]).is_dir()
    for file in re.findall(r"`(\w+/[\w/]+\.py)`", f"{shared} {check}"):
        assert (ROOT / file).is_file(), file
    page = re.search(r"\]\(([\w/-]+\.md)\)", how)
    assert page is not None
    words = (ROOT / "docs" / page[1]).read_text(encoding="utf-8")
    named = re.fullmatch(r"`(check_\w+)`", check)
    assert named is None or (named[1] in words and f"def {named[1]}(" in SOURCE)


@pytest.mark.parametrize("name", ["instruments", "players", "worlds", "protocols", "pages"])
def test_what_is_built_in_is_a_folder_and_a_name(name: str) -> None:
    registry = getattr(believable, name.upper())
    assert isinstance(registry, Registry)
    folder = ROOT / "src" / "believable" / name
    text = (folder / "__init__.py").read_text(encoding="utf-8")
    for part in registry.names:
        if (folder / part).is_dir():
            assert text.count(f'"{part}"') == 1, f"{part}: one shared line"

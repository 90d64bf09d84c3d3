"""Data files beside the code are YAML, and what is read of them is what a YAML parser reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import believable
from believable.core.data_files import read_blocks, read_entries

SOURCE = Path(believable.__file__).parent
BLOCKS = sorted(
    file
    for name in ("tables", "protocol", "columns", "licences")
    for file in SOURCE.rglob(f"{name}.yaml")
)
ENTRIES = [
    *sorted((SOURCE / "study" / "languages").glob("*.yaml")),
    SOURCE / "protocols" / "clips" / "comments.yaml",
]


def parsed(file: Path) -> Any:
    return YAML(typ="safe", pure=True).load(file)


def ids(files: list[Path]) -> list[str]:
    return [str(file.relative_to(SOURCE)) for file in files]


@pytest.mark.parametrize("file", BLOCKS, ids=ids(BLOCKS))
def test_blocks_are_what_a_parser_reads(file: Path) -> None:
    assert read_blocks(file) == parsed(file)


@pytest.mark.parametrize("file", ENTRIES, ids=ids(ENTRIES))
def test_entries_are_what_a_parser_reads(file: Path) -> None:
    assert read_entries(file) == parsed(file)


def test_a_value_goes_on_further_to_the_right(tmp_path: Path) -> None:
    file = tmp_path / "data.yaml"
    file.write_text(
        '# A comment.\n\n"{name}":\n  words: "one: two\n    three"\n  numbers: [1,\n   '
        " 2]\nempty:\n"
    )
    assert read_blocks(file) == {
        "{name}": {"words": "one: two three", "numbers": [1, 2]},
        "empty": {},
    }

"""Data files next to the code, in the part of YAML that can be read at once: an entry per line, its
value as in JSON.

    block:
      key: "value"
      other: ["value", 2,
        "a value may continue, further to the right"]

Reading just that takes a fraction of a millisecond; a YAML parser would add 50 ms to every start.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import orjson


@cache
def read_entries(file: Path) -> dict[str, Any]:
    """`key: value`, without blocks."""
    return _values("\n".join(_lines(file)))


@cache
def read_blocks(file: Path) -> dict[str, dict[str, Any]]:
    """Entries under the name of their block."""
    blocks: dict[str, list[str]] = {}
    for line in _lines(file):
        if line[0] != " ":
            blocks[_key(line.removesuffix(":"))] = block = []
        else:
            block.append(line[2:])
    return {name: _values("\n".join(lines)) for name, lines in blocks.items()}


def _lines(file: Path) -> Iterator[str]:
    return (
        line
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.strip() and line.strip()[0] != "#"
    )


def _values(lines: str) -> dict[str, Any]:
    entries = (entry.split(": ", 1) for entry in lines.replace("\n  ", " ").splitlines())
    return {_key(key): orjson.loads(value) for key, value in entries}


def _key(key: str) -> str:
    return str(orjson.loads(key)) if key[0] == '"' else key

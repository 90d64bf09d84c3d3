"""Every number of a dataset that could be a clock."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from believable.bundle.package import EVENTS, STRAYS
from believable.bundle.read import read

TEN_YEARS_MS = 315_576_000_000


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def times_in(bundle: Path) -> Iterator[float]:
    """Every number of a dataset that could be a clock. Seeds are none."""
    for name in (EVENTS, STRAYS):
        if (bundle / name).is_file():
            with gzip.open(bundle / name, "rt", encoding="utf-8") as file:
                for line in map(json.loads, file):
                    yield from numbers_in(line)
                    yield from numbers_in(json.loads(line["body"]))
    for table in read(bundle).tables.values():
        for name, column in table.columns.items():
            if column.field.type in ("integer", "number") and "seed" not in name:
                yield from (float(cell) for cell in column.cells() if cell is not None)

"""The reference page of the instruments is what their records say."""

from __future__ import annotations

import os
from pathlib import Path

from believable.instruments import INSTRUMENTS
from believable.instruments.reference import reference

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "instruments.md"


def test_the_page_is_fresh():
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(reference(INSTRUMENTS), encoding="utf-8")
    again = "docs/reference/instruments.md is out of date: UPDATE_DOCS=1 pytest tests/instruments/test_reference.py"
    assert PAGE.read_text(encoding="utf-8") == reference(INSTRUMENTS), again


def test_every_instrument_with_all_it_records_is_on_the_page():
    page = reference(INSTRUMENTS)
    for one in INSTRUMENTS:
        section = page.partition(f"### `{one.name}`\n")[2].partition("\n### ")[0]
        assert one.about in section
        for name in (*one.params.model_fields, *(column.name for column in one.records)):
            assert f"| `{name}` |" in section
        for stream in one.streams:
            assert f"| `{stream.kind}` |" in section


def test_every_parameter_says_what_it_means():
    silent = [
        f"{one.name}.{name}"
        for one in INSTRUMENTS
        for name, field in one.params.model_fields.items()
        if not field.description
    ]
    assert silent == []

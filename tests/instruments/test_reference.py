"""The reference page of the instruments is what their records say."""

from __future__ import annotations

from pathlib import Path

from believable.contracts.registries import INSTRUMENTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "instruments.md"


def test_every_instrument_with_all_it_records_is_on_the_page():
    page = PAGE.read_text(encoding="utf-8")
    for one in INSTRUMENTS:
        section = page.partition(f"### `{one.name}`\n")[2].partition("\n### ")[0]
        assert one.about in " ".join(section.split())
        columns = (column.name for column in one.records)
        streams = (stream.kind for stream in one.streams)
        for name in (*one.params.model_fields, *columns, *streams):
            assert f"\n| `{name}` |" in section or f"\n- `{name}`" in section, name


def test_every_parameter_says_what_it_means():
    silent = [
        f"{one.name}.{name}"
        for one in INSTRUMENTS
        for name in one.params.model_fields
        if name not in one.params.descriptions()
    ]
    assert silent == []

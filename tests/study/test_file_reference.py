"""The reference page is what the records say."""

from __future__ import annotations

from pathlib import Path

from believable.contracts.fields import keys
from believable.contracts.registries import INSTRUMENTS
from believable.study.kinds import item_kinds
from believable.study.records import Study

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "study-file.md"


def test_every_key_and_kind_is_on_the_page():
    page = PAGE.read_text(encoding="utf-8")
    for key in keys(Study):
        assert f"\n| `{key}` |" in page or f"\n- `{key}`" in page
    for kind in (*item_kinds(), *INSTRUMENTS.names):
        assert f"### `{kind}`" in page

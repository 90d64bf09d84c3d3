"""The reference page is what the records say."""

from __future__ import annotations

import os
from pathlib import Path

from believable.instruments import INSTRUMENTS
from believable.study.fields import keys
from believable.study.read import ITEM_KINDS
from believable.study.records import Study
from believable.study.reference import reference

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "study-file.md"


def test_the_page_is_fresh():
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(reference(INSTRUMENTS), encoding="utf-8")
    again = "docs/reference/study-file.md is out of date: UPDATE_DOCS=1 pytest tests/study/test_reference.py"
    assert PAGE.read_text(encoding="utf-8") == reference(INSTRUMENTS), again


def test_every_key_and_kind_is_on_the_page():
    page = reference(INSTRUMENTS)
    for key in keys(Study):
        assert f"| `{key}` |" in page
    for kind in (*ITEM_KINDS, *INSTRUMENTS.names):
        assert f"### `{kind}`" in page

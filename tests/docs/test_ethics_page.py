"""The page about data protection lists every table of the database, and copies of its consent texts
cause a warning until their placeholders are filled.
"""

from __future__ import annotations

import re
from pathlib import Path

from believable.store.tables.metadata import metadata
from believable.study.load import PLACEHOLDER

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "ethics.md").read_text(encoding="utf-8")


def test_every_table_of_the_database_is_listed() -> None:
    listed = PAGE.partition("table by table")[2].partition("The data folder")[0]
    lines = [line.partition(":")[0] for line in listed.splitlines() if line.startswith("- `")]
    named = [name for line in lines for name in re.findall(r"`(\w+)`", line)]
    assert sorted(named) == sorted(metadata.tables)


def test_the_consent_texts_hold_placeholders_that_the_check_finds() -> None:
    texts = re.findall(r"^```markdown\n(.*?)^```$", PAGE, re.M | re.S)
    assert len(texts) == 2
    for text in texts:
        brackets = re.findall(r"\[[^\]]+\]", text)
        assert len(brackets) > 10
        assert [one for one in brackets if not PLACEHOLDER.fullmatch(one)] == []

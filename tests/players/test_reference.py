"""The reference page of the players is what their records say."""

from __future__ import annotations

import os
from pathlib import Path

from believable.players import PLAYERS, SIGNAL
from believable.players.reference import reference
from believable.study.records import Controls

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "players.md"


def test_the_page_is_fresh():
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(reference(PLAYERS, SIGNAL), encoding="utf-8")
    again = "docs/reference/players.md is out of date: UPDATE_DOCS=1 pytest tests/players/test_reference.py"
    assert PAGE.read_text(encoding="utf-8") == reference(PLAYERS, SIGNAL), again


def test_every_player_with_all_it_records_is_on_the_page():
    page = reference(PLAYERS, SIGNAL)
    for name in Controls.model_fields:
        assert f"| `{name}` |" in page
    for one in (*PLAYERS, SIGNAL):
        section = page.partition(f"## `{one.name}`\n")[2].partition("\n## ")[0]
        assert all(f"| `{event.kind}` |" in section for event in one.records)

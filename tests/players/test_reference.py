"""The reference page of the players is what their records say."""

from __future__ import annotations

from pathlib import Path

from believable.players import PLAYERS, SIGNAL
from believable.study.records import Controls

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "players.md"


def test_every_player_with_all_it_records_is_on_the_page():
    page = PAGE.read_text(encoding="utf-8")
    for name in Controls.model_fields:
        assert f"| `{name}` |" in page
    for one in (*PLAYERS, SIGNAL):
        section = page.partition(f"## `{one.name}`\n")[2].partition("\n## ")[0]
        assert all(f"| `{event.kind}` |" in section for event in one.records)

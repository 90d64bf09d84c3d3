"""The reference page of the players is what their records say."""

from __future__ import annotations

from pathlib import Path

from believable.contracts.controls import Controls
from believable.contracts.registries import PLAYERS
from believable.players import SIGNAL

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "players.md"


def test_every_player_with_all_it_records_is_on_the_page():
    page = PAGE.read_text(encoding="utf-8")
    for name in Controls.model_fields:
        assert f"\n- `{name}`" in page
    for one in (*PLAYERS, SIGNAL):
        section = page.partition(f"## `{one.name}`\n")[2].partition("\n## ")[0]
        for event in one.records:
            assert f"\n| `{event.kind}` |" in section or f"\n- `{event.kind}`" in section

"""The types of the contract of scripts hold for every script of ours."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_script_of_a_part_is_held_against_its_contract() -> None:
    listed = (ROOT / "tests" / "js" / "contracts.d.ts").read_text()
    scripts = [
        path.relative_to(ROOT / "src" / "believable").as_posix()
        for pattern in ("instruments/*/widget.js", "pages/*/page.js", "players/*/player.js")
        for path in (ROOT / "src" / "believable").glob(pattern)
        # It shows no stimulus.
        if path.parent.name != "signal"
    ]
    assert scripts
    assert [name for name in scripts if f'import("/static/{name}")' not in listed] == []

"""Players declare what they record, and their modules record exactly that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from believable.players import PLAYERS, SIGNAL, Player

EVERY = [*PLAYERS, SIGNAL]
CALL = re.compile(r'record\("(media\.[a-z]+)"')
CONTRACT = ("time_ms", "play", "pause", "seek", "rate", "on", "destroy")


def script(player: Player) -> str:
    return "\n".join(path.read_text() for path in sorted(player.folder.glob("*.js")))


@pytest.mark.parametrize("player", EVERY, ids=lambda one: one.name)
def test_the_module_records_what_the_record_declares(player: Player) -> None:
    assert set(CALL.findall(script(player))) == {one.kind for one in player.records}


@pytest.mark.parametrize("player", EVERY, ids=lambda one: one.name)
def test_the_module_has_the_contract(player: Player) -> None:
    code = (player.folder / player.module).read_text()
    assert re.search(r"export function create\(", code)
    for name in CONTRACT:
        assert re.search(rf"\b(get )?{name}\b", code), name
    assert (player.folder / player.style).is_file()


def test_every_player_has_a_version_and_says_what_it_is() -> None:
    for player in EVERY:
        assert player.version >= 1
        assert player.about
        assert player.folder == Path(player.folder)

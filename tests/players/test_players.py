"""Players declare what they record, and their modules record exactly that."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from believable.contracts.player import Player, check_player
from believable.contracts.registries import PLAYERS
from believable.core.errors import InvalidInput
from believable.players import SIGNAL

EVERY = [*PLAYERS, SIGNAL]


@pytest.mark.parametrize("player", EVERY, ids=lambda player: player.name)
def test_the_player_keeps_the_contract(player: Player) -> None:
    check_player(player)


def test_what_breaks_the_contract_is_listed(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(PLAYERS["video"].folder, tmp_path / "video"))
    player = replace(PLAYERS["video"], folder=folder, records=PLAYERS["video"].records[1:])
    code = (folder / player.module).read_text()
    (folder / player.module).write_text(
        code.replace("export function create(", "function create(").replace("seek", "x")
    )
    with pytest.raises(InvalidInput) as error:
        check_player(replace(player, version=0))
    for words in (
        "a version from 1 on",
        "does not export the function `create`",
        "has no seek",
        "it records ['media.end",
    ):
        assert words in str(error.value)
    (folder / player.style).unlink()
    with pytest.raises(InvalidInput, match=r"there is no player\.css in video/"):
        check_player(player)

"""Films of a deathmatch, from the player's eyes."""

from __future__ import annotations

from functools import partial

from believable.protocols.doom_films import MESSAGES, STATUS_BAR, write_films

MASKS = (MESSAGES, STATUS_BAR)
write = partial(
    write_films, {"map": "deathmatch", "camera": "first"}, "bots", "person", masks=MASKS
)

"""Films of a player on the way to a mark, from behind."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from believable.protocols.doom_films import MESSAGES, RECIPE, write_films

MASKS = (MESSAGES,)
#: The page itself marks both recordings, in the participant's language.
UNMARKED = replace(RECIPE, watermark="")
write = partial(
    write_films,
    {"map": "navigation", "camera": "third"},
    "nobody",
    "wanderer",
    masks=MASKS,
    recipe=UNMARKED,
)

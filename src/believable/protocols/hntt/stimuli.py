"""The clips of the ready study: a navigator and a scripted route to the same goals."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from believable.protocols.shipped_films import write_films

write = partial(write_films, Path(__file__).parent)

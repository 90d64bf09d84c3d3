"""The clips of the ready study: people, a player learned from others, and a rule-based bot, on maps
of FreeDM.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from believable.protocols.shipped_films import write_films

write = partial(write_films, Path(__file__).parent)

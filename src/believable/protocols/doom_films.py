"""What films of Doom for a study have in common: covered parts, size, names."""

from __future__ import annotations

import random
import string

from believable.protocols.own_clips import MaskShare
from believable.stimuli.recipe import Recipe

#: Messages above and the status bar below: engines draw them differently, and they show names and
#: health.
MESSAGES, STATUS_BAR = MaskShare(0, 0, 1, 0.07), MaskShare(0, 0.835, 1, 0.165)
RECIPE = Recipe(width_px=854, height_px=480, sound=False, watermark="For research purposes only")


def film_name(rng: random.Random) -> str:
    return "".join(rng.choice(string.ascii_lowercase) for _ in range(16))

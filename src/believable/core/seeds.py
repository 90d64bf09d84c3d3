"""One seed per study; each use derives its own by name, so that adding a use never shifts
another.
"""

from __future__ import annotations

import hashlib
import random


def derive(seed: int, *names: str | int) -> int:
    """A 64-bit seed from a seed and the name of its use."""
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def generator(seed: int, *names: str | int) -> random.Random:
    """The standard library's generator: its sequence is the same on every version and machine."""
    return random.Random(derive(seed, *names))

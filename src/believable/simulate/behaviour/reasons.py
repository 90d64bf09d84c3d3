"""Reasons in words, drawn from a stock that is written once: writing thousands anew would take most of the time."""

from __future__ import annotations

import random
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from believable.coding.phrases import simulated_answer

STOCK = 600
#: What people write who do not care.
POOR = ("good", "nice video", "yes yes yes", "asdf asdf asdf", "the study is about videos")


@lru_cache(maxsize=4)
def stock(codebook: str) -> NDArray[np.object_]:
    rng = random.Random(f"reasons {codebook}")
    return np.array([simulated_answer(codebook, rng) for _ in range(STOCK)], dtype=object)


def reasons(codebook: str, count: int, rng: np.random.Generator) -> NDArray[np.object_]:
    """`count` reasons with the planted shares of codes."""
    found = stock(codebook)
    return found[rng.integers(len(found), size=count)]


def poor(count: int, rng: np.random.Generator) -> NDArray[np.object_]:
    return np.array(POOR, dtype=object)[rng.integers(len(POOR), size=count)]

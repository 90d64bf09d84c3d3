"""Answers about two stimuli side by side: which two they are, and which of them was chosen."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from believable.analysis.data import Answers, Data, rows_of

IntArray = NDArray[np.int64]

#: How a choice says which player it means.
_FIRST = frozenset({"first", "A", "a", "left", "0"})
_SECOND = frozenset({"second", "B", "b", "right", "1"})


def two_shown(data: Data, answers: Answers) -> tuple[IntArray, IntArray]:
    """For each answer the rows of `shown` that hold its players A and B; −1 where its page has not
    exactly two.
    """
    shown = data.table("shown")
    code, position, player = data.code_of(shown), shown["position"].values, shown["player"].values
    first, second = (
        rows_of(
            [code, position, player], [answers.code, answers.position, np.full(len(answers), side)]
        )
        for side in (0, 1)
    )
    players = Counter(zip(code.tolist(), position.tolist(), strict=True))
    asked = zip(answers.code.tolist(), answers.position.tolist(), strict=True)
    two = np.fromiter((players[page] == 2 for page in asked), np.bool_, len(answers))
    both = two & (first >= 0) & (second >= 0)
    return np.where(both, first, -1), np.where(both, second, -1)


def chosen_sides(answers: Answers) -> IntArray:
    """0 and 1 for players A and B, −1 for anything else."""
    side = np.full(len(answers), -1, dtype=np.int64)
    text = answers.text
    side[np.fromiter((answer in _FIRST for answer in text), np.bool_, len(text))] = 0
    side[np.fromiter((answer in _SECOND for answer in text), np.bool_, len(text))] = 1
    side[answers.number == 0] = 0
    side[answers.number == 1] = 1
    return side

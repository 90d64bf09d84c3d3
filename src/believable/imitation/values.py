"""Value iteration: the value of a node on the way to a goal if the best neighbour is
always taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from believable.imitation.observations import Booleans, Floats

DISCOUNT = 0.95
_CLOSE_ENOUGH = 1e-10


def iterate_values(
    rewards: Floats, edges: Booleans, ends: Sequence[int], discount: float = DISCOUNT
) -> Floats:
    """V = R + discount · max over neighbours of V, for every goal (a row each). An agent at a
    goal's end may stay there.

    So values grow along every path to its end: without the end, going round in circles would be
    worth as much as arriving.
    """
    neighbours = [np.flatnonzero(row) for row in edges]
    rows = np.arange(len(rewards))
    values = rewards.copy()
    while True:
        best = np.zeros_like(values)
        for node, reachable in enumerate(neighbours):
            if len(reachable):
                best[:, node] = values[:, reachable].max(1)
        best[rows, ends] = np.maximum(best[rows, ends], values[rows, ends])
        renewed = rewards + discount * best
        if np.abs(renewed - values).max(initial=0.0) < _CLOSE_ENOUGH:
            return renewed
        values = renewed

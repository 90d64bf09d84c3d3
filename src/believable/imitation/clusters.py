"""k-means with a seed: begins with points far from each other, ends when nothing moves."""

from __future__ import annotations

import numpy as np

from believable.core.errors import InvalidInput
from believable.imitation.observations import Floats, Integers

_MOST_ROUNDS = 200
#: This number of distances is held at once.
_AT_ONCE = 4_000_000


def k_means(points: Floats, count: int, rng: np.random.Generator) -> tuple[Floats, Integers]:
    """Centres, and the number of each point's centre. There are fewer centres if there are fewer
    distinct points.
    """
    if len(points) == 0:
        raise InvalidInput("k-means: expected at least one point, got none.")
    centres = _spread_out(points, count, rng)
    labels = nearest(points, centres)
    for _ in range(_MOST_ROUNDS):
        sizes = np.bincount(labels, minlength=len(centres))
        moved = np.zeros_like(centres)
        for axis in range(points.shape[1]):
            moved[:, axis] = np.bincount(labels, weights=points[:, axis], minlength=len(centres))
        moved = np.where(sizes[:, None] > 0, moved / np.maximum(sizes, 1)[:, None], centres)
        relabelled = nearest(points, moved)
        if np.array_equal(relabelled, labels):
            return moved, labels
        centres, labels = moved, relabelled
    return centres, labels


def nearest(points: Floats, centres: Floats) -> Integers:
    """For each point the number of the nearest centre; the lower one where two are as near."""
    step = max(1, _AT_ONCE // max(1, len(centres)))
    squares = (centres**2).sum(1)
    parts = [
        (squares - 2 * points[first : first + step] @ centres.T).argmin(1)
        for first in range(0, len(points), step)
    ]
    return np.concatenate(parts).astype(np.int64)


def _spread_out(points: Floats, count: int, rng: np.random.Generator) -> Floats:
    """k-means++: each next centre is drawn in proportion to its squared distance from those
    before.
    """
    centres = [points[rng.integers(len(points))]]
    distances = ((points - centres[0]) ** 2).sum(1)
    while len(centres) < count and distances.max() > 0:
        centres.append(points[rng.choice(len(points), p=distances / distances.sum())])
        distances = np.minimum(distances, ((points - centres[-1]) ** 2).sum(1))
    return np.array(centres)

"""Scores of paired comparisons read as a graph: who loses to whom, and where a random walk of losses ends."""

from __future__ import annotations

import numpy as np

from believable.core.errors import InvalidInput
from believable.stats.comparisons import Comparisons
from believable.stats.inputs import FloatArray


def pagerank(data: Comparisons, *, damping: float = 0.85) -> dict[str, float]:
    """The share of time a random walker spends at each item, who moves from an item to one that beat it.

    Says         a ranking for sparse comparisons: a win over an often-winning item counts more. It has no
                 interval; for a study use `bradley_terry`.
    Formula      stationary distribution of damping·P + (1 − damping)/k, P(i → j) the share of i's losses
                 that j inflicted (a tie is half a loss for both); an item that never lost leaves to any item.
    Range        0 to 1, sum 1; higher is better.
    Undefined    no comparisons: an empty result.
    Source       Page et al. (1999). Checked against the Python library evalica.
    """
    if not 0 <= damping < 1:
        raise InvalidInput(f"damping: expected a number from 0 to below 1, got {damping!r}. Usual is 0.85.")
    wins = win_matrix(data)
    size = len(wins)
    losses = wins.sum(axis=0)
    leave = np.divide(wins, losses, out=np.full_like(wins, 1 / max(size, 1)), where=losses > 0)
    scores = np.linalg.solve(np.eye(size) - damping * leave, np.full(size, (1 - damping) / max(size, 1)))
    return {item: float(score) for item, score in zip(data.items, scores, strict=True)}


def eigenvector(data: Comparisons) -> dict[str, float]:
    """How much each item loses to items that lose much themselves: the leading eigenvector of the loss matrix.

    Range        0 to 1, Euclidean length 1; higher is WORSE (this is the orientation of the library it is
                 checked against).
    Undefined    comparisons that do not link all items by wins in both directions have no unique
                 eigenvector: an error says so.
    Source       Bonacich (1987). Checked against the Python library evalica.
    """
    wins = win_matrix(data)
    if len(wins) < 2 or (np.linalg.matrix_power(np.eye(len(wins)) + (wins > 0), len(wins)) == 0).any():
        raise InvalidInput(
            "comparisons: not all items are linked by wins in both directions, so the leading "
            "eigenvector is not unique. Use pagerank or win_rates."
        )
    values, vectors = np.linalg.eig(wins.T)
    leading = np.abs(vectors[:, int(np.argmax(values.real))].real)
    return {item: float(score) for item, score in zip(data.items, leading, strict=True)}


def win_matrix(data: Comparisons) -> FloatArray:
    """Entry (i, j): how often i beat j, ties counting half for both."""
    size = len(data.items)
    wins = np.zeros((size, size))
    np.add.at(wins, (data.left, data.right), data.score)
    np.add.at(wins, (data.right, data.left), 1 - data.score)
    return wins

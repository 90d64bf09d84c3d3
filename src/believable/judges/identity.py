"""Identity: does a score rank agents above people, within matches? With its null."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from believable.motion.motion_track import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class WithinAuc:
    """The share of (agent, person) pairs of one match in which the agent has the larger score; ties
    count a half. None without such pairs.
    """

    value: float | None
    pairs: int


def within_auc(scores: Floats, labels: Floats, groups: Sequence[str]) -> WithinAuc:
    """Return the AUC over pairs of the same group only: differences between groups do not count.

    Formula      Σ_g U_g / Σ_g n1_g n0_g, with Mann and Whitney's U of each group
    Undefined    no group has both classes: None
    Checked      scikit-learn's roc_auc_score for one group; all pairs counted one by one
    """
    names = np.asarray(groups)
    won, pairs = 0.0, 0
    for name in np.unique(names):
        chosen = names == name
        ranks, ones = rankdata(scores[chosen]), labels[chosen] == 1
        n1, n0 = int(ones.sum()), int((~ones).sum())
        won += float(ranks[ones].sum()) - n1 * (n1 + 1) / 2
        pairs += n1 * n0
    return WithinAuc(value=won / pairs if pairs else None, pairs=pairs)


def shuffle_within(labels: Floats, groups: Sequence[str], rng: np.random.Generator) -> Floats:
    """Return the labels dealt out by chance within each group."""
    names, dealt = np.asarray(groups), labels.copy()
    for name in np.unique(names):
        chosen = np.flatnonzero(names == name)
        dealt[chosen] = rng.permutation(labels[chosen])
    return dealt

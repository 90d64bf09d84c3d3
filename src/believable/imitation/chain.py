"""A hand continues from its last action: P(a) ∝ Σ_g m_g P(a | c, c', g) · P(a | a_before)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from believable.imitation.motion import COUNT_OF_THE_UNSEEN, MotionStep
from believable.imitation.observations import Floats


def learn_chain(steps: Sequence[MotionStep], actions: int) -> Floats:
    """P(a | a_before): one row per primitive before, each sums to 1."""
    counts = np.full((actions, actions), COUNT_OF_THE_UNSEEN)
    for step in steps:
        if step.before >= 0:
            counts[step.before, step.action] += 1
    return np.asarray(counts / counts.sum(1, keepdims=True))


def chain_distribution(
    given_goals: Floats, mixture: Floats, chain: Floats, before: int | None
) -> Floats:
    """The distribution of the next primitive; without one before, the mixture of goals alone."""
    free = mixture @ given_goals
    joint = free if before is None else free * chain[before]
    return np.asarray(joint / joint.sum())

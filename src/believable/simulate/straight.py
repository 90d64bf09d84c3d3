"""Whole simulated studies straight to bundles in memory, on a virtual clock: thousands of them in a
minute.

Pages, orders, sides and arms are those of the study's plans; dropouts, failed checks and rushed
sessions are drawn; answers, traces and flags follow the behaviour of the study's protocol, or of
its custom design, with its planted truth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from believable.bundle.read import Bundle
from believable.core.errors import InvalidInput
from believable.simulate.conduct import CONDUCT, Conduct
from believable.simulate.own_people import simulated_protocol
from believable.simulate.pool import pool_of
from believable.simulate.simulated_sessions import Sessions
from believable.study.definition import Definition


def sessions(
    definition: Definition,
    participants: int,
    rng: np.random.Generator,
    *,
    truth: Any = None,
    conduct: Conduct = CONDUCT,
) -> Sessions:
    """Simulated sessions with everything people did in them."""
    protocol = simulated_protocol(definition)
    behaviour = protocol.people
    planted = behaviour.truth_for(definition.study) if truth is None else truth
    if not isinstance(planted, behaviour.truth):
        raise InvalidInput(
            f"truth: expected a record of {behaviour.truth.__module__}, got {type(truth).__name__}."
        )
    filled = Sessions(pool_of(definition, protocol), participants, conduct, rng)
    behaviour.fill(planted, filled)
    return filled


def bundle(
    definition: Definition,
    participants: int,
    rng: np.random.Generator,
    *,
    truth: Any = None,
    conduct: Conduct = CONDUCT,
) -> Bundle:
    """A whole simulated study. The same definition, truth and state of `rng` give the same
    tables.
    """
    return sessions(definition, participants, rng, truth=truth, conduct=conduct).bundle()

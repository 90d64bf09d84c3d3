"""Whole simulated studies straight to bundles in memory, on a virtual clock: thousands of them in a minute.

Pages, orders, sides and arms are those of the study's own plans; who drops out, fails checks and rushes is drawn; what people
answer, trace and flag follows the behaviour of the study's protocol with its planted truth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from believable.bundle.read import Bundle
from believable.core.errors import InvalidInput
from believable.simulate.behaviour import BEHAVIOURS, Behaviour
from believable.simulate.pool import pool_of
from believable.simulate.sessions import Conduct, Sessions
from believable.study.definition import Definition

CONDUCT = Conduct()


def behaviour_of(definition: Definition) -> Behaviour:
    """The behaviour that the study's analysis names."""
    plan = definition.study.analysis
    if plan is None:
        raise InvalidInput(
            "study: there is no `analysis`, so simulated people do not know what it is about. Add `analysis: {protocol: …}`."
        )
    return BEHAVIOURS[plan.protocol]


def sessions(
    definition: Definition,
    participants: int,
    rng: np.random.Generator,
    *,
    truth: Any = None,
    conduct: Conduct = CONDUCT,
) -> Sessions:
    """Simulated sessions with everything people did in them."""
    behaviour = behaviour_of(definition)
    planted = behaviour.truth() if truth is None else truth
    if not isinstance(planted, behaviour.truth):
        raise InvalidInput(
            f"truth: expected a record of {behaviour.truth.__module__}, got {type(truth).__name__}."
        )
    made = Sessions(pool_of(definition), participants, conduct, rng)
    behaviour.fill(planted, made)
    return made


def bundle(
    definition: Definition,
    participants: int,
    rng: np.random.Generator,
    *,
    truth: Any = None,
    conduct: Conduct = CONDUCT,
) -> Bundle:
    """A whole simulated study. The same definition, truth and state of `rng` give the same tables."""
    return sessions(definition, participants, rng, truth=truth, conduct=conduct).bundle()

"""How simulated people behave, by protocol: planted parameters, used through the real routes and straight to bundles alike."""

from __future__ import annotations

from believable.core.registry import Registry
from believable.simulate.behaviour.clips import CLIPS
from believable.simulate.behaviour.contract import Behaviour
from believable.simulate.behaviour.hntt import HNTT
from believable.simulate.behaviour.qa import QA
from believable.simulate.behaviour.replay import REPLAY
from believable.simulate.behaviour.trace import TRACE

BEHAVIOURS: Registry[Behaviour] = Registry("behaviour", (TRACE, REPLAY, CLIPS, HNTT, QA))

__all__ = ["BEHAVIOURS", "Behaviour"]

"""The analyses by protocol, and what is added to every one of them where the data allow it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from believable.analysis.clips import PROTOCOL as CLIPS
from believable.analysis.data import Data
from believable.analysis.hntt import PROTOCOL as HNTT
from believable.analysis.measured import instruments_compared
from believable.analysis.moments import moments
from believable.analysis.plan import Plan
from believable.analysis.protocol import ProtocolAnalysis
from believable.analysis.qa import PROTOCOL as QA
from believable.analysis.records import Section
from believable.analysis.replay import PROTOCOL as REPLAY
from believable.analysis.trace import PROTOCOL as TRACE
from believable.core.registry import Registry

PROTOCOL_ANALYSES: Registry[ProtocolAnalysis] = Registry("protocol", (TRACE, REPLAY, CLIPS, HNTT, QA))

#: Sections for any protocol, each of which gives none where it has nothing to say.
ADDITIONS: tuple[Callable[[Data, Plan, np.random.Generator], tuple[Section, ...]], ...] = (
    moments,
    instruments_compared,
)

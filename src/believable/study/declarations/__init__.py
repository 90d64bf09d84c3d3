"""The declarations of the five protocols' analyses, by name."""

from __future__ import annotations

from believable.core.registry import Registry
from believable.study.declaration import Declaration
from believable.study.declarations.clips import CLIPS
from believable.study.declarations.hntt import HNTT
from believable.study.declarations.qa import QA
from believable.study.declarations.replay import REPLAY
from believable.study.declarations.trace import TRACE

DECLARATIONS: Registry[Declaration] = Registry("protocol", (TRACE, REPLAY, CLIPS, HNTT, QA))

"""The stimuli of the protocol's main study."""

from __future__ import annotations

from believable.protocols.hntt.stimuli import write

__all__ = ["write"]

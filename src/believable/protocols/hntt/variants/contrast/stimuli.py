"""What the protocol's own study shows."""

from __future__ import annotations

from believable.protocols.hntt.stimuli import write

__all__ = ["write"]

"""The demo shows the walkers of the navigation test."""

from __future__ import annotations

from believable.protocols.hntt.stimuli import write as write

"""Placeholder stimuli, made by code."""

from __future__ import annotations

from believable.protocols.templates import write_placeholders as write

__all__ = ["write"]

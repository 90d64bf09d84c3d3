"""The hash chain over a session's events: its head is the proof that all of them are stored, in order, to the letter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def origin(session_id: str) -> str:
    """The head before the first event."""
    return hashlib.sha256(f"believable/1 {session_id}".encode()).hexdigest()


def extend(head: str, bodies: Iterable[str]) -> str:
    """The head after these further events."""
    for body in bodies:
        head = hashlib.sha256(f"{head}\n{body}".encode()).hexdigest()
    return head

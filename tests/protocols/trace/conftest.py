"""Annotations made by a rule, for tests."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from believable.analysis.trace_windows import TraceAnnotation

DURATION_MS = 60_000


def ranktrace(
    session: str, place: int, rng: np.random.Generator, *, drift: float = 0.0
) -> TraceAnnotation:
    """A wheel turned about once a second, up more often than down where `drift` is positive."""
    times = np.sort(rng.uniform(0, DURATION_MS, 60))
    steps = np.where(rng.uniform(size=60) < 0.5 + drift, 1.0, -1.0)
    return made(session, "ranktrace", place, times, np.cumsum(steps))


def btrace(
    session: str, place: int, rng: np.random.Generator, *, drift: float = 0.0
) -> TraceAnnotation:
    """A mark about every two seconds, believable more often than not where `drift` is positive."""
    times = np.sort(rng.uniform(0, DURATION_MS, 30))
    return made(
        session, "btrace", place, times, np.where(rng.uniform(size=30) < 0.5 + drift, 1.0, -1.0)
    )


def untouched(session: str, tool: str, place: int) -> TraceAnnotation:
    return made(session, tool, place, np.empty(0), np.empty(0))


def made(
    session: str, tool: str, place: int, times: np.ndarray, values: np.ndarray
) -> TraceAnnotation:
    return TraceAnnotation(
        session=session,
        trial_key=f"annotate-{place}",
        tool=tool,
        place=place,
        condition="calm" if place == 1 else "frustrated",
        stimulus=f"{session}-{place}",
        duration_ms=DURATION_MS,
        media_ms=times,
        value=values,
    )


@pytest.fixture(scope="session")
def make() -> SimpleNamespace:
    """The makers by name: ranktrace, btrace, untouched, made."""
    return SimpleNamespace(ranktrace=ranktrace, btrace=btrace, untouched=untouched, made=made)

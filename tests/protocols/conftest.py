"""Large simulated studies, made once, and the small ones of the analysis tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.bundle.read import Bundle
from believable.contracts.registries import PROTOCOLS
from believable.protocols.replay import stimuli as replay
from believable.simulate import pool, straight
from believable.simulate.behaviour import SeenAction, SeenStimulus
from believable.simulate.simulated_sessions import Conduct, Sessions
from believable.study.definition import Definition
from believable.study.load import load
from believable.study.records import Study

from ..analysis.conftest import same_as_golden, studies  # noqa: F401

CAREFUL = Conduct(drop_out=0, careless=0, hasty=0)


#: Runs of the town in which much goes wrong. Those of the package have hardly anything to notice.
EVENTFUL_RUNS = Path(__file__).parent.parent / "data" / "replay_runs"


@contextmanager
def eventful() -> Iterator[None]:
    """Let `replay` take its days from the eventful runs."""

    def forget() -> None:
        pool._POOLS.clear()
        replay._run.cache_clear()
        replay._shown_frames.cache_clear()

    kept, replay.RUNS = replay.RUNS, EVENTFUL_RUNS
    forget()
    try:
        yield
    finally:
        replay.RUNS = kept
        forget()


@pytest.fixture(scope="session")
def ready() -> Callable[[str], Definition]:
    known: dict[str, Definition] = {}

    def get(name: str) -> Definition:
        if name not in known:
            known[name] = load(PROTOCOLS[name].folder)
        return known[name]

    return get


@pytest.fixture(scope="session")
def simulated(ready: Callable[[str], Definition]) -> Callable[..., tuple[Sessions, Bundle]]:
    def make(name: str, people: int, truth: Any = None) -> tuple[Sessions, Bundle]:
        with eventful() if name == "replay" else nullcontext():
            sessions = straight.sessions(
                ready(name), people, np.random.default_rng(11), truth=truth, conduct=CAREFUL
            )
            assert name != "replay" or any(sessions.pool.material.violations.values())
            return sessions, sessions.bundle()

    return make


@pytest.fixture(scope="session")
def seen() -> Callable[..., SeenStimulus]:
    """A stimulus of a study as a simulated person sees it."""

    def make(study: Study, name: str, log: tuple[SeenAction, ...] = ()) -> SeenStimulus:
        return SeenStimulus(
            stimulus=next(stimulus for stimulus in study.stimuli if stimulus.id == name),
            length_ms=12_000,
            log=log,
        )

    return make

"""Large simulated studies, made once, and the small ones of the analysis tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from believable.bundle.read import Bundle
from believable.contracts.registries import PROTOCOLS
from believable.simulate import straight
from believable.simulate.behaviour import SeenAction, SeenStimulus
from believable.simulate.simulated_sessions import Conduct, Sessions
from believable.study.definition import Definition
from believable.study.load import load
from believable.study.records import Study

from ..analysis.conftest import same_as_golden, studies  # noqa: F401

CAREFUL = Conduct(drop_out=0, careless=0, hasty=0)


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
        sessions = straight.sessions(
            ready(name), people, np.random.default_rng(11), truth=truth, conduct=CAREFUL
        )
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

"""Large simulated studies, made once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from believable.bundle.read import Bundle
from believable.instruments import INSTRUMENTS
from believable.simulate import straight
from believable.simulate.behaviour.contract import Going, Seen
from believable.simulate.sessions import Conduct, Sessions
from believable.study.definition import Definition
from believable.study.load import load
from believable.study.protocols import PROTOCOLS
from believable.study.records import Study

CAREFUL = Conduct(drop_out=0, careless=0, hasty=0)


@pytest.fixture(scope="session")
def ready() -> Callable[[str], Definition]:
    known: dict[str, Definition] = {}

    def get(name: str) -> Definition:
        if name not in known:
            known[name] = load(PROTOCOLS[name].folder, instruments=INSTRUMENTS)
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
def seen() -> Callable[..., Seen]:
    """A stimulus of a study as a simulated person sees it."""

    def make(study: Study, name: str, log: tuple[Going, ...] = ()) -> Seen:
        return Seen(next(one for one in study.stimuli if one.id == name), 12_000, log)

    return make

"""People who are glad with a planted chance."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acme_believable.moods import DECLARATION
from acme_believable.smiley import FACES
from believable.simulate.behaviour import Behaviour, Mind, SeenStimulus
from believable.simulate.pool import roles_of
from believable.simulate.simulated_sessions import Sessions
from believable.study.records import Study


@dataclass(frozen=True, slots=True)
class MoodsTruth:
    """`glad`: the chance that somebody is. The others are sad or calm alike."""

    glad: float = 0.7

    @property
    def chances(self) -> tuple[float, float, float]:
        other = (1 - self.glad) / 2
        return other, other, self.glad


def nothing() -> MoodsTruth:
    """All faces alike."""
    return MoodsTruth(1 / 3)


class Person(Mind):
    def __init__(self, truth: MoodsTruth, study: Study, rng: random.Random, careless: bool) -> None:
        self._question = roles_of(study, DECLARATION).asked["face"].id
        self._face = rng.choices(FACES, None if careless else truth.chances)[0]

    def answer(
        self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]
    ) -> Any:
        return self._face if question == self._question else None


def fill(truth: MoodsTruth, sessions: Sessions) -> None:
    asked = sessions.pool.roles.asked["face"]
    where = sessions.pool.positions(asked.trial)[sessions.plan, 0]
    faces = sessions.rng.choice(np.array(FACES, dtype=object), size=sessions.count, p=truth.chances)
    sessions.answer(sessions.people, where, asked.id, asked.kind, text=faces)


def values(truth: MoodsTruth, sessions: Sessions) -> Mapping[str, float]:
    return {"glad": truth.glad}


PEOPLE = Behaviour(truth=MoodsTruth, nothing=nothing, mind=Person, fill=fill, values=values)

"""Respondents of `clips`: is this clip human or artificial?"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from believable.core.data_files import read_entries
from believable.protocols.clips import DECLARATION, TYPES
from believable.simulate.behaviour import LEFT_OPEN, Behaviour, Mind, SeenStimulus, take_checks
from believable.simulate.pool import FloatArray, IntArray, Pool, Roles, roles_of
from believable.simulate.simulated_sessions import Sessions
from believable.study.records import Study

#: Ratings 5, 4, 3, 2 end at these points of the felt humanness; above the last one it is 1.
CUTS = np.array([-1.0, -0.35, 0.15, 0.85])
LEVELS = np.array([1, 2, 3, 4, 5])
#: How often people view a clip, with the shares of each.
TIMES_VIEWED, TIMES_SHARES = (1, 2, 3), (0.62, 0.28, 0.10)
#: Share of ratings with a comment.
COMMENTING = 0.3
#: Comments about one clip, by its perceived type.
COMMENTS: dict[str, list[str]] = read_entries(Path(__file__).with_name("comments.yaml"))


def _taken_for(rating: int) -> str:
    return "human" if rating <= 2 else "artificial" if rating >= 4 else "undecided"


def _comments(ratings: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.object_]:
    said = [COMMENTS[_taken_for(int(rating))] for rating in ratings]
    return np.array([texts[int(rng.integers(len(texts)))] for texts in said], dtype=object)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipsTruth:
    """The planted values, on the scale of felt humanness (standard deviation 1 within a
    respondent).

    human                          mean humanness of clips of people
    imitation                      mean humanness of clips of imitations
    artificial                     mean humanness of clips of artificial players
    by_experience                  how much stronger these are felt per step of experience above the
                                   middle
    respondent_sd                  spread of respondents
    clip_spread                    the most and the least human clip of a type differ from its mean
                                   by this much
    experience                     shares of the experience levels 1 to 5
    """

    human: float = 0.45
    imitation: float = 0.40
    artificial: float = -0.55
    by_experience: float = 0.15
    respondent_sd: float = 0.35
    clip_spread: float = 0.25
    experience: tuple[float, float, float, float, float] = (0.08, 0.20, 0.30, 0.27, 0.15)


def nothing() -> ClipsTruth:
    """All types are felt alike."""
    return replace(ClipsTruth(), human=0.2, imitation=0.2, artificial=0.2)


def clip_means(truth: ClipsTruth, study: Study, roles: Roles) -> dict[str, float]:
    """The mean humanness of every stimulus."""
    means: dict[str, float] = {}
    for kind in TYPES:
        own = [stimulus.id for stimulus in study.stimuli if stimulus.condition in roles.named[kind]]
        spread = (
            np.linspace(-truth.clip_spread, truth.clip_spread, len(own)) if len(own) > 1 else [0.0]
        )
        means |= {
            name: getattr(truth, kind) + float(off) for name, off in zip(own, spread, strict=True)
        }
    return means


def strength(truth: ClipsTruth, experience: Any) -> Any:
    return 1 + truth.by_experience * (experience - 3)


def chances(truth: ClipsTruth, mean: float, experience: int) -> FloatArray:
    """How likely a respondent of this experience gives each rating, 1 to 5."""
    sd = math.hypot(1.0, truth.respondent_sd)
    below = ndtr((CUTS - mean * strength(truth, experience)) / sd)
    return np.diff(np.concatenate([[0.0], below, [1.0]]))[::-1]


def rate_humanness(level: Any) -> Any:
    """The rating of a felt humanness."""
    return 5 - np.searchsorted(CUTS, level, side="left")


def fill(truth: ClipsTruth, sessions: Sessions) -> None:
    pool, rng, roles = sessions.pool, sessions.rng, sessions.pool.roles
    take_checks(sessions)
    experience = rng.choice(LEVELS, size=sessions.count, p=truth.experience)
    asked = roles.asked["experience"]
    where = pool.positions(asked.trial)[sessions.plan, 0]
    sessions.answer(sessions.people, where, asked.id, asked.kind, number=experience)
    rating = roles.asked["rating"]
    positions = pool.positions(rating.trial)[sessions.plan]
    codes = pool.shown[sessions.plan[:, None], positions]
    person, page, player = np.nonzero(codes >= 0)
    code, position = codes[person, page, player], positions[person, page]
    level = (
        _means(truth, pool)[code] * strength(truth, experience)[person]
        + rng.normal(0, truth.respondent_sd, sessions.count)[person]
        + rng.normal(size=len(person))
    )
    ratings = np.where(
        sessions.careless[person], rng.integers(1, 6, len(person)), rate_humanness(level)
    )
    sessions.answer(person, position, rating.id, rating.kind, number=ratings, player=player)
    _beside(sessions, roles, person, position, player, ratings)


def _beside(
    sessions: Sessions,
    roles: Roles,
    person: IntArray,
    position: IntArray,
    player: IntArray,
    ratings: IntArray,
) -> None:
    """The questions asked along with the rating."""
    rng = sessions.rng
    viewed = roles.asked.get("viewed")
    if viewed is not None:
        times = rng.choice(TIMES_VIEWED, size=len(person), p=TIMES_SHARES)
        if viewed.kind == "choice":
            sessions.answer(
                person,
                position,
                viewed.id,
                viewed.kind,
                text=times.astype(str).astype(object),
                player=player,
            )
        else:
            sessions.answer(person, position, viewed.id, viewed.kind, number=times, player=player)
    how_human = roles.asked.get("how_human")
    if how_human is not None:
        some = np.flatnonzero(ratings >= 4)
        points = np.clip(
            np.rint(rng.normal(4.5, 1.8, len(some)) - 1.2 * (ratings[some] - 4)), 1, 10
        )
        sessions.answer(
            person[some],
            position[some],
            how_human.id,
            how_human.kind,
            number=points,
            player=player[some],
        )
    comment = roles.asked.get("comment")
    if comment is not None:
        some = np.flatnonzero(rng.random(len(person)) < COMMENTING)
        text = _comments(ratings[some], rng)
        sessions.answer(
            person[some], position[some], comment.id, comment.kind, text=text, player=player[some]
        )


def _means(truth: ClipsTruth, pool: Pool) -> FloatArray:
    by_name = clip_means(truth, pool.study, pool.roles)
    return np.array([by_name.get(name, 0.0) for name in pool.stimuli])


def values(truth: ClipsTruth, sessions: Sessions) -> Mapping[str, float]:
    """Believability, recall and confidence in a study of the whole population."""
    study, roles = sessions.pool.study, sessions.pool.roles
    shares = np.array(truth.experience)
    mean_e = float(shares @ LEVELS)
    known_values = {"confidence": mean_e / 5}
    means = clip_means(truth, study, roles)
    for kind in TYPES:
        own = [
            means[stimulus.id]
            for stimulus in study.stimuli
            if stimulus.condition in roles.named[kind]
        ]
        table: NDArray[np.float64] = np.array(
            [[chances(truth, mean, e) for mean in own] for e in LEVELS]
        )
        h = (table * (5 - LEVELS) / 4).sum(axis=2).mean(axis=1)
        known_values[f"believability.{kind}"] = float((shares * LEVELS * h).sum() / mean_e)
        known_values[f"recall.{kind}"] = float(shares @ table[:, :, :2].sum(axis=2).mean(axis=1))
    return known_values


class Respondent(Mind):
    """One respondent at a browser."""

    def __init__(self, truth: ClipsTruth, study: Study, rng: random.Random, careless: bool) -> None:
        self._truth, self._rng, self._careless = truth, rng, careless
        self._roles = roles_of(study, DECLARATION)
        self._means = clip_means(truth, study, self._roles)
        self._experience = rng.choices(LEVELS.tolist(), truth.experience)[0]
        self._leaning = rng.gauss(0, truth.respondent_sd)
        self._last = 3

    def answer(
        self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]
    ) -> Any:
        name, _, clip = question.rpartition("-")
        role = self._roles.role_of(name or question)
        if role == "experience":
            return self._experience
        if role == "rating" and clip.isdecimal() and int(clip) < len(page):
            return self._rate(page[int(clip)])
        if role == "how_human":
            return min(10, max(1, round(self._rng.gauss(4.5, 1.8) - 1.2 * (self._last - 4))))
        if role == "viewed":
            times = self._rng.choices(TIMES_VIEWED, TIMES_SHARES)[0]
            return str(times) if self._roles.asked["viewed"].kind == "choice" else times
        if role == "comment":
            return (
                self._rng.choice(COMMENTS[_taken_for(self._last)])
                if self._rng.random() < COMMENTING
                else LEFT_OPEN
            )
        return None

    def _rate(self, seen: SeenStimulus) -> int | None:
        if seen.stimulus is None:
            return None
        if self._careless:
            self._last = self._rng.randint(1, 5)
            return self._last
        mean = self._means.get(seen.stimulus.id, 0.0) * strength(self._truth, self._experience)
        self._last = int(rate_humanness(mean + self._leaning + self._rng.gauss(0, 1)))
        return self._last


PEOPLE = Behaviour(truth=ClipsTruth, nothing=nothing, mind=Respondent, fill=fill, values=values)

"""Judges of `hntt`: who looks more human, why, and how certain they are."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from believable.coding.phrases import simulated_answer
from believable.protocols.hntt import DECLARATION
from believable.simulate.behaviour import (
    POOR,
    Behaviour,
    Mind,
    SeenStimulus,
    expit,
    poor,
    reasons,
    take_checks,
)
from believable.simulate.pool import FloatArray, Roles, roles_of
from believable.simulate.simulated_sessions import Sessions
from believable.study.records import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class HnttTruth:
    """The planted values.

    skill          log-odds of choosing the human one, for the average judge and pair
    judge_sd       spread of judges, in log-odds
    pair_spread    the easiest and the hardest pair differ from the average by this much, in
                   log-odds
    by_genre       log-odds per step of familiarity with the genre
    uncertainty    mean of a judge's uncertainty, 1 to 5
    uncertainty_sd      its spread between judges
    uncertainty_noise   its spread between a judge's trials
    sure_if_right  how much lower uncertainty is where the choice was right
    poor_text      share who write nothing of use; they choose at random, and a reviewer excludes
                   them
    camera         log-odds of choosing a clip, per standard deviation by which its camera moves
                   more than in the other clip
    collisions     the same, by which it collides more
    slow           the same, by which it is slower (these three only where stimuli have such
                   measures)
    """

    skill: float = 0.9
    judge_sd: float = 0.6
    pair_spread: float = 0.5
    by_genre: float = 0.0
    uncertainty: float = 2.5
    uncertainty_sd: float = 0.5
    uncertainty_noise: float = 0.8
    sure_if_right: float = 0.35
    poor_text: float = 0.03
    camera: float = 0.0
    collisions: float = 0.0
    slow: float = 0.0


#: How people answer about familiarity, and how often.
FAMILIAR = ("never_heard", "aware", "sometimes", "regularly", "other")
FAMILIAR_SHARES = (0.12, 0.33, 0.33, 0.18, 0.04)
_CODED = np.array([-1.5, -0.5, 0.5, 1.5, 0.0])
#: Share who know the game as well as they know its genre.
RELATED = 0.5


def nothing() -> HnttTruth:
    """Judges cannot distinguish them."""
    return replace(HnttTruth(), skill=0.0)


def pair_log_odds(truth: HnttTruth, pairs: int) -> FloatArray:
    """By how much each pair is easier than the average one."""
    if pairs == 1:
        return np.zeros(1)
    return np.linspace(-truth.pair_spread, truth.pair_spread, pairs)


def accuracy(truth: HnttTruth, pairs: int) -> float:
    """The mean accuracy of all judges there could be, for these pairs."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    shares = np.array(FAMILIAR_SHARES)
    logits = (
        truth.skill
        + pair_log_odds(truth, pairs)[:, None, None]
        + truth.judge_sd * nodes[None, :, None]
        + truth.by_genre * _CODED[None, None, :]
    )
    mean = (expit(logits) * (weights / weights.sum())[None, :, None] * shares[None, None, :]).sum(
        axis=(1, 2)
    )
    return float(mean.mean())


def fill(truth: HnttTruth, sessions: Sessions) -> None:
    pool, rng, roles = sessions.pool, sessions.rng, sessions.pool.roles
    count = sessions.count
    take_checks(sessions)
    genre = _familiarity(sessions, roles)
    is_poor = sessions.careless | (rng.random(count) < truth.poor_text)
    choice = roles.asked["choice"]
    positions = pool.positions(choice.trial)[sessions.plan]
    pairs = positions.shape[1]
    person, where = np.repeat(sessions.people, pairs), positions.ravel()
    human_first, human_second = (_is_human(sessions, roles, positions, player) for player in (0, 1))
    easier = _easier(truth, sessions, positions)
    skill = (
        truth.skill
        + easier
        + rng.normal(0, truth.judge_sd, count)[:, None]
        + truth.by_genre * _CODED[genre][:, None]
    )
    # Of two people neither is the right answer: only their movement differs.
    toward_first = skill * (human_first.astype(float) - human_second) + _seen_in(
        truth, sessions, positions
    )
    chance = np.where(is_poor[:, None], 0.5, expit(toward_first))
    first = rng.random((count, pairs)) < chance
    right = (first == human_first) & (human_first != human_second)
    sessions.answer(
        person,
        where,
        choice.id,
        choice.kind,
        text=np.where(first.ravel(), "first", "second").astype(object),
    )
    certainty = roles.asked.get("certainty")
    if certainty is not None:
        base = truth.uncertainty + rng.normal(0, truth.uncertainty_sd, count)[:, None]
        level = (
            base
            - truth.sure_if_right * right
            + rng.normal(0, truth.uncertainty_noise, (count, pairs))
        )
        points = np.clip(np.rint(level), 1, 5)
        sessions.answer(person, where, certainty.id, certainty.kind, number=points.ravel())
    why = roles.asked.get("why")
    if why is not None:
        bad = np.repeat(is_poor, pairs)
        text = np.where(bad, poor(len(person), rng), reasons("hntt", len(person), rng))
        sessions.answer(person, where, why.id, why.kind, text=text)
        reviewed = np.flatnonzero(is_poor)
        sessions.exclude_text(
            reviewed, positions[reviewed, 0], why.id, "not about these recordings"
        )


def _familiarity(sessions: Sessions, roles: Roles) -> Any:
    rng, count = sessions.rng, sessions.count
    drawn = rng.choice(len(FAMILIAR), size=(2, count), p=FAMILIAR_SHARES)
    related = rng.random(count) < RELATED
    drawn[1] = np.where(related, drawn[0], drawn[1])
    words = np.array(FAMILIAR, dtype=object)
    for row, role in enumerate(("familiarity_genre", "familiarity_game")):
        asked = roles.asked.get(role)
        if asked is not None:
            where = sessions.pool.positions(asked.trial)[sessions.plan, 0]
            sessions.answer(sessions.people, where, asked.id, asked.kind, text=words[drawn[row]])
    return drawn[0]


def _is_human(sessions: Sessions, roles: Roles, positions: Any, player: int) -> Any:
    """Whether this player of each pair, 0 for A, is human."""
    code = sessions.pool.shown[sessions.plan[:, None], positions, player]
    human = np.isin(sessions.pool.stimulus_condition.astype(str), roles.named["human"])
    return human[code]


def clip_appeal(truth: HnttTruth, study: Study) -> Mapping[str, float]:
    """The advantage of each clip from its movement, in log-odds: measures in standard deviations
    times the planted weights.
    """
    appeal = dict.fromkeys((stimulus.id for stimulus in study.stimuli), 0.0)
    for name in ("camera", "collisions", "slow"):
        values = {
            stimulus.id: stimulus.measures[name]
            for stimulus in study.stimuli
            if name in stimulus.measures
        }
        spread = float(np.std(list(values.values()), ddof=1)) if len(values) > 1 else 0.0
        if spread > 0:
            for clip, value in values.items():
                appeal[clip] += getattr(truth, name) * value / spread
    return appeal


def _seen_in(truth: HnttTruth, sessions: Sessions, positions: Any) -> Any:
    """How much more A has for it than B."""
    appeal = clip_appeal(truth, sessions.pool.study)
    by_code = np.array([appeal.get(str(stimulus), 0.0) for stimulus in sessions.pool.stimuli])
    first, second = (
        sessions.pool.shown[sessions.plan[:, None], positions, player] for player in (0, 1)
    )
    return by_code[first] - by_code[second]


def _easier(truth: HnttTruth, sessions: Sessions, positions: Any) -> Any:
    """The scenario identifies a pair."""
    offsets = pair_log_odds(truth, max(1, len(sessions.pool.study.scenarios)))
    return offsets[sessions.pool.scenario_code[sessions.plan[:, None], positions]]


def values(truth: HnttTruth, sessions: Sessions) -> Mapping[str, float]:
    return {"accuracy": accuracy(truth, max(1, len(sessions.pool.study.scenarios)))}


class Judge(Mind):
    """One judge at a browser."""

    def __init__(self, truth: HnttTruth, study: Study, rng: random.Random, careless: bool) -> None:
        self._truth, self._study, self._rng, self._careless = truth, study, rng, careless
        self._roles = roles_of(study, DECLARATION)
        self._skill = truth.skill + rng.gauss(0, truth.judge_sd)
        self._uncertainty = truth.uncertainty + rng.gauss(0, truth.uncertainty_sd)
        self._poor = careless or rng.random() < truth.poor_text
        self._familiar: list[str] = rng.choices(FAMILIAR, FAMILIAR_SHARES, k=2)
        if rng.random() < RELATED:
            self._familiar[1] = self._familiar[0]
        self._skill += truth.by_genre * float(_CODED[FAMILIAR.index(self._familiar[0])])
        self._right = False

    def answer(
        self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]
    ) -> Any:
        role = self._roles.role_of(question)
        if role == "choice" and len(page) == 2:
            return self._choice(page)
        if role == "certainty":
            level = self._uncertainty - self._truth.sure_if_right * self._right
            return min(5, max(1, round(level + self._rng.gauss(0, self._truth.uncertainty_noise))))
        if role == "why":
            return (
                " ".join([self._rng.choice(POOR)] * 3)
                if self._poor
                else simulated_answer("hntt", self._rng)
            )
        if role in ("familiarity_genre", "familiarity_game"):
            return self._familiar[role == "familiarity_game"]
        return None

    def _choice(self, page: Sequence[SeenStimulus]) -> str | None:
        humans = [
            seen.stimulus is not None and seen.stimulus.condition in self._roles.named["human"]
            for seen in page
        ]
        if page[0].stimulus is None or page[1].stimulus is None:
            return None
        scenarios = self._study.scenarios
        offsets = pair_log_odds(self._truth, max(1, len(scenarios)))
        scenario = page[0].stimulus.scenario
        skill = self._skill + float(
            offsets[scenarios.index(scenario)] if scenario in scenarios else 0.0
        )
        appeal = [
            clip_appeal(self._truth, self._study)[seen.stimulus.id]
            for seen in page
            if seen.stimulus is not None
        ]
        logit = skill * (humans[0] - humans[1]) + appeal[0] - appeal[1]
        chance = 0.5 if self._poor else 1 / (1 + math.exp(-logit))
        first = self._rng.random() < chance
        self._right = humans[0] != humans[1] and first == humans[0]
        return "first" if first else "second"


PEOPLE = Behaviour(truth=HnttTruth, nothing=nothing, mind=Judge, fill=fill, values=values)

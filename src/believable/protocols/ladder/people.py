"""Judges of `ladder`: how human-like each is, which of two is more so, and why."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy import optimize, special

from believable.coding.phrases import simulated_answer
from believable.core.seeds import generator
from believable.protocols.ladder import DECLARATION
from believable.simulate.behaviour import (
    POOR,
    Behaviour,
    Mind,
    SeenStimulus,
    poor,
    reasons,
    take_checks,
)
from believable.simulate.pool import FloatArray, roles_of
from believable.simulate.simulated_sessions import Sessions
from believable.study.records import Study

#: The measure of a clip that simulated judges can go by.
MEASURE = "steadiness"


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderTruth:
    """The planted values.

    span        log strength of the first condition over the last; the others lie evenly between
                them, in the order of the study
    judge_sd    by how much judges differ in their liking of each condition, in log odds
    clip_sd     by how much clips of one condition differ, in log odds
    tie         log of Davidson's tie parameter: −1 gives about one tie in six choices
    rating_sd   spread of single ratings, in points of seven
    steady      log odds of choosing a clip, per standard deviation by which its figure turns more
                steadily than that of the other (only if stimuli have the measure `steadiness`)
    poor_text   share who write nothing of use; they choose at random, and a reviewer excludes them
    """

    span: float = 1.2
    judge_sd: float = 0.5
    clip_sd: float = 0.5
    tie: float = -1.0
    rating_sd: float = 1.0
    steady: float = 0.0
    poor_text: float = 0.03


def nothing() -> LadderTruth:
    """All conditions are equally human-like."""
    return replace(LadderTruth(), span=0.0)


def strengths(truth: LadderTruth, conditions: int) -> FloatArray:
    """The planted log strengths, in the order of the study."""
    return np.linspace(truth.span / 2, -truth.span / 2, conditions)


def chances(difference: FloatArray, tie: float) -> FloatArray:
    """The chances of first, tie and second, on the last axis, by Davidson's model."""
    logits = np.stack([difference / 2, np.full_like(difference, tie), -difference / 2], -1)
    shares: FloatArray = special.softmax(logits, axis=-1)
    return shares


def _marginal_chances(truth: LadderTruth, conditions: int) -> tuple[Any, FloatArray]:
    """All pairs, and the chances of each, averaged over all judges and clips there could be."""
    pairs = np.array(list(combinations(range(conditions), 2)))
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    sd = math.sqrt(2 * truth.judge_sd**2 + 2 * truth.clip_sd**2)
    own = strengths(truth, conditions)
    apart = own[pairs[:, 0]] - own[pairs[:, 1]]
    each = chances(apart[:, None] + sd * nodes, truth.tie)
    averaged: FloatArray = np.einsum("k,pkc->pc", weights / weights.sum(), each)
    return pairs, averaged


def marginal_strengths(truth: LadderTruth, conditions: int) -> FloatArray:
    """The log strengths that a study of all judges and clips there could be would estimate: chances
    are averaged over judges and clips, and Davidson's model is fitted to them.
    """
    pairs, averaged = _marginal_chances(truth, conditions)
    own = strengths(truth, conditions)

    def loss(at: FloatArray) -> float:
        values = np.append(at[:-1], -at[:-1].sum())
        fitted = chances(values[pairs[:, 0]] - values[pairs[:, 1]], float(at[-1]))
        return float(-(averaged * np.log(fitted)).sum())

    found = optimize.minimize(loss, np.append(own[:-1], truth.tie), method="BFGS", tol=1e-10).x
    return np.append(found[:-1], -found[:-1].sum())


def clip_appeal(truth: LadderTruth, study: Study) -> Mapping[str, float]:
    """The advantage of each clip from its movement, in log odds."""
    measured = {
        stimulus.id: stimulus.measures[MEASURE]
        for stimulus in study.stimuli
        if MEASURE in stimulus.measures
    }
    found = np.array(list(measured.values()))
    spread = float(found.std(ddof=1)) if len(found) > 1 else 0.0
    if not spread:
        return {}
    centre = float(found.mean())
    return {clip: truth.steady * (value - centre) / spread for clip, value in measured.items()}


def fill(truth: LadderTruth, sessions: Sessions) -> None:
    pool, rng = sessions.pool, sessions.rng
    take_checks(sessions)
    roles, count = pool.roles, sessions.count
    is_poor = sessions.careless | (rng.random(count) < truth.poor_text)
    choice = roles.asked["choice"]
    positions = pool.positions(choice.trial)[sessions.plan]
    shown = pool.shown[sessions.plan[:, None], positions][:, :, :2]
    human_like = _human_likeness(truth, sessions)
    appeal = human_like[np.arange(count)[:, None, None], shown]
    pages = positions.shape[1]
    rating = roles.asked.get("rating")
    if rating is not None:
        person, page, player = (part.ravel() for part in np.indices((count, pages, 2)))
        points = _points(truth, appeal, is_poor, rng)
        sessions.answer(
            person,
            positions[person, page],
            rating.id,
            rating.kind,
            number=points.ravel(),
            player=player,
        )
    # A page without this trial has position −1: its answers are left out by `answer`.
    tie = truth.tie if _has_ties(choice.question) else -math.inf
    shares = chances(appeal[:, :, 0] - appeal[:, :, 1], tie)
    shares = np.where(is_poor[:, None, None], chances(np.zeros((count, pages)), tie), shares)
    drawn = (rng.random((count, pages))[:, :, None] > shares.cumsum(axis=2)).sum(axis=2)
    words = np.array(["first", "neither", "second"], dtype=object)[np.minimum(drawn, 2)]
    person, where = np.repeat(sessions.people, pages), positions.ravel()
    sessions.answer(person, where, choice.id, choice.kind, text=words.ravel())
    why = roles.asked.get("why")
    if why is not None:
        bad = np.repeat(is_poor, pages)
        text = np.where(bad, poor(len(person), rng), reasons("hntt", len(person), rng))
        sessions.answer(person, where, why.id, why.kind, text=text)
        reviewed = np.flatnonzero(is_poor)
        sessions.exclude_text(
            reviewed, positions[reviewed, 0], why.id, "not about these recordings"
        )


def _has_ties(question: Any) -> bool:
    return not getattr(question.params, "forced", True)


def _human_likeness(truth: LadderTruth, sessions: Sessions) -> FloatArray:
    """How human-like each stimulus (column) is to each judge (row): its condition, the judge's
    liking, the clip.
    """
    pool, rng = sessions.pool, sessions.rng
    conditions = {name: at for at, name in enumerate(pool.study.conditions)}
    own = strengths(truth, len(conditions))
    of_stimulus = np.array([conditions.get(str(name), 0) for name in pool.stimulus_condition])
    appeal = clip_appeal(truth, pool.study)
    clips = rng.normal(0, truth.clip_sd, len(of_stimulus))
    clips += [appeal.get(str(name), 0.0) for name in pool.stimuli]
    liking = rng.normal(0, truth.judge_sd, (sessions.count, len(conditions)))
    matrix: FloatArray = (own + liking)[:, of_stimulus] + clips
    return matrix


def _points(
    truth: LadderTruth, appeal: FloatArray, is_poor: Any, rng: np.random.Generator
) -> FloatArray:
    """Ratings from 1 to 7; at random for those who do not care."""
    points = np.clip(np.rint(4 + appeal + rng.normal(0, truth.rating_sd, appeal.shape)), 1, 7)
    anything = rng.integers(1, 8, appeal.shape)
    rated: FloatArray = np.where(is_poor[:, None, None], anything, points)
    return rated


def values(truth: LadderTruth, sessions: Sessions) -> Mapping[str, float]:
    """Contrasts of the first condition with each other one, and its leads, unless movement matters,
    too.
    """
    names = sessions.pool.study.conditions
    if len(names) < 2 or truth.steady:
        return {}
    own = marginal_strengths(truth, len(names))
    pairs, averaged = _marginal_chances(truth, len(names))
    known = {}
    for (first, other), shares in zip(pairs.tolist(), averaged, strict=True):
        if first == 0:
            about = f"{names[0]}-{names[other]}"
            known[f"strength.{about}"] = float(own[0] - own[other])
            known[f"lead.{about}"] = float(shares[0] - shares[2])
    return known


class LadderJudge(Mind):
    """One judge at a browser."""

    def __init__(
        self, truth: LadderTruth, study: Study, rng: random.Random, careless: bool
    ) -> None:
        self._truth, self._study, self._rng = truth, study, rng
        self._roles = roles_of(study, DECLARATION)
        self._poor = careless or rng.random() < truth.poor_text
        self._appeal_of = clip_appeal(truth, study)
        own = strengths(truth, len(study.conditions))
        self._liking = {
            name: float(value) + rng.gauss(0, truth.judge_sd)
            for name, value in zip(study.conditions, own, strict=True)
        }

    def answer(
        self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]
    ) -> Any:
        name, _, clip = question.rpartition("-")
        role = self._roles.role_of(name or question)
        if role == "rating" and clip.isdecimal() and int(clip) < len(page):
            return self._rate(page[int(clip)])
        if role == "choice" and len(page) == 2:
            return self._choice(page)
        if role == "why":
            return (
                " ".join([self._rng.choice(POOR)] * 3)
                if self._poor
                else simulated_answer("hntt", self._rng)
            )
        return None

    def _appeal(self, seen: SeenStimulus) -> float:
        """How human-like the clip is to this judge; the clip's part is the same for all judges."""
        if seen.stimulus is None:
            return 0.0
        name, condition = seen.stimulus.id, str(seen.stimulus.condition)
        own = generator(self._study.seed, "clip", name).gauss(0, self._truth.clip_sd)
        return self._liking.get(condition, 0.0) + self._appeal_of.get(name, 0.0) + own

    def _rate(self, seen: SeenStimulus) -> int:
        if self._poor:
            return self._rng.randint(1, 7)
        point = 4 + self._appeal(seen) + self._rng.gauss(0, self._truth.rating_sd)
        return min(7, max(1, round(point)))

    def _choice(self, page: Sequence[SeenStimulus]) -> str:
        ties = _has_ties(self._roles.asked["choice"].question)
        tie = self._truth.tie if ties else -math.inf
        apart = 0.0 if self._poor else self._appeal(page[0]) - self._appeal(page[1])
        shares = chances(np.array(apart), tie).tolist()
        return self._rng.choices(("first", "neither", "second"), shares)[0]


PEOPLE = Behaviour(truth=LadderTruth, nothing=nothing, mind=LadderJudge, fill=fill, values=values)

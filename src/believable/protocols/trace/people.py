"""Players of `trace`: two rounds annotated from moment to moment, and which opponent was more
believable in the end.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from believable.contracts.instrument import Act
from believable.instruments.tracing import hold_key, samples
from believable.protocols.trace import DECLARATION
from believable.simulate.behaviour import Behaviour, Mind, SeenStimulus, expit, take_checks
from believable.simulate.pool import IntArray, ObjectArray, roles_of
from believable.simulate.simulated_sessions import Sessions
from believable.study.records import Study

ROUND_MS = 60_000
#: Median time between two inputs, by tool.
GAP_MS = {"ranktrace": 1_100.0, "gtrace": 1_100.0, "btrace": 3_200.0}
#: The interval at which BTrace repeats a mark, and the logarithm of how long a key is held.
REPEAT_MS = 100
HOLD_LOG_MS = math.log(900.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceTruth:
    """The planted values. Belief is a number around 0; inputs go up with the log-odds of `gain` ×
    belief.

    calm               mean belief in the calm opponent
    frustrated         mean belief in the frustrated opponent
    person_sd          spread of belief between people
    round_sd           spread of belief between one person's two rounds
    wave               how much the moments of a round matter, the same for all people
    gain               how closely inputs follow the felt belief
    memory             how closely the final choice follows the two rounds (0: not at all)
    choice_noise       what else goes into the choice
    undecided          differences smaller than this end in “both” or “neither”
    idle               share of rounds in which nothing is annotated
    hold               share of marks whose key is held, for a second or so
    """

    calm: float = 0.5
    frustrated: float = 0.0
    person_sd: float = 0.3
    round_sd: float = 0.7
    wave: float = 0.8
    gain: float = 1.2
    memory: float = 1.0
    choice_noise: float = 0.6
    undecided: float = 0.25
    idle: float = 0.03
    hold: float = 0.6


def nothing() -> TraceTruth:
    """The opponents are alike, and the choice is unrelated to the annotation."""
    return replace(TraceTruth(), calm=0.25, frustrated=0.25, memory=0.0, choice_noise=1.0)


def wave(media_ms: Any) -> Any:
    """The moments of a round, the same for all people: meeting, chase, escape."""
    seconds = np.asarray(media_ms, np.float64) / 1000
    return np.sin(2 * np.pi * seconds / 27.0) + 0.5 * np.sin(2 * np.pi * seconds / 11.0 + 1.0)


def fill(truth: TraceTruth, sessions: Sessions) -> None:
    pool, rng, roles = sessions.pool, sessions.rng, sessions.pool.roles
    take_checks(sessions)
    positions = np.concatenate([pool.positions(trial) for trial in roles.named["annotate"]], axis=1)
    positions = np.sort(np.where(positions < 0, pool.pages, positions), axis=1)[:, :2]
    positions = np.where(positions >= pool.pages, -1, positions)[sessions.plan]
    condition = pool.condition[sessions.plan[:, None], positions]
    base = np.where(
        np.char.find(condition.astype(str), "frustrated") >= 0, truth.frustrated, truth.calm
    )
    felt = (
        base
        + rng.normal(0, truth.person_sd, sessions.count)[:, None]
        + rng.normal(0, truth.round_sd, positions.shape)
    )
    felt = np.where(sessions.careless[:, None], 0.0, felt)
    _annotate(truth, sessions, positions, felt)
    _leave(truth, sessions, felt)


def _annotate(truth: TraceTruth, sessions: Sessions, positions: IntArray, felt: Any) -> None:
    rng = sessions.rng
    tool = _tools(sessions, positions)
    for name in sorted({str(kind) for kind in tool.ravel() if kind is not None}):
        who, place = np.nonzero((tool == name) & (positions >= 0))
        most = int(2.2 * ROUND_MS / GAP_MS.get(name, 1_500.0))
        gaps = 120 + GAP_MS.get(name, 1_500.0) * rng.lognormal(-0.18, 0.6, (len(who), most))
        at = np.cumsum(gaps, axis=1)
        level = felt[who, place][:, None] + truth.wave * wave(at) * ~sessions.careless[who][:, None]
        up = rng.random(at.shape) < expit(truth.gain * level)
        sign = np.where(up, 1.0, -1.0)
        idle = rng.random(len(who)) < truth.idle
        row, step = np.nonzero((at < ROUND_MS) & ~idle[:, None])
        value = (sign if name == "btrace" else np.cumsum(sign, axis=1))[row, step]
        if name == "gtrace":
            value = np.clip(0.1 * value, -1, 1)
        when = np.floor(at[row, step])
        if name == "btrace":
            row, when, value = _held(
                rng, truth.hold, row, when, value, np.floor(np.diff(at, append=np.inf))[row, step]
            )
        how = "key" if name == "btrace" else "wheel"
        sessions.trace(who[row], positions[who[row], place[row]], when, value, name, how)


def _held(
    rng: np.random.Generator, share: float, row: IntArray, at_ms: Any, value: Any, gap_ms: Any
) -> tuple[IntArray, Any, Any]:
    """Marks with their repetitions: `share` of the keys are held, up to the next press or the
    end.
    """
    lasts = rng.lognormal(HOLD_LOG_MS, 0.5, len(row)) * (rng.random(len(row)) < share)
    lasts = np.minimum(lasts, np.minimum(gap_ms, ROUND_MS - at_ms) - 1)
    labels = 1 + (lasts // REPEAT_MS).astype(np.int64)
    nth = np.arange(labels.sum()) - np.repeat(np.cumsum(labels) - labels, labels)
    return (
        np.repeat(row, labels),
        np.repeat(at_ms, labels) + REPEAT_MS * nth,
        np.repeat(value, labels),
    )


def _tools(sessions: Sessions, positions: IntArray) -> ObjectArray:
    """The annotating instrument of each page."""
    pool = sessions.pool
    if "tools" not in pool.kept:
        tools = np.full((len(pool.plans), pool.pages), None, dtype=object)
        for row, pages in enumerate(pool.plans):
            for column, page in enumerate(pages):
                annotation = page.trial.annotation
                tools[row, column] = None if annotation is None else annotation.kind
        pool.kept["tools"] = tools
    kinds: ObjectArray = pool.kept["tools"]
    return kinds[sessions.plan[:, None], positions]


def choose_answer(truth: TraceTruth, difference: Any, noise: Any, coin: Any) -> Any:
    """The answer to the final question: first, second, both or neither."""
    weighed = truth.memory * difference + noise
    tied = np.where(coin < 0.5, "both", "neither")
    return np.where(
        np.abs(weighed) < truth.undecided, tied, np.where(weighed > 0, "first", "second")
    ).astype(object)


def _leave(truth: TraceTruth, sessions: Sessions, felt: Any) -> None:
    """The exit survey."""
    rng, roles, count = sessions.rng, sessions.pool.roles, sessions.count
    preference = roles.asked["preference"]
    where = sessions.pool.positions(preference.trial)[sessions.plan, 0]
    noise = rng.normal(0, truth.choice_noise, count)
    said = choose_answer(truth, felt[:, 0] - felt[:, 1], noise, rng.random(count))
    sessions.answer(sessions.people, where, preference.id, preference.kind, text=said)
    for role in ("age", "gender", "games"):
        asked = roles.asked.get(role)
        if asked is None:
            continue
        at = sessions.pool.positions(asked.trial)[sessions.plan, 0]
        options = getattr(asked.question.params, "options", ())
        points = getattr(asked.question.params, "points", None)
        if options:
            words = np.array([option.value for option in options], dtype=object)
            sessions.answer(
                sessions.people,
                at,
                asked.id,
                asked.kind,
                text=words[rng.integers(len(words), size=count)],
            )
        elif points is not None:
            sessions.answer(
                sessions.people, at, asked.id, asked.kind, number=rng.integers(1, points + 1, count)
            )
        else:
            ages = np.clip(np.rint(rng.normal(31, 9, count)), 18, 75)
            sessions.answer(sessions.people, at, asked.id, asked.kind, number=ages)


class RoundPlayer(Mind):
    """One person at a browser."""

    def __init__(self, truth: TraceTruth, study: Study, rng: random.Random, careless: bool) -> None:
        self._truth, self._rng, self._careless = truth, rng, careless
        self._roles = roles_of(study, DECLARATION)
        self._leaning = rng.gauss(0, truth.person_sd)
        self._rounds = (rng.gauss(0, truth.round_sd), rng.gauss(0, truth.round_sd))
        self._opponents: list[str] = []

    def open_page(self, trial: str, condition: str | None) -> None:
        if condition is not None and condition not in self._opponents:
            self._opponents.append(condition)

    def acts(self, kind: str, seen: SeenStimulus) -> Sequence[Act] | None:
        if kind not in GAP_MS:
            return None
        truth, rng = self._truth, self._rng
        belief = self._belief(seen.condition)
        moments = 0.0 if self._careless else truth.wave
        changes: list[tuple[int, int]] = []
        at_ms = 0.0
        while True:
            at_ms += 120 + GAP_MS[kind] * rng.lognormvariate(-0.18, 0.6)
            if at_ms >= seen.length_ms:
                break
            level = belief + moments * float(wave(at_ms))
            changes.append(
                (int(at_ms), 1 if rng.random() < 1 / (1 + math.exp(-truth.gain * level)) else -1)
            )
        if rng.random() < truth.idle:
            changes = []
        if kind == "btrace":
            return self._marks(changes, seen.length_ms)
        total, steps = 0.0, []
        for when, way in changes:
            total = max(-1.0, min(1.0, total + 0.1 * way)) if kind == "gtrace" else total + way
            steps.append((when, total))
        return samples(steps, seen.length_ms, 0, "wheel")

    def _marks(self, changes: Sequence[tuple[int, int]], length_ms: int) -> list[Act]:
        acts: list[Act] = []
        for number, (when, way) in enumerate(changes, start=1):
            until = changes[number][0] if number < len(changes) else length_ms
            lasts = (
                self._rng.lognormvariate(HOLD_LOG_MS, 0.5)
                if self._rng.random() < self._truth.hold
                else 40.0
            )
            acts += hold_key(when, min(when + int(lasts), until - 1), REPEAT_MS, way, "key")
        return acts

    def _belief(self, condition: str | None) -> float:
        """The mean belief in the opponent of a round, which its condition names."""
        if self._careless or condition is None:
            return 0.0
        mean = self._truth.frustrated if "frustrated" in condition else self._truth.calm
        return mean + self._leaning + self._rounds[self._opponents.index(condition) % 2]

    def answer(
        self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]
    ) -> Any:
        if self._roles.role_of(question) != "preference" or len(self._opponents) < 2:
            return None
        first, second = (self._belief(condition) for condition in self._opponents[:2])
        noise = self._rng.gauss(0, self._truth.choice_noise)
        return str(choose_answer(self._truth, first - second, noise, self._rng.random()))


PEOPLE = Behaviour(truth=TraceTruth, nothing=nothing, mind=RoundPlayer, fill=fill)

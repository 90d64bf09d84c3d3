"""Annotators of `qa`: they follow known signals and then a task, each as well as they can."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.contracts.instrument import Act
from believable.contracts.trial import outline
from believable.core.seeds import derive
from believable.instruments.tracing import samples
from believable.pages.qa import Qa
from believable.protocols.qa import DECLARATION
from believable.simulate.behaviour import Behaviour, Mind, SeenStimulus, expit, take_checks
from believable.simulate.pool import IntArray, roles_of
from believable.simulate.simulated_sessions import Sessions
from believable.study.records import Study

STEP_MS = 250
#: A change of the target smaller than this from one step to the next is not seen.
NOTICED = 0.008
TESTS = ("visual", "auditory")
Directions = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class QaTruth:
    """The planted values. Skill is the log-odds of the right move in one step of 250 ms instead of
    a random one.

    trained              mean skill of trained annotators
    untrained            mean skill of untrained annotators
    share_trained        share of annotators who are trained
    skill_sd             spread of annotators within a group, common to everything they follow
    test_sd              spread of one annotator's skill from test to test and from recording to
                         recording
    task                 how much harder the task is than the tests
    careless             mean skill of careless people, who are never trained
    lag_steps            how late the hand is, in steps
    """

    trained: float = 1.4
    untrained: float = -0.4
    share_trained: float = 0.5
    skill_sd: float = 0.9
    test_sd: float = 0.5
    task: float = -0.2
    careless: float = -2.0
    lag_steps: int = 1


def nothing() -> QaTruth:
    """Groups do not differ, and one test says nothing about the other."""
    return replace(QaTruth(), trained=0.5, untrained=0.5, careless=0.5, skill_sd=0.0, test_sd=0.9)


def directions(levels: Any) -> Directions:
    """Falls, rests, rises: from each step to the next, beginning with a rest."""
    change = np.diff(np.asarray(levels, np.float64), prepend=levels[0])
    return np.where(np.abs(change) < NOTICED, 0, np.sign(change)).astype(np.int64)


def excitement(stimulus: str, steps: int) -> Directions:
    """The course of a recording, the same for all viewers: phases of rising, falling and rest."""
    rng = random.Random(derive(17, "excitement", stimulus))
    phases: list[int] = []
    last = 0
    while len(phases) < steps:
        last = rng.choice([way for way in (-1, 0, 1) if way != last])
        phases += [last] * rng.randrange(4, 15)
    return np.array(phases[:steps])


def follow_signal(wanted: Directions, skill: Any, lag: int, rng: np.random.Generator) -> Directions:
    """The moves of people, `[person, step]`: the right one some steps late, or a random one."""
    late = np.concatenate([np.zeros(lag, np.int64), wanted])[: len(wanted)]
    shape = (len(skill), len(wanted))
    right = rng.random(shape) < expit(skill)[:, None]
    return np.where(right, late[None, :], rng.integers(-1, 2, shape))


def score(movement: Directions, truth: Directions) -> Any:
    """SDA of each row, as the server scores it."""
    return 2 * (movement[:, 1:] == truth[None, 1:]).mean(axis=1) - 1


def fill(truth: QaTruth, sessions: Sessions) -> None:
    rng, roles, count = sessions.rng, sessions.pool.roles, sessions.count
    take_checks(sessions)
    trained = (rng.random(count) < truth.share_trained) & ~sessions.careless
    mean = np.where(
        sessions.careless, truth.careless, np.where(trained, truth.trained, truth.untrained)
    )
    skill = mean + rng.normal(0, truth.skill_sd, count)
    group = roles.asked.get("group")
    if group is not None:
        words = np.where(trained, "trained", "untrained").astype(object)
        where = sessions.pool.positions(group.trial)[sessions.plan, 0]
        sessions.answer(sessions.people, where, group.id, group.kind, text=words)
    _take_tests(truth, sessions, skill)
    for trial in roles.named["task"]:
        _annotate(truth, sessions, trial, skill)


def _take_tests(truth: QaTruth, sessions: Sessions, skill: Any) -> None:
    rng = sessions.rng
    scores = []
    tests = [
        entry.item for entry in outline(sessions.pool.study.timeline) if isinstance(entry.item, Qa)
    ]
    for number, test in enumerate(tests):
        own = skill + rng.normal(0, truth.test_sd, sessions.count)
        levels = test.signal.levels(np.arange(0, 1000 * test.duration_s, STEP_MS, dtype=np.float64))
        movement = follow_signal(directions(levels), own, truth.lag_steps, rng)
        change = np.sign(np.diff(levels, prepend=levels[0])).astype(np.int64)
        scores.append(score(movement, change))
        where = sessions.pool.positions(test.id)[sessions.plan, 0]
        _record(sessions, sessions.people, where, movement)
        sessions.answer(sessions.people, where, "sda", "qa", number=scores[-1])
        if number == len(tests) - 1:
            mean = np.mean(scores, axis=0)
            reliable = np.where(mean >= test.threshold, "true", "false").astype(object)
            sessions.answer(sessions.people, where, "mean_sda", "qa", number=mean)
            sessions.answer(sessions.people, where, "reliable", "qa", text=reliable)


def _annotate(truth: QaTruth, sessions: Sessions, trial: str, skill: Any) -> None:
    """The recordings of the task, which all people follow."""
    pool, rng = sessions.pool, sessions.rng
    positions = pool.positions(trial)[sessions.plan]
    codes = pool.shown[sessions.plan[:, None], positions, 0]
    for code in range(len(pool.stimuli)):
        person, at = np.nonzero(codes == code)
        if not len(person):
            continue
        steps = int(pool.lengths_ms[code] // STEP_MS)
        own = skill[person] + truth.task + rng.normal(0, truth.test_sd, len(person))
        movement = follow_signal(
            excitement(str(pool.stimuli[code]), steps), own, truth.lag_steps, rng
        )
        _record(sessions, person, positions[person, at], movement)


def _record(sessions: Sessions, person: IntArray, position: IntArray, movement: Directions) -> None:
    """A notch of the wheel in each step that moves, at some moment of it."""
    row, step = np.nonzero(movement)
    value = np.cumsum(movement, axis=1)[row, step].astype(np.float64)
    media_ms = np.floor((step + sessions.rng.random(len(row))) * STEP_MS)
    sessions.trace(person[row], position[row], media_ms, value, "ranktrace", "wheel")


class Annotator(Mind):
    """One annotator at a browser."""

    def __init__(self, truth: QaTruth, study: Study, rng: random.Random, careless: bool) -> None:
        self._truth, self._rng = truth, rng
        self._roles = roles_of(study, DECLARATION)
        self._trained = not careless and rng.random() < truth.share_trained
        mean = truth.careless if careless else truth.trained if self._trained else truth.untrained
        self._skill = mean + rng.gauss(0, truth.skill_sd)

    def acts(self, kind: str, seen: SeenStimulus) -> Sequence[Act] | None:
        if kind != "ranktrace" or seen.stimulus is None:
            return None
        wanted = excitement(seen.stimulus.id, seen.length_ms // STEP_MS)
        return self._follow(wanted, self._truth.task, seen.length_ms)

    def follow(self, signal: Mapping[str, Any]) -> Sequence[Act] | None:
        """A quality test: the corners of its signal are drawn on the screen."""
        times_ms, levels = zip(*signal["corners"], strict=True)
        steps = np.arange(0, signal["duration_ms"], STEP_MS, dtype=np.float64)
        return self._follow(
            directions(np.interp(steps, times_ms, levels)), 0.0, signal["duration_ms"]
        )

    def _follow(self, wanted: Directions, harder: float, length_ms: int) -> Sequence[Act]:
        rng = self._rng
        right = 1 / (1 + math.exp(-(self._skill + harder + rng.gauss(0, self._truth.test_sd))))
        late = [0] * self._truth.lag_steps + wanted.tolist()
        levels: list[tuple[int, float]] = []
        value = 0
        for step in range(len(wanted)):
            way = late[step] if rng.random() < right else rng.choice((-1, 0, 1))
            if way:
                value += way
                levels.append((STEP_MS * step + rng.randrange(STEP_MS), value))
        return samples(levels, length_ms, 0, "wheel")

    def answer(
        self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]
    ) -> Any:
        if self._roles.role_of(question) == "group":
            return "trained" if self._trained else "untrained"
        return None


PEOPLE = Behaviour(truth=QaTruth, nothing=nothing, mind=Annotator, fill=fill)

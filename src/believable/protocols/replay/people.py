"""Viewers of `replay`: two versions of a day, actions flagged, ratings, and a choice between them."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from believable.coding.phrases import phrases, simulated_answer
from believable.instruments.contract import Act
from believable.protocols.replay import DECLARATION
from believable.simulate.behaviour import Behaviour, Mind, SeenStimulus, expit, reasons, take_checks
from believable.simulate.pool import FloatArray, IntArray, ObjectArray, Pool, roles_of
from believable.simulate.simulated_sessions import Sessions, unless
from believable.study.records import Study, outline


@dataclass(frozen=True, slots=True)
class ReplayTruth:
    """What is planted. Ratings are felt on the scale of the answers and rounded to 1 … 7.

    baseline, ours     mean overall believability of the two conditions
    person_sd, noise   spread of viewers, and of one viewer's two ratings
    choice_noise       how loosely the final choice follows the ratings
    flag_logit         log-odds of flagging an action of the baseline, for the average viewer
    flag_effect        by how much it differs for ours (log of the odds ratio), for the average viewer
    effect_sd          spread of that difference between viewers: hardly anything moves everybody alike
    planted_logit      by how much planted violations stand out, in log-odds
    flag_sd            spread of viewers' readiness to flag, in log-odds
    opens              share of viewings with the plan open; `skips` share with a stretch jumped over
    reason             share of flags with a reason; `undone` how many more are set and taken back, per flag that stays
    """

    baseline: float = 4.0
    ours: float = 4.7
    person_sd: float = 0.8
    noise: float = 0.8
    choice_noise: float = 0.6
    flag_logit: float = -2.0
    flag_effect: float = -0.7
    effect_sd: float = 0.4
    planted_logit: float = 0.0
    flag_sd: float = 0.6
    opens: float = 0.6
    skips: float = 0.15
    reason: float = 0.6
    undone: float = 0.05


#: In the demonstration what was planted is seen, and the rest is rarely flagged.
DEMONSTRATION = ReplayTruth(flag_logit=-3.2, flag_effect=0.0, planted_logit=2.4)

#: How many words of the codebook stand for what was planted.
_REASON_OF = {"environment_rule": "environment_rule", "temporal": "temporal", "goal": "goal_inconsistency"}
#: Share of a day that is jumped over.
GAP = 0.08
#: The careless flag about 18 in 100 actions, whatever happens in them.
CARELESS_LOGIT = -1.5


def nothing() -> ReplayTruth:
    """Both conditions are alike, for everybody."""
    return replace(ReplayTruth(), ours=4.0, flag_effect=0.0, effect_sd=0.0)


@dataclass(frozen=True, slots=True)
class DayActions:
    """The actions of every stimulus, by its code: padded columns and what was planted."""

    id: ObjectArray
    from_ms: FloatArray
    to_ms: FloatArray
    there: NDArray[np.bool_]
    planted: ObjectArray


def actions_of(pool: Pool) -> DayActions:
    rows: list[list[Mapping[str, Any]]] = [[] for _ in pool.stimuli]
    codes = {name: code for code, name in enumerate(pool.stimuli)}
    for row in pool.material.actions:
        rows[codes[row["stimulus"]]].append(row)
    most = max(map(len, rows), default=0)
    shape = (len(rows), most)
    ids, planted = np.full(shape, None, dtype=object), np.full(shape, None, dtype=object)
    start, end, there = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.bool_)
    for code, own in enumerate(rows):
        for at, row in enumerate(own):
            ids[code, at], there[code, at] = row["action"], True
            start[code, at], end[code, at] = row["from_ms"], row["to_ms"]
            planted[code, at] = pool.material.planted.get(pool.stimuli[code], {}).get(str(row["action"]))
    return DayActions(ids, start, end, there, planted)


def fill(truth: ReplayTruth, sessions: Sessions) -> None:
    pool, rng, roles = sessions.pool, sessions.rng, sessions.pool.roles
    take_checks(sessions)
    trial = roles.named["day"][0]
    positions = pool.positions(trial)[sessions.plan]
    days = positions.shape[1]
    code = pool.shown[sessions.plan[:, None], positions, 0]
    ours = np.isin(pool.stimulus_condition.astype(str), roles.named["ours"])[code]
    person, where = np.repeat(sessions.people, days), positions.ravel()
    felt = (
        np.where(ours, truth.ours, truth.baseline)
        + rng.normal(0, truth.person_sd, sessions.count)[:, None]
        + rng.normal(0, truth.noise, (sessions.count, days))
    )
    felt = np.where(sessions.careless[:, None], rng.uniform(0.5, 7.5, felt.shape), felt)
    opened = rng.random((sessions.count, days)) < truth.opens
    _rate(sessions, person, where, felt, opened)
    gaps = _watch(truth, sessions, trial, positions, code, opened)
    _flag(truth, sessions, positions, code, ours, gaps)
    _choose(truth, sessions, felt)
    experience = roles.asked.get("experience")
    if experience is not None:
        at = pool.positions(experience.trial)[sessions.plan, 0]
        level = rng.choice([1, 2, 3, 4, 5], size=sessions.count, p=(0.3, 0.3, 0.2, 0.15, 0.05))
        sessions.answer(sessions.people, at, experience.id, experience.kind, number=level)


def _rate(sessions: Sessions, person: IntArray, where: IntArray, felt: FloatArray, opened: NDArray[np.bool_]) -> None:
    rng, roles = sessions.rng, sessions.pool.roles
    for role, noise in (("believability", 0.0), ("coherence", 0.7), ("adherence", 0.9)):
        asked = roles.asked.get(role)
        if asked is None:
            continue
        points = np.clip(np.rint(felt.ravel() + rng.normal(0, noise, felt.size)), 1, 7)
        some = np.flatnonzero(opened.ravel()) if role == "adherence" else np.arange(felt.size)
        sessions.answer(person[some], where[some], asked.id, asked.kind, number=points[some])


def _watch(
    truth: ReplayTruth, sessions: Sessions, trial: str, positions: IntArray, code: IntArray, opened: NDArray[np.bool_]
) -> FloatArray:
    """Watched stretches; returns where each gap begins (NaN: none)."""
    rng, pool = sessions.rng, sessions.pool
    length = pool.lengths_ms[code]
    skips = rng.random(code.shape) < truth.skips
    begins = np.where(skips, rng.uniform(0.3, 0.9 - GAP, code.shape) * length, np.nan)
    item = next(entry.item for entry in outline(pool.study.timeline) if entry.item.id == trial)
    rate = item.player_controls.first_speed if item and item.player_controls else 1.0
    person = np.broadcast_to(sessions.people[:, None], code.shape)
    first_end = np.where(skips, begins, length)
    second = np.nonzero(skips)
    for what, some in (("stimulus", np.ones(code.shape, np.bool_)), ("plan", opened)):
        at = np.nonzero(some)
        sessions.view(trial, person[at], positions[at], np.zeros(len(at[0])), first_end[at], what, rate)
        both = np.nonzero(some & skips) if what == "plan" else second
        sessions.view(trial, person[both], positions[both], begins[both] + GAP * length[both], length[both], what, rate)
    return begins


def _flag(
    truth: ReplayTruth,
    sessions: Sessions,
    positions: IntArray,
    code: IntArray,
    ours: NDArray[np.bool_],
    gaps: FloatArray,
) -> None:
    rng, acts = sessions.rng, _actions(sessions.pool)
    start, end, there = acts.from_ms[code], acts.to_ms[code], acts.there[code]
    gap_end = gaps + GAP * sessions.pool.lengths_ms[code]
    inside = (start >= gaps[..., None]) & (start < gap_end[..., None])
    missed = np.clip(np.minimum(end, gap_end[..., None]) - np.maximum(start, gaps[..., None]), 0, None)
    viewed = there & ~(inside & (missed > 0.5 * (end - start)))
    planted = acts.planted[code]
    stands_out = np.not_equal(planted, np.array(None, dtype=object)).astype(np.bool_)
    readiness = rng.normal(0, truth.flag_sd, sessions.count)
    effect = truth.flag_effect + rng.normal(0, truth.effect_sd, sessions.count)
    logit = (
        truth.flag_logit
        + effect[:, None, None] * ours[..., None]
        + truth.planted_logit * stands_out
        + readiness[:, None, None]
    )
    logit = np.where(sessions.careless[:, None, None], CARELESS_LOGIT, logit)
    chance = expit(logit)
    drawn = rng.random(viewed.shape)
    flagged = viewed & (drawn < (1 + truth.undone) * chance)
    who, day, which = np.nonzero(flagged)
    at = (who, day, which)
    moment = start[at] + rng.random(len(who)) * 0.5 * (end[at] - start[at])
    silent = rng.random(len(who)) >= truth.reason
    text = unless(silent, _reasons(planted[at], rng))
    # Some mark the moment instead of the line: the analysis has to find the action.
    action = unless(rng.random(len(who)) < 0.1, acts.id[code][at])
    sessions.flag(who, positions[who, day], moment, action, text, drawn[at] >= chance[at])


def _reasons(planted: ObjectArray, rng: np.random.Generator) -> ObjectArray:
    """What was planted is named as such; for the rest the planted shares of the codebook hold."""
    texts = reasons("replay", len(planted), rng)
    for kind, code in _REASON_OF.items():
        own = np.flatnonzero(planted == kind)
        ways = np.array(phrases("replay").sentences[code, None], dtype=object)
        texts[own] = ways[rng.integers(len(ways), size=len(own))]
    return texts


def _actions(pool: Pool) -> DayActions:
    if "actions" not in pool.kept:
        pool.kept["actions"] = actions_of(pool)
    actions: DayActions = pool.kept["actions"]
    return actions


def _choose(truth: ReplayTruth, sessions: Sessions, felt: FloatArray) -> None:
    rng, roles = sessions.rng, sessions.pool.roles
    preference, why = roles.asked.get("preference"), roles.asked.get("why")
    if preference is None or felt.shape[1] != 2:
        return
    where = sessions.pool.positions(preference.trial)[sessions.plan, 0]
    first = felt[:, 0] - felt[:, 1] + rng.normal(0, truth.choice_noise, sessions.count) > 0
    said = np.where(first, "first", "second").astype(object)
    sessions.answer(sessions.people, where, preference.id, preference.kind, text=said)
    if why is not None:
        sessions.answer(sessions.people, where, why.id, why.kind, text=reasons("replay", sessions.count, rng))


# ------------------------------------------------------------------------------------------ what follows from it


def mean_rating(mean: float, sd: float) -> float:
    """The mean of a felt rating after rounding to 1 … 7."""
    below = ndtr((np.arange(1.5, 7.0) - mean) / sd)
    return 1 + float((1 - below).sum())


def values(truth: ReplayTruth, sessions: Sessions) -> Mapping[str, float]:
    sd = math.hypot(truth.person_sd, truth.noise)
    gap = truth.ours - truth.baseline
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    acts, roles, pool = _actions(sessions.pool), sessions.pool.roles, sessions.pool
    stands_out = np.not_equal(acts.planted, np.array(None, dtype=object)).astype(np.float64)
    rates = {}
    spreads = {"baseline": truth.flag_sd, "ours": math.hypot(truth.flag_sd, truth.effect_sd)}
    for name, effect in (("baseline", 0.0), ("ours", truth.flag_effect)):
        own = np.isin(pool.stimulus_condition.astype(str), roles.named[name])
        logit = truth.flag_logit + effect + truth.planted_logit * stands_out[own][..., None] + spreads[name] * nodes
        chance = (expit(logit) * weights / weights.sum()).sum(axis=-1)
        there = acts.there[own]
        rates[name] = float(((chance * there).sum(axis=1) / np.maximum(there.sum(axis=1), 1)).mean())
    return {
        "believability": mean_rating(truth.ours, sd) - mean_rating(truth.baseline, sd),
        "rate": 100 * (rates["ours"] - rates["baseline"]),
        "log_odds": truth.flag_effect,
        "preference": float(ndtr(gap / math.sqrt(2 * truth.noise**2 + truth.choice_noise**2))),
    }


# ------------------------------------------------------------------------------------------ one person


class Viewer:
    """One viewer at a browser. In a demonstration what was planted is noticed; elsewhere flags follow the truth."""

    def __init__(self, truth: ReplayTruth, study: Study, rng: random.Random, careless: bool) -> None:
        self._truth, self._rng, self._careless = truth, rng, careless
        self._roles = roles_of(study, DECLARATION)
        self._leaning = rng.gauss(0, truth.person_sd)
        self._readiness = rng.gauss(0, truth.flag_sd)
        self._effect = truth.flag_effect + rng.gauss(0, truth.effect_sd)
        self._felt: dict[str, float] = {}

    def acts(self, kind: str, seen: SeenStimulus) -> Sequence[Act] | None:
        if kind != "flags" or not seen.log:
            return None
        truth, rng = self._truth, self._rng
        ours = seen.stimulus is not None and seen.stimulus.condition in self._roles.named["ours"]
        flags: list[Act] = []
        for going in seen.log:
            logit = truth.flag_logit + self._effect * ours + truth.planted_logit * going.planted + self._readiness
            logit = CARELESS_LOGIT if self._careless else logit
            if rng.random() < 1 / (1 + math.exp(-logit)):
                flags += self._mark(
                    going.id, f"f{len(flags) + 1}", round(rng.uniform(going.t0_ms, (going.t0_ms + going.t1_ms) / 2))
                )
        return sorted(flags, key=lambda act: act.media_ms)

    def _mark(self, action: str, name: str, at_ms: int) -> list[Act]:
        rng = self._rng
        marking = [Act(at_ms, "flag.add", {"flag": name, "media_ms": at_ms, "action": action, "reason": ""})]
        if rng.random() < self._truth.reason:
            marking.append(Act(at_ms, "flag.edit", {"flag": name, "reason": simulated_answer("replay", rng)}))
        if rng.random() < self._truth.undone:
            marking.append(Act(at_ms, "flag.remove", {"flag": name}))
        return marking

    def follow(self, signal: Mapping[str, Any]) -> Sequence[Act] | None:
        return None

    def answer(self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]) -> Any:
        role = self._roles.role_of(question)
        if page and page[0].stimulus is not None and role in ("believability", "coherence", "adherence"):
            return self._rating(role, page[0])
        if role == "preference":
            return self._preference(earlier)
        if role == "why":
            return simulated_answer("replay", self._rng)
        if role == "experience":
            return self._rng.choices((1, 2, 3, 4, 5), (0.3, 0.3, 0.2, 0.15, 0.05))[0]
        return None

    def _rating(self, role: str, seen: SeenStimulus) -> int:
        assert seen.stimulus is not None
        name = seen.stimulus.id
        if name not in self._felt:
            ours = seen.stimulus.condition in self._roles.named["ours"]
            mean = self._truth.ours if ours else self._truth.baseline
            felt = mean + self._leaning + self._rng.gauss(0, self._truth.noise)
            self._felt[name] = self._rng.uniform(0.5, 7.5) if self._careless else felt
        noise = {"believability": 0.0, "coherence": 0.7, "adherence": 0.9}[role]
        return min(7, max(1, round(self._felt[name] + self._rng.gauss(0, noise))))

    def _preference(self, earlier: Sequence[SeenStimulus]) -> str | None:
        felt = [
            self._felt[seen.stimulus.id]
            for seen in earlier
            if seen.stimulus is not None and seen.stimulus.id in self._felt
        ]
        if len(felt) < 2:
            return None
        return "first" if felt[-2] - felt[-1] + self._rng.gauss(0, self._truth.choice_noise) > 0 else "second"


def mind(truth: ReplayTruth, study: Study, rng: random.Random, careless: bool) -> Mind:
    return Viewer(truth, study, rng, careless)


PEOPLE = Behaviour(ReplayTruth, nothing, mind, fill, values, DEMONSTRATION)

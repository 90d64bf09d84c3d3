"""Viewers of `replay`: two versions of a day, actions flagged, ratings, and a choice between
them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from believable.analysis.reaction_delays import EARLIEST_MS, LATEST_MS
from believable.coding.phrases import phrases
from believable.contracts.trial import outline
from believable.instruments.flags import CHOICE, LINE, MOMENT, OFFERED, TRIAL_SPREAD, TRIALS
from believable.protocols.replay.planted_truth import (
    CARELESS_LOGIT,
    D_PRIME_FIELDS,
    DEMONSTRATION,
    GAP,
    ReplayTruth,
    nothing,
)
from believable.protocols.replay.viewer import Viewer
from believable.simulate.behaviour import Behaviour, expit, reasons, take_checks
from believable.simulate.pool import FloatArray, IntArray, ObjectArray, Pool
from believable.simulate.simulated_sessions import Sessions, unless

#: Pages of the practice that measures the delay.
PRACTICE_PAGES = ("practice_flags",)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayActions:
    """The actions of every stimulus by its code, as padded columns, with their violations."""

    id: ObjectArray
    from_ms: FloatArray
    to_ms: FloatArray
    there: NDArray[np.bool_]
    violations: ObjectArray


def actions_of(pool: Pool) -> DayActions:
    rows: list[list[Mapping[str, Any]]] = [[] for _ in pool.stimuli]
    codes = {name: code for code, name in enumerate(pool.stimuli)}
    for row in pool.material.actions:
        rows[codes[row["stimulus"]]].append(row)
    most = max(map(len, rows), default=0)
    shape = (len(rows), most)
    ids, violations = np.full(shape, None, dtype=object), np.full(shape, "", dtype=object)
    start, end, there = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.bool_)
    for code, own in enumerate(rows):
        for at, row in enumerate(own):
            ids[code, at], there[code, at] = row["action"], True
            start[code, at], end[code, at] = row["from_ms"], row["to_ms"]
            violations[code, at] = pool.material.violations.get(pool.stimuli[code], {}).get(
                str(row["action"]), ""
            )
    return DayActions(id=ids, from_ms=start, to_ms=end, there=there, violations=violations)


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
    _rate(sessions, person, where, felt, opened, trial)
    gaps = _watch(truth, sessions, trial, positions, code, opened)
    hand = rng.spawn(1)[0]
    delays_ms = truth.delay_ms * np.exp(hand.normal(0, truth.delay_spread, sessions.count))
    _practise(sessions, delays_ms, hand)
    _flag(truth, sessions, positions, code, ours, gaps, opened, delays_ms)
    _choose(truth, sessions, felt)
    experience = roles.asked.get("experience")
    if experience is not None:
        at = pool.positions(experience.trial)[sessions.plan, 0]
        level = rng.choice([1, 2, 3, 4, 5], size=sessions.count, p=(0.3, 0.3, 0.2, 0.15, 0.05))
        sessions.answer(sessions.people, at, experience.id, experience.kind, number=level)


def _rate(
    sessions: Sessions,
    person: IntArray,
    where: IntArray,
    felt: FloatArray,
    opened: NDArray[np.bool_],
    trial: str,
) -> None:
    """Answer the ratings below each replay, or on separate pages after all of them."""
    rng, roles = sessions.rng, sessions.pool.roles
    for role, noise in (("believability", 0.0), ("coherence", 0.7), ("adherence", 0.9)):
        asked = roles.asked.get(role)
        if asked is None:
            continue
        points = np.clip(np.rint(felt.ravel() + rng.normal(0, noise, felt.size)), 1, 7)
        some = np.flatnonzero(opened.ravel()) if role == "adherence" else np.arange(felt.size)
        at = where if asked.trial == trial else _rating_pages(sessions, asked.id)
        sessions.answer(person[some], at[some], asked.id, asked.kind, number=points[some])


def _rating_pages(sessions: Sessions, question: str) -> IntArray:
    """Where each replay is rated, in the order of watching, by person."""
    pages = [
        entry.item
        for entry in outline(sessions.pool.study.timeline)
        if entry.item.rated_turn is not None
        and any(asked.id == question for asked in entry.item.all_questions)
    ]
    ordered = sorted(pages, key=lambda page: page.rated_turn or 0)
    return np.concatenate(
        [sessions.pool.positions(page.id)[sessions.plan] for page in ordered], axis=1
    ).ravel()


def _watch(
    truth: ReplayTruth,
    sessions: Sessions,
    trial: str,
    positions: IntArray,
    code: IntArray,
    opened: NDArray[np.bool_],
) -> FloatArray:
    """Watched stretches; returns where each gap begins (NaN: none)."""
    rng, pool = sessions.rng, sessions.pool
    length = pool.lengths_ms[code]
    skips = rng.random(code.shape) < truth.skips
    begins = np.where(skips, rng.uniform(0.3, 0.9 - GAP, code.shape) * length, np.nan)
    rate = _playback_rate(pool, trial)
    person = np.broadcast_to(sessions.people[:, None], code.shape)
    first_end = np.where(skips, begins, length)
    second = np.nonzero(skips)
    for what, some in (("stimulus", np.ones(code.shape, np.bool_)), ("plan", opened)):
        at = np.nonzero(some)
        sessions.view(
            trial, person[at], positions[at], np.zeros(len(at[0])), first_end[at], what, rate
        )
        both = np.nonzero(some & skips) if what == "plan" else second
        sessions.view(
            trial,
            person[both],
            positions[both],
            begins[both] + GAP * length[both],
            length[both],
            what,
            rate,
        )
    return begins


def _playback_rate(pool: Pool, trial: str) -> float:
    """How fast the replays of a trial are watched."""
    item = next(entry.item for entry in outline(pool.study.timeline) if entry.item.id == trial)
    controls = item and item.player.controls
    return controls.first_speed if controls else 1.0


def _practise(sessions: Sessions, delays_ms: FloatArray, hand: np.random.Generator) -> None:
    """Add the trials of the key practice, in studies that have one."""
    pages = [
        positions
        for positions in (sessions.pool.positions(name) for name in PRACTICE_PAGES)
        if positions.shape[1]
    ]
    if pages:
        trials = delays_ms[:, None] * np.exp(hand.normal(0, TRIAL_SPREAD, (sessions.count, TRIALS)))
        sessions.react(pages[0][sessions.plan, 0], np.clip(trials, EARLIEST_MS, LATEST_MS))


def _flag(
    truth: ReplayTruth,
    sessions: Sessions,
    positions: IntArray,
    code: IntArray,
    ours: NDArray[np.bool_],
    gaps: FloatArray,
    opened: NDArray[np.bool_],
    delays_ms: FloatArray,
) -> None:
    rng, acts = sessions.rng, _actions(sessions.pool)
    start, end, there = acts.from_ms[code], acts.to_ms[code], acts.there[code]
    gap_end = gaps + GAP * sessions.pool.lengths_ms[code]
    inside = (start >= gaps[..., None]) & (start < gap_end[..., None])
    missed = np.clip(
        np.minimum(end, gap_end[..., None]) - np.maximum(start, gaps[..., None]), 0, None
    )
    viewed = there & ~(inside & (missed > 0.5 * (end - start)))
    wrong = acts.violations[code]
    stands_out = np.where(
        opened[..., None],
        _standing_out(truth, acts, True)[code],
        _standing_out(truth, acts, False)[code],
    )
    readiness = rng.normal(0, truth.flag_sd, sessions.count)
    effect = truth.flag_effect + rng.normal(0, truth.effect_sd, sessions.count)
    logit = truth.flag_logit + effect[:, None, None] * ours[..., None] + readiness[:, None, None]
    chance = np.where(stands_out > 0, ndtr(ndtri(expit(logit)) + stands_out), expit(logit))
    chance = np.where(sessions.careless[:, None, None], expit(CARELESS_LOGIT), chance)
    drawn = rng.random(viewed.shape)
    flagged = viewed & (drawn < (1 + truth.undone) * chance)
    who, day, which = np.nonzero(flagged)
    at = (who, day, which)
    moment = start[at] + rng.random(len(who)) * 0.5 * (end[at] - start[at])
    silent = rng.random(len(who)) >= truth.reason
    text = unless(silent, _reasons(wrong[at], rng))
    # Some mark the moment instead of the line: the analysis has to find the action.
    unaimed = rng.random(len(who)) < 0.1
    rate = _playback_rate(sessions.pool, sessions.pool.roles.named["day"][0])
    length, gap = sessions.pool.lengths_ms[code][who, day], gaps[who, day]
    pressed = moment + delays_ms[who] * rate
    crossed = (moment < gap) & (pressed >= gap)
    pressed = np.where(crossed, pressed + GAP * length, pressed)
    running = pressed < length
    starts, stimulus = start[who, day], code[who, day]
    begun = ((starts <= pressed[:, None]) & there[who, day]).sum(axis=1)
    ids = acts.id[stimulus]
    offered = np.array(
        [" ".join(ids[row, max(0, n - OFFERED) : n]) for row, n in enumerate(begun)], dtype=object
    )
    chosen = running & (begun - which <= OFFERED) & ~unaimed
    moments = running & unaimed
    how = np.where(chosen, CHOICE, np.where(moments, MOMENT, LINE)).astype(object)
    sessions.flag(
        who,
        positions[who, day],
        np.where(running, pressed, moment),
        unless(moments, acts.id[code][at]),
        text,
        drawn[at] >= chance[at],
        how=how,
        offered=unless(~chosen, offered),
        delay_ms=np.where(chosen, (pressed - start[at]) / rate, np.nan),
    )


def _standing_out(truth: ReplayTruth, acts: DayActions, opened: bool) -> FloatArray:
    """d′ of every action of every stimulus."""
    known = {words: truth.d_prime(words, opened) for words in set(acts.violations.ravel().tolist())}
    flat = [known[words] for words in acts.violations.ravel().tolist()]
    return np.array(flat, dtype=np.float64).reshape(acts.violations.shape)


def _reasons(wrong: ObjectArray, rng: np.random.Generator) -> ObjectArray:
    """Write reasons: violations are named; other flags follow the planted shares."""
    texts = reasons("replay", len(wrong), rng)
    first = np.array([str(words).partition("/")[0] for words in wrong], dtype=object)
    for code in D_PRIME_FIELDS:
        own = np.flatnonzero(first == code)
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
        sessions.answer(
            sessions.people, where, why.id, why.kind, text=reasons("replay", sessions.count, rng)
        )


def mean_rating(mean: float, sd: float) -> float:
    """The mean of a felt rating after rounding to 1 … 7."""
    below = ndtr((np.arange(1.5, 7.0) - mean) / sd)
    return 1 + float((1 - below).sum())


def values(truth: ReplayTruth, sessions: Sessions) -> Mapping[str, float]:
    sd = math.hypot(truth.person_sd, truth.noise)
    gap = truth.ours - truth.baseline
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    acts, roles, pool = _actions(sessions.pool), sessions.pool.roles, sessions.pool
    stands_out = {opened: _standing_out(truth, acts, opened) for opened in (False, True)}
    rates = {}
    spreads = {"baseline": truth.flag_sd, "ours": math.hypot(truth.flag_sd, truth.effect_sd)}
    for name, effect in (("baseline", 0.0), ("ours", truth.flag_effect)):
        own = np.isin(pool.stimulus_condition.astype(str), roles.named[name])
        plain = expit(truth.flag_logit + effect + spreads[name] * nodes)
        chance = sum(
            share
            * (
                ndtr(ndtri(plain) + stands_out[opened][own][..., None]) * weights / weights.sum()
            ).sum(axis=-1)
            for opened, share in ((True, truth.opens), (False, 1 - truth.opens))
        )
        there = acts.there[own]
        rates[name] = float(
            ((chance * there).sum(axis=1) / np.maximum(there.sum(axis=1), 1)).mean()
        )
    return {
        "believability": mean_rating(truth.ours, sd) - mean_rating(truth.baseline, sd),
        "rate": 100 * (rates["ours"] - rates["baseline"]),
        "log_odds": truth.flag_effect,
        "preference": float(ndtr(gap / math.sqrt(2 * truth.noise**2 + truth.choice_noise**2))),
    }


PEOPLE = Behaviour(
    truth=ReplayTruth,
    nothing=nothing,
    mind=Viewer,
    fill=fill,
    values=values,
    demonstration=DEMONSTRATION,
)

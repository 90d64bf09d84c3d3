"""Viewers of `replay`: two versions of a day, actions flagged, ratings, and a choice between
them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from believable.analysis.reaction_delays import EARLIEST_MS, LATEST_MS
from believable.coding.phrases import phrases, simulated_answer
from believable.instruments.contract import Act
from believable.instruments.flags import (
    CHOICE,
    LINE,
    MOMENT,
    OFFERED,
    TRIAL_SPREAD,
    TRIALS,
    choose,
    mark,
)
from believable.protocols.replay import DECLARATION
from believable.simulate.behaviour import (
    Behaviour,
    Mind,
    SeenAction,
    SeenStimulus,
    expit,
    reasons,
    take_checks,
)
from believable.simulate.pool import FloatArray, IntArray, ObjectArray, Pool, roles_of
from believable.simulate.simulated_sessions import Sessions, unless
from believable.study.records import Study, outline


@dataclass(frozen=True, slots=True)
class ReplayTruth:
    """What is planted. Ratings are felt on the scale of the answers and rounded to 1 … 7.

    baseline           mean overall believability of the baseline
    ours               mean overall believability of the condition of interest
    person_sd          spread of ratings between viewers
    noise              spread of one viewer's two ratings
    choice_noise       how loosely the final choice follows the ratings
    flag_logit         log-odds of flagging an action of the baseline, for the average viewer
    flag_effect        by how much it differs for ours (log of the odds ratio), for the average
                       viewer
    effect_sd          spread of that difference between viewers: hardly anything moves everybody
                       alike
    d_goal             how well violations are told from other actions, in standard deviations (d′):
                       goal inconsistency
    d_environment      the same, environment rules
    d_temporal         the same, temporal implausibility
    d_social           the same, social norms
    d_control          the same, failures of control
    d_overlay          by how much better with plan or log opened
    flag_sd            spread of viewers' readiness to flag, in log-odds
    opens              share of viewings with the plan open
    skips              share of viewings with a stretch jumped over
    reason             share of flags with a reason
    undone             how many flags are set and taken back, per flag that stays
    delay_ms           median time from seeing an action to pressing the key
    delay_spread       spread of that time between viewers, of its logarithm
    """

    baseline: float = 4.0
    ours: float = 4.7
    person_sd: float = 0.8
    noise: float = 0.8
    choice_noise: float = 0.6
    flag_logit: float = -2.0
    flag_effect: float = -0.7
    effect_sd: float = 0.4
    d_goal: float = 0.0
    d_environment: float = 0.0
    d_temporal: float = 0.0
    d_social: float = 0.0
    d_control: float = 0.0
    d_overlay: float = 0.0
    flag_sd: float = 0.6
    opens: float = 0.6
    skips: float = 0.15
    reason: float = 0.6
    undone: float = 0.05
    delay_ms: float = 550.0
    delay_spread: float = 0.25

    def d_prime(self, violations: str, opened: bool = False) -> float:
        """How well an action with these violations stands out; 0 where there are none. Of several,
        the best to tell.
        """
        known = [
            getattr(self, _D_OF[part.partition("/")[0]]) for part in violations.split("; ") if part
        ]
        return max(known) + self.d_overlay * opened if known else 0.0


#: Category of a violation → the field that says how well it is noticed.
_D_OF = {
    "goal_inconsistency": "d_goal",
    "environment_rule": "d_environment",
    "temporal": "d_temporal",
    "social_norm": "d_social",
    "control_failure": "d_control",
}
#: In the demonstration some of what is wrong is noticed, and the rest is rarely flagged.
DEMONSTRATION = ReplayTruth(
    flag_logit=-4.0,
    flag_effect=0.0,
    d_goal=1.2,
    d_environment=1.8,
    d_temporal=1.5,
    d_social=0.8,
    d_control=2.0,
    d_overlay=0.3,
)
#: Pages of the practice that measures the delay.
PRACTICE_PAGES = ("practice_flags",)
#: Share of a day that is jumped over.
GAP = 0.08
#: The careless flag about 18 in 100 actions, whatever happens in them.
CARELESS_LOGIT = -1.5


def nothing() -> ReplayTruth:
    """Both conditions are alike, for everybody."""
    return replace(ReplayTruth(), ours=4.0, flag_effect=0.0, effect_sd=0.0)


@dataclass(frozen=True, slots=True)
class DayActions:
    """The actions of every stimulus, by its code: padded columns and what is wrong with them."""

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
    return DayActions(ids, start, end, there, violations)


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
    """Below each replay, or on pages of their own after all of them, one for each turn."""
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
    rate = _speed(pool, trial)
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


def _speed(pool: Pool, trial: str) -> float:
    """How fast the replays of a trial are watched."""
    item = next(entry.item for entry in outline(pool.study.timeline) if entry.item.id == trial)
    return item.player_controls.first_speed if item and item.player_controls else 1.0


def _practise(sessions: Sessions, delays_ms: FloatArray, hand: np.random.Generator) -> None:
    """What the practice of the key measures, in studies that have one."""
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
    rate = _speed(sessions.pool, sessions.pool.roles.named["day"][0])
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
    """What is wrong is named as such; for the rest the planted shares of the codebook hold."""
    texts = reasons("replay", len(wrong), rng)
    first = np.array([str(words).partition("/")[0] for words in wrong], dtype=object)
    for code in _D_OF:
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


# ------------------------------------------------------------------------------------------ what
# follows from it


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


# ------------------------------------------------------------------------------------------ one
# person


class Viewer(Mind):
    """One viewer at a browser. What is wrong stands out by the truth's d′."""

    def __init__(
        self, truth: ReplayTruth, study: Study, rng: random.Random, careless: bool
    ) -> None:
        self._truth, self._rng, self._careless = truth, rng, careless
        self._roles = roles_of(study, DECLARATION)
        self._leaning = rng.gauss(0, truth.person_sd)
        self._readiness = rng.gauss(0, truth.flag_sd)
        self._effect = truth.flag_effect + rng.gauss(0, truth.effect_sd)
        self._hand = random.Random(rng.random())
        self._delay_ms = truth.delay_ms * math.exp(self._hand.gauss(0, truth.delay_spread))
        self._felt: dict[str, float] = {}
        self._rated = 0

    @property
    def opens(self) -> float:
        return self._truth.opens

    def jump(self, seen: SeenStimulus) -> tuple[int, int] | None:
        """As in `_watch`: some of the days that are judged."""
        if seen.condition is None or self._hand.random() >= self._truth.skips:
            return None
        from_ms = self._hand.uniform(0.3, 0.9 - GAP) * seen.length_ms
        return round(from_ms), round(from_ms + GAP * seen.length_ms)

    def acts(self, kind: str, seen: SeenStimulus) -> Sequence[Act] | None:
        if kind != "flags" or not seen.log:
            return None
        truth, rng = self._truth, self._rng
        ours = seen.stimulus is not None and seen.stimulus.condition in self._roles.named["ours"]
        flags: list[Act] = []
        marked = 0
        for going in seen.log:
            if _is_missed(going, seen.jump):
                continue
            logit = truth.flag_logit + self._effect * ours + self._readiness
            plain = 1 / (1 + math.exp(-(CARELESS_LOGIT if self._careless else logit)))
            d_prime = 0.0 if self._careless else truth.d_prime(going.violations, bool(seen.opened))
            if rng.random() < float(ndtr(ndtri(plain) + d_prime)):
                marked += 1
                flags += self._mark(
                    going, marked, rng.uniform(going.t0_ms, (going.t0_ms + going.t1_ms) / 2), seen
                )
        return sorted(flags, key=lambda act: act.media_ms)

    def _mark(
        self, going: SeenAction, number: int, noticed_ms: float, seen: SeenStimulus
    ) -> list[Act]:
        """A press after the person's delay and the choice of what was noticed; its line is used if
        it is not offered any more.
        """
        rng, name = self._rng, f"f{number}"
        pressed_ms = noticed_ms + self._delay_ms * seen.rate
        if seen.jump is not None:
            from_ms, to_ms = seen.jump
            if from_ms <= noticed_ms < to_ms:  # that was not on screen
                noticed_ms = from_ms if going.t0_ms < from_ms else to_ms
                pressed_ms = noticed_ms + self._delay_ms * seen.rate
            if noticed_ms <= from_ms <= pressed_ms:
                pressed_ms += to_ms - from_ms
        at_ms = min(round(pressed_ms), seen.length_ms - 1)
        begun = sorted(
            (action for action in seen.log if action.t0_ms <= at_ms),
            key=lambda action: action.t0_ms,
        )
        offered = [action.id for action in begun[-OFFERED:]]
        if going.id in offered:
            delay_ms = round((at_ms - going.t0_ms) / seen.rate)
            marking = choose(
                number, at_ms, offered, going.id, delay_ms, round(rng.uniform(700, 2500))
            )
            marking.append(mark(name, at_ms, going.id, CHOICE))
        else:
            marking = [mark(name, at_ms, going.id, LINE)]
        if rng.random() < self._truth.reason:
            marking.append(
                Act(at_ms, "flag.edit", {"flag": name, "reason": simulated_answer("replay", rng)})
            )
        if rng.random() < self._truth.undone:
            marking.append(Act(at_ms, "flag.remove", {"flag": name}))
        return marking

    def answer(
        self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]
    ) -> Any:
        role = self._roles.role_of(question)
        if role in ("believability", "coherence", "adherence"):
            if page and page[0].stimulus is not None:
                return self._rating(role, page[0])
            self._rated += role == "believability"
            judged = [
                seen
                for seen in earlier
                if seen.stimulus is not None and seen.stimulus.condition is not None
            ]
            return self._rating(role, judged[(self._rated - 1) % len(judged)]) if judged else None
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
        return (
            "first"
            if felt[-2] - felt[-1] + self._rng.gauss(0, self._truth.choice_noise) > 0
            else "second"
        )


def _is_missed(action: SeenAction, jump: tuple[int, int] | None) -> bool:
    """Whether the jump left out the beginning and more than half of an action, as in `_flag`."""
    if jump is None or not jump[0] <= action.t0_ms < jump[1]:
        return False
    missed_ms = min(action.t1_ms, jump[1]) - action.t0_ms
    return missed_ms > 0.5 * (action.t1_ms - action.t0_ms)


PEOPLE = Behaviour(ReplayTruth, nothing, Viewer, fill, values, DEMONSTRATION)

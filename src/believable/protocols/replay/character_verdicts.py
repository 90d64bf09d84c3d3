"""Verdicts on two minds, of which both the people who watch and the characters they watch are
samples.

With few characters, tests over people answer for these characters: a character that suits one mind
better decides for all people who watched it, and more people make it worse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from believable.analysis.claims import Claim, claim_of, limit_section, refuse, split_words
from believable.analysis.findings import (
    LOOSE_CELL,
    Direction,
    Finding,
    Section,
    Table,
    Undefined,
    estimate_cells,
    number_or,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import estimate_words
from believable.analysis.settled_plan import Plan
from believable.protocols.replay.watched_days import WatchedDay
from believable.stats.crossed import VarianceSplit, variance_split
from believable.stats.crossed_contrasts import crossed_difference, crossed_odds, crossed_share_test
from believable.stats.estimate import undefined
from believable.stats.result import TestResult, no_result

LAYOUTS = Layouts(__file__)

_PEOPLE = "people"
NOTHING_FLAGGED = "no viewed action was flagged"


@dataclass(frozen=True, slots=True, kw_only=True)
class DayVerdict:
    """The test over people and characters, what its variance is made of, and whom it is about."""

    outcome: str
    test: TestResult
    split: VarianceSplit | None
    claim: Claim

    @property
    def parts(self) -> str:
        return (
            ""
            if self.split is None
            else split_words(self.split, judges=_PEOPLE, clips=f"{self.claim.unit}s")
        )


def character_of(day: WatchedDay) -> str:
    """Return the sampled unit: the scenario, which both minds play, or else the recording."""
    return day.scenario or day.stimulus


def day_verdicts(
    seen: Sequence[WatchedDay],
    values: Mapping[str, Mapping[tuple[str, int], float]],
    chosen: Mapping[str, str],
    ours: str,
    baseline: str,
    plan: Plan,
) -> dict[str, DayVerdict]:
    """The verdict on every outcome that compares the two conditions."""
    verdicts = {
        name: _difference(name, seen, answered, ours, baseline, plan)
        for name, answered in values.items()
    }
    verdicts["odds"] = _odds(seen, ours, baseline, plan)
    if chosen:
        verdicts["preference"] = _preference(seen, chosen, ours, baseline, plan)
    return verdicts


def _difference(
    name: str,
    seen: Sequence[WatchedDay],
    answered: Mapping[tuple[str, int], float],
    ours: str,
    baseline: str,
    plan: Plan,
) -> DayVerdict:
    """Ours minus baseline over people who have both."""
    people = [
        {
            day.session
            for day in seen
            if day.condition == condition and (day.session, day.position) in answered
        }
        for condition in (ours, baseline)
    ]
    both = people[0] & people[1]
    days = [
        day
        for day in seen
        if day.session in both
        and day.condition in (ours, baseline)
        and (day.session, day.position) in answered
    ]
    contrast = crossed_difference(
        [answered[day.session, day.position] for day in days],
        [day.condition == ours for day in days],
        [day.session for day in days],
        [character_of(day) for day in days],
        over=plan.over,
        alternative=plan.alternative(name),
        level=plan.level,
    )
    split = _split(days, [answered[day.session, day.position] for day in days], ours)
    return _verdict(name, contrast.test, split, _claim(days, ours, baseline, plan))


def _split(days: Sequence[WatchedDay], values: Sequence[float], ours: str) -> VarianceSplit | None:
    """What differences between the conditions vary with, of people who watched both with the same
    character.
    """
    cells: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for day, value in zip(days, values, strict=True):
        cells.setdefault((day.session, character_of(day)), ([], []))[day.condition != ours].append(
            value
        )
    pairs = {
        cell: float(np.mean(mine) - np.mean(theirs))
        for cell, (mine, theirs) in cells.items()
        if mine and theirs
    }
    if not pairs:
        return None
    people, characters = zip(*pairs, strict=True)
    return variance_split(list(pairs.values()), people, characters)


def _odds(seen: Sequence[WatchedDay], ours: str, baseline: str, plan: Plan) -> DayVerdict:
    """The odds of a flag on a viewed action, all people together."""
    days = [day for day in seen if day.condition in (ours, baseline) and day.judged.a > 0]
    contrast = crossed_odds(
        [day.judged.f for day in days],
        [day.judged.a for day in days],
        [day.condition == ours for day in days],
        [day.session for day in days],
        [character_of(day) for day in days],
        over=plan.over,
        alternative=plan.alternative("odds"),
        level=plan.level,
    )
    split = _split(days, [day.judged.f / day.judged.a for day in days], ours)
    test = contrast.test
    if days and not any(day.judged.f for day in days):
        nothing = undefined(NOTHING_FLAGGED, method=test.method, n=test.n, level=plan.level)
        test = no_result(
            NOTHING_FLAGGED,
            method=test.method,
            n=test.n,
            alternative=test.alternative,
            estimate=nothing,
        )
    return _verdict("odds", test, split, _claim(days, ours, baseline, plan))


def _preference(
    seen: Sequence[WatchedDay], chosen: Mapping[str, str], ours: str, baseline: str, plan: Plan
) -> DayVerdict:
    """The share that prefers ours. A person who watched several characters prefers a mind in all of
    them together.
    """
    watched: dict[str, set[str]] = {}
    for day in seen:
        if day.condition in (ours, baseline):
            watched.setdefault(day.session, set()).add(character_of(day))
    decided = [
        session
        for session, answer in chosen.items()
        if answer in (ours, baseline) and session in watched
    ]
    values = np.array([chosen[session] == ours for session in decided], dtype=np.float64)
    characters = [" + ".join(sorted(watched[session])) for session in decided]
    test = crossed_share_test(
        values,
        decided,
        characters,
        over=plan.over,
        alternative=plan.alternative("preference"),
        level=plan.level,
    )
    split = variance_split(values, decided, characters) if decided else None
    claim = claim_of(plan, characters, subject=f"{ours} and {baseline}", people=_PEOPLE)
    return _verdict("preference", test, split, claim)


def _claim(days: Sequence[WatchedDay], ours: str, baseline: str, plan: Plan) -> Claim:
    of = [
        {character_of(day) for day in days if day.condition == condition}
        for condition in (ours, baseline)
    ]
    least = None if of[0] == of[1] else min(map(len, of))
    return claim_of(
        plan, of[0] | of[1], subject=f"{ours} and {baseline}", least=least, people=_PEOPLE
    )


def _verdict(
    outcome: str, test: TestResult, split: VarianceSplit | None, claim: Claim
) -> DayVerdict:
    named = replace(test, method=_in_words(test.method, claim))
    if named.estimate is not None:
        named = replace(
            named, estimate=replace(named.estimate, method=_in_words(named.estimate.method, claim))
        )
    return DayVerdict(outcome=outcome, test=refuse(named, claim), split=split, claim=claim)


def _in_words(method: str, claim: Claim) -> str:
    return method.replace("judges", _PEOPLE).replace("clips", f"{claim.unit}s")


def direction_of(outcome: str, ours: str, baseline: str) -> Direction:
    """Return the meaning of a difference on either side."""
    if outcome == "preference":
        return Direction(
            0.5, f"{ours} is preferred to {baseline}", f"{baseline} is preferred to {ours}"
        )
    if outcome in ("rate", "odds"):
        null = 1.0 if outcome == "odds" else 0.0
        return Direction(
            null,
            f"{ours} is flagged more often than {baseline}",
            f"{baseline} is flagged more often than {ours}",
        )
    return Direction(
        0.0, f"{ours} is rated higher than {baseline}", f"{baseline} is rated higher than {ours}"
    )


def decide_section(
    section: Section, verdicts: Mapping[str, DayVerdict], ours: str, baseline: str
) -> Section:
    """The section whose findings are decided over people and characters, or say that they are about
    these characters.

    The published test stays in the tables, and its numbers stay in the sentence.
    """
    findings = []
    for finding in section.findings:
        verdict = verdicts.get(finding.outcome)
        if verdict is None:
            findings.append(finding)
            continue
        findings.append(
            _decide(
                replace(finding, direction=direction_of(finding.outcome, ours, baseline)), verdict
            )
        )
    decided = replace(section, findings=tuple(findings))
    claims = [verdict.claim for verdict in verdicts.values()]
    return (
        limit_section(decided, max(claims, key=lambda claim: claim.n_clips)) if claims else decided
    )


def _decide(finding: Finding, verdict: DayVerdict) -> Finding:
    claim = verdict.claim
    if claim.scope:
        sentences = (finding.sentence, verdict.parts)
        return replace(
            finding,
            sentence=" ".join(claim.limit(words) for words in sentences if words),
            scope=claim.scope,
        )
    if finding.estimate is None or finding.estimate.value is None:
        return finding
    estimate = verdict.test.estimate
    test = replace(verdict.test, effect=None if finding.test is None else finding.test.effect)
    if estimate is None or estimate.value is None:
        return replace(finding, estimate=estimate, test=test)
    over = f"Over {claim.sampled_units}, it is {estimate_words(estimate)}."
    words = " ".join(part for part in (finding.sentence, over, verdict.parts) if part)
    return replace(finding, sentence=words, estimate=estimate, test=test)


def decision_table(verdicts: Sequence[DayVerdict], titles: Mapping[str, str]) -> Table:
    """One row per outcome: the estimate that decides, its test, and the parts of its variance."""
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for verdict in verdicts:
        test, none = verdict.test, verdict.test.reason or "undefined"
        no_parts = Undefined(
            "unknown" if verdict.split is None else verdict.split.reason or "there is no variance"
        )
        shares = (
            (None, None, None)
            if verdict.split is None
            else verdict.split.shares or (None, None, None)
        )
        exact = none if test.statistic is None else "an exact test has none"
        rows.append(
            (
                titles[verdict.outcome],
                verdict.claim.scope or verdict.claim.subject,
                verdict.claim.n_clips,
                *(
                    estimate_cells(test.estimate)
                    if test.estimate is not None
                    else (Undefined(none),) * 3
                ),
                number_or(test.statistic if test.symbol == "t" else None, exact),
                number_or(test.df[0] if test.df else None, exact),
                number_or(test.p_value, none),
                *(no_parts if share is None else share for share in shares),
            )
        )
    return LAYOUTS.table("decision", rows)

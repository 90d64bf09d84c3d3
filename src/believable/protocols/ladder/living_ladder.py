"""Several studies with common agents on one ladder: one table over time, old agents as anchors, and a
test whether judges changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import (
    LOOSE_CELL,
    Finding,
    Section,
    Undefined,
    estimate_cells,
    number_or,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, in_words, listed, p_equals
from believable.core.errors import InvalidInput
from believable.protocols.ladder.pair_choices import choices
from believable.stats.bradley_terry import BradleyTerry, bradley_terry
from believable.stats.estimate import Estimate, undefined
from believable.stats.pairs import comparisons
from believable.stats.result import TestResult, holm
from believable.stats.strength_contrasts import rank_strengths, strength_contrasts
from believable.stats.strength_drift import strength_drift
from believable.study.own_design import questions
from believable.study.records import Study

LAYOUTS = Layouts(__file__)

#: The common name of the conditions that show people.
PEOPLE = "people"
_WINNERS = {1.0: "left", 0.5: "tie", 0.0: "right"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyChoices:
    """The choices of one study, one entry of each list per choice.

    date      median day on which its sessions began
    question  hash of the question about the two, with its options
    clips     the two clips, each as its condition and the SHA-256 of its file
    """

    name: str
    date: str
    question: str
    simulated: bool
    judges: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    winner: tuple[str, ...]
    clips: tuple[tuple[str, str], ...]

    @property
    def agents(self) -> frozenset[str]:
        return frozenset((*self.first, *self.second))


def study_choices(name: str, data: Data) -> StudyChoices:
    """The choices of a study between any two of its conditions; people have one name in all
    studies.
    """
    judged = choices(data)
    people = {
        condition
        for role in ("people", "human")
        if role in {known.name for known in data.plan.declaration.roles}
        for condition in data.plan.roles[role]
    }
    digests = _digests(data)
    named = [
        [PEOPLE if str(condition) in people else str(condition) for condition in side]
        for side in (judged.first, judged.second)
    ]
    clips = [
        [
            f"{condition}/{digests.get(str(clip), f'{name}:{clip}')}"
            for condition, clip in zip(side, judged.clips[:, at], strict=True)
        ]
        for at, side in enumerate(named)
    ]
    return StudyChoices(
        name=name,
        date=_date(data),
        question=question_hash(data.study, data.plan.role("choice")),
        simulated=data.simulated,
        judges=tuple(f"{name}/{data.sessions[code]}" for code in judged.judge.tolist()),
        first=tuple(named[0]),
        second=tuple(named[1]),
        winner=tuple(_WINNERS[score] for score in judged.score.tolist()),
        clips=tuple(zip(clips[0], clips[1], strict=True)),
    )


def _digests(data: Data) -> Mapping[str, str]:
    """Stimulus → SHA-256 of the file that judges saw, if it is known."""
    shown = data.table("shown")
    if "stimulus_digest" not in shown.columns:
        return {}
    pairs = zip(shown["stimulus"].values, shown["stimulus_digest"].values, strict=True)
    return {str(name): str(digest) for name, digest in pairs if digest}


def _date(data: Data) -> str:
    days = sorted(str(day) for day in data.people["started_on"].values if day is not None)
    return days[len(days) // 2] if days else "unknown"


def question_hash(study: Study | None, name: str | None) -> str:
    """The same for the same question with the same options; empty if it is not known."""
    if study is None or name is None:
        return ""
    trial, _, question = name.rpartition(".")
    for where, asked in questions(study):
        if asked.id == question and trial in ("", where):
            plain = asked.model_dump(mode="json", include={"kind", "params", "prompt"})
            text = json.dumps(plain, sort_keys=True, ensure_ascii=False)
            return hashlib.sha256(text.encode()).hexdigest()
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LivingLadder:
    """All studies on one scale.

    fit      the model of all choices
    single   the model of each study alone
    anchors  agents of every study, sorted: the scale of single studies is relative to their mean
    """

    studies: tuple[StudyChoices, ...]
    fit: BradleyTerry
    single: tuple[BradleyTerry, ...]
    anchors: tuple[str, ...]
    level: float


def join_ladder(studies: Sequence[StudyChoices], *, level: float = 0.95) -> LivingLadder:
    """Join studies, in the order of their dates. Simulated judges never mix with people."""
    if len({study.simulated for study in studies}) > 1:
        raise InvalidInput(
            "ladder: some studies have simulated judges only, and others people. Join them apart."
        )
    empty = [study.name for study in studies if not study.winner]
    if empty:
        raise InvalidInput(f"{empty[0]}: no choice between two conditions. Leave it out.")
    ordered = tuple(sorted(studies, key=lambda study: study.date))
    anchors = frozenset.intersection(*(study.agents for study in ordered))
    return LivingLadder(
        studies=ordered,
        fit=_fit(ordered, level),
        single=tuple(_fit((study,), level) for study in ordered),
        anchors=tuple(sorted(anchors)),
        level=level,
    )


def _fit(studies: Sequence[StudyChoices], level: float, *, by_clip: bool = True) -> BradleyTerry:
    def joined(name: str) -> list[str]:
        return [value for study in studies for value in getattr(study, name)]

    clips = [pair for study in studies for pair in study.clips]
    compared = comparisons(
        joined("first"),
        joined("second"),
        joined("winner"),
        judges=joined("judges"),
        clips=([pair[0] for pair in clips], [pair[1] for pair in clips]) if by_clip else None,
    )
    return bradley_terry(compared, level=level)


def ladder_sections(ladder: LivingLadder) -> tuple[Section, ...]:
    """The table of all agents, the table over time, and the test of drift."""
    return (_all_section(ladder), _time_section(ladder), _drift_section(ladder))


def _all_section(ladder: LivingLadder) -> Section:
    fit = ladder.fit
    contrasts = strength_contrasts(fit, level=ladder.level)
    ranks = rank_strengths(fit, contrasts, alpha=1 - ladder.level)
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for rank in sorted(ranks, key=lambda rank: rank.rank or 0):
        own = [study for study in ladder.studies if rank.item in study.agents]
        shown = [
            clip
            for study in own
            for sides in zip(study.first, study.second, study.clips, strict=True)
            for name, clip in zip(sides[:2], sides[2], strict=True)
            if name == rank.item
        ]
        none = Undefined(fit.reason or "no estimate")
        rows.append(
            (
                rank.item,
                own[0].date,
                own[-1].date,
                len(own),
                len(set(shown)),
                len(shown),
                *(none if at is None else at for at in (rank.rank, rank.best, rank.worst)),
                *estimate_cells(fit.of(rank.item)),
            )
        )
    names = listed([study.name for study in ladder.studies])
    paragraphs = [
        f"{counted(len(ladder.studies), 'study', 'studies')} were joined: {names}. {fit.method}."
        " Judges of different studies are different judges.",
        _anchor_words(ladder),
        _reuse_words(ladder),
    ]
    return LAYOUTS.section(
        "living",
        paragraphs=[*paragraphs, *([fit.reason] if fit.reason else [])],
        tables=(LAYOUTS.table("living", rows),),
        charts=(LAYOUTS.chart("living"),),
    )


def _anchor_words(ladder: LivingLadder) -> str:
    if not ladder.anchors:
        return (
            "No agent is in every study: single studies have no common zero, and only the joint"
            " model compares them."
        )
    return f"Anchors, in every study: {listed([in_words(name) for name in ladder.anchors])}."


def _reuse_words(ladder: LivingLadder) -> str:
    """How many clips, and which of the people's, were judged in more than one study."""
    seen: dict[str, set[str]] = {}
    for study in ladder.studies:
        for pair in study.clips:
            for clip in pair:
                seen.setdefault(clip, set()).add(study.name)
    again = [clip for clip, studies in seen.items() if len(studies) > 1]
    of_people = sum(clip.startswith(f"{PEOPLE}/") for clip in again)
    same = len({study.question for study in ladder.studies}) == 1 and ladder.studies[0].question
    asked = (
        "The question is the same in all studies (by its hash)."
        if same
        else "The question differs between studies, or is not known: compare them with care."
    )
    return (
        f"{counted(len(again), 'clip')} ({of_people} of people) were judged in more than one study"
        f" (by the hash of the file): judgements of earlier studies are reused for them. {asked}"
    )


def _time_section(ladder: LivingLadder) -> Section:
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for study, fit in zip(ladder.studies, ladder.single, strict=True):
        for agent in sorted(study.agents):
            estimate = relative(fit, agent, ladder.anchors, ladder.level)
            rows.append(
                (
                    agent,
                    study.name,
                    study.date,
                    len(set(study.judges)),
                    sum(agent in pair for pair in zip(study.first, study.second, strict=True)),
                    *estimate_cells(estimate),
                )
            )
    rows.sort(key=lambda row: (str(row[0]), str(row[2])))
    return LAYOUTS.section(
        "over_time",
        tables=(LAYOUTS.table("over_time", rows),),
        charts=(LAYOUTS.chart("over_time"),),
    )


def relative(fit: BradleyTerry, agent: str, anchors: Sequence[str], level: float) -> Estimate:
    """The log strength of an agent in one study, relative to the mean of the anchors."""
    method = "log strength relative to the anchors"
    known = [anchor for anchor in anchors if anchor in fit.items]
    if fit.spread is None or not known:
        reason = fit.reason or "no agent is in every study"
        return undefined(reason, method=method, n=fit.n, level=level)
    weights = np.zeros(len(fit.spread.values))
    for anchor in known:
        weights[fit.items.index(anchor)] -= 1 / len(known)
    weights[fit.items.index(agent)] += 1
    if not weights.any():
        return undefined(
            "it is the only anchor, and so the zero of the scale",
            method=method,
            n=fit.n,
            level=level,
        )
    return fit.spread.estimate(weights, n=fit.n, level=level, method=method)


def _drift_section(ladder: LivingLadder) -> Section:
    found = drift(ladder)
    adjusted = holm([test.p_value for *_, test in found])
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for (pair, earlier, later, clips, test), p_holm in zip(found, adjusted, strict=True):
        none = test.reason or "undefined"
        estimate = test.estimate or undefined(none, method=test.method, n=0, level=ladder.level)
        rows.append(
            (
                f"{in_words(pair[0])} against {in_words(pair[1])}",
                earlier.name,
                later.name,
                clips,
                *estimate_cells(estimate),
                number_or(test.p_value, none),
                number_or(p_holm, none),
            )
        )
    clear = [p for p in adjusted if p is not None and p < 1 - ladder.level]
    if not found:
        sentence = "Fewer than two anchors: whether judges changed cannot be tested."
    elif clear:
        sentence = (
            f"Judges differ between studies in {counted(len(clear), 'comparison')} of anchors"
            f" (smallest adjusted {p_equals(min(clear))}): places of agents that were in different"
            " studies are not safely comparable."
        )
    else:
        sentence = (
            f"No drift of judges is found in {counted(len(found), 'comparison')} of anchors between"
            " studies, by Holm's method. That does not show that there is none."
        )
    return LAYOUTS.section(
        "drift",
        findings=(Finding(outcome="drift", title="Drift of judges", sentence=sentence),),
        tables=(LAYOUTS.table("drift", rows),) if rows else (),
    )


#: Two anchors, an earlier and a later study, whose clips differ, and the test.
Drift = tuple[tuple[str, str], StudyChoices, StudyChoices, str, TestResult]


def drift(ladder: LivingLadder) -> list[Drift]:
    """Whether the difference of two anchors changed from each study to the next. If both studies
    show the same clips of the two, only judges can have changed, and the interval is over judges.
    """
    found: list[Drift] = []
    for at in range(len(ladder.studies) - 1):
        earlier, later = ladder.studies[at : at + 2]
        for pair in combinations(ladder.anchors, 2):
            same = all(_clips_of(earlier, name) == _clips_of(later, name) for name in pair)
            fits = [
                _fit((study,), ladder.level, by_clip=False) if same else ladder.single[at + number]
                for number, study in enumerate((earlier, later))
            ]
            test = strength_drift(fits[0], fits[1], *pair, level=ladder.level)
            found.append((pair, earlier, later, "the same" if same else "others", test))
    return found


def _clips_of(study: StudyChoices, agent: str) -> frozenset[str]:
    rows = zip(study.first, study.second, study.clips, strict=True)
    return frozenset(
        clip
        for first, second, pair in rows
        for name, clip in zip((first, second), pair, strict=True)
        if name == agent
    )

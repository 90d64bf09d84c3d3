"""The scale of all conditions: strengths and ranks, contrasts, and whether an agent is as human-like
as people.
"""

from __future__ import annotations

import numpy as np

from believable.analysis.claims import refuse
from believable.analysis.findings import (
    LOOSE_CELL,
    Direction,
    Finding,
    Section,
    Undefined,
    estimate_cells,
    number_or,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import (
    counted,
    estimate_words,
    in_words,
    interval_words,
    number,
    share,
)
from believable.protocols.ladder.pair_choices import Ladder
from believable.stats.equivalence import EquivalenceResult, as_test
from believable.stats.estimate import Estimate, undefined
from believable.stats.strength_contrasts import (
    StrengthContrast,
    StrengthRank,
    human_equivalence,
    lead_equivalence,
    strength_lead,
)

LAYOUTS = Layouts(__file__)


def strength_section(ladder: Ladder) -> Section:
    """Every condition on one scale, with the ranks it may have."""
    fit, judged = ladder.fit, ladder.choices
    ranks = {rank.item: rank for rank in ladder.ranks}
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for name in ladder.ordered():
        rank = ranks[name]
        counts = [
            int((scores == value).sum())
            for scores in (_scores(ladder, name),)
            for value in (1.0, 0.0, 0.5)
        ]
        none = Undefined(fit.reason or "no estimate")
        rows.append(
            (
                name,
                *(none if at is None else at for at in (rank.rank, rank.best, rank.worst)),
                *estimate_cells(refuse(fit.of(name), ladder.claim)),
                len(judged.clips_of(name)),
                sum(counts),
                *counts,
            )
        )
    paragraphs = [
        f"{counted(judged.judges, 'judge')} made {counted(len(judged), 'choice')} between two of"
        f" {counted(len(ladder.names), 'condition')}. {fit.method}.",
        _whom(ladder),
    ]
    if judged.unanswered:
        paragraphs.append(f"{counted(judged.unanswered, 'choice')} left open are not counted.")
    if judged.alike:
        paragraphs.append(
            f"{counted(judged.alike, 'choice')} between two clips of one condition are not counted."
        )
    paragraphs += [*((fit.reason,) if fit.reason else ()), *fit.notes]
    return LAYOUTS.section(
        "strength",
        paragraphs=paragraphs,
        findings=[_rank_finding(ladder, rank) for rank in ladder.ranks],
        tables=(LAYOUTS.table("strength", rows),),
        charts=(LAYOUTS.chart("strength"),),
    )


def _scores(ladder: Ladder, name: str) -> np.ndarray:
    judged = ladder.choices
    return np.concatenate(
        [judged.score[judged.first == name], 1 - judged.score[judged.second == name]]
    )


def _whom(ladder: Ladder) -> str:
    if ladder.claim.scope:
        return (
            f"Verdicts are about {ladder.claim.scope}, as the plan has it: other clips of the same"
            " agents may give others."
        )
    return "Verdicts are about the agents: intervals are over judges and clips."


def _rank_finding(ladder: Ladder, rank: StrengthRank) -> Finding:
    name, level, n = in_words(rank.item), ladder.plan.level, len(ladder.names)
    method = "rank, with the ranks that Holm's contrasts leave open"
    if rank.rank is None or rank.best is None or rank.worst is None:
        estimate = undefined(
            ladder.fit.reason or "no estimate", method=method, n=ladder.fit.n, level=level
        )
        words = f"{name} has no rank ({estimate.reason})."
    else:
        estimate = Estimate(
            value=float(rank.rank),
            low=float(rank.best),
            high=float(rank.worst),
            level=level,
            n=ladder.fit.n,
            method=method,
        )
        open_ranks = (
            f"rank {rank.best} is sure"
            if rank.best == rank.worst
            else f"ranks {rank.best} to {rank.worst} are possible"
        )
        words = f"{name} is in place {rank.rank} of {n}; {open_ranks}."
    refused = refuse(estimate, ladder.claim)
    return Finding(
        outcome="rank",
        title=f"Rank, {name}",
        sentence=words[:1].upper() + words[1:],
        estimate=refused,
        about=rank.item,
    )


def contrasts_section(ladder: Ladder) -> Section:
    """Every two conditions, with Holm's p values over all of them."""
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings: list[Finding] = []
    for contrast in ladder.contrasts:
        lead = refuse(
            strength_lead(ladder.fit, contrast.first, contrast.second, level=ladder.plan.level),
            ladder.claim,
        )
        rows.append(_contrast_row(ladder, contrast, lead))
        findings.append(_contrast_finding(ladder, contrast))
        if _leads(ladder, contrast):
            findings.append(_lead_finding(contrast, lead))
    findings += _claimed_equivalences(ladder)
    return LAYOUTS.section(
        "contrasts",
        findings=findings,
        tables=(LAYOUTS.table("contrasts", rows),),
        charts=(LAYOUTS.chart("contrasts"),),
    )


def _leads(ladder: Ladder, contrast: StrengthContrast) -> bool:
    """Whether a lead is put into words: a hypothesis names it, people take part, or there are only
    two.
    """
    about = _about(contrast)
    claimed = ladder.plan.hypotheses("lead", about)
    return bool(
        claimed or ladder.people in (contrast.first, contrast.second) or len(ladder.names) == 2
    )


def _about(contrast: StrengthContrast) -> str:
    return f"{contrast.first}-{contrast.second}"


def _contrast_row(
    ladder: Ladder, contrast: StrengthContrast, lead: Estimate
) -> tuple[LOOSE_CELL, ...]:
    test = refuse(contrast.test, ladder.claim)
    none = test.reason or "undefined"
    parts = _variance_parts(ladder, contrast)
    return (
        _about(contrast),
        *estimate_cells(refuse(contrast.difference, ladder.claim)),
        *estimate_cells(lead),
        number_or(test.statistic, none),
        number_or(test.df[0] if test.df and np.isfinite(test.df[0]) else None, none),
        number_or(test.p_value, none),
        number_or(None if test.p_value is None else contrast.p_adjusted, none),
        *parts,
    )


def _variance_parts(ladder: Ladder, contrast: StrengthContrast) -> tuple[LOOSE_CELL, ...]:
    """The shares of judges, clips and the rest in the variance of a contrast."""
    spread = ladder.fit.spread
    if spread is not None:
        weights = np.zeros(len(spread.values))
        weights[ladder.fit.items.index(contrast.first)] = 1
        weights[ladder.fit.items.index(contrast.second)] = -1
        parts = spread.shares(weights)
        if parts is not None:
            return parts
    return (Undefined("judges and clips are not both known, or the plan is about these clips"),) * 3


def _contrast_finding(ladder: Ladder, contrast: StrengthContrast) -> Finding:
    first, second = in_words(contrast.first), in_words(contrast.second)
    difference = refuse(contrast.difference, ladder.claim)
    parts = _variance_parts(ladder, contrast)
    split = (
        ""
        if isinstance(parts[0], Undefined)
        else " Its variance is made of "
        + f"judges ({share(float(str(parts[0])), 0)}), clips ({share(float(str(parts[1])), 0)}) and"
        f" the rest ({share(float(str(parts[2])), 0)})."
    )
    return Finding(
        outcome="strength",
        title=f"{first} against {second}",
        sentence=f"By all choices, the log strength of {first} differs from that of {second} by"
        f" {estimate_words(difference)}.{split}",
        estimate=difference,
        test=refuse(contrast.test, ladder.claim),
        about=_about(contrast),
        direction=Direction(
            0.0,
            f"{first} is taken for a person more often than {second}",
            f"{second} is taken for a person more often than {first}",
        ),
    )


def _lead_finding(contrast: StrengthContrast, lead: Estimate) -> Finding:
    first, second = in_words(contrast.first), in_words(contrast.second)
    return Finding(
        outcome="lead",
        title=f"Lead of {first} over {second}",
        sentence=f"Shown together, the lead of {first} over {second} is {estimate_words(lead)} of"
        " the choices.",
        estimate=lead,
        about=_about(contrast),
    )


def _equivalence(ladder: Ladder, first: str, second: str) -> EquivalenceResult:
    margin = float(ladder.plan.test_option("strength", "margin"))
    return human_equivalence(ladder.fit, first, second, margin=margin, alpha=ladder.plan.alpha)


def _equivalence_finding(ladder: Ladder, first: str, second: str) -> Finding:
    found, plan = _equivalence(ladder, first, second), ladder.plan
    margin = float(plan.test_option("strength", "margin"))
    stated = (
        "set in the plan"
        if plan.test_declared("strength", "margin")
        else "default, not set in the plan"
    )
    names = f"{in_words(first)} and {in_words(second)}"
    estimate = refuse(found.estimate, ladder.claim)
    return Finding(
        outcome="strength",
        title=f"Equivalence of {names}",
        sentence=f"The difference of log strengths of {names}, {number(estimate.value)}"
        f" ({interval_words(estimate)}), was compared with 0 within a margin of {margin:g}"
        f" ({stated}).",
        estimate=estimate,
        test=refuse(as_test(found), ladder.claim),
        about=f"{first}-{second}",
        kind="equivalence",
    )


def _claimed_equivalences(ladder: Ladder) -> list[Finding]:
    """Equivalence of two conditions that a hypothesis claims: in strength, unless one of them shows
    people, and in lead; of two conditions always.
    """
    found = []
    for first, second in ladder.pairs:
        about = f"{first}-{second}"
        if ladder.people not in (first, second) and _claims_equivalence(ladder, "strength", about):
            found.append(_equivalence_finding(ladder, first, second))
        if len(ladder.names) == 2 or _claims_equivalence(ladder, "lead", about):
            found.append(_lead_equivalence_finding(ladder, first, second))
    return found


def _claims_equivalence(ladder: Ladder, outcome: str, about: str) -> bool:
    claims = ladder.plan.hypotheses(outcome, about)
    return any(claim.criterion == "equivalent" for claim in claims)


def _lead_equivalence_finding(ladder: Ladder, first: str, second: str) -> Finding:
    plan = ladder.plan
    margin = float(plan.test_option("lead", "margin"))
    found = lead_equivalence(ladder.fit, first, second, margin=margin, alpha=plan.alpha)
    stated = "set in the plan" if plan.test_declared("lead", "margin") else "default, not set"
    estimate = refuse(found.estimate, ladder.claim)
    return Finding(
        outcome="lead",
        title=f"Equivalence of {in_words(first)} and {in_words(second)}",
        sentence=f"The lead of {in_words(first)} over {in_words(second)}, {number(estimate.value)}"
        f" ({interval_words(estimate)}), was compared with 0 within a margin of {margin:g}"
        f" ({stated}).",
        estimate=estimate,
        test=refuse(as_test(found), ladder.claim),
        about=f"{first}-{second}",
        kind="equivalence",
    )


def human_section(ladder: Ladder) -> Section | None:
    """Each agent against people: is it as human-like, within the margin?"""
    people = ladder.people
    if people is None:
        return None
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings: list[Finding] = []
    for first, second in ladder.pairs:
        if people not in (first, second):
            continue
        agent = second if first == people else first
        claimed = {claim.about for claim in ladder.plan.declared.hypotheses}
        sides = (people, agent) if f"{people}-{agent}" in claimed else (agent, people)
        found = _equivalence(ladder, agent, people)
        estimate = refuse(found.estimate, ladder.claim)
        p = refuse(as_test(found), ladder.claim)
        shown = p.p_value is not None and p.p_value < ladder.plan.alpha
        rows.append(
            (
                agent,
                *estimate_cells(estimate),
                number_or(p.p_value, p.reason or "undefined"),
                Undefined(p.reason or "undefined")
                if p.p_value is None
                else "as human-like as people"
                if shown
                else "not shown",
            )
        )
        findings.append(_equivalence_finding(ladder, *sides))
    margin = float(ladder.plan.test_option("strength", "margin"))
    return LAYOUTS.section(
        "human",
        findings=findings,
        tables=(LAYOUTS.table("human", rows, people=in_words(people), margin=margin),),
        charts=(LAYOUTS.chart("human", people=in_words(people), margin=margin, below=-margin),),
    )

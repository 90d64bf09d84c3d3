"""Controls: pairs of two people, which have no right answer, and pairs to different goals.

Judgements of two people are the baseline for judgements of a person and an agent: how far apart
people's clips are judged to be, and how certain judges are if there is no difference. Pairs to
different goals show the effect of matching goals.
"""

from __future__ import annotations

import numpy as np

from believable.analysis.findings import LOOSE_CELL, Finding, Section, Table, estimate_cells
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, estimate_words
from believable.analysis.settled_plan import Plan
from believable.protocols.hntt.navigation_judgements import (
    NavigationJudgements,
    agents,
    mismatched_pairs,
)
from believable.stats.bootstrap import bootstrap
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray

LAYOUTS = Layouts(__file__)

RESAMPLES = 1000


def controls_section(judged: NavigationJudgements, plan: Plan) -> Section | None:
    """None where the study has no control."""
    humans = plan.roles["human"]
    both = np.isin(judged.first.astype(str), humans) & np.isin(judged.second.astype(str), humans)
    elsewhere = mismatched_pairs(judged, plan)
    if not both.any() and not elsewhere.any():
        return None
    rng = np.random.default_rng([plan.seed, 16])
    tables: list[Table] = []
    findings: list[Finding] = []
    if both.any():
        apart = _apart_table(judged, both, elsewhere, plan, rng)
        tables += [apart, _pairs_table(judged.where(both), plan)]
        estimate = spread_of_pairs(judged.where(both), rng=rng, level=plan.level)
        if estimate.value is not None:
            findings.append(
                Finding(
                    outcome="controls",
                    title="People against people",
                    sentence=f"In {counted(len(set(judged.pair[both].tolist())), 'pair')} of two"
                    " people the shares of judges who chose one of them differ from one half by"
                    f" {estimate_words(estimate)} (SD over pairs, chance taken out).",
                    estimate=estimate,
                )
            )
    if elsewhere.any():
        rows, differing = _elsewhere(judged, elsewhere, plan, rng)
        findings += differing
        tables.append(LAYOUTS.table("mismatched", rows))
    return LAYOUTS.section("controls", findings=findings, tables=tables)


def spread_of_pairs(
    judged: NavigationJudgements, *, rng: np.random.Generator, level: float
) -> Estimate:
    """How far the share that chose one clip of a pair is from one half, as a standard deviation
    over pairs, without what few judges bring about by chance; the interval resamples judges.
    Undefined with fewer than two judges a pair.
    """
    method = "SD of pairs around one half, chance taken out; percentile bootstrap over judges"
    shown, chosen = _counts(judged)
    judges, pairs = shown.shape
    if judges < 2 or not pairs or shown.sum(0).min() < 2:
        return undefined("fewer than two judges of a pair", method=method, n=pairs, level=level)
    drawn = rng.multinomial(judges, np.full(judges, 1 / judges), size=RESAMPLES)
    low, high = np.quantile(
        _spread(drawn @ shown, drawn @ chosen), [(1 - level) / 2, (1 + level) / 2]
    ).tolist()
    value = float(_spread(shown.sum(0)[None], chosen.sum(0)[None])[0])
    return Estimate(value=value, low=low, high=high, level=level, n=pairs, method=method)


def _counts(judged: NavigationJudgements) -> tuple[FloatArray, FloatArray]:
    """Judges × pairs: shown, and the clip whose name is first in the alphabet was chosen."""
    names, pair = np.unique(judged.pair.astype(str), return_inverse=True)
    people, judge = np.unique(judged.judge, return_inverse=True)
    first = np.array([clips[0] < clips[1] for clips in judged.clips.tolist()], np.bool_)
    shown, chosen = np.zeros((len(people), len(names))), np.zeros((len(people), len(names)))
    np.add.at(shown, (judge, pair), 1.0)
    np.add.at(chosen, (judge, pair), (judged.chose_first == first).astype(np.float64))
    return shown, chosen


def _spread(shown: FloatArray, chosen: FloatArray) -> FloatArray:
    """For each row of counts. (p − ½)² − p(1 − p)/(n − 1) is what pairs differ by, free of bias."""
    enough = shown > 1
    share = np.divide(chosen, shown, out=np.full_like(shown, 0.5), where=enough)
    chance = np.divide(share * (1 - share), shown - 1, out=np.zeros_like(shown), where=enough)
    excess = np.where(enough, (share - 0.5) ** 2 - chance, 0.0).sum(1) / np.maximum(
        enough.sum(1), 1
    )
    root: FloatArray = np.sqrt(np.maximum(excess, 0.0))
    return root


def _apart_table(
    judged: NavigationJudgements,
    both: np.ndarray,
    elsewhere: np.ndarray,
    plan: Plan,
    rng: np.random.Generator,
) -> Table:
    rows: list[tuple[LOOSE_CELL, ...]] = []
    kinds = [("two people", both & ~elsewhere)]
    other = np.where(
        np.isin(judged.first.astype(str), plan.roles["human"]), judged.second, judged.first
    )
    kinds += [
        (f"a person and {agent.agent}", ~both & ~elsewhere & (other == agent.agent))
        for agent in agents(judged.where(~elsewhere), plan.roles["human"])
    ]
    for name, keep in kinds:
        part = judged.where(keep)
        known = ~np.isnan(part.uncertainty)
        unsure = part.uncertainty[known]
        certainty = (
            bootstrap(
                unsure,
                "mean",
                rng=rng,
                clusters=part.judge[known],
                resamples=RESAMPLES,
                level=plan.level,
            )
            if len(unsure) > 1
            else undefined(
                "nobody said how certain they were", method="mean", n=0, level=plan.level
            )
        )
        apart = spread_of_pairs(part, rng=rng, level=plan.level)
        rows.append(
            (
                name,
                len(set(part.pair.tolist())),
                len(part),
                *estimate_cells(apart),
                *estimate_cells(certainty),
            )
        )
    return LAYOUTS.table("controls", rows)


def _pairs_table(judged: NavigationJudgements, plan: Plan) -> Table:
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for pair in sorted(set(judged.pair.tolist())):
        part = judged.where(judged.pair == pair)
        shown, chosen = _counts(part)
        share = proportion(int(chosen.sum()), int(shown.sum()), level=plan.level)
        rows.append((str(part.scenario[0]), pair, share.n, *estimate_cells(share)))
    return LAYOUTS.table("people_pairs", rows)


def _elsewhere(
    judged: NavigationJudgements, elsewhere: np.ndarray, plan: Plan, rng: np.random.Generator
) -> tuple[list[tuple[LOOSE_CELL, ...]], list[Finding]]:
    """Within judges who saw both kinds of pairs."""
    humans = plan.roles["human"]
    same = {contest.agent: contest for contest in agents(judged.where(~elsewhere), humans)}
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings = []
    for contest in agents(judged.where(elsewhere), humans):
        if contest.agent not in same:
            continue
        same_goal, other_goal = (
            dict(zip(part.judges.tolist(), part.accuracy().tolist(), strict=True))
            for part in (same[contest.agent], contest)
        )
        judges = sorted(set(same_goal) & set(other_goal))
        values = np.array([[same_goal[judge], other_goal[judge]] for judge in judges]).reshape(
            -1, 2
        )
        estimates = [
            (
                bootstrap(column, "mean", rng=rng, resamples=RESAMPLES, level=plan.level)
                if len(judges) > 1
                else undefined(
                    "fewer than two judges saw both",
                    method="mean over judges",
                    n=len(judges),
                    level=plan.level,
                )
            )
            for column in (values[:, 0], values[:, 1], values[:, 0] - values[:, 1])
        ]
        rows.append(
            (
                contest.agent,
                len(judges),
                *(cell for estimate in estimates for cell in estimate_cells(estimate)),
            )
        )
        if estimates[2].value is not None:
            findings.append(
                Finding(
                    outcome="controls",
                    title=f"Different goals, {contest.agent}",
                    sentence=f"Accuracy against {contest.agent} is higher by"
                    f" {estimate_words(estimates[2])} if both go to the same goal than if they do"
                    " not.",
                    estimate=estimates[2],
                    about=contest.agent,
                )
            )
    return rows, findings

"""The verdict on one agent: is it distinguishable from people, is it equivalent to chance, and on
which answers does the verdict rest?
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from believable.analysis.claims import Claim, claim_of, refuse, split_words
from believable.analysis.findings import (
    LOOSE_CELL,
    Direction,
    Finding,
    Undefined,
    estimate_cells,
    number_or,
)
from believable.analysis.numbers import counted, estimate_words, in_words, interval_words, number
from believable.analysis.settled_plan import Plan
from believable.protocols.hntt.navigation_judgements import AgentContest
from believable.stats.crossed import Over, VarianceSplit, crossed_mean, variance_split
from believable.stats.crossed_contrasts import SHARES, crossed_share_test
from believable.stats.equivalence import EquivalenceResult, as_test, tost_estimate
from believable.stats.estimate import Estimate
from believable.stats.result import Alternative, TestResult

#: Judges whose numbers of trials differ by this factor are not alike.
UNEQUAL = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentVerdict:
    """The mean accuracy of the judges with the interval that decides, both tests on it, and the
    parts of its variance.
    """

    test: TestResult
    equivalence: EquivalenceResult
    split: VarianceSplit

    @property
    def mean(self) -> Estimate:
        if self.test.estimate is None:
            raise AssertionError("the test of an accuracy always has its mean")
        return self.test.estimate


def decide(
    correct: ArrayLike,
    judges: ArrayLike,
    pairs: ArrayLike,
    *,
    over: Over,
    chance: float = 0.5,
    margin: float = 0.1,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> AgentVerdict:
    """Both verdicts from one interval of the mean accuracy, over judges and pairs of clips, or over
    judges.

    correct     one entry per trial: was the human one chosen?
    Undefined   no trial; fewer than 2 judges or 2 pairs. If all trials are alike, the exact test
                takes the place of t.
    """
    values = np.asarray(correct, dtype=np.float64)
    test, same = compare_with_chance(
        values,
        judges,
        pairs,
        over=over,
        chance=chance,
        margin=margin,
        alpha=alpha,
        alternative=alternative,
    )
    return AgentVerdict(test=test, equivalence=same, split=variance_split(values, judges, pairs))


def compare_with_chance(
    values: ArrayLike,
    judges: ArrayLike,
    pairs: ArrayLike,
    *,
    over: Over,
    chance: float,
    margin: float,
    alpha: float,
    alternative: Alternative = "two-sided",
) -> tuple[TestResult, EquivalenceResult]:
    """Both tests of `decide`."""
    level = 1 - alpha
    mean = crossed_mean(values, judges, pairs, over=over, limits=SHARES, level=level)
    test = crossed_share_test(
        values,
        judges,
        pairs,
        null=chance,
        over=over,
        alternative=alternative,
        level=level,
        mean=mean,
    )
    same = tost_estimate(
        mean,
        low=chance - margin,
        high=chance + margin,
        alpha=alpha,
        method=f"TOST, t tests over judges{' and clips' if over == 'both' else ''}",
        limits=SHARES,
    )
    return test, same


def judge_agent(contest: AgentContest, plan: Plan) -> tuple[AgentVerdict, Claim]:
    """The verdict on an agent by the plan, and whom it is about. Too few pairs for the claim: no
    test, with the reason.
    """
    claim = claim_of(plan, contest.pair)
    verdict = decide(
        contest.correct,
        contest.judge,
        contest.pair.astype(str),
        over=plan.over,
        chance=float(plan.option("chance")),
        margin=float(plan.test_option("accuracy", "margin")),
        alpha=plan.alpha,
        alternative=plan.alternative("accuracy", contest.agent),
    )
    return (_refuse(verdict, claim) if claim.refusal else verdict), claim


def _refuse(verdict: AgentVerdict, claim: Claim) -> AgentVerdict:
    same = replace(
        verdict.equivalence,
        estimate=refuse(verdict.equivalence.estimate, claim),
        reason=claim.refusal,
    )
    return replace(
        verdict,
        test=refuse(verdict.test, claim),
        equivalence=replace(same, p_value=None, p_low=None, p_high=None),
    )


def verdict_findings(contest: AgentContest, plan: Plan) -> list[Finding]:
    """The difference from chance, with its direction, and equivalence with it."""
    verdict, claim = judge_agent(contest, plan)
    chance, margin = float(plan.option("chance")), float(plan.test_option("accuracy", "margin"))
    stated = (
        "set in the plan"
        if plan.test_declared("accuracy", "margin")
        else "default, not set in the plan"
    )
    agent, same = in_words(contest.agent), verdict.equivalence.estimate
    judges = counted(len(contest.judges), "judge")
    parts = split_words(verdict.split)
    measured = (
        f"{judges} chose the human over {agent} in a mean share of {estimate_words(verdict.mean)}"
        " of their trials."
    )
    compared = (
        f"The mean accuracy against {agent}, {number(same.value)} ({interval_words(same)}), was"
        f" compared with {chance:g} within a margin of {margin:g} ({stated})."
    )
    return [
        Finding(
            outcome="accuracy",
            title=f"Accuracy, {agent}",
            sentence=" ".join(claim.limit(sentence) for sentence in (measured, parts)),
            estimate=verdict.mean,
            test=verdict.test,
            about=contest.agent,
            direction=Direction(
                chance,
                f"judges tell {agent} from people",
                f"{agent} is taken for the human more often than the human",
            ),
            scope=claim.scope,
        ),
        Finding(
            outcome="accuracy",
            title=f"Equivalence with chance, {agent}",
            sentence=" ".join(claim.limit(sentence) for sentence in (compared, parts)),
            estimate=same,
            test=as_test(verdict.equivalence),
            about=contest.agent,
            kind="equivalence",
            scope=claim.scope,
        ),
    ]


def decision_row(contest: AgentContest, plan: Plan) -> tuple[LOOSE_CELL, ...]:
    """A row of the table `decision`."""
    verdict, claim = judge_agent(contest, plan)
    test, same = verdict.test, verdict.equivalence
    none = test.reason or "undefined"
    return (
        contest.agent,
        claim.scope or claim.subject,
        len(contest.judges),
        claim.n_clips,
        *estimate_cells(verdict.mean),
        number_or(
            test.statistic if test.symbol == "t" else None,
            none if test.statistic is None else "an exact test has none",
        ),
        number_or(
            test.df[0] if test.df else None,
            none if test.statistic is None else "an exact test has none",
        ),
        number_or(test.p_value, none),
        number_or(same.p_value, same.reason or none),
    )


def split_row(contest: AgentContest, plan: Plan) -> tuple[LOOSE_CELL, ...]:
    """A row of the table `variance`: standard deviations of single judgements, shares of the
    variance of the mean.
    """
    split = judge_agent(contest, plan)[0].split
    why = Undefined(split.reason or "there is no variance")
    parts = (split.judges, split.clips, split.rest)
    return (
        contest.agent,
        *(why if part is None else float(part**0.5) for part in parts),
        *(why if part is None else part for part in split.shares or (None,) * 3),
    )


def averages(contest: AgentContest) -> tuple[tuple[LOOSE_CELL, ...], str] | None:
    """A row of the table `averages` and a sentence, if judges have so different numbers of trials
    that averages differ.
    """
    accuracy, trials = contest.accuracy(), np.bincount(contest.judge)[contest.judges]
    if not len(trials) or trials.max() < UNEQUAL * trials.min():
        return None
    mean, median, pooled = (
        float(accuracy.mean()),
        float(np.median(accuracy)),
        float(contest.correct.mean()),
    )
    least, most = int(trials.min()), int(trials.max())
    sentence = (
        f"Judges of {contest.agent} have different numbers of trials, from {least} to {most}. The"
        f" mean over judges, in which each judge counts alike, is {number(mean)} and decides; the"
        f" median over judges is {number(median)}; pooled, with each trial counting alike, accuracy"
        f" is {number(pooled)}."
    )
    return (contest.agent, len(trials), least, most, mean, median, pooled), sentence

"""`hntt`: which of two navigates more like a human? The pass criterion, its robustness, and what it can and cannot show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import LOOSE_CELL, Finding, Section, Undefined, estimate_cells, number_or
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, estimate_words, in_words, integer, interval_words, level_words, listed, number
from believable.analysis.procedure import Verb
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.settled_plan import Plan
from believable.protocols.hntt import DECLARATION
from believable.protocols.hntt.clip_behaviour import behaviour_section
from believable.protocols.hntt.control_pairs import controls_section
from believable.protocols.hntt.navigation_judgements import (
    AgentContest,
    NavigationJudgements,
    against_chance,
    agents,
    as_test,
    clustered,
    compared,
    equivalence,
    first_shares,
    judgements,
    mean_accuracy,
    pass_verdict,
    subsampled,
)
from believable.protocols.hntt.navigation_judges import (
    agents_section,
    familiarity_section,
    groups_section,
    strength_section,
    uncertainty_section,
)
from believable.protocols.hntt.navigation_reasons import reasons_sections
from believable.protocols.hntt.pass_chances import criterion_section, planned
from believable.stats.bootstrap import median_interval
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate
from believable.stats.indices import HnttVerdict
from believable.stats.result import TestResult

LAYOUTS = Layouts(__file__)


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """The sections, in the order of the report."""
    judged = compared(data, plan)
    contests = agents(judged, plan.roles["human"])
    if not contests:
        return (accuracy_section(contests, plan, rng),)
    familiar = data.has("familiarity_game") or data.has("familiarity_genre")
    strength = strength_section(data, judged, plan, rng)
    largest = max(contests, key=lambda contest: len(contest.accuracy()))
    # A source of chance of its own: what is simulated here changes no other number.
    criterion = criterion_section(
        plan, len(largest.accuracy()), len(set(largest.pair.tolist())), np.random.default_rng(plan.seed)
    )
    between = agents_section(data, judged, contests, plan), groups_section(data, judged, contests, plan)
    return (
        accuracy_section(contests, plan, rng),
        robustness_section(contests, plan, rng),
        pairs_section(judged, contests, plan),
        *(() if criterion is None else (criterion,)),
        *(section for section in (controls_section(judgements(data), plan), behaviour_section(data, plan)) if section),
        *((uncertainty_section(contests, plan),) if data.has("certainty") else ()),
        *((familiarity_section(data, contests, plan),) if familiar else ()),
        *((strength,) if strength is not None else ()),
        *(section for section in between if section is not None),
        *reasons_sections(data, contests, plan),
    )


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """The main outcomes of the first agent (by name): mean accuracy, its test, equivalence, medians, the published interval."""
    contests = agents(compared(data, plan), plan.roles["human"])
    if not contests:
        return {}
    contest = contests[0]
    accuracy, chance = contest.accuracy(), float(plan.option("chance"))
    margin = float(plan.test_option("accuracy", "margin"))
    results: dict[str, Estimate | TestResult] = {
        "accuracy": mean_accuracy(accuracy, level=plan.level),
        "accuracy_test": against_chance(accuracy, chance=chance, level=plan.level),
        "equivalence": as_test(equivalence(accuracy, chance=chance, margin=margin, alpha=plan.alpha)),
        "median_accuracy": median_interval(accuracy, level=plan.level),
        "median_accuracy_bootstrap": pass_verdict(accuracy, plan, rng).median,
    }
    uncertainty = contest.mean_uncertainty()
    if len(uncertainty):
        results["uncertainty"] = median_interval(uncertainty, level=plan.level)
    return results


def methods(data: Data, plan: Plan, verb: Verb) -> str:
    """The protocol's part of the methods."""
    chance, level = plan.option("chance"), level_words(plan.level)
    return LAYOUTS.paragraph("methods.md", verb=verb, level=level, integer=integer, plan=plan, chance=chance)


ANALYSIS = ProtocolAnalysis(DECLARATION, analyse, main, methods, planned=planned)


def accuracy_section(contests: Sequence[AgentContest], plan: Plan, rng: np.random.Generator) -> Section:
    """The published table and verdict, the test against chance and the equivalence test."""
    rows, charted, findings = [], [], []
    for contest in contests:
        accuracy = contest.accuracy()
        verdict = pass_verdict(accuracy, plan, rng)
        mean = mean_accuracy(accuracy, level=plan.level)
        exact = median_interval(accuracy, level=plan.level)
        rows.append(
            (
                contest.agent,
                len(accuracy),
                len(contest.correct),
                *estimate_cells(mean),
                number_or(float(accuracy.std(ddof=1)) if len(accuracy) > 1 else None, "one judge has no spread"),
                *estimate_cells(verdict.median),
                verdict.quartile_low,
                verdict.quartile_high,
                Undefined("no interval") if verdict.passes is None else "passes" if verdict.passes else "does not pass",
                *(
                    Undefined("too few judges for an exact interval") if bound is None or np.isinf(bound) else bound
                    for bound in (exact.low, exact.high)
                ),
            )
        )
        shares, counts = np.unique(accuracy, return_counts=True)
        charted += [
            (contest.agent, number(float(share)), float(share), int(count)) for share, count in zip(shares, counts, strict=True)
        ]
        findings += _findings(contest, verdict, plan)
    chance = float(plan.option("chance"))
    main = LAYOUTS.table("accuracy", rows, chance=chance)
    spread = LAYOUTS.table("accuracy_judges", charted)
    charts = (LAYOUTS.chart("accuracy", chance=chance), LAYOUTS.chart("accuracy_judges"))
    return LAYOUTS.section("accuracy", paragraphs=(_question(contests),), findings=findings, tables=(main, spread), charts=charts)


def _question(contests: Sequence[AgentContest]) -> str:
    if not contests:
        return "No judgement of a human against an agent is left: there is nothing to say."
    names = listed([contest.agent for contest in contests])
    return f"Judges saw a human and an agent side by side and chose the one that is more like a human. Agents: {names}."


def _findings(contest: AgentContest, verdict: HnttVerdict, plan: Plan) -> list[Finding]:
    accuracy, chance = contest.accuracy(), float(plan.option("chance"))
    test = against_chance(accuracy, chance=chance, alternative=plan.alternative("accuracy", contest.agent), level=plan.level)
    margin = float(plan.test_option("accuracy", "margin"))
    same = equivalence(accuracy, chance=chance, margin=margin, alpha=plan.alpha)
    stated = "set in the plan" if plan.test_declared("accuracy", "margin") else "default, not set in the plan"
    mean = test.estimate
    words = "undefined" if mean is None else estimate_words(mean)
    agent = in_words(contest.agent)
    passing = {
        True: f"The interval contains {chance:g}: the agent passes by the published criterion, which does not by itself show that"
        " people cannot tell the two apart.",
        False: f"The interval does not contain {chance:g}: the agent does not pass by the published criterion.",
        None: "",
    }[verdict.passes]
    return [
        Finding(
            "accuracy",
            f"Accuracy, {agent}",
            f"{counted(len(accuracy), 'judge')} chose the human over {agent} in a mean share of {words} of their trials.",
            mean,
            test,
            about=contest.agent,
        ),
        Finding(
            "accuracy",
            f"Equivalence with chance, {agent}",
            f"The mean accuracy against {agent}, {number(same.estimate.value)} ({interval_words(same.estimate)}), was compared"
            f" with {chance:g} within a margin of {margin:g} ({stated}).",
            same.estimate,
            as_test(same),
            about=contest.agent,
            kind="equivalence",
        ),
        Finding(
            "median_accuracy",
            f"Published criterion, {agent}",
            f"The median accuracy against {agent} is {estimate_words(verdict.median)}.",
            verdict.median,
            about=contest.agent,
            conclusion=passing,
        ),
    ]


def robustness_section(contests: Sequence[AgentContest], plan: Plan, rng: np.random.Generator) -> Section:
    """Would other judges, other clips or fewer judges have told the same?"""
    subsamples: list[tuple[LOOSE_CELL, ...]] = []
    intervals: list[tuple[LOOSE_CELL, ...]] = []
    for contest in contests:
        accuracy = contest.accuracy()
        fewer = subsampled(accuracy, plan, rng)
        if isinstance(fewer, str):
            subsamples.append((contest.agent, plan.option("subsample"), plan.option("subsamples"), *[Undefined(fewer)] * 7))
        else:
            spreads = fewer.variance_median, fewer.variance_low, fewer.variance_high
            subsamples.append(
                (
                    contest.agent,
                    fewer.n,
                    fewer.repeats,
                    fewer.passed,
                    fewer.mean_median,
                    fewer.mean_low,
                    fewer.mean_high,
                    *(number_or(variance, "one subsample has no spread") for variance in spreads),
                )
            )
        by = clustered(contest, rng=rng, resamples=int(plan.option("resamples")), level=plan.level)
        for unit, estimate in (("judges", by.judges), ("pairs of clips", by.clips), ("judges and pairs", by.both)):
            intervals.append((contest.agent, unit, estimate.n, *estimate_cells(estimate), estimate.method))
    return LAYOUTS.section(
        "robustness",
        tables=(LAYOUTS.table("clustered", intervals), LAYOUTS.table("subsampling", subsamples)),
        charts=(LAYOUTS.chart("clustered", chance=plan.option("chance")),),
    )


def pairs_section(judged: NavigationJudgements, contests: Sequence[AgentContest], plan: Plan) -> Section:
    """Pair by pair, and whether one side of the screen was preferred."""
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for contest in contests:
        for pair in sorted(set(contest.pair.tolist())):
            own = contest.pair == pair
            share = proportion(int(contest.correct[own].sum()), int(own.sum()), level=plan.level)
            known = contest.uncertainty[own & ~np.isnan(contest.uncertainty)]
            mean = number_or(float(known.mean()) if len(known) else None, "nobody said how certain they were")
            rows.append((contest.agent, str(contest.scenario[own][0]), pair, int(own.sum()), *estimate_cells(share), mean))
    findings, paragraphs = _side_preference(judged, plan)
    if judged.undecided:
        paragraphs.append(f"{counted(judged.undecided, 'choice')} named neither or were left open, and are not counted.")
    return LAYOUTS.section(
        "pairs",
        paragraphs=paragraphs,
        findings=findings,
        tables=(LAYOUTS.table("pairs", rows),),
        charts=(LAYOUTS.chart("pairs", chance=plan.option("chance")),),
    )


def _side_preference(judged: NavigationJudgements, plan: Plan) -> tuple[list[Finding], list[str]]:
    """Test whether judges preferred one side. Judges are the units, because the choices of one judge may depend on each other."""
    known = int(judged.side_known.sum())
    paragraphs = []
    if known < len(judged):
        paragraphs.append(
            f"The sides of {counted(len(judged) - known, 'trial')} are not known. They say nothing about a preference for a side."
        )
    if not known:
        return [], paragraphs
    test = against_chance(first_shares(judged), level=plan.level)
    share = "" if test.estimate is None else f": a mean share of {estimate_words(test.estimate)} over judges"
    first = int(judged.chose_first[judged.side_known].sum())
    sentence = f"Player A (left) was chosen in {first} of {counted(known, 'trial')}{share}."
    return [Finding("side", "Side of the screen", sentence, test.estimate, test)], paragraphs

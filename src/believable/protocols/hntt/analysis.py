"""`hntt`: which of two navigates more like a human? The pass criterion, its robustness, and the
limits of its claim.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from believable.analysis.claims import claim_of, limit_section, name_clips
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
from believable.analysis.numbers import (
    counted,
    estimate_words,
    in_words,
    integer,
    level_words,
    listed,
    number,
)
from believable.analysis.procedure import Verb
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.settled_plan import Plan
from believable.protocols.hntt import DECLARATION
from believable.protocols.hntt.agent_verdict import (
    averages,
    decision_row,
    judge_agent,
    split_row,
    verdict_findings,
)
from believable.protocols.hntt.clip_behaviour import behaviour_section
from believable.protocols.hntt.control_pairs import controls_section
from believable.protocols.hntt.navigation_judgements import (
    AgentContest,
    NavigationJudgements,
    agents,
    clustered_accuracy,
    comparable_pairs,
    judgements,
    pass_verdict,
    subsample_verdicts,
)
from believable.protocols.hntt.navigation_judges import (
    agents_section,
    familiarity_section,
    groups_section,
    strength_section,
    uncertainty_section,
)
from believable.protocols.hntt.navigation_reasons import reasons_sections
from believable.protocols.hntt.pass_chances import criterion_section, planned_sizes
from believable.stats.bootstrap import median_interval
from believable.stats.counts import proportion
from believable.stats.crossed_contrasts import crossed_share_test
from believable.stats.equivalence import as_test
from believable.stats.estimate import Estimate
from believable.stats.indices import HnttVerdict
from believable.stats.result import TestResult

LAYOUTS = Layouts(__file__)

NO_WIDTH = "the interval of the median has no width"


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """The sections, in the order of the report."""
    judged = comparable_pairs(data, plan)
    contests = agents(judged, plan.roles["human"])
    if not contests:
        return (accuracy_section(contests, plan, rng),)
    familiar = data.has("familiarity_game") or data.has("familiarity_genre")
    strength = strength_section(data, judged, plan, rng)
    largest = max(contests, key=lambda contest: len(contest.accuracy()))
    # A separate random generator: the simulations here change no other number.
    criterion = criterion_section(
        plan,
        len(largest.accuracy()),
        len(set(largest.pair.tolist())),
        np.random.default_rng(plan.seed),
    )
    between = (
        agents_section(data, judged, contests, plan),
        groups_section(data, judged, contests, plan),
    )
    sections = (
        accuracy_section(contests, plan, rng),
        robustness_section(contests, plan, rng),
        pairs_section(judged, contests, plan),
        *(() if criterion is None else (criterion,)),
        *(
            section
            for section in (controls_section(judgements(data), plan), behaviour_section(data, plan))
            if section
        ),
        *((uncertainty_section(contests, plan),) if data.has("certainty") else ()),
        *((familiarity_section(data, contests, plan),) if familiar else ()),
        *((strength,) if strength is not None else ()),
        *(section for section in between if section is not None),
        *reasons_sections(data, contests, plan),
    )
    claim = claim_of(plan, judged.pair)
    return tuple(limit_section(section, claim) for section in sections)


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """The main outcomes of the first agent (by name): mean accuracy, its test, equivalence,
    medians, the published interval.
    """
    contests = agents(comparable_pairs(data, plan), plan.roles["human"])
    if not contests:
        return {}
    contest = contests[0]
    accuracy, verdict = contest.accuracy(), judge_agent(contest, plan)[0]
    results: dict[str, Estimate | TestResult] = {
        "accuracy": verdict.mean,
        "accuracy_test": verdict.test,
        "equivalence": as_test(verdict.equivalence),
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
    return LAYOUTS.paragraph(
        "methods.md", verb=verb, level=level, integer=integer, plan=plan, chance=chance
    )


ANALYSIS = ProtocolAnalysis(
    declaration=DECLARATION, analyse=analyse, main=main, methods=methods, planned=planned_sizes
)


def accuracy_section(
    contests: Sequence[AgentContest], plan: Plan, rng: np.random.Generator
) -> Section:
    """The published table and verdict, the test against chance and the equivalence test."""
    rows, charted, findings = [], [], []
    for contest in contests:
        accuracy = contest.accuracy()
        verdict = pass_verdict(accuracy, plan, rng)
        mean = judge_agent(contest, plan)[0].mean
        exact = median_interval(accuracy, level=plan.level)
        rows.append(
            (
                contest.agent,
                len(accuracy),
                len(contest.correct),
                *estimate_cells(mean),
                number_or(
                    float(accuracy.std(ddof=1)) if len(accuracy) > 1 else None,
                    "one judge has no spread",
                ),
                *estimate_cells(verdict.median),
                verdict.quartile_low,
                verdict.quartile_high,
                criterion_cell(verdict),
                *(
                    (
                        Undefined("too few judges for an exact interval")
                        if bound is None or np.isinf(bound)
                        else bound
                    )
                    for bound in (exact.low, exact.high)
                ),
            )
        )
        shares, counts = np.unique(accuracy, return_counts=True)
        charted += [
            (contest.agent, number(float(share)), float(share), int(count))
            for share, count in zip(shares, counts, strict=True)
        ]
        findings += [*verdict_findings(contest, plan), criterion_finding(contest, verdict)]
    chance = float(plan.option("chance"))
    main = LAYOUTS.table("accuracy", rows, chance=chance)
    spread = LAYOUTS.table("accuracy_judges", charted)
    charts = (LAYOUTS.chart("accuracy", chance=chance), LAYOUTS.chart("accuracy_judges"))
    unequal = [found for found in map(averages, contests) if found is not None]
    tables = (
        main,
        LAYOUTS.table(
            "decision", [decision_row(contest, plan) for contest in contests], chance=chance
        ),
        LAYOUTS.table("variance", [split_row(contest, plan) for contest in contests]),
        *((LAYOUTS.table("averages", [row for row, _ in unequal]),) if unequal else ()),
        spread,
    )
    paragraphs = (
        _question(contests),
        *_whom(contests, plan),
        *(sentence for _, sentence in unequal),
    )
    return LAYOUTS.section(
        "accuracy", paragraphs=paragraphs, findings=findings, tables=tables, charts=charts
    )


def _whom(contests: Sequence[AgentContest], plan: Plan) -> tuple[str, ...]:
    """Whom the verdicts are about."""
    if not contests:
        return ()
    if plan.over == "judges":
        shown = name_clips(len({pair for contest in contests for pair in contest.pair.tolist()}))
        return (
            (
                f"Verdicts are about {shown}, as the plan has it: other clips of the same agents"
                " may give others."
            ),
        )
    return (
        (
            "Verdicts are about the agent: the interval over judges and clips (pairs of recordings)"
            " decides. The published criterion is over judges, so that it speaks of these clips"
            " only."
        ),
    )


def _question(contests: Sequence[AgentContest]) -> str:
    if not contests:
        return "No judgement of a human against an agent is left: there is nothing to say."
    names = listed([contest.agent for contest in contests])
    return (
        "Judges saw a human and an agent side by side and chose the one that is more like a human."
        f" Agents: {names}."
    )


def criterion_cell(verdict: HnttVerdict) -> LOOSE_CELL:
    """The published criterion in a table, with its direction."""
    if verdict.passes is None:
        return Undefined("no interval" if verdict.median.low is None else NO_WIDTH)
    if verdict.passes:
        return "passes"
    return "told from people" if verdict.above else "taken for the human more often than the human"


def criterion_finding(contest: AgentContest, verdict: HnttVerdict) -> Finding:
    """The published criterion, as published: over judges, so that it speaks of these clips only."""
    agent, scope = in_words(contest.agent), name_clips(len(set(contest.pair.tolist())))
    chance = f"{verdict.chance:g}"
    if verdict.passes is None:
        conclusion = (
            ""
            if verdict.median.low is None
            else f"There is no verdict by the published criterion: {NO_WIDTH}."
        )
    elif verdict.passes:
        conclusion = (
            f"The interval contains {chance}: the agent passes by the published criterion, which"
            " does not by itself show that people cannot tell the two apart."
        )
    elif verdict.above:
        conclusion = (
            f"The interval lies above {chance}: the agent does not pass by the published criterion,"
            " judges tell it from people."
        )
    else:
        conclusion = (
            f"The interval lies below {chance}: the agent is taken for the human more often than"
            " the human."
        )
    return Finding(
        outcome="median_accuracy",
        title=f"Published criterion, {agent}",
        sentence=f"For {scope}: The median accuracy against {agent} is"
        f" {estimate_words(verdict.median)}.",
        estimate=verdict.median,
        about=contest.agent,
        conclusion=conclusion,
        scope=scope,
    )


def robustness_section(
    contests: Sequence[AgentContest], plan: Plan, rng: np.random.Generator
) -> Section:
    """Would other judges, other clips or fewer judges have given the same result?"""
    subsamples: list[tuple[LOOSE_CELL, ...]] = []
    intervals: list[tuple[LOOSE_CELL, ...]] = []
    for contest in contests:
        accuracy = contest.accuracy()
        fewer = subsample_verdicts(accuracy, plan, rng)
        if isinstance(fewer, str):
            subsamples.append(
                (
                    contest.agent,
                    plan.option("subsample"),
                    plan.option("subsamples"),
                    *[Undefined(fewer)] * 7,
                )
            )
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
        by = clustered_accuracy(
            contest, rng=rng, resamples=int(plan.option("resamples")), level=plan.level
        )
        for unit, estimate in (
            ("judges", by.judges),
            ("pairs of clips", by.clips),
            ("judges and pairs", by.both),
        ):
            intervals.append(
                (contest.agent, unit, estimate.n, *estimate_cells(estimate), estimate.method)
            )
    return LAYOUTS.section(
        "robustness",
        tables=(LAYOUTS.table("clustered", intervals), LAYOUTS.table("subsampling", subsamples)),
        charts=(LAYOUTS.chart("clustered", chance=plan.option("chance")),),
    )


def pairs_section(
    judged: NavigationJudgements, contests: Sequence[AgentContest], plan: Plan
) -> Section:
    """Pair by pair, and whether one side of the screen was preferred."""
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for contest in contests:
        for pair in sorted(set(contest.pair.tolist())):
            own = contest.pair == pair
            share = proportion(int(contest.correct[own].sum()), int(own.sum()), level=plan.level)
            known = contest.uncertainty[own & ~np.isnan(contest.uncertainty)]
            mean = number_or(
                float(known.mean()) if len(known) else None, "nobody said how certain they were"
            )
            rows.append(
                (
                    contest.agent,
                    str(contest.scenario[own][0]),
                    pair,
                    int(own.sum()),
                    *estimate_cells(share),
                    mean,
                )
            )
    findings, paragraphs = _side_preference(judged, plan)
    if judged.undecided:
        paragraphs.append(
            f"{counted(judged.undecided, 'choice')} named neither or were left open, and are not"
            " counted."
        )
    return LAYOUTS.section(
        "pairs",
        paragraphs=paragraphs,
        findings=findings,
        tables=(LAYOUTS.table("pairs", rows),),
        charts=(LAYOUTS.chart("pairs", chance=plan.option("chance")),),
    )


def _side_preference(judged: NavigationJudgements, plan: Plan) -> tuple[list[Finding], list[str]]:
    """Test whether judges preferred one side. Judges are the units, because the choices of one
    judge may depend on each other.
    """
    known = int(judged.side_known.sum())
    paragraphs = []
    if known < len(judged):
        paragraphs.append(
            f"The sides of {counted(len(judged) - known, 'trial')} are not known. They say nothing"
            " about a preference for a side."
        )
    if not known:
        return [], paragraphs
    own = judged.side_known
    pairs = judged.pair[own].astype(str)
    test = crossed_share_test(
        judged.chose_first[own], judged.judge[own], pairs, over="judges", level=plan.level
    )
    share = (
        ""
        if test.estimate is None
        else f": a mean share of {estimate_words(test.estimate)} over judges"
    )
    first = int(judged.chose_first[judged.side_known].sum())
    sentence = f"Player A (left) was chosen in {first} of {counted(known, 'trial')}{share}."
    return [
        Finding(
            outcome="side",
            title="Side of the screen",
            sentence=sentence,
            estimate=test.estimate,
            test=test,
        )
    ], paragraphs

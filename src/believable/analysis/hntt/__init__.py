"""`hntt`: which of two navigates more like a human? Accuracy of judges, the pass criterion, and what it can and cannot show."""

from __future__ import annotations

import numpy as np

from believable.analysis.data import Data
from believable.analysis.hntt import measures, sections
from believable.analysis.hntt.groups import agents_section, groups_section
from believable.analysis.hntt.judgements import agents, judgements
from believable.analysis.hntt.judges import familiarity_section, uncertainty_section
from believable.analysis.hntt.reasons import reasons_sections
from believable.analysis.hntt.scale import strength_section
from believable.analysis.plan import Plan
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.records import Section
from believable.analysis.words import level_words
from believable.stats.estimate import Estimate
from believable.stats.resample import median_interval
from believable.stats.result import TestResult
from believable.study.declarations.hntt import HNTT

ROLES = HNTT.roles
OUTCOMES = HNTT.outcomes
OPTIONS = HNTT.options


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """The sections, in the order of the report."""
    judged = judgements(data)
    found = agents(judged, plan.roles["human"])
    if not found:
        return (sections.accuracy_section(found, plan, rng),)
    strength = strength_section(data, judged, plan, rng)
    between = agents_section(data, judged, found, plan), groups_section(data, judged, found, plan)
    return (
        sections.accuracy_section(found, plan, rng),
        sections.robustness_section(found, plan, rng),
        sections.pairs_section(judged, found, plan),
        *((uncertainty_section(found, plan),) if data.has("certainty") else ()),
        *((familiarity_section(data, found, plan),) if _familiarity(data) else ()),
        *((strength,) if strength is not None else ()),
        *(one for one in between if one is not None),
        *reasons_sections(data, found, plan),
    )


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """The main outcomes of the first agent (by name): mean accuracy, its test, equivalence, medians, the published interval."""
    found = agents(judgements(data), plan.roles["human"])
    if not found:
        return {}
    one = found[0]
    accuracy, chance = one.accuracy(), float(plan.option("chance"))
    margin = float(plan.test_option("accuracy", "margin"))
    results: dict[str, Estimate | TestResult] = {
        "accuracy": measures.mean_accuracy(accuracy, level=plan.level),
        "accuracy_test": measures.against_chance(accuracy, chance=chance, level=plan.level),
        "equivalence": measures.as_test(
            measures.equivalence(accuracy, chance=chance, margin=margin, alpha=plan.alpha)
        ),
        "median_accuracy": median_interval(accuracy, level=plan.level),
        "median_accuracy_bootstrap": measures.verdict(accuracy, plan, rng).median,
    }
    uncertainty = one.mean_uncertainty()
    if len(uncertainty):
        results["uncertainty"] = median_interval(uncertainty, level=plan.level)
    return results


def methods(data: Data, plan: Plan) -> str:
    """The protocol's part of the methods paragraph."""
    chance, level = plan.option("chance"), level_words(plan.level)
    return (
        "Judges saw pairs of a human and an agent side by side, sides and order drawn anew for each judge, and chose the"
        " one that is"
        " more like a human, with a reason and their certainty. A judge's accuracy is the share of trials in which the"
        " human one was"
        f" chosen. The median accuracy has a {level} percentile bootstrap interval over judges ({plan.option('resamples'):,}"
        f" resamples); an agent passes if it contains {chance:g}. The mean accuracy is tested against {chance:g} by a"
        " one-sample t test"
        f" over judges, and for equivalence with it by two one-sided tests with a margin of"
        f" {plan.test_option('accuracy', 'margin'):g}. Intervals are also given for new judges, new pairs of clips, and both."
    )


def _familiarity(data: Data) -> bool:
    return data.has("familiarity_game") or data.has("familiarity_genre")


PROTOCOL = ProtocolAnalysis(HNTT, analyse, main, methods)

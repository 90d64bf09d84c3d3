"""`clips`: human or artificial? Indices weighted by experience, recall and precision, signal detection."""

from __future__ import annotations

import numpy as np

from believable.analysis.clips import measures, sections
from believable.analysis.clips.ratings import compositions, incomplete, ratings
from believable.analysis.data import Data
from believable.analysis.plan import Plan
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.records import Section
from believable.analysis.words import level_words, listed
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult
from believable.study.declarations.clips import CLIPS, TYPES

ROLES = CLIPS.roles
OUTCOMES = CLIPS.outcomes
OPTIONS = CLIPS.options


def clean(data: Data, plan: Plan) -> Data:
    """Incomplete responses are discarded and counted."""
    return data.without(
        incomplete(data, plan),
        reason="incomplete_response",
        title="Complete responses",
        words="a rating or the experience is missing",
    )


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """The sections, in the order of the report."""
    found = ratings(data, plan)
    if not len(found.rating):
        return (
            Section(
                "indices", "Believability and confidence", ("No rating is left: there is nothing to say.",)
            ),
        )
    detection = sections.detection_section(found, plan, rng)
    return (
        sections.index_section(found, plan, rng),
        sections.recall_section(found, plan),
        sections.experience_section(found, plan),
        *((detection,) if detection is not None else ()),
        sections.clips_section(data, found, plan),
    )


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """Indices of the types shown, their contrasts with human, the confidence index and recall."""
    found = ratings(data, plan)
    given = measures.weighted(found)
    resamples = int(plan.option("resamples"))
    results: dict[str, Estimate | TestResult] = {}
    for type_ in found.types:
        results[f"believability.{type_}"] = measures.believability(
            given, type_, rng=rng, resamples=resamples, level=plan.level
        )
        results[f"recall.{type_}"] = measures.recall(found, type_, level=plan.level)
    for type_ in found.types:
        if type_ != "human" and "human" in found.types:
            results[f"contrast.human-{type_}"] = measures.contrast(given, "human", type_, level=plan.level)
    results["confidence"] = measures.confidence(
        found.experience,
        highest=float(plan.option("highest")),
        rng=rng,
        resamples=resamples,
        level=plan.level,
    )
    return results


def methods(data: Data, plan: Plan) -> str:
    """The protocol's part of the methods paragraph."""
    shown = [f"{name} ({listed(list(plan.roles[name]))})" for name in TYPES if plan.roles[name]]
    return (
        f"Respondents rated clips of {listed(shown)} from 1 (human) to 5 (artificial), in an order drawn anew for each,"
        " and stated their"
        f" experience from 1 to {plan.option('highest'):g}. The believability index of a type is the mean of h = |r − 5|"
        " / 4, weighted by"
        " experience; the confidence index is the mean experience as a share of the highest. Their"
        f" {level_words(plan.level)} intervals are expanded percentile bootstrap intervals over respondents"
        f" ({plan.option('resamples'):,} resamples). Differences between types are tested over respondents, and for"
        " equivalence by two"
        f" one-sided tests with a margin of {plan.test_option('contrast', 'margin'):g}. Recall is the share of ratings 1"
        " or 2, with the"
        " answer 3 counted as not human and, beside it, left out."
    )


def warnings(data: Data, plan: Plan) -> tuple[str, ...]:
    """People can answer by elimination where every page has the same composition."""
    pages, mixtures = compositions(data, plan)
    if pages < 2 or len(mixtures) != 1:
        return ()
    parts = [f"{count} {name}" for name, count in zip(TYPES, mixtures[0].tolist(), strict=True) if count]
    return (
        f"Validity: every page held {listed(parts)}, so that people could answer by elimination. Mix the pages differently.",
    )


PROTOCOL = ProtocolAnalysis(CLIPS, analyse, main, methods, clean, warnings)

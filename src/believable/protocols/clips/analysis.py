"""`clips`: human or artificial? Indices weighted by experience, contrasts, recall and precision,
detection, views, comments.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from believable.analysis.claims import claim_of, limit_section
from believable.analysis.data import Data
from believable.analysis.findings import Section
from believable.analysis.numbers import integer, level_words, listed
from believable.analysis.procedure import Verb
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.settled_plan import Plan
from believable.protocols.clips import DECLARATION, TYPES
from believable.protocols.clips.clip_ratings import (
    compositions,
    confidence_index,
    incomplete,
    ratings,
)
from believable.protocols.clips.indices import compare_types, index_of, recall_of
from believable.protocols.clips.sections import (
    LAYOUTS,
    clips_section,
    conditions_table,
    detection_section,
    experience_section,
    index_section,
    published_table,
    recall_section,
)
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult


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
    survey = ratings(data, plan)
    if not len(survey.rating):
        return (
            Section(
                name="indices",
                title="Believability and confidence",
                paragraphs=("No rating is left: there is nothing to say.",),
            ),
        )
    detection = detection_section(survey, plan, rng)
    indices = index_section(survey, plan, rng)
    apart = conditions_table(survey, plan, rng)
    sections = (
        replace(
            indices,
            tables=(published_table(survey, indices.tables[0], plan), *indices.tables, *apart),
        ),
        recall_section(survey, plan),
        experience_section(survey, plan),
        *((detection,) if detection is not None else ()),
        clips_section(data, survey, plan),
    )
    claim = claim_of(plan, survey.stimulus, people="respondents")
    return tuple(limit_section(section, claim, but=("confidence",)) for section in sections)


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """Indices of the types shown, their contrasts with human, the confidence index and recall."""
    survey = ratings(data, plan)
    resamples = int(plan.option("resamples"))
    results: dict[str, Estimate | TestResult] = {}
    for type_ in survey.types:
        results[f"believability.{type_}"] = index_of(survey, type_, plan, rng)[0]
        results[f"recall.{type_}"] = recall_of(survey, type_, plan)
    for type_ in survey.types:
        if type_ != "human" and "human" in survey.types:
            results[f"contrast.human-{type_}"] = compare_types(survey, "human", type_, plan)[0]
    results["confidence"] = confidence_index(
        survey.experience,
        highest=float(plan.option("highest")),
        rng=rng,
        resamples=resamples,
        level=plan.level,
    )
    return results


def methods(data: Data, plan: Plan, verb: Verb) -> str:
    """The protocol's part of the methods."""
    shown = [f"{name} ({listed(list(plan.roles[name]))})" for name in TYPES if plan.roles[name]]
    return LAYOUTS.paragraph(
        "methods.md",
        verb=verb,
        listed=listed,
        shown=shown,
        plan=plan,
        level_words=level_words,
        integer=integer,
    )


def warnings(data: Data, plan: Plan) -> tuple[str, ...]:
    """People can answer by elimination where every page has the same composition."""
    pages, mixtures = compositions(data, plan)
    if pages < 2 or len(mixtures) != 1:
        return ()
    parts = [
        f"{count} {name}" for name, count in zip(TYPES, mixtures[0].tolist(), strict=True) if count
    ]
    return (
        (
            f"Validity: every page held {listed(parts)}, so that people could answer by"
            " elimination. Mix the pages differently."
        ),
    )


ANALYSIS = ProtocolAnalysis(
    declaration=DECLARATION,
    analyse=analyse,
    main=main,
    methods=methods,
    clean=clean,
    warnings=warnings,
)

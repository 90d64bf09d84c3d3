"""`ladder`: which of two acts more like a person? One scale for any number of agents, with contrasts,
ranks and human-equivalence.
"""

from __future__ import annotations

import numpy as np

from believable.analysis.claims import limit_section, refuse
from believable.analysis.data import Data
from believable.analysis.findings import Section
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import in_words, level_words
from believable.analysis.procedure import Verb
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.settled_plan import Plan
from believable.protocols.ladder import DECLARATION
from believable.protocols.ladder.agent_ratings import ratings_section
from believable.protocols.ladder.agent_reasons import reasons_sections
from believable.protocols.ladder.agent_strengths import (
    contrasts_section,
    human_section,
    strength_section,
)
from believable.protocols.ladder.choice_counts import counts_section
from believable.protocols.ladder.pair_choices import fit_ladder
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult
from believable.stats.strength_contrasts import strength_lead

LAYOUTS = Layouts(__file__)


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """The sections, in the order of the report."""
    ladder = fit_ladder(data, plan)
    if ladder is None:
        nothing = "No choice between two conditions is left: there is nothing to say."
        return (LAYOUTS.section("strength", paragraphs=(nothing,)),)
    human, ratings = human_section(ladder), ratings_section(data, ladder)
    sections = (
        strength_section(ladder),
        contrasts_section(ladder),
        *((human,) if human is not None else ()),
        counts_section(ladder),
        *((ratings,) if ratings is not None else ()),
        *reasons_sections(data, ladder),
    )
    return tuple(limit_section(section, ladder.claim) for section in sections)


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """Contrasts of the first condition with each other one, and its lead."""
    ladder = fit_ladder(data, plan)
    if ladder is None:
        return {}
    results: dict[str, Estimate | TestResult] = {}
    first = ladder.names[0]
    for contrast in ladder.contrasts:
        if first in (contrast.first, contrast.second):
            about = f"{contrast.first}-{contrast.second}"
            results[f"strength.{about}"] = contrast.difference
            results[f"strength_test.{about}"] = refuse(contrast.test, ladder.claim)
            results[f"lead.{about}"] = strength_lead(
                ladder.fit, contrast.first, contrast.second, level=plan.level
            )
    return results


def methods(data: Data, plan: Plan, verb: Verb) -> str:
    """The protocol's part of the methods."""
    people = plan.role("people")
    return LAYOUTS.paragraph(
        "methods.md",
        verb=verb,
        level=level_words(plan.level),
        plan=plan,
        rated=data.has("rating"),
        people=None if people is None else in_words(people),
    )


ANALYSIS = ProtocolAnalysis(declaration=DECLARATION, analyse=analyse, main=main, methods=methods)

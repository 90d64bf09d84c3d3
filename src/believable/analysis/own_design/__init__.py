"""The analysis of a custom design: every measure of the plan compared between its groups.

It runs where a plan names no protocol. Its declaration follows from the plan and the study, so
there is one record per study.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Section
from believable.analysis.numbers import counted, listed
from believable.analysis.own_design.contrast_tables import MeasureContext
from believable.analysis.own_design.group_contrasts import LEAST_FOR_SLOPES, LEAST_LEVELS
from believable.analysis.own_design.number_sections import mean_section
from believable.analysis.own_design.preference_section import preference_section
from believable.analysis.own_design.share_sections import share_section, shares_section
from believable.analysis.own_design.text_sections import text_section
from believable.analysis.own_design.watched_sections import flags_section, trace_section
from believable.analysis.procedure import Verb
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.settled_plan import Plan
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult
from believable.study.declaration import DeclaredPlan
from believable.study.measures import BY_CONDITION, MeasureModel
from believable.study.own_design import groups_of, model_of, own_declaration, source_of, title_of
from believable.study.records import Study

_SECTIONS: Mapping[MeasureModel, Callable[[Data, MeasureContext], Section]] = {
    "mean": mean_section,
    "share": share_section,
    "shares": shares_section,
    "preference": preference_section,
    "flags": flags_section,
    "trace": trace_section,
    "text": text_section,
}

#: How each model is described; `{were}` and the like become past or future tense.
_MODELS: Mapping[MeasureModel, str] = {
    "mean": (
        "means {were} compared by linear mixed models with a random intercept for each person, a"
        " random effect of the group for each person where people judged each group at least"
        f" {LEAST_FOR_SLOPES} times, and a random intercept for each stimulus where there"
        f" {{were_there}} at least {LEAST_LEVELS}; with fewer than {LEAST_LEVELS} people, or one"
        " judgement each, by t tests of people's means"
    ),
    "share": (
        "shares {were} compared by mixed logistic models with the same random effects; where each"
        " person answered once per group, by McNemar's or Fisher's exact test"
    ),
    "shares": "the share of every answer {was} reported by group",
    "preference": (
        "preferences {were} tested pair by pair against one half (exact binomial test, or a t test"
        " of people's shares where somebody chose more than once) and put on one scale by the"
        " Bradley–Terry model, clustered by person"
    ),
    "flags": (
        "flags {were} counted per viewed action and compared by mixed logistic models in which the"
        " effect may differ between people"
    ),
    "trace": (
        "traces {were} sampled once a second, and a number per trace {was} compared like a mean"
    ),
    "text": "texts {were} listed, with the shares of codes where they were coded",
}


def own_analysis(plan: DeclaredPlan, study: Study) -> ProtocolAnalysis:
    """The analysis that the measures of a plan make up."""
    return ProtocolAnalysis(
        declaration=own_declaration(plan, study),
        analyse=analyse,
        main=main,
        methods=methods,
        warnings=warnings,
    )


def contexts(plan: Plan, study: Study) -> tuple[MeasureContext, ...]:
    """The measures in the order of the plan: primary ones first, then secondary, then the
    others.
    """
    settled = []
    for name, measure in plan.declared.measures.items():
        source = source_of(measure, study)
        if source is not None:
            model, groups = model_of(measure, source), groups_of(measure, study)
            settled.append(
                MeasureContext(
                    name=name,
                    title=title_of(name, measure),
                    measure=measure,
                    source=source,
                    model=model,
                    groups=groups,
                    plan=plan,
                )
            )
    ranks = {"primary": 0, "secondary": 1, None: 2}
    return tuple(sorted(settled, key=lambda context: ranks[plan.rank(context.name)]))


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """A section per measure. Nothing is left to chance."""
    if data.study is None:
        return ()
    return tuple(_SECTIONS[context.model](data, context) for context in contexts(plan, data.study))


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """Every finding's test, else its estimate."""
    results: dict[str, Estimate | TestResult] = {}
    for section in analyse(data, plan, rng):
        for finding in section.findings:
            result = finding.test or finding.estimate
            if result is not None:
                results[f"{finding.outcome}.{finding.about}"] = result
    return results


def methods(data: Data, plan: Plan, verb: Verb) -> str:
    """The measures and their comparison."""
    if data.study is None:
        return ""
    measured = contexts(plan, data.study)
    words = [
        f"{context.title}: {plan.declaration.outcome(context.name).about}" for context in measured
    ]
    tenses = {
        "were": verb("were", "will be"),
        "was": verb("was", "will be"),
        "were_there": verb("were", "are"),
    }
    used = dict.fromkeys(context.model for context in measured)
    models = "; ".join(_MODELS[model].format(**tenses) for model in used)
    compares = any(context.model in ("mean", "share", "flags", "trace") for context in measured)
    alone = (
        f" Each contrast {tenses['was']} fitted on the judgements of its two groups alone."
        if compares
        else ""
    )
    return f"{' '.join(words)} {models[0].upper()}{models[1:]}.{alone}"


def warnings(data: Data, plan: Plan) -> tuple[str, ...]:
    """Groups that no person saw."""
    if data.study is None or not len(data):
        return ()
    doubts = []
    measures = plan.declared.measures.values()
    if any(measure.by == BY_CONDITION for measure in measures):
        seen = {
            str(name)
            for table in ("shown", "trials")
            for name in data.table(table)["condition"].values
        }
        unseen = [name for name in data.study.conditions if name not in seen]
        if unseen:
            doubts.append(f"{counted(len(unseen), 'condition')} that nobody saw: {listed(unseen)}.")
    for arm in dict.fromkeys(measure.by for measure in measures if measure.by != BY_CONDITION):
        empty = [level for level in data.study.arms.get(arm, ()) if level not in data.arm(arm)]
        if empty:
            doubts.append(f"Nobody is in the arm {arm} at the level {listed(empty)}.")
    return tuple(doubts)

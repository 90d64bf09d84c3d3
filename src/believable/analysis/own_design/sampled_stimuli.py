"""Verdicts on conditions of which both the people and the stimuli are samples: other stimuli must
give them, too.

A measure by condition whose judgements are about stimuli is decided over people and stimuli, or
says that it is about these stimuli. Measures by arm, and judgements that are about no stimulus,
stay as they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from believable.analysis.claims import Claim, name_clips, refuse
from believable.analysis.own_design.contrast_tables import MeasureContext
from believable.analysis.own_design.group_contrasts import OF_STIMULI, Contrast
from believable.analysis.own_design.measured_rows import MeasuredRows
from believable.stats.crossed import LEAST_UNITS, crossed_mean
from believable.stats.crossed_contrasts import crossed_difference, crossed_odds
from believable.stats.estimate import UNLIMITED, Estimate
from believable.stats.inputs import FloatArray
from believable.stats.result import TestResult
from believable.study.measures import BY_CONDITION


def are_sampled(rows: MeasuredRows, context: MeasureContext) -> bool:
    """Whether conditions are compared by judgements that are each about a stimulus."""
    known = len(rows) > 0 and all(name is not None for name in rows.stimulus)
    return context.measure.by == BY_CONDITION and known


def model_rows(rows: MeasuredRows, context: MeasureContext) -> MeasuredRows:
    """The rows for a model: without stimuli if verdicts are about these stimuli, so that their
    effects are fixed.
    """
    if context.plan.over == "both":
        return rows
    return replace(rows, stimulus=np.full(len(rows), None, dtype=object))


def decide_contrast(
    contrast: Contrast,
    rows: MeasuredRows,
    context: MeasureContext,
    wholes: FloatArray | None = None,
    *,
    odds: bool = False,
) -> Contrast:
    """The contrast with the verdict that the plan asks for, and its sources of variance.

    A linear model with a random effect of stimuli speaks of other stimuli already. Any other test
    is over people alone, or by z, which finds too much with few stimuli: the t test over people and
    stimuli takes its place. With one stimulus in a group there is no test.
    """
    own = (rows.group == contrast.first) | (rows.group == contrast.second)
    whole = np.ones(len(rows)) if wholes is None else wholes
    own &= whole > 0
    rows, whole = rows.where(own), whole[own]
    first = rows.group == contrast.first
    if not are_sampled(rows, context) or not first.any() or first.all():
        return contrast
    stimulus, person = rows.stimulus.astype(str), rows.person
    each = [len(set(stimulus[group].tolist())) for group in (first, ~first)]
    side, level = contrast.test.alternative, context.level
    if odds:
        crossed = crossed_odds(
            rows.number, whole, first, person, stimulus, alternative=side, level=level
        )
    else:
        crossed = crossed_difference(
            rows.number, first, person, stimulus, alternative=side, level=level
        )
    decided = replace(contrast, split=crossed.split, clips=(len(set(stimulus.tolist())), min(each)))
    if context.plan.over == "judges" or contrast.test.p_value is None:
        return decided
    if odds or OF_STIMULI not in contrast.formula:
        over_people = f"over people alone: {contrast.formula or contrast.test.method}"
        notes = (*contrast.test.notes, over_people)
        test = replace(
            in_words(crossed.test), n=contrast.test.n, effect=contrast.test.effect, notes=notes
        )
        decided = replace(decided, test=test, formula="")
    return replace(decided, test=refuse(decided.test, claim_about(decided, context)))


def claim_about(contrast: Contrast, context: MeasureContext) -> Claim:
    """Whom the verdict on a contrast is about."""
    subject = f"{contrast.first} and {contrast.second} in general"
    return Claim(
        over=context.plan.over,
        n_clips=contrast.clips[0],
        unit="clip",
        subject=subject,
        least=contrast.clips[1],
        people="people",
    )


def decide_group(
    estimate: Estimate,
    rows: MeasuredRows,
    context: MeasureContext,
    limits: tuple[float, float] = UNLIMITED,
) -> Estimate:
    """The mean of a group with the interval that the plan asks for."""
    if not are_sampled(rows, context) or context.plan.over == "judges":
        return estimate
    stimulus = rows.stimulus.astype(str)
    clips = len(set(stimulus.tolist()))
    mean = crossed_mean(rows.number, rows.person, stimulus, limits=limits, level=context.level)
    named = replace(mean, method=_of_people(mean.method))
    return (
        named
        if clips >= LEAST_UNITS
        else refuse(
            named,
            Claim(
                over="both",
                n_clips=clips,
                unit="clip",
                subject="the condition",
                least=None,
                people="people",
            ),
        )
    )


def group_scopes(
    rows: MeasuredRows, context: MeasureContext, *, decided: bool = True
) -> dict[str, str]:
    """The stimuli that intervals of groups are limited to. `decided`: they are over stimuli if the
    plan asks for it.
    """
    if decided and context.plan.over == "both":
        return {}
    own = {group: rows.of(group) for group in context.groups}
    return {
        group: name_clips(len(set(part.stimulus.tolist())))
        for group, part in own.items()
        if are_sampled(part, context)
    }


def in_words(test: TestResult) -> TestResult:
    """The test, which calls those who judge people."""
    estimate = test.estimate and replace(test.estimate, method=_of_people(test.estimate.method))
    return replace(test, method=_of_people(test.method), estimate=estimate)


def _of_people(method: str) -> str:
    return method.replace("judges", "people")

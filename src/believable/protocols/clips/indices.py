"""Indices weighted by experience, recall and precision of clips, and contrasts between types."""

from __future__ import annotations

import numpy as np

from believable.analysis.claims import Claim, claim_of, refuse, split_words
from believable.analysis.settled_plan import Plan
from believable.protocols.clips import clip_verdicts
from believable.protocols.clips.clip_ratings import (
    Ratings,
    believability,
    precision,
    recall,
    weighted_means,
)
from believable.protocols.clips.clip_verdicts import contrast, equivalent
from believable.stats.equivalence import as_test
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult


def index_of(
    survey: Ratings, type_: str, plan: Plan, rng: np.random.Generator
) -> tuple[Estimate, str]:
    """The believability index with the interval that decides, and what its variance is made of, in
    a sentence.
    """
    claim = claim_of(plan, survey.stimulus[survey.of(type_)], subject=f"{type_} clips in general")
    if plan.over == "judges":
        b = believability(
            weighted_means(survey),
            type_,
            rng=rng,
            resamples=int(plan.option("resamples")),
            level=plan.level,
        )
        return b, ""
    b, split = clip_verdicts.believability(survey, type_, level=plan.level)
    return refuse(b, claim), "" if split is None else split_words(split, judges="respondents")


def recall_of(survey: Ratings, type_: str, plan: Plan, *, middle: str = "not_human") -> Estimate:
    """Recall with the interval that decides."""
    if plan.over == "judges":
        return recall(survey, type_, middle=middle, level=plan.level)
    claim = claim_of(plan, survey.stimulus[survey.of(type_)], subject=f"{type_} clips in general")
    return refuse(clip_verdicts.recall(survey, type_, middle=middle, level=plan.level), claim)


def precision_of(survey: Ratings, answer: str, plan: Plan) -> Estimate:
    """Precision with the interval that decides."""
    share = precision if plan.over == "judges" else clip_verdicts.precision
    return share(survey, answer, level=plan.level)


def compare_types(
    survey: Ratings, first: str, second: str, plan: Plan
) -> tuple[TestResult, TestResult, str, Claim]:
    """The difference of two types, its equivalence test, what its variance is made of, and whom the
    verdict is about.
    """
    clips = [len(set(survey.stimulus[survey.of(type_)].tolist())) for type_ in (first, second)]
    shown = survey.stimulus[survey.of(first) | survey.of(second)]
    claim = claim_of(
        plan,
        shown,
        subject=f"{first} and {second} clips in general",
        least=min(clips),
        people="respondents",
    )
    about = f"{first}-{second}"
    test, split = contrast(
        survey,
        first,
        second,
        over=plan.over,
        alternative=plan.alternative("contrast", about),
        level=plan.level,
    )
    same = as_test(
        equivalent(test, margin=float(plan.test_option("contrast", "margin")), alpha=plan.alpha)
    )
    words = "" if split is None else split_words(split, judges="respondents")
    return refuse(test, claim), refuse(same, claim), words, claim

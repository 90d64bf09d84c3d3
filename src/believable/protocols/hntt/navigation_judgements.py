"""Judgements of two side by side: who was chosen; accuracy with its intervals, the pass criterion,
equivalence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from believable.analysis.data import Answers, Data, join_values, numbers, rows_of
from believable.analysis.settled_plan import Plan
from believable.analysis.shown_pairs import chosen_sides, two_shown
from believable.core.errors import InvalidInput
from believable.stats.bootstrap import bootstrap
from believable.stats.crossed import crossed_mean
from believable.stats.estimate import Estimate
from believable.stats.indices import (
    FEWEST_JUDGES,
    HnttSubsampling,
    HnttVerdict,
    hntt_pass,
    hntt_subsampling,
)
from believable.stats.inputs import FloatArray
from believable.stats.regression import OlsResult, ols

IntArray = NDArray[np.int64]
ObjectArray = NDArray[np.object_]


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationJudgements:
    """One entry per judged pair.

    judge        place of the session in `Data.sessions`
    first, second  conditions of players A and B
    chose_first  whether A was chosen
    scenario     the situation both show
    pair         the two stimuli, sorted and joined: the unit that a clip-clustered interval
                 resamples
    clips        the stimuli of players A and B, one row each
    uncertainty  1 certain … 5 uncertain, NaN without an answer
    side_known   whether A and B are the sides of the page; imported choices may not say
    undecided    how many choices were left open or named neither
    """

    judge: IntArray
    first: ObjectArray
    second: ObjectArray
    chose_first: NDArray[np.bool_]
    scenario: ObjectArray
    pair: ObjectArray
    uncertainty: FloatArray
    clips: ObjectArray
    side_known: NDArray[np.bool_]
    undecided: int

    def __len__(self) -> int:
        return len(self.judge)

    def where(self, keep: NDArray[np.bool_]) -> NavigationJudgements:
        return NavigationJudgements(
            judge=self.judge[keep],
            first=self.first[keep],
            second=self.second[keep],
            chose_first=self.chose_first[keep],
            scenario=self.scenario[keep],
            pair=self.pair[keep],
            uncertainty=self.uncertainty[keep],
            clips=self.clips[keep],
            side_known=self.side_known[keep],
            undecided=self.undecided,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentContest:
    """The judgements of one agent against humans. `correct`: the human one was chosen."""

    agent: str
    judge: IntArray
    correct: NDArray[np.bool_]
    pair: ObjectArray
    scenario: ObjectArray
    uncertainty: FloatArray

    @property
    def judges(self) -> IntArray:
        """Those who judged this agent, sorted."""
        return np.unique(self.judge)

    def accuracy(self) -> FloatArray:
        """Share of right choices of each judge, in the order of `judges`."""
        return _means(self.judge, self.correct.astype(np.float64))[1]

    def mean_uncertainty(self) -> FloatArray:
        """Mean uncertainty of each judge who gave any."""
        known = ~np.isnan(self.uncertainty)
        return _means(self.judge[known], self.uncertainty[known])[1]


def judgements(data: Data) -> NavigationJudgements:
    """All pairs that were judged. Pages with more or fewer than two players are no pairs."""
    answers = data.answers("choice")
    first_row, second_row = two_shown(data, answers)
    side = chosen_sides(answers)
    shown = data.table("shown")
    paired = first_row >= 0
    keep = paired & (side >= 0)
    first, two = first_row[keep], second_row[keep]
    condition, stimulus, scenario = (
        shown[name].values for name in ("condition", "stimulus", "scenario")
    )
    uncertainty = _beside(data, answers)[keep]
    return NavigationJudgements(
        judge=answers.code[keep],
        first=condition[first],
        second=condition[two],
        chose_first=side[keep] == 0,
        scenario=scenario[first],
        pair=_pairs(stimulus[first], stimulus[two]),
        uncertainty=uncertainty,
        clips=np.stack([stimulus[first], stimulus[two]], 1),
        side_known=~(shown["label"].missing[first] | shown["label"].missing[two]),
        undecided=int((paired & (side < 0)).sum()),
    )


def comparable_pairs(data: Data, plan: Plan) -> NavigationJudgements:
    """Those that accuracy is about: without pairs that are a control because they go to different
    goals.
    """
    judged = judgements(data)
    return judged.where(~mismatched_pairs(judged, plan))


def mismatched_pairs(judged: NavigationJudgements, plan: Plan) -> NDArray[np.bool_]:
    """Which pairs the plan says go to different goals."""
    return np.isin(_words(judged.scenario), np.array(plan.option("mismatched"), dtype=str))


def agents(judged: NavigationJudgements, humans: tuple[str, ...]) -> tuple[AgentContest, ...]:
    """The judgements of each agent against humans, by name."""
    human_first, human_second = (
        np.isin(_words(judged.first), humans),
        np.isin(_words(judged.second), humans),
    )
    against = human_first != human_second
    other = np.where(human_first, judged.second, judged.first)
    result = []
    for agent in sorted({str(condition) for condition in other[against] if condition is not None}):
        keep = against & (other == agent)
        result.append(
            AgentContest(
                agent=agent,
                judge=judged.judge[keep],
                correct=(judged.chose_first == human_first)[keep],
                pair=judged.pair[keep],
                scenario=judged.scenario[keep],
                uncertainty=judged.uncertainty[keep],
            )
        )
    return tuple(result)


def _words(values: ObjectArray) -> NDArray[np.str_]:
    return np.array(["" if value is None else str(value) for value in values], dtype=np.str_)


def _means(groups: IntArray, values: FloatArray) -> tuple[IntArray, FloatArray]:
    names, codes = np.unique(groups, return_inverse=True)
    return names, np.bincount(codes, weights=values, minlength=len(names)) / np.maximum(
        np.bincount(codes, minlength=len(names)), 1
    )


def _beside(data: Data, answers: Answers) -> FloatArray:
    """The uncertainty given on the same page as each choice."""
    if not data.has("certainty"):
        return np.full(len(answers), np.nan)
    certainty = data.answers("certainty")
    rows = rows_of([certainty.code, certainty.position], [answers.code, answers.position])
    return join_values(numbers(certainty), rows, np.nan)


def _pairs(first: ObjectArray, two: ObjectArray) -> ObjectArray:
    pairs = np.empty(len(first), dtype=object)
    pairs[:] = [" / ".join(sorted((str(a), str(b)))) for a, b in zip(first, two, strict=True)]
    return pairs


@dataclass(frozen=True, slots=True)
class ClusteredAccuracy:
    """The mean accuracy with the interval for new judges, for new pairs of clips, and for both."""

    judges: Estimate
    clips: Estimate
    both: Estimate


def clustered_accuracy(
    contest: AgentContest, *, rng: np.random.Generator, resamples: int, level: float
) -> ClusteredAccuracy:
    """Whose choice makes the accuracy vary: resampled judges, resampled pairs, or both, by the
    interval that decides.
    """
    values = contest.correct.astype(np.float64)
    pairs = contest.pair.astype(str)
    return ClusteredAccuracy(
        bootstrap(
            values,
            "mean",
            rng=rng,
            method="expanded",
            clusters=contest.judge,
            resamples=resamples,
            level=level,
        ),
        bootstrap(
            values,
            "mean",
            rng=rng,
            method="expanded",
            clusters=pairs,
            resamples=resamples,
            level=level,
        ),
        crossed_mean(values, contest.judge, pairs, limits=(0.0, 1.0), level=level),
    )


def pass_verdict(accuracy: FloatArray, plan: Plan, rng: np.random.Generator) -> HnttVerdict:
    """The published criterion: the bootstrap interval of the median accuracy contains chance."""
    return hntt_pass(
        accuracy,
        rng=rng,
        resamples=plan.option("resamples"),
        chance=plan.option("chance"),
        level=plan.level,
    )


def subsample_verdicts(
    accuracy: FloatArray, plan: Plan, rng: np.random.Generator
) -> HnttSubsampling | str:
    """The verdict on smaller samples of judges; the reason if there are not more judges than a
    subsample takes.
    """
    n = int(plan.option("subsample"))
    if n < FEWEST_JUDGES:
        return f"a median of {n} judges has no interval: a subsample takes at least {FEWEST_JUDGES}"
    if len(accuracy) <= n:
        return f"a subsample takes {n} judges, and there are {len(accuracy)}"
    return hntt_subsampling(
        accuracy,
        rng=rng,
        n=n,
        repeats=plan.option("subsamples"),
        resamples=plan.option("resamples"),
        chance=plan.option("chance"),
    )


def coded_familiarity(data: Data, role: str, words: Sequence[str]) -> FloatArray:
    """One number per session: the place of the answer among `words`, from 1; NaN for any other
    answer.

    Numbers stay as they are.
    """
    places = {word: float(place) for place, word in enumerate(words, start=1)}
    answers = data.text_by_session(role)
    coded = np.array(
        [np.nan if answer is None else places.get(str(answer), np.nan) for answer in answers],
        dtype=np.float64,
    )
    plain = data.number_by_session(role)
    return np.where(np.isnan(coded), plain, coded)


def familiarity_regression(
    accuracy: FloatArray, predictors: Mapping[str, FloatArray], *, level: float
) -> tuple[OlsResult | str, int]:
    """Accuracy on familiarity, judges without an answer left out; the fit or why there is none, and
    how many were left out.
    """
    known = np.all([~np.isnan(predictor) for predictor in predictors.values()], axis=0)
    left_out = int((~known).sum())
    try:
        return ols(
            accuracy[known],
            {name: values[known] for name, values in predictors.items()},
            level=level,
        ), left_out
    except InvalidInput:
        return "there are too few judges, or their familiarity varies too little", left_out

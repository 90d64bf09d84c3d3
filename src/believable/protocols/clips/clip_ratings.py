"""The ratings of a clip survey, by type of clip and experience of the respondent, and the figures
computed from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from believable.analysis.data import Data, join_values, numbers, rows_of
from believable.analysis.settled_plan import Plan
from believable.protocols.clips import TYPES
from believable.stats.bootstrap import interval
from believable.stats.estimate import Estimate, mean_share, undefined, without_interval
from believable.stats.indices import ARTIFICIAL, HUMAN_ANSWERS, clip_precision, clip_recall
from believable.stats.inputs import FloatArray

IntArray = NDArray[np.int64]
ObjectArray = NDArray[np.object_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """One entry per rated clip.

    respondent  place of the session in `Data.sessions`
    type        place of the clip's type in `TYPES`
    rating      1 human … 5 artificial
    experience  one number per session, NaN without an answer
    condition   of the clip: a type may have several
    position    the page, and `player` the index of the clip on it (0 if it is the only one)
    """

    respondent: IntArray
    type: IntArray
    stimulus: ObjectArray
    rating: FloatArray
    position: IntArray
    player: IntArray
    experience: FloatArray
    condition: ObjectArray

    def of(self, type_: str) -> NDArray[np.bool_]:
        own: NDArray[np.bool_] = self.type == TYPES.index(type_)
        return own

    @property
    def clips(self) -> tuple[IntArray, IntArray, IntArray]:
        """Which clip each rating is about: session, page and place on the page."""
        return self.respondent, self.position, self.player

    @property
    def types(self) -> tuple[str, ...]:
        """The types that were shown."""
        return tuple(name for place, name in enumerate(TYPES) if (self.type == place).any())

    def types_of(self, rows: NDArray[Any]) -> str:
        """The type of these rows, which all have the same."""
        return TYPES[int(self.type[rows][0])]

    @property
    def conditions(self) -> tuple[tuple[str, str], ...]:
        """Types with their conditions, in the order of the types; empty where no type has more than
        one.
        """
        pairs = [
            (type_, condition)
            for type_ in self.types
            for condition in sorted({str(name) for name in self.condition[self.of(type_)]})
        ]
        return tuple(pairs) if len(pairs) > len(self.types) else ()

    def only(self, condition: str) -> Ratings:
        """The ratings of clips of one condition."""
        own = self.condition == condition
        return Ratings(
            respondent=self.respondent[own],
            type=self.type[own],
            stimulus=self.stimulus[own],
            rating=self.rating[own],
            position=self.position[own],
            player=self.player[own],
            experience=self.experience,
            condition=self.condition[own],
        )

    def table(self, type_: str) -> FloatArray:
        """Respondents × clips of one type, NaN where a clip was not shown to a respondent."""
        own = self.of(type_)
        clips, columns = np.unique(self.stimulus[own].astype(str), return_inverse=True)
        grid = np.full((len(self.experience), len(clips)), np.nan)
        grid[self.respondent[own], columns] = self.rating[own]
        return grid


def ratings(data: Data, plan: Plan) -> Ratings:
    """Every rating of a clip whose condition plays a type."""
    answers = data.answers("rating")
    types = type_of_condition(plan)
    type_ = np.array(
        [types.get(str(condition), -1) for condition in answers.condition], dtype=np.int64
    )
    rating = numbers(answers)
    keep = (type_ >= 0) & ~np.isnan(rating)
    return Ratings(
        respondent=answers.code[keep],
        type=type_[keep],
        stimulus=answers.stimulus[keep],
        rating=rating[keep],
        position=answers.position[keep],
        player=np.maximum(answers.player, 0)[keep],
        experience=data.number_by_session("experience"),
        condition=answers.condition[keep],
    )


def type_of_condition(plan: Plan) -> Mapping[str, int]:
    """Each condition that plays a type, with the type's place in `TYPES`."""
    return {condition: place for place, name in enumerate(TYPES) for condition in plan.roles[name]}


def beside(data: Data, role: str, survey: Ratings) -> tuple[FloatArray, ObjectArray]:
    """Answers of another role about the same clips: as numbers (NaN) and as texts (None)."""
    if not data.has(role):
        return np.full(len(survey.rating), np.nan), np.full(len(survey.rating), None, dtype=object)
    answers = data.answers(role)
    rows = rows_of([answers.code, answers.position, np.maximum(answers.player, 0)], survey.clips)
    return join_values(numbers(answers), rows, np.nan), join_values(answers.text, rows, None)


def times_played(data: Data, survey: Ratings) -> FloatArray:
    """How often the player showed each of these clips to its end; NaN if unknown."""
    shown = data.table("shown")
    rows = rows_of(
        [data.code_of(shown), shown["position"].values, shown["player"].values], survey.clips
    )
    return join_values(shown["views"].values.astype(np.float64), rows, np.nan)


def incomplete(data: Data, plan: Plan) -> dict[str, str]:
    """Sessions that lack their experience or a rating, each with the missing parts."""
    experience = data.number_by_session("experience")
    answers = data.answers("rating")
    open_ = np.bincount(answers.code, weights=np.isnan(numbers(answers)), minlength=len(data))
    counts = np.bincount(answers.code, minlength=len(data))
    missing: dict[str, str] = {}
    for place, session in enumerate(data.sessions):
        if np.isnan(experience[place]):
            missing[session] = "no answer about experience"
        elif counts[place] == 0:
            missing[session] = "no clip rated"
        elif open_[place]:
            missing[session] = f"{int(open_[place])} of {int(counts[place])} clips not rated"
    return missing


def compositions(data: Data, plan: Plan) -> tuple[int, NDArray[np.int64]]:
    """How many pages respondents rated at most, and the different mixtures of types that pages have
    (rows: counts by type).
    """
    answers = data.answers("rating")
    types = type_of_condition(plan)
    type_ = np.array(
        [types.get(str(condition), -1) for condition in answers.condition], dtype=np.int64
    )
    known = type_ >= 0
    if not known.any():
        return 0, np.zeros((0, len(TYPES)), dtype=np.int64)
    pages, inverse = np.unique(
        np.stack([answers.code[known], answers.position[known]]), axis=1, return_inverse=True
    )
    mixture = np.zeros((pages.shape[1], len(TYPES)), dtype=np.int64)
    np.add.at(mixture, (inverse.ravel(), type_[known]), 1)
    most = int(np.bincount(pages[0]).max())
    return most, np.unique(mixture, axis=0)


BLOCK = 1000
MIDDLE = 3.0


@dataclass(frozen=True, slots=True)
class WeightedRatings:
    """Per respondent: experience and mean h (1 human … 0 artificial) for each type; NaN where a
    type was not rated.
    """

    experience: FloatArray
    human: Mapping[str, FloatArray]

    def of(self, type_: str) -> tuple[FloatArray, FloatArray]:
        """e and mean h of the respondents who rated this type."""
        human = self.human[type_]
        known = ~np.isnan(human)
        return self.experience[known], human[known]


def weighted_means(survey: Ratings) -> WeightedRatings:
    """h = |r − 5|/4 of each rating, averaged over a respondent's clips of a type. Only respondents
    whose experience is known.
    """
    known = ~np.isnan(survey.experience)
    human = {}
    for type_ in survey.types:
        own = survey.of(type_)
        count = np.bincount(survey.respondent[own], minlength=len(known))
        h = np.abs(survey.rating[own] - ARTIFICIAL) / (ARTIFICIAL - 1)
        total = np.bincount(survey.respondent[own], weights=h, minlength=len(known))
        mean = np.full(len(known), np.nan)
        mean[count > 0] = total[count > 0] / count[count > 0]
        human[type_] = mean[known]
    return WeightedRatings(survey.experience[known], human)


def resample_statistic(
    columns: FloatArray,
    statistic: Callable[[FloatArray], FloatArray],
    *,
    name: str,
    rng: np.random.Generator,
    resamples: int,
    level: float,
    units: float | None = None,
) -> Estimate:
    """A statistic of column sums over respondents, with its bootstrap interval over respondents.

    columns     respondents × parts; `statistic` takes sums of the parts (… × parts) and gives one
                number per row
    Interval    percentile, at quantiles widened for the number of respondents ("expanded"); `units`
                is their effective number, if they have weights
    Undefined   no respondent, or a statistic that is no number on the data; one respondent: no
                interval
    """
    n, method = len(columns), f"{name}, expanded percentile bootstrap over respondents"
    if n == 0:
        return undefined("no respondent", method=method, n=0, level=level)
    value = float(statistic(columns.sum(axis=0, keepdims=True))[0])
    if not math.isfinite(value):
        return undefined("nothing to divide by", method=method, n=n, level=level)
    if n < 2:
        return without_interval(
            value, "one respondent has no spread", method=method, n=1, level=level
        )
    drawn = []
    for start in range(0, resamples, BLOCK):
        size = min(BLOCK, resamples - start)
        drawn.append(statistic(_times_drawn(rng, n, size) @ columns))
    replicates = np.concatenate(drawn)
    replicates = replicates[np.isfinite(replicates)]
    if len(replicates) < 2:
        return without_interval(
            value, "undefined on nearly every resample", method=method, n=n, level=level
        )
    effective = max(2.0, n if units is None else units)
    bounds = interval(replicates, value, method="expanded", level=level, n=effective)
    if bounds is None:
        return without_interval(
            value, "the resamples show no spread", method=method, n=n, level=level
        )
    low, high = bounds
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        n=n,
        method=method,
        se=float(replicates.std(ddof=1)),
    )


def _times_drawn(rng: np.random.Generator, n: int, size: int) -> FloatArray:
    """How often each of n respondents is in each of `size` resamples."""
    picks = rng.integers(0, n, size=(size, n)) + n * np.arange(size)[:, None]
    return np.bincount(picks.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def believability(
    data: WeightedRatings,
    type_: str,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Estimate:
    """b = Σ e·mean(h)/Σ e over respondents, which is ΣΣ w/(n·m) with w = e·h/mean(e)."""
    experience, human = data.of(type_)
    columns = np.column_stack([experience * human, experience])
    units = effective_number(experience)
    return resample_statistic(
        columns,
        _ratio,
        name="believability index",
        rng=rng,
        resamples=resamples,
        level=level,
        units=units,
    )


def effective_number(weights: FloatArray) -> float:
    """(Σ w)²/Σ w²: the number of equally weighted respondents with the same information."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else 0.0


def confidence_index(
    experience: FloatArray,
    *,
    highest: float = 5,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Estimate:
    """c = mean(e)/highest."""
    known = experience[~np.isnan(experience)]
    columns = np.column_stack([known / highest, np.ones(len(known))])
    return resample_statistic(
        columns, _ratio, name="confidence index", rng=rng, resamples=resamples, level=level
    )


def _ratio(sums: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        result: FloatArray = sums[:, 0] / sums[:, 1]
    return result


def recall(
    survey: Ratings, type_: str, *, middle: str = "not_human", level: float = 0.95
) -> Estimate:
    """Share of a type's ratings that say human (1 or 2); the answer 3 is not human, or is left
    out.
    """
    table = survey.table(type_)
    share = clip_recall(
        table, middle="left_out" if middle == "left_out" else "not_human", level=level
    )
    return replace(share, method="share of ratings, Wilson interval over respondents")


def precision(survey: Ratings, answer: str, *, level: float = 0.95) -> Estimate:
    """Of all clips called human (artificial), the share that is human or imitation (artificial)."""
    tables = {type_: survey.table(type_) for type_ in survey.types}
    right = {"human", "imitation"} if answer == "human" else {"artificial"}
    share = clip_precision(
        tables,
        correct=right & set(tables),
        answer="human" if answer == "human" else "artificial",
        level=level,
    )
    return replace(share, method="share of calls, Wilson interval over respondents")


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """Sensitivity d′ and criterion c of telling human clips from those of another type."""

    other: str
    d_prime: Estimate
    criterion: Estimate
    hits: int
    misses: int
    false_alarms: int
    correct_rejections: int


def detection(
    survey: Ratings,
    other: str,
    *,
    middle: str,
    rng: np.random.Generator,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Detection:
    """Human clips called human are hits, others called human false alarms. Loglinear correction;
    bootstrap over respondents.
    """
    counted = (
        survey.rating != MIDDLE if middle == "left_out" else np.ones(len(survey.rating), np.bool_)
    )
    said = np.isin(survey.rating, HUMAN_ANSWERS)
    n = len(survey.experience)
    parts = []
    for type_ in ("human", other):
        own = survey.of(type_) & counted
        parts.append(np.bincount(survey.respondent[own & said], minlength=n))
        parts.append(np.bincount(survey.respondent[own], minlength=n))
    columns = np.column_stack(parts).astype(np.float64)
    columns = columns[columns[:, [1, 3]].sum(axis=1) > 0]
    hits, humans, alarms, others = (
        (int(total) for total in columns.sum(axis=0)) if len(columns) else (0, 0, 0, 0)
    )
    estimates = [
        resample_statistic(columns, part, name=name, rng=rng, resamples=resamples, level=level)
        for name, part in (("d′ (loglinear)", _d_prime), ("criterion c (loglinear)", _criterion))
    ]
    if not humans or not others:
        why = undefined(
            "one kind of clip was never shown", method="d′ (loglinear)", n=len(columns), level=level
        )
        estimates = [why, why]
    return Detection(
        other=other,
        d_prime=estimates[0],
        criterion=estimates[1],
        hits=hits,
        misses=humans - hits,
        false_alarms=alarms,
        correct_rejections=others - alarms,
    )


def _scores(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    hit = (sums[:, 0] + 0.5) / (sums[:, 1] + 1)
    alarm = (sums[:, 2] + 0.5) / (sums[:, 3] + 1)
    return special.ndtri(hit), special.ndtri(alarm)


def _d_prime(sums: FloatArray) -> FloatArray:
    hit, alarm = _scores(sums)
    result: FloatArray = hit - alarm
    return result


def _criterion(sums: FloatArray) -> FloatArray:
    hit, alarm = _scores(sums)
    result: FloatArray = -(hit + alarm) / 2
    return result


def by_experience(
    data: WeightedRatings, type_: str, level_: float, *, level: float = 0.95
) -> Estimate:
    """b of a type within one level of experience, at which it is the mean of h over respondents."""
    experience, human = data.of(type_)
    own = human[experience == level_]
    method = "mean h of respondents, Wilson interval with the effective number"
    if not len(own):
        return undefined("nobody at this level", method=method, n=0, level=level)
    if len(own) < 2:
        return without_interval(
            float(own[0]), "one respondent has no spread", method=method, n=1, level=level
        )
    low, high = mean_share(own, level=level)
    return Estimate(
        value=float(own.mean()), low=low, high=high, level=level, n=len(own), method=method
    )


def levels(experience: FloatArray, highest: float) -> Sequence[float]:
    """The levels of experience, empty ones included."""
    top = max(highest, float(np.nanmax(experience)) if np.isfinite(experience).any() else 1.0)
    return [float(level) for level in range(1, int(top) + 1)]

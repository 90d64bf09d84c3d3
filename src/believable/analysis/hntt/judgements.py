"""The judgements of a comparison study: which two stood side by side, which one was chosen, and how certain the judge was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from believable.analysis.data import Answers, Data, numbers
from believable.stats.inputs import FloatArray

IntArray = NDArray[np.int64]
ObjectArray = NDArray[np.object_]

#: How a choice says which player it means.
_FIRST = frozenset({"first", "A", "a", "left", "0"})
_SECOND = frozenset({"second", "B", "b", "right", "1"})
#: More pages than any session has: one number for session and page.
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Judgements:
    """One entry per judged pair.

    judge        place of the session in `Data.sessions`
    first, second  conditions of players A and B
    chose_first  whether A was chosen
    scenario     the situation both show
    pair         the two stimuli, sorted and joined: what a clip-clustered interval resamples
    uncertainty  1 certain … 5 uncertain, NaN without an answer
    undecided    how many choices were left open or named neither
    """

    judge: IntArray
    first: ObjectArray
    second: ObjectArray
    chose_first: NDArray[np.bool_]
    scenario: ObjectArray
    pair: ObjectArray
    uncertainty: FloatArray
    undecided: int

    def __len__(self) -> int:
        return len(self.judge)

    def where(self, keep: NDArray[np.bool_]) -> Judgements:
        return Judgements(
            self.judge[keep], self.first[keep], self.second[keep], self.chose_first[keep], self.scenario[keep],
            self.pair[keep], self.uncertainty[keep], self.undecided,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Against:
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


def judgements(data: Data) -> Judgements:
    """All pairs that were judged. Pages with more or fewer than two players are no pairs."""
    found = data.answers("choice")
    first_row, second_row = _two_shown(data, found)
    side = _sides(found)
    shown = data.table("shown")
    paired = first_row >= 0
    keep = paired & (side >= 0)
    one, two = first_row[keep], second_row[keep]
    condition, stimulus, scenario = (shown[name].values for name in ("condition", "stimulus", "scenario"))
    uncertainty = _beside(data, found)[keep]
    return Judgements(
        found.code[keep],
        condition[one],
        condition[two],
        side[keep] == 0,
        scenario[one],
        _pairs(stimulus[one], stimulus[two]),
        uncertainty,
        int((paired & (side < 0)).sum()),
    )


def agents(found: Judgements, humans: tuple[str, ...]) -> tuple[Against, ...]:
    """The judgements of each agent against humans, by name."""
    human_first, human_second = np.isin(_words(found.first), humans), np.isin(_words(found.second), humans)
    against = human_first != human_second
    other = np.where(human_first, found.second, found.first)
    result = []
    for agent in sorted({str(one) for one in other[against] if one is not None}):
        keep = against & (other == agent)
        result.append(
            Against(
                agent, found.judge[keep], (found.chose_first == human_first)[keep], found.pair[keep], found.scenario[keep],
                found.uncertainty[keep],
            )
        )  # fmt: skip
    return tuple(result)


def _words(values: ObjectArray) -> NDArray[np.str_]:
    return np.array(["" if one is None else str(one) for one in values], dtype=np.str_)


def _means(groups: IntArray, values: FloatArray) -> tuple[IntArray, FloatArray]:
    names, codes = np.unique(groups, return_inverse=True)
    return names, np.bincount(codes, weights=values, minlength=len(names)) / np.maximum(
        np.bincount(codes, minlength=len(names)), 1
    )


def _two_shown(data: Data, found: Answers) -> tuple[IntArray, IntArray]:
    """For each answer the rows of `shown` that hold its players A and B; −1 where its page has not exactly two."""
    shown = data.table("shown")
    page = data.code_of(shown) * _MOST + shown["position"].values
    asked = found.code * _MOST + found.position
    player = shown["player"].values
    places = np.full((2, len(asked)), -1, dtype=np.int64)
    known, inverse = np.unique(page, return_inverse=True)
    size = np.bincount(inverse, minlength=len(known))
    for side in (0, 1):
        row_of_page = np.full(len(known), -1, dtype=np.int64)
        rows = np.flatnonzero(player == side)
        row_of_page[inverse[rows]] = rows
        place = np.searchsorted(known, asked)
        place = np.minimum(place, max(len(known) - 1, 0))
        if len(known):
            fits = (known[place] == asked) & (size[place] == 2)
            places[side] = np.where(fits, row_of_page[place], -1)
    both = (places >= 0).all(axis=0)
    return np.where(both, places[0], -1), np.where(both, places[1], -1)


def _sides(found: Answers) -> IntArray:
    """0 and 1 for players A and B, −1 for anything else."""
    side = np.full(len(found), -1, dtype=np.int64)
    text = found.text
    side[np.fromiter((one in _FIRST for one in text), np.bool_, len(text))] = 0
    side[np.fromiter((one in _SECOND for one in text), np.bool_, len(text))] = 1
    side[found.number == 0] = 0
    side[found.number == 1] = 1
    return side


def _beside(data: Data, found: Answers) -> FloatArray:
    """The uncertainty given on the same page as each choice."""
    given = np.full(len(found), np.nan)
    if not data.has("certainty") or not len(found):
        return given
    certainty = data.answers("certainty")
    if not len(certainty):
        return given
    page = certainty.code * _MOST + certainty.position
    order = np.argsort(page, kind="stable")
    asked = found.code * _MOST + found.position
    place = np.minimum(np.searchsorted(page[order], asked), len(page) - 1)
    fits = page[order][place] == asked
    given[fits] = numbers(certainty)[order][place][fits]
    return given


def _pairs(one: ObjectArray, two: ObjectArray) -> ObjectArray:
    pairs = np.empty(len(one), dtype=object)
    pairs[:] = [" / ".join(sorted((str(a), str(b)))) for a, b in zip(one, two, strict=True)]
    return pairs

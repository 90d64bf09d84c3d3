"""The ratings of a clip survey: who rated which clip of which type how, and how experienced they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.analysis.data import Data, numbers
from believable.analysis.plan import Plan
from believable.stats.inputs import FloatArray
from believable.study.declarations.clips import TYPES

IntArray = NDArray[np.int64]
ObjectArray = NDArray[np.object_]

#: More pages than any session has, and more clips than any page: one number for session, page and clip.
_PAGES = 100_000
_CLIPS = 100


@dataclass(frozen=True, slots=True)
class Ratings:
    """One entry per rated clip.

    respondent  place of the session in `Data.sessions`
    type        place of the clip's type in `TYPES`
    rating      1 human … 5 artificial
    experience  one number per session, NaN without an answer
    place       session, page and clip as one number, to find answers about the same clip
    """

    respondent: IntArray
    type: IntArray
    stimulus: ObjectArray
    rating: FloatArray
    place: IntArray
    experience: FloatArray

    def of(self, type_: str) -> NDArray[np.bool_]:
        own: NDArray[np.bool_] = self.type == TYPES.index(type_)
        return own

    @property
    def types(self) -> tuple[str, ...]:
        """The types that were shown."""
        return tuple(name for place, name in enumerate(TYPES) if (self.type == place).any())

    def types_of(self, rows: NDArray[Any]) -> str:
        """The type of these rows, which all have the same."""
        return TYPES[int(self.type[rows][0])]

    def table(self, type_: str) -> FloatArray:
        """Respondents × clips of one type, NaN where a clip was not shown to a respondent."""
        own = self.of(type_)
        clips, columns = np.unique(self.stimulus[own].astype(str), return_inverse=True)
        made = np.full((len(self.experience), len(clips)), np.nan)
        made[self.respondent[own], columns] = self.rating[own]
        return made


def ratings(data: Data, plan: Plan) -> Ratings:
    """Every rating of a clip whose condition plays a type."""
    found = data.answers("rating")
    types = type_of_condition(plan)
    type_ = np.array([types.get(str(one), -1) for one in found.condition], dtype=np.int64)
    rating = numbers(found)
    keep = (type_ >= 0) & ~np.isnan(rating)
    return Ratings(
        found.code[keep], type_[keep], found.stimulus[keep], rating[keep],
        places(found.code, found.position, found.player)[keep], data.number_by_session("experience"),
    )  # fmt: skip


def type_of_condition(plan: Plan) -> Mapping[str, int]:
    """Each condition that plays a type, with the type's place in `TYPES`."""
    return {condition: place for place, name in enumerate(TYPES) for condition in plan.roles[name]}


def places(code: IntArray, position: IntArray, player: IntArray) -> IntArray:
    result: IntArray = (code * _PAGES + position) * _CLIPS + np.maximum(player, 0)
    return result


def beside(data: Data, role: str, wanted: IntArray) -> tuple[FloatArray, ObjectArray]:
    """Answers of another role about the same clips: as numbers (NaN) and as texts (None)."""
    number, text = np.full(len(wanted), np.nan), np.full(len(wanted), None, dtype=object)
    if not data.has(role):
        return number, text
    found = data.answers(role)
    if not len(found):
        return number, text
    place = places(found.code, found.position, found.player)
    order = np.argsort(place, kind="stable")
    at = np.minimum(np.searchsorted(place[order], wanted), len(place) - 1)
    fits = place[order][at] == wanted
    number[fits] = numbers(found)[order][at][fits]
    text[fits] = found.text[order][at][fits]
    return number, text


def times_played(data: Data, wanted: IntArray) -> FloatArray:
    """How often the player showed each of these clips to its end; NaN where it is not known."""
    shown = data.table("shown")
    counts = np.full(len(wanted), np.nan)
    if not len(shown):
        return counts
    place = places(data.code_of(shown), shown["position"].values, shown["player"].values)
    order = np.argsort(place, kind="stable")
    at = np.minimum(np.searchsorted(place[order], wanted), len(place) - 1)
    fits = place[order][at] == wanted
    counts[fits] = shown["views"].values[order][at][fits]
    return counts


def incomplete(data: Data, plan: Plan) -> dict[str, str]:
    """Sessions that lack their experience or a rating, each with what is missing."""
    experience = data.number_by_session("experience")
    found = data.answers("rating")
    open_ = np.bincount(found.code, weights=np.isnan(numbers(found)), minlength=len(data))
    given = np.bincount(found.code, minlength=len(data))
    missing: dict[str, str] = {}
    for place, session in enumerate(data.sessions):
        if np.isnan(experience[place]):
            missing[session] = "no answer about experience"
        elif given[place] == 0:
            missing[session] = "no clip rated"
        elif open_[place]:
            missing[session] = f"{int(open_[place])} of {int(given[place])} clips not rated"
    return missing


def compositions(data: Data, plan: Plan) -> tuple[int, NDArray[np.int64]]:
    """How many pages respondents rated at most, and the different mixtures of types that pages have (rows: counts by type)."""
    found = data.answers("rating")
    types = type_of_condition(plan)
    type_ = np.array([types.get(str(one), -1) for one in found.condition], dtype=np.int64)
    known = type_ >= 0
    if not known.any():
        return 0, np.zeros((0, len(TYPES)), dtype=np.int64)
    page, inverse = np.unique(found.code[known] * _PAGES + found.position[known], return_inverse=True)
    mixture = np.zeros((len(page), len(TYPES)), dtype=np.int64)
    np.add.at(mixture, (inverse, type_[known]), 1)
    most = int(np.bincount(page // _PAGES).max())
    return most, np.unique(mixture, axis=0)

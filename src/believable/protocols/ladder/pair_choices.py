"""The choices of judges between two conditions, with ties, and the model that is fitted to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from believable.analysis.claims import Claim, claim_of
from believable.analysis.data import Data
from believable.analysis.settled_plan import Plan
from believable.analysis.shown_pairs import chosen_sides, two_shown
from believable.stats.bradley_terry import BradleyTerry, bradley_terry
from believable.stats.inputs import FloatArray
from believable.stats.pairs import comparisons
from believable.stats.strength_contrasts import (
    StrengthContrast,
    StrengthRank,
    rank_strengths,
    strength_contrasts,
)

IntArray = NDArray[np.int64]
ObjectArray = NDArray[np.object_]

_WINNERS = {1.0: "left", 0.5: "tie", 0.0: "right"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairChoices:
    """One entry per choice between two conditions.

    judge          place of the session in `Data.sessions`
    position       the page in the session
    first, second  conditions of players A and B
    score          1 if A was chosen, 0 if B was, one half if neither was
    clips          the stimuli of players A and B, one row each
    side_known     whether A and B are the sides of the page; imported choices may not say
    unanswered     how many choices were left open
    alike          how many were between two clips of one condition
    """

    judge: IntArray
    position: IntArray
    first: ObjectArray
    second: ObjectArray
    score: FloatArray
    clips: ObjectArray
    side_known: NDArray[np.bool_]
    unanswered: int
    alike: int

    def __len__(self) -> int:
        return len(self.judge)

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions that were compared, sorted."""
        return tuple(sorted({*self.first.tolist(), *self.second.tolist()}))

    @property
    def judges(self) -> int:
        return len(set(self.judge.tolist()))

    def clips_of(self, condition: str) -> frozenset[str]:
        """The clips that showed this condition."""
        sides = ((self.first, 0), (self.second, 1))
        return frozenset(
            str(clip) for names, side in sides for clip in self.clips[names == condition, side]
        )

    def between(self, a: str, b: str) -> FloatArray:
        """The scores of `a` in its choices with `b`."""
        straight = (self.first == a) & (self.second == b)
        turned = (self.first == b) & (self.second == a)
        return np.concatenate([self.score[straight], 1 - self.score[turned]])


def choices(data: Data) -> PairChoices:
    """All choices between two different conditions. Both, neither, or no difference is a tie."""
    answers = data.answers("choice")
    first_row, second_row = two_shown(data, answers)
    side = chosen_sides(answers)
    shown = data.table("shown")
    condition, stimulus = shown["condition"].values, shown["stimulus"].values
    paired = first_row >= 0
    answered = np.fromiter((text is not None for text in answers.text), np.bool_, len(answers))
    answered |= ~np.isnan(answers.number)
    known = paired & (condition[first_row] != None) & (condition[second_row] != None)  # noqa: E711
    apart = known & (condition[first_row] != condition[second_row])
    keep = np.flatnonzero(apart & answered)
    first, second = first_row[keep], second_row[keep]
    label = shown["label"].missing
    return PairChoices(
        judge=answers.code[keep],
        position=answers.position[keep],
        first=condition[first],
        second=condition[second],
        score=np.select([side[keep] == 0, side[keep] == 1], [1.0, 0.0], 0.5),
        clips=np.stack([stimulus[first], stimulus[second]], 1),
        side_known=~(label[first] | label[second]),
        unanswered=int((apart & ~answered).sum()),
        alike=int((known & ~apart & answered).sum()),
    )


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """The choices, and the model of all of them.

    names  the conditions that were compared, in the order of the study
    """

    choices: PairChoices
    names: tuple[str, ...]
    plan: Plan
    fit: BradleyTerry

    @property
    def people(self) -> str | None:
        """The condition that shows people, if it was compared."""
        people = self.plan.role("people")
        return people if people in self.names else None

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every pair, as a hypothesis names it; else in the order of the study."""
        claimed = {claim.about for claim in self.plan.declared.hypotheses}
        return tuple(
            (b, a) if f"{b}-{a}" in claimed and f"{a}-{b}" not in claimed else (a, b)
            for a, b in combinations(self.names, 2)
        )

    @cached_property
    def contrasts(self) -> tuple[StrengthContrast, ...]:
        """Every pair, with the side of the test that its hypothesis names."""
        sides = {
            (a, b): self.plan.alternative("strength", f"{a}-{b}")
            for a, b in self.pairs
            if any(claim.about for claim in self.plan.hypotheses("strength", f"{a}-{b}"))
        }
        return strength_contrasts(
            self.fit, pairs=self.pairs, alternatives=sides, level=self.plan.level
        )

    @cached_property
    def ranks(self) -> tuple[StrengthRank, ...]:
        """The ranks that two-sided contrasts of all pairs leave open."""
        two_sided = strength_contrasts(self.fit, pairs=self.pairs, level=self.plan.level)
        return rank_strengths(self.fit, two_sided, alpha=self.plan.alpha)

    @cached_property
    def claim(self) -> Claim:
        """Whom the verdicts are about."""
        each = [self.choices.clips_of(name) for name in self.names]
        return claim_of(
            self.plan,
            frozenset().union(*each),
            subject="the agents",
            least=min(map(len, each), default=0),
        )

    def ordered(self) -> tuple[str, ...]:
        """The conditions, strongest first; in the order of the study without an estimate."""
        values = {name: self.fit.of(name).value for name in self.names}
        return tuple(sorted(self.names, key=lambda name: -(values[name] or 0.0)))


def fit_ladder(data: Data, plan: Plan) -> Ladder | None:
    """The model of all choices; None without any."""
    judged = choices(data)
    if not len(judged):
        return None
    by_clip = plan.over == "both" and not any(clip is None for clip in judged.clips.ravel())
    compared = comparisons(
        judged.first.tolist(),
        judged.second.tolist(),
        [_WINNERS[score] for score in judged.score.tolist()],
        judges=judged.judge.tolist(),
        clips=(judged.clips[:, 0].tolist(), judged.clips[:, 1].tolist()) if by_clip else None,
    )
    found = judged.conditions
    names = tuple(name for name in data.conditions if name in found)
    return Ladder(
        choices=judged,
        names=(*names, *(name for name in found if name not in names)),
        plan=plan,
        fit=bradley_terry(compared, level=plan.level),
    )

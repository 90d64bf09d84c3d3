"""Find what gives conditions away: artifacts stop a study, behavior is information.

Every two conditions that are compared within scenarios are tested, artifacts and behavior each as
one family of features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import numpy as np

from believable.giveaways.exhibits import COMPARED, Exhibit, Kind
from believable.giveaways.pair_guess import TOGETHER, FeatureGuess, PairGuesses, guess_pairs
from believable.motion.motion_track import Floats
from believable.stimuli.artifacts import FEWEST, ArtifactTrait

KINDS: tuple[Kind, ...] = ("artifact", "behavior")
#: The moment that shows a difference has this length.
MOMENT_S = 1.0
#: With fewer pairs no p can be .05 or less.
FEWEST_PAIRS = 6
#: With this number of pairs a difference with one sign in all of them is a poor chance even among
#: all features.
MANY_PAIRS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Where a curve is least like those of the other condition, in a stimulus."""

    stimulus: str
    at_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Giveaway:
    """A feature by which two conditions differ above chance. `means` has the mean of each
    condition; `moment` the second that shows it best, if it has a curve.
    """

    kind: Kind
    first: str
    second: str
    guess: FeatureGuess
    pairs: int
    means: tuple[float, float]
    about: str
    cure: str
    curve: str
    moment: Moment | None

    def __str__(self) -> str:
        one, other = (self.first, self.second)
        count = max(self.guess.larger, self.guess.smaller)
        larger, smaller = (one, other) if self.guess.larger >= self.guess.smaller else (other, one)
        chance = f"p = {self.guess.p_value:.3g}, of all features {self.guess.p_adjusted:.3g}"
        if self.guess.feature == TOGETHER:
            return (
                f"{self.kind}s together guess {one} or {other} right in {self.guess.guessed:.0%} of"
                f" {self.pairs} pairs ({chance})"
            )
        return (
            f"{self.about} is larger in {larger} than in {smaller} in {count} of {self.pairs} pairs"
            f" ({one} {_short(self.means[0])}, {other} {_short(self.means[1])}; guessed"
            f" {self.guess.guessed:.0%}, {chance})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedConditions:
    """Two conditions and the guesses of each kind of feature; None if there are too few pairs."""

    first: str
    second: str
    pairs: int
    artifact: PairGuesses | None
    behavior: PairGuesses | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Giveaways:
    """The giveaways of a study. `without_test` are conditions with too few pairs for a test.
    `orders` are sentences about conditions that the order of stimuli reveals.
    """

    n_stimuli: int
    compared: tuple[ComparedConditions, ...]
    found: tuple[Giveaway, ...]
    orders: tuple[str, ...] = ()

    def of(self, kind: Kind) -> tuple[Giveaway, ...]:
        return tuple(giveaway for giveaway in self.found if giveaway.kind == kind)

    @property
    def without_test(self) -> tuple[ComparedConditions, ...]:
        return tuple(pair for pair in self.compared if pair.pairs < FEWEST_PAIRS)


def _short(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def find_giveaways(exhibits: Sequence[Exhibit], rng: np.random.Generator) -> Giveaways:
    """Compare every two conditions that share scenarios."""
    compared, found = [], []
    for first, second in combinations(sorted({shown.condition for shown in exhibits}), 2):
        pairs = _pairs(exhibits, first, second)
        if not pairs:
            continue
        guesses: dict[Kind, PairGuesses | None] = {}
        for kind in KINDS:
            differences = _differences(pairs, kind)
            guesses[kind] = (
                guess_pairs(differences, rng) if differences and len(pairs) > 1 else None
            )
            found += _giveaways(guesses[kind], pairs, kind, (first, second))
        compared.append(
            ComparedConditions(
                first=first,
                second=second,
                pairs=len(pairs),
                artifact=guesses["artifact"],
                behavior=guesses["behavior"],
            )
        )
    return Giveaways(n_stimuli=len(exhibits), compared=tuple(compared), found=tuple(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExhibitPair:
    """The stimuli of two conditions in one scenario."""

    scenario: str
    first: tuple[Exhibit, ...]
    second: tuple[Exhibit, ...]

    def values(self, name: str) -> tuple[float, float] | None:
        """The middle value of each condition; None unless all of them have it."""
        sides = [[shown.values.get(name) for shown in side] for side in (self.first, self.second)]
        if any(value is None for side in sides for value in side):
            return None
        one, other = (median(value for value in side if value is not None) for side in sides)
        return one, other


def _pairs(exhibits: Sequence[Exhibit], first: str, second: str) -> list[ExhibitPair]:
    """By scenario. Without any common scenario, stimuli are paired in the order of their names."""
    sides: dict[str, dict[str, list[Exhibit]]] = {first: {}, second: {}}
    for shown in exhibits:
        if shown.condition in sides and shown.scenario is not None:
            sides[shown.condition].setdefault(shown.scenario, []).append(shown)
    common = sorted(sides[first].keys() & sides[second].keys())
    if len(common) == 1:
        return _in_order(sides[first][common[0]], sides[second][common[0]])
    if common:
        return [
            ExhibitPair(
                scenario=name, first=tuple(sides[first][name]), second=tuple(sides[second][name])
            )
            for name in common
        ]
    if any(_has_partner(exhibits, condition) for condition in (first, second)):
        return []
    return _in_order(
        [shown for shown in exhibits if shown.condition == first],
        [shown for shown in exhibits if shown.condition == second],
    )


def _has_partner(exhibits: Sequence[Exhibit], condition: str) -> bool:
    """Whether it is shown against another condition; then judges never compare it with the rest."""
    own = {shown.scenario for shown in exhibits if shown.condition == condition}
    return any(
        shown.scenario in own
        for shown in exhibits
        if shown.condition != condition and shown.scenario is not None
    )


def _in_order(first: Sequence[Exhibit], second: Sequence[Exhibit]) -> list[ExhibitPair]:
    return [
        ExhibitPair(scenario=f"{number}", first=(one,), second=(other,))
        for number, (one, other) in enumerate(
            zip(
                sorted(first, key=lambda shown: shown.name),
                sorted(second, key=lambda shown: shown.name),
                strict=False,
            ),
            1,
        )
    ]


def _differences(pairs: Sequence[ExhibitPair], kind: Kind) -> dict[str, list[float]]:
    found = {}
    for name, feature in COMPARED.items():
        values = [pair.values(name) for pair in pairs]
        some = [value for value in values if value is not None]
        if feature.kind != kind or len(some) < len(pairs):
            continue
        found[name] = [difference(feature.trait, *value) for value in some]
    return found


def difference(trait: ArtifactTrait, left: float, right: float) -> float:
    """Left less right; 0 if a judge cannot notice it."""
    return left - right if trait.sign(left, right) else 0.0


def _giveaways(
    guesses: PairGuesses | None,
    pairs: Sequence[ExhibitPair],
    kind: Kind,
    conditions: tuple[str, str],
) -> list[Giveaway]:
    if guesses is None:
        return []
    found = []
    for guess in guesses.by_consistency:
        if not counts_as_found(guess, kind, guesses.pairs):
            continue
        feature = COMPARED.get(guess.feature)
        values = [] if feature is None else [pair.values(guess.feature) for pair in pairs]
        some = [value for value in values if value is not None]
        curve = "" if feature is None else feature.curve
        found.append(
            Giveaway(
                kind=kind,
                first=conditions[0],
                second=conditions[1],
                guess=guess,
                pairs=guesses.pairs,
                means=(
                    float(np.mean([value[0] for value in some])) if some else 0.0,
                    float(np.mean([value[1] for value in some])) if some else 0.0,
                ),
                about="" if feature is None else feature.trait.words,
                cure="" if feature is None else feature.cure,
                curve=curve,
                moment=find_moment(pairs, curve) if curve else None,
            )
        )
    return found


def counts_as_found(guess: FeatureGuess, kind: Kind, pairs: int) -> bool:
    """Whether a feature is above chance among all of its kind, or has one sign in every pair.

    One sign counts for behavior from six pairs on and for the pictures from nine. For what belongs
    to the file it counts from three: judges learn it, and making it equal costs nothing.
    """
    if guess.above_chance:
        return True
    feature = COMPARED.get(guess.feature)
    if feature is None or not guess.has_one_sign:
        return False
    if feature.delivery:
        return pairs >= FEWEST
    return pairs >= (FEWEST_PAIRS if kind == "behavior" else MANY_PAIRS)


def typical_pair(pairs: Sequence[ExhibitPair], curve: str) -> ExhibitPair | None:
    """The pair that shows a curve best: the one whose curves differ by the middle amount."""
    sized = []
    for pair in pairs:
        one, other = (side[0].curves.get(curve) for side in (pair.first, pair.second))
        if one is not None and other is not None:
            sized.append((abs(float(one[1].std() - other[1].std())), pair))
    ordered = [pair for _, pair in sorted(sized, key=lambda entry: entry[0])]
    return ordered[len(ordered) // 2] if ordered else None


def pairs_of(exhibits: Sequence[Exhibit], giveaway: Giveaway) -> list[ExhibitPair]:
    return _pairs(exhibits, giveaway.first, giveaway.second)


def find_moment(pairs: Sequence[ExhibitPair], curve: str) -> Moment | None:
    """The second in which a curve leaves the range of the other condition most."""
    pair = typical_pair(pairs, curve)
    if pair is None:
        return None
    best: tuple[float, Moment] | None = None
    for own, other in ((pair.first[0], pair.second[0]), (pair.second[0], pair.first[0])):
        times, values = own.curves[curve]
        low, high = np.percentile(other.curves[curve][1], [2, 98])
        outside = np.maximum(values - high, low - values).clip(0)
        step = max(1, round(MOMENT_S / max(1e-6, float(np.median(np.diff(times))))))
        smooth = _running_sum(outside, step)
        at = int(smooth.argmax())
        if best is None or smooth[at] > best[0]:
            best = (float(smooth[at]), Moment(stimulus=own.name, at_s=float(times[at])))
    return None if best is None or best[0] == 0 else best[1]


def _running_sum(values: Floats, width: int) -> Floats:
    if len(values) <= width:
        return np.array([values.sum()])
    return np.asarray(np.convolve(values, np.ones(width), "valid"))

"""How well can a judge guess which of a pair is which, from one number of each?

Judges compare within pairs, and so do these tests: labels are swapped within pairs, never over all
stimuli. A difference that is smaller than the spread between pairs, but has one sign in every pair,
is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from believable.core.deferred import stats
from believable.core.errors import InvalidInput
from believable.motion.motion_track import Floats

#: Up to this number of pairs every swap is tried; with more, `SWAPS` random ones.
EXACT_PAIRS = 12
SWAPS = 4999
#: Of one family of features; the rest of 5 % is left for differences with one sign in every pair.
ALPHA = 0.03
#: The name of the guess from all features together.
TOGETHER = "together"
#: Statistics closer than this are ties.
_TIE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureGuess:
    """How well one feature distinguishes two conditions.

    guessed     share of pairs that are guessed right by a judge who knows all other pairs
    larger      pairs in which the first condition has the larger value; `smaller`, `equal` likewise
    p_value     chance of a difference as consistent, if labels within pairs are arbitrary
    p_adjusted  the same for the most consistent of all features that were tried
    """

    feature: str
    guessed: float
    larger: int
    smaller: int
    equal: int
    p_value: float
    p_adjusted: float

    @property
    def above_chance(self) -> bool:
        return self.p_adjusted <= ALPHA

    @property
    def has_one_sign(self) -> bool:
        """Whether the same condition has the larger value in every pair."""
        return self.equal == 0 and not (self.larger and self.smaller)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairGuesses:
    """The guesses of a family of features over the same pairs. `least_p` is the smallest p that
    this number of pairs can give.
    """

    pairs: int
    least_p: float
    features: tuple[FeatureGuess, ...]

    @property
    def by_consistency(self) -> tuple[FeatureGuess, ...]:
        """The most consistent first."""
        return tuple(
            sorted(
                self.features, key=lambda guess: (guess.p_adjusted, guess.p_value, -guess.guessed)
            )
        )

    @property
    def found(self) -> tuple[FeatureGuess, ...]:
        """Those above chance, the most consistent first."""
        return tuple(guess for guess in self.by_consistency if guess.above_chance)


def guess_pairs(
    differences: Mapping[str, Sequence[float]], rng: np.random.Generator
) -> PairGuesses:
    """Return how well each feature, and all of them together, guess the conditions of pairs.

    differences  of each feature: first condition less second, one number per pair
    Statistic    Wilcoxon's signed ranks, |Σ sign(d) rank |d||; together: pairs that are guessed
                 right from all features
    Null         every swap of labels within pairs (up to 12 pairs), or 4,999 random ones; adjusted
                 over features by the smallest p of each swap (Westfall and Young 1993)
    Undefined    fewer than two pairs: an error
    Checked      scipy.stats.wilcoxon (exact)
    """
    names = list(differences)
    if not names:
        raise InvalidInput("guess: expected one feature or more, got none.")
    values = np.array([differences[name] for name in names], np.float64).T
    if values.ndim != 2 or len(values) < 2 or not np.isfinite(values).all():
        raise InvalidInput(
            f"guess: expected finite differences of two pairs or more, got {values.shape[0]} pairs."
        )
    n = len(values)
    signs = _swaps(n, rng)
    ranks = _signed_ranks(values)
    statistics = np.abs(signs @ ranks)
    scaled = _scale(values)
    together = _guess_rates(scaled, signs)
    statistics = np.column_stack([statistics, together])
    chances = _chances(statistics)
    least = chances.min(axis=1)
    rates = [_guess_rates(ranks[:, [number]], signs[:1])[0] for number in range(len(names))]
    return PairGuesses(
        pairs=n,
        least_p=2 / 2**n if n <= EXACT_PAIRS else 1 / (SWAPS + 1),
        features=tuple(
            FeatureGuess(
                feature=name,
                guessed=float(rate),
                larger=int((column > 0).sum()),
                smaller=int((column < 0).sum()),
                equal=int((column == 0).sum()),
                p_value=float(chances[0, number]),
                p_adjusted=float((least <= chances[0, number] + _TIE).mean()),
            )
            for number, (name, rate, column) in enumerate(
                zip(
                    [*names, TOGETHER], [*rates, together[0]], [*values.T, np.zeros(n)], strict=True
                )
            )
        ),
    )


def _swaps(n: int, rng: np.random.Generator) -> Floats:
    """Signs for each pair; the first row is the labels as they are."""
    if n <= EXACT_PAIRS:
        return np.array(list(product((1.0, -1.0), repeat=n)))
    drawn = rng.choice([1.0, -1.0], (SWAPS, n))
    return np.vstack([np.ones(n), drawn])


def _signed_ranks(values: Floats) -> Floats:
    """Ranks of the sizes of differences that are not 0, with their signs; 0 stays 0."""
    ranks = np.zeros_like(values)
    for number, column in enumerate(values.T):
        some = column != 0
        ranks[some, number] = stats.rankdata(np.abs(column[some])) * np.sign(column[some])
    return ranks


def _scale(values: Floats) -> Floats:
    spread = np.sqrt((values**2).mean(axis=0))
    some = spread > 0
    return np.asarray(values[:, some] / spread[some])


def _guess_rates(values: Floats, signs: Floats) -> Floats:
    """Of each swap, the share of pairs guessed right, each by the mean difference of all others."""
    products = values @ values.T
    scores = signs * (signs @ products) - np.diag(products)
    right = np.where(np.abs(scores) < _TIE, 0.5, scores > 0)
    return np.asarray(right.mean(axis=1))


def _chances(statistics: Floats) -> Floats:
    """Of each swap and statistic, the share of all swaps whose statistic is as large."""
    n = len(statistics)
    chances = np.empty_like(statistics)
    for number, column in enumerate(statistics.T):
        ordered = np.sort(column)
        chances[:, number] = (n - np.searchsorted(ordered, column - _TIE)) / n
    return chances

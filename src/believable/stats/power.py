"""How many participants, or how much power: give one of n and power, get the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special, stats

from believable.core.errors import InvalidInput
from believable.stats.result import Alternative, check_alternative

_LARGEST_N = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerResult:
    """A planned test.

    n        the given number, or the smallest whole number that reaches the wanted power
    n_exact  the unrounded solution, where power is a smooth function of n; None otherwise
    power    at `n`
    alpha    nominal; `size` the true chance of a false alarm, where the test is discrete
    unit     what n counts
    """

    n: int
    power: float
    effect: float
    alpha: float
    alternative: Alternative
    method: str
    unit: str
    n_exact: float | None = None
    size: float | None = None


def paired_t(
    d: float,
    *,
    n: int | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> PowerResult:
    """Paired t test for a standardised mean difference `d` (dz).

    Formula      noncentral t with noncentrality d·sqrt(n), both tails counted. d = .5, alpha .05
                 two-sided, power .80 needs 33.37, so 34 pairs.
    Checked      R pwr::pwr.t.test(type = "paired"), power.t.test.
    """
    side = _check(alpha, alternative)
    _check_effect(d, side, null=0.0, name="d")

    def power_at(pairs: float) -> float:
        df, shift = pairs - 1, d * math.sqrt(pairs)
        return _two_tails(
            lambda q: float(special.stdtrit(df, q)),
            lambda t: float(special.nctdtr(df, shift, t)),
            alpha,
            side,
        )

    return _smooth(
        power_at,
        n,
        power,
        least=2,
        effect=d,
        alpha=alpha,
        side=side,
        method="paired t test, noncentral t",
        unit="pairs",
    )


def correlation(
    r: float,
    *,
    n: int | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> PowerResult:
    """Test of a Pearson correlation against 0.

    Formula      Fisher's z with its bias r/(2(n − 1)), against the z of the t test's critical r.
    Range        −1 < r < 1, r ≠ 0.
    Checked      R pwr::pwr.r.test.
    """
    side = _check(alpha, alternative)
    if not -1 < r < 1:
        raise InvalidInput(f"r: expected a correlation between −1 and 1, got {r!r}.")
    _check_effect(r, side, null=0.0, name="r")

    def power_at(pairs: float) -> float:
        df, root = pairs - 2, math.sqrt(pairs - 3)
        shift = math.atanh(r) + r / (2 * (pairs - 1))

        def critical(q: float) -> float:
            t = float(special.stdtrit(df, q))
            return math.atanh(t / math.sqrt(t * t + df))

        return _two_tails(critical, lambda z: float(special.ndtr((z - shift) * root)), alpha, side)

    return _smooth(
        power_at,
        n,
        power,
        least=4,
        effect=r,
        alpha=alpha,
        side=side,
        method="correlation test, Fisher z",
        unit="pairs",
    )


def mann_whitney(
    superiority: float,
    *,
    n: int | None = None,
    power: float | None = None,
    share_first: float = 0.5,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> PowerResult:
    """Mann-Whitney test, for the chance that a value of the first group lies above one of the
    second.

    superiority  P(a > b) + P(a = b)/2; .5 is no effect. For normal data with difference d it is
                 Φ(d/√2).
    n            both groups together, `share_first` of them in the first
    Formula      Noether's: z = sqrt(12·c·(1 − c)·n)·|superiority − .5|, c = share_first. An
                 approximation, good near .5; simulate for superiority above .8.
    Source       Noether (1987).
    Checked      the same formula in R (qnorm), and simulated power in the tests.
    """
    side = _check(alpha, alternative)
    if not 0 < superiority < 1 or not 0 < share_first < 1:
        raise InvalidInput(
            f"superiority, share_first: expected numbers between 0 and 1, got {superiority!r} and"
            f" {share_first!r}."
        )
    _check_effect(superiority, side, null=0.5, name="superiority")
    rate = math.sqrt(12 * share_first * (1 - share_first)) * (superiority - 0.5)

    def power_at(total: float) -> float:
        shift = rate * math.sqrt(total)
        return _two_tails(
            lambda q: float(special.ndtri(q)), lambda z: float(special.ndtr(z - shift)), alpha, side
        )

    return _smooth(
        power_at,
        n,
        power,
        least=2,
        effect=superiority,
        alpha=alpha,
        side=side,
        method="Mann-Whitney test, Noether's formula",
        unit="participants in both groups",
    )


def binomial(
    share: float,
    *,
    null: float = 0.5,
    n: int | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> PowerResult:
    """The exact binomial test of a share against `null`.

    Formula      the chance, under `share`, of the outcomes the exact test rejects. Power is a
                 saw-tooth in n: the result is the smallest n from which no larger n falls below the
                 wanted power again.
    Checked      R: sums of dbinom over the outcomes with binom.test p ≤ alpha.
    """
    side = _check(alpha, alternative)
    if not 0 <= share <= 1 or not 0 < null < 1:
        raise InvalidInput(
            f"share, null: expected shares between 0 and 1, got {share!r} and {null!r}."
        )
    _check_effect(share, side, null=null, name="share")
    _one_given(n, power)

    def at(trials: int) -> tuple[float, float]:
        rejected = _rejection_mask(trials, null, alpha, side)
        outcomes = np.arange(trials + 1)
        return (
            float(stats.binom.pmf(outcomes, trials, share)[rejected].sum()),
            float(stats.binom.pmf(outcomes, trials, null)[rejected].sum()),
        )

    needed = (
        int(n)
        if n is not None
        else _last_below(lambda trials: at(trials)[0], float(power or 0), share, null, alpha, side)
    )
    reached, size = at(needed)
    return PowerResult(
        n=needed,
        power=reached,
        effect=share,
        alpha=alpha,
        alternative=side,
        method="exact binomial test",
        unit="choices",
        n_exact=None,
        size=size,
    )


def _check(alpha: float, alternative: str) -> Alternative:
    if not 0 < alpha < 1:
        raise InvalidInput(
            f"alpha: expected a number between 0 and 1, got {alpha!r}. For 5 % give 0.05."
        )
    return check_alternative(alternative)


def _check_effect(effect: float, side: Alternative, *, null: float, name: str) -> None:
    if not math.isfinite(effect) or effect == null:
        raise InvalidInput(
            f"{name}: expected an effect other than {null:g}, got {effect!r}. Without one there is"
            " nothing to detect."
        )
    if (side == "greater" and effect < null) or (side == "less" and effect > null):
        raise InvalidInput(
            f"{name}: {effect!r} lies on the other side of {null:g} than alternative={side!r}."
        )


def _one_given(n: int | None, power: float | None) -> None:
    if (n is None) == (power is None):
        raise InvalidInput(
            f"n, power: expected exactly one of them, got n={n!r} and power={power!r}."
        )
    if power is not None and not 0 < power < 1:
        raise InvalidInput(
            f"power: expected a number between 0 and 1, got {power!r}. For 80 % give 0.8."
        )


def _two_tails(
    quantile: Callable[[float], float],
    cdf: Callable[[float], float],
    alpha: float,
    side: Alternative,
) -> float:
    """The chance under the effect of lying outside the critical values."""
    if side == "two-sided":
        chance = 1 - cdf(quantile(1 - alpha / 2)) + cdf(quantile(alpha / 2))
    else:
        chance = 1 - cdf(quantile(1 - alpha)) if side == "greater" else cdf(quantile(alpha))
    return (
        1.0 if math.isnan(chance) else chance
    )  # an effect so large that the library's distribution gives up


def _smooth(
    power_at: Callable[[float], float],
    n: int | None,
    power: float | None,
    *,
    least: int,
    effect: float,
    alpha: float,
    side: Alternative,
    method: str,
    unit: str,
) -> PowerResult:
    _one_given(n, power)
    if n is not None:
        if n < least:
            raise InvalidInput(f"n: expected at least {least}, got {n}.")
        return PowerResult(
            n=n,
            power=power_at(n),
            effect=effect,
            alpha=alpha,
            alternative=side,
            method=method,
            unit=unit,
        )
    wanted = float(power or 0)
    low, high = float(least), float(2 * least)
    if power_at(low) >= wanted:
        return PowerResult(
            n=least,
            power=power_at(least),
            effect=effect,
            alpha=alpha,
            alternative=side,
            method=method,
            unit=unit,
            n_exact=low,
        )
    while power_at(high) < wanted:
        high *= 2
        if high > _LARGEST_N:
            raise InvalidInput(
                f"effect: {effect!r} needs more than {_LARGEST_N} {unit}. Plan for a larger effect."
            )
    exact = float(optimize.brentq(lambda size: power_at(size) - wanted, low, high, xtol=1e-9))
    whole = math.ceil(exact - 1e-9)
    return PowerResult(
        n=whole,
        power=power_at(whole),
        effect=effect,
        alpha=alpha,
        alternative=side,
        method=method,
        unit=unit,
        n_exact=exact,
    )


def _rejection_mask(
    n: int, null: float, alpha: float, side: Alternative
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which numbers of successes the exact test rejects."""
    outcomes = np.arange(n + 1)
    if side == "greater":
        p: np.ndarray[tuple[int], np.dtype[np.float64]] = stats.binom.sf(outcomes - 1, n, null)
    elif side == "less":
        p = stats.binom.cdf(outcomes, n, null)
    else:
        chances = stats.binom.pmf(outcomes, n, null)
        order = np.sort(chances)
        # As in R: outcomes no likelier than the observed one, equal up to rounding.
        p = np.concatenate([[0.0], np.cumsum(order)])[
            np.searchsorted(order, chances * (1 + 1e-7), side="right")
        ]
    result: np.ndarray[tuple[int], np.dtype[np.bool_]] = p <= alpha
    return result


def _last_below(
    power_at: Callable[[int], float],
    wanted: float,
    share: float,
    null: float,
    alpha: float,
    side: Alternative,
) -> int:
    """One more than the last n whose power is below `wanted`, searched past the normal
    approximation's answer.
    """
    tails = 2 if side == "two-sided" else 1
    z = float(special.ndtri(1 - alpha / tails)), float(special.ndtri(wanted))
    spread = z[0] * math.sqrt(null * (1 - null)) + max(z[1], 0.0) * math.sqrt(share * (1 - share))
    guess = (spread / (share - null)) ** 2
    if guess > 1e5:
        raise InvalidInput(
            f"share: {share!r} is so close to {null:g} that about {guess:.0f} choices are needed."
            " Plan for a larger effect."
        )
    top = math.ceil(guess * 1.5) + 40
    while min(power_at(n) for n in range(top - 10, top + 1)) < wanted:
        top *= 2
    for n in range(top, 0, -1):
        if power_at(n) < wanted:
            return n + 1
    return 1

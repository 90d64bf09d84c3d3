"""Which of several agents is judged more human, from comparisons of two at a time."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize, special, stats
from scipy.sparse import csgraph, csr_matrix

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray, one_of
from believable.stats.resample import bootstrap

WINNERS = ("left", "right", "tie")
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Pairs shown and their outcomes, by position in `items`; 1 left won, 0 right won, ½ tie."""

    items: tuple[str, ...]
    left: IntArray
    right: IntArray
    score: FloatArray
    judges: IntArray | None

    @property
    def n(self) -> int:
        return len(self.score)


def comparisons(
    left: Sequence[Hashable],
    right: Sequence[Hashable],
    winner: Sequence[str],
    *,
    judges: Sequence[Hashable] | None = None,
) -> Comparisons:
    """Check and code a list of comparisons; `winner` is "left", "right" or "tie" for each."""
    lengths = {len(left), len(right), len(winner)} | ({len(judges)} if judges is not None else set())
    if len(lengths) > 1:
        raise InvalidInput(f"left, right, winner, judges: expected one length, got {sorted(lengths)}.")
    for row, (a, b, won) in enumerate(zip(left, right, winner, strict=True)):
        if won not in WINNERS:
            raise InvalidInput(
                f"winner[{row}]: unknown value {won!r}. {did_you_mean(str(won), list(WINNERS))}"
            )
        if a == b:
            raise InvalidInput(f"left[{row}]: {a!r} is compared with itself. Leave the row out.")
    items = tuple(sorted({str(item) for item in left} | {str(item) for item in right}))
    place = {item: index for index, item in enumerate(items)}
    codes = [np.array([place[str(item)] for item in side], dtype=np.int64) for side in (left, right)]
    score = np.array([{"left": 1.0, "right": 0.0, "tie": 0.5}[won] for won in winner])
    by_judge = None
    if judges is not None:
        by_judge = np.unique(np.array([str(judge) for judge in judges]), return_inverse=True)[1].astype(
            np.int64
        )
    return Comparisons(items, codes[0], codes[1], score, by_judge)


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """A fitted paired-comparison model.

    items           sorted by name; `log_strength` in the same order, centred so that they sum to 0
    strength        exp(log strength), scaled to sum to 1; None for an item without estimate
    tie             the Davidson tie parameter ν (0: never a tie); None for other treatments of ties
    """

    items: tuple[str, ...]
    log_strength: tuple[Estimate, ...]
    strength: tuple[float | None, ...]
    tie: Estimate | None
    log_likelihood: float | None
    n: int
    ties: str
    method: str
    reason: str | None = None
    notes: tuple[str, ...] = ()

    def of(self, item: str) -> Estimate:
        """The log strength of that item."""
        if item not in self.items:
            raise InvalidInput(f"item: unknown name {item!r}. {did_you_mean(item, list(self.items))}")
        return self.log_strength[self.items.index(item)]


def bradley_terry(data: Comparisons, *, ties: str = "davidson", level: float = 0.95) -> BradleyTerry:
    """The Bradley-Terry model: P(i beats j) = s_i/(s_i + s_j).

    Says         how strongly each item is preferred, on one scale, although nobody saw all of them at once.
    ties         "davidson" (default): a tie has probability proportional to ν·sqrt(s_i·s_j), ν estimated;
                 "half": a tie is half a win for both (common in rating systems; intervals are then too short for
                 the value of a tie and are taken from the sandwich); "drop": ties are left out and counted.
    Intervals    of the centred log strengths. With judges in the data: clustered by judge (sandwich with the
                 correction J/(J − 1), t with J − 1 degrees of freedom), since one judge's choices hang
                 together; otherwise from the curvature of the likelihood ("half": sandwich over comparisons).
    Undefined    items that never beat, or never lose to, the rest have no finite strength: the result says
                 which groups of items are not linked by wins in both directions, and gives no numbers.
    Source       Bradley & Terry (1952), Davidson (1970), Zeger & Liang (1986) for the sandwich.
    Checked      R BradleyTerry2::BTm and glm; scores of the Python library evalica (ties "half", and its
                 Newman scores, which are Davidson's model).
    """
    check_level(level)
    one_of(ties, ("davidson", "half", "drop"), name="ties")
    notes: tuple[str, ...] = ()
    used = data
    if ties == "drop":
        kept = data.score != 0.5
        used = Comparisons(
            data.items,
            data.left[kept],
            data.right[kept],
            data.score[kept],
            None if data.judges is None else data.judges[kept],
        )
        lost = data.n - used.n
        notes = (f"{lost} tie(s) left out",) if lost else ()
    model = ties if ties != "davidson" or (used.score == 0.5).any() else "davidson without ties"
    method = f"Bradley-Terry, ties: {model}"
    reason = _not_linked(used) or _runs_away(used, ties)
    if reason:
        none = tuple(undefined(reason, method=method, n=used.n, level=level) for _ in used.items)
        return BradleyTerry(
            used.items, none, (None,) * len(used.items), None, None, used.n, ties, method, reason, notes
        )
    return _fit(used, ties, level, method, notes)


@dataclass(frozen=True, slots=True)
class WinRate:
    """How one item did.

    share    of its comparisons won, ties counting half; interval by judge when judges are known
    average  the mean over opponents of the share won against each, so that uneven pairing does not matter
    score    wins plus half the ties
    """

    item: str
    wins: int
    losses: int
    ties: int
    share: Estimate
    average: float | None
    score: float


def win_rates(
    data: Comparisons, *, rng: np.random.Generator | None = None, level: float = 0.95
) -> tuple[WinRate, ...]:
    """Wins, losses and shares of every item, sorted by name.

    Interval     without judges in the data: Wilson's for an item that never tied, otherwise a t interval of
                 the scores 0, ½, 1. With judges: expanded percentile bootstrap over judges (needs `rng`).
    Undefined    a share without comparisons.
    Checked      the Python library evalica (average win rate, counting).
    """
    check_level(level)
    if data.judges is not None and rng is None:
        raise InvalidInput("rng: expected a generator, since intervals by judge are bootstrapped; got None.")
    return tuple(_win_rate(data, index, rng, level) for index in range(len(data.items)))


@dataclass(frozen=True, slots=True)
class Elo:
    """Ratings after all comparisons, items sorted by name."""

    items: tuple[str, ...]
    rating: tuple[float, ...]
    n: int
    method: str


def elo(data: Comparisons, *, k: float = 4.0, start: float = 1000.0, scale: float = 400.0) -> Elo:
    """Elo ratings, updated comparison by comparison in the order given.

    Formula      expected = 1/(1 + 10^((R_j − R_i)/scale)); R_i += k·(score − expected), tie ½.
    Says         a running rating for live leaderboards. It depends on the order and has no interval: for a
                 study use `bradley_terry`, whose result does not.
    Undefined    never: items come from the comparisons, and without any the result is empty.
    Source       Elo (1978). Checked against the Python library evalica.
    """
    for name, value in (("k", k), ("scale", scale)):
        if not (math.isfinite(value) and value > 0):
            raise InvalidInput(f"{name}: expected a positive number, got {value!r}.")
    rating = np.full(len(data.items), float(start))
    for i, j, score in zip(data.left, data.right, data.score, strict=True):
        change = k * (score - 1 / (1 + 10 ** ((rating[j] - rating[i]) / scale)))
        rating[i] += change
        rating[j] -= change
    return Elo(data.items, tuple(float(value) for value in rating), data.n, f"Elo (k={k:g}, scale={scale:g})")


def _not_linked(data: Comparisons) -> str | None:
    """Why there is no finite estimate: items must be linked by wins (or ties) in both directions."""
    size = len(data.items)
    if data.n == 0:
        return "no comparisons"
    beats = np.concatenate([data.left[data.score > 0], data.right[data.score < 1]])
    beaten = np.concatenate([data.right[data.score > 0], data.left[data.score < 1]])
    graph = csr_matrix((np.ones(len(beats)), (beats, beaten)), shape=(size, size))
    count, labels = csgraph.connected_components(graph, directed=True, connection="strong")
    if count == 1:
        return None
    groups = [[data.items[i] for i in np.flatnonzero(labels == label)] for label in range(count)]
    shown = "; ".join(", ".join(group) for group in groups[:5])
    return f"not linked by wins in both directions: {shown}"


def _runs_away(data: Comparisons, ties: str) -> str | None:
    """With Davidson's ties, links alone do not ensure a finite estimate: is there a direction of strengths and tie
    parameter that makes no answer less likely and some more so? A linear program decides."""
    tied = data.score == 0.5
    if ties != "davidson" or not tied.any():
        return None
    size = len(data.items)
    apart = np.zeros((data.n, size + 1))
    apart[np.arange(data.n), data.left] = 0.5
    apart[np.arange(data.n), data.right] = -0.5
    tie = np.zeros(size + 1)
    tie[-1] = 1.0
    won = apart[~tied] * np.sign(data.score[~tied] - 0.5)[:, None]
    gains = np.unique(np.concatenate([2 * won, won - tie, tie - apart[tied], tie + apart[tied]]), axis=0)
    found = optimize.linprog(
        -gains.sum(axis=0), A_ub=-gains, b_ub=np.zeros(len(gains)), bounds=[(0.0, 0.0)] + [(-1.0, 1.0)] * size
    )
    if not found.success or -found.fun < 1e-7:
        return None
    return (
        "the ties leave no finite estimate: too few answers are decided the unexpected way; "
        "use ties='half', or more comparisons"
    )


def _fit(data: Comparisons, ties: str, level: float, method: str, notes: tuple[str, ...]) -> BradleyTerry:
    size = len(data.items)
    with_ties = ties == "davidson" and bool((data.score == 0.5).any())
    basis = linalg.helmert(size).T  # centred log strengths as basis @ free parameters
    surface = _Likelihood(data, basis, with_ties)
    at = _newton(surface, np.zeros(size - 1 + with_ties))
    spread, df = _spread(surface, at, data, ties)
    full = linalg.block_diag(basis, np.eye(1)) if with_ties else basis
    values, variances = full @ at, np.einsum("ia,ab,ib->i", full, spread, full)
    estimates = tuple(
        _bounded(float(v), float(var), df, data, level, method)
        for v, var in zip(values, variances, strict=True)
    )
    strength = special.softmax(values[:size])
    tie = _tie(estimates[size]) if with_ties else None
    kind = (
        "clustered by judge" if data.judges is not None else "sandwich" if ties == "half" else "information"
    )
    return BradleyTerry(
        data.items,
        estimates[:size],
        tuple(float(s) for s in strength),
        tie,
        -surface.value(at),
        data.n,
        ties,
        f"{method}, {kind} interval",
        None,
        notes,
    )


def _newton(surface: _Likelihood, at: FloatArray) -> FloatArray:
    """Damped Newton steps; the likelihood is concave in these parameters and its maximum is finite."""
    value = surface.value(at)
    for _ in range(200):
        down = surface.gradient(at)
        step = linalg.solve(surface.curvature(at), down, assume_a="pos")
        if float(down @ step) < 1e-20 * max(1.0, abs(value)):
            settled: FloatArray = at - step
            return settled
        size = 1.0
        while surface.value(at - size * step) > value + 1e-12 * abs(value) and size > 1e-10:
            size /= 2
        at = at - size * step
        value = surface.value(at)
    if float(np.abs(surface.gradient(at)).max()) < 1e-7:
        return at
    raise InvalidInput(
        "comparisons: the Bradley-Terry fit did not settle. Check for items linked by very few comparisons."
    )


class _Likelihood:
    """Minus the log-likelihood over (free log strengths, log ν) with its derivatives by comparison."""

    def __init__(self, data: Comparisons, basis: FloatArray, with_ties: bool) -> None:
        self._score, self._ties = data.score, with_ties
        self._rows = basis[data.left] - basis[data.right]

    def _chances(self, at: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """P(left), P(tie), log of the normalising sum, with utilities ±d/2 and log ν."""
        if not self._ties:
            d = self._rows @ at
            left: FloatArray = special.expit(d)
            return left, np.zeros_like(d), np.logaddexp(d / 2, -d / 2)
        d = self._rows @ at[:-1]
        stacked = np.stack([d / 2, -d / 2, np.full_like(d, at[-1])])
        total = special.logsumexp(stacked, axis=0)
        return np.exp(d / 2 - total), np.exp(at[-1] - total), total

    def value(self, at: FloatArray) -> float:
        d = self._rows @ (at[:-1] if self._ties else at)
        _, _, total = self._chances(at)
        tied = at[-1] * float((self._score == 0.5).sum()) if self._ties else 0.0
        return float((total - (self._score - 0.5) * d).sum()) - tied

    def slopes(self, at: FloatArray) -> FloatArray:
        """The derivative of each comparison's contribution to −log-likelihood."""
        left, tie, _ = self._chances(at)
        expected = left + tie / 2
        by_strength = self._rows * (expected - self._score)[:, None]
        if not self._ties:
            return by_strength
        return np.column_stack([by_strength, tie - (self._score == 0.5)])

    def gradient(self, at: FloatArray) -> FloatArray:
        total: FloatArray = self.slopes(at).sum(axis=0)
        return total

    def curvature(self, at: FloatArray) -> FloatArray:
        left, tie, _ = self._chances(at)
        expected = left + tie / 2
        weights = left + tie / 4 - expected**2
        strength = (self._rows * weights[:, None]).T @ self._rows
        if not self._ties:
            return strength
        mixed = self._rows.T @ (tie * (0.5 - expected))
        corner = float((tie * (1 - tie)).sum())
        return np.block([[strength, mixed[:, None]], [mixed[None, :], np.array([[corner]])]])


def _spread(
    surface: _Likelihood, at: FloatArray, data: Comparisons, ties: str
) -> tuple[FloatArray, float | None]:
    """The covariance of the parameters, and the degrees of freedom of its t (None: normal)."""
    bread = linalg.inv(surface.curvature(at))
    if data.judges is None and ties != "half":
        return bread, None
    slopes = surface.slopes(at)
    if data.judges is not None:
        count = int(data.judges.max()) + 1
        slopes = np.stack([np.bincount(data.judges, column, minlength=count) for column in slopes.T], axis=1)
    count = len(slopes)
    meat = slopes.T @ slopes * (count / max(count - 1, 1))
    return bread @ meat @ bread, float(count - 1) if data.judges is not None else None


def _bounded(
    value: float, variance: float, df: float | None, data: Comparisons, level: float, method: str
) -> Estimate:
    n = data.n if data.judges is None else int(data.judges.max()) + 1
    if df is not None and df < 1:
        return Estimate(value, None, None, level, n, method, "one judge only: no interval by judge")
    se = math.sqrt(max(variance, 0.0))
    spread = stats.norm if df is None else stats.t(df)
    half = float(spread.ppf((1 + level) / 2)) * se
    return Estimate(
        value, value - half, value + half, level, n, method, se=se, df=() if df is None else (df,)
    )


def _tie(log_tie: Estimate) -> Estimate:
    """From log ν to ν; its interval is carried over."""
    low, high = (None if bound is None else math.exp(bound) for bound in (log_tie.low, log_tie.high))
    return Estimate(
        math.exp(log_tie.value or 0.0),
        low,
        high,
        log_tie.level,
        log_tie.n,
        "Davidson's tie parameter",
        log_tie.reason,
        df=log_tie.df,
    )


def _win_rate(data: Comparisons, index: int, rng: np.random.Generator | None, level: float) -> WinRate:
    as_left, as_right = data.left == index, data.right == index
    scores = np.concatenate([data.score[as_left], 1 - data.score[as_right]])
    opponents = np.concatenate([data.right[as_left], data.left[as_right]])
    counts = [int((scores == value).sum()) for value in (1.0, 0.0, 0.5)]
    share = _share(
        data, scores, np.concatenate([np.flatnonzero(as_left), np.flatnonzero(as_right)]), rng, level
    )
    against = [float(scores[opponents == other].mean()) for other in np.unique(opponents)]
    average = float(np.mean(against)) if against else None
    return WinRate(data.items[index], counts[0], counts[1], counts[2], share, average, float(scores.sum()))


def _share(
    data: Comparisons, scores: FloatArray, rows: IntArray, rng: np.random.Generator | None, level: float
) -> Estimate:
    n = len(scores)
    if n == 0:
        return undefined("no comparisons", method="share won", n=0, level=level)
    if data.judges is not None and rng is not None:
        return bootstrap(
            scores,
            "mean",
            rng=rng,
            method="expanded",
            clusters=data.judges[rows],
            resamples=2000,
            level=level,
        )
    if not (scores == 0.5).any():
        return proportion(int(scores.sum()), n, level=level)
    mean = float(scores.mean())
    if n < 2 or scores.min() == scores.max():
        return Estimate(mean, None, None, level, n, "share won, t interval", "no variance among its scores")
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * float(scores.std(ddof=1)) / math.sqrt(n)
    return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half), level, n, "share won, t interval")

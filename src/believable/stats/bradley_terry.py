"""The Bradley-Terry model of paired comparisons, with Davidson's ties and intervals by judge."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy import linalg, optimize, special
from scipy.sparse import csgraph, csr_matrix

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray, one_of
from believable.stats.pairs import Comparisons
from believable.stats.strength_spread import StrengthSpread, strength_spread


@dataclass(frozen=True, slots=True, kw_only=True)
class BradleyTerry:
    """A fitted paired-comparison model.

    items           sorted by name; `log_strength` in the same order, centred so that they sum to 0
    strength        exp(log strength), scaled to sum to 1; None for an item without estimate
    spread          how much they vary together; None without estimates
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
    spread: StrengthSpread | None = field(default=None, repr=False, compare=False)

    def of(self, item: str) -> Estimate:
        """The log strength of that item."""
        if item not in self.items:
            raise InvalidInput(
                f"item: unknown name {item!r}. {did_you_mean(item, list(self.items))}"
            )
        return self.log_strength[self.items.index(item)]


def bradley_terry(
    data: Comparisons, *, ties: str = "davidson", level: float = 0.95
) -> BradleyTerry:
    """The Bradley-Terry model: P(i beats j) = s_i/(s_i + s_j).

    Says         how strongly each item is preferred, on one scale, although no judge saw all of
                 them at once.
    ties         "davidson" (default): a tie has probability proportional to ν·sqrt(s_i·s_j), ν
                 estimated; "half": a tie is half a win for both (common in rating systems;
                 intervals are then too short for the value of a tie and are taken from the
                 sandwich); "drop": ties are left out and counted.
    Intervals    of the centred log strengths. With judges in the data: clustered by judge (sandwich
                 with the correction J/(J − 1), t with J − 1 degrees of freedom), since one judge's
                 choices hang together. With clips too: clustered by judge and clip (judges +
                 clips − cells, never below either part; t with the smaller degrees of freedom),
                 for other judges and other clips of the same agents. Otherwise from the curvature
                 of the likelihood ("half": sandwich over comparisons).
    Undefined    items that never beat, or never lose to, the rest have no finite strength: the
                 result says which groups of items are not linked by wins in both directions, and
                 gives no numbers.
    Source       Bradley & Terry (1952), Davidson (1970), Zeger & Liang (1986) for the sandwich,
                 Cameron, Gelbach & Miller (2011) and Aronow, Samii & Assenova (2015) with clips.
    Checked      R BradleyTerry2::BTm and glm; scores of the Python library evalica (ties "half",
                 and its Newman scores, which are Davidson's model).
    """
    check_level(level)
    one_of(ties, ("davidson", "half", "drop"), name="ties")
    notes: tuple[str, ...] = ()
    used = data
    if ties == "drop":
        kept = data.score != 0.5
        used = Comparisons(
            items=data.items,
            left=data.left[kept],
            right=data.right[kept],
            score=data.score[kept],
            judges=None if data.judges is None else data.judges[kept],
            clips=None if data.clips is None else data.clips[kept],
        )
        lost = data.n - used.n
        notes = (f"ties left out: {lost}",) if lost else ()
    model = ties if ties != "davidson" or (used.score == 0.5).any() else "davidson without ties"
    method = f"Bradley-Terry, ties: {model}"
    reason = _not_linked(used) or _runs_away(used, ties)
    if reason:
        none = tuple(undefined(reason, method=method, n=used.n, level=level) for _ in used.items)
        return BradleyTerry(
            items=used.items,
            log_strength=none,
            strength=(None,) * len(used.items),
            tie=None,
            log_likelihood=None,
            n=used.n,
            ties=ties,
            method=method,
            reason=reason,
            notes=notes,
        )
    return _fit(used, ties, level, method, notes)


def _not_linked(data: Comparisons) -> str | None:
    """Why there is no finite estimate: items must be linked by wins (or ties) in both
    directions.
    """
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
    """With Davidson's ties, links alone do not ensure a finite estimate: is there a direction of
    strengths and tie parameter that makes no answer less likely and some more so? A linear program
    decides.
    """
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
    gains = np.unique(
        np.concatenate([2 * won, won - tie, tie - apart[tied], tie + apart[tied]]), axis=0
    )
    program = optimize.linprog(
        -gains.sum(axis=0),
        A_ub=-gains,
        b_ub=np.zeros(len(gains)),
        bounds=[(0.0, 0.0)] + [(-1.0, 1.0)] * size,
    )
    if not program.success or -program.fun < 1e-7:
        return None
    return (
        "the ties leave no finite estimate: too few answers are decided the unexpected way; use"
        " ties='half', or more comparisons"
    )


def _fit(
    data: Comparisons, ties: str, level: float, method: str, notes: tuple[str, ...]
) -> BradleyTerry:
    size = len(data.items)
    with_ties = ties == "davidson" and bool((data.score == 0.5).any())
    basis = linalg.helmert(size).T  # centred log strengths as basis @ free parameters
    surface = _Likelihood(data, basis, with_ties)
    at = _newton(surface, np.zeros(size - 1 + with_ties))
    full = linalg.block_diag(basis, np.eye(1)) if with_ties else basis
    values = full @ at
    spread = strength_spread(
        data,
        surface.slopes(at),
        linalg.inv(surface.curvature(at)),
        full,
        values,
        robust=ties == "half",
    )
    named = f"{method}, {_kind(data, ties)} interval"
    estimates = tuple(
        spread.estimate(row, n=data.n, level=level, method=method) for row in np.eye(len(values))
    )
    strength = special.softmax(values[:size])
    tie = _tie(estimates[size]) if with_ties else None
    return BradleyTerry(
        items=data.items,
        log_strength=estimates[:size],
        strength=tuple(float(s) for s in strength),
        tie=tie,
        log_likelihood=-surface.value(at),
        n=data.n,
        ties=ties,
        method=named,
        reason=None,
        notes=notes,
        spread=spread,
    )


def _kind(data: Comparisons, ties: str) -> str:
    if data.judges is not None:
        return "clustered by judge" if data.clips is None else "clustered by judge and clip"
    return "sandwich" if ties == "half" else "information"


def _newton(surface: _Likelihood, at: FloatArray) -> FloatArray:
    """Damped Newton steps; the likelihood is concave in these parameters and its maximum is
    finite.
    """
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
        "comparisons: the Bradley-Terry fit did not settle. Check for items linked by very few"
        " comparisons."
    )


class _Likelihood:
    """Minus the log-likelihood over (free log strengths, log ν) with its derivatives by
    comparison.
    """

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


def _tie(log_tie: Estimate) -> Estimate:
    """From log ν to ν; its interval is carried over."""
    low, high = (
        None if bound is None else math.exp(bound) for bound in (log_tie.low, log_tie.high)
    )
    return Estimate(
        value=math.exp(log_tie.value or 0.0),
        low=low,
        high=high,
        level=log_tie.level,
        n=log_tie.n,
        method="Davidson's tie parameter",
        reason=log_tie.reason,
        df=log_tie.df,
    )

"""`python -m validation.ladder`: how often the contrasts of a ladder cover the true differences.

Each study has 8 agents with 12 clips each and 60 judges with 12 pairs each. Judges and clips
differ: each judge likes each agent, and each clip shows its agent, more or less by .5 log odds (SD)
each. One answer in six is a tie. `fixed` draws the pairs of a judge evenly, `aimed` by elimination
with a floor. The true differences are those of Davidson's model fitted to all judges and clips
there could be. `judges only` is the interval that ignores the choice of clips. `wrong` is the share
of studies of equal agents in which Holm's family of all contrasts finds any difference.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from believable.core.seeds import derive
from believable.stats.bradley_terry import BradleyTerry, bradley_terry
from believable.stats.e_values import capital_factors
from believable.stats.pairs import Comparisons
from believable.stats.stopping_rule import choose_rule
from believable.stats.strength_contrasts import strength_contrasts
from believable.study.aimed_draw import aim_several

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

AGENTS, CLIPS, JUDGES, TRIALS = 8, 12, 60, 12
JUDGE_SD = CLIP_SD = 0.5
LOG_TIE = -1.0
#: The greatest log strength; the agents lie evenly between this and its negative.
SPAN = 0.75
PAIRS = list(combinations(range(AGENTS), 2))
LEFT, RIGHT = (np.array(side) for side in zip(*PAIRS, strict=True))
NAMES = [f"{a}-{b}" for a, b in PAIRS]
INDEX = {name: index for index, name in enumerate(NAMES)}
RULE = choose_rule(trials=1, pool=CLIPS, margin=0.2)
LEAST, MOST = 0.93, 0.97


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderCoverage:
    """Shares of contrasts that cover the truth: on average, and the worst and best of 28.

    judges_only  the same if the interval ignores the choice of clips
    wrong        share of studies of equal agents with any significant contrast
    """

    draw: str
    mean: float
    lowest: float
    highest: float
    judges_only: float
    wrong: float

    @property
    def kept(self) -> bool:
        """Return whether the intervals cover as often as they should."""
        return LEAST <= self.mean <= MOST and self.wrong <= 0.05 + 0.015


def strengths(span: float) -> FloatArray:
    return np.linspace(-span, span, AGENTS)


def chances(difference: FloatArray) -> FloatArray:
    """The chances of left, tie and right (last axis)."""
    weights = np.stack([difference / 2, np.full_like(difference, LOG_TIE), -difference / 2], -1)
    shares: FloatArray = special.softmax(weights, axis=-1)
    return shares


def true_strengths(span: float) -> FloatArray:
    """The strengths that a study of all judges and clips would estimate: chances are averaged over
    judges and clips, and Davidson's model is fitted to them.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    sd = math.sqrt(2 * JUDGE_SD**2 + 2 * CLIP_SD**2)
    own = strengths(span)
    averaged = np.einsum(
        "k,pkc->pc",
        weights / weights.sum(),
        chances((own[LEFT] - own[RIGHT])[:, None] + sd * nodes[None, :]),
    )

    def loss(at: FloatArray) -> float:
        values = np.append(at[:-1], -at[:-1].sum())
        difference = values[LEFT] - values[RIGHT]
        logits = np.stack([difference / 2, np.full_like(difference, at[-1]), -difference / 2], -1)
        return float(-(averaged * special.log_softmax(logits, axis=-1)).sum())

    found = optimize.minimize(loss, np.append(own[:-1], LOG_TIE), method="BFGS", tol=1e-10).x
    return np.append(found[:-1], -found[:-1].sum())


class _Aim:
    """The evidence on each pair, as a bet on either side, and the pairs that it decides."""

    def __init__(self) -> None:
        levels = np.array([0.0, 0.5, 1.0])
        nulls = 0.5 + np.array([RULE.widening, RULE.margin - RULE.widening])
        outer, inner = (float(null) for null in nulls)
        self._factors = np.stack(
            [
                capital_factors(levels, outer, 1),
                capital_factors(levels, 1 - outer, -1),
                capital_factors(levels, inner, -1),
                capital_factors(levels, 1 - inner, 1),
            ]
        )
        self._capital = np.zeros((len(PAIRS), 4, self._factors.shape[2]))
        self.views = dict.fromkeys(NAMES, 0)
        self.decided: set[str] = set()

    def add(self, pairs: IntArray, levels: IntArray) -> None:
        self._capital[pairs] += self._factors[:, levels].transpose(1, 0, 2)
        mixed = special.logsumexp(self._capital[pairs], axis=2) - math.log(self._capital.shape[2])
        different = np.logaddexp(mixed[:, 0], mixed[:, 1]) - math.log(2)
        reached = np.maximum(different, np.minimum(mixed[:, 2], mixed[:, 3])) >= RULE.log_threshold
        for pair, over in zip(pairs.tolist(), reached.tolist(), strict=True):
            self.views[NAMES[pair]] += 1
            if over:
                self.decided.add(NAMES[pair])


def simulate(span: float, draw: str, rng: np.random.Generator, draws: random.Random) -> Comparisons:
    """One study: the choices of its judges."""
    own = strengths(span)
    clip_effect = rng.normal(0, CLIP_SD, (AGENTS, CLIPS))
    aim = _Aim()
    rows: list[IntArray] = []
    for judge in range(JUDGES):
        if draw == "aimed":
            choices = aim_several(aim.views, aim.decided, TRIALS, draws)
            pairs = np.array([INDEX[choice.agent] for choice in choices])
        else:
            pairs = rng.permutation(len(PAIRS))[:TRIALS]
        liking = rng.normal(0, JUDGE_SD, AGENTS)
        # Each judge sees a clip once: the clips of an agent in random order.
        order = rng.random((AGENTS, CLIPS)).argsort(axis=1)
        seen = np.zeros(AGENTS, np.int64)
        clips = np.zeros((TRIALS, 2), np.int64)
        for trial, pair in enumerate(pairs.tolist()):
            for side, agent in enumerate(PAIRS[pair]):
                clips[trial, side] = order[agent, seen[agent] % CLIPS]
                seen[agent] += 1
        left, right = LEFT[pairs], RIGHT[pairs]
        difference = (own + liking)[left] - (own + liking)[right]
        difference = difference + clip_effect[left, clips[:, 0]] - clip_effect[right, clips[:, 1]]
        levels = 2 - (rng.random(TRIALS)[:, None] > chances(difference).cumsum(axis=1)).sum(axis=1)
        rows.append(
            np.column_stack(
                [
                    np.full(TRIALS, judge),
                    left,
                    right,
                    levels,
                    left * CLIPS + clips[:, 0],
                    right * CLIPS + clips[:, 1],
                ]
            )
        )
        if draw == "aimed":
            aim.add(pairs, levels)
    table = np.concatenate(rows)
    return Comparisons(
        items=tuple(str(agent) for agent in range(AGENTS)),
        left=table[:, 1],
        right=table[:, 2],
        score=table[:, 3] / 2,
        judges=table[:, 0],
        clips=table[:, 4:],
    )


def _covers(fit: BradleyTerry, truth: FloatArray) -> NDArray[np.bool_]:
    return np.array(
        [
            contrast.difference.contains(float(truth[a] - truth[b]))
            for (a, b), contrast in zip(PAIRS, strength_contrasts(fit), strict=True)
        ]
    )


def measure(draw: str, studies: int, *, seed: int = 1) -> LadderCoverage:
    """Simulate studies with this draw. The same seed gives the same figures."""
    truth = true_strengths(SPAN)
    rng = np.random.default_rng(derive(seed, "ladder", "answers", draw))
    draws = random.Random(derive(seed, "ladder", "assignment", draw))
    covered, judges_only, wrong = [], [], 0
    for _ in range(studies):
        data = simulate(SPAN, draw, rng, draws)
        covered.append(_covers(bradley_terry(data), truth))
        judges_only.append(_covers(bradley_terry(replace(data, clips=None)), truth))
        equal = strength_contrasts(bradley_terry(simulate(0.0, draw, rng, draws)))
        wrong += any((contrast.p_adjusted or 1.0) < 0.05 for contrast in equal)
    by_contrast = np.array(covered).mean(axis=0)
    return LadderCoverage(
        draw=draw,
        mean=float(by_contrast.mean()),
        lowest=float(by_contrast.min()),
        highest=float(by_contrast.max()),
        judges_only=float(np.array(judges_only).mean()),
        wrong=wrong / studies,
    )


def table_row(found: LadderCoverage) -> str:
    """Return a row of the table in docs/validity.md."""
    figures = (found.mean, found.lowest, found.highest, found.judges_only, found.wrong)
    cells = " | ".join(f"{figure:.3f}".removeprefix("0") for figure in figures)
    return f"| {found.draw} | {cells} |{'' if found.kept else ' BROKEN'}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if the contrasts cover as often as they should, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m validation.ladder", description=__doc__)
    parser.add_argument("--studies", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    sys.stdout.write(
        "| draw | contrasts that cover | lowest of 28 | highest of 28 | judges only | wrong |\n"
        "|---|---|---|---|---|---|\n"
    )
    kept = True
    for draw in ("fixed", "aimed"):
        found = measure(draw, options.studies, seed=options.seed)
        kept = kept and found.kept
        sys.stdout.write(table_row(found))
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

"""`python -m validation.sequential`: error rates and numbers of judges of evidence that is read after
every judge.

Studies of 400 judges are simulated. Each judge gives 6 or 20 answers about fresh clips, or about
clips of a pool whose views are balanced to within one. Judges have equal or unequal skill, clips
differ. `size` is the share of studies with a false difference, `equivalent, false` the larger share
at both margins, `covered` the share whose interval held the true mean after every judge. Medians
are numbers of judges at the verdict "distinguishable" for an accuracy of .65 and .75.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from believable.core.seeds import derive
from believable.stats.sequential import always_covers, stopping_times
from believable.stats.stopping_rule import StoppingRule, choose_rule
from validation.verdict_size import log_odds_of

FloatArray = NDArray[np.float64]
JUDGES = 400
ALPHA, MARGIN = 0.05, 0.1
#: Spreads in log odds. Equal judges have none.
JUDGE_SD, CLIP_SD = 0.6, 0.58
#: Studies that are computed at once: memory stays below 1 GB.
CHUNK = 250
#: The largest sizes, and the medians and shares that are promised.
MOST_FALSE, LEAST_COVERED = 0.05, 0.95
MEDIANS = {6: (25, 10), 20: (13, 8)}
LEAST_EQUIVALENT, EQUIVALENT_BY = 0.95, 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How many answers a judge gives, how many clips the pool has (None: fresh ones), and whether
    judges differ.
    """

    trials: int
    pool: int | None
    unequal: bool

    @property
    def name(self) -> str:
        clips = "fresh" if self.pool is None else f"pool of {self.pool}"
        return f"{clips}, {self.trials} trials, {'unequal' if self.unequal else 'equal'} judges"

    @property
    def rule(self) -> StoppingRule:
        return choose_rule(
            trials=self.trials, pool=self.pool, clip_sd=CLIP_SD / 4, margin=MARGIN, alpha=ALPHA
        )


DESIGNS = tuple(
    Design(trials=trials, pool=pool, unequal=unequal)
    for trials in (6, 20)
    for pool in (None, 300, 60)
    for unequal in (False, True)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRates:
    """Of one design."""

    design: Design
    size: float
    false_equivalent: float
    covered: float
    medians: tuple[float, float]
    equivalent: float

    @property
    def kept(self) -> bool:
        """Return whether the design keeps what is promised of it."""
        errors = max(self.size, self.false_equivalent) <= MOST_FALSE
        if self.design.pool is not None:
            return errors and self.covered >= LEAST_COVERED
        quick = all(
            found <= most
            for found, most in zip(self.medians, MEDIANS[self.design.trials], strict=True)
        )
        return (
            errors
            and self.covered >= LEAST_COVERED
            and quick
            and self.equivalent >= LEAST_EQUIVALENT
        )


def simulate_shares(
    design: Design, accuracy: float, studies: int, rng: np.random.Generator
) -> FloatArray:
    """Return the share of correct answers of each judge: studies × judges."""
    judge_sd = JUDGE_SD if design.unequal else 0.0
    centre = log_odds_of(accuracy, float(np.hypot(judge_sd, CLIP_SD)))
    shape = (studies, JUDGES, design.trials)
    judges = rng.normal(0, judge_sd, (studies, JUDGES, 1)) if judge_sd else 0.0
    if design.pool is None:
        clips = rng.normal(0, CLIP_SD, shape)
    else:
        pool = rng.normal(0, CLIP_SD, (studies, design.pool))
        views = -(-JUDGES * design.trials // design.pool)
        rounds = [rng.permuted(pool, axis=1) for _ in range(views)]
        clips = np.concatenate(rounds, axis=1)[:, : JUDGES * design.trials].reshape(shape)
    correct = rng.random(shape) < special.expit(centre + judges + clips)
    shares: FloatArray = correct.mean(axis=-1)
    return shares


def _times(
    design: Design, accuracy: float, studies: int, seed: int
) -> tuple[FloatArray, FloatArray, float]:
    """Return when each study was decided, both ways, and the share whose interval always held."""
    rng = np.random.default_rng(derive(seed, "sequential", design.name, f"{accuracy:g}"))
    different, equivalent, covered = [], [], []
    for first in range(0, studies, CHUNK):
        shares = simulate_shares(design, accuracy, min(CHUNK, studies - first), rng)
        times = stopping_times(shares, design.rule)
        different.append(times.different)
        equivalent.append(times.equivalent)
        covered.append(always_covers(shares, accuracy, design.rule))
    return (
        np.concatenate(different),
        np.concatenate(equivalent),
        float(np.concatenate(covered).mean()),
    )


def measure(design: Design, studies: int, *, seed: int = 1) -> ErrorRates:
    """Simulate one design. The same seed gives the same rates."""
    at_chance = _times(design, 0.5, studies, seed)
    at_margins = [_times(design, 0.5 + sign * MARGIN, studies, seed) for sign in (1, -1)]
    few = min(studies, 2_000)
    quick = [_times(design, accuracy, few, seed)[0] for accuracy in (0.65, 0.75)]
    return ErrorRates(
        design=design,
        size=float(np.isfinite(at_chance[0]).mean()),
        false_equivalent=max(float(np.isfinite(times[1]).mean()) for times in at_margins),
        covered=min(covered for _, _, covered in (at_chance, *at_margins)),
        medians=(float(np.median(quick[0])), float(np.median(quick[1]))),
        equivalent=float((at_chance[1] <= EQUIVALENT_BY).mean()),
    )


def table_row(rates: ErrorRates) -> str:
    """Return a row of the table in docs/validity.md."""
    medians = " and ".join("never" if np.isinf(n) else f"{n:g}" for n in rates.medians)
    shares = " | ".join(
        f"{share:.3f}".removeprefix("0")
        for share in (rates.size, rates.false_equivalent, rates.covered, rates.equivalent)
    )
    row = f"| {rates.design.name} | {rates.design.rule.form} | {shares} | {medians} |"
    return f"{row}{'' if rates.kept else ' BROKEN'}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if every design keeps what is promised of it, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m validation.sequential", description=__doc__)
    parser.add_argument("--studies", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    sys.stdout.write(
        "| design | form | size | equivalent, false | covered | equivalent by 120 judges | median"
        " judges at .65 and .75 |\n|---|---|---|---|---|---|---|\n"
    )
    kept = True
    for design in DESIGNS:
        rates = measure(design, options.studies, seed=options.seed)
        kept = kept and rates.kept
        sys.stdout.write(table_row(rates))
        sys.stdout.flush()
    shares = np.random.default_rng(options.seed).binomial(6, 0.5, (CHUNK, JUDGES)) / 6
    began = time.process_time()
    stopping_times(shares, DESIGNS[0].rule)
    seconds = (time.process_time() - began) / CHUNK * 10_000
    sys.stdout.write(
        f"evidence of 10,000 studies of {JUDGES} judges: {seconds:.0f} s of one core\n"
    )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

"""`python -m validation.odds_size`: how often the test of the odds of a flag finds an effect that
is not there.

Whole simulated studies of `replay` with dropouts and exclusions. There is no effect on average; it
differs between people by the given SD (log odds). Printed are the rates of p < .05 with the model's
own degrees of freedom and with the normal quantile.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from believable.analysis.run import prepare_data
from believable.core.seeds import derive
from believable.core.work import bounds, map_chunks
from believable.protocols.replay import planted_truth as replay
from believable.protocols.replay.analysis import judgements
from believable.protocols.replay.flag_models import flag_model
from believable.simulate import straight
from validation.truth.studies import ready

ALPHA = 0.05
#: The size that is tolerated, beyond what chance explains in so many studies.
MOST = 0.06
_CHUNK = 50


@dataclass(frozen=True, slots=True)
class OddsSize:
    """Rejections among simulated studies. `people` is the mean number who are left after dropouts
    and exclusions.
    """

    participants: int
    studies: int
    tested: int
    rejected: int
    rejected_by_z: int
    people: float

    @property
    def rate(self) -> float:
        return self.rejected / self.studies

    @property
    def error(self) -> float:
        """The standard error of a rate of `MOST` in so many studies."""
        return math.sqrt(MOST * (1 - MOST) / self.studies)

    @property
    def kept(self) -> bool:
        return self.rate <= MOST + 1.645 * self.error


def measure(
    participants: int,
    studies: int,
    *,
    effect_sd: float = 0.6,
    seed: int = 1,
    workers: int | None = None,
) -> OddsSize:
    """The size at this number of people who start. Same seed, same result on any number of
    workers.
    """
    jobs = [(participants, effect_sd, seed, start, stop) for start, stop in bounds(studies, _CHUNK)]
    rows = np.array(
        [
            row
            for part in map_chunks(_tested, jobs, workers=workers, pool="processes")
            for row in part
        ]
    )
    p, z, people = rows.T
    tested = np.isfinite(p)
    by_z = 2 * stats.norm.sf(np.abs(z[tested]))
    return OddsSize(
        participants,
        studies,
        int(tested.sum()),
        int((p[tested] < ALPHA).sum()),
        int((by_z < ALPHA).sum()),
        float(people.mean()),
    )


def _tested(job: tuple[int, float, int, int, int]) -> list[tuple[float, float, float]]:
    """p, estimate over standard error, and people left, of each study."""
    participants, effect_sd, seed, start, stop = job
    definition, plan = ready("replay")
    truth = replace(replay.nothing(), effect_sd=effect_sd)
    found = []
    for number in range(start, stop):
        rng = np.random.default_rng(derive(seed, "odds size", participants, number))
        bundle = straight.bundle(definition, participants, rng, truth=truth)
        judged = judgements(prepare_data(bundle, plan, definition.study), plan)
        odds = flag_model(judged.seen, judged.ours, judged.baseline).odds_ratio
        p, z = (math.nan if number is None else number for number in (odds.p_value, odds.statistic))
        found.append((p, z, float(odds.n)))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if every size is within the limit, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m validation.odds_size", description=__doc__)
    parser.add_argument(
        "--participants", type=int, nargs="*", default=[8, 14, 20, 40], help="people who start"
    )
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--effect-sd", type=float, default=0.6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=None)
    options = parser.parse_args(arguments)
    sys.stdout.write(
        "| people who start | left (mean) | studies | tested | rejects | with z | limit"
        " |\n|---|---|---|---|---|---|---|\n"
    )
    sizes = [
        measure(
            count,
            options.studies,
            effect_sd=options.effect_sd,
            seed=options.seed,
            workers=options.workers,
        )
        for count in options.participants
    ]
    for size in sizes:
        limit = MOST + 1.645 * size.error
        sys.stdout.write(
            f"| {size.participants} | {size.people:.1f} | {size.studies} | {size.tested} |"
            f" {size.rate:.4f} | {size.rejected_by_z / size.studies:.4f} |"
            f" {limit:.4f}{'' if size.kept else ' BROKEN'} |\n"
        )
    return 0 if all(size.kept for size in sizes) else 1


if __name__ == "__main__":
    sys.exit(main())

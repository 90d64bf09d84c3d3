"""`python -m validation.truth --protocol P --studies 2000`: coverage and rejection of a protocol's
main outcomes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from validation.truth.cases import CASES, case_of
from validation.truth.reference import true_values
from validation.truth.sizes import task_values
from validation.truth.studies import run
from validation.truth.verdicts import Verdict, judge, table


def check(
    protocol: str,
    studies: int,
    *,
    seed: int = 1,
    participants: int | None = None,
    reference_studies: int = 1000,
    workers: int | None = None,
) -> list[Verdict]:
    """Every promise of a protocol, checked in `studies` simulated studies of each setting."""
    case = case_of(protocol)
    verdicts: list[Verdict] = []
    for setting in case.settings:
        own = [promise for promise in case.promises if promise.setting == setting]
        covered = any(promise.kind == "coverage" for promise in own)
        outcomes = run(
            protocol, setting, studies, seed=seed, participants=participants, workers=workers
        )
        values: dict[str, float | NDArray[np.float64]] = {}
        if covered:
            values |= true_values(
                protocol,
                setting,
                seed=seed,
                participants=participants,
                studies=reference_studies,
                workers=workers,
            )
        if covered and protocol == "qa":
            values |= task_values(outcomes, setting, seed=seed, workers=workers)
        verdicts += [judge(promise, outcomes, values) for promise in own]
    return verdicts


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every promise is kept, 1 when one is not."""
    parser = argparse.ArgumentParser(prog="python -m validation.truth", description=__doc__)
    parser.add_argument(
        "--protocol",
        choices=sorted(CASES),
        action="append",
        help="may be repeated; default: all five",
    )
    parser.add_argument(
        "--studies", type=int, default=2000, help="simulated studies of each setting"
    )
    parser.add_argument(
        "--participants", type=int, default=None, help="participants who start each study"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--workers", type=int, default=None, help="processes; default: one per core"
    )
    options = parser.parse_args(arguments)
    kept = True
    for protocol in options.protocol or CASES:
        start_s = time.monotonic()
        verdicts = check(
            protocol,
            options.studies,
            seed=options.seed,
            participants=options.participants,
            workers=options.workers,
        )
        took_s = time.monotonic() - start_s
        count = options.participants or case_of(protocol).participants
        sys.stdout.write(
            f"\n### {protocol}: {options.studies:,} studies of {count} in each setting, seed"
            f" {options.seed}\n\n{table(verdicts)}\n"
        )
        sys.stderr.write(f"{protocol}: {took_s:.0f} s\n")
        kept &= all(verdict.kept for verdict in verdicts if verdict.promise.judged)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

"""`python -m validation.turing_replay FOLDER`: real studies, stopped as soon as the answer is known.

FOLDER holds judgements of published Turing-like tests (`judgements.csv.gz`, a row per judgement of
one text, picture or conversation) and `expected.json` with the figures of the analysis over all
judges. Judges of each study arrive in random order, 400 times. For each order, the evidence is read
after every judge, until both questions have an answer. A judge's number is the mean of the share of
people and the share of agents that they recognised. Stimuli were partly seen by several judges, so
the verdicts are about these stimuli.

Exit code 1 if a study does not give the figures of `expected.json`.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.stats.estimate import Estimate
from believable.stats.means import mean_t
from believable.stats.sequential import stopping_times
from believable.stats.stopping_rule import StoppingRule, choose_rule

FloatArray = NDArray[np.float64]
ORDERS = 400
MARGIN, ALPHA = 0.1, 0.05
#: Figures of `expected.json` have four digits; a mean of two of them was rounded twice.
TOLERANCE = 1.01e-4
PERSON, AGENT = "human", "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class TuringStudy:
    """The analysed judgements of one study.

    recognised  for people and agents: how many were recognised, of how many, per judge
    """

    name: str
    recognised: Mapping[str, FloatArray]
    shown: Mapping[str, FloatArray]

    @property
    def accuracies(self) -> dict[str, float]:
        """Return the pooled accuracies, by the names of `expected.json`."""
        people, agents = (
            float(self.recognised[kind].sum() / self.shown[kind].sum()) for kind in (PERSON, AGENT)
        )
        return {
            "accuracy_on_humans": people,
            "accuracy_on_agents": agents,
            "balanced_accuracy": (people + agents) / 2,
        }

    @property
    def shares(self) -> FloatArray:
        """Return one number per judge who saw people and agents; if a judge chose between a person
        and an agent, the share of correct choices.
        """
        both = (self.shown[PERSON] > 0) & (self.shown[AGENT] > 0)
        if not both.any():
            chosen: FloatArray = (self.recognised[PERSON] + self.recognised[AGENT]) / (
                self.shown[PERSON] + self.shown[AGENT]
            )
            return chosen
        parts = [self.recognised[kind][both] / self.shown[kind][both] for kind in (PERSON, AGENT)]
        shares: FloatArray = (parts[0] + parts[1]) / 2
        return shares

    @property
    def rule(self) -> StoppingRule:
        trials = int(np.median(self.shown[PERSON] + self.shown[AGENT]))
        return choose_rule(trials=trials, margin=MARGIN, alpha=ALPHA)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedStudy:
    """How often each verdict was reached, and the median number of judges at it."""

    name: str
    judges: int
    form: str
    mean: Estimate
    different: float
    different_at: float
    equivalent: float
    equivalent_at: float


def read_studies(folder: Path) -> list[TuringStudy]:
    """Read the analysed judgements of every study, in the order of their names."""
    file = folder / "judgements.csv.gz"
    if not file.is_file():
        raise InvalidInput(f"{file}: no such file. Give the folder that holds judgements.csv.gz.")
    counts: dict[str, dict[str, dict[str, list[int]]]] = {}
    with gzip.open(file, "rt", encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            if row["analysed"] != "1" or row["shown_kind"] not in (PERSON, AGENT):
                continue
            judge = counts.setdefault(row["study"], {}).setdefault(row["judge"], {})
            cell = judge.setdefault(row["shown_kind"], [0, 0])
            cell[0] += row["correct"] == "1"
            cell[1] += 1
    return [_gather(name, judges) for name, judges in sorted(counts.items())]


def _gather(name: str, judges: Mapping[str, Mapping[str, Sequence[int]]]) -> TuringStudy:
    def column(kind: str, part: int) -> FloatArray:
        return np.array([judge.get(kind, (0, 0))[part] for judge in judges.values()], np.float64)

    return TuringStudy(
        name=name,
        recognised={kind: column(kind, 0) for kind in (PERSON, AGENT)},
        shown={kind: column(kind, 1) for kind in (PERSON, AGENT)},
    )


def differences(study: TuringStudy, expected: Mapping[str, Any]) -> Iterator[str]:
    """Yield each figure of the fixed analysis that differs from the expected one."""
    wanted = expected["analysed"]
    found = {
        **study.accuracies,
        "n_judges": len(study.shown[PERSON]),
        "n_judgements": int(sum(shown.sum() for shown in study.shown.values())),
    }
    for name, value in found.items():
        if name in wanted and abs(value - wanted[name]) > TOLERANCE:
            yield f"{study.name}: {name} is {value:.4f}, expected {wanted[name]}"


def replay_study(study: TuringStudy, *, orders: int = ORDERS, seed: int = 1) -> ReplayedStudy:
    """Let the judges arrive in random order, many times. The same seed gives the same numbers."""
    rng = np.random.default_rng(derive(seed, "turing replay", study.name))
    arrivals = rng.permuted(np.tile(study.shares, (orders, 1)), axis=1)
    times = stopping_times(arrivals, study.rule)
    return ReplayedStudy(
        name=study.name,
        judges=len(study.shares),
        form=study.rule.form,
        mean=mean_t(study.shares),
        different=float(np.isfinite(times.different).mean()),
        different_at=_median_reached(times.different),
        equivalent=float(np.isfinite(times.equivalent).mean()),
        equivalent_at=_median_reached(times.equivalent),
    )


def _median_reached(times: FloatArray) -> float:
    reached = times[np.isfinite(times)]
    return float(np.median(reached)) if len(reached) else float("inf")


def table_row(found: ReplayedStudy) -> str:
    """Return a row of the table in docs/validity.md."""

    def verdict(share: float, at: float) -> str:
        return "never" if not share else f"{share:.2f}, {at:g}"

    mean = f"{found.mean.value:.3f} [{found.mean.low:.3f}, {found.mean.high:.3f}]"
    return (
        f"| {found.name} | {found.judges} | {found.form} | {mean}"
        f" | {verdict(found.different, found.different_at)}"
        f" | {verdict(found.equivalent, found.equivalent_at)} |\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table. Return 1 if a figure of the fixed analysis is not the expected one."""
    parser = argparse.ArgumentParser(prog="python -m validation.turing_replay", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--orders", type=int, default=ORDERS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    expected = json.loads((options.folder / "expected.json").read_text(encoding="utf-8"))
    sys.stdout.write(
        "| study | judges | form | all judges: mean [95 % t interval] | distinguishable: share of"
        " orders, median judges | equivalent: share of orders, median judges |\n"
        "|---|---|---|---|---|---|\n"
    )
    wrong: list[str] = []
    for study in read_studies(options.folder):
        wrong += differences(study, expected[study.name])
        sys.stdout.write(table_row(replay_study(study, orders=options.orders, seed=options.seed)))
    for line in wrong:
        sys.stderr.write(f"{line}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""`python -m validation.aimed`: how many judges aimed assignment saves if there are many agents.

Each judge sees six pairs of one agent and of people. An agent is decided at its first verdict,
"distinguishable" or "inside the margin". Aimed assignment is compared with an even one in the same
simulated studies: both see the same answers of the same agent in the same order. `wrong` is the
share of agents with a false verdict when 90 % are decided. Each agent has 12 clips.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from believable.core.seeds import derive
from believable.stats.sequential import stopping_times
from believable.stats.stopping_rule import choose_rule
from believable.study.aimed_draw import aim

FloatArray = NDArray[np.float64]
TRIALS, CLIPS = 6, 12
MARGIN = 0.1
#: No agent needs more judges.
LONGEST = 1_500
#: Share of agents decided → the largest share of judges, compared with even assignment.
MOST = {0.5: 1.0, 0.75: 0.70, 0.9: 0.57}
LEAST_VIEWS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class AimedStudies:
    """Simulated studies of some agents. `ratios`: judges needed, compared with even assignment."""

    agents: int
    ratios: dict[float, float]
    wrong_aimed: float
    wrong_even: float
    least_views: int

    @property
    def kept(self) -> bool:
        """Return whether aimed assignment keeps what is promised of it."""
        return (
            all(ratio <= MOST[share] for share, ratio in self.ratios.items())
            and self.wrong_aimed <= self.wrong_even
            and self.least_views >= LEAST_VIEWS
        )


def accuracies(agents: int) -> FloatArray:
    """Return the true accuracy against each agent: from indistinguishable to obvious."""
    return np.linspace(0.5, 0.75, agents)


def _verdicts(truth: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the number of judges at each agent's first verdict, and whether that is wrong."""
    shares = rng.binomial(TRIALS, truth[:, None], (len(truth), LONGEST)) / TRIALS
    times = stopping_times(shares, choose_rule(trials=TRIALS, margin=MARGIN))
    first = np.minimum(np.minimum(times.different, times.equivalent), LONGEST)
    outside = np.abs(truth - 0.5) >= MARGIN - 1e-9
    decided = np.isfinite(np.minimum(times.different, times.equivalent))
    false = np.where(times.equivalent < times.different, outside, truth == 0.5)
    return first, np.logical_and(decided, false)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AimedRun:
    """used: judges at which each share of agents was decided; decided: agents that then were."""

    used: list[int]
    decided: NDArray[np.bool_]
    fewest: int


def _run_aimed(needed: FloatArray, shares: Sequence[float], rng: random.Random) -> _AimedRun:
    names = [f"agent-{index:02}" for index in range(len(needed))]
    index_of = {name: index for index, name in enumerate(names)}
    views, decided = dict.fromkeys(names, 0), set[str]()
    targets, used = [math.ceil(share * len(names)) for share in shares], list[int]()
    while len(used) < len(targets):
        agent = aim(views, decided, rng).agent
        views[agent] += 1
        if views[agent] >= needed[index_of[agent]]:
            decided.add(agent)
        while len(used) < len(targets) and len(decided) >= targets[len(used)]:
            used.append(sum(views.values()))
    return _AimedRun(
        used=used, decided=np.array([name in decided for name in names]), fewest=min(views.values())
    )


def measure(agents: int, studies: int, *, seed: int = 1) -> AimedStudies:
    """Simulate studies with so many agents. The same seed gives the same figures."""
    numbers = np.random.default_rng(derive(seed, "aimed", "answers", agents))
    draws = random.Random(derive(seed, "aimed", "assignment", agents))
    truth, shares = accuracies(agents), sorted(MOST)
    ratios: list[list[float]] = []
    wrong_aimed = wrong_even = 0
    fewest = LONGEST
    for _ in range(studies):
        needed, wrong = _verdicts(truth, numbers)
        run = _run_aimed(needed, shares, draws)
        views = [float(np.sort(needed)[math.ceil(share * agents) - 1]) for share in shares]
        ratios.append([a / (each * agents) for a, each in zip(run.used, views, strict=True)])
        wrong_aimed += int((wrong & run.decided).sum())
        wrong_even += int((wrong & (needed <= views[-1])).sum())
        fewest = min(fewest, run.fewest)
    return AimedStudies(
        agents=agents,
        ratios=dict(zip(shares, np.median(np.array(ratios), axis=0).tolist(), strict=True)),
        wrong_aimed=wrong_aimed / studies / agents,
        wrong_even=wrong_even / studies / agents,
        least_views=fewest * TRIALS // CLIPS,
    )


def table_row(found: AimedStudies) -> str:
    """Return a row of the table in docs/validity.md."""
    ratios = " | ".join(f"{ratio:.2f}".removeprefix("0") for ratio in found.ratios.values())
    wrong = f"{found.wrong_aimed:.3f} | {found.wrong_even:.3f}".replace("0.", ".")
    return (
        f"| {found.agents} | {ratios} | {wrong} | {found.least_views} |"
        f"{'' if found.kept else ' BROKEN'}\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if aimed assignment keeps what is promised of it, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m validation.aimed", description=__doc__)
    parser.add_argument("--agents", type=int, nargs="*", default=[8, 16])
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    heads = " | ".join(f"judges at {share:.0%} decided, aimed/even" for share in sorted(MOST))
    sys.stdout.write(
        f"| agents | {heads} | wrong, aimed | wrong, even | fewest views of a clip |\n"
        "|---|---|---|---|---|---|---|\n"
    )
    kept = True
    for agents in options.agents:
        found = measure(agents, options.studies, seed=options.seed)
        kept = kept and found.kept
        sys.stdout.write(table_row(found))
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

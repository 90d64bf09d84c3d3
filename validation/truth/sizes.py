"""True values that depend on how many annotators a group has: agreement with the median of the
others (`qa`, task).

The median of an even number of traces is the mean of two and rests less often than one trace, so
that groups of an odd and of an even size differ by up to a standard error. An interval speaks of
groups of the size it was computed from, and is held to that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from believable.analysis.run import prepare_data
from believable.core.seeds import derive
from believable.core.work import map_chunks
from believable.protocols.qa.annotated_signals import collect_annotators
from believable.protocols.qa.annotator_scoring import TASK
from believable.protocols.qa.group_agreement import GroupTask
from believable.simulate import straight
from validation.truth.cases import case_of
from validation.truth.studies import N, Outcomes, ready

#: Large studies that groups are drawn from, their participants, and groups of each size from each
#: study.
STUDIES, PARTICIPANTS, DRAWS = 24, 1500, 50


@dataclass(frozen=True, slots=True)
class _Job:
    setting: str
    seed: int
    number: int
    sizes: tuple[int, ...]


def task_values(
    outcomes: Outcomes, setting: str, *, seed: int, workers: int | None = None
) -> dict[str, NDArray[np.float64]]:
    """Outcome → the true value in each study: of groups of its size, of both groups at the size of
    the smaller.
    """
    names = [name.removeprefix(f"{TASK}:") for name in outcomes if name.startswith(f"{TASK}:")]
    sizes = {name: outcomes[f"{TASK}:{name}"][:, N].astype(int) for name in names}
    wanted = tuple(sorted({int(size) for own in sizes.values() for size in own}))
    jobs = [_Job(setting, seed, number, wanted) for number in range(STUDIES)]
    parts = map_chunks(_drawn, jobs, workers=workers, pool="processes")
    mean = {key: float(np.mean([part[key] for part in parts])) for key in parts[0]}
    first, second = names
    smaller = np.minimum(sizes[first], sizes[second])
    return {
        **{f"{TASK}:{name}": _looked_up(mean, name, sizes[name]) for name in names},
        TASK: _looked_up(mean, first, smaller) - _looked_up(mean, second, smaller),
    }


def _looked_up(
    mean: Mapping[tuple[str, int], float], name: str, sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    return np.array([mean[name, int(size)] for size in sizes])


def _drawn(job: _Job) -> dict[tuple[str, int], float]:
    """The mean SDA of random groups of each size, drawn from the annotators of one large study."""
    definition, plan = ready("qa")
    rng = np.random.default_rng(derive(job.seed, "truth", "sizes", job.setting, job.number))
    bundle = straight.bundle(
        definition, PARTICIPANTS, rng, truth=case_of("qa").settings[job.setting]
    )
    signals = collect_annotators(prepare_data(bundle, plan, definition.study), plan)
    means: dict[tuple[str, int], float] = {}
    for name in signals.group_names:
        group = GroupTask.of([trace for trace in signals.task if trace.group == name])
        for size in job.sizes:
            counts = np.zeros((DRAWS, len(group)), dtype=np.int64)
            for row in counts:
                row[rng.choice(len(group), size=size, replace=False)] = 1
            means[name, size] = float(group.mean_sda(counts).mean())
    return means

"""Simulated studies of one setting, analysed: interval, p value and estimate of every main outcome
of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.analysis.resolution import resolve
from believable.analysis.run import prepare_data
from believable.analysis.settled_plan import Plan
from believable.contracts.registries import PROTOCOLS
from believable.core.seeds import derive
from believable.core.work import Progress, bounds, map_chunks
from believable.simulate import straight
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult
from believable.study.definition import Definition
from believable.study.load import load
from validation.truth.cases import case_of

#: Studies that one worker simulates at a time.
CHUNK = 20
#: Bootstrap resamples in each study: finer ones change no verdict.
RESAMPLES = 1000
#: What is kept of each outcome of a study.
VALUE, LOW, HIGH, P, N = range(5)

Numbers = tuple[float, float, float, float, float]
Outcomes = dict[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Job:
    protocol: str
    setting: str
    participants: int
    seed: int
    purpose: str
    start: int
    stop: int


def run(
    protocol: str,
    setting: str,
    studies: int,
    *,
    seed: int,
    participants: int | None = None,
    purpose: str = "check",
    workers: int | None = None,
    progress: Progress | None = None,
) -> Outcomes:
    """`{outcome: [study, (value, low, high, p, n)]}`, NaN where undefined. The same seed gives the
    same on any number of workers.

    `purpose` keeps studies that true values are taken from apart from those that are checked
    against them.
    """
    count = case_of(protocol).participants if participants is None else participants
    jobs = [Job(protocol, setting, count, seed, purpose, *ends) for ends in bounds(studies, CHUNK)]
    parts = map_chunks(_chunk, jobs, workers=workers, progress=progress, pool="processes")
    names = dict.fromkeys(name for part in parts for study in part for name in study)
    nothing = (np.nan,) * 5
    return {
        name: np.array(
            [study.get(name, nothing) for part in parts for study in part], dtype=np.float64
        )
        for name in names
    }


def _chunk(job: Job) -> list[dict[str, Numbers]]:
    definition, plan = ready(job.protocol)
    truth = case_of(job.protocol).settings[job.setting]
    analysis = PROTOCOLS[job.protocol].analysis
    studies = []
    for number in range(job.start, job.stop):
        rng = np.random.default_rng(
            derive(job.seed, "truth", job.protocol, job.setting, job.purpose, number)
        )
        bundle = straight.bundle(definition, job.participants, rng, truth=truth)
        main = analysis.main(prepare_data(bundle, plan, definition.study), plan, rng)
        studies.append({name: numbers(result) for name, result in main.items()})
    return studies


@lru_cache(maxsize=5)
def ready(protocol: str) -> tuple[Definition, Plan]:
    """The ready study and its plan, with coarser resampling; read once per process."""
    definition = load(PROTOCOLS[protocol].folder)
    declared = definition.study.analysis
    assert declared is not None  # ready studies of these protocols declare one; a test says so
    plan = resolve(declared, definition.study)
    if any(option.name == "resamples" for option in plan.declaration.options):
        options = {**declared.options, "resamples": RESAMPLES}
        plan = resolve(declared.model_copy(update={"options": options}), definition.study)
    return definition, plan


def numbers(result: Estimate | TestResult) -> Numbers:
    if isinstance(result, TestResult):
        inner = (np.nan,) * 5 if result.estimate is None else numbers(result.estimate)
        return inner[VALUE], inner[LOW], inner[HIGH], _float(result.p_value), float(result.n)
    return (
        _float(result.value),
        _float(result.low),
        _float(result.high),
        _float(result.p_value),
        float(result.n),
    )


def _float(value: Any) -> float:
    return float("nan") if value is None else float(value)


def summary(outcomes: Outcomes) -> Mapping[str, float]:
    """The mean estimate of each outcome."""
    return {
        name: float(np.nanmean(rows[:, VALUE]))
        for name, rows in outcomes.items()
        if np.isfinite(rows[:, VALUE]).any()
    }

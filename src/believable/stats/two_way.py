"""Intervals for crossed designs: every judge sees every clip, and both are samples."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput
from believable.core.work import Progress, bounds, map_chunks
from believable.stats.estimate import Estimate, check_level, t_estimate, without_interval
from believable.stats.inputs import FloatArray, finite_array, one_of

BLOCK = 500
"""Resamples per block; like the seed of a block it does not depend on the number of workers."""


def bootstrap_two_way(
    values: ArrayLike,
    judges: ArrayLike,
    clips: ArrayLike,
    *,
    rng: np.random.Generator,
    method: str = "components",
    resamples: int = 2_000,
    level: float = 0.95,
    workers: int = 1,
    executor: Any = None,
    progress: Progress | None = None,
) -> Estimate:
    """The mean of judgements in a judges × clips design, with an interval for new judges and new
    clips.

    Says         the expected mean with other judges of the same kind watching other clips of the
                 same kind; an interval over judges only says nothing about other clips.
    values, judges, clips   one judgement per row with the labels of its judge and of its clip; the
                            design need
                 not be complete
    method       "components": V = V(judges) + V(clips) − V(rows), the bootstrap variances of
                 resampling one kind at a time, each corrected for its number of units; t interval
                 with Satterthwaite's degrees of freedom. "pigeonhole": resample both kinds at once,
                 percentiles; conservative, since it counts the residual three times.
    Undefined    no interval with fewer than 2 judges or 2 clips.
    Source       Cameron, Gelbach & Miller (2011); Owen (2007).
    Checked      closed forms of the three variances (R), and simulated coverage.
    """
    check_level(level)
    one_of(method, ("components", "pigeonhole"), name="method")
    if resamples < 100:
        raise InvalidInput(f"resamples: expected at least 100, got {resamples}. Give 2000 or more.")
    sample = finite_array(values, name="values", least=1)
    rows, columns = _codes(judges, sample, "judges"), _codes(clips, sample, "clips")
    shape = int(rows.max()) + 1, int(columns.max()) + 1
    named, n = f"mean, two-way bootstrap ({method})", min(shape)
    mean = float(sample.mean())
    if n < 2:
        reason = f"needs at least 2 judges and 2 clips, there are {shape[0]} and {shape[1]}"
        return without_interval(mean, reason, method=named, n=n, level=level)
    sums, counts, squares = (
        _cells(rows, columns, shape, weight)
        for weight in (sample - mean, np.ones_like(sample), (sample - mean) ** 2)
    )
    kinds = ("judges", "clips") if method == "components" else ("both",)
    root = int(rng.integers(2**63))
    jobs = [
        (root, kind, index, stop - start)
        for kind in kinds
        for index, (start, stop) in enumerate(bounds(resamples, BLOCK))
    ]
    parts = map_chunks(
        partial(_block, sums, counts), jobs, workers=workers, executor=executor, progress=progress
    )
    drawn = {
        kind: np.concatenate(
            [part for job, part in zip(jobs, parts, strict=True) if job[1] == kind]
        )
        for kind in kinds
    }
    if method == "pigeonhole":
        return _percentiles(drawn["both"], mean, n, level, named)
    of_rows = float(squares.sum()) / len(sample) ** 2
    return _components(drawn, of_rows, mean, shape, level, named)


def _codes(labels: ArrayLike, sample: FloatArray, name: str) -> NDArray[np.int64]:
    array = np.asarray(labels)
    if array.shape != sample.shape:
        raise InvalidInput(
            f"{name}: expected one label for each of {len(sample)} values, got shape {array.shape}."
        )
    return np.unique(array, return_inverse=True)[1].astype(np.int64)


def _cells(
    rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int], weights: FloatArray
) -> FloatArray:
    flat = np.bincount(rows * shape[1] + columns, weights=weights, minlength=shape[0] * shape[1])
    return flat.reshape(shape).astype(np.float64)


def _block(sums: FloatArray, counts: FloatArray, job: tuple[int, str, int, int]) -> FloatArray:
    """Means (around the observed one) of resamples; a resample without any judgement is NaN."""
    root, kind, index, count = job
    number = ("judges", "clips", "both").index(kind)
    rng = np.random.default_rng(np.random.SeedSequence((root, number, index)))
    judges, clips = (
        _multiplicities(rng, size, count) if drawn else np.ones((count, size))
        for size, drawn in zip(sums.shape, (kind != "clips", kind != "judges"), strict=True)
    )
    total = ((judges @ counts) * clips).sum(axis=1)
    means: FloatArray = np.divide(
        ((judges @ sums) * clips).sum(axis=1), total, out=np.full(count, np.nan), where=total > 0
    )
    return means


def _multiplicities(rng: np.random.Generator, size: int, count: int) -> FloatArray:
    return rng.multinomial(size, np.full(size, 1 / size), size=count).astype(np.float64)


def _percentiles(drawn: FloatArray, mean: float, n: int, level: float, named: str) -> Estimate:
    kept = drawn[np.isfinite(drawn)]
    lost = len(drawn) - len(kept)
    notes = (f"{lost} of {len(drawn)} resamples held no judgement, left out",) if lost else ()
    low, high = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(
        value=mean,
        low=mean + float(low),
        high=mean + float(high),
        level=level,
        n=n,
        method=named,
        se=float(kept.std(ddof=1)),
        notes=notes,
    )


def _components(
    drawn: dict[str, FloatArray],
    of_rows: float,
    mean: float,
    shape: tuple[int, int],
    level: float,
    named: str,
) -> Estimate:
    of_judges, of_clips = (
        float(np.nanvar(drawn[kind], ddof=1)) * size / (size - 1)
        for kind, size in zip(("judges", "clips"), shape, strict=True)
    )
    # Sampling error can make the difference smaller than one of its parts, which no variance can
    # be.
    variance = max(of_judges + of_clips - of_rows, of_judges, of_clips)
    if variance == 0:
        return without_interval(
            mean, "all judgements are equal", method=named, n=min(shape), level=level
        )
    df = variance**2 / (of_judges**2 / (shape[0] - 1) + of_clips**2 / (shape[1] - 1))
    return t_estimate(mean, math.sqrt(variance), df, level=level, n=min(shape), method=named)

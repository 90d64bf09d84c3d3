"""Many files at once, in processes: one that fails, or brings its process down, stops nothing else."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar

from believable.core.errors import InvalidInput
from believable.core.machine import available_cores

Name = TypeVar("Name", bound=Hashable)
Result = TypeVar("Result")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Worked(Generic[Name, Result]):
    """Results by name, and for each name that failed the reason in words."""

    results: Mapping[Name, Result]
    failed: Mapping[Name, str]


def side_by_side(
    function: Callable[..., Result],
    jobs: Mapping[Name, tuple[Any, ...]],
    *,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> Worked[Name, Result]:
    """Call `function(*jobs[name])` for every name. `InvalidInput` is the file's own failure; other errors are raised."""
    results: dict[Name, Result] = {}
    failed: dict[Name, str] = {}
    count = max(1, min(len(jobs), workers or available_cores()))
    broken = _round(
        function, jobs, count, results, failed, lambda: progress(len(results) + len(failed), len(jobs))
    )
    for name in broken:  # one of them brought the pool down: alone, each shows whether it was the one
        alone = _round(function, {name: jobs[name]}, 1, results, failed, lambda: None)
        if alone:
            failed[name] = "brought the decoder down. The file is damaged; make it again from its source."
        progress(len(results) + len(failed), len(jobs))
    return Worked(results, failed)


def _round(
    function: Callable[..., Result],
    jobs: Mapping[Name, tuple[Any, ...]],
    workers: int,
    results: dict[Name, Result],
    failed: dict[Name, str],
    tick: Callable[[], None],
) -> list[Name]:
    """Work once through the jobs; the names of those that were under way or waiting when a process died."""
    broken: list[Name] = []
    with ProcessPoolExecutor(workers, mp_context=_without_threads(function.__module__)) as pool:
        waiting = {pool.submit(function, *arguments): name for name, arguments in jobs.items()}
        for job in as_completed(waiting):
            name = waiting[job]
            try:
                results[name] = job.result()
            except BrokenProcessPool:
                broken.append(name)
                continue
            except InvalidInput as error:
                failed[name] = str(error)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            tick()
    return broken


def _without_threads(module: str) -> BaseContext:
    """Processes forked from one that has loaded the code and runs nothing: the codecs' threads do not survive a fork."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([module])
    return context

"""One function over many chunks or files: in threads, in other processes, on a cluster. Results
do not depend on the location or the number of workers.

`map_chunks`   one function over many chunks, results in their order
`map_named`    one function over many files: a file that fails, or brings its process down, stops
               nothing else
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from believable.core.cluster import CLUSTER
from believable.core.errors import InvalidInput
from believable.core.processes import Result, begin_worker, clean_context

Item = TypeVar("Item")
Name = TypeVar("Name", bound=Hashable)

Pool = Literal["threads", "processes"]
"""Threads for what releases the interpreter lock; processes for Python-bound work and for what may
crash. A script that uses processes needs the usual `if __name__ == "__main__":`.
"""

Progress = Callable[[int, int], None]
"""Called with (done, in all), in the caller's thread."""

#: Chunks handed out and not yet back: bounded, so that the work's memory is bounded too.
_IN_FLIGHT = 256


def available_cores() -> int:
    """The cores this process may use (its affinity mask), not those of the machine."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def bounds(total: int, size: int) -> list[tuple[int, int]]:
    """`[(0, size), (size, 2·size), …]` up to `total`: chunk borders that depend on nothing else."""
    if size < 1:
        raise InvalidInput(f"size: expected a chunk size of at least 1, got {size}.")
    return [(start, min(start + size, total)) for start in range(0, total, size)]


def map_chunks(
    function: Callable[[Item], Result],
    chunks: Iterable[Item],
    *,
    workers: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
    pool: Pool = "threads",
) -> list[Result]:
    """`[function(chunk) for chunk in chunks]`, in parallel, results in the order of the chunks.

    workers   how many run at once on this machine; None: one per available core, or the cluster of
              `on_cluster`; 1: no pool
    executor  where to run instead: anything like `concurrent.futures.Executor`, or a
              `distributed.Client`. `function` and the chunks must then be picklable; the executor
              is left open.
    progress  called with (done, total) after each chunk
    """
    todo = list(chunks)
    if executor is None and workers is None:
        executor = CLUSTER.get()
    count = available_cores() if workers is None else workers
    if count < 1:
        raise InvalidInput(
            f"workers: expected at least 1, got {workers}. Give None for one per core."
        )
    if executor is None and (count == 1 or len(todo) <= 1):
        return _in_turn(function, todo, progress)
    with _open_executor(executor, min(count, max(len(todo), 1)), pool) as running:
        return _collect(running, function, todo, progress)


def _in_turn(
    function: Callable[[Item], Result], todo: Sequence[Item], progress: Progress | None
) -> list[Result]:
    results = []
    for done, chunk in enumerate(todo, start=1):
        results.append(function(chunk))
        if progress is not None:
            progress(done, len(todo))
    return results


def _open_executor(executor: Any, workers: int, pool: Pool) -> AbstractContextManager[Executor]:
    if executor is None:
        return _local_pool(workers, pool)
    if hasattr(executor, "get_executor"):
        return nullcontext(
            executor.get_executor()
        )  # a distributed.Client speaks concurrent.futures this way
    if hasattr(executor, "submit"):
        return nullcontext(executor)
    raise InvalidInput(
        "executor: expected a concurrent.futures.Executor or a distributed.Client, got"
        f" {executor!r}. Give an object with a submit method."
    )


def _local_pool(workers: int, pool: Pool, preload: str | None = None) -> Executor:
    if pool == "threads":
        return ThreadPoolExecutor(workers)
    return ProcessPoolExecutor(workers, mp_context=clean_context(preload), initializer=begin_worker)


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Ctrl-C waits until the end of the block: a pool then has every process that it started in its
    list, and can end it.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _collect(
    executor: Executor,
    function: Callable[[Item], Result],
    todo: Sequence[Item],
    progress: Progress | None,
) -> list[Result]:
    results: dict[int, Result] = {}
    running: dict[Future[Result], int] = {}
    coming = iter(enumerate(todo))
    try:
        while len(results) < len(todo):
            for index, chunk in coming:
                with _interrupts_deferred():
                    running[executor.submit(function, chunk)] = index
                if len(running) >= _IN_FLIGHT:
                    break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                results[running.pop(future)] = future.result()
                if progress is not None:
                    progress(len(results), len(todo))
    except KeyboardInterrupt:
        _kill_workers(executor)
        raise
    finally:
        for future in running:
            future.cancel()
    return [results[index] for index in range(len(todo))]


def _kill_workers(executor: Executor) -> None:
    """End the processes of a pool at once, including those that have just started and still ignore
    Ctrl-C.
    """
    processes: Mapping[int, Any] = getattr(executor, "_processes", None) or {}
    for process in list(processes.values()):
        process.kill()


@dataclass(frozen=True, slots=True)
class WorkOutcome(Generic[Name, Result]):
    """Results by name, and for each name that failed the reason in words."""

    results: Mapping[Name, Result]
    failed: Mapping[Name, str]


def map_named(
    function: Callable[..., Result],
    jobs: Mapping[Name, tuple[Any, ...]],
    *,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
    pool: Pool = "processes",
) -> WorkOutcome[Name, Result]:
    """Call `function(*jobs[name])` for every name. `InvalidInput` is the file's own failure; other
    errors are raised.
    """
    results: dict[Name, Result] = {}
    failed: dict[Name, str] = {}

    def attempt(names: Iterable[Name], at_once: int) -> list[Name]:
        """Work once through the names; those that were under way or waiting when a process died."""
        broken: list[Name] = []
        cluster = CLUSTER.get() if workers is None and pool == "processes" else None
        place = (
            _local_pool(at_once, pool, function.__module__)
            if cluster is None
            else nullcontext(cluster)
        )
        with place as running:
            waiting = {running.submit(function, *jobs[name]): name for name in names}
            for future in as_completed(waiting):
                name = waiting[future]
                try:
                    results[name] = future.result()
                except BrokenProcessPool:
                    broken.append(name)
                    continue
                except InvalidInput as error:
                    failed[name] = str(error)
                except BaseException:
                    running.shutdown(wait=False, cancel_futures=True)
                    raise
                progress(len(results) + len(failed), len(jobs))
        return broken

    for name in attempt(jobs, max(1, min(len(jobs), workers or available_cores()))):
        if attempt(
            [name], 1
        ):  # one of them brought the pool down: alone, each shows whether it was the one
            failed[name] = (
                "brought the decoder down. The file is damaged; make it again from its source."
            )
            progress(len(results) + len(failed), len(jobs))
    return WorkOutcome(results, failed)

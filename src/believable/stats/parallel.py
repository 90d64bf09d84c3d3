"""Long work over cores or a cluster: the same result on any number of workers.

The caller cuts the work into chunks whose borders (and seeds) do not depend on the number of workers; this
module only decides where each chunk runs and hands the results back in the order of the chunks.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, TypeVar

from believable.core.errors import InvalidInput
from believable.core.machine import available_cores

Item = TypeVar("Item")
Result = TypeVar("Result")

Progress = Callable[[int, int], None]
"""Called with (chunks done, chunks in all), in the caller's thread."""

_IN_FLIGHT = 256


def map_chunks(
    function: Callable[[Item], Result],
    chunks: Iterable[Item],
    *,
    workers: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
    pool: Literal["threads", "processes"] = "threads",
) -> list[Result]:
    """`[function(chunk) for chunk in chunks]`, in parallel, results in the order of the chunks.

    workers   how many run at once on this machine; None: one per available core; 1: no pool at all
    executor  where to run instead: anything like `concurrent.futures.Executor`, or a `distributed.Client`.
              `function` and the chunks must then be picklable; the executor is left open.
    progress  called with (done, total) after each chunk
    pool      threads for kernels that release the interpreter lock, processes for Python-bound work (a script
              that uses processes needs the usual `if __name__ == "__main__":`)
    """
    todo = list(chunks)
    count = available_cores() if workers is None else workers
    if count < 1:
        raise InvalidInput(f"workers: expected at least 1, got {workers}. Give None for one per core.")
    if executor is None and (count == 1 or len(todo) <= 1):
        return _in_turn(function, todo, progress)
    with _opened(executor, min(count, max(len(todo), 1)), pool) as running:
        return _collect(running, function, todo, progress)


def bounds(total: int, size: int) -> list[tuple[int, int]]:
    """`[(0, size), (size, 2·size), …]` up to `total`: chunk borders that depend on nothing else."""
    if size < 1:
        raise InvalidInput(f"size: expected a chunk size of at least 1, got {size}.")
    return [(start, min(start + size, total)) for start in range(0, total, size)]


def _in_turn(
    function: Callable[[Item], Result], todo: Sequence[Item], progress: Progress | None
) -> list[Result]:
    results = []
    for done, chunk in enumerate(todo, start=1):
        results.append(function(chunk))
        if progress is not None:
            progress(done, len(todo))
    return results


def _opened(executor: Any, workers: int, pool: str) -> AbstractContextManager[Executor]:
    if executor is None and pool == "threads":
        return ThreadPoolExecutor(workers)
    if executor is None:
        # A fork of a process with threads may deadlock, so workers start from a clean process.
        kind = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context(kind))
    if hasattr(executor, "get_executor"):
        return nullcontext(executor.get_executor())  # a distributed.Client speaks concurrent.futures this way
    if hasattr(executor, "submit"):
        return nullcontext(executor)
    raise InvalidInput(
        f"executor: expected a concurrent.futures.Executor or a distributed.Client, got {executor!r}. "
        "Give an object with a submit method."
    )


def _collect(
    executor: Executor, function: Callable[[Item], Result], todo: Sequence[Item], progress: Progress | None
) -> list[Result]:
    """Keep a bounded number of chunks under way, so that the work's memory stays bounded too."""
    results: dict[int, Result] = {}
    running: dict[Future[Result], int] = {}
    coming = iter(enumerate(todo))
    try:
        while len(results) < len(todo):
            for index, chunk in coming:
                running[executor.submit(function, chunk)] = index
                if len(running) >= _IN_FLIGHT:
                    break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                results[running.pop(future)] = future.result()
                if progress is not None:
                    progress(len(results), len(todo))
    finally:
        for future in running:
            future.cancel()
    return [results[index] for index in range(len(todo))]

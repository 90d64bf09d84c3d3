"""Work elsewhere: in threads, in other processes, on a cluster. Results do not depend on the
location or the number of workers.

`map_chunks`   one function over many chunks, results in their order
`map_named`    one function over many files: a file that fails, or brings its process down, stops
               nothing else
`run_crew`     processes that work side by side, wait for each other, and report their progress
`Child`        one call in a fresh interpreter: its modules are gone when it is done, and it can be
               ended at any time
`Companion`    a process that is talked to for as long as it is needed
`on_cluster`   while it lasts, what would go to other processes goes to a Dask cluster instead
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import secrets
import signal
import socket
import sys
import threading
import traceback
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
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from multiprocessing import connection, forkserver
from multiprocessing.context import BaseContext
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import urlsplit

from threadpoolctl import threadpool_limits

from believable.core.child_python import protected_start
from believable.core.errors import BelievableError, InvalidInput, MissingExtra, Unavailable

Item = TypeVar("Item")
Message = TypeVar("Message")
Name = TypeVar("Name", bound=Hashable)
Result = TypeVar("Result")

Pool = Literal["threads", "processes"]
"""Threads for what releases the interpreter lock; processes for Python-bound work and for what may
crash. A script that uses processes needs the usual `if __name__ == "__main__":`.
"""

Progress = Callable[[int, int], None]
"""Called with (done, in all), in the caller's thread."""

#: Chunks handed out and not yet back: bounded, so that the work's memory is bounded too.
_IN_FLIGHT = 256

#: How long a scheduler may take to answer.
CONNECT_S = 20

#: A process is one worker: the numeric libraries in it must not start a thread per core on top.
_ONE_NUMERIC_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


class WorkFailed(BelievableError):
    """A process ended without a result."""


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
        executor = _CLUSTER.get()
    count = available_cores() if workers is None else workers
    if count < 1:
        raise InvalidInput(
            f"workers: expected at least 1, got {workers}. Give None for one per core."
        )
    if executor is None and (count == 1 or len(todo) <= 1):
        return _in_turn(function, todo, progress)
    with _open_executor(executor, min(count, max(len(todo), 1)), pool) as running:
        return _collect(running, function, todo, progress)


_CLUSTER: ContextVar[_ClusterExecutor | None] = ContextVar("cluster", default=None)


def cluster_workers() -> int:
    """How many the cluster of `on_cluster` has; 0 outside of one."""
    cluster = _CLUSTER.get()
    return 0 if cluster is None else len(cluster.workers)


def must_be_here(what: str, cure: str) -> None:
    """Refuse a cluster with workers on other machines, where `what` cannot be reached."""
    cluster = _CLUSTER.get()
    elsewhere = set() if cluster is None else cluster.hosts - {socket.gethostname()}
    if elsewhere:
        raise InvalidInput(
            f"--cluster: there are workers on {', '.join(sorted(elsewhere))}, which cannot use"
            f" {what}. {cure}"
        )


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Inside, work that names no number of workers goes to the Dask scheduler at `address`
    (`tcp://host:8786`); None: nowhere else. Results are the same bits: chunks and their seeds do
    not depend on who computes them, and no worker uses more than one numeric thread for a chunk.
    The package must be the same version everywhere; files are read and written by the paths they
    have here.
    """
    if address is None:
        yield
        return
    with _client(address) as client:
        _must_be_alike(client, address)
        token = _CLUSTER.set(_ClusterExecutor(client))
        try:
            yield
        finally:
            _CLUSTER.reset(token)


def _client(address: str) -> Any:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise MissingExtra(what="working on a cluster", extra="cluster") from None
    try:
        return distributed.Client(address, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        raise Unavailable(
            f"--cluster {address}: no Dask scheduler answers there ({error}). Start `dask"
            f" scheduler` and `dask worker {address}`."
        ) from None


def _must_be_alike(client: Any, address: str) -> None:
    versions: Mapping[str, str] = client.run(_version)
    if not versions:
        raise Unavailable(
            f"--cluster {address}: the scheduler has no workers. Start some: dask worker {address}"
        )
    for worker, version in versions.items():
        if version != _version():
            raise InvalidInput(
                f"--cluster: {worker} has believable {version}, this machine {_version()}. Install"
                " the same version on all."
            )


def _version() -> str:
    return metadata.version("believable")


class _ClusterExecutor(Executor):
    """A Dask client as an executor whose futures raise the function's error, and whose calls use
    one numeric thread.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False)
        known = client.scheduler_info(n_workers=-1)
        self._scheduler: str = known["address"]
        self.workers: tuple[str, ...] = tuple(known["workers"])
        self.hosts: frozenset[str] = frozenset(client.run(socket.gethostname).values())

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(
            _with_one_numeric_thread, function, *arguments, **named
        )
        return future

    def crew(
        self, work: Callable[[CrewMember[Any]], Any], parts: int, hear: Callable[[Any], None]
    ) -> list[Any]:
        """One part for each worker. The workers talk to this process and wait for each other
        through it.
        """
        if parts > len(self.workers):
            raise InvalidInput(
                f"--cluster: {parts} parts at once need as many workers, and there are"
                f" {len(self.workers)}."
            )
        key = secrets.token_bytes(32)
        own = _own_address(self._scheduler)
        with connection.Listener(
            (own, 0), family="AF_INET6" if ":" in own else "AF_INET", authkey=key
        ) as listener:
            futures = [
                self._client.submit(
                    _crew_part,
                    listener.address,
                    key,
                    work,
                    number,
                    parts,
                    workers=[worker],
                    pure=False,
                    retries=0,
                )
                for number, worker in zip(range(1, parts + 1), self.workers, strict=False)
            ]
            lines: dict[int, Any] = {}
            try:
                while len(lines) < parts:
                    line = listener.accept()
                    lines[line.recv()] = line
                return _results([lines[number] for number in sorted(lines)], hear)
            finally:
                for line in lines.values():
                    line.close()
                self._client.cancel(futures)


def _own_address(scheduler: str) -> str:
    """The address of this machine from where the scheduler is. Nothing is sent to find it."""
    place = urlsplit(scheduler)
    family, kind, _, _, target = socket.getaddrinfo(
        place.hostname, place.port, type=socket.SOCK_DGRAM
    )[0]
    with socket.socket(family, kind) as probe:
        probe.connect(target)
        address: str = probe.getsockname()[0]
        return address


#: The message of a crew's member on a cluster that waits for the others, and the answer when all
#: have reached this point.
_TOGETHER = "together"


def _crew_part(
    address: Any, key: bytes, work: Callable[[CrewMember[Any]], Any], number: int, parts: int
) -> None:
    """The work of a cluster's worker: its part, in talks with the process that asked for it."""
    with connection.Client(address, authkey=key) as line:
        line.send(number)

        def together() -> None:
            line.send(_TOGETHER)
            line.recv()

        with suppress(EOFError, OSError):  # the others have failed, and the caller knows
            _answer(
                line,
                partial(_with_one_numeric_thread, work),
                CrewMember(number, parts, together, line.send),
            )


def _with_one_numeric_thread(
    function: Callable[..., Result], *arguments: Any, **named: Any
) -> Result:
    with threadpool_limits(1):
        return function(*arguments, **named)


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
    return ProcessPoolExecutor(
        workers, mp_context=_clean_context(preload), initializer=_begin_worker
    )


def _clean_context(preload: str | None) -> BaseContext:
    """Workers are forked from an idle process: a fork of one with threads (codecs have them) may
    deadlock.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    if preload is not None:
        context.set_forkserver_preload([preload])
    with _one_numeric_thread(), protected_start(), _interrupts_ignored():
        forkserver.ensure_running()
    return context


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """A process that starts inside ignores Ctrl-C, and so do its children until they decide
    otherwise. Only the main thread can change signals: elsewhere nothing happens.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, heard)


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


@contextmanager
def _one_numeric_thread() -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(_ONE_NUMERIC_THREAD)
    try:
        yield
    finally:
        for name in _ONE_NUMERIC_THREAD:
            os.environ.pop(name, None)
            os.environ.update({name: before[name]} if name in before else {})


def _take_one_numeric_thread() -> None:
    os.environ.update(_ONE_NUMERIC_THREAD)


def _begin_worker() -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_DFL
    )  # Ctrl-C ends it at once; the caller reports the interruption
    _take_one_numeric_thread()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker waits for work from a pipe that its siblings hold open, too: it cannot detect by
    itself that no work follows.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


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
        cluster = _CLUSTER.get() if workers is None and pool == "processes" else None
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


@dataclass(frozen=True, slots=True)
class _CallResult(Generic[Result]):
    result: Result


@dataclass(frozen=True, slots=True)
class _CallFailure:
    """An `error` for people travels as it is; of a fault only its traceback."""

    error: BelievableError | None
    words: str = ""


@dataclass(frozen=True, slots=True)
class CrewMember(Generic[Message]):
    """The surroundings of one process of a crew: its number (from 1), the number of processes, how
    to wait until all have reached this point (`together`) and how to report to the caller (`tell`).
    """

    number: int
    of: int
    together: Callable[[], object]
    tell: Callable[[Message], None]


def run_crew(
    work: Callable[[CrewMember[Message]], Result], processes: int, hear: Callable[[Message], None]
) -> list[Result]:
    """Let every process do its part: the results in their order. `work` must be able to travel to a
    new process.

    Inside `on_cluster` they are workers of the cluster, each of which has one part. An error of one
    ends them all.
    """
    cluster = _CLUSTER.get()
    if cluster is not None:
        return cluster.crew(work, processes, hear)
    # Forking is quick, and safe as long as there is one thread; elsewhere a process starts from
    # nothing.
    alone = sys.platform == "linux" and threading.active_count() == 1
    context: Any = multiprocessing.get_context("fork" if alone else "spawn")
    barrier = context.Barrier(processes)
    lines: list[Any] = []
    crew = []
    try:
        for number in range(1, processes + 1):
            ours, theirs = context.Pipe(duplex=False)
            member = CrewMember(number, processes, barrier.wait, theirs.send)
            process = context.Process(target=_answer, args=(theirs, work, member), daemon=True)
            with protected_start():
                process.start()
            theirs.close()
            lines.append(ours)
            crew.append(process)
        return _results(lines, hear)
    finally:
        barrier.abort()
        for process in crew:
            process.terminate()
            process.join()


def _results(lines: Sequence[Any], hear: Callable[[Any], None]) -> list[Any]:
    """The final result of each process. Processes without a barrier wait for each other through
    here.
    """
    results: dict[Any, Any] = {}
    waiting = 0
    while len(results) < len(lines):
        for line in connection.wait([line for line in lines if line not in results]):
            message = _receive(line)
            if isinstance(message, _CallResult):
                results[line] = message.result
            elif message == _TOGETHER:
                waiting += 1
            else:
                hear(message)
        if waiting == len(lines):
            waiting = 0
            for line in lines:
                line.send(_TOGETHER)
    return [results[line] for line in lines]


def _answer(line: Any, function: Callable[..., Any], *arguments: Any) -> None:
    """What runs in the other process: the call, and what came of it sent back."""
    try:
        message: Any = _CallResult(function(*arguments))
    except threading.BrokenBarrierError:
        return  # another process has failed, and says why
    except BelievableError as error:
        message = _CallFailure(error)
    except Exception as error:  # noqa: BLE001 - reported in the open
        message = _CallFailure(None, "".join(traceback.format_exception(error)))
    line.send(message)


def _receive(line: Any) -> Any:
    try:
        message = line.recv()
    except (EOFError, OSError):
        raise WorkFailed(
            "a process ended without a word. Is there enough memory? Try fewer at once."
        ) from None
    if isinstance(message, _CallFailure):
        raise message.error or RuntimeError(message.words)
    return message


@dataclass(frozen=True, slots=True)
class FunctionElsewhere:
    """A function by its place, whose modules are loaded where and when it is called: as a rule in a
    `Child`.
    """

    module: str
    name: str

    def __call__(self, *arguments: Any) -> Any:
        return getattr(importlib.import_module(self.module), self.name)(*arguments)


class Child(Generic[Result]):
    """`function(*arguments)` in a fresh interpreter, begun at once."""

    def __init__(self, function: Callable[..., Result], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_answer, args=(theirs, function, *arguments))
        with protected_start():
            self._process.start()
        theirs.close()

    def result(self) -> Result:
        """Wait. The function's error is raised here: our errors as they are, a fault as its
        traceback.
        """
        result: Result = _receive(self._line).result
        return result

    def end(self) -> None:
        """Whatever it is doing."""
        self._process.kill()
        self._process.join()


def in_child(function: Callable[..., Result], *arguments: Any) -> Result:
    """The result of one call in a fresh interpreter."""
    child = Child(function, *arguments)
    try:
        return child.result()
    finally:
        child.end()


class Companion:
    """A process with a conversation: `function(line, *arguments)` there, the other end of `line`, a
    socket, here. It is forked from an idle process and has loaded `preload` already. Each end
    notices when the other is gone; the function's error is written to the error output, and the
    line ends.
    """

    def __init__(self, function: Callable[..., object], *arguments: Any, preload: str) -> None:
        context: Any = _clean_context(preload)
        self.line, theirs = socket.socketpair()
        with theirs:
            self._process = context.Process(
                target=_converse, args=(theirs, function, *arguments), daemon=True
            )
            self._process.start()

    @property
    def pid(self) -> int:
        pid: int = self._process.pid
        return pid

    def end(self) -> None:
        """Whatever it is doing."""
        self._process.kill()
        self._process.join()
        self.line.close()


def _converse(line: socket.socket, function: Callable[..., object], *arguments: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who talks to it says when it ends
    _take_one_numeric_thread()
    with line:
        function(line, *arguments)

"""Work on a Dask cluster, and crews.

`on_cluster`   while it lasts, work for other processes goes to a Dask cluster instead
`run_crew`     processes that work at the same time, wait for each other, and report their progress
"""

from __future__ import annotations

import importlib
import multiprocessing
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from multiprocessing import connection
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from believable.core.child_python import protected_start
from believable.core.errors import InvalidInput, MissingExtra, Unavailable
from believable.core.processes import (
    CallResult,
    Result,
    receive_result,
    send_result,
    with_one_numeric_thread,
)

Message = TypeVar("Message")


#: How long a scheduler may take to answer.
CONNECT_S = 20


CLUSTER: ContextVar[_ClusterExecutor | None] = ContextVar("cluster", default=None)


def cluster_workers() -> int:
    """How many the cluster of `on_cluster` has; 0 outside of one."""
    cluster = CLUSTER.get()
    return 0 if cluster is None else len(cluster.workers)


def must_be_here(what: str, cure: str) -> None:
    """Refuse a cluster with workers on other machines, where `what` cannot be reached."""
    cluster = CLUSTER.get()
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
        token = CLUSTER.set(_ClusterExecutor(client))
        try:
            yield
        finally:
            CLUSTER.reset(token)


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
            with_one_numeric_thread, function, *arguments, **named
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
            send_result(
                line,
                partial(with_one_numeric_thread, work),
                CrewMember(number, parts, together, line.send),
            )


@dataclass(frozen=True, slots=True)
class CrewMember(Generic[Message]):
    """The surroundings of one process of a crew: its number (from 1), the number of processes, how
    to wait until all have reached this point (`together`) and how to inform the caller (`report`).
    """

    number: int
    of: int
    together: Callable[[], object]
    report: Callable[[Message], None]


def run_crew(
    work: Callable[[CrewMember[Message]], Result], processes: int, hear: Callable[[Message], None]
) -> list[Result]:
    """Let every process do its part: the results in their order. `work` must be able to travel to a
    new process.

    Inside `on_cluster` they are workers of the cluster, each of which has one part. An error of one
    ends them all.
    """
    cluster = CLUSTER.get()
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
            process = context.Process(target=send_result, args=(theirs, work, member), daemon=True)
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
            message = receive_result(line)
            if isinstance(message, CallResult):
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

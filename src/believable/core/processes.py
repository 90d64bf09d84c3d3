"""Other processes, each with one numeric thread.

`Child`        one call in a fresh interpreter: its modules are gone when it is done, and it can be
               ended at any time
`Companion`    a process to talk to for as long as it is needed
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, forkserver
from multiprocessing.context import BaseContext
from typing import Any, Generic, TypeVar

from threadpoolctl import threadpool_limits

from believable.core.child_python import protected_start
from believable.core.errors import BelievableError

Result = TypeVar("Result")


#: A process is one worker: the numeric libraries in it must not start a thread per core on top.
_ONE_NUMERIC_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


class WorkFailed(BelievableError):
    """A process ended without a result."""


def with_one_numeric_thread(
    function: Callable[..., Result], *arguments: Any, **named: Any
) -> Result:
    with threadpool_limits(1):
        return function(*arguments, **named)


def clean_context(preload: str | None) -> BaseContext:
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


def begin_worker() -> None:
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


@dataclass(frozen=True, slots=True)
class CallResult(Generic[Result]):
    result: Result


@dataclass(frozen=True, slots=True)
class _CallFailure:
    """An `error` for people travels as it is; of a fault only its traceback."""

    error: BelievableError | None
    words: str = ""


def send_result(line: Any, function: Callable[..., Any], *arguments: Any) -> None:
    """What runs in the other process: the call, and what came of it sent back."""
    try:
        message: Any = CallResult(function(*arguments))
    except threading.BrokenBarrierError:
        return  # another process has failed, and says why
    except BelievableError as error:
        message = _CallFailure(error)
    except Exception as error:  # noqa: BLE001 - reported in the open
        message = _CallFailure(None, "".join(traceback.format_exception(error)))
    line.send(message)


def receive_result(line: Any) -> Any:
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


def fresh_context() -> BaseContext:
    """Processes that begin with nothing loaded."""
    return multiprocessing.get_context("spawn")


class Child(Generic[Result]):
    """`function(*arguments)` in a fresh interpreter, begun at once."""

    def __init__(self, function: Callable[..., Result], *arguments: Any) -> None:
        context: Any = fresh_context()
        self._line, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=send_result, args=(theirs, function, *arguments))
        with protected_start():
            self._process.start()
        theirs.close()

    def result(self) -> Result:
        """Wait. The function's error is raised here: our errors as they are, a fault as its
        traceback.
        """
        result: Result = receive_result(self._line).result
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
        context: Any = clean_context(preload)
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

"""A crowd shared out over processes, so that all cores work. What comes of it does not depend on how many there are."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.synchronize import Barrier
from typing import Any

from believable.core.errors import BelievableError
from believable.core.machine import available_cores
from believable.simulate.crowd import Progress, Share
from believable.simulate.person import Visit

#: What one process does: its share of the crowd, telling of each visit.
Work = Callable[[Share, Progress], list[Visit]]

#: A process of its own is not worth while for fewer people.
FEWEST = 8


class SimulationFailed(BelievableError):
    """What a process of the simulation could not do, in its words."""


@dataclass(frozen=True, slots=True)
class _Done:
    visits: list[Visit]


@dataclass(frozen=True, slots=True)
class _Failed:
    """`expected`: an error that is told to people; else a fault, with its traceback."""

    words: str
    expected: bool


def processes_for(participants: int) -> int:
    """As many as there are cores, unless there are too few people."""
    return max(1, min(available_cores(), participants // FEWEST))


def shared_out(work: Work, processes: int, progress: Progress) -> list[Visit]:
    """Let every process do its share: all visits, in the order of coming. `work` must be able to travel to a new process."""
    # Forking is quick, and safe as long as there is one thread; elsewhere a process starts from nothing.
    alone = sys.platform == "linux" and threading.active_count() == 1
    context: Any = get_context("fork" if alone else "spawn")
    barrier = context.Barrier(processes)
    lines: list[Connection] = []
    started = []
    try:
        for number in range(1, processes + 1):
            ours, theirs = context.Pipe(duplex=False)
            one = context.Process(target=_run, args=(work, number, processes, barrier, theirs), daemon=True)
            one.start()
            theirs.close()
            lines.append(ours)
            started.append(one)
        return _in_turn(_heard(lines, progress))
    finally:
        barrier.abort()
        for one in started:
            one.terminate()
            one.join()


def _run(work: Work, number: int, of: int, barrier: Barrier, line: Connection) -> None:
    try:
        visits = work(Share(number, of, barrier.wait), line.send)
    except threading.BrokenBarrierError:
        return  # another process has failed, and says why
    except BelievableError as error:
        line.send(_Failed(str(error), expected=True))
    except Exception as error:  # noqa: BLE001 - told where it can be seen
        line.send(_Failed("".join(traceback.format_exception(error)), expected=False))
    else:
        line.send(_Done(visits))


def _heard(lines: Sequence[Connection], progress: Progress) -> list[list[Visit]]:
    done: dict[Any, list[Visit]] = {}
    while len(done) < len(lines):
        for line in wait([line for line in lines if line not in done]):
            told = _next(line)
            if isinstance(told, _Failed):
                raise SimulationFailed(told.words) if told.expected else RuntimeError(told.words)
            if isinstance(told, _Done):
                done[line] = told.visits
            else:
                progress(told)
    return [done[line] for line in lines]


def _next(line: Any) -> Visit | _Done | _Failed:
    try:
        told: Visit | _Done | _Failed = line.recv()
    except EOFError:
        raise SimulationFailed(
            "a process of the simulation ended without a word. Is there enough memory? Try fewer: --processes 1"
        ) from None
    return told


def _in_turn(shares: Sequence[Sequence[Visit]]) -> list[Visit]:
    """The shares as one crowd again: the first of each, the second of each, and so on."""
    rounds = zip_longest(*shares)
    return [visit for one in rounds for visit in one if visit is not None]

"""Many environments in a few processes: each worker steps its environments, one after the other,
and writes their observations into memory that the trainer reads. A worker whose trainer is gone
ends, and its engines with it.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.shared_memory
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from believable.core.child_python import protected_start
from believable.core.errors import BelievableError
from believable.core.seeds import derive
from believable.worlds.doom.body import BodyName
from believable.worlds.doom.navigation.navigation_env import NavigationEnv
from believable.worlds.doom.navigation.senses import DEPTH_PX, SENSES
from believable.worlds.doom.navigation.tour_env import TourEnv

#: A worker answers within this, however busy the machine is, or it is held to be broken.
PATIENCE_S = 300.0


class WorkerFailed(BelievableError):
    """An environment broke while training. The last checkpoint holds the learned weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvPlace:
    """One environment: which agent, on which course or map of tours, in which body, and where its
    rounds begin.
    """

    agent: str
    goal: int
    map_seed: int
    on_the_way: float
    seed: int
    body: BodyName = "raw"
    tours_on: str = ""

    def open(self) -> NavigationEnv:
        if self.tours_on:
            return TourEnv(self.agent, self.tours_on, self.body)
        return NavigationEnv(self.agent, self.goal, self.map_seed, self.on_the_way, body=self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedCourse:
    """The facts about a finished round."""

    number: int
    arrived: bool
    died: bool
    decisions: int
    from_start: bool
    cut_off: bool
    sudden: float
    collided: float
    slow: float


class SharedArrays:
    """What all environments see and earn, one row each, in memory that workers write and the
    trainer reads.
    """

    def __init__(self, count: int, name: str | None = None) -> None:
        sizes = (
            [(DEPTH_PX * DEPTH_PX, np.uint8)] * 2
            + [(SENSES, np.float32)] * 2
            + [(1, np.float32), (1, np.int64)]
        )
        total = sum(count * width * np.dtype(kind).itemsize for width, kind in sizes)
        self.memory = multiprocessing.shared_memory.SharedMemory(
            name=name, create=name is None, size=total
        )
        views: list[NDArray[Any]] = []
        at = 0
        for width, kind in sizes:
            views.append(np.ndarray((count, width), kind, self.memory.buf, at))
            at += count * width * np.dtype(kind).itemsize
        depth, last_depth, self.senses, self.last_senses, reward, action = views
        shape = (count, DEPTH_PX, DEPTH_PX)
        self.depth, self.last_depth = depth.reshape(shape), last_depth.reshape(shape)
        self.reward, self.action = reward[:, 0], action[:, 0]

    def close(self, *, unlink: bool) -> None:
        for name in ("depth", "last_depth", "senses", "last_senses", "reward", "action"):
            delattr(self, name)
        self.memory.close()
        if unlink:
            self.memory.unlink()


class EnvGroup(Protocol):
    """Environments stepped in parts, so that decisions for some can be made while others step. Rows
    of `arrays` hold the observations after the last step; if a round was cut off, its end is in the
    rows `last_…`.
    """

    arrays: SharedArrays
    count: int
    #: The rows of each part.
    parts: Sequence[NDArray[np.int64]]

    def begin(self, part: int) -> None: ...
    def ended(self, part: int) -> list[EndedCourse]: ...
    def penalise(self, share: float) -> None: ...
    def close(self) -> None: ...


class WorkerGroup:
    """The environments of a training, in `workers` processes."""

    def __init__(self, places: Sequence[EnvPlace], workers: int) -> None:
        self.count = len(places)
        self.arrays = SharedArrays(self.count)
        context = multiprocessing.get_context("spawn")
        self._workers: list[tuple[BaseProcess, Any]] = []  # and our end of its pipe
        self.parts: Sequence[NDArray[np.int64]] = np.array_split(
            np.arange(self.count), min(workers, self.count)
        )
        try:
            for share in self.parts:
                own, other = context.Pipe()
                rows = {int(row): places[int(row)] for row in share}
                process = context.Process(
                    target=_work,
                    args=(other, self.arrays.memory.name, self.count, rows),
                    daemon=True,
                )
                with protected_start():
                    process.start()
                other.close()
                self._workers.append((process, own))
            for _, pipe in self._workers:
                _answer(pipe)
        except BaseException:
            self.close()
            raise

    def begin(self, part: int) -> None:
        """What `arrays.action` says, in all of this part."""
        self._workers[part][1].send("step")

    def ended(self, part: int) -> list[EndedCourse]:
        """Wait for the step in progress: returns the rounds that ended with it."""
        return _answer(self._workers[part][1])

    def penalise(self, share: float) -> None:
        for _, pipe in self._workers:
            pipe.send(share)
        for _, pipe in self._workers:
            _answer(pipe)

    def close(self) -> None:
        for process, pipe in self._workers:
            pipe.close()
            process.join(10)
            if process.is_alive():
                process.kill()
                process.join()
        self._workers = []
        self.arrays.close(unlink=True)


def _answer(pipe: Connection) -> list[EndedCourse]:
    try:
        if not pipe.poll(PATIENCE_S):
            raise WorkerFailed(
                f"an environment has not answered for {PATIENCE_S:.0f} s. Start the training again:"
                " it goes on."
            )
        answer = pipe.recv()
    except (EOFError, ConnectionResetError):
        raise WorkerFailed(
            "a process with environments ended. Start the training again: it continues."
        ) from None
    if isinstance(answer, str):
        raise WorkerFailed(
            f"an environment broke: {answer.strip().splitlines()[-1]} Start the training again: it"
            " goes on."
        )
    rounds: list[EndedCourse] = answer
    return rounds


def _work(pipe: Connection, memory: str, count: int, places: dict[int, EnvPlace]) -> None:
    arrays = SharedArrays(count, memory)
    rows: dict[int, _Row] = {}
    try:
        for number, place in places.items():
            rows[number] = _Row(number, place, arrays)
        pipe.send([])
        while True:
            words = pipe.recv()
            if words == "step":
                pipe.send([ended for row in rows.values() if (ended := row.step()) is not None])
            else:
                for row in rows.values():
                    row.env.penalties = float(words)
                pipe.send([])
    except (EOFError, OSError, KeyboardInterrupt):
        pass  # the trainer is gone
    except Exception:  # noqa: BLE001  it travels to the trainer, which stops
        pipe.send(traceback.format_exc())
    finally:
        for row in rows.values():
            row.env.close()
        rows.clear()


class _Row:
    """One environment and its rows in shared memory. A round that is over is followed by the
    next.
    """

    def __init__(self, number: int, place: EnvPlace, arrays: SharedArrays) -> None:
        self._number, self._arrays = number, arrays
        self.env = place.open()
        self._begin(derive(place.seed, "environment", number) % 2**31)

    def _begin(self, seed: int | None = None) -> None:
        seen, facts = self.env.reset(seed=seed)
        self._from_start: bool = facts["from_start"]
        self._counts = np.zeros(3)
        self._show(seen)

    def _show(self, seen: dict[str, NDArray[Any]]) -> None:
        self._arrays.senses[self._number] = seen["senses"]
        if "depth" in seen:
            self._arrays.depth[self._number] = seen["depth"]

    def step(self) -> EndedCourse | None:
        arrays, number = self._arrays, self._number
        seen, reward, over, cut_off, facts = self.env.step(int(arrays.action[number]))
        arrays.reward[number] = reward
        self._show(seen)
        self._counts += (facts["sudden"], facts["collided"], facts["slow"])
        if not (over or cut_off):
            return None
        arrays.last_senses[number], arrays.last_depth[number] = (
            arrays.senses[number],
            arrays.depth[number],
        )
        decisions, from_start = facts["decisions"], self._from_start
        sudden, collided, slow = (self._counts / decisions).tolist()
        self._begin()
        return EndedCourse(
            number=number,
            arrived=facts["arrived"],
            died=facts["died"],
            decisions=decisions,
            from_start=from_start,
            cut_off=cut_off,
            sudden=sudden,
            collided=collided,
            slow=slow,
        )

"""How time passes for simulated participants: really, or as fast as the machine can go in an exact,
repeatable order.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from believable.core.clock import Clock, VirtualClock

T = TypeVar("T")


class Pace(Protocol):
    @property
    def eager(self) -> bool:
        """Whether events are worth sending as they happen."""
        ...

    def now_ms(self) -> int: ...

    async def sleep(self, ms: int) -> None:
        """Let `ms` milliseconds of the participant's time pass."""
        ...

    async def wait(self, ms: int) -> None:
        """Let `ms` milliseconds pass that the server counts too, such as a break."""
        ...

    async def meet(self) -> None:
        """Catch up with the server's time, before a request."""
        ...


class _OwnTime:
    """A participant in an unshared time: there are no others to wait for."""

    eager = True

    async def meet(self) -> None:
        return None


class RealPace(_OwnTime):
    """Real time, or a fraction of it: at speed 10 a minute of thinking takes six seconds."""

    def __init__(self, clock: Clock, speed: float = 1.0) -> None:
        self._clock = clock
        self._speed = speed

    def now_ms(self) -> int:
        return self._clock.now_ms()

    async def sleep(self, ms: int) -> None:
        await asyncio.sleep(ms / 1000 / self._speed)

    async def wait(self, ms: int) -> None:
        await asyncio.sleep(ms / 1000)


class HastyPace(_OwnTime):
    """A private clock that jumps over every pause: for remote servers, whose clock cannot be
    moved.
    """

    def __init__(self, start_ms: int) -> None:
        self._now_ms = start_ms

    def now_ms(self) -> int:
        return self._now_ms

    async def sleep(self, ms: int) -> None:
        self._now_ms += ms
        await asyncio.sleep(0)

    async def wait(self, ms: int) -> None:
        self._now_ms += ms
        await asyncio.sleep(ms / 1000)


class Arrivals:
    """Arrivals of people whose course depends on earlier ones, if several processes share them out.

    The events of one session concern no other, so processes may each run at a different speed; but
    an assignment depends on the finished sessions. So each process acts up to an arrival, all wait,
    the process of that participant admits them, and all continue. `mine` says whose turn is this
    process's; `together` waits for all processes.
    """

    def __init__(
        self,
        at_ms: Sequence[int],
        mine: Sequence[bool] = (),
        together: Callable[[], object] = lambda: None,
    ) -> None:
        self._coming = deque(zip(at_ms, mine, strict=True))
        self._together = together

    @contextmanager
    def before(self, wake_ms: int) -> Iterator[None]:
        """Around an event at `wake_ms`: all who arrive before or at that time have arrived. At the
        same moment new arrivals act before earlier ones.
        """
        self._others(wake_ms)
        if not self._coming or self._coming[0][0] > wake_ms:
            yield
            return
        self._together()
        yield
        self._together()
        self._coming.popleft()

    def rest(self) -> None:
        """This process has no participants left: let the others arrive."""
        self._others(None)

    def _others(self, until_ms: int | None) -> None:
        while (
            self._coming
            and not self._coming[0][1]
            and (until_ms is None or self._coming[0][0] <= until_ms)
        ):
            self._together()
            self._together()
            self._coming.popleft()


class VirtualTime:
    """Many participants on one virtual clock. One acts at a time, the earliest first, ties in the
    order of coming; the clock jumps from one to the next. So the same participants do the same
    things in the same order every time, whatever the machine does meanwhile.
    """

    def __init__(self, clock: VirtualClock, arrivals: Arrivals | None = None) -> None:
        self._clock = clock
        self._arrivals = arrivals or Arrivals(())
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = 0
        self._idle = asyncio.Event()
        self._failed = False

    def pace(self) -> VirtualPace:
        """The time of one participant, from now on."""
        return VirtualPace(self)

    def now_ms(self) -> int:
        return self._clock.now_ms()

    async def until(self, at_ms: int) -> None:
        """Wait for all who act before `at_ms`."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._order += 1
        heapq.heappush(self._sleepers, (at_ms, self._order, future))
        self._idle.set()
        await future

    def _on_end(self, task: asyncio.Future[Any]) -> None:
        self._failed |= not task.cancelled() and task.exception() is not None
        self._idle.set()

    async def run(self, lives: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        """Run all `lives` to their end and return their results."""
        tasks = []
        for life in lives:
            self._idle.clear()
            task = asyncio.ensure_future(life)
            task.add_done_callback(self._on_end)
            tasks.append(task)
            await self._idle.wait()
        try:
            while self._sleepers and not self._failed:
                wake_ms, _, future = heapq.heappop(self._sleepers)
                with self._arrivals.before(wake_ms):
                    self._clock.advance(max(0, wake_ms - self.now_ms()))
                    self._idle.clear()
                    future.set_result(None)
                    await self._idle.wait()
            if not self._failed:
                self._arrivals.rest()
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result
        return [task.result() for task in tasks]


class VirtualPace:
    """One participant on a virtual clock. Actions that only they can notice (thinking, watching,
    pressing keys) run ahead of it, on a private time; before a request to the server they wait for
    all who send one earlier.
    """

    eager = False

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self._now_ms = time.now_ms()

    def now_ms(self) -> int:
        return self._now_ms

    async def sleep(self, ms: int) -> None:
        self._now_ms += ms

    async def wait(self, ms: int) -> None:
        self._now_ms += ms

    async def meet(self) -> None:
        if self._now_ms > self._time.now_ms():
            await self._time.until(self._now_ms)

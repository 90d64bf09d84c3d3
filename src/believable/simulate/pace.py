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
        """Come to the server's time, before speaking to it."""
        ...


class _OwnTime:
    """A participant whose time is not shared out: there is nobody to wait for."""

    eager = True

    async def meet(self) -> None:
        return None


class RealPace(_OwnTime):
    """Time as everybody has it, or a fraction of it: at speed 10 a minute of thinking takes six
    seconds.
    """

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
    """A clock of one's own that jumps over every pause: for servers elsewhere, whose clock cannot
    be moved.
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
    """When people come whose course depends on those before them, where several processes share
    them out.

    What happens in one session concerns no other, so that processes may each go on at their own
    speed; but where somebody is assigned to depends on who has finished. So each process acts up to
    an arrival, all wait, the one whose participant it is lets them in, and all go on. `mine` says
    whose turn is this process's own; `together` waits for all processes.
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
        """Around whatever happens at `wake_ms`: everybody who comes before, or then, has come. At
        the same moment those who come act before those who are there.
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
        """Nobody of this process is left: let the others come."""
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
        """Wait for everybody who acts before `at_ms`."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._order += 1
        heapq.heappush(self._sleepers, (at_ms, self._order, future))
        self._idle.set()
        await future

    def _ended(self, task: asyncio.Future[Any]) -> None:
        self._failed |= not task.cancelled() and task.exception() is not None
        self._idle.set()

    async def run(self, lives: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        """Run all `lives` to their end and return what they return."""
        tasks = []
        for life in lives:
            self._idle.clear()
            task = asyncio.ensure_future(life)
            task.add_done_callback(self._ended)
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
    """One participant on a virtual clock. What only they can notice (thinking, watching, pressing
    keys) happens ahead of it, on a time of their own; before they speak to the server they wait for
    everybody who does so earlier.
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

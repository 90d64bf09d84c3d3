"""How time passes for simulated participants: really, or as fast as the machine can go in an exact, repeatable order."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Coroutine, Sequence
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


class RealPace:
    """Time as everybody has it, or a fraction of it: at speed 10 a minute of thinking takes six seconds."""

    eager = True

    def __init__(self, clock: Clock, speed: float = 1.0) -> None:
        self._clock = clock
        self._speed = speed

    def now_ms(self) -> int:
        return self._clock.now_ms()

    async def sleep(self, ms: int) -> None:
        await asyncio.sleep(ms / 1000 / self._speed)

    async def wait(self, ms: int) -> None:
        await asyncio.sleep(ms / 1000)


class HastyPace:
    """A clock of one's own that jumps over every pause: for servers elsewhere, whose clock cannot be moved."""

    eager = True

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


class VirtualPace:
    """Many participants on one virtual clock. One acts at a time, the earliest to wake first, ties in the order of going to
    sleep; the clock jumps from wake-up to wake-up. So the same participants do the same things in the same order every time,
    whatever the machine does meanwhile.
    """

    eager = False

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = 0
        self._idle = asyncio.Event()

    def now_ms(self) -> int:
        return self._clock.now_ms()

    async def sleep(self, ms: int) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._order += 1
        heapq.heappush(self._sleepers, (self.now_ms() + ms, self._order, future))
        self._idle.set()
        await future

    async def wait(self, ms: int) -> None:
        await self.sleep(ms)

    async def run(self, lives: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        """Run all `lives` to their end and return what they return. Each begins by sleeping until its own start."""
        tasks = []
        for life in lives:
            self._idle.clear()
            task = asyncio.ensure_future(life)
            task.add_done_callback(lambda _: self._idle.set())
            tasks.append(task)
            await self._idle.wait()
        try:
            while self._sleepers and not any(task.done() and task.exception() for task in tasks):
                wake_ms, _, future = heapq.heappop(self._sleepers)
                self._clock.advance(max(0, wake_ms - self.now_ms()))
                self._idle.clear()
                future.set_result(None)
                await self._idle.wait()
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result
        return [task.result() for task in tasks]

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from believable.core.clock import VirtualClock, WallClock
from believable.simulate.pace import Arrivals, HastyPace, RealPace, VirtualTime


def test_virtual_participants_meet_the_server_in_the_order_of_their_clocks() -> None:
    clock = VirtualClock(0)
    told: list[tuple[str, int]] = []

    async def live(time: VirtualTime, name: str, start_ms: int, step_ms: int) -> str:
        await time.until(start_ms)
        pace = time.pace()
        for _ in range(3):
            await pace.meet()
            told.append((name, pace.now_ms()))
            assert clock.now_ms() == pace.now_ms()
            await asyncio.sleep(0.001)  # real waiting, as for a disk, must not change the order
            await pace.sleep(step_ms)
        await pace.meet()
        return name

    async def main() -> list[str]:
        time = VirtualTime(clock)
        return await time.run(
            [live(time, "a", 10, 100), live(time, "b", 0, 60), live(time, "c", 10, 10)]
        )

    assert asyncio.run(main()) == ["a", "b", "c"]
    assert told == [
        ("b", 0),
        ("a", 10),
        ("c", 10),
        ("c", 20),
        ("c", 30),
        ("b", 60),
        ("a", 110),
        ("b", 120),
        ("a", 210),
    ]
    assert clock.now_ms() == 310


def test_what_nobody_else_notices_happens_on_a_time_of_ones_own() -> None:
    async def main() -> None:
        time = VirtualTime(VirtualClock(5))
        pace = time.pace()
        await pace.sleep(30)
        await pace.wait(20)
        assert (pace.now_ms(), time.now_ms()) == (55, 5)

    asyncio.run(main())


def test_one_failing_life_is_reported_and_ends_the_run() -> None:
    async def fail(time: VirtualTime) -> None:
        await time.until(5)
        raise RuntimeError("stumbled")

    async def live(time: VirtualTime) -> None:
        await time.until(10)

    async def main() -> None:
        time = VirtualTime(VirtualClock(0))
        await time.run([live(time), fail(time)])

    with pytest.raises(RuntimeError, match="stumbled"):
        asyncio.run(main())


def test_processes_wait_for_each_other_at_every_arrival() -> None:
    """Two processes, as threads. Whoever comes sees everything that happened before, and nothing
    that happens later.
    """
    barrier = threading.Barrier(2)
    arrivals_ms = [0, 10, 10, 30, 40]
    told: list[tuple[str, int]] = []

    def process(first: int, step_ms: int) -> None:
        clock = VirtualClock(0)
        mine = [number % 2 == first for number in range(len(arrivals_ms))]

        async def live(time: VirtualTime, number: int, at_ms: int) -> None:
            await time.until(at_ms)
            told.append((f"comes {number}", at_ms))
            pace = time.pace()
            for _ in range(4):
                await pace.sleep(step_ms)
                await pace.meet()
                told.append((f"acts {number}", pace.now_ms()))

        async def main() -> None:
            time = VirtualTime(clock, Arrivals(arrivals_ms, mine, barrier.wait))
            await time.run(
                [
                    live(time, number, at_ms)
                    for number, at_ms in enumerate(arrivals_ms)
                    if mine[number]
                ]
            )

        asyncio.run(main())

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(process, 0, 7), threads.submit(process, 1, 15)]:
            done.result(timeout=20)
    assert len(told) == 5 * len(arrivals_ms)
    assert [what for what, _ in told if what.startswith("comes")] == [
        f"comes {number}" for number in range(5)
    ]
    for place, (what, at_ms) in enumerate(told):
        if what.startswith("comes"):
            assert all(before <= at_ms for _, before in told[:place])
            assert all(after >= at_ms for _, after in told[place:])


def test_a_hasty_pace_jumps_and_a_real_one_waits() -> None:
    async def main() -> None:
        hasty = HastyPace(1000)
        await hasty.sleep(60_000)
        assert hasty.now_ms() == 61_000
        before = WallClock().now_ms()
        await hasty.wait(30)
        assert WallClock().now_ms() - before >= 29, "what the server counts cannot be jumped over"
        assert hasty.now_ms() == 61_030
        real = RealPace(WallClock(), speed=100)
        before = real.now_ms()
        await real.sleep(2000)
        assert 15 <= real.now_ms() - before < 2000

    asyncio.run(main())

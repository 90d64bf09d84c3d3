from __future__ import annotations

import asyncio

import pytest

from believable.core.clock import VirtualClock, WallClock
from believable.simulate.pace import HastyPace, RealPace, VirtualPace


def test_virtual_participants_act_in_the_order_of_their_clocks() -> None:
    clock = VirtualClock(0)
    told: list[tuple[str, int]] = []

    async def live(pace: VirtualPace, name: str, start_ms: int, step_ms: int) -> str:
        await pace.sleep(start_ms)
        for _ in range(3):
            told.append((name, pace.now_ms()))
            await asyncio.sleep(0.001)  # real waiting, as for a disk, must not change the order
            await pace.sleep(step_ms)
        return name

    async def main() -> list[str]:
        pace = VirtualPace(clock)
        return await pace.run([live(pace, "a", 10, 100), live(pace, "b", 0, 60), live(pace, "c", 10, 10)])

    assert asyncio.run(main()) == ["a", "b", "c"]
    assert told == [
        ("b", 0), ("a", 10), ("c", 10), ("c", 20), ("c", 30), ("b", 60), ("a", 110), ("b", 120), ("a", 210),
    ]  # fmt: skip
    assert clock.now_ms() == 310


def test_one_failing_life_is_reported_and_ends_the_run() -> None:
    async def fail(pace: VirtualPace) -> None:
        await pace.sleep(5)
        raise RuntimeError("stumbled")

    async def live(pace: VirtualPace) -> None:
        await pace.sleep(10)

    async def main() -> None:
        pace = VirtualPace(VirtualClock())
        await pace.run([live(pace), fail(pace)])

    with pytest.raises(RuntimeError, match="stumbled"):
        asyncio.run(main())


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

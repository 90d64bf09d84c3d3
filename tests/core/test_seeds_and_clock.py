from __future__ import annotations

import time

from believable.core.clock import VirtualClock, WallClock
from believable.core.seeds import derive, generator


def test_each_use_has_its_own_stable_seed() -> None:
    assert derive(7, "order") == derive(7, "order")
    assert derive(7, "order") != derive(7, "arms")
    assert derive(7, "order") != derive(8, "order")
    assert derive(7, "a", "b") != derive(7, "ab")
    assert derive(7, "order") == 2761730423350678014


def test_the_generator_gives_the_same_sequence_on_every_machine() -> None:
    rng = generator(7, "order")
    assert [rng.randrange(1000) for _ in range(4)] == [549, 490, 965, 884]


def test_a_virtual_clock_moves_only_when_told() -> None:
    clock = VirtualClock(1_000)
    assert clock.now_ms() == 1_000
    clock.advance(250)
    assert clock.now_ms() == 1_250


def test_the_wall_clock_counts_milliseconds_since_1970() -> None:
    assert abs(WallClock().now_ms() - time.time() * 1000) < 1_000

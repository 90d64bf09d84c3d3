"""Room for so many rounds: who waits, in which order, and who keeps a place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from believable.app.settings import ROUNDS_PER_CORE, Settings
from believable.web.participant.round_room import KEPT_S, RoundRoom


class Watch:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def in_loop(work: Callable[[], None]) -> None:
    async def main() -> None:
        work()

    asyncio.run(main())


def test_who_comes_later_waits_and_moves_up() -> None:
    def work() -> None:
        room = RoundRoom(2)
        with ExitStack() as first, ExitStack() as others:
            a = first.enter_context(room.ticket("a", begun=False))
            b, c, d = (others.enter_context(room.ticket(name, begun=False)) for name in "bcd")
            assert [ticket.place for ticket in (a, b, c, d)] == [0, 0, 1, 2]
            assert room.waiting == 2
            first.close()
            assert [ticket.place for ticket in (b, c, d)] == [0, 0, 1]
        assert room.waiting == 0

    in_loop(work)


def test_a_round_that_was_begun_goes_before_those_that_were_not() -> None:
    def work() -> None:
        room = RoundRoom(1)
        with ExitStack() as stack:
            tickets = [stack.enter_context(room.ticket(name, begun=name == "c")) for name in "abc"]
            assert [ticket.place for ticket in tickets] == [0, 2, 1]

    in_loop(work)


def test_who_loads_the_page_again_keeps_the_place_for_a_while() -> None:
    def work() -> None:
        watch = Watch()
        room = RoundRoom(1, watch)
        with ExitStack() as stack:
            stack.enter_context(room.ticket("a", begun=False))
            with room.ticket("b", begun=False):
                c = stack.enter_context(room.ticket("c", begun=False))
            assert c.place == 1
            watch.now_s = KEPT_S - 1
            with room.ticket("b", begun=False) as b:
                assert (b.place, c.place) == (1, 2)
            watch.now_s += KEPT_S + 1
            with room.ticket("b", begun=False) as b:
                assert (b.place, c.place) == (2, 1)

    in_loop(work)


def test_how_many_are_played_at_once_follows_from_cores_and_processes() -> None:
    folder = Path("data")
    assert Settings(folder).rounds_at_once % ROUNDS_PER_CORE == 0
    assert Settings(folder, most_rounds=7).rounds_at_once == 7
    assert Settings(folder, most_rounds=7, workers=3).rounds_at_once == 2
    assert Settings(folder, most_rounds=1, workers=3).rounds_at_once == 1
    shared = Settings(folder, most_rounds=7, workers=3)
    assert Settings.from_json(shared.to_json()) == shared

"""Inputs of many rounds in one write: what is durable, who is refused, and what a write that fails tells."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from believable.agents.maze_live import LiveRound, NumberedInput
from believable.agents.maze_setup import RoundSetup
from believable.collect.rounds import Opened
from believable.core.errors import StorageFull, TakenOver
from believable.store.engine import Store
from believable.store.rounds import Piece, RoundKey
from believable.study.records import Play
from believable.web.participant import scribe as module
from believable.web.participant.scribe import Pen, Scribe
from believable.worlds.maze.rules import PlayerInput

SETUP = RoundSetup(maze_seed=1, agent_seed=1, opponent="calm", size=15, ticks=150, practice=False)


class SlowStore:
    """Takes each write when it is told to, and answers what it is told to."""

    def __init__(self) -> None:
        self.writes: list[tuple[list[Piece], asyncio.Future[Any]]] = []

    async def awrite(self, change: Callable[[Any], Any]) -> Any:
        (pieces,) = [cell.cell_contents for cell in change.__closure__ or ()]
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.writes.append((pieces, answer))
        return await answer

    async def written(self, number: int) -> tuple[list[Piece], asyncio.Future[Any]]:
        async with asyncio.timeout(10):
            while len(self.writes) <= number:
                await asyncio.sleep(0.01)
        return self.writes[number]


def pen_of(scribe: Scribe, number: int) -> tuple[Pen, LiveRound]:
    live = LiveRound(SETUP)
    key = RoundKey(f"session {number}", 0, 0, 1)
    opened = Opened(
        key, f"holder {number}", Play(id="game"), SETUP, (), 0, over=False, score=None, steppable=False
    )
    return Pen(scribe, opened, live), live


def goes_on(live: LiveRound, ticks: int) -> None:
    live.receive(NumberedInput(live.received + 1, 0, PlayerInput(1, 0, (live.received * 7) % 360)))
    for _ in range(ticks):
        live.step()


def made() -> tuple[Scribe, SlowStore]:
    store = SlowStore()
    return Scribe(cast(Store, store)), store


def test_rounds_share_a_write_and_are_refused_alone() -> None:
    async def run() -> None:
        scribe, store = made()
        (first, one), (second, two) = pen_of(scribe, 1), pen_of(scribe, 2)
        with scribe.writing(first), scribe.writing(second):
            goes_on(one, 6)
            goes_on(two, 4)
            pieces, answer = await store.written(0)
            assert sorted((piece.holder, piece.tick, len(piece.changes)) for piece in pieces) == [
                ("holder 1", 6, 1),
                ("holder 2", 4, 1),
            ]
            assert (first.durable, second.durable) == (0, 0), "nothing is durable before the store says so"
            goes_on(one, 3)
            answer.set_result([TakenOver("elsewhere") if piece.holder == "holder 2" else None for piece in pieces])
            (piece,), last = await store.written(1)
            assert (piece.holder, piece.tick) == ("holder 1", 9)
            assert (first.durable, first.at_risk_ticks) == (6, 3)
            first.check()
            with pytest.raises(TakenOver):
                second.check()
            last.set_result([None])
            await first.settle()
            with pytest.raises(TakenOver):
                await second.settle()

    asyncio.run(run())


def test_settling_waits_for_the_piece_on_its_way_and_writes_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE_S", 0.01)

    async def run() -> None:
        scribe, store = made()
        pen, live = pen_of(scribe, 1)
        with scribe.writing(pen):
            goes_on(live, 5)
            _, first = await store.written(0)
            goes_on(live, 2)
        settling = asyncio.ensure_future(pen.settle())
        await asyncio.sleep(0.05)
        assert len(store.writes) == 1, "one piece at a time"
        first.set_result([None])
        (rest,), second = await store.written(1)
        assert (rest.tick, pen.durable, settling.done()) == (7, 5, False)
        second.set_result([None])
        await settling
        assert pen.at_risk_ticks == 0
        await pen.settle()
        assert len(store.writes) == 2, "there was nothing left to write"

    asyncio.run(run())


def test_a_write_that_fails_is_heard_of_by_all_and_the_next_rounds_are_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PIECE_S", 0.01)

    async def run() -> None:
        scribe, store = made()
        (first, one), (second, two) = pen_of(scribe, 1), pen_of(scribe, 2)
        with scribe.writing(first), scribe.writing(second):
            goes_on(one, 3)
            goes_on(two, 3)
            _, answer = await store.written(0)
            answer.set_exception(StorageFull("no space"))
            for pen in (first, second):
                with pytest.raises(StorageFull):
                    await pen.settle()
        third, live = pen_of(scribe, 3)
        with scribe.writing(third):
            goes_on(live, 1)
            (piece,), answer = await store.written(1)
            answer.set_result([None])
            await third.settle()
        assert (piece.holder, third.durable) == ("holder 3", 1)

    asyncio.run(run())

"""Inputs of many rounds in one write: what is durable, who is refused, and what a write that fails
tells.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from believable.collect.session_rounds import HeldRound
from believable.core.errors import StorageFull, TakenOver
from believable.store.engine import Store
from believable.store.rounds import Piece, RoundKey
from believable.web.participant import round_writer as module
from believable.web.participant.round_writer import RoundInputs, RoundWriter
from believable.worlds.live_round import LiveRound, NumberedInput
from believable.worlds.maze import MAZE
from believable.worlds.maze.game import MazeSetup
from believable.worlds.play_trial import Play
from tests.waiting import wait_in_loop

SETUP = MazeSetup(maze_seed=1, agent_seed=1, opponent="calm", size=15, ticks=150, practice=False)


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
        await wait_in_loop(lambda: len(self.writes) > number, "nothing was written")
        return self.writes[number]


def inputs_of(writer: RoundWriter, number: int) -> tuple[RoundInputs, LiveRound]:
    live = LiveRound(MAZE.game, SETUP)
    key = RoundKey(f"session {number}", 0, 0, 1)
    opened = HeldRound(
        key=key,
        holder=f"holder {number}",
        play=Play(id="game"),
        setup=SETUP,
        changes=(),
        tick=0,
        over=False,
        score=None,
        steppable=False,
    )
    return RoundInputs(writer, opened, live), live


def goes_on(live: LiveRound, ticks: int) -> None:
    live.receive(
        NumberedInput(live.last_received + 1, 0, (1, 0, (live.last_received * 7) % 360, 0, 0))
    )
    for _ in range(ticks):
        live.step()


def writer_and_store() -> tuple[RoundWriter, SlowStore]:
    store = SlowStore()
    return RoundWriter(cast(Store, store)), store


def test_rounds_share_a_write_and_are_refused_alone() -> None:
    async def run() -> None:
        writer, store = writer_and_store()
        (first, first_live), (second, second_live) = inputs_of(writer, 1), inputs_of(writer, 2)
        with writer.writing(first), writer.writing(second):
            goes_on(first_live, 6)
            goes_on(second_live, 4)
            pieces, answer = await store.written(0)
            assert sorted((piece.holder, piece.tick, len(piece.changes)) for piece in pieces) == [
                ("holder 1", 6, 1),
                ("holder 2", 4, 1),
            ]
            assert (first.durable, second.durable) == (0, 0), (
                "nothing is durable before the store says so"
            )
            goes_on(first_live, 3)
            answer.set_result(
                [TakenOver("elsewhere") if piece.holder == "holder 2" else None for piece in pieces]
            )
            (piece,), last = await store.written(1)
            assert (piece.holder, piece.tick) == ("holder 1", 9)
            assert (first.durable, first.at_risk_ticks) == (6, 3)
            first.check()
            with pytest.raises(TakenOver):
                second.check()
            last.set_result([None])
            await first.flush()
            with pytest.raises(TakenOver):
                await second.flush()

    asyncio.run(run())


def test_settling_waits_for_the_piece_on_its_way_and_writes_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PIECE_S", 0.01)

    async def run() -> None:
        writer, store = writer_and_store()
        inputs, live = inputs_of(writer, 1)
        with writer.writing(inputs):
            goes_on(live, 5)
            _, first = await store.written(0)
            goes_on(live, 2)
        settling = asyncio.ensure_future(inputs.flush())
        for _ in range(50):  # as often as the loop likes: it waits for the first
            await asyncio.sleep(0)
        assert len(store.writes) == 1, "one piece at a time"
        first.set_result([None])
        (rest,), second = await store.written(1)
        assert (rest.tick, inputs.durable, settling.done()) == (7, 5, False)
        second.set_result([None])
        await settling
        assert inputs.at_risk_ticks == 0
        await inputs.flush()
        assert len(store.writes) == 2, "there was nothing left to write"

    asyncio.run(run())


def test_a_write_that_fails_is_heard_of_by_all_and_the_next_rounds_are_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PIECE_S", 0.01)

    async def run() -> None:
        writer, store = writer_and_store()
        (first, first_live), (second, second_live) = inputs_of(writer, 1), inputs_of(writer, 2)
        with writer.writing(first), writer.writing(second):
            goes_on(first_live, 3)
            goes_on(second_live, 3)
            _, answer = await store.written(0)
            answer.set_exception(StorageFull("no space"))
            for inputs in (first, second):
                with pytest.raises(StorageFull):
                    await inputs.flush()
        third, live = inputs_of(writer, 3)
        with writer.writing(third):
            goes_on(live, 1)
            (piece,), answer = await store.written(1)
            answer.set_result([None])
            await third.flush()
        assert (piece.holder, third.durable) == ("holder 3", 1)

    asyncio.run(run())

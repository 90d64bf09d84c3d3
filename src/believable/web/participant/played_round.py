"""A round as a connection plays it, in either location: here, in a few microseconds a step, or in a
separate process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Protocol

from believable.collect.session_rounds import HeldRound
from believable.contracts.inputs import InputChange
from believable.recordings.recording import Recording
from believable.worlds.live_round import LiveRound, NumberedInput, record_round
from believable.worlds.picture_stream import Coding
from believable.worlds.round_process import DistantRound, RoundOrder


class PlayedRound(Protocol):
    """What `LiveRound` is, with steps that may have to be waited for."""

    @property
    def welcome(self) -> Mapping[str, Any]: ...
    @property
    def tick(self) -> int: ...
    @property
    def ticks(self) -> int: ...
    @property
    def last_received(self) -> int: ...
    @property
    def over(self) -> bool: ...
    def message(self) -> dict[str, Any]: ...
    def take_image(self) -> tuple[bytes, bool] | None:
        """The encoded picture of this tick, once, and whether it can be shown by itself."""

    def take_changes(self) -> list[InputChange]: ...
    def receive(self, numbered: NumberedInput, seat: int = 0) -> None: ...
    def release(self) -> None: ...
    async def step(
        self, ticks: int = 1, *, look: bool = True, whole: bool = False
    ) -> Sequence[str]: ...
    async def record(self, changes: Sequence[InputChange]) -> tuple[Recording, int | None]: ...
    async def close(self) -> None: ...


class NearRound:
    """A round of a world that the page draws: it is stepped where the connection is."""

    def __init__(self, opened: HeldRound, live: LiveRound, executor: Executor) -> None:
        self._opened, self._live, self._executor = opened, live, executor
        self.welcome = live.game.welcome(opened.playing.seat)
        self.ticks = live.game.ticks
        self.message, self.receive, self.release = live.message, live.receive, live.release
        self.take_changes = live.take_changes

    @property
    def tick(self) -> int:
        return self._live.tick

    @property
    def last_received(self) -> int:
        return self._live.last_received

    @property
    def over(self) -> bool:
        return self._live.over

    def take_image(self) -> None:
        return None

    async def step(
        self, ticks: int = 1, *, look: bool = True, whole: bool = False
    ) -> Sequence[str]:
        happened: list[str] = []
        while ticks > 0 and not self._live.over:
            happened += self._live.step()
            ticks -= 1
        return happened

    async def record(self, changes: Sequence[InputChange]) -> tuple[Recording, int | None]:
        opened, loop = self._opened, asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._executor, record_round, opened.playing, opened.setup, changes
        )

    async def close(self) -> None:
        self._live.game.close()


async def begun(opened: HeldRound, coding: Coding | None, executor: Executor) -> PlayedRound:
    """The current state of the round; nothing is pressed."""
    if opened.playing.filmable is None:
        live = await asyncio.get_running_loop().run_in_executor(executor, opened.live)
        return NearRound(opened, live, executor)
    order = RoundOrder(
        world=opened.play.world,
        setup=opened.playing.dump_setup(opened.setup),
        changes=opened.changes,
        tick=opened.tick,
        coding=coding,
    )
    return await DistantRound.begun(order, executor)

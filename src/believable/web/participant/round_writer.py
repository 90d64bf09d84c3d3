"""Inputs become durable during their rounds: those of all rounds of a process together, a few times
a second.

One change for all of them costs little more than one for a single round, and the loop that plays
them is left alone meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from believable.collect.session_rounds import HeldRound
from believable.contracts.inputs import InputChange
from believable.store import rounds
from believable.store.engine import Store
from believable.store.rounds import Piece

#: Applied inputs are written this often.
PIECE_S = 0.2


class PlayedInputs(Protocol):
    """The tick of a round, and the inputs applied since the last write."""

    @property
    def tick(self) -> int: ...
    def take_changes(self) -> list[InputChange]: ...


class RoundInputs:
    """The inputs of one connection on their way to the database. `durable`: they are stored before
    this tick.
    """

    def __init__(self, writer: RoundWriter, opened: HeldRound, live: PlayedInputs) -> None:
        self._writer = writer
        self._opened = opened
        self._live = live
        self._idle = asyncio.Event()
        self._idle.set()
        self._trouble: BaseException | None = None
        self.durable = live.tick

    @property
    def at_risk_ticks(self) -> int:
        return self._live.tick - self.durable

    def check(self) -> None:
        """Raises what went wrong: taken over, withdrawn, no room."""
        if self._trouble is not None:
            raise self._trouble

    async def flush(self) -> None:
        """Wait until all ticks that were played are durable."""
        await self._idle.wait()
        self.check()
        if self.at_risk_ticks:
            await self._writer.write([self])
            self.check()

    def take_piece(self) -> Piece | None:
        """The next piece, if there is one and the one before is stored. `piece_written` has to
        follow.
        """
        if not self._idle.is_set() or not self.at_risk_ticks or self._trouble is not None:
            return None
        self._idle.clear()
        return Piece(
            self._opened.key, self._opened.holder, self._live.tick, self._live.take_changes()
        )

    def piece_written(self, piece: Piece, trouble: BaseException | None) -> None:
        self._trouble = trouble
        if trouble is None:
            self.durable = piece.tick
        self._idle.set()


class RoundWriter:
    """Of one server process. Writes for every round that is being played."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._played: set[RoundInputs] = set()
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def writing(self, inputs: RoundInputs) -> Iterator[None]:
        """Meanwhile these are written by themselves."""
        self._played.add(inputs)
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._write_on())
        try:
            yield
        finally:
            self._played.discard(inputs)

    async def _write_on(self) -> None:
        while self._played:
            await asyncio.sleep(PIECE_S)
            await self.write(self._played)

    async def write(self, rounds_played: Iterable[RoundInputs]) -> None:
        """One change; a refused round does not affect the others."""
        taken = [
            (inputs, piece)
            for inputs in rounds_played
            if (piece := inputs.take_piece()) is not None
        ]
        if not taken:
            return
        pieces = [piece for _, piece in taken]
        writing = asyncio.ensure_future(
            self._store.awrite(lambda conn: rounds.append(conn, pieces))
        )
        await asyncio.wait({writing})
        failed = writing.exception()  # each connection has to hear of it
        troubles: Sequence[BaseException | None] = (
            [failed] * len(pieces) if failed else writing.result()
        )
        for (inputs, piece), trouble in zip(taken, troubles, strict=True):
            inputs.piece_written(piece, trouble)

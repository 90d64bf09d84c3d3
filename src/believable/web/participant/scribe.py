"""Inputs become durable while their rounds go on: those of all rounds of a process together, a few times a second.

One change for all of them costs little more than one for a single round, and the loop that plays them is left alone meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from believable.agents.maze_live import LiveRound
from believable.collect.rounds import Opened
from believable.store import rounds
from believable.store.engine import Store
from believable.store.rounds import Piece

#: What was applied is written this often.
PIECE_S = 0.2


class Pen:
    """What one connection writes with. `durable`: inputs are stored before this tick."""

    def __init__(self, scribe: Scribe, opened: Opened, live: LiveRound) -> None:
        self._scribe = scribe
        self._opened = opened
        self._live = live
        self._idle = asyncio.Event()
        self._idle.set()
        self._trouble: BaseException | None = None
        self.durable = live.game.tick

    @property
    def at_risk_ticks(self) -> int:
        return self._live.game.tick - self.durable

    def check(self) -> None:
        """Raises what went wrong: taken over, withdrawn, no room."""
        if self._trouble is not None:
            raise self._trouble

    async def settle(self) -> None:
        """Everything played so far is durable when this returns."""
        await self._idle.wait()
        self.check()
        if self.at_risk_ticks:
            await self._scribe.write([self])
            self.check()

    def dip(self) -> Piece | None:
        """The next piece, if there is one and the one before is stored. `dry` has to follow."""
        if not self._idle.is_set() or not self.at_risk_ticks or self._trouble is not None:
            return None
        self._idle.clear()
        return Piece(self._opened.key, self._opened.holder, self._live.game.tick, self._live.take_changes())

    def dry(self, piece: Piece, trouble: BaseException | None) -> None:
        self._trouble = trouble
        if trouble is None:
            self.durable = piece.tick
        self._idle.set()


class Scribe:
    """Of one server process. Writes for every pen in hand."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pens: set[Pen] = set()
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def writing(self, pen: Pen) -> Iterator[None]:
        """Meanwhile `pen` writes by itself."""
        self._pens.add(pen)
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._write_on())
        try:
            yield
        finally:
            self._pens.discard(pen)

    async def _write_on(self) -> None:
        while self._pens:
            await asyncio.sleep(PIECE_S)
            await self.write(self._pens)

    async def write(self, pens: Iterable[Pen]) -> None:
        """One change; whoever is refused is refused alone."""
        dipped = [(pen, piece) for pen in pens if (piece := pen.dip()) is not None]
        if not dipped:
            return
        pieces = [piece for _, piece in dipped]
        writing = asyncio.ensure_future(self._store.awrite(lambda conn: rounds.append(conn, pieces)))
        await asyncio.wait({writing})
        failed = writing.exception()  # each connection has to hear of it
        told: Sequence[BaseException | None] = [failed] * len(pieces) if failed else writing.result()
        for (pen, piece), trouble in zip(dipped, told, strict=True):
            pen.dry(piece, trouble)

"""Room for rounds whose pictures are made on the server: a maximum at once, and a line for later
ones.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

#: A page that is reloaded while it waits keeps its position in the line.
KEPT_S = 20.0


class LineTicket:
    """One who wants to play. `place` counts from 1 in the line; 0 is in the room."""

    def __init__(self, room: RoundRoom, rank: tuple[bool, int]) -> None:
        self._room = room
        self._free = asyncio.Event()
        self.rank = rank

    @property
    def place(self) -> int:
        return self._room.place_of(self)

    def admit(self) -> None:
        self._free.set()

    async def wait_for_room(self) -> None:
        """Returns when there is room."""
        await self._free.wait()


class RoundRoom:
    """The room of one server process. Rounds in progress have priority over new ones: their clock
    is stopped.
    """

    def __init__(self, most: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._now_s = now_s
        self._numbers = count()
        self._inside: set[LineTicket] = set()
        self._line: list[LineTicket] = []
        self._left: dict[str, tuple[int, float]] = {}

    @property
    def waiting(self) -> int:
        return len(self._line)

    def place_of(self, ticket: LineTicket) -> int:
        return self._line.index(ticket) + 1 if ticket in self._line else 0

    @contextmanager
    def ticket(self, session: str, *, begun: bool) -> Iterator[LineTicket]:
        """Into the line, and out of the room again."""
        number = self._number(session)
        ticket = LineTicket(self, (not begun, number))
        self._line.append(ticket)
        self._line.sort(key=lambda other: other.rank)
        self._admit()
        try:
            yield ticket
        finally:
            if ticket in self._line:
                self._line.remove(ticket)
                self._left[session] = number, self._now_s() + KEPT_S
            self._inside.discard(ticket)
            self._admit()

    def _number(self, session: str) -> int:
        """A new one, or the one that the session had a moment ago."""
        now_s = self._now_s()
        self._left = {who: kept for who, kept in self._left.items() if kept[1] > now_s}
        return self._left.pop(session)[0] if session in self._left else next(self._numbers)

    def _admit(self) -> None:
        while self._line and len(self._inside) < self._most:
            ticket = self._line.pop(0)
            self._inside.add(ticket)
            ticket.admit()

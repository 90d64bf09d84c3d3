"""A password typed in the console: counted as a try before it is checked, and hashed outside of the
requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from believable.store import log_ins
from believable.store.log_ins import Try
from believable.web.console.console_page import Console, ConsoleVisit
from believable.web.console.guard import device_of

T = TypeVar("T")


async def run_hashing(console: Console, work: Callable[[], T]) -> T:
    """A hash takes a core for a while: not on the loop, and not many at once."""
    async with console.hashing:
        return await asyncio.to_thread(work)


async def begin_try(visit: ConsoleVisit, name: str) -> Try:
    """Count a try at a password. Raises TooManyTries after too many recent ones."""
    key, now_ms, device = visit.console.key, visit.now_ms, device_of(visit.request)
    return await visit.console.store.awrite(
        lambda conn: log_ins.begin_try(conn, key, name, visit.peer, now_ms=now_ms, device=device)
    )


async def is_own_password(visit: ConsoleVisit, password: str) -> bool:
    """Whether this is the password of who is logged in: an open browser is not yet the person. An
    account without a password, whose owner logs in elsewhere, has none to ask for.
    """
    console, name = visit.console, visit.user
    attempt = await begin_try(visit, name)
    if attempt.stored is not None and not await run_hashing(
        console, lambda: console.passwords.verify(attempt.stored, password)
    ):
        return False
    device = device_of(visit.request)
    await console.store.awrite(
        lambda conn: log_ins.forget_tries(conn, console.key, name, visit.peer, device)
    )
    return True

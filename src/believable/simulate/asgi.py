"""An ASGI application in this process: its start-up and shut-down, and a client that talks to it without a network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from believable.core.errors import BelievableError

Message = MutableMapping[str, Any]
App = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]


class AppClient(httpx.AsyncClient):
    """A client of an application in this process, which can be reached without HTTP, too."""

    def __init__(self, app: App) -> None:
        transport = httpx.ASGITransport(app=app)
        super().__init__(transport=transport, base_url="http://simulated", timeout=None)
        self.app = app


class AppFailed(BelievableError):
    """The application could not start or stop."""


@asynccontextmanager
async def running(app: App) -> AsyncIterator[httpx.AsyncClient]:
    """The application between its start-up and shut-down, and a client for it."""
    inbox: asyncio.Queue[Message] = asyncio.Queue()
    outbox: asyncio.Queue[Message] = asyncio.Queue()
    scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
    task = asyncio.ensure_future(app(scope, inbox.get, outbox.put))

    async def tell(what: str) -> None:
        await inbox.put({"type": f"lifespan.{what}"})
        answer = asyncio.ensure_future(outbox.get())
        await asyncio.wait({answer, task}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
            await task  # raises what went wrong
            raise AppFailed(f"the application ended during its {what}")
        if answer.result()["type"] != f"lifespan.{what}.complete":
            raise AppFailed(
                f"the application's {what} failed: {answer.result().get('message', 'it gave no reason')}"
            )

    await tell("startup")
    try:
        async with AppClient(app) as client:
            yield client
    finally:
        await tell("shutdown")
        await task

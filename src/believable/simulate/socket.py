"""WebSockets for simulated participants: to a server behind an address, or to an application in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from believable.core.errors import BelievableError
from believable.simulate.asgi import AppClient, Message


class Closed(BelievableError):
    """The server ended the connection. `code` says why."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the connection was closed with {code}: {reason or 'no reason given'}")
        self.code = code


class Socket(Protocol):
    """Messages are JSON."""

    async def send(self, message: Mapping[str, Any]) -> None: ...

    async def receive(self) -> dict[str, Any]: ...


class _NetworkSocket:
    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, message: Mapping[str, Any]) -> None:
        try:
            await self._connection.send(json.dumps(message))
        except ConnectionClosed as error:
            raise _closed(error) from None

    async def receive(self) -> dict[str, Any]:
        try:
            heard: dict[str, Any] = json.loads(await self._connection.recv())
        except ConnectionClosed as error:
            raise _closed(error) from None
        return heard


def _closed(error: ConnectionClosed) -> Closed:
    return Closed(error.rcvd.code, error.rcvd.reason) if error.rcvd else Closed(1006, "lost")


class _AppSocket:
    def __init__(self, to_app: asyncio.Queue[Message], from_app: asyncio.Queue[Message]) -> None:
        self._to_app = to_app
        self._from_app = from_app

    async def send(self, message: Mapping[str, Any]) -> None:
        await self._to_app.put({"type": "websocket.receive", "text": json.dumps(message)})

    async def receive(self) -> dict[str, Any]:
        heard = await self._from_app.get()
        if heard["type"] != "websocket.send":
            raise Closed(heard.get("code", 1000), heard.get("reason") or "")
        found: dict[str, Any] = json.loads(heard["text"])
        return found


@asynccontextmanager
async def open_socket(http: httpx.AsyncClient, path: str) -> AsyncIterator[Socket]:
    """A WebSocket to the server that `http` talks to."""
    if isinstance(http, AppClient):
        async with _to_app(http, path) as socket:
            yield socket
        return
    address = str(http.base_url).rstrip("/").replace("http", "ws", 1) + path
    async with connect(address, compression=None, max_size=2**20) as connection:
        yield _NetworkSocket(connection)


@asynccontextmanager
async def _to_app(http: AppClient, path: str) -> AsyncIterator[Socket]:
    to_app: asyncio.Queue[Message] = asyncio.Queue()
    from_app: asyncio.Queue[Message] = asyncio.Queue()
    scope = {
        "type": "websocket", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "ws", "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "", "headers": [(b"host", b"simulated")],
        "client": None, "server": None, "subprotocols": [], "state": {},
    }  # fmt: skip
    task = asyncio.ensure_future(http.app(scope, to_app.get, from_app.put))
    await to_app.put({"type": "websocket.connect"})
    try:
        accepted = await from_app.get()
        if accepted["type"] != "websocket.accept":
            raise Closed(accepted.get("code", 1006), "refused")
        yield _AppSocket(to_app, from_app)
    finally:
        await to_app.put({"type": "websocket.disconnect", "code": 1000})
        await task

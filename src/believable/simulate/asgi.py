"""An ASGI application in this process: its start-up and shut-down, a client that talks to it
without a network, and the socket of played rounds, to it or to a server elsewhere.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from typing import Any, Protocol
from urllib.parse import urlencode

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from believable.core.errors import BelievableError

HOST = "simulated"

Message = MutableMapping[str, Any]
App = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]


class AppClient(httpx.AsyncClient):
    """A client of an application in this process, which can be reached without HTTP, too. `app` is
    the application.
    """

    def __init__(self, app: App) -> None:
        super().__init__(
            transport=httpx.ASGITransport(app=app), base_url=f"http://{HOST}", timeout=None
        )
        self.app = app
        self._usual = [(name.lower(), value) for name, value in self.headers.raw]

    async def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        data: Mapping[str, str] | None = None,
        json: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """The same as `request`, straight to the application: without cookies, redirects and the
        work that a network needs.
        """
        content, kind = _content(data, json)
        own = {"host": HOST, "content-length": str(len(content)), "content-type": kind} | dict(
            headers or {}
        )
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": urlencode(params or {}).encode(),
            "root_path": "",
            "headers": [
                *self._usual,
                *((name.encode(), value.encode()) for name, value in own.items()),
            ],
            "server": (HOST, None),
            "client": ("127.0.0.1", 123),
            "state": {},
        }
        answer = _Answer(content)
        await self.app(scope, answer.receive, answer.send)
        return httpx.Response(answer.status, headers=answer.headers, content=b"".join(answer.body))


def _content(data: Mapping[str, str] | None, tree: object) -> tuple[bytes, str]:
    if tree is not None:
        return (
            json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode(),
            "application/json",
        )
    return urlencode(data or {}).encode(), "application/x-www-form-urlencoded"


class _Answer:
    """One request's way into the application, and its answer's way out."""

    def __init__(self, content: bytes) -> None:
        self._asked: list[Message] = [{"type": "http.request", "body": content, "more_body": False}]
        self._complete = asyncio.Event()
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self.body: list[bytes] = []

    async def receive(self) -> Message:
        if self._asked:
            return self._asked.pop()
        await self._complete.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message.get("headers", ()))
        elif message["type"] == "http.response.body":
            self.body.append(message.get("body", b""))
            if not message.get("more_body", False):
                self._complete.set()


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
                f"the application's {what} failed:"
                f" {answer.result().get('message', 'it gave no reason')}"
            )

    await tell("startup")
    try:
        async with AppClient(app) as client:
            yield client
    finally:
        await tell("shutdown")
        await task


# ---------------------------------------------------------------------------- rounds over a socket


class SocketClosed(BelievableError):
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
            raise _closed_error(error) from None

    async def receive(self) -> dict[str, Any]:
        try:
            heard: dict[str, Any] = json.loads(await self._connection.recv())
        except ConnectionClosed as error:
            raise _closed_error(error) from None
        return heard


def _closed_error(error: ConnectionClosed) -> SocketClosed:
    return (
        SocketClosed(error.rcvd.code, error.rcvd.reason)
        if error.rcvd
        else SocketClosed(1006, "lost")
    )


class _AppSocket:
    def __init__(self, to_app: asyncio.Queue[Message], from_app: asyncio.Queue[Message]) -> None:
        self._to_app = to_app
        self._from_app = from_app

    async def send(self, message: Mapping[str, Any]) -> None:
        await self._to_app.put({"type": "websocket.receive", "text": json.dumps(message)})

    async def receive(self) -> dict[str, Any]:
        heard = await self._from_app.get()
        if heard["type"] != "websocket.send":
            raise SocketClosed(heard.get("code", 1000), heard.get("reason") or "")
        message: dict[str, Any] = json.loads(heard["text"])
        return message


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
        "type": "websocket",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "ws",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"simulated")],
        "client": None,
        "server": None,
        "subprotocols": [],
        "state": {},
    }
    task = asyncio.ensure_future(http.app(scope, to_app.get, from_app.put))
    await to_app.put({"type": "websocket.connect"})
    try:
        accepted = await from_app.get()
        if accepted["type"] != "websocket.accept":
            raise SocketClosed(accepted.get("code", 1006), "refused")
        yield _AppSocket(to_app, from_app)
    finally:
        await to_app.put({"type": "websocket.disconnect", "code": 1000})
        await task

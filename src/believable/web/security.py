"""What every response carries, how much a request may bring and how slowly.

Plain ASGI: it runs for each of a thousand batches a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import orjson
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from believable.core.ids import policy_source
from believable.web.bundles import read_page_script

#: The only script inside a page: it reports that the script of the page did not arrive, and
#: reloads.
#: A bundle is a separate file, which can fail to arrive like any other.
ARRIVAL = read_page_script("/static/participant/arrival.js")
#: One event may hold a free text of a million characters, which JSON can make six times as long.
LARGEST_BATCH_BYTES = 8 * 1024 * 1024
LARGEST_BODY_BYTES = 1024 * 1024
#: A body may take this long, and longer only while it arrives at this pace: slow lines are waited
#: for, dribbling ones are not.
PATIENCE_S = 20.0
SLOWEST_BYTES_PER_S = 1_000


def security_headers(frame_ancestors: Sequence[str], *, secure: bool) -> list[tuple[bytes, bytes]]:
    """No inline script but one that is known by its content, no inline style, nothing from
    elsewhere, and no address of a session in a referrer.
    """
    policy = (
        f"default-src 'none'; script-src 'self' {policy_source(ARRIVAL)}; style-src 'self'; "
        "img-src 'self' data:; media-src 'self' blob:; "
        "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
        f"frame-ancestors {' '.join(frame_ancestors) or chr(39) + 'none' + chr(39)}"
    )
    headers = {
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=(), picture-in-picture=()",
        "x-robots-tag": "noindex",
    }
    if not frame_ancestors:
        headers["x-frame-options"] = "DENY"
    if secure:
        headers["strict-transport-security"] = "max-age=31536000"
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def add_headers(
    headers: Sequence[tuple[bytes, bytes]], every: Sequence[tuple[bytes, bytes]]
) -> list[tuple[bytes, bytes]]:
    """A response's headers and the common ones, unless it sets its own."""
    names = {name.lower() for name, _ in headers}
    kept = [] if b"cache-control" in names else [(b"cache-control", b"no-store")]
    return [*headers, *(pair for pair in every if pair[0] not in names), *kept]


class SecurityHeaders:
    """Adds the headers to every HTTP response; `cache-control: no-store` unless the route chose
    otherwise.
    """

    def __init__(self, app: ASGIApp, frame_ancestors: Sequence[str], secure: bool) -> None:
        self.app = app
        self.headers = security_headers(frame_ancestors, secure=secure)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = add_headers(message.get("headers", []), self.headers)
            await send(message)

        await self.app(scope, receive, with_headers)


class BodyLimit:
    """Answers 413 as soon as a request exceeds its limit, whether or not it says so in advance, and
    408 if its body arrives more slowly than any line that a study can be taken on.
    """

    def __init__(self, app: ASGIApp, patience_s: float = PATIENCE_S) -> None:
        self.app = app
        self.patience_s = patience_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def note(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, LimitedReceive(scope, receive, self.patience_s), note)
        except RefusedBody as refused:
            if not started:
                await _refuse(send, *refused.refusal)
            elif refused.refusal != _TOO_SLOW:
                raise


class LimitedReceive:
    """Yield the messages of a request within the limits of its address; raise `RefusedBody` at the
    first excess.
    """

    def __init__(self, scope: Scope, receive: Receive, patience_s: float) -> None:
        self._receive, self._patience_s, self._limit = receive, patience_s, _limit(scope)
        self._received, self._whole = 0, False
        self._began_s = asyncio.get_running_loop().time()
        if _announced_length(scope) > self._limit:
            raise RefusedBody(*_too_large(self._limit))

    async def __call__(self) -> Message:
        if self._whole:  # from here on, the only message is that the other side has gone
            return await self._receive()
        try:
            async with asyncio.timeout_at(
                self._began_s + self._patience_s + self._received / SLOWEST_BYTES_PER_S
            ):
                message = await self._receive()
        except TimeoutError:
            raise RefusedBody(*_TOO_SLOW) from None
        if message["type"] == "http.request":
            self._received += len(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            if self._received > self._limit:
                raise RefusedBody(*_too_large(self._limit))
        return message


class RefusedBody(Exception):
    """A request is too large, or too slow."""

    def __init__(self, status: int, code: str, message: str, cure: str) -> None:
        super().__init__(message)
        self.refusal = (status, code, message, cure)

    def response(self) -> Response:
        status, body, headers = _refusal(*self.refusal)
        return Response(body, status, headers)


async def whole_body(scope: Scope, receive: Receive, patience_s: float = PATIENCE_S) -> bytes:
    """The body of a request, within the same limits, where no other application is asked."""
    limited = LimitedReceive(scope, receive, patience_s)
    chunks: list[bytes] = []
    while True:
        message = await limited()
        if message["type"] != "http.request":
            raise ClientDisconnect
        chunks.append(message.get("body", b""))
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


_TOO_SLOW = (408, "too_slow", "the request did not arrive in time.", "Send it again.")


def _limit(scope: Scope) -> int:
    return (
        LARGEST_BATCH_BYTES
        if scope["path"].endswith(("/events", "/advance"))
        else LARGEST_BODY_BYTES
    )


def _announced_length(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value[:18]) if value.isdigit() else 0
    return 0


def _too_large(limit: int) -> tuple[int, str, str, str]:
    return 413, "too_large", f"the request is larger than {limit} bytes.", "Send less at once."


def _refusal(status: int, code: str, message: str, cure: str) -> tuple[int, bytes, dict[str, str]]:
    body = orjson.dumps({"error": {"code": code, "message": message, "cure": cure}})
    return status, body, {"content-type": "application/json", "connection": "close"}


async def _refuse(send: Send, *refusal: Any) -> None:
    status, body, named = _refusal(*refusal)
    headers = [(name.encode(), value.encode()) for name, value in named.items()]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

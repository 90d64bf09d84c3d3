"""What every response carries and how much a request may bring. Plain ASGI: it runs for each of a thousand batches a second."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: One event may hold a free text of a million characters, which JSON can make six times as long.
LARGEST_BATCH_BYTES = 8 * 1024 * 1024
LARGEST_BODY_BYTES = 1024 * 1024


def security_headers(frame_ancestors: Sequence[str], *, secure: bool) -> list[tuple[bytes, bytes]]:
    """No inline script or style, nothing from elsewhere, and no address of a session in a referrer."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
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


class SecurityHeaders:
    """Adds the headers to every HTTP response; `cache-control: no-store` unless the route chose otherwise."""

    def __init__(self, app: ASGIApp, frame_ancestors: Sequence[str], secure: bool) -> None:
        self.app = app
        self.headers = security_headers(frame_ancestors, secure=secure)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                names = {name.lower() for name, _ in headers}
                message["headers"] = [*headers, *(pair for pair in self.headers if pair[0] not in names)]
                if b"cache-control" not in names:
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        await self.app(scope, receive, with_headers)


class BodyLimit:
    """Answers 413 as soon as a request brings more than it may, whether or not it says so in advance."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = LARGEST_BATCH_BYTES if scope["path"].endswith("/events") else LARGEST_BODY_BYTES
        if _announced(scope) > limit:
            await _too_large(limit, send)
            return
        received = 0
        started = False

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                if received > limit:
                    raise _BodyTooLarge
            return message

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, counted, noted)
        except _BodyTooLarge:
            if started:
                raise
            await _too_large(limit, send)


class _BodyTooLarge(Exception):
    pass


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0


async def _too_large(limit: int, send: Send) -> None:
    error = {"code": "too_large", "message": f"the request is larger than {limit} bytes.", "cure": "Send less at once."}
    body = orjson.dumps({"error": error})
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})

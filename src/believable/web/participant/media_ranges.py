"""Media with HTTP Range. Whatever is shown, the headers are the same; only lengths differ."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

_PIECE_BYTES = 256 * 1024
_RANGE = re.compile(r"^bytes=(\d{0,18})-(\d{0,18})$")

#: The type is not sent: the page detects it from the content.
_HEADERS = {
    "cache-control": "private, max-age=86400, immutable",
    "content-type": "application/octet-stream",
}


def asked_range(header: str, size: int) -> tuple[int, int] | None:
    """First and last byte asked for, `None` for the whole. Raises ValueError when there is no such
    part.

    >>> asked_range("bytes=-10", 100)
    (90, 99)
    """
    match = _RANGE.match(header.strip())
    if match is None or match.group(1) == match.group(2) == "":
        return None
    first, last = match.groups()
    if not first:
        start, end = max(0, size - int(last)), size - 1
    else:
        start, end = int(first), min(int(last), size - 1) if last else size - 1
    if start > end:
        raise ValueError
    return start, end


async def medium_response(request: Request, medium: Path | bytes) -> Response:
    """The file or the part asked for."""
    size = len(medium) if isinstance(medium, bytes) else (await anyio.Path(medium).stat()).st_size
    headers = {"accept-ranges": "bytes", **_HEADERS}
    try:
        part = asked_range(request.headers.get("range", ""), size)
    except ValueError:
        return Response(status_code=416, headers={**headers, "content-range": f"bytes */{size}"})
    start, end = part or (0, size - 1)
    headers["content-length"] = str(end - start + 1)
    if part is not None:
        headers["content-range"] = f"bytes {start}-{end}/{size}"
    status = 206 if part else 200
    if isinstance(medium, bytes):
        return Response(medium[start : end + 1], status_code=status, headers=headers)
    if end - start < _PIECE_BYTES:
        content = await anyio.to_thread.run_sync(_part, medium, start, end)
        return Response(content, status_code=status, headers=headers)
    return StreamingResponse(_pieces(medium, start, end), status_code=status, headers=headers)


class CountedResponse(Response):
    """A response that reports how many bytes of its body were sent, also if the browser leaves
    before the end.
    """

    def __init__(self, response: Response, note_sent: Callable[[int], Awaitable[None]]) -> None:
        super().__init__(status_code=response.status_code)
        self.raw_headers = response.raw_headers
        self._response, self._note_sent = response, note_sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent_bytes = 0

        async def count(message: Message) -> None:
            nonlocal sent_bytes
            await send(message)
            sent_bytes += len(message.get("body", b""))

        try:
            await self._response(scope, receive, count)
        finally:
            if sent_bytes:
                with anyio.CancelScope(shield=True):
                    await self._note_sent(sent_bytes)


def sent_by_proxy(address: str, file: Path) -> Response:
    """Who may see the medium is decided here; the proxy in front sends `file` of the media folder,
    whole or in part.
    """
    return Response(
        headers={**_HEADERS, "x-accel-redirect": f"{address.rstrip('/')}/{file.as_posix()}"}
    )


def _part(path: Path, start: int, end: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read(end - start + 1)


async def _pieces(path: Path, start: int, end: int) -> AsyncIterator[bytes]:
    async with await anyio.open_file(path, "rb") as file:
        await file.seek(start)
        left = end - start + 1
        while left > 0:
            piece = await file.read(min(_PIECE_BYTES, left))
            if not piece:
                return
            left -= len(piece)
            yield piece

"""One browser's connection to a server, far cheaper than a client library: for drills with a
thousand browsers on two cores.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx

#: As long as browsers wait for an answer.
TIMEOUT_S = 120.0


class PlainLine:
    """A keep-alive connection of HTTP/1.1. What breaks it is told as httpx would tell it; the next
    request connects anew.
    """

    def __init__(self, base_url: str) -> None:
        address = urlsplit(base_url)
        self._host, self._port = address.hostname or "", address.port or 80
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(
        self,
        method: str,
        address: str,
        *,
        params: Mapping[str, str] | None = None,
        data: Mapping[str, str] | None = None,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        body, kind = _body(data, json)
        target = quote(address, safe="/:%-_.~") + (f"?{urlencode(params)}" if params else "")
        lines = [
            f"{method} {target} HTTP/1.1",
            f"Host: {self._host}:{self._port}",
            "Connection: keep-alive",
        ]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if method != "GET":
            lines += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await self._exchanged("\r\n".join([*lines, "", ""]).encode() + body)
        except TimeoutError as error:
            self.close()
            raise httpx.ReadTimeout(f"no answer within {TIMEOUT_S:.0f} s") from error
        except (OSError, EOFError, asyncio.LimitOverrunError) as error:
            self.close()
            raise httpx.ReadError(f"{type(error).__name__}: {error}") from error

    async def _exchanged(self, request: bytes) -> httpx.Response:
        if self._streams is not None and (
            self._streams[0].at_eof() or self._streams[1].is_closing()
        ):
            self.close()  # the other side has hung up meanwhile, as it may
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip("\r\n").split("\r\n")
        headers = [tuple(line.split(": ", 1)) for line in lines]
        named = {name.lower(): value for name, value in headers}
        status = int(first.split(" ", 2)[1])
        content = b""
        if named.get("transfer-encoding") == "chunked":
            content = await _chunks(reader)
        elif status not in (204, 304):
            content = await reader.readexactly(int(named.get("content-length", "0")))
        if named.get("connection") == "close":
            self.close()
        kept = [(name, value) for name, value in headers if name.lower() != "transfer-encoding"]
        return httpx.Response(status, headers=kept, content=content)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def _body(data: Mapping[str, str] | None, value: Any) -> tuple[bytes, str]:
    if value is not None:
        return json.dumps(
            value, ensure_ascii=False, separators=(",", ":")
        ).encode(), "application/json"
    return urlencode(data or {}).encode(), "application/x-www-form-urlencoded"


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    content = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        content += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return content

"""Nothing that reaches the browser tells conditions apart."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Response

#: What may differ between media of different conditions: how long they are, and when they were
#: sent.
LENGTHS = {"content-length", "content-range", "date"}


def canaries() -> dict[str, str]:
    """A random name for everything the participant must not learn."""
    names = ("human", "scripted", "first", "second", "file", "scenario", "arm", "level")
    return {name: f"x{secrets.token_hex(6)}" for name in names}


class Wire:
    """Every byte the server sends to a page."""

    def __init__(self, page: Page) -> None:
        self.responses: list[Response] = []
        self.parts: list[tuple[str, bytes]] = []
        page.on("response", lambda response: self._take(response))

    def _take(self, response: Response) -> None:
        self.responses.append(response)
        headers = "\n".join(f"{one['name']}: {one['value']}" for one in response.headers_array())
        self.parts.append((f"{response.url} address", response.url.encode()))
        self.parts.append((f"{response.url} headers", headers.encode()))
        if response.status in (200, 206):
            self.parts.append((f"{response.url} body", response.body()))


def test_no_canary_in_any_byte_of_a_whole_session(
    page: Page, visitor: Any, serve: Callable[[Path], Any], make_study: Callable[..., Path]
) -> None:
    secret = canaries()
    server = serve(make_study(**secret))
    wire = Wire(page)
    visitor.until(7, server.link())
    page.reload()
    visitor.at(7)
    visitor.rate()
    visitor.finished()
    page.get_by_text("Receipt").click()

    parts = wire.parts
    assert len(parts) > 100
    assert any("/media/" in name and name.endswith("body") for name, _ in parts)
    found = [
        (name, what)
        for name, content in parts
        for what in secret.values()
        if what.encode() in content
    ]
    assert found == []
    stored_names = [
        path.name for path in server.settings.media_dir.iterdir() if len(path.name) == 64
    ]
    assert stored_names
    assert [
        name for name, content in parts for digest in stored_names if digest.encode() in content
    ] == []


def test_media_of_different_conditions_have_the_same_headers_and_unrelated_names(
    page: Page, visitor: Any, server: Any
) -> None:
    wire = Wire(page)
    visitor.until(6, server.link())
    media = [response for response in wire.responses if "/media/" in response.url]
    names = {response.url.rsplit("/", 1)[-1] for response in media}
    assert len(names) == 2
    assert {len(name) for name in names} == {26}
    headers = [
        {name: value for name, value in medium.all_headers().items() if name not in LENGTHS}
        for medium in media
    ]
    assert all(header == headers[0] for header in headers)
    assert not {"etag", "last-modified", "content-disposition"} & set(headers[0])
    assert headers[0]["content-type"] == "application/octet-stream"
    assert {medium.status for medium in media} == {200}

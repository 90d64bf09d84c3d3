from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from believable.simulate.asgi import AppClient, AppFailed, running


class App:
    """A small ASGI application that notes its life."""

    def __init__(self, startup: str = "complete") -> None:
        self.startup = startup
        self.life: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            self.life.append((await receive())["type"])
            await send({"type": f"lifespan.startup.{self.startup}", "message": "no database"})
            if self.startup == "complete":
                self.life.append((await receive())["type"])
                await send({"type": "lifespan.shutdown.complete"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"hello"})


def test_the_application_is_started_asked_and_stopped() -> None:
    app = App()

    async def main() -> bytes:
        async with running(app) as http:
            return (await http.get("/")).content

    assert asyncio.run(main()) == b"hello"
    assert app.life == ["lifespan.startup", "lifespan.shutdown"]


def test_people_ask_the_application_without_a_network() -> None:
    """What arrives, and what comes back."""
    heard: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        heard.append((scope, await receive()))
        await send(
            {
                "type": "http.response.start",
                "status": 206,
                "headers": [(b"content-type", b"application/json")],
            }
        )
        await send({"type": "http.response.body", "body": b'{"a":', "more_body": True})
        await send({"type": "http.response.body", "body": b"1}"})
        assert (await receive())["type"] == "http.disconnect"

    async def main() -> list[httpx.Response]:
        async with AppClient(app) as http:
            return [
                await http.ask("POST", "/events", json={"words": "ä"}, params={"a": "b c"}),
                await http.ask("POST", "/join", data={"x": "1 2"}),
                await http.ask("GET", "/medium", headers={"range": "bytes=0-5"}),
            ]

    replies = asyncio.run(main())
    assert [(reply.status_code, reply.json()) for reply in replies] == [(206, {"a": 1})] * 3
    (first, body), (_, form), (third, nothing) = heard
    assert (first["method"], first["path"], first["query_string"]) == ("POST", "/events", b"a=b+c")
    assert body["body"] == '{"words":"ä"}'.encode()
    assert dict(first["headers"])[b"content-type"] == b"application/json"
    assert form["body"] == b"x=1+2"
    assert dict(third["headers"])[b"range"] == b"bytes=0-5"
    assert nothing["body"] == b""


def test_a_failing_start_is_said() -> None:
    async def main() -> None:
        async with running(App("failed")):
            pytest.fail("must not get here")

    with pytest.raises(AppFailed, match="no database"):
        asyncio.run(main())

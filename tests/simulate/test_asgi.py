from __future__ import annotations

import asyncio
from typing import Any

import pytest

from believable.simulate.asgi import AppFailed, running


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


def test_a_failing_start_is_said() -> None:
    async def main() -> None:
        async with running(App("failed")):
            pytest.fail("must not get here")

    with pytest.raises(AppFailed, match="no database"):
        asyncio.run(main())

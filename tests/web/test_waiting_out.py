"""Who opens a page while the database is gone for a moment waits, and sees no error; scripts are
told at once.
"""

from __future__ import annotations

import asyncio

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from believable.core.errors import Unavailable
from believable.web import problems
from believable.web.problems import waits_out

BROWSER = {"accept": "text/html,*/*;q=0.8"}


def app_that_fails(times: int) -> tuple[FastAPI, list[str]]:
    app, calls = FastAPI(), []
    problems.install(app)

    @app.get("/join/{link}")
    @waits_out
    async def landing(request: Request, link: str) -> Response:
        calls.append(link)
        if len(calls) <= times:
            raise Unavailable("the database cannot be read now")
        return PlainTextResponse(link)

    return app, calls


def asked(app: FastAPI, headers: dict[str, str]) -> httpx.Response:
    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://study.example.org"
        ) as http:
            return await http.get("/join/abc", headers=headers)

    return asyncio.run(ask())


def test_a_person_waits_until_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "PAUSE_S", 0.001)
    app, calls = app_that_fails(3)
    reply = asked(app, BROWSER)
    assert (reply.status_code, reply.text, len(calls)) == (200, "abc", 4)


def test_a_script_is_told_at_once() -> None:
    app, calls = app_that_fails(3)
    reply = asked(app, {})
    assert reply.status_code == 503
    assert reply.json()["error"]["code"] == "unavailable"
    assert len(calls) == 1


def test_an_outage_that_lasts_is_told_and_the_page_tries_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(problems, "OUTAGE_S", 0.0)
    monkeypatch.setattr(problems, "PAUSE_S", 0.001)
    app, _ = app_that_fails(1000)
    reply = asked(app, BROWSER)
    assert reply.status_code == 503
    assert reply.headers["refresh"] == str(problems.RELOAD_S)

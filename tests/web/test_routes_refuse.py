"""Every route, walked: the console opens for nobody without a log-in, and one participant's token
opens nothing of another's.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from believable.core.clock import WallClock
from believable.core.ids import token_hash
from believable.simulate.asgi import running
from believable.simulate.client import Participant
from believable.simulate.crowd import link_token
from believable.simulate.pace import RealPace
from believable.store import sessions
from believable.web.app import Settings, create_app

STUDY = """\
believable: 1
title: Two neighbours
seed: 1
timeline:
  - form:
      id: secrets
      questions:
        - {id: words, prompt: A secret, text: {}}
  - form:
      id: more
      questions:
        - {id: words, prompt: Another, text: {}}
  - finish: {}
"""

#: Console addresses that are there to let people in. Everything else needs a log-in.
FOR_ANYBODY = {
    ("GET", "/console/login"),
    ("POST", "/console/login"),
    ("GET", "/console/login/code"),
    ("POST", "/console/login/code"),
    ("GET", "/console/oidc"),
    ("GET", "/console/oidc/return"),
    ("GET", "/console/welcome/{token}"),
    ("POST", "/console/welcome/{token}"),
}


#: Who may open them is tested in `participant/test_play.py`.
WEBSOCKETS = {"/s/{token}/play"}


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    path: str

    def address(self, **values: str) -> str:
        return re.sub(r"\{(\w+)(:\w+)?\}", lambda match: values.get(match[1], "1"), self.path)


def routes(app: Any) -> Iterator[Route]:
    """All routes of the application, those of included routers too; static files apart."""
    pending = list(app.routes)
    while pending:
        route = pending.pop()
        if hasattr(route, "original_router"):
            pending += route.original_router.routes
        elif getattr(route, "methods", None):
            yield from (
                Route(method, route.path) for method in sorted(route.methods - {"HEAD", "OPTIONS"})
            )
        else:
            known = route.path.startswith("/static") or route.path in WEBSOCKETS
            assert known, f"unknown kind of route {route!r}"


def inside(tmp_path: Path, act: Callable[[Any, httpx.AsyncClient], Awaitable[None]]) -> None:
    """Run `act(app, http)` in a running application with one published study."""
    study = tmp_path / "neighbours"
    study.mkdir()
    (study / "study.yaml").write_text(STUDY)
    app = create_app(Settings(data_dir=tmp_path / "data", study_folders=(study,)))

    async def main() -> None:
        async with running(app) as http:
            await act(app, http)

    asyncio.run(main())


async def joined(app: Any, http: httpx.AsyncClient) -> Participant:
    person = Participant(http, RealPace(WallClock()))
    await person.join(link_token(app.state.store, "neighbours", "open"))
    await person.claim()
    return person


def test_without_a_log_in_every_console_and_export_route_refuses(tmp_path: Path) -> None:
    async def act(app: Any, http: httpx.AsyncClient) -> None:
        person = await joined(app, http)
        person.note("trial.submit", answers={"words": "CANARY"})
        await person.flush()
        session = app.state.store.read(
            lambda conn: sessions.by_token(conn, token_hash(person.token))
        )
        closed = [route for route in routes(app) if route.path.startswith("/console")]
        closed = [route for route in closed if (route.method, route.path) not in FOR_ANYBODY]
        assert len(closed) > 15, "the walk has lost its way"
        assert any("export" in route.path for route in closed)
        for route in closed:
            address = route.address(
                study="neighbours", session=session.id, id=session.id, user="owner"
            )
            for headers in (
                {},
                {"cookie": "believable_console=guess"},
                {"cookie": f"believable_console={person.token}"},
            ):
                reply = await http.request(
                    route.method, address, headers={**headers, "origin": "http://simulated"}
                )
                led_to_login = reply.status_code == 303 and reply.headers["location"].startswith(
                    "/console/login"
                )
                assert led_to_login or reply.status_code in (401, 403), (
                    f"{route} answered {reply.status_code}"
                )
                assert "CANARY" not in reply.text
                assert session.id not in reply.text.replace(address, "")

    inside(tmp_path, act)


def test_every_other_route_is_known_here(tmp_path: Path) -> None:
    """A new address must be thought about: is it for participants, for anybody, or for
    researchers?
    """

    async def act(app: Any, http: httpx.AsyncClient) -> None:
        outside = {route for route in routes(app) if not route.path.startswith("/console")}
        of_a_session = {route for route in outside if route.path.startswith("/s/{token}")}
        for_anybody = {route.path for route in outside - of_a_session}
        assert for_anybody <= {"/", "/join/{link}", "/resume", "/openapi.json", "/health", "/ready"}

    inside(tmp_path, act)


def test_with_the_token_of_one_nothing_of_another_is_reachable(tmp_path: Path) -> None:
    async def act(app: Any, http: httpx.AsyncClient) -> None:
        anna, bert = await joined(app, http), await joined(app, http)
        bert.note("answer.change", question="words", value="CANARY-OF-BERT")
        assert (await bert.submit({"words": "CANARY-OF-BERT"})).status == "next"
        await bert.trial()
        bert.note("answer.change", question="words", value="CANARY-DRAFT-OF-BERT")
        await bert.flush()
        later = (await http.get(f"/s/{bert.token}/later")).json()
        row = app.state.store.read(lambda conn: sessions.by_token(conn, token_hash(bert.token)))
        hers = [route for route in routes(app) if route.path.startswith("/s/{token}")]
        assert len(hers) >= 8
        hers.sort(
            key=lambda route: route.path.endswith("/withdraw")
        )  # last: after it there is nothing to ask
        bodies = (
            {},
            {"epoch": bert.epoch, "position": 1, "seq": 2},
            {"epoch": bert.epoch, "events": []},
        )
        for route in hers:
            for body in bodies:
                address = route.address(token=anna.token, name=row.id)
                content = {"content": json.dumps(body)} if route.method == "POST" else {}
                reply = await http.request(
                    route.method, address, headers={"content-type": "application/json"}, **content
                )
                for secret in ("CANARY", bert.token, row.id, later["code"]):
                    assert secret not in reply.text, f"{route} told {secret}"
        after = app.state.store.read(lambda conn: sessions.by_token(conn, token_hash(bert.token)))
        assert after == row, "something of the other session was changed"
        await bert.claim()
        assert (await bert.trial())["drafts"] == {"words": "CANARY-DRAFT-OF-BERT"}

    inside(tmp_path, act)


@pytest.mark.parametrize("token", ["", "x", "A" * 22, "../console", "%2e%2e", "'; --", "a" * 64])
def test_a_guessed_token_opens_nothing(tmp_path: Path, token: str) -> None:
    async def act(app: Any, http: httpx.AsyncClient) -> None:
        await joined(app, http)
        for route in routes(app):
            if route.path.startswith("/s/{token}"):
                body = (
                    {"content": b"{}", "headers": {"content-type": "application/json"}}
                    if route.method == "POST"
                    else {}
                )
                reply = await http.request(route.method, route.address(token=token), **body)
                assert reply.status_code in (404, 405, 422, 303), (
                    f"{route} answered {reply.status_code}"
                )

    inside(tmp_path, act)

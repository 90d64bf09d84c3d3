"""The API under generated requests: whatever comes, there is an answer and never a server error."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode

from believable.core.clock import WallClock
from believable.simulate.client import Participant
from believable.simulate.crowd import link_token
from believable.simulate.pace import RealPace
from believable.simulate.server import Server
from believable.store.engine import Store

EXAMPLES = settings.default.max_examples // 2

STUDY = """\
believable: 1
title: Generated requests
seed: 1
timeline:
  - form: {id: f, questions: [{id: q, prompt: Q, likert: {}}, {id: t, prompt: T, text: {}}]}
  - finish: {}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("api")
    (folder / "api").mkdir()
    (folder / "api" / "study.yaml").write_text(STUDY)
    with Server([folder / "api"], data_dir=folder / "data") as running:
        yield running


@pytest.fixture(scope="module")
def token(server: Server) -> str:
    """A session that has begun, so that requests get past the door."""
    with Store.open(f"sqlite:///{server.data_dir / 'believable.db'}", clock=WallClock()) as store:
        link = link_token(store, "api")

    async def main() -> str:
        async with httpx.AsyncClient(base_url=server.url) as http:
            person = Participant(http, RealPace(WallClock()))
            await person.join(link)
            await person.claim()
            return person.token

    return asyncio.run(main())


def operations() -> list[tuple[str, str]]:
    paths = ("claim", "advance", "finish", "events", "withdraw")
    return [
        ("GET", "/s/{token}/trial"),
        ("GET", "/s/{token}/later"),
        ("GET", "/s/{token}/media/{name}"),
    ] + [("POST", f"/s/{{token}}/{path}") for path in paths]


def described(server: Server) -> dict[str, Any]:
    schema: dict[str, Any] = httpx.get(f"{server.url}/openapi.json").json()
    return schema


def test_the_description_names_exactly_these_operations(server: Server) -> None:
    found = {
        (method.upper(), path)
        for path, item in described(server)["paths"].items()
        for method in item
    }
    assert found - {("GET", "/health")} == set(operations())


@pytest.mark.parametrize(("method", "path"), operations())
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: str(mode.value))
@pytest.mark.parametrize("known", [True, False], ids=["known session", "any token"])
def test_no_request_makes_a_server_error(
    server: Server, token: str, method: str, path: str, mode: GenerationMode, known: bool
) -> None:
    if known and path.endswith("/withdraw"):
        pytest.skip("would delete the session that the others use")
    schema = schemathesis.openapi.from_dict(described(server))
    schema.config.update(base_url=server.url)
    seen: list[int] = []

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=schema[path][method].as_strategy(generation_mode=mode))
    def run(case: schemathesis.Case) -> None:
        if known:
            case.path_parameters = {**case.path_parameters, "token": token}
        reply = case.call()
        seen.append(reply.status_code)
        assert reply.status_code < 500, f"{reply.status_code}: {reply.text[:300]}"
        if reply.status_code >= 400 and reply.headers["content-type"][0].startswith(
            "application/json"
        ):
            assert set(json.loads(reply.content)["error"]) == {"code", "message", "cure"}

    run()
    assert seen

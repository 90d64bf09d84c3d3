"""The gallery without a browser: every example with all its parameters, what is kept of answers,
and that nothing stays.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from believable.contracts.registries import INSTRUMENTS, PLAYERS
from believable.web.gallery import EXAMPLES, create_app

#: What pages load of players and instruments.
NEEDED = {
    "compare": {"preference"},
    "group": {"clip_rating", "number", "text", "likert"},
    "device": set(),
    "qa": {"signal", "ranktrace"},
}


class Client:
    """Requests to the gallery in this process."""

    def __init__(self, portal: BlockingPortal, http: httpx.AsyncClient) -> None:
        self._portal, self._http = portal, http

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
        return self._portal.call(
            lambda: self._http.get(path, headers=headers, follow_redirects=True)
        )

    def post(self, path: str, json: Any) -> httpx.Response:
        return self._portal.call(lambda: self._http.post(path, json=json))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    app = create_app(tmp_path_factory.mktemp("gallery"), "http://gallery")
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(app.router.lifespan_context(app)),
    ):
        http = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://gallery")
        yield Client(portal, http)
        portal.call(http.aclose)


def test_everything_registered_is_an_example():
    assert [name for group, name in EXAMPLES if group == "instruments"] == list(INSTRUMENTS.names)
    assert [name for group, name in EXAMPLES if group == "players"] == list(PLAYERS.names)
    assert [name for group, name in EXAMPLES if group == "pages"] == [
        "compare",
        "group",
        "device",
        "qa",
    ]


@pytest.mark.parametrize("exhibit", EXAMPLES.values(), ids=lambda one: f"{one.group}-{one.name}")
def test_each_has_a_page_and_shows_each_example(exhibit, client):
    page = client.get(exhibit.path)
    assert page.status_code == 200
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert exhibit.about in page.text.replace("&#39;", "'")
    for example in exhibit.examples:
        trial = client.post(f"{exhibit.path}/mount", json={"params": example}).json()
        needed = NEEDED.get(exhibit.name, {exhibit.name}) | (
            {"replay"} if exhibit.n_stimuli else set()
        )
        if exhibit.group == "players":
            needed = {exhibit.name}
        assert needed <= set(trial["modules"])
        assert len(trial["media"]) == exhibit.n_stimuli


def test_the_overview_links_all(client):
    page = client.get("/").text
    assert all(f'href="{exhibit.path}"' in page for exhibit in EXAMPLES.values())


def test_problems_point_into_the_parameters(client):
    path = EXAMPLES["instruments", "likert"].path
    told = client.post(f"{path}/mount", json={"params": "\npoints: many"})
    assert told.status_code == 422
    (problem,) = told.json()["problems"]
    assert (problem["line"], problem["path"]) == (2, "points")
    assert client.post(f"{path}/mount", json={"params": "points: ["}).json()["problems"][0][
        "message"
    ]
    assert client.post(f"{path}/mount", json={"params": "- 1"}).json()["problems"][0]["cure"]


@pytest.mark.parametrize(
    "one", [one for one in INSTRUMENTS if one.use == "answer"], ids=lambda one: one.name
)
def test_simulated_answers_are_kept(one, client):
    exhibit = EXAMPLES["instruments", one.name]
    for example, params in zip(exhibit.examples, one.examples, strict=True):
        value = client.post(f"{exhibit.path}/simulate", json={"params": example, "seed": 3}).json()[
            "value"
        ]
        assert value == one.simulate(params, random.Random(3))
        told = client.post(
            f"{exhibit.path}/answer", json={"params": example, "value": value}
        ).json()
        assert told["kept"] == one.read(params, value)
        assert (
            "error"
            in client.post(f"{exhibit.path}/answer", json={"params": example, "value": None}).json()
        )


def test_what_was_recorded_comes_back(client):
    path = EXAMPLES["instruments", "ranktrace"].path
    made = client.post(f"{path}/simulate", json={"params": ""}).json()["events"]
    trial = client.post(f"{path}/mount", json={"params": "", "events": made}).json()
    assert [(kind, data) for _, kind, data in trial["saved"]] == [
        (one["kind"], one["data"]) for one in made
    ]


def test_the_practice_page_can_be_tried(client):
    path = EXAMPLES["instruments", "ranktrace"].path
    assert (
        client.post(f"{path}/mount", json={"params": "", "practice": True}).json()["kind"]
        == "practice"
    )


def test_what_is_not_there_is_named(client):
    assert client.get("/gallery/instruments/lickert").status_code == 404
    assert (
        "likert"
        in client.get("/gallery/instruments/lickert", headers={"accept": "application/json"}).text
    )

"""Batches that come twice, late, out of order, cut off, or from the wrong tab."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from believable.core.clock import WallClock
from believable.core.ids import token_hash
from believable.core.seeds import generator
from believable.simulate.client import Participant
from believable.simulate.pace import RealPace
from believable.simulate.server import Server
from believable.store import event_log, sessions
from believable.store.engine import Store
from validation.stored_check import differences

pytestmark = pytest.mark.faults

EVENTS = 60


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("batches")
    (folder / "plain").mkdir()
    (folder / "plain" / "study.yaml").write_text(
        "believable: 1\ntitle: Batches\nseed: 1\ntimeline:\n"
        "  - form: {id: f, questions: [{id: q, prompt: Q, slider: {}}]}\n  - finish: {}\n"
    )
    server = Server([folder / "plain"], data_dir=folder / "data")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def http(running: Server) -> Any:
    with httpx.Client(base_url=running.url, timeout=60) as client:
        yield client


@pytest.fixture
def store(running: Server) -> Any:
    with Store.open(f"sqlite:///{running.data_dir / 'believable.db'}", clock=WallClock()) as opened:
        yield opened


@pytest.fixture
def browser(running: Server, store: Store, link_in: Callable[[str, Path], str]) -> Participant:
    """A session with events that were noted and not sent yet."""
    link = link_in(f"sqlite:///{running.data_dir / 'believable.db'}", Path("plain"))

    async def main() -> Participant:
        async with httpx.AsyncClient(base_url=running.url) as client:
            person = Participant(client, RealPace(WallClock()))
            await person.join(link)
            await person.claim()
            return person

    person = asyncio.run(main())
    for number in range(EVENTS):
        person.note("answer.change", question="q", value=number)
    return person


def send(
    http: httpx.Client, browser: Participant, batch: list[tuple[int, str]], epoch: int | None = None
) -> httpx.Response:
    body = {"epoch": browser.epoch if epoch is None else epoch, "events": batch}
    return http.post(f"/s/{browser.token}/events", json=body)


def all_stored(store: Store, browser: Participant) -> bool:
    browser.acked = browser.top
    return differences(store, [browser]) == []


def test_the_same_batch_twice_is_stored_once(
    http: httpx.Client, store: Store, browser: Participant
) -> None:
    batch = browser.batch_after(0)
    assert [send(http, browser, batch).json() for _ in range(3)] == [{"ack": EVENTS}] * 3
    assert all_stored(store, browser)


def test_a_later_batch_waits_for_the_gap_to_close(
    http: httpx.Client, store: Store, browser: Participant
) -> None:
    batch = browser.batch_after(0)
    assert send(http, browser, batch[40:]).json() == {"ack": 0}
    assert send(http, browser, batch[:10]).json() == {"ack": 10}
    assert send(http, browser, batch[5:40]).json() == {"ack": EVENTS}
    assert all_stored(store, browser)


def test_order_inside_a_batch_does_not_matter(
    http: httpx.Client, store: Store, browser: Participant
) -> None:
    assert send(http, browser, browser.batch_after(0)[::-1]).json() == {"ack": EVENTS}
    assert all_stored(store, browser)


def test_a_storm_of_overlapping_batches_all_at_once(
    running: Server, store: Store, browser: Participant
) -> None:
    rng = generator(5, "storm")
    batch = browser.batch_after(0)
    pieces = [batch[start : start + rng.randint(1, 12)] for start in range(0, EVENTS, 3)] * 3
    rng.shuffle(pieces)

    async def main() -> list[int]:
        async with httpx.AsyncClient(base_url=running.url, timeout=60) as client:

            async def post(piece: list[tuple[int, str]]) -> int:
                reply = await client.post(
                    f"/s/{browser.token}/events", json={"epoch": browser.epoch, "events": piece}
                )
                assert reply.status_code == 200, reply.text
                ack: int = reply.json()["ack"]
                return ack

            return await asyncio.gather(*map(post, pieces))

    assert max(asyncio.run(main())) == EVENTS
    assert all_stored(store, browser)


def test_a_request_cut_off_on_its_way_stores_nothing(
    running: Server, http: httpx.Client, store: Store, browser: Participant
) -> None:
    payload = json.dumps({"epoch": browser.epoch, "events": browser.batch_after(0)}).encode()
    head = (
        f"POST /s/{browser.token}/events HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    )
    for share in (0.1, 0.5, 0.99):
        with socket.create_connection(("127.0.0.1", running.port)) as line:
            line.sendall(
                f"{head}content-length: {len(payload)}\r\n\r\n".encode()
                + payload[: int(share * len(payload))]
            )
    session = store.read(lambda conn: sessions.by_token(conn, token_hash(browser.token)))
    assert store.read(lambda conn: list(event_log.event_bodies(conn, session.id))) == []
    assert send(http, browser, browser.batch_after(0)).json() == {"ack": EVENTS}
    assert all_stored(store, browser)


@pytest.mark.parametrize(
    "damage", [lambda text: text[:-1], lambda text: text[: len(text) // 2], lambda text: ""]
)
def test_broken_json_is_refused_whole(
    http: httpx.Client, store: Store, browser: Participant, damage: Callable[[str], str]
) -> None:
    text = json.dumps({"epoch": browser.epoch, "events": browser.batch_after(0)})
    reply = http.post(
        f"/s/{browser.token}/events",
        content=damage(text),
        headers={"content-type": "application/json"},
    )
    assert reply.status_code == 422
    assert set(reply.json()["error"]) >= {"code", "message", "cure"}
    assert send(http, browser, []).json() == {"ack": 0}


def test_one_bad_event_spoils_its_batch_and_no_other(
    http: httpx.Client, store: Store, browser: Participant
) -> None:
    batch = browser.batch_after(0)
    assert send(http, browser, [*batch[:10], (11, "not json")]).status_code == 422
    assert send(http, browser, batch).json() == {"ack": EVENTS}
    assert all_stored(store, browser)


def test_other_content_under_a_known_number_is_a_conflict(
    http: httpx.Client, store: Store, browser: Participant
) -> None:
    batch = browser.batch_after(0)
    send(http, browser, batch)
    other = json.dumps({**json.loads(batch[3][1]), "data": {"question": "q", "value": -1}})
    reply = send(http, browser, [(4, other)])
    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "conflict")
    session = store.read(lambda conn: sessions.by_token(conn, token_hash(browser.token)))
    assert store.read(lambda conn: event_log.get_event(conn, session.id, 4)).data["value"] == 3
    assert any(alarm.kind == "chain_conflict" for alarm in store.alarms())


def test_what_an_old_tab_still_sends_is_kept_outside_the_chain(
    http: httpx.Client, store: Store, browser: Participant
) -> None:
    batch = browser.batch_after(0)
    send(http, browser, batch[:20])
    newer = http.post(f"/s/{browser.token}/claim", json={}).json()
    assert newer["epoch"] > browser.epoch
    reply = send(http, browser, batch[20:30])
    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "taken_over")
    session = store.read(lambda conn: sessions.by_token(conn, token_hash(browser.token)))
    kept = store.read(lambda conn: event_log.strays_of(conn, session.id))
    assert [(epoch, seq) for epoch, seq, _, _ in kept] == [
        (browser.epoch, seq) for seq in range(21, 31)
    ]
    assert send(http, browser, batch[20:], epoch=newer["epoch"]).json() == {"ack": EVENTS}

"""A full server says so, who sends nothing is not waited for, and who is behind a proxy is
known.
"""

from __future__ import annotations

import logging
import resource
import socket
import threading
from collections.abc import Iterator

import httpx
import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from believable.core.errors import InvalidInput
from believable.web import connections
from believable.web.connections import (
    LimitedConnection,
    checked_proxies,
    connection_limit,
    place_of,
    raise_descriptor_limit,
)
from believable.web.security import BodyLimit
from tests.waiting import wait_until

LIMIT = 3


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(body or b"hello")(scope, receive, send)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A server that takes three connections and waits a fifth of a second for bodies."""
    config = uvicorn.Config(
        BodyLimit(echo, patience_s=0.2),
        port=0,
        http=LimitedConnection,
        limit_concurrency=LIMIT,
        lifespan="off",
        timeout_keep_alive=600,
        log_level="error",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_until(lambda: server.started, "the server did not start")
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()


def connected(port: int) -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", port), timeout=30)
    opened.sendall(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    assert b"200 OK" in opened.recv(4096), "it is let in before the next one comes"
    return opened


def test_who_is_one_too_many_is_told_to_come_back_and_the_others_go_on(port: int) -> None:
    people = [connected(port) for _ in range(LIMIT)]
    try:
        refused = httpx.get(f"http://127.0.0.1:{port}/s/x/events")
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "5"
        assert refused.headers["connection"] == "close"
        assert refused.json()["error"]["code"] == "busy"
        page = httpx.get(
            f"http://127.0.0.1:{port}/s/x", headers={"accept": "text/html", "accept-language": "de"}
        )
        assert page.status_code == 503
        assert page.headers["refresh"] == "5"
        assert "sehr ausgelastet" in page.text
        people[0].sendall(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        assert b"200 OK" in people[0].recv(4096)
    finally:
        for person in people:
            person.close()
    wait_until(
        lambda: httpx.get(f"http://127.0.0.1:{port}/").status_code == 200,
        "room is made when people leave",
    )


def test_a_body_that_does_not_come_is_not_waited_for(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as slow:
        slow.sendall(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc")
        reply = slow.recv(4096)
        assert b"408" in reply
        assert b"too_slow" in reply


def test_who_says_nothing_is_not_waited_for(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.1)
    for beginning in (b"", b"GET / HTTP/1.1\r\nhost:"):
        with socket.create_connection(("127.0.0.1", port), timeout=30) as silent:
            silent.sendall(beginning)
            assert silent.recv(10) == b"", "closed by the server"


def test_the_limit_of_descriptors_is_raised_and_connections_stay_below_it() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
        raised = raise_descriptor_limit()
        assert (
            resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            == raised
            == min(hard, connections.MOST_DESCRIPTORS)
        )
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    for descriptors in (65, 256, 1024, 65_536):
        assert 1 <= connection_limit(descriptors) <= descriptors - 64
    assert connection_limit(1024, wished=5000) == 768, (
        "a wish cannot go beyond what the system allows"
    )


@pytest.mark.parametrize(
    ("peer", "forwarded", "told"),
    [
        ("192.0.2.7", None, False),  # nobody in between
        ("192.0.2.7", "192.0.2.7", False),  # uvicorn took the word of a trusted proxy
        ("192.0.2.7", "203.0.113.9, 192.0.2.7", False),
        ("10.0.0.1", "192.0.2.7", True),  # a proxy, while another one or none is trusted
        ("192.0.2.7", "192.0.2.77", True),
    ],
)
def test_a_proxy_that_is_not_trusted_is_told_about(
    peer: str, forwarded: str | None, told: bool, caplog: pytest.LogCaptureFixture
) -> None:
    connections._say_untrusted.cache_clear()
    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    with caplog.at_level(logging.WARNING):
        assert (
            place_of(Request({"type": "http", "client": (peer, 4711), "headers": headers})) == peer
        )
    assert [f"--trusted-proxy {peer}" in line for line in caplog.messages] == [True] * told


def test_only_addresses_are_trusted() -> None:
    assert checked_proxies(("127.0.0.1", "10.0.0.0/8", "::1")) == ("127.0.0.1", "10.0.0.0/8", "::1")
    for address in ("*", "proxy.example.org", ""):
        with pytest.raises(
            InvalidInput, match="--trusted-proxy: expected an IP address or a network"
        ):
            checked_proxies((address,))

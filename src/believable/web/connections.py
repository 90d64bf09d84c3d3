"""How many people a process admits at once, and how long it waits for their requests.

A process that runs out of file descriptors answers every request with an error, even in the middle
of a study. So the limit of descriptors is raised as far as the system allows. Connections beyond it
are asked to retry (503 with `Retry-After`), and silent connections are closed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from believable.core.errors import InvalidInput
from believable.web.problems import ProblemAnswer, tell

if sys.platform != "win32":
    import resource

log = logging.getLogger(__name__)

#: Descriptors that are not connections: database, logs, media being sent, scripts, pipes. At least
#: this many, or a quarter.
LEAST_RESERVED = 64
#: More than this is no gain for one process: its core is busy long before.
MOST_CONNECTIONS = 10_000
MOST_DESCRIPTORS = 1_048_576
#: How long a connection has to send its request, and one that is over the limit.
HEADERS_S, REFUSED_HEADERS_S = 20.0, 3.0
RETRY_AFTER_S = 5
_BUSY = ProblemAnswer(503, "busy", "page.busy", f"Try again in {RETRY_AFTER_S} seconds.")


def raise_descriptor_limit() -> int:
    """Let this process, and those it starts, open as many files as the system allows. How many that
    is.
    """
    if sys.platform == "win32":
        return MOST_DESCRIPTORS
    else:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wished = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
        if soft != resource.RLIM_INFINITY and soft < wished:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wished, hard))
            soft = wished
        return wished if soft == resource.RLIM_INFINITY else soft


def connection_limit(descriptors: int, wished: int | None = None) -> int:
    """Connections one process takes: as wished, as long as descriptors are left for everything
    else.

    >>> connection_limit(1024), connection_limit(1024, 100), connection_limit(1_048_576)
    (768, 100, 10000)
    """
    most = max(1, descriptors - max(LEAST_RESERVED, descriptors // 4))
    return min(most, MOST_CONNECTIONS if wished is None else wished)


def checked_proxies(addresses: Sequence[str]) -> tuple[str, ...]:
    """Addresses or networks of proxies whose word about a visitor's address is taken."""
    for address in addresses:
        try:
            ipaddress.ip_network(address, strict=False)
        except ValueError:
            raise InvalidInput(
                "--trusted-proxy: expected an IP address or a network such as 10.0.0.0/8, got"
                f" {address!r}. Name the proxy in front of this server."
            ) from None
    return tuple(addresses)


class LimitedConnection(HttpToolsProtocol):
    """One connection. A connection over the limit (`limit_concurrency` of the server) gets one
    answer, "retry", and is closed; earlier connections continue undisturbed.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._most = self.limit_concurrency or MOST_CONNECTIONS
        self.limit_concurrency = None
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        refused = len(self.connections) > self._most
        if refused:
            self.app = come_back
            self.ws_protocol_class = None
        self._wait_for_headers(REFUSED_HEADERS_S if refused else HEADERS_S)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._deadline is None and self.cycle is not None and self.cycle.response_complete:
            self._wait_for_headers(HEADERS_S)  # the beginning of a next request

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def _wait_for_headers(self, seconds: float) -> None:
        self._deadline = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _unsupported_upgrade_warning(self) -> None:
        """Nothing: WebSockets are known, but the server is full, and `come_back` says so."""


@cache
def _say_full() -> None:
    """Once."""
    log.warning(
        "full: new connections are asked to try later. Raise --limit or the limit of open files, or"
        " add --workers."
    )


@cache
def _say_untrusted(place: str) -> None:
    """Once for each."""
    log.warning(
        "requests come through a proxy at %s that is not trusted, so that limits on guessing count"
        " all its visitors as one. If it is yours, start with --trusted-proxy %s",
        place,
        place,
    )


async def come_back(scope: Scope, receive: Receive, send: Send) -> None:
    """Return the answer to a connection over the limit: a page that retries by itself, or the error
    in its usual shape.
    """
    _say_full()
    response = tell(
        Request(scope, receive), _BUSY, "the server is full at this moment; nothing was stored."
    )
    response.headers["retry-after"] = str(RETRY_AFTER_S)
    response.headers["connection"] = "close"
    response.headers["cache-control"] = "no-store"
    if scope["method"] == "GET" and response.media_type != "application/json":
        response.headers["refresh"] = str(RETRY_AFTER_S)
    await response(scope, receive, send)


def place_of(request: Request) -> str:
    """Return the origin of a request, for limits on guessing. The log names a proxy that is not
    trusted.
    """
    place = request.client.host if request.client else ""
    forwarded = request.headers.get("x-forwarded-for")
    # For a trusted proxy this is the address it forwarded, for another one the proxy's address.
    if forwarded is not None and place not in re.split(r",\s*", forwarded):
        _say_untrusted(place)
    return _network(place)


def _network(place: str) -> str:
    """The owner of an IPv6 address has the whole /64 network, so its addresses count as one.

    >>> _network("2001:db8:1:2:3:4:5:6"), _network("192.0.2.1")
    ('2001:db8:1:2::/64', '192.0.2.1')
    """
    try:
        address = ipaddress.ip_address(place)
    except ValueError:
        return place
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else place

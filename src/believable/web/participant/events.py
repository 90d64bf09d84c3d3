"""The hot routes: the most frequent requests of a session are answered before the framework looks
for a route, with the same limits, headers and errors as all others.

Batches of events are read with orjson, checked by hand, and answered after the durable commit.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote

import orjson
from fastapi import FastAPI
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from believable.collect.desk import Collect
from believable.core.errors import BelievableError, InvalidInput
from believable.web.participant import landing_page, session
from believable.web.problems import PLACE, answer_for, public_message, report_fault, tell
from believable.web.security import RefusedBody, add_headers, security_headers, whole_body

B = TypeVar("B", bound=BaseModel)

_EXPECTED = "expected {epoch, events: [[number, text], …]}"
_FORM = b"application/x-www-form-urlencoded"
#: Pages that are longer go compressed: the first page of a session is the longest thing that people
#: on a slow line wait for.
ZIPPED_BYTES = 4000

#: The most frequent requests. Through the framework's router, a page takes 480 instead of 260 µs of
#: processor time and a trial 300 instead of 240.
_PATH = re.compile(r"/(s|join)/([^/]{1,64})(?:/(events|advance|claim|trial))?")
#: A request, the parameter in its address (a session's token or a link), and the body.
Endpoint = Callable[[Request, str, bytes], Awaitable[Response]]


async def _append(request: Request, token: str, body: bytes) -> Response:
    collect: Collect = request.app.state.collect
    epoch, events = parse_batch(body)
    ack = await collect.append(token, epoch, events)
    return Response(b'{"ack":%d}' % ack, media_type="application/json")


async def append_events(request: Request) -> Response:
    """The same as a route of the framework, which refuses other methods at the address."""
    return await _append(request, request.path_params["token"], await request.body())


async def _advance(request: Request, token: str, body: bytes) -> Response:
    return await session.advance(request, token, _read(session.AdvanceBody, body))


async def _claim(request: Request, token: str, body: bytes) -> Response:
    return await session.claim(request, token, _read(session.ClaimBody, body))


async def _trial(request: Request, token: str, body: bytes) -> Response:
    return await session.current_trial(request, token)


async def _page(request: Request, token: str, body: bytes) -> Response:
    return await session.session_page(request=request, token=token)


async def _landing(request: Request, link: str, body: bytes) -> Response:
    return await landing_page.landing(request=request, link=link)


async def _join(request: Request, link: str, body: bytes) -> Response:
    try:
        fields = dict(
            parse_qsl(
                body.decode(), keep_blank_values=True, max_num_fields=landing_page.MOST_FIELDS
            )
        )
    except ValueError as error:
        raise InvalidInput(
            f"the form cannot be read: {error}. Press the button on the page again."
        ) from None
    return await landing_page.start(request=request, link=link, fields=fields)


_ENDPOINTS: dict[tuple[str, str, str | None], Endpoint] = {
    ("POST", "s", "events"): _append,
    ("POST", "s", "advance"): _advance,
    ("POST", "s", "claim"): _claim,
    ("GET", "s", "trial"): _trial,
    ("GET", "s", None): _page,
    ("GET", "join", None): _landing,
    ("POST", "join", None): _join,
}


def _read(kind: type[B], body: bytes) -> B:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        places = "; ".join(
            f"{'.'.join(map(str, ('body', *problem['loc'])))}: {problem['msg']}"
            for problem in error.errors()
        )
        raise InvalidInput(f"{places}. Follow the API description.") from None


#: An address without a route: requests here are answered like any unknown address.
NOWHERE = "/unknown/address"


def _is_unstorable(scope: Scope) -> bool:
    """Whether an address has a character that no text in a database can have. Nothing we gave out
    has one.
    """
    return "\0" in scope["path"] or "\0" in unquote(scope["query_string"].decode("latin-1"))


class StudyServer(FastAPI):
    """The application. It answers the most frequent requests of a session before the framework
    looks for a route.
    """

    def __init__(self, *, frame_ancestors: Sequence[str], secure: bool, **options: Any) -> None:
        super().__init__(**options)
        self._headers = security_headers(frame_ancestors, secure=secure)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and _is_unstorable(scope):
            scope = {**scope, "path": NOWHERE, "raw_path": NOWHERE.encode(), "query_string": b""}
        hot = _PATH.fullmatch(scope["path"]) if scope["type"] == "http" else None
        endpoint = None if hot is None else _ENDPOINTS.get((scope["method"], hot[1], hot[3]))
        if hot is None or endpoint is None or (endpoint is _join and not _is_short_form(scope)):
            await super().__call__(scope, receive, send)
            return
        scope["app"] = self
        request = Request(scope, receive)
        try:
            body = await whole_body(scope, receive) if scope["method"] == "POST" else b""
            response = await endpoint(request, hot[2], body)
        except BelievableError as error:
            response = tell(request, answer_for(error), public_message(error))
        except RefusedBody as refused:
            response = refused.response()
        except ClientDisconnect:
            return  # cut off on its way: nothing was stored, and the client is gone
        # reported like every fault outside of the hot routes
        except Exception as error:  # noqa: BLE001
            scope[PLACE] = f"/{hot[1]}/…/{hot[3] or ''}"
            response = report_fault(request, error)
        body = bytes(response.body)
        if (
            scope["method"] == "GET"
            and len(body) >= ZIPPED_BYTES
            and "gzip" in request.headers.get("accept-encoding", "")
        ):
            body = gzip.compress(body, 1, mtime=0)
            response.headers.update(
                {
                    "content-encoding": "gzip",
                    "content-length": str(len(body)),
                    "vary": "accept-encoding",
                }
            )
        headers = add_headers(response.raw_headers, self._headers)
        await send(
            {"type": "http.response.start", "status": response.status_code, "headers": headers}
        )
        await send({"type": "http.response.body", "body": body})


def _is_short_form(scope: Scope) -> bool:
    """Return whether the body holds the fields as an address does; other forms are left to the
    framework.
    """
    return any(
        name == b"content-type" and value.startswith(_FORM) for name, value in scope["headers"]
    )


def parse_batch(body: bytes) -> tuple[int, list[tuple[int, str]]]:
    """Epoch and numbered events of a request."""
    try:
        batch: Any = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"the batch is not JSON: {error}. Send {_EXPECTED}.") from None
    if not isinstance(batch, dict):
        raise InvalidInput(f"the batch: {_EXPECTED}, got {type(batch).__name__}.")
    epoch, events = batch.get("epoch"), batch.get("events")
    if type(epoch) is not int or type(events) is not list:
        raise InvalidInput(
            f"the batch: {_EXPECTED}. `epoch` is a whole number and `events` a list."
        )
    for event in events:
        pair = type(event) is list and len(event) == 2
        if not pair or type(event[0]) is not int or type(event[1]) is not str:
            raise InvalidInput(
                f"the batch: {_EXPECTED}. Each event is a pair of its number and its text."
            )
    return epoch, [(event[0], event[1]) for event in events]

"""The hot routes, first of all batches of events: read with orjson, checked by hand, answered after the durable commit."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from believable.collect.desk import Collect
from believable.core.errors import BelievableError, InvalidInput
from believable.web.participant import session
from believable.web.problems import answer_for, tell

B = TypeVar("B", bound=BaseModel)

_EXPECTED = "expected {epoch, events: [[number, text], …]}"


#: What most requests are for, and the framework's search for a route would cost more than doing it.
_PATH = re.compile(r"/s/([^/]{1,64})/(events|advance|claim|trial)")
Endpoint = Callable[[Request, str], Awaitable[Response]]


async def _append(request: Request, token: str) -> Response:
    return await append_events(request)


async def _advance(request: Request, token: str) -> Response:
    return await session.advance(request, token, _read(session.AdvanceBody, await request.body()))


async def _claim(request: Request, token: str) -> Response:
    return await session.claim(request, token, _read(session.ClaimBody, await request.body()))


_ENDPOINTS: dict[tuple[str, str], Endpoint] = {
    ("POST", "events"): _append,
    ("POST", "advance"): _advance,
    ("POST", "claim"): _claim,
    ("GET", "trial"): session.current_trial,
}


def _read(kind: type[B], body: bytes) -> B:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        places = "; ".join(
            f"{'.'.join(map(str, ('body', *problem['loc'])))}: {problem['msg']}" for problem in error.errors()
        )
        raise InvalidInput(f"{places}. Send what the API description asks for.") from None


class HotRoutes:
    """Takes what a session asks for most before the framework looks for a route."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hot = _PATH.fullmatch(scope["path"]) if scope["type"] == "http" else None
        endpoint = None if hot is None else _ENDPOINTS.get((scope["method"], hot[2]))
        if hot is None or endpoint is None:
            await self.app(scope, receive, send)
            return
        scope["path_params"] = {"token": hot[1]}
        request = Request(scope, receive)
        try:
            response = await endpoint(request, hot[1])
        except BelievableError as error:
            response = tell(request, answer_for(error), str(error))
        except ClientDisconnect:
            return  # cut off on its way: nothing was stored, nobody is there to be told
        await response(scope, receive, send)


async def append_events(request: Request) -> Response:
    """POST /s/{token}/events."""
    collect: Collect = request.app.state.collect
    epoch, events = parse_batch(await request.body())
    ack = await collect.append(request.path_params["token"], epoch, events)
    return Response(b'{"ack":%d}' % ack, media_type="application/json")


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
        raise InvalidInput(f"the batch: {_EXPECTED}. `epoch` is a whole number and `events` a list.")
    for event in events:
        pair = type(event) is list and len(event) == 2
        if not pair or type(event[0]) is not int or type(event[1]) is not str:
            raise InvalidInput(f"the batch: {_EXPECTED}. Each event is a pair of its number and its text.")
    return epoch, [(event[0], event[1]) for event in events]

"""The hot route: batches of events. Read with orjson, checked by hand, answered after the durable commit."""

from __future__ import annotations

import re
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from believable.collect.desk import Collect
from believable.core.errors import BelievableError, InvalidInput
from believable.web.problems import answer_for, tell

_EXPECTED = "expected {epoch, events: [[number, text], …]}"


_PATH = re.compile(r"/s/([^/]{1,64})/events")


class EventsFirst:
    """Takes batches before the framework looks for a route: finding it costs more than storing what it brings."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hot = _PATH.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if hot is None:
            await self.app(scope, receive, send)
            return
        scope["path_params"] = {"token": hot[1]}
        request = Request(scope, receive)
        try:
            response = await append_events(request)
        except BelievableError as error:
            response = tell(request, answer_for(error), str(error))
        except ClientDisconnect:
            return  # cut off on its way: nothing was stored, nobody is there to be told
        await response(scope, receive, send)


async def append_events(request: Request) -> Response:
    """POST /s/{token}/events."""
    collect: Collect = request.app.state.collect
    epoch, events = parse_batch(await request.body())
    ack = await collect.aappend(request.path_params["token"], epoch, events)
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

"""The hot route: batches of events. Read with orjson, checked by hand, answered after the durable commit."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from believable.collect.desk import Collect
from believable.core.errors import InvalidInput

_EXPECTED = "expected {epoch, events: [[number, text], …]}"


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

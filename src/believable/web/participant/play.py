"""Rounds in progress: the WebSocket of a page, and the files that the page needs for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import orjson
from fastapi import APIRouter
from starlette.websockets import WebSocket, WebSocketDisconnect

from believable.app.settings import Settings
from believable.collect import session_rounds
from believable.collect.desk import Collect
from believable.collect.session_rounds import HeldRound
from believable.core.errors import (
    BelievableError,
    InvalidInput,
    StorageFull,
    TakenOver,
    Unavailable,
    Withdrawn,
)
from believable.core.ids import new_token
from believable.web.participant.played_round import PlayedRound, begun
from believable.web.participant.round_course import (
    IDLE_S,
    GaveUpRound,
    RoundConnection,
    RoundServices,
    receive_message,
)
from believable.web.participant.round_room import LineTicket
from believable.worlds.picture_stream import CODINGS, Coding
from believable.worlds.round_process import RoundBroken

router = APIRouter()
log = logging.getLogger(__name__)

#: Close codes: why a connection cannot continue. The page knows them.
TAKEN, REFUSED, FOREIGN, BROKEN = 4409, 4400, 4403, 4500
ENDED = 1000
#: Trouble that passes: the page tries again.
LATER = 1013
#: How long a page has to say who it is.
HELLO_S = 10.0
#: What takes no longer than this is not announced.
SHORT_WAIT_S = 0.15


@router.websocket("/s/{token}/play")
async def play(socket: WebSocket, token: str) -> None:
    """The round of the current trial. First message: `{hello: {epoch, position}}`."""
    if not _same_origin(socket):
        await socket.close(FOREIGN)
        return
    await socket.accept()
    try:
        await _play(socket, token)
        await _close(socket)
    except WebSocketDisconnect:
        return
    except (TakenOver, Withdrawn) as error:
        await _refuse(socket, TAKEN, error)
    except GaveUpRound as error:
        log.error("%s", error)
        await _refuse(socket, BROKEN, error)
    except (Unavailable, StorageFull) as error:
        log.warning("%s", error)
        await _refuse(socket, LATER, error)
    except BelievableError as error:
        await _refuse(socket, REFUSED, error)


async def _play(socket: WebSocket, token: str) -> None:
    collect: Collect = socket.app.state.collect
    services: RoundServices = socket.app.state.rounds
    hello = await _hello(socket)
    holder = new_token()

    async def opened_round() -> HeldRound:
        return await collect.store.awrite(
            lambda conn: session_rounds.open_round(
                conn,
                collect.context,
                token=token,
                epoch=hello.epoch,
                position=hello.position,
                holder=holder,
            )
        )

    opened = await opened_round()
    if opened.over:
        await socket.send_text(orjson.dumps({"over": {"score": opened.score}}).decode())
        return
    stepped = _may_step(opened, hello.stepped)
    if opened.playing.filmable is None:
        await _connect(socket, services, opened, stepped, None)
        return
    coding = None if stepped else _coding(hello)
    with services.room.ticket(opened.key.session, begun=opened.tick > 0) as ticket:
        if await _in_line(socket, ticket):
            opened = await opened_round()  # it may have been played elsewhere meanwhile
        await _connect(socket, services, opened, stepped, coding)


async def _connect(
    socket: WebSocket,
    services: RoundServices,
    opened: HeldRound,
    stepped: bool,
    coding: Coding | None,
) -> None:
    live: PlayedRound | None = None
    try:
        beginning = asyncio.ensure_future(begun(opened, coding, services.executor))
        await _wait(socket, beginning)
        live = beginning.result()
        connection = RoundConnection(socket, services, opened, live)
        await (connection.run_stepped() if stepped else connection.run())
    except RoundBroken as error:
        services.troubles.broke(opened.key, opened.tick, error)
        raise
    finally:
        if live is not None:
            await live.close()


async def _wait(
    socket: WebSocket, awaited: Awaitable[object], place: Callable[[], int] = lambda: 0
) -> bool:
    """Meanwhile the page hears that it is worked on (`place` 0), or its place in the line. Whether
    it had to wait.
    """
    task = asyncio.ensure_future(awaited)
    waited = False
    try:
        while not (await asyncio.wait({task}, timeout=IDLE_S if waited else SHORT_WAIT_S))[0]:
            waited = True
            await socket.send_text(orjson.dumps({"wait": {"place": place()}}).decode())
        task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    return waited


async def _in_line(socket: WebSocket, ticket: LineTicket) -> bool:
    """Until there is room. Who has not been welcomed has nothing to say, but may leave."""

    async def there() -> None:
        while True:
            if (await socket.receive())["type"] == "websocket.disconnect":
                raise WebSocketDisconnect

    if ticket.place == 0:
        return False
    listening, waiting = (
        asyncio.ensure_future(there()),
        asyncio.ensure_future(ticket.wait_for_room()),
    )
    try:
        await _wait(socket, _first(listening, waiting), lambda: ticket.place)
    finally:
        for task in (listening, waiting):
            task.cancel()
        await asyncio.gather(listening, waiting, return_exceptions=True)
    return True


async def _first(*tasks: asyncio.Task[None]) -> None:
    for task in (await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED))[0]:
        task.result()


def _coding(hello: Hello) -> Coding:
    if hello.pictures is None:
        raise InvalidInput(
            f"expected {{hello: {{pictures}}}}, one of {', '.join(CODINGS)}. Reload the page."
        )
    return hello.pictures


def _may_step(opened: HeldRound, wished: bool) -> bool:
    if wished and not opened.steppable:
        raise InvalidInput("only simulated participants may play faster than time.")
    return wished


@dataclass(frozen=True, slots=True)
class Hello:
    """Who connects, to which page of the study, and how it can show pictures."""

    epoch: int
    position: int
    stepped: bool
    pictures: Coding | None


async def _hello(socket: WebSocket) -> Hello:
    try:
        message = await asyncio.wait_for(receive_message(socket), HELLO_S)
    except TimeoutError:
        raise InvalidInput("expected {hello: {epoch, position}} first. Reload the page.") from None
    hello = message.get("hello") if isinstance(message, dict) else None
    numbers = (
        [hello.get(name) for name in ("epoch", "position")] if isinstance(hello, dict) else [None]
    )
    if hello is None or not all(type(number) is int and 0 <= number < 2**31 for number in numbers):
        raise InvalidInput(
            "expected {hello: {epoch, position}} with whole numbers. Reload the page."
        )
    pictures = hello.get("pictures")
    return Hello(
        hello["epoch"],
        hello["position"],
        hello.get("stepped") is True,
        pictures if pictures in CODINGS else None,
    )


def _same_origin(socket: WebSocket) -> bool:
    """Browsers say which page opens a connection; only our own may."""
    origin = socket.headers.get("origin")
    if origin is None:
        return True
    settings: Settings = socket.app.state.settings
    ours = {socket.headers.get("host", ""), urlsplit(settings.base_url).netloc}
    return urlsplit(origin).netloc in ours


async def _refuse(socket: WebSocket, code: int, error: BelievableError) -> None:
    await _close(socket, code, str(error).encode()[:120].decode(errors="ignore"))


async def _close(socket: WebSocket, code: int = ENDED, reason: str = "") -> None:
    try:
        await socket.close(code, reason)
    except (WebSocketDisconnect, RuntimeError):
        return  # it was gone already

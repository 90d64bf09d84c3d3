"""Rounds that are played: the WebSocket of a page, and what the page gets beside it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson
from fastapi import APIRouter
from starlette.websockets import WebSocket, WebSocketDisconnect

from believable.collect import rounds
from believable.collect.desk import Collect, SessionView
from believable.collect.rounds import Opened
from believable.core.errors import (
    BelievableError,
    InvalidInput,
    StorageFull,
    TakenOver,
    Unavailable,
    Withdrawn,
)
from believable.core.ids import new_token
from believable.study.records import Play, Trial
from believable.web.participant.live import Connection, Table
from believable.web.settings import Settings

router = APIRouter()
log = logging.getLogger(__name__)

#: Close codes: why a connection cannot go on. The page knows them.
TAKEN, REFUSED, FOREIGN = 4409, 4400, 4403
#: Trouble that passes: the page tries again.
LATER = 1013
#: How long a page has to say who it is.
HELLO_S = 10.0
_STYLE = "/static/play/play.css"


@router.websocket("/s/{token}/play")
async def play(socket: WebSocket, token: str) -> None:
    """The round of the current trial. First message: `{hello: {epoch, position}}`."""
    if not _same_origin(socket):
        await socket.close(FOREIGN)
        return
    await socket.accept()
    try:
        await _played(socket, token)
        await socket.close()
    except WebSocketDisconnect:
        return
    except (TakenOver, Withdrawn) as error:
        await _refuse(socket, TAKEN, error)
    except (Unavailable, StorageFull) as error:
        log.warning("%s", error)
        await _refuse(socket, LATER, error)
    except BelievableError as error:
        await _refuse(socket, REFUSED, error)


async def _played(socket: WebSocket, token: str) -> None:
    collect: Collect = socket.app.state.collect
    epoch, position, stepped = await _hello(socket)
    holder = new_token()
    opened = await collect.store.awrite(
        lambda conn: rounds.open_round(
            conn, collect.context, token=token, epoch=epoch, position=position, holder=holder
        )
    )
    if opened.over:
        await socket.send_text(orjson.dumps({"over": {"score": opened.score}}).decode())
        return
    state = socket.app.state
    table = Table(collect.store, collect.context, state.workshop, state.studio, state.scribe)
    live = await asyncio.get_running_loop().run_in_executor(table.workshop, opened.live)
    connection = Connection(socket, table, opened, live)
    await (connection.run_stepped() if _may_step(opened, stepped) else connection.run())


def _may_step(opened: Opened, wished: bool) -> bool:
    if wished and not opened.steppable:
        raise InvalidInput("only simulated participants may play faster than time.")
    return wished


async def _hello(socket: WebSocket) -> tuple[int, int, bool]:
    try:
        message = orjson.loads(await asyncio.wait_for(socket.receive_text(), HELLO_S))
    except (TimeoutError, orjson.JSONDecodeError):
        raise InvalidInput("expected {hello: {epoch, position}} first. Reload the page.") from None
    hello = message.get("hello") if isinstance(message, dict) else None
    numbers = [hello.get(name) for name in ("epoch", "position")] if isinstance(hello, dict) else [None]
    if hello is None or not all(type(one) is int and 0 <= one < 2**31 for one in numbers):
        raise InvalidInput("expected {hello: {epoch, position}} with whole numbers. Reload the page.")
    return hello["epoch"], hello["position"], hello.get("stepped") is True


def _same_origin(socket: WebSocket) -> bool:
    """Browsers say which page opens a connection; only our own may."""
    origin = socket.headers.get("origin")
    if origin is None:
        return True
    settings: Settings = socket.app.state.settings
    ours = {socket.headers.get("host", ""), urlsplit(settings.base_url).netloc}
    return urlsplit(origin).netloc in ours


async def _refuse(socket: WebSocket, code: int, error: BelievableError) -> None:
    try:
        await socket.close(code, str(error).encode()[:120].decode(errors="ignore"))
    except (WebSocketDisconnect, RuntimeError):
        return  # it was gone already


# ---------------------------------------------------------------------------------------------- the page


def styles(trial: Trial) -> list[str]:
    return [_STYLE] if isinstance(trial, Play) else []


def words(trial: Trial, texts: Mapping[str, str]) -> str | None:
    """The built-in text above a game."""
    if not isinstance(trial, Play):
        return None
    return texts["play.practice_text" if trial.practice else "play.text"]


def title(trial: Trial) -> str | None:
    if not isinstance(trial, Play):
        return None
    return "play.practice_title" if trial.practice else "play.title"


def trial_json(session: SessionView) -> dict[str, Any]:
    """`play`: how the page behaves. Neither the opponent nor the maze is told here."""
    trial = session.trial.trial
    if not isinstance(trial, Play):
        return {}
    return {"play": {"practice": trial.practice, "on_loss": trial.on_loss, "duration_s": trial.duration_s}}

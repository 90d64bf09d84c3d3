"""One connection to a round: thirty steps a second, a picture after each, inputs durable in pieces while it goes on.

A round counts down, runs, and pauses when the page asks for it or falls silent. What was played survives any process: whoever
connects next goes on from the last durable tick.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

from believable.agents.maze_live import TOLD, LiveRound, NumberedInput
from believable.collect import rounds
from believable.collect.context import Context
from believable.collect.rounds import Opened
from believable.core.errors import InvalidInput
from believable.store.engine import Store
from believable.web.participant.inputs import inputs_in, step_in
from believable.web.participant.scribe import Pen, Scribe
from believable.web.participant.studio import Studio
from believable.worlds.maze.draw import live_scene
from believable.worlds.maze.rules import TICKS_PER_S, Settings
from believable.worlds.scene import scene_tree

TICK_S = 1 / TICKS_PER_S
#: The round waits when so many ticks are not durable yet.
MOST_AT_RISK_TICKS = 30
#: Inputs of simulated participants, who lose nothing when they have to play again, become durable in larger pieces.
STEPPED_PIECE_TICKS = 10 * TICKS_PER_S
#: A page that says nothing for this long while it plays is thought to be gone.
SILENCE_S = 0.7
#: While nothing moves, the page hears from the server this often.
IDLE_S = 0.25
#: A beat that comes later than this is not made up for: time was lost, not game.
LATEST_BEAT_S = 3 * TICK_S

State: TypeAlias = Literal["ready", "count", "run", "pause", "over"]


@dataclass(frozen=True, slots=True)
class Table:
    """What a connection needs of its server: where rounds are made again, filmed, and who writes while they are played."""

    store: Store
    context: Context
    workshop: Executor
    studio: Studio
    scribe: Scribe


class Connection:
    """A page that plays. `run` lasts until the round is over or the page is gone."""

    def __init__(self, socket: WebSocket, table: Table, opened: Opened, live: LiveRound) -> None:
        self._socket = socket
        self._table = table
        self._opened = opened
        self._live = live
        self._state: State = "ready" if live.game.tick == 0 else "pause"
        self._pen = Pen(table.scribe, opened, live)
        self._heard_s = self._now_s()
        self._echo: float | None = None
        self._woken = asyncio.Event()
        self._gone = False
        self._begins_s = 0.0

    @staticmethod
    def _now_s() -> float:
        return asyncio.get_running_loop().time()

    async def run(self) -> None:
        listening = asyncio.ensure_future(self._listen())
        try:
            await self._send({"welcome": self._welcome()})
            while not (self._live.over or self._gone):
                if self._state == "run":
                    with self._table.scribe.writing(self._pen):
                        await self._play()
                else:
                    await self._idle()
            await self._pen.settle()
            if listening.done():
                listening.result()  # raises what was wrong with a message
            if self._live.over:
                await self._end()
        except WebSocketDisconnect:
            await self._pen.settle()
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def run_stepped(self) -> None:
        """A simulated participant plays as fast as both can: one input, some ticks, one picture."""
        await self._send({"welcome": self._welcome()})
        live = self._live
        while not live.over and (step := step_in(await self._receive())) is not None:
            number, keys, ticks = step
            live.receive(NumberedInput(number, live.game.tick, keys))
            happened: list[str] = []
            for _ in range(min(ticks, live.game.settings.round_ticks - live.game.tick)):
                happened += [event.kind for event in live.step() if event.kind in TOLD]
            if self._pen.at_risk_ticks >= STEPPED_PIECE_TICKS:
                await self._pen.settle()
            await self._send(live.snapshot() | {"st": "run", "e": happened})
        await self._pen.settle()
        if live.over:
            await self._end()

    # ------------------------------------------------------------------------------------------ the course

    async def _play(self) -> None:
        """Tick after tick, until something stops it."""
        beat_s = self._now_s()
        while self._state == "run" and not (self._live.over or self._gone):
            self._live.step()
            self._pen.check()
            await self._send(self._picture())
            if self._pen.at_risk_ticks > MOST_AT_RISK_TICKS:
                await self._pen.settle()
            now_s = self._now_s()
            late = now_s - beat_s >= LATEST_BEAT_S  # the server was held up: what the page said may still wait to be read
            if not late and now_s - self._heard_s > SILENCE_S:
                self._pause()
            beat_s = now_s if late else beat_s + TICK_S
            await asyncio.sleep(max(0.0, beat_s - now_s))

    async def _idle(self) -> None:
        """Counting down, or waiting for the page."""
        if self._state == "count" and self._now_s() >= self._begins_s:
            self._state = "run"
            self._heard_s = self._now_s()
            return
        await self._pen.settle()
        self._woken.clear()
        await self._send(self._picture())
        until_s = self._begins_s - self._now_s() if self._state == "count" else IDLE_S
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), max(0.001, min(IDLE_S, until_s)))

    def _go(self) -> None:
        if self._state in ("ready", "pause"):
            self._state = "count"
            self._begins_s = self._now_s() + self._opened.play.countdown_s

    def _pause(self) -> None:
        if self._state in ("run", "count"):
            self._state = "ready" if self._live.game.tick == 0 else "pause"
            self._live.release()

    async def _end(self) -> None:
        """The recording is made from what is stored, so that it cannot differ from it."""
        table, opened = self._table, self._opened
        loop = asyncio.get_running_loop()
        changes = await table.store.aread(lambda conn: rounds.applied(conn, opened))
        made = await loop.run_in_executor(table.workshop, rounds.record, opened.setup, changes)
        if opened.play.render == "video":
            self._state = "over"
            filming = asyncio.ensure_future(table.studio.film(made.recording))
            while not (await asyncio.wait({filming}, timeout=IDLE_S))[0]:
                await self._send(self._picture())  # the page hears that it is being worked on
            made = replace(made, video=filming.result())
        await table.store.awrite(lambda conn: rounds.end_round(conn, table.context, opened, made))
        await self._send({"over": {"score": made.score}})

    # ------------------------------------------------------------------------------------------ the wire

    def _welcome(self) -> dict[str, Any]:
        game, play = self._live.game, self._opened.play
        return {
            "walls": game.grid.walls,
            "ticks": game.settings.round_ticks,
            "practice": play.practice,
            "received": self._live.received,
            "attempt": self._opened.key.attempt,
            "scene": scene_tree(live_scene(game.grid.walls)),
            "rules": _rules_of(game.settings),
        }

    def _picture(self) -> dict[str, Any]:
        picture = self._live.snapshot() | {"st": self._state, "d": self._pen.durable}
        if self._state == "count":
            picture["c"] = round(1000 * (self._begins_s - self._now_s()))
        if self._echo is not None:
            picture["q"], picture["w"] = self._echo, round(1000 * (self._now_s() - self._heard_s))
            self._echo = None
        return picture

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self._socket.send_text(orjson.dumps(message).decode())

    async def _receive(self) -> Any:
        text = await self._socket.receive_text()
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            raise InvalidInput("a message is not JSON. Reload the page.") from None

    async def _listen(self) -> None:
        try:
            while True:
                self._hear(await self._receive())
        except WebSocketDisconnect:
            pass
        finally:
            self._gone = True
            self._woken.set()

    def _hear(self, message: Any) -> None:
        """Inputs, a wish to begin or to pause, or only a sign of life with a time to be echoed."""
        if not isinstance(message, dict):
            raise InvalidInput("a message is no object. Reload the page.")
        self._heard_s = self._now_s()
        echo = message.get("q")
        if isinstance(echo, int | float) and not isinstance(echo, bool):
            self._echo = echo
        if self._state in ("count", "run"):
            for given in inputs_in(message):
                self._live.receive(given)
        if message.get("go") is True:
            self._go()
        elif message.get("pause") is True:
            self._pause()
        if "go" in message or "pause" in message:
            self._woken.set()


def _rules_of(settings: Settings) -> dict[str, int]:
    """The numbers that the page needs to predict the player's own moves."""
    names = (
        "player_speed", "body_radius", "health", "bullet_speed", "bullet_pause", "bullet_life", "bomb_speed", "bomb_pause",
        "bomb_fuse", "player_view_deg", "player_view_tiles",
    )  # fmt: skip
    return {name: getattr(settings, name) for name in names}


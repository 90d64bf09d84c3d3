"""One connection to a round: step after step at the world's pace, a picture after each, inputs
durable in pieces meanwhile.

A round counts down, runs, and pauses if the page asks for it or is silent. Played ticks survive any
process: the next connection resumes at the last durable tick.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections import Counter
from collections.abc import Coroutine, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

from believable.collect import session_rounds
from believable.collect.context import Context
from believable.collect.session_rounds import HeldRound
from believable.contracts.film import GameControls
from believable.contracts.inputs import InputSchema
from believable.core.child_python import python_command
from believable.core.draft_folders import draft_folder
from believable.core.errors import BelievableError, InvalidInput, Unavailable
from believable.store.engine import Store
from believable.store.rounds import RoundKey
from believable.web.participant.played_round import PlayedRound
from believable.web.participant.round_room import RoundRoom
from believable.web.participant.round_writer import RoundInputs, RoundWriter
from believable.worlds.live_round import NumberedInput, inputs_in, step_in
from believable.worlds.picture_stream import codec_name
from believable.worlds.round_process import RoundBroken

#: The round waits if ticks played within this time are not durable yet.
MOST_AT_RISK_S = 1.0
#: Inputs of simulated participants, who lose nothing when they have to play again, become durable
#: in larger pieces.
STEPPED_PIECE_S = 10.0
#: A page that says nothing for this long while it plays is thought to be gone.
SILENCE_S = 0.7
#: While nothing moves, the page hears from the server this often.
IDLE_S = 0.25
#: A beat that is this many ticks late is skipped: time was lost, not game.
LATEST_BEAT_TICKS = 3
#: Pictures are left out for a page that has not seen those of this time, until it has.
MOST_UNSEEN_S = 1.0
#: A participant who neither plays nor practises for this long makes room, if others wait for it.
MAKES_ROOM_S = 60.0
#: How many messages a page may send in a second, and at once after a delay.
SAID_PER_S, SAID_AT_ONCE = 600.0, 1500.0
LONGEST_MESSAGE = 32_768
#: A game that broke this often at the same tick is not resumed again.
MOST_TROUBLES = 3
#: Before an encoded picture: whether it can be shown by itself, and its tick.
_IMAGE_HEAD = struct.Struct("!BI")
#: Renders a recording to a video in a separate process.
_FILM_MODULE = "believable.collect.round_film"

T = TypeVar("T")
State: TypeAlias = Literal["ready", "count", "run", "pause", "over"]


class FilmRenderer:
    """The renderer of one server process. Rounds become videos in separate processes, one at a
    time, because others may be playing on this machine. `drafts` is swept when a server starts: a
    killed server leaves no partial video for long.
    """

    def __init__(self, drafts: Path) -> None:
        self._drafts = drafts
        self._one_at_a_time = asyncio.Semaphore(1)

    async def film(self, recording: bytes, size_px: tuple[int, int] | None) -> bytes:
        """The video of a recording; of this size, if one is wished."""
        async with self._one_at_a_time:
            with draft_folder(self._drafts) as folder:
                source, target = folder / "round.replay.json.gz", folder / "round.mp4"
                source.write_bytes(recording)
                process = await asyncio.create_subprocess_exec(
                    *python_command(
                        "-m", _FILM_MODULE, str(source), str(target), *map(str, size_px or ())
                    ),
                    stderr=asyncio.subprocess.PIPE,
                )
                _, words = await process.communicate()
                if process.returncode != 0:
                    last = words.decode(errors="replace").strip().splitlines()[-1:]
                    raise Unavailable(
                        f"the round could not be filmed: {' '.join(last)}. It is tried again."
                    )
                return target.read_bytes()


class GaveUpRound(BelievableError):
    """The game of a round broke again and again at the same place."""


class RoundTroubles:
    """Rounds whose games broke. Each is resumed from its stored inputs, but not for ever: a game
    that breaks at the same tick every time will do so again. Reloading the page resets the count.
    """

    def __init__(self) -> None:
        self._broken: Counter[tuple[RoundKey, int]] = Counter()

    def broke(self, key: RoundKey, tick: int, error: RoundBroken) -> None:
        self._broken[key, tick] += 1
        if self._broken[key, tick] >= MOST_TROUBLES:
            del self._broken[key, tick]
            raise GaveUpRound(
                f"round {key} broke {MOST_TROUBLES} times after tick {tick}: {error}"
            ) from error


class InputAllowance:
    """How many messages a page may send: a number per second, and a number at once. It sends one
    for each picture on its screen.
    """

    def __init__(self, per_s: float, at_once: float, now_s: float) -> None:
        self._per_s, self._at_once = per_s, at_once
        self._left, self._since_s = at_once, now_s

    def take(self, count: int, now_s: float) -> None:
        self._left = min(self._at_once, self._left + (now_s - self._since_s) * self._per_s) - count
        self._since_s = now_s
        if self._left < 0:
            raise InvalidInput(
                f"too much at once: a page may say {self._per_s:g} things in a second. Reload the"
                " page."
            )


async def receive_message(socket: WebSocket) -> Any:
    """The next message, read; an error for what no page of ours sends."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text = message.get("text")
    if not isinstance(text, str) or len(text) > LONGEST_MESSAGE:
        raise InvalidInput(
            f"a message is no text of at most {LONGEST_MESSAGE} characters. Reload the page."
        )
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise InvalidInput("a message is not JSON. Reload the page.") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundServices:
    """The server's resources for a connection: where rounds are resumed (`executor`) and filmed,
    the writer of inputs, how many rounds with pictures may run (`room`), and which of them broke.
    """

    store: Store
    context: Context
    executor: Executor
    films: FilmRenderer
    writer: RoundWriter
    room: RoundRoom
    troubles: RoundTroubles = field(default_factory=RoundTroubles)


class RoundConnection:
    """A page that plays. `run` lasts until the round is over or the page is gone."""

    def __init__(
        self, socket: WebSocket, services: RoundServices, opened: HeldRound, live: PlayedRound
    ) -> None:
        self._socket = socket
        self._services = services
        self._opened = opened
        self._live = live
        self._state: State = "ready" if live.tick == 0 else "pause"
        self._inputs = RoundInputs(services.writer, opened, live)
        self._schema = opened.playing.inputs
        self._tick_hz = opened.tick_hz
        self._heard_s = self._now_s()
        self._idle_since_s = self._heard_s
        self._allowance = InputAllowance(SAID_PER_S, SAID_AT_ONCE, self._heard_s)
        self._pictures = _SentPictures(live.tick, round(MOST_UNSEEN_S * self._tick_hz))
        self._echo: float | None = None
        self._woken = asyncio.Event()
        self._gone = False
        self._stepped = False
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
                    with self._services.writer.writing(self._inputs):
                        await self._play()
                else:
                    await self._idle()
            await self._inputs.flush()
            if listening.done():
                listening.result()  # raises the error of a message
            if self._live.over:
                await self._end()
        except WebSocketDisconnect:
            await self._inputs.flush()
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def run_stepped(self) -> None:
        """A simulated participant plays as fast as both can: one input, some ticks, one picture."""
        self._stepped = True
        await self._send({"welcome": self._welcome()})
        live = self._live
        while (
            not live.over
            and (step := step_in(await receive_message(self._socket), self._schema)) is not None
        ):
            number, pressed, ticks = step
            live.receive(NumberedInput(number, live.tick, pressed))
            happened = list(await live.step(ticks, look=False))
            if self._inputs.at_risk_ticks >= STEPPED_PIECE_S * self._tick_hz:
                await self._inputs.flush()
            await self._send(live.message() | {"st": "over" if live.over else "run", "e": happened})
        await self._inputs.flush()
        if live.over:
            await self._end()

    # ------------------------------------------------------------------------------------------ the
    # course

    async def _play(self) -> None:
        """Tick after tick, until something stops it."""
        tick_s = 1 / self._tick_hz
        beat_s = self._now_s()
        while self._state == "run" and not (self._live.over or self._gone):
            await self._live.step(look=self._pictures.next(), whole=self._pictures.whole)
            self._inputs.check()
            await self._send(self._picture())
            await self._send_image()
            if self._inputs.at_risk_ticks > MOST_AT_RISK_S * self._tick_hz:
                await self._inputs.flush()
            now_s = self._now_s()
            # Delayed: the page's messages may still wait to be read.
            late = now_s - beat_s >= LATEST_BEAT_TICKS * tick_s
            if not late and now_s - self._heard_s > SILENCE_S:
                self._pause()
            beat_s = now_s if late else beat_s + tick_s
            await asyncio.sleep(max(0.0, beat_s - now_s))

    async def _idle(self) -> None:
        """Counting down, or waiting for the page."""
        if self._state == "count" and self._now_s() >= self._begins_s:
            self._state = "run"
            self._heard_s = self._now_s()
            return
        await self._inputs.flush()
        self._make_room()
        self._woken.clear()
        await self._send(self._picture())
        await self._send_image()
        until_s = self._begins_s - self._now_s() if self._state == "count" else IDLE_S
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), max(0.001, min(IDLE_S, until_s)))

    def _make_room(self) -> None:
        rendered, waiting = self._opened.playing.filmable is not None, self._services.room.waiting
        if rendered and waiting and self._now_s() - self._idle_since_s > MAKES_ROOM_S:
            raise Unavailable(
                "nobody played here for a while, and others wait. The page gets into the line"
                " again."
            )

    def _go(self) -> None:
        if self._state in ("ready", "pause"):
            self._state = "count"
            self._begins_s = self._now_s() + self._opened.play.countdown_s

    def _pause(self) -> None:
        if self._state in ("run", "count"):
            self._state = "ready" if self._live.tick == 0 else "pause"
            self._live.release()
            self._idle_since_s = self._now_s()

    async def _end(self) -> None:
        """The recording is made from the stored inputs, so it cannot differ from them."""
        services, opened = self._services, self._opened
        loop = asyncio.get_running_loop()
        changes = await services.store.aread(
            lambda conn: session_rounds.applied_inputs(conn, opened)
        )
        recording, score = await self._worked_on(self._live.record(changes))
        recorded = await loop.run_in_executor(
            services.executor, session_rounds.finished_parts, recording, score
        )
        if opened.filmed:
            video = await self._worked_on(
                services.films.film(recorded.recording, self._film_size())
            )
            recorded = replace(recorded, video=video)
        await services.store.awrite(
            lambda conn: session_rounds.end_round(conn, services.context, opened, recorded)
        )
        await self._send({"over": {"score": recorded.score}})

    async def _worked_on(self, work: Coroutine[Any, Any, T]) -> T:
        """Meanwhile the page hears from the round, which is over."""
        self._state = "over"
        working = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({working}, timeout=IDLE_S))[0]:
                if not self._stepped:
                    await self._send(self._picture())
            return working.result()
        finally:
            working.cancel()

    def _film_size(self) -> tuple[int, int] | None:
        """The tick of the pictures that were seen, if there were any."""
        welcome = self._live.welcome
        return (
            (welcome["width_px"], welcome["height_px"]) if self._opened.playing.filmable else None
        )

    # ------------------------------------------------------------------------------------------ the
    # wire

    def _welcome(self) -> dict[str, Any]:
        playing, setup = self._opened.playing, self._opened.setup
        seen: dict[str, Any] = {}
        if self._stepped:
            seen["known"] = playing.known(setup)
        elif playing.filmable is not None:
            seen["controls"] = _controls_message(playing.filmable.controls(setup), self._schema)
            seen["codec"] = codec_name(
                self._live.welcome["width_px"], self._live.welcome["height_px"]
            )
        return {
            **self._live.welcome,
            **seen,
            "ticks": self._live.ticks,
            "tick_hz": self._tick_hz,
            "practice": self._opened.play.practice,
            "received": self._live.last_received,
            "attempt": self._opened.key.attempt,
        }

    def _picture(self) -> dict[str, Any]:
        picture = self._live.message() | {"st": self._state, "d": self._inputs.durable}
        if self._state == "count":
            picture["c"] = round(1000 * (self._begins_s - self._now_s()))
        if self._echo is not None:
            picture["q"], picture["w"] = self._echo, round(1000 * (self._now_s() - self._heard_s))
            self._echo = None
        return picture

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self._socket.send_text(orjson.dumps(message).decode())

    async def _send_image(self) -> None:
        """The picture of a rendered world, after the message of its tick."""
        image = self._live.take_image()
        if image is not None:
            content, whole = image
            self._pictures.sent(self._live.tick, whole)
            await self._socket.send_bytes(_IMAGE_HEAD.pack(whole, self._live.tick) + content)

    async def _listen(self) -> None:
        try:
            while True:
                self._hear(await receive_message(self._socket))
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
        said = message.get("i")
        self._allowance.take(max(1, len(said) if isinstance(said, list) else 1), self._heard_s)
        self._pictures.confirm(message)
        echo = message.get("q")
        if isinstance(echo, int | float) and not isinstance(echo, bool):
            self._echo = echo
        if self._state in ("count", "run"):
            for numbered in inputs_in(message, self._schema):
                self._live.receive(numbered)
        if message.get("go") is True:
            self._go()
        elif message.get("pause") is True:
            self._pause()
        if "go" in message or "pause" in message:
            self._woken.set()


class _SentPictures:
    """Which pictures went to a page and which it has seen: a line that cannot take them all gets
    fewer, never late ones.
    """

    def __init__(self, tick: int, most_ticks: int) -> None:
        self._most = most_ticks
        self._seen = self._sent = tick
        self._waits = False
        self.whole = False

    def next(self) -> bool:
        """Whether to look at the next tick."""
        unseen = self._sent - self._seen
        self._waits = unseen > 0 if self._waits else unseen > self._most
        return not self._waits

    def sent(self, tick: int, whole: bool) -> None:
        self._sent = tick
        self.whole = self.whole and not whole

    def confirm(self, message: Mapping[str, Any]) -> None:
        """`seen: tick`; `whole: true` if the page could not decode a picture."""
        seen = message.get("seen")
        if type(seen) is int:
            self._seen = min(max(self._seen, seen), self._sent)
        self.whole = self.whole or message.get("whole") is True


def _controls_message(controls: GameControls, schema: InputSchema) -> dict[str, Any]:
    """Controls as the page gets them: parts by their number, with their bounds."""
    numbers = {part.name: number for number, part in enumerate(schema.parts)}
    mouse = controls.mouse
    return {
        "parts": [[part.kind, part.low, part.high] for part in schema.parts],
        "keys": {codes: [numbers[name], value] for codes, (name, value) in controls.keys.items()},
        "buttons": {
            str(button): [numbers[name], value]
            for button, (name, value) in controls.buttons.items()
        },
        "words": dict(controls.words),
        "mouse": (
            None
            if mouse is None
            else [numbers[mouse.sideways], numbers[mouse.upwards], mouse.per_px]
        ),
    }

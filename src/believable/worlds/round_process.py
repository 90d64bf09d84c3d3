"""A round of a rendered world, in a separate process: it steps, looks and encodes on request.

Both ends send pieces: the length of a JSON text, the text, the length of its attachment, and that.
`serve_round` is the process; `DistantRound` represents the round in the process of the connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import struct
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from socket import socket
from typing import Any, BinaryIO

from believable.contracts.inputs import InputChange
from believable.contracts.registries import WORLDS
from believable.core.errors import BelievableError, InvalidInput, Unavailable
from believable.core.processes import Companion
from believable.recordings import file
from believable.recordings.recording import Recording
from believable.worlds.live_round import LiveRound, NumberedInput, record_round
from believable.worlds.picture_stream import Coding, PictureEncoder

#: An engine that has not begun, or made its recording, after this never will.
BEGIN_PATIENCE_S = 90.0
#: A step takes milliseconds. One that takes this long hangs.
STEP_PATIENCE_S = 5.0
#: How much of a round's pictures is read ahead.
LONGEST_BYTES = 2**22
_LENGTH = struct.Struct("!I")


class RoundBroken(Unavailable):
    """The game of a round ended by itself, or hangs. Played ticks are safe; other rounds do not
    notice.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOrder:
    """The round to resume, at `tick`. `coding` is None without a viewer (simulated people)."""

    world: str
    setup: str
    changes: tuple[InputChange, ...]
    tick: int
    coding: Coding | None


# ---------------------------------------------------------------------------------------------- the
# process


def serve_round(line: socket, order: RoundOrder) -> None:
    """Until the caller is gone."""
    with line.makefile("rb") as questions, line.makefile("wb") as stream:
        asked = read_requests(questions)
        round_ = None
        try:
            round_ = _ServedRound(order)
            _write(stream, *round_.begin())
            while True:
                _write(stream, *round_.answer(asked.get()))
        except BelievableError as error:
            _write(stream, {"refused": str(error)})
        except Exception as error:  # noqa: BLE001  any error of an engine is reported
            _write(stream, {"broken": f"{type(error).__name__}: {error}"[:300]})
        finally:
            if round_ is not None:
                round_.close()


def changes_in(written: Sequence[Any]) -> list[InputChange]:
    """Read changes as they go through JSON."""
    return [
        InputChange(tick, number, tuple(pressed), seat) for tick, number, pressed, seat in written
    ]


def read_requests(stream: BinaryIO) -> SimpleQueue[Mapping[str, Any]]:
    """The requests, read in a separate thread: when the other end is gone this process ends at
    once, in the middle of any work.
    """
    asked: SimpleQueue[Mapping[str, Any]] = SimpleQueue()

    def read() -> None:
        with contextlib.suppress(OSError, EOFError, ValueError):
            while True:
                asked.put(_read(stream)[0])
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return asked


def _read(stream: BinaryIO) -> tuple[Any, bytes]:
    words, beside = (
        _exactly(stream, _LENGTH.unpack(_exactly(stream, _LENGTH.size))[0]) for _ in range(2)
    )
    return json.loads(words), beside


def _exactly(stream: BinaryIO, count: int) -> bytes:
    content = stream.read(count)
    if len(content) < count:
        raise EOFError
    return content


def _write(stream: BinaryIO, message: Mapping[str, Any], beside: bytes = b"") -> None:
    stream.write(_piece(message, beside))
    stream.flush()


def _piece(message: Mapping[str, Any], beside: bytes = b"") -> bytes:
    words = json.dumps(message, separators=(",", ":")).encode()
    return _LENGTH.pack(len(words)) + words + _LENGTH.pack(len(beside)) + beside


class _ServedRound:
    def __init__(self, order: RoundOrder) -> None:
        self._playing = WORLDS[order.world].game
        self._setup = self._playing.load_setup(order.setup)
        coding = order.coding
        self._encoder = (
            None if coding is None else PictureEncoder(coding, self._playing.hz(self._setup))
        )
        self._live = LiveRound.rebuilt(self._playing, self._setup, order.changes, order.tick)
        self._live.release()

    def begin(self) -> tuple[Mapping[str, Any], bytes]:
        game = self._live.game
        stands, picture = self._stands([], whole=True)
        return {
            **stands,
            "welcome": dict(game.welcome(self._playing.seat)),
            "ticks": game.ticks,
        }, picture

    def answer(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], bytes]:
        if "record" in asked:
            self._live.game.close()
            recording, score = record_round(self._playing, self._setup, changes_in(asked["record"]))
            return {"score": score}, file.to_bytes(recording)
        for heard in asked["heard"]:
            if heard is None:
                self._live.release()
            else:
                number, tick, pressed, seat = heard
                self._live.receive(NumberedInput(number, tick, tuple(pressed)), seat)
        happened: list[str] = []
        for _ in range(asked["ticks"]):
            if self._live.over:
                break
            happened += self._live.step()
        return self._stands(happened, look=asked["look"], whole=asked["whole"])

    def _stands(
        self, happened: Sequence[str], *, look: bool = True, whole: bool = False
    ) -> tuple[Mapping[str, Any], bytes]:
        live, image = self._live, b""
        stands: dict[str, Any] = {
            "picture": live.message() | {"e": list(happened)},
            "over": live.over,
            "received": live.last_received,
            "changes": live.take_changes(),
        }
        if look and self._encoder is not None:
            picture = live.picture()
            assert picture is not None
            image, stands["whole"] = self._encoder.encode(picture, whole=whole)
        return stands, image

    def close(self) -> None:
        self._live.game.close()


# ---------------------------------------------------------------------------------------------- who
# asks


class DistantRound:
    """A round in a separate process, with its last report. Any error in it is a `RoundBroken`."""

    def __init__(
        self, companion: Companion, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._companion, self._reader, self._writer = companion, reader, writer
        self._heard: list[list[Any] | None] = []
        self._changes: list[InputChange] = []
        self._picture: Mapping[str, Any] = {}
        self._image: tuple[bytes, bool] | None = None
        self.welcome: Mapping[str, Any] = {}
        self.ticks = 0
        self.last_received = 0
        self.over = False

    @classmethod
    async def begun(cls, order: RoundOrder, executor: Executor) -> DistantRound:
        """Start the process and wait until the round has reached its last tick again."""
        loop = asyncio.get_running_loop()
        companion = await loop.run_in_executor(
            executor, partial(Companion, serve_round, order, preload=__name__)
        )
        distant = cls(
            companion, *await asyncio.open_connection(sock=companion.line, limit=LONGEST_BYTES)
        )
        try:
            stands, image = await distant._hear(BEGIN_PATIENCE_S)
            distant.welcome, distant.ticks = stands["welcome"], stands["ticks"]
            distant._keep(stands, image)
        except BaseException:
            await distant.close()
            raise
        return distant

    @property
    def pid(self) -> int:
        return self._companion.pid

    @property
    def tick(self) -> int:
        tick: int = self._picture["t"]
        return tick

    def message(self) -> dict[str, Any]:
        """The page's data of this tick."""
        return dict(self._picture)

    def take_image(self) -> tuple[bytes, bool] | None:
        """The picture of this tick, encoded, and whether it can be shown by itself; None without a
        viewer.
        """
        image, self._image = self._image, None
        return image

    def take_changes(self) -> list[InputChange]:
        changes, self._changes = self._changes, []
        return changes

    def receive(self, numbered: NumberedInput, seat: int = 0) -> None:
        """It gets there with the next step."""
        if seat == 0:
            self.last_received = max(self.last_received, numbered.number)
        self._heard.append([numbered.number, numbered.tick, numbered.pressed, seat])

    def release(self) -> None:
        self._heard.append(None)

    async def step(
        self, ticks: int = 1, *, look: bool = True, whole: bool = False
    ) -> Sequence[str]:
        """Goes on; with `look`, there is a picture afterwards."""
        heard, self._heard = self._heard, []
        self._keep(
            *await self._ask(
                {"heard": heard, "ticks": ticks, "look": look, "whole": whole}, STEP_PATIENCE_S
            )
        )
        happened: Sequence[str] = self._picture["e"]
        return happened

    async def record(self, changes: Sequence[InputChange]) -> tuple[Recording, int | None]:
        """Of the stored round. Nothing else is asked of it afterwards."""
        reply, content = await self._ask({"record": changes}, BEGIN_PATIENCE_S)
        return file.from_bytes(content, source="round"), reply["score"]

    async def close(self) -> None:
        """Ends the process, whatever it is doing."""
        self._writer.close()
        await asyncio.get_running_loop().run_in_executor(None, self._companion.end)

    def _keep(self, stands: Mapping[str, Any], image: bytes) -> None:
        self._picture, self.over = stands["picture"], stands["over"]
        self.last_received = max(self.last_received, stands["received"])
        self._changes += changes_in(stands["changes"])
        self._image = (image, stands["whole"]) if image else None

    async def _ask(self, message: Mapping[str, Any], patience_s: float) -> tuple[Any, bytes]:
        try:
            self._writer.write(_piece(message))
        except OSError as error:
            raise RoundBroken(
                f"the game has ended: {error}. The round continues from the stored data."
            ) from None
        return await self._hear(patience_s)

    async def _hear(self, patience_s: float) -> tuple[Any, bytes]:
        try:
            async with asyncio.timeout(patience_s):
                words, beside = await self._part(), await self._part()
        except TimeoutError:
            raise RoundBroken(
                f"the game has not answered for {patience_s:g} s. The round goes on from what is"
                " stored."
            ) from None
        except (EOFError, OSError):
            raise RoundBroken(
                "the game has ended without a word. The round continues from the stored data."
            ) from None
        message = json.loads(words)
        if "refused" in message:
            raise InvalidInput(message["refused"])
        if "broken" in message:
            raise RoundBroken(
                f"the game has ended ({message['broken']}). The round continues from stored data."
            )
        return message, beside

    async def _part(self) -> bytes:
        (length,) = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
        return await self._reader.readexactly(length)

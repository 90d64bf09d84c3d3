"""A round in a process of its own: it is the round it would be here, and when it breaks, only it
does.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.contracts.game import RoundContext
from believable.contracts.inputs import InputChange
from believable.core.errors import InvalidInput
from believable.worlds import round_process as module
from believable.worlds.doom import DOOM
from believable.worlds.doom.doom_round import DoomOptions
from believable.worlds.live_round import LiveRound, NumberedInput, record_round
from believable.worlds.picture_stream import Coding, PictureEncoder, codec_name
from believable.worlds.round_process import DistantRound, RoundBroken, RoundOrder
from tests.waiting import has_ended, wait_until

pytest.importorskip("vizdoom", reason="needs the extra doom")
av = pytest.importorskip("av", reason="needs the extra video")

PLAYING = DOOM.game
SETUP = PLAYING.trial.resolve(
    DoomOptions(map="deathmatch", picture="160x120"),
    RoundContext(session_seed=7, trial_key="trial", opponent="bot", duration_s=5),
)
CHANGES = (
    InputChange(0, 1, (1, 0, 0, 0, 0, 0, 0, 0, 0)),
    InputChange(9, 2, (1, 0, 1, 0, 0, 1, 0, 0, 0)),
    InputChange(20, 3, (0,) * 9),
)


def with_round(work: Callable[[DistantRound], Awaitable[None]], **order: Any) -> None:
    wanted = {
        "world": "doom",
        "setup": PLAYING.dump_setup(SETUP),
        "changes": CHANGES,
        "tick": 30,
        "coding": None,
    } | order

    async def main() -> None:
        with ThreadPoolExecutor(1) as executor:
            distant = await DistantRound.begun(RoundOrder(**wanted), executor)
        try:
            await work(distant)
        finally:
            await distant.close()
        assert not Path(f"/proc/{distant.pid}").exists(), "its process is still there"

    asyncio.run(main())


def engine_of(pid: int) -> int:
    """The engine is the round's only child."""
    (child,) = [
        pid
        for file in Path(f"/proc/{pid}/task").glob("*/children")
        for pid in file.read_text().split()
    ]
    return int(child)


def test_it_is_the_same_round_and_tells_what_was_applied() -> None:
    near = LiveRound.rebuilt(PLAYING, SETUP, CHANGES, 30)
    near.release()

    async def work(distant: DistantRound) -> None:
        assert distant.tick == 30
        applied: list[InputChange] = []
        for number in range(30, 60):
            if number % 7 == 0:
                numbered = NumberedInput(number, 0, (1, 0, 0, 30, 0, 1, 0, 0, 0))
                near.receive(numbered)
                distant.receive(numbered)
            happened = near.step()
            assert list(await distant.step()) == list(happened)
            assert distant.message() == near.message()
            applied += distant.take_changes()
        assert applied == near.take_changes()
        changes = [*CHANGES, *applied]
        recording, score = await distant.record(changes)
        assert (recording, score) == record_round(PLAYING, SETUP, changes)

    try:
        with_round(work)
    finally:
        near.game.close()


@pytest.mark.parametrize("coding", ["h264", "jpeg"])
def test_its_pictures_are_what_the_game_shows(coding: Coding) -> None:
    near = LiveRound.rebuilt(PLAYING, SETUP, CHANGES, 30)
    near.release()
    decoder = av.CodecContext.create("h264" if coding == "h264" else "mjpeg", "r")

    async def work(distant: DistantRound) -> None:
        for number in range(8):
            if number:
                await distant.step(look=number != 3, whole=number == 5)
                near.step()
            image = distant.take_image()
            assert (image is None) == (number == 3), "nobody looked"
            if image is None:
                continue
            content, whole = image
            assert whole == (coding == "jpeg" or number in (0, 5))
            frames = decoder.decode(av.Packet(content))
            picture = near.picture()
            assert picture is not None
            for frame in frames:
                shown = frame.to_ndarray(format="rgb24").astype(int)
                assert np.abs(shown - picture).mean() < 16
            assert distant.take_image() is None, "a picture goes once"

    try:
        with_round(work, coding=coding)
    finally:
        near.game.close()


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP])
def test_an_engine_that_ends_or_hangs_breaks_its_round_alone(
    blow: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STEP_PATIENCE_S", 1.0)
    words = "has ended" if blow == signal.SIGKILL else "has not answered for 1 s"
    engines: list[int] = []

    async def work(distant: DistantRound) -> None:
        engines.append(engine_of(distant.pid))
        os.kill(engines[0], blow)
        with pytest.raises(RoundBroken, match=words):
            await distant.step(10)

    with_round(work)
    wait_until(lambda: has_ended(engines[0]), "the engine goes on")


def test_a_round_that_cannot_begin_says_why() -> None:
    broken = SETUP.model_copy(update={"map": "nowhere.wad:map01"})
    with pytest.raises(InvalidInput, match=r"nowhere\.wad"):
        with_round(lambda distant: asyncio.sleep(0), setup=PLAYING.dump_setup(broken))


def test_sides_of_an_odd_number_of_pixels_can_be_sent() -> None:
    picture = np.arange(7 * 5 * 3, dtype=np.uint8).reshape(7, 5, 3)
    for coding in ("h264", "jpeg"):
        content, whole = PictureEncoder(coding, 10).encode(picture)
        assert whole
        assert content
    assert codec_name(640, 360) == "avc1.42E01E"
    assert codec_name(1280, 720) == "avc1.42E01F"
    assert codec_name(1920, 1080) == "avc1.42E028"

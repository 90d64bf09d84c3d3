from __future__ import annotations

import asyncio
import json
import random
import struct
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import httpx
import pytest

from believable.simulate.behaviour import Act, Mind, SeenStimulus
from believable.simulate.client import Participant
from believable.simulate.pace import HastyPace
from believable.simulate.recognise import length_ms
from believable.simulate.viewer import watch


def header(version: int, scale: int, length: int) -> bytes:
    times = struct.pack(">QQ" if version else ">II", 0, 0)
    stated = struct.pack(">IQ" if version else ">II", scale, length)
    return b"....moov....mvhd" + bytes([version, 0, 0, 0]) + times + stated + bytes(80)


@pytest.mark.parametrize(
    ("beginning", "expected"),
    [
        (header(0, 1000, 6000), 6000),
        (header(0, 120_000, 720_000), 6000),
        (header(1, 90_000, 90_000 * 7200), 7_200_000),
        (header(0, 0, 6000), None),
        (b"\x1aE\xdf\xa3 webm", None),
        (b"....mvhd", None),
    ],
)
def test_the_length_is_read_from_the_file(beginning: bytes, expected: int | None) -> None:
    assert length_ms(beginning) == expected


def viewed(
    length: int, seed: int, mind: Mind | None = None, **more: object
) -> tuple[list[dict[str, Any]], int]:
    """The events of one viewing, and how long it took."""

    async def main() -> tuple[list[dict[str, Any]], int]:
        def answer(request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith("claim"):
                return httpx.Response(
                    200, json={"epoch": 1, "ack": 0, "head": "0" * 64, "position": 3}
                )
            if request.url.path.endswith("events"):
                return httpx.Response(
                    200, json={"ack": json.loads(request.content)["events"][-1][0]}
                )
            assert "range" not in request.headers, "the digest is that of the whole copy"
            return httpx.Response(200, content=header(0, 1000, length))

        transport = httpx.MockTransport(answer)
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as http:
            pace = HastyPace(0)
            person = Participant(http, pace)
            await person.claim()
            trial: Mapping[str, Any] = {
                "media": [{"url": "/s/t/media/m", "bytes": 9, "player": "video"}],
                **more,
            }
            await watch(person, pace, random.Random(seed), trial, mind=mind)
            return [json.loads(body) for body in person.log], pace.now_ms()

    return asyncio.run(main())


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("length", [900, 6000, 61_234])
def test_what_was_watched_covers_the_whole_clip_once(length: int, seed: int) -> None:
    events, took_ms = viewed(length, seed)
    kinds = [event["kind"] for event in events]
    assert kinds[0] == "media.ready"
    assert kinds[1] == "media.play"
    assert kinds[-1] == "media.ended"
    parts = [event["data"] for event in events if event["kind"] == "media.interval"]
    assert parts[0]["from_ms"] == 0
    assert parts[-1]["to_ms"] == length
    assert all(earlier["to_ms"] == later["from_ms"] for earlier, later in pairwise(parts))
    assert kinds.count("media.stall") == kinds.count("media.resume")
    assert kinds.count("page.blur") == kinds.count("page.focus")
    assert took_ms >= length, "nobody watches faster than it plays"
    assert [event["at_ms"] for event in events] == sorted(event["at_ms"] for event in events)
    assert all(event["trial"] == 3 for event in events)


class Onlooker(Mind):
    """Flags nothing, and keeps what was open when it could have."""

    def __init__(self) -> None:
        self.opened: list[frozenset[str]] = []

    def acts(self, kind: str, seen: SeenStimulus) -> Sequence[Act] | None:
        self.opened.append(seen.opened)
        return ()


def test_whoever_flags_knows_what_stands_open_beside_the_picture() -> None:
    told = set()
    for seed in range(12):
        mind = Onlooker()
        events, _ = viewed(
            6000,
            seed,
            mind,
            overlay={"plan": True, "log": True},
            annotate={"kind": "flags", "params": {}},
        )
        opened = frozenset(
            event["data"]["which"] for event in events if event["kind"] == "overlay.open"
        )
        assert mind.opened == [opened]
        told.add(opened)
    assert len(told) > 1, "some open more than others"

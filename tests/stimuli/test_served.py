"""What participants receive of two conditions: the same names, headers and boxes; only the coded
pictures differ.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from believable.app.settings import Settings
from believable.core.clock import VirtualClock
from believable.simulate.asgi import running
from believable.simulate.client import Participant
from believable.simulate.pace import HastyPace
from believable.web.app import create_app

av = pytest.importorskip("av", reason="needs the video extra")

STUDY = """
believable: 1
title: Blind
seed: 3
conditions: [canaryhuman, canaryagent]
stimuli:
  - {id: canary_h, file: stimuli/canary-h.mp4, condition: canaryhuman, scenario: canaryplace}
  - {id: canary_a, file: stimuli/canary-a.mp4, condition: canaryagent, scenario: canaryplace}
timeline:
  - block: {id: canaryblock, over: condition, order: random, each: [{watch: {id: canarywatch, stimulus: any}}]}
  - finish: {text: Thanks.}
"""


@dataclass(frozen=True)
class Served:
    """One medium as a browser gets it."""

    address: str
    headers: dict[str, str]
    content: bytes
    part_headers: dict[str, str]
    page: str


async def visit(settings: Settings) -> list[Served]:
    """One session: every medium, whole and in part, with the trial it belongs to."""
    clock = VirtualClock()
    app = create_app(settings, clock=clock)
    served = []
    async with running(app) as http:
        link = app.state.published[0].links["open"].rsplit("/", 1)[-1]
        person = Participant(http, HastyPace(1_750_000_000_000))
        await person.join(link, language="en", desktop="yes")
        await person.claim()
        for _ in range(2):
            trial = await person.trial()
            address = trial["media"][0]["url"]
            whole = await http.get(address)
            part = await http.get(address, headers={"Range": "bytes=100-199"})
            assert (whole.status_code, part.status_code) == (200, 206)
            assert part.content == whole.content[100:200]
            page = (await http.get(f"/s/{person.token}/trial")).text
            served.append(
                Served(address, dict(whole.headers), whole.content, dict(part.headers), page)
            )
            clock.advance(2_000)
            person.note("media.ended", media_ms=2000)
            await person.submit({})
    return served


@pytest.fixture
def served(make_video: Any, tmp_path: Path) -> list[Served]:
    make_video(
        "canary-h.mp4",
        tags={"title": "canary human", "comment": "x" * 99},
        x264="merange=24:qcomp=0.7",
        noise_seed=1,
    )
    make_video(
        "canary-a.mp4",
        tags={"artist": "canary agent"},
        x264="merange=16:qcomp=0.5",
        noise_seed=2,
        timescale=30_000,
    )
    (tmp_path / "study.yaml").write_text(STUDY)
    settings = Settings(data_dir=tmp_path / "data", study_folders=(tmp_path,))
    return asyncio.run(visit(settings))


def test_conditions_cannot_be_told_apart_by_what_is_served(
    served: list[Served], tmp_path: Path, mp4_outside: Any
) -> None:
    one, other = served
    assert one.content != other.content
    for each in served:
        assert re.fullmatch(r"/s/[A-Za-z0-9_-]+/media/[0-9a-z]{26}", each.address)
        assert b"canary" not in each.content
        assert "canary" not in each.page
        assert "canary" not in str(each.headers) + str(each.part_headers)
    lengths = {"content-length", "content-range", "date"}
    for mine, yours in ((one.headers, other.headers), (one.part_headers, other.part_headers)):
        assert {key: value for key, value in mine.items() if key not in lengths} == {
            key: value for key, value in yours.items() if key not in lengths
        }
    boxes = []
    for number, each in enumerate(served):
        path = tmp_path / f"{number}.mp4"
        path.write_bytes(each.content)
        boxes.append(mp4_outside(path))
    assert boxes[0] == boxes[1]


def test_another_session_gets_other_names(make_video: Any, tmp_path: Path) -> None:
    make_video("canary-h.mp4")
    make_video("canary-a.mp4", noise_seed=2)
    (tmp_path / "study.yaml").write_text(STUDY)
    settings = Settings(data_dir=tmp_path / "data", study_folders=(tmp_path,))
    names = [
        {one.address.rsplit("/", 1)[-1] for one in asyncio.run(visit(settings))} for _ in range(2)
    ]
    assert len(names[0]) == len(names[1]) == 2
    assert not names[0] & names[1]

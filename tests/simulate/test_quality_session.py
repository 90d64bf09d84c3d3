"""Whole sessions with device checks and quality tests, over a real connection: exported, read back,
scored again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import numpy as np
import pytest

from believable.bundle.read import Bundle, read
from believable.contracts.submission import PageReading
from believable.core.clock import WallClock
from believable.pages.device import DEVICE
from believable.pages.device.tone_waves import row_waves
from believable.simulate.client import network
from believable.simulate.crowd import Crowd, StudyPlace, link_token, person
from believable.simulate.pace import HastyPace
from believable.simulate.server import Server
from believable.stimuli.signal import draw
from believable.store.bundle_export import export
from believable.store.engine import Store
from believable.study.load import load
from believable.traces.resample import resample
from believable.traces.trace_agreement import sda

STUDY = """\
believable: 1
title: Quality
seed: 3
timeline:
  - device: {on_fail: continue}
  - qa: {id: see, test: visual, duration_s: 20, signal_seed: 5}
  - qa: {id: hear, test: auditory, duration_s: 20, signal_seed: 6, gate: screen_out, threshold: 0.0}
  - text: {id: more, text: More}
  - finish: {}
"""
SEEDS = {"see": 5, "hear": 6}
PEOPLE = 6


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    folder = tmp_path_factory.mktemp("quality")
    study = folder / "quality"
    study.mkdir()
    (study / "study.yaml").write_text(STUDY)
    definition = load(study)

    async def visit(url: str, link: str) -> None:
        async with network(url) as http:
            place = StudyPlace(http=http, link=link, study=definition.study)
            for number in range(1, PEOPLE + 1):
                pace = HastyPace(WallClock().now_ms())
                crowd = Crowd(
                    participants=PEOPLE, drop_out=0, care=1.0 if number <= PEOPLE // 2 else 0.0
                )
                somebody, _ = person(crowd, number, place, pace)
                await somebody.take_part(link)

    data = folder / "data"
    with Server([study], data_dir=data) as server:
        with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
            link = link_token(store, "quality", "simulated")
        asyncio.run(visit(server.url, link))
    with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
        media = data / "media"
        export(store, "quality", folder / "out", simulated=True, media_dir=media)
    assert _codebook_names_the_score(folder / "out")
    return read(folder / "out")


def _codebook_names_the_score(out: Path) -> bool:
    return "| hear | sda | qa |" in (out / "documentation" / "codebook.md").read_text()


def answers(bundle: Bundle, question: str) -> dict[tuple[str, str], Any]:
    return {
        (row["session"], row["trial"]): row["value_number"]
        if row["value_text"] is None
        else row["value_text"]
        for row in bundle["answers"].rows()
        if row["question"] == question
    }


def test_the_scores_in_the_bundle_are_those_of_the_traces_in_the_bundle(bundle: Bundle) -> None:
    traces: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in bundle["traces"].rows():
        traces.setdefault((row["session"], row["trial"]), []).append(
            (row["media_ms"], row["value"])
        )
    scores = answers(bundle, "sda")
    assert len(scores) == 2 * PEOPLE
    assert set(scores) == set(traces)
    for key, samples in traces.items():
        truth = draw(SEEDS[key[1]], 20).levels(np.arange(0, 20_000, 250, dtype=np.float64))
        times_ms, values = zip(*samples, strict=True)
        again = sda(resample(times_ms, values, step_ms=250, duration_ms=20_000), truth)
        assert scores[key] == pytest.approx(again, abs=1e-12)


def test_the_mean_decides_and_followers_do_better_than_the_careless(bundle: Bundle) -> None:
    scores, means, reliable = (answers(bundle, name) for name in ("sda", "mean_sda", "reliable"))
    outcomes = {row["session"]: row["outcome"] for row in bundle["participants"].rows()}
    numbers = {row["session"]: row["number"] for row in bundle["participants"].rows()}
    assert len(means) == PEOPLE
    for (session, _), mean in means.items():
        assert mean == pytest.approx((scores[session, "see"] + scores[session, "hear"]) / 2)
        assert reliable[session, "hear"] == ("true" if mean >= 0 else "false")
        assert outcomes[session] == ("complete" if mean >= 0 else "screened_out")
        assert (mean >= 0) == (numbers[session] <= PEOPLE // 2)


def test_the_device_check_is_there_with_its_attempts(bundle: Bundle) -> None:
    rows = [row for row in bundle["trials"].rows() if row["kind"] == "device"]
    assert len(rows) == PEOPLE
    assert {row["attempts"] for row in rows if row["status"] == "failed"} == {3}
    assert len(answers(bundle, "quietest")) == PEOPLE
    assert set(answers(bundle, "wheel").values()) == {"true"}


def test_a_second_attempt_hears_other_tones() -> None:
    first, second, third = (
        [row_waves(*row, 3, random.Random(1))] for row in ((0, 1), (2, 1), (1, 0))
    )
    tones = {"tones": first, "later": [second, third], "wheel": False, "attempt": 1}
    page: Mapping[str, Any] = {"kind": "device", "device": tones}
    person: Any = SimpleNamespace(
        rng=random.Random(1), care=1.0, think=AsyncMock(), note=lambda kind, **data: None
    )
    heard = []
    for _ in range(4):
        heard.append(asyncio.run(DEVICE.visit.answer(person, page))["quietest"])
        page = DEVICE.visit.again(page)
    assert heard == ["1", "3", "2", "2"]


def test_answers_to_tones_that_were_not_played_are_no_attempt() -> None:
    device = DEVICE.record(id="device", wheel=False)

    def read(*played: tuple[int, int]) -> PageReading:
        """With these rows played, each with its attempt; the second attempt is open."""
        events = [
            SimpleNamespace(
                kind="device.tones", data={"state": "running", "row": row, "attempt": on}
            )
            for row, on in played
        ]
        page: Any = SimpleNamespace(attempt=2, annotations=events)
        return DEVICE.judging.read(device, {"quietest": "123123"}, page)

    for rows in ((), [(row, 1) for row in range(6)], [(row, 2) for row in range(5)]):
        assert read(*rows).errors["quietest"].key == "error.tones_not_played"
        assert "quietest" not in read(*rows).answers
    whole = read(*((row, 2) for row in range(6)))
    assert whole.errors == {}
    assert whole.answers == {"quietest": "123123"}

"""Whole sessions with RankTrace and BTrace, over a real connection: what people did is what the
bundle says.
"""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from believable.bundle.read import Bundle, read
from believable.core.clock import WallClock
from believable.recordings.importers.pagan import read_pagan
from believable.simulate.client import Participant, network
from believable.simulate.crowd import Crowd, StudyPlace, link_token, person
from believable.simulate.pace import HastyPace
from believable.simulate.server import Server
from believable.store.bundle_export import export
from believable.store.engine import Store
from believable.study.load import load
from tests.films import films

STUDY = """\
believable: 1
title: Traces
seed: 2
conditions: [human, scripted]
stimuli:
  - {id: h, file: stimuli/atrium_human.mp4, condition: human, scenario: atrium}
  - {id: s, file: stimuli/atrium_scripted.mp4, condition: scripted, scenario: atrium}
arms: {tool: [ranktrace, btrace]}
timeline:
  - block:
      id: videos
      over: condition
      order: latin_square
      each:
        - watch:
            id: rank
            skip_if: {arm: tool, is_not: ranktrace}
            annotate: {prompt: How believable is it?, ranktrace: {}}
        - watch:
            id: marks
            skip_if: {arm: tool, is_not: btrace}
            annotate: {btrace: {high: yes please, low: no thanks}}
  - finish: {}
"""
PEOPLE = 4
VALUES = {"trace.sample": "value", "trace.mark": "sign", "trace.hold": "sign"}


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Participant], Bundle, Path]:
    folder = tmp_path_factory.mktemp("traces")
    study = folder / "traces"
    films(study / "stimuli", ["atrium_human", "atrium_scripted"], duration_s=6.0)
    (study / "study.yaml").write_text(STUDY)
    definition = load(study)
    browsers: list[Participant] = []

    async def visit(url: str, link: str) -> None:
        async with network(url) as http:
            place = StudyPlace(http=http, link=link, study=definition.study)
            for number in range(1, PEOPLE + 1):
                pace = HastyPace(WallClock().now_ms())
                somebody, browser = person(
                    Crowd(participants=PEOPLE, drop_out=0, care=0.7), number, place, pace
                )
                assert (await somebody.take_part(link)).outcome == "complete"
                browsers.append(browser)

    data = folder / "data"
    with Server([study], data_dir=data) as server:
        with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
            link = link_token(store, "traces", "simulated")
        asyncio.run(visit(server.url, link))
    with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
        export(store, "traces", folder / "out", simulated=True, media_dir=data / "media")
    return browsers, read(folder / "out"), folder / "out"


def done(browser: Participant, *, practice: bool = False) -> list[dict[str, Any]]:
    """The samples and marks of one person, as they went out; the first page is the practice."""
    events = [json.loads(body) for body in browser.log]
    return [
        event for event in events if event["kind"] in VALUES and (event["trial"] == 0) == practice
    ]


def test_every_sample_and_mark_is_in_the_bundle_as_it_was_made(
    visited: tuple[list[Participant], Bundle, Path],
) -> None:
    browsers, bundle, _ = visited
    events = [event for browser in browsers for event in done(browser)]
    made = sorted(
        (
            event["at_ms"],
            event["trial"],
            event["data"]["media_ms"],
            event["data"][VALUES[event["kind"]]],
            event["data"]["input"],
        )
        for event in events
        if event["kind"] != "trace.hold"
    )
    assert len(made) > 40
    rows = list(bundle["traces"].rows())
    pressed = [row for row in rows if row["frame"] is not None]
    found = sorted(
        (row["at_ms"], row["position"], row["media_ms"], row["value"], row["input"])
        for row in pressed
    )
    assert found == made
    holds = [event["data"] for event in events if event["kind"] == "trace.hold"]
    assert holds
    assert len(rows) - len(pressed) == sum(
        (hold["media_ms"] - hold["from_ms"]) // 100 for hold in holds
    )
    assert {row["instrument"] for row in rows} == {"ranktrace", "btrace"}
    assert {row["stimulus"] for row in rows} == {"h", "s"}
    assert {row["instrument"] for row in rows if row["frame"] is None} == {"btrace"}


def test_the_arm_decides_the_instrument_and_each_is_practised_once(
    visited: tuple[list[Participant], Bundle, Path],
) -> None:
    browsers, bundle, _ = visited
    tools = {row["session"]: row["arm_tool"] for row in bundle["participants"].rows()}
    assert sorted(tools.values()) == ["btrace", "btrace", "ranktrace", "ranktrace"]
    for row in bundle["traces"].rows():
        assert row["instrument"] == tools[row["session"]]
    keys: dict[str, list[str]] = {}
    for row in bundle["trials"].rows():
        keys.setdefault(row["session"], []).append(row["trial_key"])
    for session, found in keys.items():
        assert found[0] == f"practice.{tools[session]}"
        assert sum(key.startswith("practice.") for key in found) == 1
    for browser in browsers:
        results = [
            event for event in map(json.loads, browser.log) if event["kind"] == "practice.result"
        ]
        assert 1 <= len(results) <= 3
        assert results[-1]["data"]["passed"] or len(results) == 3


def test_ranktrace_moves_by_one_and_beats_once_a_second(
    visited: tuple[list[Participant], Bundle, Path],
) -> None:
    _, bundle, _ = visited
    traces: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in bundle["traces"].rows():
        if row["instrument"] == "ranktrace":
            traces.setdefault((row["session"], row["position"]), []).append(row)
    assert len(traces) == 4
    for rows in traces.values():
        assert (rows[0]["value"], rows[0]["media_ms"]) == (0, 0)
        for before, after in pairwise(rows):
            step, gap_ms = after["value"] - before["value"], after["media_ms"] - before["media_ms"]
            assert 0 < gap_ms <= 1000
            assert abs(step) == (0 if after["input"] == "heartbeat" else 1)


def test_the_pagan_file_and_the_codebook_say_the_same(
    visited: tuple[list[Participant], Bundle, Path],
) -> None:
    _, bundle, folder = visited
    again = read_pagan(folder / "results" / "traces-pagan.csv")
    rows = list(bundle["traces"].rows())
    assert sum(len(trace.value) for trace in again.traces) == len(rows)
    assert sorted(value for trace in again.traces for value in trace.value.tolist()) == sorted(
        row["value"] for row in rows
    )
    codebook = (folder / "documentation" / "codebook.md").read_text()
    assert (
        "| rank | annotate | ranktrace | How believable is it? | value: notches up minus notches"
        " down" in codebook
    )
    assert "| marks | annotate | btrace |" in codebook

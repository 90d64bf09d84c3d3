"""Whole sessions with flags on a recording, over a real connection: what people did is what the
bundle says.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from believable.bundle.read import Bundle, read
from believable.core.clock import WallClock
from believable.recordings.file import write
from believable.recordings.recording import Recording
from believable.simulate.client import Participant, network
from believable.simulate.crowd import Crowd, StudyPlace, link_token, person
from believable.simulate.pace import HastyPace
from believable.simulate.server import Server
from believable.store.bundle_export import export
from believable.store.engine import Store
from believable.study.load import load
from tests.towns import town_day

STUDY = """\
believable: 1
title: Flags
seed: 6
conditions: [sensible, odd]
stimuli:
  - {id: good, file: stimuli/good.replay.json.gz, condition: sensible, scenario: monday}
  - {id: bad, file: stimuli/bad.replay.json.gz, condition: odd, scenario: monday}
timeline:
  - block:
      id: days
      over: condition
      order: random
      each:
        - watch:
            stimulus: any
            controls: {seek: true, speeds: [60, 600], speed: 600}
            overlay: {plan: true, log: true}
            annotate: {flags: {}}
            ask: [{id: seemed, prompt: How believable?, likert: {points: 5}}]
  - finish: {}
"""
PEOPLE = 3


@pytest.fixture(scope="module")
def days() -> dict[str, Recording]:
    return {"good": town_day(4), "bad": town_day(4, checks=False)}


@pytest.fixture(scope="module")
def visited(
    tmp_path_factory: pytest.TempPathFactory, days: dict[str, Recording]
) -> tuple[list[Participant], Bundle]:
    folder = tmp_path_factory.mktemp("flags")
    study = folder / "flags"
    (study / "stimuli").mkdir(parents=True)
    for name, replay in days.items():
        write(replay, study / f"stimuli/{name}.replay.json.gz")
    (study / "study.yaml").write_text(STUDY)
    definition = load(study)
    browsers: list[Participant] = []

    async def visit(url: str, link: str) -> None:
        async with network(url) as http:
            place = StudyPlace(http=http, link=link, study=definition.study)
            for number in range(1, PEOPLE + 1):
                somebody, browser = person(
                    Crowd(participants=PEOPLE, drop_out=0),
                    number,
                    place,
                    HastyPace(WallClock().now_ms()),
                )
                visit = await somebody.take_part(link)
                assert visit.outcome == "complete"
                browsers.append(browser)

    data = folder / "data"
    with Server([study], data_dir=data) as server:
        with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
            link = link_token(store, "flags", "simulated")
        asyncio.run(visit(server.url, link))
    with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
        export(store, "flags", folder / "out", simulated=True, media_dir=data / "media")
    return browsers, read(folder / "out")


def events(browser: Participant, prefix: str) -> list[dict[str, Any]]:
    return [event for body in browser.log if (event := json.loads(body))["kind"].startswith(prefix)]


def test_the_flags_in_the_bundle_are_those_that_were_set(
    visited: tuple[list[Participant], Bundle], days: dict[str, Recording]
) -> None:
    browsers, bundle = visited
    rows = list(bundle["flags"].rows())
    done = [
        (event["trial"], event["data"])
        for browser in browsers
        for event in events(browser, "flag.add")
    ]
    assert len(rows) == len(done) > 2 * PEOPLE
    assert any(row["undone"] for row in rows)
    assert any(row["reason"] for row in rows)
    for row, (position, data) in zip(rows, done, strict=True):
        assert (row["position"], row["flag"], row["media_ms"]) == (
            position,
            data["flag"],
            data["media_ms"],
        )
        log = days[str(row["stimulus"])].actions
        if data["action"] is None:  # nothing was going on: the moment is flagged
            assert row["action"] is None
            assert not any(
                action.t0_ms <= data["media_ms"] < action.t1_ms
                for action in log
                if action.actor == log[0].actor
            )
            continue
        assert row["action"] == log[int(data["action"][1:]) - 1].id
        marked = next(action for action in log if action.id == row["action"])
        assert marked.t0_ms <= data["media_ms"] < marked.t1_ms
    reasons = [row["reason"] for row in rows if row["reason"]]
    edits = [
        event["data"]["reason"] for browser in browsers for event in events(browser, "flag.edit")
    ]
    assert reasons == edits
    taken_back = sum(len(events(browser, "flag.remove")) for browser in browsers)
    assert sum(bool(row["undone"]) for row in rows) == taken_back


def test_the_actions_table_holds_the_authored_logs(
    visited: tuple[list[Participant], Bundle], days: dict[str, Recording]
) -> None:
    rows = list(visited[1]["actions"].rows())
    for name, replay in days.items():
        mine = [row for row in rows if row["stimulus"] == name]
        assert [
            (row["action"], row["actor"], row["from_ms"], row["to_ms"], row["text"] or "")
            for row in mine
        ] == [
            (action.id, action.actor, action.t0_ms, action.t1_ms, action.text)
            for action in replay.actions
        ]


def test_views_tell_what_was_on_screen_and_how_fast(
    visited: tuple[list[Participant], Bundle],
) -> None:
    browsers, bundle = visited
    rows = list(bundle["views"].rows())
    watched = [
        (event["data"]["from_ms"], event["data"]["to_ms"], event["data"]["rate"])
        for browser in browsers
        for event in events(browser, "media.interval")
    ]
    assert [
        (row["from_ms"], row["to_ms"], row["rate"]) for row in rows if row["what"] == "stimulus"
    ] == watched
    assert {row["rate"] for row in rows} == {600}
    opened = {
        (event["trial"], event["data"]["which"])
        for browser in browsers
        for event in events(browser, "overlay.open")
    }
    assert opened
    assert {(row["position"], row["what"]) for row in rows if row["what"] != "stimulus"} == opened

"""Whole sessions with comparisons and groups, over a real connection: what people did is what the
bundle says.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import pytest

from believable.bundle.read import Bundle, read
from believable.core.clock import WallClock
from believable.simulate.client import Participant, network
from believable.simulate.crowd import Crowd, StudyPlace, link_token, person
from believable.simulate.pace import HastyPace
from believable.simulate.server import Server
from believable.store.bundle_export import export
from believable.store.engine import Store
from believable.study.load import load
from tests.films import films
from validation.stored_check import differences

STUDY = """\
believable: 1
title: Pairs and pages
seed: 2
conditions: [human, scripted]
stimuli:
  - {id: ah, file: stimuli/atrium_human.mp4, condition: human, scenario: atrium}
  - {id: as, file: stimuli/atrium_scripted.mp4, condition: scripted, scenario: atrium}
  - {id: gh, file: stimuli/garden_human.mp4, condition: human, scenario: garden}
  - {id: gs, file: stimuli/garden_scripted.mp4, condition: scripted, scenario: garden}
timeline:
  - compare:
      id: pair
      of: [{condition: human}, {condition: scripted}]
      ask:
        - {id: which, prompt: Which is more human?, preference: {forced: true}}
        - {id: sure, prompt: How certain are you?, certainty: {}}
        - {id: why, prompt: Why?, long_text: {min_length: 20}}
  - group:
      id: page
      clips: 2
      controls: {replay: true, max_views: 3}
      rate:
        - {id: rating, prompt: Human or artificial?, clip_rating: {}}
        - {id: strength, prompt: How sure?, likert: {points: 10}, show_if: {answer: rating, at_least: 4}}
        - {id: views, prompt: How often did you watch it?, number: {min: 1, max: 3, whole: true}}
      ask: [{id: remark, prompt: Anything else?, required: false, long_text: {}}]
  - finish: {}
"""
PEOPLE = 6
CONDITION = {"ah": "human", "gh": "human", "as": "scripted", "gs": "scripted"}


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Participant], Bundle]:
    folder = tmp_path_factory.mktemp("several")
    study = folder / "pairs"
    names = [
        f"{scenario}_{condition}"
        for scenario in ("atrium", "garden")
        for condition in ("human", "scripted")
    ]
    films(study / "stimuli", names, duration_s=2.0)
    (study / "study.yaml").write_text(STUDY)
    definition = load(study)
    browsers: list[Participant] = []

    async def visit(url: str, link: str) -> None:
        async with network(url) as http:
            place = StudyPlace(http=http, link=link, study=definition.study)
            for number in range(1, PEOPLE + 1):
                pace = HastyPace(WallClock().now_ms())
                somebody, browser = person(
                    Crowd(participants=PEOPLE, drop_out=0), number, place, pace
                )
                assert (await somebody.take_part(link)).outcome == "complete"
                browsers.append(browser)

    data = folder / "data"
    with Server([study], data_dir=data) as server:
        with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
            link = link_token(store, "pairs", "simulated")
        asyncio.run(visit(server.url, link))
    with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
        assert differences(store, browsers) == []
        export(store, "pairs", folder / "out", simulated=True, media_dir=data / "media")
    return browsers, read(folder / "out")


def submitted(browser: Participant, position: int) -> dict[str, Any]:
    events = [json.loads(body) for body in browser.log]
    last = [
        event for event in events if event["kind"] == "trial.submit" and event["trial"] == position
    ][-1]
    return dict(last["data"]["answers"])


def test_every_answer_is_in_the_bundle_with_the_clip_it_is_about(
    visited: tuple[list[Participant], Bundle],
) -> None:
    browsers, bundle = visited
    rows = list(bundle["answers"].rows())
    shown = {
        (row["session"], row["position"], row["player"]): row["stimulus"]
        for row in bundle["shown"].rows()
    }

    def found(position: int) -> Counter[str]:
        sessions: dict[str, dict[str, Any]] = {}
        for row in rows:
            if row["position"] == position:
                name = (
                    row["question"]
                    if row["player"] is None
                    else f"{row['question']}-{row['player']}"
                )
                value = row["value_number"] if row["value_text"] is None else row["value_text"]
                sessions.setdefault(row["session"], {})[name] = (
                    int(value) if isinstance(value, float) else value
                )
        return Counter(json.dumps(session, sort_keys=True) for session in sessions.values())

    for position in (0, 1):
        sent = Counter(
            json.dumps(submitted(browser, position), sort_keys=True) for browser in browsers
        )
        assert found(position) == sent
    about_clips = [row for row in rows if row["player"] is not None]
    assert {row["question"] for row in about_clips} == {"rating", "strength", "views"}
    for row in about_clips:
        assert row["stimulus"] == shown[row["session"], row["position"], row["player"]]
        assert row["condition"] == CONDITION[row["stimulus"]]
    follow_ups = {(row["session"], row["player"]) for row in rows if row["question"] == "strength"}
    artificial = {
        (row["session"], row["player"])
        for row in rows
        if row["question"] == "rating" and row["value_number"] >= 4
    }
    assert follow_ups == artificial
    assert artificial


def test_the_bundle_says_what_stood_where_and_how_often_it_was_watched(
    visited: tuple[list[Participant], Bundle],
) -> None:
    browsers, bundle = visited
    rows = list(bundle["shown"].rows())
    assert len(rows) == 4 * PEOPLE
    for session in {row["session"] for row in rows}:
        pair = [row for row in rows if row["session"] == session and row["trial"] == "pair"]
        assert [row["label"] for row in pair] == ["A", "B"]
        assert {row["condition"] for row in pair} == {"human", "scripted"}
        assert len({row["scenario"] for row in pair}) == 1
        everything = [row["stimulus"] for row in rows if row["session"] == session]
        assert len(set(everything)) == 4
    assert {row["views"] for row in rows} == {1}
    stretches = list(bundle["views"].rows())
    assert {(row["position"], row["player"]) for row in stretches} == {
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    }
    told = sum(
        event["data"]["to_ms"] - event["data"]["from_ms"]
        for browser in browsers
        for event in map(json.loads, browser.log)
        if event["kind"] == "media.interval"
    )
    assert sum(row["watched_ms"] for row in rows) == told > 0

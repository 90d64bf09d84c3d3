"""How much has to be annotated before a page can be left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from believable.collect.desk import Collect
from believable.core.clock import VirtualClock
from believable.recordings.file import write
from believable.recordings.recording import Actor, RecordedWorld, Recording, Timing, Track
from believable.stimuli.prepare import prepare
from believable.study.load import load

STUDY = """\
believable: 1
title: Annotated
seed: 7
conditions: [one]
stimuli: [{id: walk, file: walk.replay.json.gz, condition: one}]
timeline:
  - watch:
      stimulus: walk
      practice: false
      controls: {replay: true}
      annotate: {%s: {}, min_inputs: 2}
  - finish: {}
"""


@pytest.fixture
def come(desk: Collect, enter: Callable[..., Any], tmp_path: Path) -> Callable[[str], Any]:
    def go(instrument: str) -> Any:
        folder = tmp_path / "annotated"
        folder.mkdir()
        track = Track(
            actor="ada", x=tuple(range(1500, 3500, 100)), y=(1500,) * 20, heading=(0,) * 20
        )
        walls = ("#####", "#...#", "#####")
        replay = Recording(
            world=RecordedWorld(kind="arena", width=5, height=3, walls=walls),
            actors=(Actor("ada", "Ada", "mover"),),
            timing=Timing(frame_ms=100, frames=20),
            tracks=(track,),
        )
        write(replay, folder / "walk.replay.json.gz")
        (folder / "study.yaml").write_text(STUDY % instrument)
        definition = load(folder, clock=VirtualClock())
        definition = definition.with_media(prepare(definition, folder, tmp_path / "media"))
        return enter(desk.publish("annotated", definition).links["open"])

    return go


def sample(person: Any, value: int, input: str) -> None:
    person.note("trace.sample", value=value, media_ms=100 * value, frame=value, input=input)


def test_too_few_inputs_keep_the_page_open_and_heartbeats_are_none(
    come: Callable[[str], Any],
) -> None:
    person = come("ranktrace")
    sample(person, 0, "heartbeat")
    sample(person, 1, "wheel")
    sample(person, 1, "heartbeat")
    person.note("media.ended", media_ms=2000, view=1)
    refused = person.submit({})
    assert refused.status == "again"
    (error,) = refused.errors.values()
    assert (error.key, error.values) == ("error.inputs", {"n": 2})
    sample(person, 2, "key")
    assert person.submit({}).status == "finished"


def test_marks_count_one_by_one(come: Callable[[str], Any]) -> None:
    person = come("btrace")
    person.note("media.ended", media_ms=2000, view=1)
    for n in (1, 2):
        assert person.submit({}).status == "again"
        person.note("trace.mark", sign=1, media_ms=n, frame=n, input="key")
        person.note(
            "trace.hold", sign=1, from_ms=n, media_ms=n + 900, repeat_ms=100, frame=n, input="key"
        )
    assert person.submit({}).status == "finished"

"""The runs that come with the package repeat to the byte from their recorded answers, offline."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from believable.protocols.replay.stimuli import RUNS
from believable.recordings import file
from validation.town_minds import MINDS, repeat_shipped


@pytest.mark.parametrize("mind", MINDS)
def test_a_shipped_run_repeats_to_the_byte(mind: str, tmp_path: Path) -> None:
    again = file.to_bytes(repeat_shipped(mind, tmp_path))
    assert again == (RUNS / f"{mind}.replay.json.gz").read_bytes()


@pytest.mark.parametrize("mind", MINDS)
def test_both_minds_had_the_same_model_and_say_so(mind: str) -> None:
    recording = file.read(RUNS / f"{mind}.replay.json.gz")
    assert recording.provenance["language model"] == "a large language model, recorded"
    assert recording.provenance["answered"] == "2026-11-19"
    assert len(recording.actors) >= 3
    spoken = [action for action in recording.actions if action.verb == "speak"]
    assert {(line.actor, line.target) for line in spoken} >= {("ada", "clara"), ("ben", "ada")}
    assert not [
        line.text
        for line in spoken
        if re.search(r"often often|\bI am\b.*\bI am\b.*\bI am\b", line.text)
    ]

"""Concordia's memories as a recording: places, times and actions as they are told; what is missing
is reported.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.recordings.file import read, write
from believable.recordings.importers.concordia import import_memories

ADA = [
    "[self] Ada Brandt is 41 years old.",
    "// house_1 [Thursday, January 1st, 7:00 AM]: Ada Brandt wakes up.",
    (
        "[observation] // house_1 [Thursday, January 1st, 7:00 AM]: 7:05 AM: Ada Brandt got out of"
        " bed. 7:30 AM: Ada Brandt ate."
    ),
    "I am feeling well.",
    "[observation] // bakery [Friday, January 2nd, 1:15 PM]: 1:15 PM: Ada Brandt kneaded dough.",
]
BEN = ["[observation] // cafe [Thursday, January 1st, 12:00 AM]: Ben Okafor is at the counter."]


def run_in(folder: Path, **people: list[str]) -> Path:
    for name, memories in people.items():
        tree = {"agent": name.replace("_", " ").title(), "memories": memories}
        (folder / f"{name}_memories.json").write_text(json.dumps(tree), "utf-8")
    return folder


def test_actions_have_their_own_times_and_places(tmp_path: Path) -> None:
    imported = import_memories(run_in(tmp_path, ada_brandt=ADA, ben_okafor=BEN))
    recording = imported.recording
    told = [
        (action.actor, action.t0_ms // 60_000, action.verb, action.place)
        for action in recording.actions
    ]
    assert told == [
        ("ada_brandt", 420, "wakes", "house_1"),
        ("ada_brandt", 425, "got", "house_1"),
        ("ada_brandt", 450, "ate", "house_1"),
        ("ada_brandt", 1440 + 795, "kneaded", "bakery"),
        ("ben_okafor", 0, "is", "cafe"),
    ]
    assert recording.timing.simulated_start == "2026-01-01T00:00:00"
    assert [place.name for place in recording.world.places] == ["bakery", "cafe", "house 1"]
    track = recording.tracks[0]
    house, bakery = (
        next(place for place in recording.world.places if place.id == name)
        for name in ("house_1", "bakery")
    )
    assert track.x[430] // 1000 in range(house.rects[0][0], house.rects[0][0] + 5)
    assert track.x[-1] // 1000 in range(bakery.rects[0][0], bakery.rects[0][0] + 5)
    write(recording, tmp_path / "run.replay.json.gz")
    assert read(tmp_path / "run.replay.json.gz") == recording


def test_what_is_missing_is_reported(tmp_path: Path) -> None:
    notes = import_memories(run_in(tmp_path, ada_brandt=ADA, ben_okafor=BEN)).notes
    assert notes[0].startswith("no positions")
    assert "2026" in notes[1]
    assert notes[2].startswith("2 memories without a place and a time")
    assert notes[3].startswith("2 memories tell no time of their own")


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="expected files such as"):
        import_memories(tmp_path)
    with pytest.raises(InvalidInput, match="no memory has a place and a time"):
        import_memories(run_in(tmp_path, ada_brandt=["I am well."]))
    mixed = ["// a [Thursday, January 1st, 7:00 AM]: x", "// a [Thursday, January 2nd, 7:00 AM]: y"]
    with pytest.raises(InvalidInput, match="fit no year"):
        import_memories(run_in(tmp_path, ada_brandt=mixed))
    with pytest.raises(InvalidInput, match="expected a date such as"):
        import_memories(run_in(tmp_path, ada_brandt=["// a [Thursday, Smarch 1st, 7:00 AM]: x"]))
    (tmp_path / "ada_brandt_memories.json").write_text('{"agent": "Ada"}', "utf-8")
    with pytest.raises(InvalidInput, match="expected `agent` and `memories`"):
        import_memories(tmp_path)

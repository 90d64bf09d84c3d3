"""Quake II demos: every frame of a real duel, what is derived from it, and files that are
damaged.
"""

from __future__ import annotations

import csv
import io
import lzma
import random
import re
import struct
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.recordings.file import from_bytes, to_bytes
from believable.recordings.importers.dm2 import read_dm2
from believable.recordings.importers.dm2_records import Quake2Demo
from believable.recordings.importers.quake2 import FIGURE, carried_pickups, demo_events, import_demo

DATA = Path(__file__).resolve().parents[1] / "data" / "quake2"
CONTENT = lzma.decompress((DATA / "testduel.dm2.xz").read_bytes())


@pytest.fixture(scope="module")
def demo() -> Quake2Demo:
    return read_dm2(CONTENT)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return list(
        csv.DictReader(
            io.StringIO(lzma.decompress((DATA / "testduel.csv.xz").read_bytes()).decode())
        )
    )


def test_every_frame_is_the_reference_to_the_last_one(
    demo: Quake2Demo, rows: list[dict[str, str]]
) -> None:
    assert len(demo.frames) == len(rows) == 3199
    for frame, row in zip(demo.frames, rows, strict=True):
        player = frame.player
        read = (
            *player.origin,
            *player.velocity,
            player.move_type,
            *(player.stats[n] for n in (1, 3, 5, 14)),
        )
        names = ("x", "y", "z", "vx", "vy", "vz", "pm_type", "health", "ammo", "armor", "frags")
        assert read == tuple(float(row[name]) for name in names), row["frame"]
        assert (player.gun_index, player.gun_frame) == (int(row["gunindex"]), int(row["gunframe"]))
        assert player.view_angles == pytest.approx(
            [float(row[name]) for name in ("pitch", "yaw", "roll")], abs=6e-4
        )
        others = [
            f"{n}:{entity.origin[0]:.3f}:{entity.origin[1]:.3f}:{entity.origin[2]:.3f}:{entity.angles[1]:.1f}"
            for n, entity in sorted(frame.entities.items())
            if entity.model == FIGURE
        ]
        assert ";".join(others) == row["others"]


def test_what_the_player_did_is_derived(demo: Quake2Demo) -> None:
    events = tuple(demo_events(demo))
    verbs = [event.verb for event in events]
    assert (verbs.count("jump"), verbs.count("shoot"), verbs.count("die")) == (97, 53, 2)
    assert verbs.count("pick-up") >= 95  # every own pickup sound, and what only the status bar told
    railgun = next(event for event in events if event.what == "Railgun")
    held = carried_pickups(demo, events)
    assert "Railgun" in held[railgun.frame]
    assert all(
        not have
        for have, frame in zip(held, demo.frames, strict=True)
        if frame.player.move_type in (2, 3)
    )


def test_it_becomes_a_recording_that_survives_its_file(tmp_path: Path) -> None:
    file = tmp_path / "duel.dm2"
    file.write_bytes(CONTENT)
    imported = import_demo(file)
    recording = imported.recording
    assert from_bytes(to_bytes(recording), source="duel") == recording
    assert recording.timing.duration_ms == 319_900
    assert recording.actors[0].name == "claire"
    assert len(recording.tracks) >= 2
    assert len(to_bytes(recording)) < 200_000


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "offset 0: the demo ends without its end mark"),
        (CONTENT[:1000], "are left; the file was cut off"),
        (CONTENT[:-4], "ends without its end mark"),
        (struct.pack("<i", -7), "a block of -7 bytes"),
        (struct.pack("<iBi", 5, 12, 26) + struct.pack("<i", -1), "offset 5: protocol 26"),
        (struct.pack("<iB", 1, 99) + struct.pack("<i", -1), "offset 4: unknown command 99"),
        (struct.pack("<i", -1), "no frame"),
    ],
)
def test_a_damaged_file_is_told_with_its_place(content: bytes, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        read_dm2(content)


def test_mutated_files_are_read_or_refused_with_the_place() -> None:
    end = 0
    while end < 30_000:
        end += 4 + struct.unpack_from("<i", CONTENT, end)[0]
    whole = CONTENT[:end] + struct.pack("<i", -1)
    rng = random.Random(7)
    read, refusals = 0, []
    for _ in range(30):
        mutated = bytearray(whole)
        for _ in range(3):
            mutated[rng.randrange(len(mutated))] = rng.randrange(256)
        try:
            read_dm2(bytes(mutated))
            read += 1
        except InvalidInput as refusal:
            refusals.append(str(refusal))
    assert read, "some bytes are numbers that may be anything"
    assert refusals, "others hold the file together"
    assert [words for words in refusals if not re.search(r"offset \d+", words)] == []

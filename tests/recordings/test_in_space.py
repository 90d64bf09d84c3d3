"""Tracks of worlds with a third dimension; files from before they could have one are read as they
were.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest

from believable.core.errors import InvalidInput
from believable.recordings.file import from_bytes, from_tree, to_bytes, to_tree
from believable.recordings.recording import Actor, RecordedWorld, Recording, Timing, Track

FLAT = Recording(
    world=RecordedWorld(kind="arena", width=4, height=4, walls=("....",) * 4),
    actors=(Actor("a", "A", "mover"),),
    timing=Timing(frame_ms=50, frames=3),
    tracks=(Track(actor="a", x=(0, 10, 30), y=(5, 5, 6), heading=(0, 1, 2)),),
)
IN_SPACE = replace(
    FLAT,
    timing=Timing(frame_ms=1000 / 35, frames=3),
    tracks=(
        replace(FLAT.tracks[0], height=(-100, 0, 2500), pitch=(0, -305, 12), camera=(0, 3599, 13)),
    ),
)


def test_they_survive_their_file() -> None:
    assert from_bytes(to_bytes(IN_SPACE), source="x") == IN_SPACE
    assert to_tree(IN_SPACE)["tracks"][0]["camera"] == [0, 3599, -3586], (
        "differences, as the others"
    )
    assert IN_SPACE.timing.duration_ms == 86


def test_a_file_without_them_is_written_and_read_as_ever() -> None:
    tree = json.loads(gzip.decompress(to_bytes(FLAT)))
    assert set(tree["tracks"][0]) == {"actor", "first_frame", "x", "y", "heading", "states"}
    assert from_tree(tree, source="x") == FLAT
    assert FLAT.timing.duration_ms == 150


@pytest.mark.parametrize("name", ["height", "pitch", "camera"])
def test_a_column_of_another_length_is_named(name: str) -> None:
    broken = replace(IN_SPACE, tracks=(replace(IN_SPACE.tracks[0], **{name: (1, 2)}),))
    with pytest.raises(InvalidInput, match=rf"tracks\[0\]: {name} has 2 entries, x has 3"):
        to_bytes(broken)


def test_judges_see_from_above() -> None:
    assert IN_SPACE.for_judging().tracks[0] == FLAT.tracks[0]

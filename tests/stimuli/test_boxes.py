"""MP4 boxes: read in order, with paths, and refused when they do not fit."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import pytest

from believable.core.errors import InvalidInput
from believable.stimuli import probe


def box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(content), kind) + content


def test_nested_boxes_have_paths() -> None:
    data = box(b"ftyp", b"isom") + box(
        b"moov", box(b"trak", box(b"tkhd", b"x")) + box(b"trak", b"")
    )
    found = [one.path for one in probe.walk(io.BytesIO(data))]
    assert found == [
        "ftyp[0]",
        "moov[0]",
        "moov[0]/trak[0]",
        "moov[0]/trak[0]/tkhd[0]",
        "moov[0]/trak[1]",
    ]


def test_large_and_open_ended_sizes() -> None:
    large = struct.pack(">I4sQ", 1, b"free", 20) + b"abcd"
    rest = struct.pack(">I4s", 0, b"mdat") + b"to the end"
    found = [(one.kind, one.end - one.start) for one in probe.walk(io.BytesIO(large + rest))]
    assert found == [("free", 4), ("mdat", 10)]


@pytest.mark.parametrize("size", [3, 500])
def test_sizes_that_do_not_fit_are_refused(size: int) -> None:
    with pytest.raises(InvalidInput, match="cut off or damaged"):
        list(probe.walk(io.BytesIO(struct.pack(">I4s", size, b"moov") + b"abc")))


def test_stated_duration(make_video: Any, tmp_path: Path) -> None:
    assert probe.duration_ms(make_video("h.mp4")) == pytest.approx(2000, abs=30)
    (tmp_path / "empty.mp4").write_bytes(box(b"ftyp", b"isom"))
    assert probe.duration_ms(tmp_path / "empty.mp4") is None

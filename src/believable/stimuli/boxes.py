"""The boxes of an MP4 file, read without decoding anything."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from believable.core.errors import InvalidInput

#: Boxes that hold boxes, with the bytes of their own before the first one.
CONTAINERS = {
    "moov": 0, "trak": 0, "mdia": 0, "minf": 0, "stbl": 0, "edts": 0, "dinf": 0, "udta": 0, "mvex": 0,
    "meta": 4, "stsd": 8, "avc1": 78, "avc3": 78, "hvc1": 78, "hev1": 78, "av01": 78, "vp09": 78, "mp4a": 28, "Opus": 28,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Box:
    """One box: `path` such as `moov/trak[0]/tkhd`, and where its content lies in the file."""

    path: str
    start: int
    end: int

    @property
    def kind(self) -> str:
        return self.path.rsplit("/", 1)[-1].split("[")[0]


def walk(file: BinaryIO, start: int = 0, end: int | None = None, under: str = "") -> Iterator[Box]:
    """All boxes in file order, each before the boxes inside it."""
    if end is None:
        end = file.seek(0, 2)
    count: dict[str, int] = {}
    at = start
    while at + 8 <= end:
        file.seek(at)
        size, raw_kind = struct.unpack(">I4s", file.read(8))
        header = 8
        if size == 1:
            size, header = struct.unpack(">Q", file.read(8))[0], 16
        elif size == 0:
            size = end - at
        kind = raw_kind.decode("latin-1")
        if size < header or at + size > end:
            raise InvalidInput(
                f"box {under}{kind!r} at byte {at}: its size {size} does not fit. The file is cut off or damaged."
            )
        number = count.get(kind, 0)
        count[kind] = number + 1
        path = f"{under}{kind}[{number}]"
        yield Box(path, at + header, at + size)
        if kind in CONTAINERS:
            yield from walk(file, at + header + CONTAINERS[kind], at + size, path + "/")
        at += size


def duration_ms(path: Path) -> int | None:
    """The length an MP4 file states for itself, or None when it states none."""
    with path.open("rb") as file:
        for box in walk(file):
            if box.kind == "mvhd":
                file.seek(box.start)
                version = file.read(4)[0]
                file.seek(box.start + (20 if version else 12))
                timescale, duration = struct.unpack(
                    ">IQ" if version else ">II", file.read(12 if version else 8)
                )
                return round(1000 * duration / timescale) if timescale and duration else None
    return None


def zero_bit_rates(path: Path) -> None:
    """Blank the bit rates in the sound descriptions: they are advisory, and they are measured from the content."""
    with path.open("r+b") as file:
        for box in [box for box in walk(file) if box.kind == "esds"]:
            file.seek(box.start)
            content = file.read(box.end - box.start)
            at = _decoder_config(content)
            if at is not None:
                # object type (1), stream type (1), buffer size (3), then the two rates of 4 bytes each
                file.seek(box.start + at + 5)
                file.write(bytes(8))


def blank_header_messages(path: Path) -> None:
    """Overwrite the user data that x265 puts into the stream's header: its name and all its settings, in place."""
    with path.open("r+b") as file:
        for box in [box for box in walk(file) if box.kind == "hvcC"]:
            file.seek(box.start)
            content = file.read(box.end - box.start)
            file.seek(box.start)
            file.write(_without_user_data(content))


def _without_user_data(hvcc: bytes) -> bytes:
    """The decoder configuration with spaces where messages of type 5 (user data) hold something."""
    out = bytearray(hvcc)
    at = 23
    for _ in range(hvcc[22]):
        kind, count = hvcc[at] & 0x3F, int.from_bytes(hvcc[at + 1 : at + 3], "big")
        at += 3
        for _ in range(count):
            start = at + 2
            at = start + int.from_bytes(hvcc[at : at + 2], "big")
            if kind in (39, 40) and hvcc[start + 2] == 5:
                text = start + 3
                while hvcc[text] == 0xFF:
                    text += 1
                # after the last size byte, up to the closing bit
                out[text + 1 : at - 1] = b" " * (at - text - 2)
    return bytes(out)


def _decoder_config(esds: bytes) -> int | None:
    """Where the content of the decoder configuration descriptor (tag 4) begins."""
    at = 4
    while at < len(esds):
        tag = esds[at]
        at += 1
        while at < len(esds) and esds[at] & 0x80:
            at += 1
        at += 1
        if tag == 4:
            return at
        if tag != 3:
            return None
        at += 3  # ES id (2) and flags (1); our muxer sets no optional fields
    return None

"""The technical facts of one video file, and whether it can be decoded from beginning to end; and
the boxes of an MP4 file, read without decoding anything.
"""

from __future__ import annotations

import importlib.util
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from believable.core.errors import InvalidInput
from believable.recordings.film_file import load_av


def have_av() -> bool:
    """Whether video can be opened here."""
    return importlib.util.find_spec("av") is not None


#: x264 and x265 write their settings after this word into the first picture.
_OPTIONS = re.compile(rb"options: ([ -~]{20,4000})")
_SIGNATURE = re.compile(
    rb"(x264 - core [0-9]+[ -~]{0,40}?|x265 \(build [0-9]+\)|Lavc[0-9.]+"
    rb" [a-z0-9]+|Lavf[0-9.]+|HandBrake [0-9.]+)"
)

#: Settings that follow the content or the machine, not the recipe.
_NOT_RECIPE = re.compile(
    rb"(?:^| )(?:threads|lookahead_threads|sliced_threads|frame-threads|numa-pools)=[^ ]*"
)


#: What PyAV raises, in addition to its own errors, for streams without a codec, tags that are no
#: text, impossible rates.
_DAMAGED_HEADER = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    UnicodeDecodeError,
    ValueError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaFacts:
    """Facts that a careful viewer could learn about a file without looking at the pictures. `tags`
    is metadata as sorted text.
    """

    container: str
    video_codec: str
    video_profile: str
    width_px: int
    height_px: int
    frames_per_s: str
    pixel_format: str
    colour: str
    audio: str
    audio_rate_hz: int
    tags: str
    encoder: str
    duration_ms: int
    bits_per_s: int


@dataclass(frozen=True, slots=True)
class DecodedMedium:
    """What decoding everything gave. `fault` is empty when all was well."""

    frames: int
    last_ms: int
    fault: str


def facts(path: Path) -> MediaFacts:
    """Read the headers. Raises PyAV's error for a file that is no video, or whose headers are
    damaged.
    """
    av = load_av("Checking media")
    try:
        return _facts(av, path)
    except av.FFmpegError:
        raise
    except _DAMAGED_HEADER as error:
        raise av.error.InvalidDataError(
            0, f"its headers are damaged ({error})", str(path)
        ) from error


def _facts(av: Any, path: Path) -> MediaFacts:
    with av.open(str(path)) as file:
        video = file.streams.video[0] if file.streams.video else None
        audio = file.streams.audio[0] if file.streams.audio else None
        context = video.codec_context if video else None
        return MediaFacts(
            container=file.format.name,
            video_codec=context.name if context else "",
            video_profile=str(context.profile or "") if context else "",
            width_px=context.width if context else 0,
            height_px=context.height if context else 0,
            frames_per_s=str(video.average_rate) if video else "",
            pixel_format=str(context.pix_fmt) if context else "",
            colour=f"{int(context.color_range)}/{int(context.colorspace)}" if context else "",
            audio=(
                f"{audio.codec_context.name} {audio.codec_context.layout.name}" if audio else "none"
            ),
            audio_rate_hz=audio.codec_context.sample_rate if audio else 0,
            tags=_tags(file),
            encoder=_encoder(path),
            duration_ms=round((file.duration or 0) / 1000),
            bits_per_s=int(file.bit_rate or 0),
        )


def decode(path: Path) -> DecodedMedium:
    """Decode every picture and every sound of the file."""
    av = load_av("Checking media")
    frames, last_ms = 0, 0
    try:
        with av.open(str(path)) as file:
            streams = [*file.streams.video[:1], *file.streams.audio[:1]]
            for stream in streams:
                stream.codec_context.options = {"err_detect": "explode"}
            promised = file.streams.video[0].frames if file.streams.video else 0
            stated_ms = round((file.duration or 0) / 1000)
            for packet in file.demux(*streams):
                if packet.is_corrupt:
                    return DecodedMedium(frames, last_ms, f"is damaged after {last_ms} ms")
                for frame in packet.decode():
                    if getattr(frame, "is_corrupt", False):
                        return DecodedMedium(frames, last_ms, f"is damaged after {last_ms} ms")
                    if packet.stream.type == "video":
                        frames += 1
                        last_ms = max(last_ms, round(1000 * (frame.time or 0)))
    except av.FFmpegError as error:
        return DecodedMedium(
            frames, last_ms, f"cannot be decoded after {last_ms} ms ({error.strerror or error})"
        )
    except _DAMAGED_HEADER as error:
        return DecodedMedium(frames, last_ms, f"cannot be decoded after {last_ms} ms ({error})")
    return DecodedMedium(frames, last_ms, _shortfall(frames, promised, last_ms, stated_ms))


def _shortfall(frames: int, promised: int, last_ms: int, stated_ms: int) -> str:
    if frames == 0:
        return "holds no picture"
    if promised and frames < promised:
        return f"ends after {frames} of {promised} pictures"
    if stated_ms - last_ms > max(1000, 0.05 * stated_ms):
        return f"shows its last picture at {last_ms} ms but says it lasts {stated_ms} ms"
    return ""


def _tags(file: Any) -> str:
    """Everything a metadata viewer shows, without what merely repeats the container or the
    length.
    """
    dull = {
        "major_brand",
        "minor_version",
        "compatible_brands",
        "language",
        "vendor_id",
        "DURATION",
        "duration",
    }
    pairs = [("file", *pair) for pair in file.metadata.items()]
    for stream in file.streams:
        pairs += [(stream.type, *pair) for pair in stream.metadata.items()]
    if file.chapters():
        pairs.append(("file", "chapters", str(len(file.chapters()))))
    return "; ".join(
        f"{where}.{key}={value}" for where, key, value in sorted(pairs) if key not in dull
    )


def _encoder(path: Path) -> str:
    """Encoder names and settings left inside the coded pictures."""
    with path.open("rb") as file:
        head = file.read(4_000_000)
    signatures = sorted({match.decode("latin-1").strip() for match in _SIGNATURE.findall(head)})
    options = _OPTIONS.search(head)
    if options:
        signatures.append(_NOT_RECIPE.sub(b"", options.group(1)).decode("latin-1").strip())
    return "; ".join(signatures)


#: Boxes that hold boxes, with the number of bytes before the first one.
CONTAINERS = {
    "moov": 0,
    "trak": 0,
    "mdia": 0,
    "minf": 0,
    "stbl": 0,
    "edts": 0,
    "dinf": 0,
    "udta": 0,
    "mvex": 0,
    "meta": 4,
    "stsd": 8,
    "avc1": 78,
    "avc3": 78,
    "hvc1": 78,
    "hev1": 78,
    "av01": 78,
    "vp09": 78,
    "mp4a": 28,
    "Opus": 28,
}


@dataclass(frozen=True, slots=True)
class FileBox:
    """One box: `path` such as `moov/trak[0]/tkhd`, and where its content lies in the file."""

    path: str
    start: int
    end: int

    @property
    def kind(self) -> str:
        return self.path.rsplit("/", 1)[-1].split("[")[0]


def walk(
    file: BinaryIO, start: int = 0, end: int | None = None, under: str = ""
) -> Iterator[FileBox]:
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
                f"box {under}{kind!r} at byte {at}: its size {size} does not fit. The file is cut"
                " off or damaged."
            )
        number = count.get(kind, 0)
        count[kind] = number + 1
        path = f"{under}{kind}[{number}]"
        yield FileBox(path, at + header, at + size)
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
    """Blank the bit rates in the sound descriptions: they are advisory, and they are measured from
    the content.
    """
    with path.open("r+b") as file:
        for box in [box for box in walk(file) if box.kind == "esds"]:
            file.seek(box.start)
            content = file.read(box.end - box.start)
            at = _decoder_config(content)
            if at is not None:
                # object type (1), stream type (1), buffer size (3), then the two rates of 4 bytes
                # each
                file.seek(box.start + at + 5)
                file.write(bytes(8))


def blank_header_messages(path: Path) -> None:
    """Overwrite the user data that x265 puts into the stream's header: its name and all its
    settings, in place.
    """
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

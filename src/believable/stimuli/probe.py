"""The technical facts of one video file, and whether it can be decoded from beginning to end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.stimuli.extra import load_av

#: x264 and x265 write their settings after this word into the first picture.
_OPTIONS = re.compile(rb"options: ([ -~]{20,4000})")
_SIGNATURE = re.compile(
    rb"(x264 - core [0-9]+[ -~]{0,40}?|x265 \(build [0-9]+\)|Lavc[0-9.]+ [a-z0-9]+|Lavf[0-9.]+|HandBrake [0-9.]+)"
)

#: Settings that follow the content or the machine, not the recipe.
_NOT_RECIPE = re.compile(
    rb"(?:^| )(?:threads|lookahead_threads|sliced_threads|frame-threads|numa-pools)=[^ ]*"
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a careful viewer could find out about a file without looking at the pictures. `tags` is metadata as sorted text."""

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
class Decoded:
    """What decoding everything gave. `fault` is empty when all was well."""

    frames: int
    last_ms: int
    fault: str


def facts(path: Path) -> Facts:
    """Read the headers. Raises PyAV's error for a file that is no video."""
    av = load_av("Checking media")
    with av.open(str(path)) as file:
        video = file.streams.video[0] if file.streams.video else None
        audio = file.streams.audio[0] if file.streams.audio else None
        context = video.codec_context if video else None
        return Facts(
            container=file.format.name,
            video_codec=context.name if context else "",
            video_profile=str(context.profile or "") if context else "",
            width_px=context.width if context else 0,
            height_px=context.height if context else 0,
            frames_per_s=str(video.average_rate) if video else "",
            pixel_format=str(context.pix_fmt) if context else "",
            colour=f"{int(context.color_range)}/{int(context.colorspace)}" if context else "",
            audio=f"{audio.codec_context.name} {audio.codec_context.layout.name}" if audio else "none",
            audio_rate_hz=audio.codec_context.sample_rate if audio else 0,
            tags=_tags(file),
            encoder=_encoder(path),
            duration_ms=round((file.duration or 0) / 1000),
            bits_per_s=int(file.bit_rate or 0),
        )


def decode(path: Path) -> Decoded:
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
                    return Decoded(frames, last_ms, f"is damaged after {last_ms} ms")
                for frame in packet.decode():
                    if getattr(frame, "is_corrupt", False):
                        return Decoded(frames, last_ms, f"is damaged after {last_ms} ms")
                    if packet.stream.type == "video":
                        frames += 1
                        last_ms = max(last_ms, round(1000 * (frame.time or 0)))
    except av.FFmpegError as error:
        return Decoded(frames, last_ms, f"cannot be decoded after {last_ms} ms ({error.strerror or error})")
    return Decoded(frames, last_ms, _shortfall(frames, promised, last_ms, stated_ms))


def _shortfall(frames: int, promised: int, last_ms: int, stated_ms: int) -> str:
    if frames == 0:
        return "holds no picture"
    if promised and frames < promised:
        return f"ends after {frames} of {promised} pictures"
    if stated_ms - last_ms > max(1000, 0.05 * stated_ms):
        return f"shows its last picture at {last_ms} ms but says it lasts {stated_ms} ms"
    return ""


def _tags(file: Any) -> str:
    """Everything a metadata viewer shows, without what merely repeats the container or the length."""
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
    return "; ".join(f"{where}.{key}={value}" for where, key, value in sorted(pairs) if key not in dull)


def _encoder(path: Path) -> str:
    """Encoder names and settings left inside the coded pictures."""
    with path.open("rb") as file:
        head = file.read(4_000_000)
    found = sorted({match.decode("latin-1").strip() for match in _SIGNATURE.findall(head)})
    options = _OPTIONS.search(head)
    if options:
        found.append(_NOT_RECIPE.sub(b"", options.group(1)).decode("latin-1").strip())
    return "; ".join(found)

"""Copies of the media that give nothing away: same pictures and sound, nothing about who made them,
named by content.

Removed: container metadata, creation times, encoder names, handler names, chapters, extra streams,
user data and other supplemental messages inside the coded video, encoder strings inside AAC sound.
Nothing is encoded again.
"""

from __future__ import annotations

import errno
import json
import mimetypes
import os
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, Problem, StudyError
from believable.core.object_storage import digest_of, keep_medium, medium_file, storage_behind
from believable.core.work import Progress, available_cores, map_named
from believable.recordings.actions import RECORDING_SUFFIX, beside, read_actions
from believable.recordings.file import read as read_recording
from believable.recordings.film_file import load_av
from believable.stimuli import probe
from believable.stimuli.judging import Variant, judged_replay
from believable.stimuli.probe import have_av
from believable.study.definition import REPLAY_TYPE, Definition, Medium
from believable.study.records import Stimulus

#: Raised when the recipe changes, so that copies made by an older one are made again.
RECIPE = 2

#: Fits 23.976, 24, 25, 29.97, 30, 50, 59.94, 60 frames per second and milliseconds exactly.
TICKS_PER_S = 120_000

MP4_CODECS = frozenset({"h264", "hevc", "av1", "vp9", "aac", "mp3", "opus", "ac3", "eac3", "flac"})
WEBM_CODECS = frozenset({"vp8", "vp9", "av1", "opus", "vorbis"})

#: Units that carry free messages (supplemental enhancement information), by coding.
MESSAGE_UNITS = {"h264": frozenset({6}), "hevc": frozenset({39, 40})}

#: Errors of the place written to, not of the file read.
DISK_TROUBLE = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS, errno.ENOENT, errno.EMFILE}
)


def prepare(
    definition: Definition,
    folder: Path,
    media_dir: Path,
    progress: Progress = lambda done, total: None,
    *,
    workers: int | None = None,
) -> Mapping[str, Medium]:
    """Put a stripped copy of every stimulus under `media_dir/<sha256>` and say which is which.

    Finished copies are not made again. Without the video extra the files are copied as they are.
    Files that cannot be used do not stop the others; all of them are named in one `StudyError` at
    the end.
    """
    stimuli = definition.study.stimuli
    jobs = {stimulus.file: (folder / stimulus.file, media_dir) for stimulus in stimuli}
    count = workers or min(4, available_cores())
    prepared = map_named(
        _prepare_stimulus,
        jobs,
        workers=count,
        pool="threads",
        progress=lambda done, files: progress(done * len(stimuli) // files, len(stimuli)),
    )
    problems = []
    for file, reason in prepared.failed.items():
        number = next(number for number, stimulus in enumerate(stimuli) if stimulus.file == file)
        line = lines_naming(folder, [stimuli[number]])[0]
        problems.append(
            Problem(
                file="study.yaml",
                line=line,
                path=f"stimuli[{number}].file",
                message=reason,
                cure="",
            )
        )
    if problems:
        raise StudyError(sorted(problems, key=lambda problem: (problem.line, problem.path)))
    return {stimulus.id: prepared.results[stimulus.file] for stimulus in stimuli}


def _prepare_stimulus(source: Path, media_dir: Path) -> Medium:
    """A recording, or a video with the action log that may be next to it."""
    if source.name.endswith(RECORDING_SUFFIX):
        return prepare_replay(source, media_dir)
    medium = prepare_file(source, media_dir)
    log = beside(source)
    if not log.is_file():
        return medium
    read_actions(log)
    return replace(medium, actions=_store(log, media_dir))


def prepare_replay(source: Path, media_dir: Path) -> Medium:
    """A content-addressed copy of a sound recording. Browsers never get it as it is: see
    `stimuli.judging`.
    """
    _must_be_there(source, media_dir)
    recording = read_recording(source)
    digest = _store(source, media_dir)
    judged_replay(
        media_dir, digest, Variant()
    )  # now rather than when the first participant waits for it
    return Medium(
        digest=digest,
        bytes=source.stat().st_size,
        duration_ms=recording.timing.duration_ms,
        media_type=REPLAY_TYPE,
    )


def _store(source: Path, media_dir: Path) -> str:
    """Copy a file under its own SHA-256, whole or not at all."""
    digest = digest_of(source)
    if not (media_dir / digest).is_file():
        unfinished = media_dir / f".{os.getpid()}.{threading.get_ident()}.part"
        shutil.copyfile(source, unfinished)
        _durable(unfinished, media_dir / digest)
    keep_medium(media_dir, digest)
    return digest


def _must_be_there(source: Path, media_dir: Path) -> None:
    if not source.is_file():
        raise InvalidInput(
            f"{source.name!r} is not there. Put the file at {source}, or correct the name."
        )
    media_dir.mkdir(parents=True, exist_ok=True)


def prepare_file(source: Path, media_dir: Path) -> Medium:
    """One stripped, content-addressed copy. It appears whole or not at all."""
    _must_be_there(source, media_dir)
    strip = have_av()
    note_name = f"prepared/{digest_of(source)}.{RECIPE if strip else 'copy'}.json"
    note = medium_file(media_dir, note_name)
    medium = _known(note, media_dir) or _prepare(source, media_dir, note, strip)
    # The copy first: a note in the storage says that it is there.
    keep_medium(media_dir, medium.digest)
    keep_medium(media_dir, note_name)
    return medium


def _prepare(source: Path, media_dir: Path, note: Path, strip: bool) -> Medium:
    unfinished = media_dir / f".{os.getpid()}.{threading.get_ident()}.part"
    try:
        media_type = strip_metadata(source, unfinished) if strip else _copy(source, unfinished)
        duration_ms = _length_ms(unfinished) if strip else _stated_length_ms(source)
        medium = Medium(
            digest=digest_of(unfinished),
            bytes=unfinished.stat().st_size,
            duration_ms=duration_ms,
            media_type=media_type,
        )
        _durable(unfinished, media_dir / medium.digest)
    finally:
        unfinished.unlink(missing_ok=True)
    _write_note(note, medium)
    return medium


def strip_metadata(source: Path, target: Path) -> str:
    """Write the stripped copy and return its media type."""
    av = load_av("Stripping media")
    try:
        with av.open(str(source)) as container:
            streams = [*container.streams.video[:1], *container.streams.audio[:1]]
            if not container.streams.video:
                raise InvalidInput(f"{source.name!r} has no moving picture. Give a video file.")
            kind = _container(source, container, {stream.codec_context.name for stream in streams})
            _remux(av, container, streams, target, kind)
    except av.FFmpegError as error:
        if error.errno in DISK_TROUBLE:
            raise
        reason = str(error.strerror or error)
        raise InvalidInput(
            f"{source.name!r} cannot be read as video ({reason})."
            " Check that it was copied completely; it may be cut off or damaged."
        ) from None
    if kind == "mp4":
        probe.zero_bit_rates(target)
        probe.blank_header_messages(target)
    return f"video/{kind}"


def _container(source: Path, container: Any, codecs: set[str]) -> str:
    """WebM stays WebM; everything else that browsers can show becomes MP4."""
    if "webm" in container.format.name and codecs <= WEBM_CODECS:
        return "webm"
    if codecs <= MP4_CODECS:
        return "mp4"
    raise InvalidInput(
        f"{source.name!r} is coded as {', '.join(sorted(codecs))}, which browsers do not play."
        " Convert it, for example: ffmpeg -i INPUT -c:v libx264 -pix_fmt yuv420p -c:a aac"
        " OUTPUT.mp4"
    )


def _remux(av: Any, container: Any, streams: list[Any], target: Path, kind: str) -> None:
    options = {"fflags": "+bitexact"}
    if kind == "mp4":
        options |= {
            "movflags": "+faststart",
            "write_btrt": "0",
            "video_track_timescale": str(TICKS_PER_S),
        }
    with av.open(str(target), "w", format=kind, options=options) as out:
        copies = {stream.index: out.add_stream_from_template(stream) for stream in streams}
        cleaners = {stream.index: _cleaner(av, stream) for stream in streams}
        for packet in container.demux(*streams):
            index = packet.stream.index
            if packet.dts is None:  # the demuxer's end mark
                continue
            for part in cleaners[index](packet):
                part.stream = copies[index]
                out.mux(part)


def _cleaner(av: Any, stream: Any) -> Callable[[Any], Sequence[Any]]:
    """What takes the messages out of this stream's packets."""
    codec, header = stream.codec_context.name, bytes(stream.codec_context.extradata or b"")
    if codec == "aac":
        return lambda packet: [_replace_content(av, packet, without_fill_text(bytes(packet)))]
    if codec in MESSAGE_UNITS and header[:1] == b"\x01":
        length_bytes = (header[4 if codec == "h264" else 21] & 3) + 1
        return lambda packet: [
            _replace_content(av, packet, without_messages(bytes(packet), codec, length_bytes))
        ]
    if codec in MESSAGE_UNITS:  # units between start codes, as in transport streams
        kinds = "|".join(map(str, sorted(MESSAGE_UNITS[codec])))
        context = av.BitStreamFilterContext(f"filter_units=remove_types={kinds}", in_stream=stream)
        return lambda packet: list(context.filter(packet))
    return lambda packet: [packet]


def _replace_content(av: Any, packet: Any, content: bytes) -> Any:
    """The packet with other content, at the same time."""
    if content == bytes(packet):
        return packet
    other = av.Packet(content)
    other.pts, other.dts, other.time_base = packet.pts, packet.dts, packet.time_base
    other.duration, other.is_keyframe = packet.duration, packet.is_keyframe
    return other


def without_messages(sample: bytes, codec: str, length_bytes: int) -> bytes:
    """A sample of length-prefixed units without those that carry messages. A sample that does not
    add up is left alone.
    """
    kept, at = [], 0
    while at + length_bytes < len(sample):
        end = at + length_bytes + int.from_bytes(sample[at : at + length_bytes], "big")
        first = sample[at + length_bytes]
        kind = first & 0x1F if codec == "h264" else (first >> 1) & 0x3F
        if kind not in MESSAGE_UNITS[codec]:
            kept.append(sample[at:end])
        at = end
    return b"".join(kept) if at == len(sample) and kept else sample


def without_fill_text(frame: bytes) -> bytes:
    """An AAC frame whose leading fill elements hold zeros. Length and all other elements stay as
    they are.
    """
    total = 8 * len(frame)
    bits = int.from_bytes(frame, "big")
    at = 0

    def take(count: int) -> int:
        return (bits >> (total - at - count)) & ((1 << count) - 1)

    while at + 7 <= total and take(3) == 6:
        at += 3
        count = take(4)
        at += 4
        if count == 15:
            if at + 8 > total:
                break
            count += take(8) - 1
            at += 8
        # Types 13 to 15 carry sound (spectral band replication, dynamic range): only plain fill is
        # blanked.
        if at + 8 * count > total or (count and take(4) not in (0, 1)):
            break
        mask = ((1 << (8 * count)) - 1) << (total - at - 8 * count)
        bits &= ~mask
        at += 8 * count
    return bits.to_bytes(len(frame), "big")


def lines_naming(folder: Path, stimuli: Sequence[Stimulus]) -> list[int]:
    """The line of the study file that names each file; line 1 if none does."""
    study_file = folder / "study.yaml"
    rows = study_file.read_text("utf-8").splitlines() if study_file.is_file() else []
    return [
        next((n for n, row in enumerate(rows, start=1) if stimulus.file in row), 1)
        for stimulus in stimuli
    ]


def _copy(source: Path, target: Path) -> str:
    shutil.copyfile(source, target)
    return mimetypes.guess_type(source.name)[0] or "application/octet-stream"


def _stated_length_ms(source: Path) -> int | None:
    return probe.duration_ms(source) if source.suffix.lower() in {".mp4", ".m4v", ".mov"} else None


def _length_ms(path: Path) -> int | None:
    with load_av("Reading media").open(str(path)) as file:
        return None if file.duration is None else round(file.duration / 1000)


def _durable(unfinished: Path, path: Path) -> None:
    with unfinished.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(unfinished, path)


def _known(note: Path, media_dir: Path) -> Medium | None:
    """The result of an earlier run, if the copy it speaks of is still whole."""
    if not note.is_file():
        return None
    try:
        medium = Medium(**json.loads(note.read_text("utf-8")))
    except (ValueError, TypeError):
        return None
    copy = media_dir / medium.digest
    storage = storage_behind(media_dir)
    if copy.is_file():
        return medium if digest_of(copy) == medium.digest else None
    return medium if storage is not None and storage.has(medium.digest) else None


def _write_note(note: Path, medium: Medium) -> None:
    note.parent.mkdir(exist_ok=True)
    unfinished = note.with_name(f".{note.name}.{os.getpid()}.{threading.get_ident()}")
    unfinished.write_text(json.dumps(medium.to_tree(), sort_keys=True), "utf-8")
    os.replace(unfinished, note)

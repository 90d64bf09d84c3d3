"""Sources become stimuli: cut, masked, marked, of one size, rate and loudness, without metadata,
under names that say nothing.

Pictures and sounds stay inside libav from decoder to encoder. Beside each `stimuli/NAME.mp4` lies
`NAME.provenance.json`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from believable import __version__
from believable.core.clock import Clock
from believable.core.errors import InvalidInput
from believable.core.object_storage import digest_of
from believable.core.work import Progress, map_named
from believable.recordings.film_file import load_av
from believable.stimuli import constant_rate, source_pool
from believable.stimuli.equal_lengths import shortest_lengths
from believable.stimuli.filters import PictureFilters, SoundFilters
from believable.stimuli.loudness import WEIGHTING, gated_loudness
from believable.stimuli.prepare import DISK_TROUBLE, strip_metadata
from believable.stimuli.recipe import (
    SOUND_RATE_HZ,
    Recipe,
    Shot,
    in_words,
    overlay_filter,
    picture_chain,
    silence_chain,
    sound_chain,
)
from believable.stimuli.source_pool import StimulusSource, alone

FOLDER = "stimuli"
RECORD = ".provenance.json"

#: The same for every file: the encoder's settings must not distinguish conditions. One thread:
#: files run side by side.
PRESET = "medium"
SOUND_BITS_PER_S = 128_000


@dataclass(frozen=True, slots=True)
class EncodedFilm:
    """What encoding gave."""

    frames: int
    loudness_lufs: float | None
    gain_db: float
    filters: tuple[str, str]


@dataclass(frozen=True, slots=True)
class StandardisedSet:
    """Stimuli made now, those that were there already, and why others could not be made, by source
    name.
    """

    films: Mapping[str, Path]
    kept: Mapping[str, Path]
    failed: Mapping[str, str]


def standardise(
    folder: Path,
    chosen: Sequence[StimulusSource],
    recipe: Recipe,
    *,
    clock: Clock,
    equal_lengths: bool = False,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> StandardisedSet:
    """Make one stimulus of every source chosen. What an earlier run finished with the same recipe
    is kept. With `equal_lengths` every scenario that several conditions have is cropped to its
    shortest source: no length reveals a condition then.
    """
    place = folder / FOLDER
    with alone(folder / source_pool.FOLDER):
        with_sound = recipe.sound and any(source.audio != "none" for source in chosen)
        common = replace(recipe, sound=with_sound)
        longest_ms = shortest_lengths(chosen, common) if equal_lengths else {}
        kept = {
            source.name: place / f"{source.name}.mp4"
            for source in chosen
            if is_current(folder, source, common, longest_ms.get(source.name))
        }
        todo = [source for source in chosen if source.name not in kept]
        for source in todo:
            _clear(place, source.name)
        worked = map_named(
            make,
            {
                source.name: (folder, source, common, clock.now_ms(), longest_ms.get(source.name))
                for source in todo
            },
            workers=workers,
            progress=lambda done, total: progress(len(kept) + done, len(chosen)),
        )
    return StandardisedSet(worked.results, kept, worked.failed)


def _clear(place: Path, name: str) -> None:
    """Remove the unfinished files of a killed run."""
    for path in place.glob(f".{name}.mp4.*"):
        path.unlink(missing_ok=True)


def provenance(folder: Path, name: str) -> dict[str, Any] | None:
    """The record next to a stimulus; None if there is none or it cannot be read."""
    path = folder / FOLDER / f"{name}{RECORD}"
    try:
        tree = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return (
        tree
        if isinstance(tree, dict) and {"recipe_digest", "source", "output"} <= tree.keys()
        else None
    )


def is_current(
    folder: Path, source: StimulusSource, recipe: Recipe, longest_ms: int | None = None
) -> bool:
    """Whether the stimulus is there, whole, and made by this recipe from this source as it is
    described now, cropped alike.
    """
    record, video = provenance(folder, source.name), folder / FOLDER / f"{source.name}.mp4"
    return (
        record is not None
        and record["recipe_digest"] == recipe.digest
        and record["output"].get("longest_ms") == longest_ms
        and StimulusSource.from_tree(record["source"]) == source
        and video.is_file()
        and digest_of(video) == record["output"]["digest"]
    )


def make(
    folder: Path, source: StimulusSource, recipe: Recipe, at_ms: int, longest_ms: int | None = None
) -> Path:
    """One stimulus with its record, whole or not at all. Media longer than `longest_ms` are cropped
    at the end.
    """
    original = folder / source_pool.FOLDER / source.file
    if not original.is_file() or digest_of(original) != source.digest:
        raise InvalidInput(
            f"{source.original!r}: its copy {source_pool.FOLDER}/{source.file} is missing or"
            f" changed since it was added. Delete {source_pool.FOLDER}/{source.name}.json and add"
            " the recording again."
        )
    target = folder / FOLDER / f"{source.name}.mp4"
    target.parent.mkdir(parents=True, exist_ok=True)
    coded, clean = (
        target.with_name(f".{target.name}.{os.getpid()}.{end}") for end in ("coded", "clean")
    )
    try:
        encoded = _encode(original, coded, clean, _crop(source, recipe, longest_ms), recipe)
        with clean.open("rb") as file:
            os.fsync(file.fileno())
        record = {
            "believable": __version__,
            "made_ms": at_ms,
            "recipe": recipe.to_tree(),
            "recipe_digest": recipe.digest,
            "source": source.to_tree(),
            "libraries": _libraries(),
            "filters": {"picture": encoded.filters[0], "sound": encoded.filters[1]},
            "loudness": {"before_lufs": encoded.loudness_lufs, "gain_db": encoded.gain_db},
            "output": {
                "digest": digest_of(clean),
                "bytes": clean.stat().st_size,
                "frames": encoded.frames,
                "length_ms": round(1000 * encoded.frames / recipe.frames_per_s),
                **({} if longest_ms is None else {"longest_ms": longest_ms}),
            },
        }
        os.replace(clean, target)
        source_pool.write_json(folder / FOLDER / f"{source.name}{RECORD}", record)
    finally:
        coded.unlink(missing_ok=True)
        clean.unlink(missing_ok=True)
    return target


def _crop(source: StimulusSource, recipe: Recipe, longest_ms: int | None) -> StimulusSource:
    length_ms = (
        source.length_ms
        - source.cut_start_ms
        - source.cut_end_ms
        - recipe.cut_start_ms
        - recipe.cut_end_ms
    )
    if longest_ms is None or length_ms <= longest_ms:
        return source
    return replace(source, cut_end_ms=source.cut_end_ms + length_ms - longest_ms)


def _encode(
    original: Path, coded: Path, clean: Path, source: StimulusSource, recipe: Recipe
) -> EncodedFilm:
    """Encoded and stripped; where all films have one rate, encoded below lower limits until every
    picture fits into its place.
    """
    if not recipe.bits_per_s:
        encoded = encode(original, coded, source, recipe)
        strip_metadata(coded, clean)
        return encoded
    budget = constant_rate.byte_budget(recipe.bits_per_s, recipe.frames_per_s, recipe.key_every)
    for limit, sound_bits_per_s in zip(
        constant_rate.LIMITS, constant_rate.SOUND_BITS_PER_S, strict=True
    ):
        options = constant_rate.encoder_options(budget, recipe.bits_per_s, limit)
        encoded = encode(
            original,
            coded,
            source,
            recipe,
            preset=constant_rate.PRESET,
            options=options,
            sound_bits_per_s=sound_bits_per_s,
        )
        strip_metadata(coded, clean)
        os.replace(clean, coded)
        if constant_rate.fill_film(coded, clean, budget):
            strip_metadata(clean, coded)
            os.replace(coded, clean)
            return encoded
    raise InvalidInput(
        f"{source.original!r}: its pictures or sound do not fit into {recipe.bits_per_s} bits per"
        " second. Choose a higher rate."
    )


def encode(
    original: Path,
    target: Path,
    source: StimulusSource,
    recipe: Recipe,
    *,
    preset: str = PRESET,
    options: Mapping[str, str] | None = None,
    sound_bits_per_s: int = SOUND_BITS_PER_S,
) -> EncodedFilm:
    """Decode, filter and encode one file. Its metadata is not copied; `stripped` removes the
    encoder's additions.
    """
    av = load_av("Standardising recordings")
    try:
        with av.open(str(original)) as file:
            shot = shot_of(file, source, recipe)
            sound = file.streams.audio[0] if recipe.sound and file.streams.audio else None
        loudness = _loudness(av, original, shot) if sound is not None else None
        gain_db = 0.0 if loudness is None else recipe.loudness_lufs - loudness
        with (
            av.open(str(original)) as file,
            av.open(str(target), "w", format="mp4", options={"fflags": "+bitexact"}) as out,
        ):
            encoder = _Encoder({"preset": preset, **(options or {})}, sound_bits_per_s, gain_db)
            encoded = _run(av, file, out, shot, recipe, encoder)
            return replace(encoded, loudness_lufs=loudness)
    except av.FFmpegError as error:
        if error.errno in DISK_TROUBLE:
            raise OSError(error.errno, error.strerror, str(target)) from None
        raise InvalidInput(
            f"{source.original!r} cannot be standardised ({error.strerror or error})."
        ) from None


def shot_of(file: Any, source: StimulusSource, recipe: Recipe) -> Shot:
    """The part to take in the file's own time, and the shape of its picture."""
    origin_s = (file.start_time or 0) / 1_000_000
    start_ms = source.cut_start_ms + recipe.cut_start_ms
    end_ms = source.length_ms - source.cut_end_ms - recipe.cut_end_ms
    if end_ms - start_ms < 100:
        raise InvalidInput(
            f"{source.original!r} lasts {source.length_ms} ms; the cuts leave nothing of it. Cut"
            " less, or leave short ones out."
        )
    stream = file.streams.video[0]
    frame = next(file.decode(stream))
    aspect = float(stream.sample_aspect_ratio or 1) or 1.0
    turn_deg = int(frame.rotation)
    if turn_deg % 90:
        raise InvalidInput(
            f"{source.original!r} is turned by {turn_deg}°; only quarter turns can be shown."
        )
    return Shot(
        start_s=origin_s + start_ms / 1000,
        end_s=origin_s + end_ms / 1000,
        picture_px=(frame.width, frame.height),
        shape=(frame.width * aspect, float(frame.height)),
        turn_deg=turn_deg,
        masks=source.masks,
    )


@dataclass(frozen=True, slots=True)
class _Encoder:
    """How one film is encoded: x264's options, the rate of its sound, how much louder it is
    made.
    """

    options: Mapping[str, str]
    sound_bits_per_s: int
    gain_db: float


def _run(
    av: Any, file: Any, out: Any, shot: Shot, recipe: Recipe, encoder: _Encoder
) -> EncodedFilm:
    video = file.streams.video[0]
    video.codec_context.thread_count = 1
    picture = _picture_stream(av, out, recipe, encoder.options)
    chain = picture_chain(recipe, shot)
    screen = PictureFilters(av, video, chain, recipe)
    audio = file.streams.audio[0] if recipe.sound and file.streams.audio else None
    hearing = (
        ()
        if not recipe.sound
        else silence_chain(shot)
        if audio is None
        else sound_chain(shot, encoder.gain_db)
    )
    voice = ears = None
    if recipe.sound:
        voice = out.add_stream(
            "aac", rate=SOUND_RATE_HZ, layout="stereo", bit_rate=encoder.sound_bits_per_s
        )
        voice.codec_context.flags |= int(av.codec.context.Flags.bitexact)
        ears = SoundFilters(av, audio, hearing)
        if audio is None:
            _put(out, voice, ears.rest())
    frames = 0
    for frame in _decode(
        file, [stream for stream in (video, audio) if stream is not None], shot.end_s
    ):
        if isinstance(frame, av.VideoFrame):
            frames += _put(out, picture, screen.through(frame))
        elif ears is not None:
            _put(out, voice, ears.through(frame))
    frames += _put(out, picture, screen.rest())
    if ears is not None and audio is not None:
        _put(out, voice, ears.rest())
    for stream in (picture, voice):
        if stream is not None:
            out.mux(stream.encode(None))
    if not frames:
        raise InvalidInput("no picture is left after cutting.")
    shown = (*chain, overlay_filter(recipe)) if recipe.watermark else chain
    return EncodedFilm(frames, None, encoder.gain_db, (in_words(shown), in_words(hearing)))


def _picture_stream(av: Any, out: Any, recipe: Recipe, options: Mapping[str, str]) -> Any:
    common = {"crf": str(recipe.crf), "profile": "high", "threads": "1"}
    stream = out.add_stream("libx264", rate=recipe.frames_per_s, options={**common, **options})
    stream.width, stream.height, stream.pix_fmt = recipe.width_px, recipe.height_px, "yuv420p"
    context = stream.codec_context
    context.gop_size = recipe.key_every
    context.colorspace = context.color_primaries = context.color_trc = 1  # BT.709
    context.color_range = 1
    context.flags |= int(av.codec.context.Flags.bitexact)
    return stream


def _decode(file: Any, streams: Sequence[Any], end_s: float) -> Iterator[Any]:
    """Frames of all streams up to the end of the part; later frames are not decoded."""
    open_streams = {stream.index for stream in streams}
    for packet in file.demux(*streams):
        if packet.stream.index not in open_streams:
            continue
        for frame in packet.decode():
            if frame.time is not None and frame.time >= end_s:
                open_streams.discard(packet.stream.index)
                break
            yield frame
        if not open_streams:
            return


def _put(out: Any, stream: Any, frames: Iterator[Any]) -> int:
    count = 0
    for frame in frames:
        out.mux(stream.encode(frame))
        count += 1
    return count


def _loudness(av: Any, original: Path, shot: Shot) -> float | None:
    """Of the part taken, before anything is changed."""
    plain = tuple(
        filter_ for filter_ in sound_chain(shot, 0.0) if filter_[0] not in ("volume", "alimiter")
    )
    with av.open(str(original)) as file:
        stream = file.streams.audio[0]
        line = SoundFilters(av, stream, (*plain, *WEIGHTING))
        return gated_loudness(line.whole(_decode(file, [stream], shot.end_s)))


def _libraries() -> dict[str, str]:
    av = load_av("Standardising recordings")
    versions = {name: ".".join(map(str, number)) for name, number in av.library_versions.items()}
    return {"av": av.__version__, **versions}

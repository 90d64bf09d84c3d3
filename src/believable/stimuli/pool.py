"""The pool: a study's `sources/` folder with every recording as it came, and what is known about each.

Beside `NAME.mp4` lies `NAME.json`. Names are random: they tell neither origin nor order. Nothing here is served.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from believable.core.clock import Clock
from believable.core.errors import InvalidInput
from believable.stimuli.alone import alone
from believable.stimuli.extra import load_av
from believable.stimuli.probe import decode, facts
from believable.stimuli.recipe import Mask
from believable.stimuli.workers import Progress, side_by_side

FOLDER = "sources"


@dataclass(frozen=True, slots=True)
class Source:
    """One recording. Cuts and masks given here come on top of the recipe's; `length_ms` was measured by decoding everything."""

    name: str
    file: str
    original: str
    digest: str
    condition: str
    scenario: str
    length_ms: int
    width_px: int
    height_px: int
    frames: int
    frames_per_s: str
    audio: str
    cut_start_ms: int = 0
    cut_end_ms: int = 0
    masks: tuple[Mask, ...] = ()
    note: str = ""
    added_ms: int = 0

    def to_tree(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_tree(cls, tree: Mapping[str, Any]) -> Source:
        return cls(**{**tree, "masks": tuple(Mask(**mask) for mask in tree["masks"])})


@dataclass(frozen=True, slots=True)
class About:
    """What the person who adds recordings says about them."""

    condition: str
    scenario: str
    cut_start_ms: int = 0
    cut_end_ms: int = 0
    masks: tuple[Mask, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Added:
    """Which file became which source, which were there already, and why others cannot be used."""

    new: Mapping[Path, Source]
    known: Mapping[Path, Source]
    failed: Mapping[Path, str]


def add(
    folder: Path,
    files: Sequence[Path],
    about: About,
    *,
    clock: Clock,
    new_name: Callable[[], str],
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> Added:
    """Decode every file from beginning to end and copy the sound ones into the pool. A file already there is not added again."""
    place = folder / FOLDER
    with alone(place):
        for unfinished in place.glob(".*.part"):  # of a killed run
            unfinished.unlink(missing_ok=True)
        before = {source.digest: source for source in sources(folder)}
        looked = side_by_side(
            look, {file: (file,) for file in dict.fromkeys(files)}, workers=workers, progress=progress
        )
        new: dict[Path, Source] = {}
        known: dict[Path, Source] = {}
        failed = dict(looked.failed)
        for file, seen in looked.results.items():
            if seen.digest in before:
                known[file] = before[seen.digest]
                continue
            name = new_name()
            source = replace(
                seen, name=name, file=f"{name}{file.suffix.lower()}", condition=about.condition,
                scenario=about.scenario, cut_start_ms=about.cut_start_ms, cut_end_ms=about.cut_end_ms,
                masks=about.masks, note=about.note, added_ms=clock.now_ms(),
            )  # fmt: skip
            try:
                _must_fit(source)
            except InvalidInput as error:
                failed[file] = str(error)
                continue
            _copy(file, place / source.file)
            write_json(place / f"{name}.json", source.to_tree())  # last: only a whole copy has a record
            new[file] = before[seen.digest] = source
    return Added(new, known, failed)


def look(file: Path) -> Source:
    """What decoding the whole file shows; the rest of the record is still empty."""
    if not file.is_file():
        raise InvalidInput(f"{file.name!r} is not there.")
    av = load_av("Adding recordings")
    try:
        known = facts(file)
        with av.open(str(file)) as opened:
            origin_ms = round((opened.start_time or 0) / 1000)
            rate = opened.streams.video[0].average_rate if opened.streams.video else None
    except av.FFmpegError as error:
        raise InvalidInput(f"{file.name!r} cannot be read as video ({error.strerror or error}).") from None
    if not known.video_codec:
        raise InvalidInput(f"{file.name!r} has no moving picture. Give a video file.")
    decoded = decode(file)
    if decoded.fault:
        raise InvalidInput(f"{file.name!r} {decoded.fault}. Copy or record it again.")
    return Source(
        name="", file="", original=file.name, digest=digest_of(file), condition="", scenario="",
        length_ms=decoded.last_ms - origin_ms + (round(1000 / rate) if rate else 0), width_px=known.width_px,
        height_px=known.height_px, frames=decoded.frames, frames_per_s=known.frames_per_s, audio=known.audio,
    )  # fmt: skip


def _must_fit(source: Source) -> None:
    left_ms = source.length_ms - source.cut_start_ms - source.cut_end_ms
    if left_ms < 100:
        raise InvalidInput(
            f"{source.original!r} lasts {source.length_ms} ms; the cuts leave nothing of it. Cut less."
        )
    for mask in source.masks:
        if mask.x_px >= source.width_px or mask.y_px >= source.height_px:
            raise InvalidInput(
                f"{source.original!r} is {source.width_px}×{source.height_px}; the mask {mask} lies outside."
            )


def sources(folder: Path) -> list[Source]:
    """Every source of the pool, by name. Raises for a record that cannot be read."""
    found = []
    for path in sorted((folder / FOLDER).glob("*.json")):
        try:
            found.append(Source.from_tree(json.loads(path.read_text("utf-8"))))
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidInput(
                f"{path} is not a source's record ({error}). Delete it with its video and add the recording again."
            ) from None
    return found


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: Path, tree: Mapping[str, Any]) -> None:
    """The file appears whole or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump(tree, file, indent=1, sort_keys=True, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)


def _copy(source: Path, target: Path) -> None:
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        shutil.copyfile(source, unfinished)
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)

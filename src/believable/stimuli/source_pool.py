"""The pool: a study's `sources/` folder with every recording in its original form, and its facts.

Beside `NAME.mp4` lies `NAME.json`. Names are random: they reveal neither origin nor order. Nothing
here is served. `sample` draws from them alike for all conditions.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from believable.core.clock import Clock
from believable.core.errors import Conflict, InvalidInput
from believable.core.object_storage import digest_of
from believable.core.seeds import generator
from believable.core.system import try_lock
from believable.core.whole_files import whole_file, write_whole
from believable.core.work import Progress, WorkOutcome, map_named
from believable.recordings.film_file import load_av
from believable.stimuli.probe import decode, facts
from believable.stimuli.recipe import Mask


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the folder. Raises `Conflict` when another run holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not try_lock(descriptor):
            raise Conflict(
                f"{folder}: another run is working on these files. Wait for it to end, then"
                " repeat the command."
            )
        yield
    finally:
        os.close(descriptor)


FOLDER = "sources"


@dataclass(frozen=True, slots=True, kw_only=True)
class StimulusSource:
    """One recording. Cuts and masks given here are added to the recipe's; `length_ms` was measured
    by decoding everything.
    """

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
    def from_tree(cls, tree: Mapping[str, Any]) -> StimulusSource:
        return cls(**{**tree, "masks": tuple(Mask(**mask) for mask in tree["masks"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDetails:
    """Statements about recordings by the person who adds them."""

    condition: str
    scenario: str
    cut_start_ms: int = 0
    cut_end_ms: int = 0
    masks: tuple[Mask, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Added:
    """Which file became which source, which were there already, and why others cannot be used."""

    new: Mapping[Path, StimulusSource]
    known: Mapping[Path, StimulusSource]
    failed: Mapping[Path, str]


def add(
    folder: Path,
    files: Sequence[Path],
    about: SourceDetails,
    *,
    clock: Clock,
    new_name: Callable[[], str],
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
    looked_at: Mapping[Path, StimulusSource] | None = None,
) -> Added:
    """Decode every file from beginning to end and copy the sound ones into the pool. A file already
    there is not added again. `looked_at`: the result of an earlier `look`, if there is one.
    """
    place = folder / FOLDER
    with alone(place):
        for unfinished in place.glob(".*.part"):  # of a killed run
            unfinished.unlink(missing_ok=True)
        before = {source.digest: source for source in sources(folder)}
        if looked_at is None:
            jobs = {file: (file,) for file in dict.fromkeys(files)}
            looked = map_named(look, jobs, workers=workers, progress=progress)
        else:
            looked = WorkOutcome({file: looked_at[file] for file in files}, {})
        new: dict[Path, StimulusSource] = {}
        known: dict[Path, StimulusSource] = {}
        failed = dict(looked.failed)
        for file, seen in looked.results.items():
            if seen.digest in before:
                known[file] = before[seen.digest]
                continue
            name = new_name()
            source = replace(
                seen,
                name=name,
                file=f"{name}{file.suffix.lower()}",
                condition=about.condition,
                scenario=about.scenario,
                cut_start_ms=about.cut_start_ms,
                cut_end_ms=about.cut_end_ms,
                masks=about.masks,
                note=about.note,
                added_ms=clock.now_ms(),
            )
            try:
                _must_fit(source)
            except InvalidInput as error:
                failed[file] = str(error)
                continue
            _copy(file, place / source.file)
            write_json(
                place / f"{name}.json", source.to_tree()
            )  # last: only a whole copy has a record
            new[file] = before[seen.digest] = source
    return Added(new, known, failed)


def look(file: Path) -> StimulusSource:
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
        raise InvalidInput(
            f"{file.name!r} cannot be read as video ({error.strerror or error})."
        ) from None
    if not known.video_codec:
        raise InvalidInput(f"{file.name!r} has no moving picture. Give a video file.")
    decoded = decode(file)
    if decoded.fault:
        raise InvalidInput(f"{file.name!r} {decoded.fault}. Copy or record it again.")
    return StimulusSource(
        name="",
        file="",
        original=file.name,
        digest=digest_of(file),
        condition="",
        scenario="",
        length_ms=decoded.last_ms - origin_ms + (round(1000 / rate) if rate else 0),
        width_px=known.width_px,
        height_px=known.height_px,
        frames=decoded.frames,
        frames_per_s=known.frames_per_s,
        audio=known.audio,
    )


def _must_fit(source: StimulusSource) -> None:
    left_ms = source.length_ms - source.cut_start_ms - source.cut_end_ms
    if left_ms < 100:
        raise InvalidInput(
            f"{source.original!r} lasts {source.length_ms} ms; the cuts leave nothing of it. Cut"
            " less."
        )
    for mask in source.masks:
        if mask.x_px >= source.width_px or mask.y_px >= source.height_px:
            raise InvalidInput(
                f"{source.original!r} is {source.width_px}×{source.height_px}; the mask {mask} lies"
                " outside."
            )


def sources(folder: Path) -> list[StimulusSource]:
    """Every source of the pool, by name. Raises for a record that cannot be read."""
    entries = []
    for path in sorted((folder / FOLDER).glob("*.json")):
        try:
            entries.append(StimulusSource.from_tree(json.loads(path.read_text("utf-8"))))
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidInput(
                f"{path} is not a source's record ({error}). Delete it with its video and add the"
                " recording again."
            ) from None
    return entries


def write_json(path: Path, tree: Mapping[str, Any]) -> None:
    """The file appears whole or not at all."""
    write_whole(path, json.dumps(tree, indent=1, sort_keys=True, ensure_ascii=False))


def _copy(source: Path, target: Path) -> None:
    with whole_file(target) as draft:
        shutil.copyfile(source, draft)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRequest:
    """`per_cell` sources of each condition in each scenario; None takes all, or with `match` as
    many as the rarest condition has.

    Lengths are those before cutting.
    """

    min_length_ms: int = 0
    max_length_ms: int | None = None
    match: bool = False
    per_cell: int | None = None
    seed: int = 1


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A source that is not taken, and why."""

    source: StimulusSource
    reason: str


@dataclass(frozen=True, slots=True)
class Sample:
    chosen: tuple[StimulusSource, ...]
    left_out: tuple[LeftOut, ...]


def sample(sources: Sequence[StimulusSource], wish: SampleRequest) -> Sample:
    """Same sources, same wish, same sample. Every source is either chosen or left out with a
    reason.
    """
    if wish.per_cell is not None and wish.per_cell < 1:
        raise InvalidInput(f"per cell: expected 1 or more, got {wish.per_cell}.")
    left_out = [LeftOut(source, reason) for source in sources if (reason := _unfit(source, wish))]
    unfit = {skipped.source.name for skipped in left_out}
    cells: dict[str, dict[str, list[StimulusSource]]] = {}
    for source in sorted(sources, key=lambda source_: source_.digest):
        if source.name not in unfit:
            cells.setdefault(source.scenario, {}).setdefault(source.condition, []).append(source)
    conditions = sorted({source.condition for source in sources})
    chosen: list[StimulusSource] = []
    for scenario, by_condition in sorted(cells.items()):
        count, reason = _count(by_condition, conditions, wish)
        for condition, ones in sorted(by_condition.items()):
            drawn = list(ones)
            generator(wish.seed, "sample", scenario, condition).shuffle(drawn)
            taken = len(drawn) if count is None else count
            chosen += drawn[:taken]
            left_out += [LeftOut(source, reason or "not drawn") for source in drawn[taken:]]
    return Sample(tuple(sorted(chosen, key=lambda source: source.name)), tuple(left_out))


def _unfit(source: StimulusSource, wish: SampleRequest) -> str:
    if source.length_ms < wish.min_length_ms:
        return f"lasts {source.length_ms} ms, at least {wish.min_length_ms} ms are wanted"
    if wish.max_length_ms is not None and source.length_ms > wish.max_length_ms:
        return f"lasts {source.length_ms} ms, at most {wish.max_length_ms} ms are wanted"
    return ""


def _count(
    by_condition: dict[str, list[StimulusSource]], conditions: Sequence[str], wish: SampleRequest
) -> tuple[int | None, str]:
    """How many of each condition to take in one scenario (None: all), and why none, if none."""
    if not wish.match:
        return wish.per_cell, ""
    counts = {condition: len(by_condition.get(condition, ())) for condition in conditions}
    wanted = wish.per_cell or 1
    short = sorted(condition for condition, count in counts.items() if count < wanted)
    if short:
        return 0, f"its scenario has fewer than {wanted} of {', '.join(short)}"
    return wish.per_cell or min(counts.values()), ""

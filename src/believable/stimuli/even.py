"""Stimuli of a study encoded again, so that bytes, packets, lengths and first pictures do not
reveal their condition.

Videos get one size and one rate (`standardise`); videos and recordings of a scenario are cropped to
its shortest. A video that was made here is made from its source again, with its own recipe; any
other is added to the pool first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from believable.core.clock import Clock
from believable.core.errors import InvalidInput
from believable.core.whole_files import write_whole
from believable.core.work import Progress
from believable.recordings.actions import RECORDING_SUFFIX, beside, read_actions, to_tree
from believable.recordings.cropping import crop_log, crop_recording
from believable.recordings.file import read, write
from believable.stimuli import source_pool, standardise
from believable.stimuli.equal_lengths import shortest_of_groups
from believable.stimuli.recipe import BITS_PER_S, Recipe
from believable.stimuli.source_pool import SourceDetails, StimulusSource
from believable.study.records import Stimulus

#: Of stimuli that have no condition or scenario.
_NONE = "none"


@dataclass(frozen=True, slots=True)
class EvenedStimulus:
    """Where a stimulus is now, and how long it is."""

    file: str
    duration_ms: int


def even_out(
    folder: Path,
    stimuli: Sequence[Stimulus],
    *,
    clock: Clock,
    new_name: Callable[[], str],
    cut_start_ms: int = 0,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> Mapping[str, EvenedStimulus]:
    """Every stimulus of the study, by its id, as it is to be shown from now on. The files that were
    shown before stay.
    """
    recordings = [stimulus for stimulus in stimuli if stimulus.file.endswith(RECORDING_SUFFIX)]
    videos = [stimulus for stimulus in stimuli if not stimulus.file.endswith(RECORDING_SUFFIX)]
    evened = _even_recordings(folder, recordings, new_name)
    if videos:
        evened |= _even_videos(
            folder,
            videos=videos,
            cut_start_ms=cut_start_ms,
            clock=clock,
            new_name=new_name,
            workers=workers,
            progress=progress,
        )
    return evened


# ----------------------------------------------------------------------------------------------
# videos


def _even_videos(
    folder: Path,
    videos: Sequence[Stimulus],
    cut_start_ms: int,
    clock: Clock,
    new_name: Callable[[], str],
    workers: int | None,
    progress: Progress,
) -> dict[str, EvenedStimulus]:
    made = [standardise.provenance(folder, Path(video.file).stem) for video in videos]
    sources = {source.name: source for source in source_pool.sources(folder)}
    own = [
        sources.get(Path(video.file).stem) if record is not None else None
        for video, record in zip(videos, made, strict=True)
    ]
    added = {
        video.id: source or _add(folder, video, clock, new_name)
        for video, source in zip(videos, own, strict=True)
    }
    trees = {
        record["recipe_digest"]: record["recipe"]
        for record, source in zip(made, own, strict=True)
        if record and source
    }
    recipe = (
        Recipe.from_tree(next(iter(trees.values())))
        if len(trees) == 1 and all(own)
        else _recipe(list(added.values()))
    )
    recipe = replace(
        recipe,
        bits_per_s=recipe.bits_per_s or BITS_PER_S,
        cut_start_ms=recipe.cut_start_ms + cut_start_ms,
    )
    chosen = list({source.name: source for source in added.values()}.values())
    done = standardise.standardise(
        folder, chosen, recipe, clock=clock, equal_lengths=True, workers=workers, progress=progress
    )
    if done.failed:
        raise InvalidInput("; ".join(f"{name}: {why}" for name, why in done.failed.items()))
    evened = {}
    for video in videos:
        name = added[video.id].name
        record = standardise.provenance(folder, name)
        assert record is not None, "it was made now"
        evened[video.id] = EvenedStimulus(
            f"{standardise.FOLDER}/{name}.mp4", int(record["output"]["length_ms"])
        )
        _keep_log(
            folder / video.file,
            folder / evened[video.id].file,
            evened[video.id].duration_ms,
            cut_start_ms,
        )
    return evened


def _add(
    folder: Path, video: Stimulus, clock: Clock, new_name: Callable[[], str]
) -> StimulusSource:
    file = folder / video.file
    about = SourceDetails(
        condition=video.condition or _NONE,
        scenario=video.scenario or _NONE,
        note=f"from {video.file}",
    )
    added = source_pool.add(
        folder,
        [file],
        about,
        clock=clock,
        new_name=new_name,
        looked_at={file: source_pool.look(file)},
    )
    if added.failed:
        raise InvalidInput(f"{video.file}: {added.failed[file]}")
    return (added.new or added.known)[file]


def _recipe(sources: Sequence[StimulusSource]) -> Recipe:
    """As large and as fast as the largest and the fastest of them, and no more than pages show."""
    usual = Recipe()
    width_px, height_px = (
        max(getattr(source, side) for source in sources) for side in ("width_px", "height_px")
    )
    scale = min(1.0, usual.width_px / width_px, usual.height_px / height_px)
    return replace(
        usual,
        width_px=2 * math.ceil(scale * width_px / 2),
        height_px=2 * math.ceil(scale * height_px / 2),
        frames_per_s=min(
            60, max(1, *(round(Fraction(source.frames_per_s or "30")) for source in sources))
        ),
        sound=any(source.audio != "none" for source in sources),
    )


def _keep_log(before: Path, after: Path, length_ms: int, cut_start_ms: int) -> None:
    """The log of actions goes with its video, cut in the same way."""
    if beside(before).is_file():
        log = crop_log(read_actions(beside(before)), cut_start_ms, cut_start_ms + length_ms)
        write_whole(beside(after), json.dumps(to_tree(log), ensure_ascii=False))


# ----------------------------------------------------------------------------------------------
# recordings


def _even_recordings(
    folder: Path, stimuli: Sequence[Stimulus], new_name: Callable[[], str]
) -> dict[str, EvenedStimulus]:
    known = {stimulus.id: read(folder / stimulus.file) for stimulus in stimuli}
    shortest_ms = shortest_of_groups(
        [
            (
                stimulus.id,
                stimulus.condition,
                stimulus.match_group,
                known[stimulus.id].timing.duration_ms,
            )
            for stimulus in stimuli
        ]
    )
    evened = {}
    for stimulus in stimuli:
        recording, longest_ms = known[stimulus.id], shortest_ms.get(stimulus.id)
        frames = recording.timing.frames
        if longest_ms is not None:
            frames = max(1, min(frames, math.floor(longest_ms / recording.timing.frame_ms + 1e-6)))
        file = stimulus.file
        if frames < recording.timing.frames:
            recording = crop_recording(recording, frames)
            file = f"{standardise.FOLDER}/{new_name()}{RECORDING_SUFFIX}"
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            write(recording, folder / file)
        evened[stimulus.id] = EvenedStimulus(file, recording.timing.duration_ms)
    return evened

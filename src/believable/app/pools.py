"""Make pools of matched clips for a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from believable.app.options import option, options, setting, use_case
from believable.app.stimuli import FileOutcome, FolderOptions, WorkersOptions
from believable.app.study_data import load_study
from believable.core.errors import InvalidInput, WrongUsage
from believable.core.registry import did_you_mean
from believable.protocols import READY_STUDIES
from believable.protocols.variants import show_pools
from believable.stimuli.clip_matching import SourceClip, match_clips
from believable.stimuli.clip_pools import PoolLook, make_pools, source_clips
from believable.study.records import Study

#: In place of a folder: the recordings in the package.
READY = "ready"


@options
class PoolOptions(FolderOptions, WorkersOptions):
    clips: Sequence[str] = option(
        "Recordings or films of a condition; folders inside are scenarios. `ready` in place of a"
        " folder: the package's recordings. Repeatable.",
        metavar="CONDITION=FOLDER",
    )
    scenario: str | None = option(
        "The situation that all of them show. Without it, and without folders inside, each pair is"
        " a separate scenario.",
        default=None,
    )
    draw: Literal["fresh", "pool", "shared"] = setting(
        "Which clips a judge gets; written into study.yaml.", default="fresh"
    )
    trials: int | None = option(
        "Scenarios for each judge: `sample` of the blocks that run over scenarios.",
        default=None,
        ge=1,
    )
    pairs: int | None = option(
        "The largest number of pairs: those that fit best.", default=None, ge=1
    )
    seconds: float | None = option("Crop every clip to this length.", default=None, ge=1)
    most_cropped: float = setting(
        "Leave out a pair if its longer clip would lose more than this share.",
        default=0.2,
        ge=0,
        le=1,
    )
    size: str = setting("Size of the picture.", default="960x540", metavar="WxH")
    fps: int = setting("Pictures per second.", default=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolResult(FileOutcome):
    """Pools that were made: the number of pairs, films made now and kept, the folder of each
    condition, and sentences about clips that were left out.
    """

    pairs: int
    made: int
    kept: int
    folders: Mapping[str, str]
    notes: tuple[str, ...]


def _ready_recordings(study: Study, condition: str) -> Path:
    """The recordings of a condition that the package has for the study's protocol."""
    protocol = (study.analysis and study.analysis.protocol) or ""
    ready = READY_STUDIES[protocol].folder / "recordings" if protocol in READY_STUDIES else Path()
    names = [place.name for place in sorted(ready.glob("*"))] if ready.name else []
    if condition not in names:
        have = ", ".join(names) or "none"
        raise InvalidInput(
            f"--clips {condition}={READY}: the package has no recordings of {condition!r} for this"
            f" protocol; it has {have}. Name a folder."
        )
    return ready / condition


@use_case(PoolOptions)
def make_clip_pools(options: PoolOptions) -> PoolResult:
    """Make pools of matched clips, so that each judge can see other ones.

    Clips of the conditions are paired: of one scenario, with the same start if recordings name
    it, else of similar length. All become films of one size and rate in
    FOLDER/stimuli/CONDITION, each pair of equal length, and study.yaml names the pools. Serving
    renders nothing. Finished films are not made again, so an interrupted command is simply
    repeated.
    """
    folder = Path(options.folder)
    pools = _source_pools(options, load_study(folder).study)
    matched = match_clips(pools, most_cropped=options.most_cropped, pairs=options.pairs)
    width, _, height = options.size.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise WrongUsage(f"--size: expected WIDTHxHEIGHT such as 960x540, got {options.size!r}.")
    look = PoolLook(width_px=int(width), height_px=int(height), frames_per_s=options.fps)
    with options.counting("Making films", len(matched.matches) * len(pools)) as progress:
        made = make_pools(folder, matched.matches, look, workers=options.workers, progress=progress)
    folders = {
        condition: place.relative_to(folder).as_posix() for condition, place in made.folders.items()
    }
    show_pools(folder / "study.yaml", folders, draw=options.draw, sample=options.trials)
    return PoolResult(
        pairs=len(matched.matches),
        made=len(made.made),
        kept=len(made.kept),
        folders=folders,
        notes=matched.notes,
        failed={target.name: reason for target, reason in made.failed.items()},
    )


def _source_pools(options: PoolOptions, study: Study) -> dict[str, list[SourceClip]]:
    conditions = study.conditions
    pools: dict[str, list[SourceClip]] = {}
    for written in options.clips:
        condition, equals, place = written.partition("=")
        if not equals or not condition or not place:
            raise WrongUsage(f"--clips: expected CONDITION=FOLDER, got {written!r}.")
        if condition not in conditions:
            raise InvalidInput(
                f"--clips: the study has no condition {condition!r}."
                f" {did_you_mean(condition, conditions)}"
            )
        source = Path(place) if place != READY else _ready_recordings(study, condition)
        if not source.is_dir():
            raise InvalidInput(
                f"--clips: {place!r} is no folder. Record clips into it: believable record --help"
            )
        longest_ms = None if options.seconds is None else round(1000 * options.seconds)
        pools[condition] = source_clips(source, scenario=options.scenario, longest_ms=longest_ms)
    return pools

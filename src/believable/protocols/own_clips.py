"""Clips that an author brings become the stimuli of a ready study: a folder of films or recordings
for each condition.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ruamel.yaml.comments import CommentedMap

from believable.contracts.registries import WORLDS
from believable.core.clock import Clock
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.protocols.variants import change_study
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read
from believable.recordings.recording import Recording
from believable.stimuli import inventory, source_pool, standardise
from believable.stimuli.recipe import Mask, Recipe
from believable.stimuli.render import Look, render_file
from believable.stimuli.source_pool import SourceDetails, StimulusSource

FILMS = (".mp4", ".webm", ".mkv", ".mov", ".avi")


@dataclass(frozen=True, slots=True)
class ClipFolder:
    """The clips of one condition, in the order of their names."""

    condition: str
    clips: tuple[Path, ...]


def clip_folder(written: str) -> ClipFolder:
    """From `CONDITION=FOLDER`. A film is a clip; a recording is one if there is no film of it."""
    condition, _, place = written.partition("=")
    folder = Path(place)
    if not condition or not place:
        raise InvalidInput(
            f"--clips: expected CONDITION=FOLDER such as human=clips/people, got {written!r}."
        )
    if not folder.is_dir():
        raise InvalidInput(
            f"--clips: {place!r} is no folder. Record clips into it first: believable record --help"
        )
    films = {file.stem: file for file in sorted(folder.iterdir()) if file.suffix.lower() in FILMS}
    recordings = {
        file.name.removesuffix(RECORDING_SUFFIX): file
        for file in sorted(folder.glob(f"*{RECORDING_SUFFIX}"))
    }
    clips = {**recordings, **films}
    if not clips:
        raise InvalidInput(
            f"--clips: there are no films ({', '.join(FILMS)}) and no recordings in {place!r}."
        )
    return ClipFolder(condition, tuple(clips[name] for name in sorted(clips)))


@dataclass(frozen=True, slots=True)
class SceneClip:
    """A clip and its place in the study. A recording is filmed first, at the size it was played, up
    to `to_ms`.
    """

    file: Path
    condition: str
    scenario: str
    to_ms: int | None = None


@dataclass(frozen=True, slots=True)
class MaskShare:
    """A part of the picture that is painted black, in shares of its width and height."""

    x: float
    y: float
    width: float
    height: float

    def in_px(self, width_px: int, height_px: int) -> Mask:
        left, top = round(self.x * width_px), round(self.y * height_px)
        return Mask(left, top, round(self.width * width_px), round(self.height * height_px))


@dataclass(frozen=True, slots=True)
class PairedClips:
    """Clips with their scenarios, and sentences about clips that were left out or could not be
    compared.
    """

    clips: tuple[SceneClip, ...]
    notes: tuple[str, ...]


def pair_clips(conditions: Sequence[str], clips: Sequence[ClipFolder]) -> PairedClips:
    """Clips of one scenario begin alike: their recordings name the same environment and seed. Clips
    without a known start are paired in the order of their names, and a note says so. Clips without
    a partner are not used, and named.
    """
    by_condition = _by_condition(conditions, clips)
    starts = {file: start_of(file) for files in by_condition.values() for file in files}
    if all(start is not None for start in starts.values()):
        return _pair_by_start(by_condition, {file: str(start) for file, start in starts.items()})
    return _pair_by_order(by_condition, starts)


def _pair_by_start(
    by_condition: Mapping[str, tuple[Path, ...]], starts: Mapping[Path, str]
) -> PairedClips:
    waiting: dict[str, dict[str, list[Path]]] = {}
    for condition, files in by_condition.items():
        of_condition = waiting.setdefault(condition, {})
        for file in files:
            of_condition.setdefault(starts[file], []).append(file)
    first, *others = by_condition
    rows = [
        [waiting[condition][start][number] for condition in by_condition]
        for start in waiting[first]
        for number in range(
            min(len(waiting[condition].get(start, ())) for condition in by_condition)
        )
    ]
    if not rows:
        seen = "; ".join(
            f"{condition}: {starts[files[0]]}" for condition, files in by_condition.items()
        )
        raise InvalidInput(
            f"--clips: no clip of {first!r} begins as one of {', '.join(map(repr, others))} does"
            f" ({seen}). Pairs of different levels cannot be compared. Record all conditions with"
            " the same --env and --seed."
        )
    used = {file for row in rows for file in row}
    left = [
        f"{file} is left out: no clip of every other condition begins alike ({starts[file]})."
        for files in by_condition.values()
        for file in files
        if file not in used
    ]
    return PairedClips(_scenes(by_condition, rows), tuple(left))


def _pair_by_order(
    by_condition: Mapping[str, tuple[Path, ...]], starts: Mapping[Path, str | None]
) -> PairedClips:
    rows = [list(row) for row in zip(*by_condition.values(), strict=False)]
    for row in rows:
        said = {file: start for file in row if (start := starts[file]) is not None}
        if len(set(said.values())) > 1:
            seen = "; ".join(f"{file}: {start}" for file, start in said.items())
            raise InvalidInput(
                f"--clips: clips of one pair begin differently ({seen}). Record all conditions with"
                " the same --env and --seed, and keep the recording (.replay.json.gz) next to each"
                " video."
            )
    used = {file for row in rows for file in row}
    unknown = sum(starts[file] is None for file in used)
    notes = [
        f"{unknown} of {len(used)} clips do not say how they begin (there is no recording with a"
        " seed next to them): they are paired in the order of their names. Make sure that both"
        " clips of a pair show the same task and start."
    ]
    notes += [
        f"{file} is left out: other conditions have fewer clips."
        for file in starts
        if file not in used
    ]
    return PairedClips(_scenes(by_condition, rows), tuple(notes))


def _scenes(conditions: Iterable[str], rows: Sequence[Sequence[Path]]) -> tuple[SceneClip, ...]:
    names = tuple(conditions)
    return tuple(
        SceneClip(file, condition, f"scene_{number:02d}")
        for number, row in enumerate(rows, 1)
        for condition, file in zip(names, row, strict=True)
    )


def start_of(clip: Path) -> str | None:
    """How a clip begins, as the recording next to it says; None if there is none, or it does not
    say.
    """
    recording = _beside(clip)
    if not recording.is_file():
        return None
    known = read(recording)
    return WORLDS[known.world.kind].start_of(known) if known.world.kind in WORLDS else None


def _beside(clip: Path) -> Path:
    """The recording of a clip, which may be the clip itself."""
    return clip.with_name(clip.name.partition(".")[0] + RECORDING_SUFFIX)


def make_stimuli(
    folder: Path,
    clips: Sequence[SceneClip],
    *,
    clock: Clock,
    new_name: Callable[[], str],
    recipe: Recipe | None = None,
    masks: Sequence[MaskShare] = (),
    equal_lengths: bool = True,
    measure: Callable[[Recording], Mapping[str, float]] = lambda recording: {},
    done: Callable[[], None] = lambda: None,
) -> None:
    """Put the clips into the study's pool, make stimuli of them, and name these in the study file.
    Clips of a scenario are cropped to the shortest of them, unless `equal_lengths` is false. The
    study file keeps the measures of the clips' recordings.
    """
    chosen: list[StimulusSource] = []
    measures: dict[str, Mapping[str, float]] = {}
    taken: dict[str, Path] = {}
    for clip in clips:
        film = _film(clip, folder / source_pool.FOLDER / ".films")
        seen = source_pool.look(film)
        covered = tuple(mask.in_px(seen.width_px, seen.height_px) for mask in masks)
        about = SourceDetails(
            condition=clip.condition, scenario=clip.scenario, masks=covered, note=_origin(clip.file)
        )
        added = source_pool.add(
            folder, [film], about, clock=clock, new_name=new_name, looked_at={film: seen}
        )
        known = [
            source
            for source in added.known.values()
            if (source.condition, source.scenario) == (clip.condition, clip.scenario)
            and source not in chosen
        ]
        if added.failed or not (added.new or known):
            raise InvalidInput(
                f"--clips: {clip.file}:"
                f" {next(iter(added.failed.values()), _same_film(seen, taken))}"
            )
        taken[seen.digest] = clip.file
        own = [*added.new.values(), *known]  # known ones are of a run that was interrupted
        chosen += own
        if own and _beside(clip.file).is_file():
            measures[own[0].name] = measure(read(_beside(clip.file)))
        if film != clip.file:
            film.unlink()
        done()
    films = standardise.standardise(
        folder, chosen, recipe or _recipe(chosen), clock=clock, equal_lengths=equal_lengths
    )
    shutil.rmtree(folder / source_pool.FOLDER / ".films", ignore_errors=True)
    if films.failed:
        raise InvalidInput("; ".join(f"{name}: {why}" for name, why in films.failed.items()))
    change_study(folder / "study.yaml", {"stimuli": _entries(folder, measures)})


def _same_film(seen: StimulusSource, taken: Mapping[str, Path]) -> str:
    other = taken.get(seen.digest)
    return (
        f"it is the same film as {other or 'another one'}. An agent that always acts alike makes"
        " equal films of equal starts: record an environment with random starts (such as"
        " MiniGrid-FourRooms-v0), or move one of the two away."
    )


def _by_condition(
    conditions: Sequence[str], clips: Sequence[ClipFolder]
) -> Mapping[str, tuple[Path, ...]]:
    for own in clips:
        if own.condition not in conditions:
            cure = did_you_mean(own.condition, conditions)
            raise InvalidInput(f"--clips: the study has no condition {own.condition!r}. {cure}")
    by_condition = {own.condition: own.clips for own in clips}
    for condition in conditions:
        if condition not in by_condition:
            raise InvalidInput(
                f"--clips: there are none for the condition {condition!r}. Add --clips"
                f" {condition}=FOLDER."
            )
    return {condition: by_condition[condition] for condition in conditions}


def _origin(file: Path) -> str:
    """The origin of a clip, and its licence, from the recording with the same name."""
    known = read(_beside(file)).provenance if _beside(file).is_file() else {}
    said = [f"{name}: {known[name]}" for name in ("source", "licence") if known.get(name)]
    return "; ".join([f"from {file.name}", *said])


def _film(clip: SceneClip, scratch: Path) -> Path:
    """The film itself, or one of a recording, as it was seen."""
    file = clip.file
    if file.suffix.lower() in FILMS:
        return file
    scratch.mkdir(parents=True, exist_ok=True)
    target = scratch / f"{file.name.removesuffix(RECORDING_SUFFIX)}.mp4"
    recording = read(file)
    look = Look(frames_per_s=max(1, round(1000 / recording.timing.frame_ms)), to_ms=clip.to_ms)
    playing = WORLDS[recording.world.kind].playing
    if (
        playing is not None
        and playing.filmable is not None
        and playing.filmable.size_px is not None
    ):
        width_px, height_px = playing.filmable.size_px(recording)
        look = replace(look, width_px=width_px, height_px=height_px)
    render_file(file, target, look)
    return target


def _recipe(sources: Sequence[StimulusSource]) -> Recipe:
    """As large as the largest of them, and no larger than a page shows."""
    usual = Recipe()
    width_px, height_px = (
        max(getattr(source, side) for source in sources) for side in ("width_px", "height_px")
    )
    return replace(
        usual,
        width_px=min(usual.width_px, 2 * (width_px // 2)),
        height_px=min(usual.height_px, 2 * (height_px // 2)),
    )


def _entries(folder: Path, measures: Mapping[str, Mapping[str, float]]) -> list[CommentedMap]:
    finished = [line for line in inventory.lines(folder) if line.state == "made"]
    entries = []
    for line in sorted(finished, key=lambda line: (line.source.scenario, line.source.name)):
        entry = CommentedMap(
            id=line.source.name,
            file=f"{standardise.FOLDER}/{line.source.name}.mp4",
            condition=line.source.condition,
            scenario=line.source.scenario,
            duration_ms=line.length_ms,
        )
        if found := measures.get(line.source.name):
            entry["measures"] = {name: round(value, 4) for name, value in found.items()}
        entry.fa.set_flow_style()
        entries.append(entry)
    return entries

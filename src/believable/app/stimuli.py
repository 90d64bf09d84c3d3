"""Turn recordings into stimuli that differ only in the judged quality."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.app.options import (
    AnyPath,
    Options,
    UseCaseOutcome,
    argument,
    option,
    options,
    setting,
    use_case,
)
from believable.app.study_data import ClusterOptions, load_study
from believable.app.study_folder import new_name
from believable.core.clock import WallClock
from believable.core.errors import InvalidInput, Problem, WrongUsage
from believable.core.nodes import parse
from believable.core.shell import quote_command
from believable.protocols.variants import change_study
from believable.stimuli import inventory, source_pool
from believable.stimuli import standardise as standards
from believable.stimuli.even import even_out
from believable.stimuli.recipe import BITS_PER_S, Mask, Recipe
from believable.stimuli.render import Look
from believable.stimuli.render import render as render_recordings
from believable.stimuli.source_pool import SampleRequest, SourceDetails
from believable.study.pools import has_pools
from believable.study.records import Stimulus


@options
class FolderOptions(Options):
    """The study's folder."""

    folder: AnyPath = argument("The study's folder.", path="folder", kw_only=False)


@options
class WorkersOptions(Options):
    """For use cases that work on several files at once."""

    workers: int | None = option(
        "Files worked on at once; default: one per core.", default=None, ge=1
    )


@options
class MaskOptions(Options):
    """For use cases that hide parts of the picture."""

    mask: Sequence[str | Mask] = option(
        "Paint this rectangle black, in pixels of the recording. Repeatable.",
        default=(),
        metavar="X,Y,W,H",
    )

    @property
    def masks(self) -> tuple[Mask, ...]:
        try:
            return tuple(Mask.parse(mask) if isinstance(mask, str) else mask for mask in self.mask)
        except InvalidInput as error:
            raise WrongUsage(f"--mask: {error}") from None


@options
class SizeOptions(Options):
    """For use cases that make videos."""

    size: str = setting("Size of the picture.", default="1280x720", metavar="WxH")
    fps: int = setting("Pictures per second.", default=30)

    @property
    def width_and_height(self) -> tuple[int, int]:
        width, _, height = self.size.partition("x")
        if not (width.isdecimal() and height.isdecimal()):
            raise WrongUsage(f"--size: expected WIDTHxHEIGHT such as 1280x720, got {self.size!r}.")
        return int(width), int(height)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """What happened to one file, and why if it failed."""

    failed: Mapping[str, str]

    @property
    def outcome(self) -> UseCaseOutcome:
        return UseCaseOutcome.PROBLEMS if self.failed else UseCaseOutcome.DONE


@options
class AddSourcesOptions(FolderOptions, MaskOptions, WorkersOptions):
    files: Sequence[AnyPath] = argument("Recordings.", path="file", kw_only=False)
    condition: str = option("The source of the behaviour, as in the study file.")
    scenario: str = option("The situation shown, as in the study file.")
    cut_start: float = option(
        "Cut these recordings at their start.", default=0, metavar="SECONDS", ge=0
    )
    cut_end: float = option(
        "Cut these recordings at their end.", default=0, metavar="SECONDS", ge=0
    )
    note: str = option("Their origin; kept in the record.", default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolAddition(FileOutcome):
    """Recordings that were added or known."""

    sources: source_pool.Added


@use_case(AddSourcesOptions)
def add_sources(options: AddSourcesOptions) -> PoolAddition:
    """Decode recordings from beginning to end and keep them in the pool.

    A file that is damaged or cut off is named and not added; the others are. Exit code 1 if there
    was one.
    """
    _check_name("condition", options.condition)
    _check_name("scenario", options.scenario)
    about = SourceDetails(
        condition=options.condition,
        scenario=options.scenario,
        cut_start_ms=_ms(options.cut_start),
        cut_end_ms=_ms(options.cut_end),
        masks=options.masks,
        note=options.note,
    )
    files = [Path(file) for file in options.files]
    with options.counting("Decoding", len(files)) as progress:
        added = source_pool.add(
            Path(options.folder),
            files,
            about,
            clock=WallClock(),
            new_name=new_name,
            workers=options.workers,
            progress=progress,
        )
    failed = {str(file): reason for file, reason in added.failed.items()}
    return PoolAddition(sources=added, failed=failed)


@options
class StandardiseOptions(FolderOptions, SizeOptions, MaskOptions, WorkersOptions):
    loudness: float = setting("Integrated loudness (ITU-R BS.1770).", default=-23.0, metavar="LUFS")
    no_sound: bool = option("Leave the sound away.", default=False)
    cut_start: float = option(
        "Cut every recording at its start.", default=0, metavar="SECONDS", ge=0
    )
    cut_end: float = option("Cut every recording at its end.", default=0, metavar="SECONDS", ge=0)
    watermark: str = option("Text in the lower right corner.", default="", metavar="TEXT")
    crf: int = setting("Quality of the picture; smaller is better and larger.", default=18)
    bit_rate: int = setting(
        "Bits per second, the same for every picture; 0: as each film needs, which can reveal its"
        " condition.",
        default=BITS_PER_S,
        metavar="BITS",
    )
    equal_length: bool = option(
        "Crop every scenario that several conditions have to its shortest recording.", default=False
    )
    min_length: float = option(
        "Only recordings of this length, before cutting.", default=0, metavar="SECONDS", ge=0
    )
    max_length: float | None = option(
        "No longer ones, before cutting.", default=None, metavar="SECONDS", ge=0
    )
    match: bool = option(
        "The same number of every condition in each scenario; other scenarios are left out.",
        default=False,
    )
    per_cell: int | None = option(
        "How many of each condition in each scenario; default: all that fit.", default=None, ge=1
    )
    seed: int = setting("The sample that is drawn follows from it.", default=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standardised(FileOutcome):
    """The stimuli that were made or kept, and recordings that were left out, with the reasons.
    `lines`: for study.yaml.
    """

    made: Sequence[str]
    kept: Sequence[str]
    left_out: Mapping[str, str]
    lines: str


@use_case(StandardiseOptions)
def standardise(options: StandardiseOptions) -> Standardised:
    """Make stimuli of the pool's recordings: cut, masked, marked, of one size, rate and loudness,
    without metadata.

    Each stimulus has its provenance record in a file next to it, which is never served. Recordings
    that are left out are named with the reason. One that cannot be converted is named and stops
    nothing else (exit code 1).
    """
    folder, (width, height) = Path(options.folder), options.width_and_height
    recipe = Recipe(
        width_px=width,
        height_px=height,
        frames_per_s=options.fps,
        loudness_lufs=options.loudness,
        sound=not options.no_sound,
        cut_start_ms=_ms(options.cut_start),
        cut_end_ms=_ms(options.cut_end),
        masks=options.masks,
        watermark=options.watermark,
        crf=options.crf,
        bits_per_s=options.bit_rate,
    )
    request = SampleRequest(
        min_length_ms=_ms(options.min_length),
        max_length_ms=None if options.max_length is None else _ms(options.max_length),
        match=options.match,
        per_cell=options.per_cell,
        seed=options.seed,
    )
    sample = source_pool.sample(_pool(folder, source_pool.sources), request)
    with options.counting("Standardising", len(sample.chosen)) as progress:
        done = standards.standardise(
            folder,
            sample.chosen,
            recipe,
            clock=WallClock(),
            equal_lengths=options.equal_length,
            workers=options.workers,
            progress=progress,
        )
    names = {source.name: source.original for source in sample.chosen}
    return Standardised(
        made=tuple(map(str, done.films)),
        kept=tuple(map(str, done.kept)),
        left_out={
            f"{skipped.source.name}  {skipped.source.original}": skipped.reason
            for skipped in sample.left_out
        },
        lines=inventory.study_lines(folder) if done.films or done.kept else "",
        failed={f"{name} ({names[name]})": reason for name, reason in done.failed.items()},
    )


@options
class EvenOptions(FolderOptions, WorkersOptions):
    cut_start: float = option("Cut every video at its start.", default=0, metavar="SECONDS", ge=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvenStimulus:
    """A stimulus that was made again. `before_ms`: its length until now, if known."""

    id: str
    file: str
    duration_ms: int
    before_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvenStudy:
    """The stimuli of a study that were made again."""

    folder: Path
    stimuli: Sequence[EvenStimulus]


@use_case(EvenOptions)
def even(options: EvenOptions) -> EvenStudy:
    """Make a study's stimuli again, so that size, packets, length and first picture do not reveal
    their condition.

    All videos get one size and one rate, about 1.9 Mbit/s. Videos and recordings of a scenario are
    cropped to its shortest. The new files are in FOLDER/stimuli and study.yaml names them; the old
    files stay, and videos are kept in FOLDER/sources.
    """
    folder = Path(options.folder)
    stimuli = load_study(folder).study.stimuli
    tree, _ = parse((folder / "study.yaml").read_bytes(), "study.yaml")
    if tree is not None and has_pools(tree):
        raise InvalidInput(
            f"{folder / 'study.yaml'}: it names pools, whose clips are made together. Make them"
            " even with believable stimuli pool."
        )
    if not stimuli:
        raise InvalidInput(
            f"{folder / 'study.yaml'}: it names no stimuli. Add some under `stimuli`."
        )
    with options.counting("Evening out", len(stimuli)) as progress:
        evened = even_out(
            folder,
            stimuli,
            clock=WallClock(),
            new_name=new_name,
            cut_start_ms=_ms(options.cut_start),
            workers=options.workers,
            progress=progress,
        )
    changes = {
        name: {"file": made.file, "duration_ms": made.duration_ms} for name, made in evened.items()
    }
    change_study(folder / "study.yaml", {"stimuli": changes})
    made = [
        EvenStimulus(
            id=stimulus.id,
            file=evened[stimulus.id].file,
            duration_ms=evened[stimulus.id].duration_ms,
            before_ms=stimulus.duration_ms,
        )
        for stimulus in stimuli
    ]
    return EvenStudy(folder=folder, stimuli=made)


@options
class RenderOptions(SizeOptions, WorkersOptions, ClusterOptions):
    recordings: Sequence[AnyPath] = argument("Recordings.", path="file", kw_only=False)
    out: AnyPath = option("Folder for the videos.", path="folder")
    speed: float = setting("Seconds of the recording in one second of video.", default=1.0)
    from_: float = option("First moment shown.", default=0, metavar="SECONDS", ge=0)
    to: float | None = option(
        "Last moment shown; default: the end.", default=None, metavar="SECONDS", ge=0
    )
    camera: str = option(
        "Camera from which a world that draws itself is filmed; default: as it was played.",
        default="",
    )
    overlay: bool = option(
        "Such worlds: health, ammunition and the like over the picture.", default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedVideos(FileOutcome):
    """The videos that were made."""

    videos: Sequence[Path]


@use_case(RenderOptions)
def render(options: RenderOptions) -> RenderedVideos:
    """Turn recordings of worlds (*.replay.json.gz) into videos that look like the browser's replay.

    A world that draws itself plays the recording again and is filmed.
    """
    width, height = options.width_and_height
    look = Look(
        width_px=width,
        height_px=height,
        frames_per_s=options.fps,
        speed=options.speed,
        from_ms=_ms(options.from_),
        to_ms=None if options.to is None else _ms(options.to),
        camera=options.camera,
        overlay=options.overlay,
    )
    recordings, out = tuple(map(Path, options.recordings)), Path(options.out)
    if options.cluster_address is not None:  # workers run in other folders
        recordings, out = tuple(recording.resolve() for recording in recordings), out.resolve()
    with (
        options.working(options.workers),
        options.counting("Rendering", len(recordings)) as progress,
    ):
        rendered = render_recordings(
            recordings, out, look, workers=options.workers, progress=progress
        )
    return RenderedVideos(
        videos=tuple(rendered.results.values()),
        failed={str(file): reason for file, reason in rendered.failed.items()},
    )


@options
class ListStimuliOptions(FolderOptions):
    yaml: bool = option("As lines for study.yaml.", default=False)


@use_case(ListStimuliOptions)
def list_stimuli(options: ListStimuliOptions) -> Sequence[inventory.PoolLine] | str:
    """Show the recordings of the pool and what became of them."""
    folder = Path(options.folder)
    return inventory.study_lines(folder) if options.yaml else _pool(folder, inventory.lines)


@options
class VerifyOptions(FolderOptions, WorkersOptions):
    """For `verify`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Problems of stimuli."""

    problems: Sequence[Problem]

    def count(self, severity: str) -> int:
        return sum(problem.severity == severity for problem in self.problems)

    @property
    def outcome(self) -> UseCaseOutcome:
        return UseCaseOutcome.PROBLEMS if self.count("error") else UseCaseOutcome.DONE


@use_case(VerifyOptions)
def verify(options: VerifyOptions) -> Verification:
    """Decode every stimulus, compare it with its record, and look for signs that reveal
    conditions.
    """
    folder = Path(options.folder)
    with options.counting("Verifying", len(_pool(folder, inventory.lines))) as progress:
        problems = inventory.problems(folder, workers=options.workers, progress=progress)
    return Verification(problems=problems)


def _pool(folder: Path, read: Callable[[Path], list[Any]]) -> list[Any]:
    sources = read(folder)
    if not sources:
        raise InvalidInput(
            f"{folder / 'sources'}: there are no recordings. Add some:"
            f" {quote_command('believable stimuli add', folder)} FILES --condition C --scenario S"
        )
    return sources


def _check_name(what: str, value: str) -> None:
    try:
        Stimulus(id="x", file="x", condition=value)
    except ValueError:
        raise WrongUsage(
            f"--{what}: expected a name as in the study file (letters, digits, - and _), got"
            f" {value!r}."
        ) from None


def _ms(value_s: float) -> int:
    return round(1000 * value_s)

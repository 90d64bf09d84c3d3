"""Other tools' exports as our formats: bundles and recordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.app.options import AnyPath, Options, argument, option, options, setting, use_case
from believable.bundle.annotators import choose_recordings, read_annotators
from believable.bundle.foreign_judgements import (
    RatingScale,
    read_judgements,
    write_judgements_bundle,
)
from believable.bundle.imports import (
    ForeignSession,
    contradictory,
    pagan_traces,
    pooled_stimuli,
    prepared_traces,
    read_prepared,
    readable_names,
    sessions_of,
    write_traces_bundle,
)
from believable.bundle.signals import KnownSignal, attach_signals, read_signal
from believable.bundle.two_choices import read_choices, write_choices_bundle
from believable.core.errors import InvalidInput, Refused, WrongUsage
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import write
from believable.recordings.importers.concordia import import_memories
from believable.recordings.importers.generative_agents import import_run
from believable.recordings.importers.minari_dataset import open_dataset, recordings
from believable.recordings.importers.pagan import read_pagan
from believable.recordings.importers.quake2 import import_demo


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedData:
    """The bundle, recording or folder that was written, its contents, and notes about it."""

    path: Path
    holds: str
    notes: Sequence[str] = ()


@options
class BundleOptions(Options):
    """The bundle that files become."""

    out: AnyPath | None = option(
        "The bundle's folder; default: named after the first file.", default=None, path="folder"
    )
    title: str | None = option(
        "Title of the dataset; default: the first file's name.", default=None
    )

    def target(self, file: AnyPath) -> Path:
        return Path(self.out or f"{Path(file).stem}-bundle")


@options
class TracesFileOptions(BundleOptions):
    """Files of traces, and the signals that annotators were to follow."""

    files: Sequence[AnyPath] = argument("Exports.", kw_only=False)
    visual: Sequence[tuple[str, AnyPath]] = option(
        "WHICH file or video is the visual quality test, and the CSV file of its SIGNAL (column"
        " value).",
        default=(),
        metavar="WHICH SIGNAL",
        path="file",
    )
    auditory: Sequence[tuple[str, AnyPath]] = option(
        "WHICH file or video is the auditory quality test, and the CSV file of its SIGNAL (column"
        " value).",
        default=(),
        metavar="WHICH SIGNAL",
        path="file",
    )
    signal_fps: float = setting(
        "Samples of a signal per second, without a column t_ms.", default=60.0
    )

    @property
    def paths(self) -> list[Path]:
        return [Path(file) for file in self.files]

    def signals(self, names: Mapping[str, set[str]]) -> Mapping[str, KnownSignal]:
        """Return the known signals by the stimulus that they belong to."""
        rate = self.signal_fps
        known = [
            (which, read_signal(Path(path), test="visual", frames_per_s=rate))
            for which, path in self.visual
        ]
        known += [
            (which, read_signal(Path(path), test="auditory", frames_per_s=rate))
            for which, path in self.auditory
        ]
        return attach_signals(known, names)


@options
class PaganOptions(TracesFileOptions):
    annotators: AnyPath | None = option(
        "CSV list of who counts: Participant, other columns of the exports, until_ms, File.",
        default=None,
        path="file",
    )


@use_case(PaganOptions)
def import_pagan(options: PaganOptions) -> ImportedData:
    """Turn exports of the PAGAN annotation platform into a bundle with a traces table.

    PAGAN delivers one file per video: give all of them at once, and recordings of one participant
    become one session. Name the quality tests among them, each with its signal; everything else is
    the task. Every damaged, repeated or late row is counted and named by its line; nothing is
    guessed. External ids of participants are left out.
    """
    files = options.paths
    exports = [read_pagan(file) for file in files]
    readable = readable_names(exports)
    names: dict[str, set[str]] = {}
    for export in exports:
        for trace in export.traces:
            name = readable[trace.database_name]
            names.setdefault(name, set()).update(
                (name, *trace.source_names, trace.database_name, *trace.original_names)
            )
    signals = options.signals(names)
    picked, left_out = None, []
    if options.annotators is not None:
        listed = read_annotators(Path(options.annotators), exports)
        parts = {
            stimulus: signals[stimulus].test if stimulus in signals else stimulus
            for stimulus in names
        }
        choice = choose_recordings(
            exports, listed, lambda trace: parts[readable[trace.database_name]]
        )
        picked = choice.recordings
        left_out = [
            ("session", "rejected", reason, count)
            for reason, count in (
                ("not among the listed annotators", choice.not_listed),
                ("an earlier recording of a listed annotator", choice.repeated),
            )
            if count
        ]
    sessions = sessions_of(pagan_traces(exports, picked, signals))
    several = _contradictions(sessions)
    findings = [
        (f"{file.name}: " if len(files) > 1 else "", finding)
        for file, export in zip(files, exports, strict=True)
        for finding in export.report.findings
    ]
    left_out += [
        ("answer", "damaged", f"{name}{len(rows)} rows: {finding.about}", len(rows))
        for name, finding in findings
        if finding.fate == "left out"
        for rows in [finding.lines]
    ]
    report = [*(f"{name}{finding.kind}: {finding}" for name, finding in findings), *several]
    target = options.target(files[0])
    write_traces_bundle(
        sessions,
        target,
        name=files[0].stem,
        title=options.title or files[0].stem,
        signals=signals,
        left_out=left_out,
        report="\n".join(report) + "\n",
    )
    rows = sum(export.report.rows for export in exports)
    used = sum(export.report.used for export in exports)
    if picked is not None:
        used = sum(len(recording.trace.value) for recording in picked)
    n_traces = sum(len(own.traces) for own in sessions)
    return ImportedData(
        path=target,
        holds=f"{n_traces} traces, {used} of {rows} rows used",
        notes=(
            *(f"{name}{finding}" for name, finding in findings),
            *several,
            *_part_notes(sessions, signals),
        ),
    )


@options
class BinnedTracesOptions(TracesFileOptions):
    stimulus: str | None = option(
        "The stimulus, if a single file has no such column; default: the file's name.", default=None
    )


@use_case(BinnedTracesOptions)
def import_traces(options: BinnedTracesOptions) -> ImportedData:
    """Turn traces that are already in bins into a bundle.

    A file has the columns participant, bin_<n>ms (the bin's number, such as bin_250ms) and value,
    and may have session, group, block and stimulus. Several files are one dataset. Rows with the
    same participant, session and group are of one person. Traces of one stimulus are compared with
    each other. Use block if sessions showed different clips under the same name.
    """
    files, stimulus = options.paths, options.stimulus
    if stimulus is not None and len(files) > 1:
        raise WrongUsage(
            f"--stimulus: {len(files)} files cannot have one stimulus. Give each a column"
            " `stimulus`."
        )
    by_file = [(file, read_prepared(file, stimulus=stimulus or file.stem)) for file in files]
    names: dict[str, set[str]] = {}
    for file, own in by_file:
        for trace in own:
            names.setdefault(trace.stimulus, set()).update(
                (trace.stimulus, str(file), file.name, file.stem)
            )
    signals = options.signals(names)
    prepared = [trace for _, own in by_file for trace in own]
    sessions = sessions_of(prepared_traces(prepared, signals))
    pooled = [
        f"{name} is in {len(several)} sessions of several people each"
        f" ({', '.join(several[:3])}{' …' if len(several) > 3 else ''}): their traces are compared"
        " with each other. If the sessions showed different clips, add a column block"
        for name, several in pooled_stimuli(prepared, signals).items()
    ]
    target = options.target(files[0])
    written = write_traces_bundle(
        sessions,
        target,
        name=files[0].stem,
        title=options.title or files[0].stem,
        signals=signals,
        report="".join(f"{line}\n" for line in pooled),
    )
    return ImportedData(
        path=target,
        holds=f"{sum(len(own.traces) for own in sessions)} traces, {written.events} values",
        notes=(*_part_notes(sessions, signals), *(f"warning: {line}" for line in pooled)),
    )


def _part_notes(
    sessions: Sequence[ForeignSession], signals: Mapping[str, KnownSignal]
) -> Iterator[str]:
    """Say how each trace was used: nothing is analysed or left out silently."""
    counts = Counter(trace.part for session in sessions for trace in session.traces)
    tests = {signal.test for signal in signals.values()}
    for test in sorted(tests, reverse=True):
        yield f"{test} test, with a known signal: {counts[test]} traces"
    tasks = {part: count for part, count in counts.items() if part not in tests}
    if tasks:
        yield (
            f"no known signal, so the task: {sum(tasks.values())} traces of"
            f" {', '.join(sorted(tasks)[:5])}{' …' if len(tasks) > 5 else ''}"
        )


def _contradictions(sessions: Sequence[ForeignSession]) -> list[str]:
    return [
        f"{column}: {len(several)} of {len(sessions)} annotators have several values, such as"
        f" {' and '.join(several[0])}; it is left empty for them. Settle it with --annotators"
        for column, several in contradictory(sessions).items()
    ]


@options
class FileOptions(BundleOptions):
    file: AnyPath = argument("The file.", path="file", kw_only=False)


@use_case(FileOptions)
def import_choices(options: FileOptions) -> ImportedData:
    """Turn choices between two, made elsewhere, into a bundle.

    One line per judge and pair. Columns: judge, pair; correct (1: the human one was chosen), or
    chosen and human with sides (left, right; A, B; first, second), or chosen with human or the
    agent's name. A file may also have agent, scenario, certainty (1 certain … 5 uncertain), why,
    familiarity_game, familiarity_genre and group.
    """
    file, target = Path(options.file), options.target(options.file)
    judged = read_choices(file)
    written = write_choices_bundle(judged, target, name=file.stem, title=options.title or file.stem)
    notes = []
    if judged.without_sides:
        notes.append(
            f"sides are not known for {judged.without_sides} of {written.events} pairs: nothing"
            " about sides is tested there"
        )
    return ImportedData(
        path=target,
        holds=f"{written.sessions} judges, {written.events} pairs, {judged.n_open} of them without"
        " a choice",
        notes=(*notes, *_unread(judged.unread)),
    )


def _unread(columns: Sequence[str]) -> list[str]:
    return [f"columns that were not read: {', '.join(columns)}"] if columns else []


@options
class JudgementsOptions(FileOptions):
    scale: tuple[float, float] | None = option(
        "Ends of the scale of the column rating.", default=None, metavar="LOW HIGH"
    )


@use_case(JudgementsOptions)
def import_judgements(options: JudgementsOptions) -> ImportedData:
    """Turn yes/no judgements or ratings of single clips, made elsewhere, into a bundle.

    One line per judge and stimulus. Columns: judge, stimulus, condition (human, or the agent's
    name), and at least one of answer (human or agent), called_human (1 or 0) and rating (state its
    scale by --scale). A file may also have trial, scenario, rt_ms, why and group. The bundle
    declares its analysis: conditions are compared by judges and stimuli.
    """
    scale = None
    if options.scale is not None:
        low, high = options.scale
        if low >= high:
            raise WrongUsage(
                f"--scale: expected the low end before the high end, got {low:g} {high:g}."
            )
        scale = RatingScale(low=low, high=high)
    file, target = Path(options.file), options.target(options.file)
    judged = read_judgements(file, scale=scale)
    written = write_judgements_bundle(
        judged, target, name=file.stem, title=options.title or file.stem
    )
    renamed = [f"condition {given!r} is called {own}" for given, own in judged.renamed.items()]
    return ImportedData(
        path=target,
        holds=f"{written.sessions} judges, {written.events} judgements, {judged.n_answered} with an"
        f" answer, {judged.n_rated} with a rating; conditions {', '.join(judged.conditions)}",
        notes=(*renamed, *_unread(judged.unread)),
    )


@options
class RecordingFolderOptions(Options):
    folder: AnyPath = argument("Folder of the run.", path="folder", kw_only=False)
    out: AnyPath | None = option(
        "The recording; default: FOLDER.replay.json.gz.", default=None, path="file"
    )


@options
class GenerativeAgentsOptions(RecordingFolderOptions):
    maze: AnyPath | None = option(
        "The folder of the map (maze_meta_info.json), if it is not maze/ in FOLDER.",
        default=None,
        path="folder",
    )


@use_case(GenerativeAgentsOptions)
def import_generative_agents(options: GenerativeAgentsOptions) -> ImportedData:
    """Turn a run of Generative Agents into a recording with actions, plans and map.

    Reads the per-step form (movement/, movement.jsonl.gz), the compressed form
    (master_movement.json) and that of translated forks (movement.json), with `personas/` and
    `maze/` if they are there. Prints the facts by which the import can be checked, every place
    at which the run's files contradict each other (the recorded steps are used), missing parts,
    people who enter later or leave, and parts that needed an interpretation.
    """
    folder = Path(options.folder)
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not there. Give the folder of a run.")
    target = _recording_target(options.out, folder.resolve().name)
    imported = import_run(folder, maze=None if options.maze is None else Path(options.maze))
    replay, size = imported.replay, write(imported.replay, target)
    facts = [
        f"{fact.actor}: {fact.distinct_activities} activities, {fact.tiles_walked} tiles walked,"
        f" longest move {fact.longest_move_tiles}, on blocked tiles"
        f" {'unknown' if (blocked := fact.steps_on_blocked_tiles) is None else blocked}"
        for fact in imported.facts
    ]
    return ImportedData(
        path=target,
        holds=f"{len(replay.actors)} people, {replay.timing.frames} steps, {len(replay.actions)}"
        f" actions, {len(replay.plans)} plan steps, {imported.distinct_chats} conversations, {size}"
        " bytes",
        notes=(
            *facts,
            *(f"note: {note}" for note in imported.notes),
            *(f"contradiction: {contradiction}" for contradiction in imported.contradictions),
        ),
    )


@use_case(RecordingFolderOptions)
def import_concordia(options: RecordingFolderOptions) -> ImportedData:
    """Turn the memories of a Concordia run (NAME_memories.json) into a recording of actions,
    places and times.

    Prints the missing parts: such logs name places and hold no positions, no year and no plans.
    """
    folder = Path(options.folder)
    target = _recording_target(options.out, folder.resolve().name)
    imported = import_memories(folder)
    recording, size = imported.recording, write(imported.recording, target)
    return ImportedData(
        path=target,
        holds=f"{len(recording.actors)} people, {len(recording.world.places)} places,"
        f" {len(recording.actions)} actions, {size} bytes",
        notes=[f"note: {note}" for note in imported.notes],
    )


@options
class MinariOptions(Options):
    dataset: str = argument("A folder or an id.", kw_only=False)
    out: AnyPath = option("Folder for the recordings.", path="folder")
    episodes: int | None = option(
        "Only the first N episodes; default: all.", default=None, metavar="N", ge=1
    )
    info: Sequence[str] = option(
        "Keep this value of the environment's info. Repeatable.", default=(), metavar="NAME"
    )
    fps: int = setting("Steps per second.", default=30, ge=1, le=240)


@use_case(MinariOptions)
def import_minari(options: MinariOptions) -> ImportedData:
    """Turn a Minari dataset into recordings, one per episode: actions, rewards, chosen values of
    info.

    DATASET is a folder, or the id of a dataset on this machine; nothing is downloaded. Episodes
    whose environment and seed are known can be filmed: `believable stimuli render`, or `believable
    new --clips`.
    """
    opened, out = open_dataset(options.dataset), Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    filmable = count = 0
    for number, recording in recordings(opened, info=tuple(options.info), frames_per_s=options.fps):
        if options.episodes is not None and count >= options.episodes:
            break
        target = out / f"episode-{number + 1:02d}.replay.json.gz"
        if target.exists():
            raise Refused(f"{target} exists already. Choose another folder, or move it away.")
        write(recording, target)
        count += 1
        filmable += "environment" in recording.provenance
    return ImportedData(
        path=out,
        holds=f"{count} of {opened.total_episodes} episodes, {filmable} of them can be filmed",
    )


@options
class DemoFileOptions(Options):
    file: AnyPath = argument("The demo.", path="file", kw_only=False)
    out: AnyPath | None = option(
        "The recording; default: FILE.replay.json.gz.", default=None, path="file"
    )


@use_case(DemoFileOptions)
def import_quake2(options: DemoFileOptions) -> ImportedData:
    """Turn a Quake II demo (.dm2, protocol 34) into a recording: ways, views, pickups, shots,
    jumps, deaths.

    A demo does not hold the game's maps and figures, so the recording shows the ways from above,
    not the player's view.
    """
    file = Path(options.file)
    if not file.is_file():
        raise InvalidInput(f"{file} is not there. Give a demo of Quake II, a file ending in .dm2.")
    target = _recording_target(options.out, file.stem)
    demo = import_demo(file)
    size = write(demo.recording, target)
    verbs = {"pick-up": "pickups", "jump": "jumps", "shoot": "shots", "die": "deaths"}
    counts = ", ".join(f"{demo.count(verb)} {plural}" for verb, plural in verbs.items())
    return ImportedData(
        path=target,
        holds=f"{demo.level}, {demo.recording.timing.frames} frames, {counts}, {size} bytes",
    )


def _recording_target(out: AnyPath | None, name: str) -> Path:
    """Return the path of an imported recording; by default it is named after its source."""
    target = Path(out or f"{name}{RECORDING_SUFFIX}")
    if not target.name.endswith(RECORDING_SUFFIX):
        raise InvalidInput(
            f"{target.name!r}: recordings are known by their ending. Call it"
            f" NAME{RECORDING_SUFFIX}."
        )
    return target

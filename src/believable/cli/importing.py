"""`believable import`: other tools' exports become our formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import FILE, FOLDER, PATH, setting, with_options

if TYPE_CHECKING:
    from believable.bundle.imports import ForeignSession
    from believable.bundle.signals import KnownSignal


@click.group()
def command() -> None:
    """Turn another tool's export into our formats.

    \b
    Example:
      believable import pagan export.csv --out annotations
    """


def _of_a_bundle(function: Callable[..., None]) -> Callable[..., None]:
    """The files to read, and the bundle that they become."""
    return with_options(
        function,
        click.argument("files", nargs=-1, required=True, type=PATH),
        click.option(
            "--out", type=FOLDER, help="The bundle's folder; default: named after the first file."
        ),
        click.option("--title", help="Title of the dataset; default: the first file's name."),
    )


def _known_signals(function: Callable[..., None]) -> Callable[..., None]:
    """The signals that annotators were to follow, where they are known."""
    tests = [
        click.option(
            f"--{test}",
            nargs=2,
            multiple=True,
            type=(str, FILE),
            metavar="WHICH SIGNAL",
            help=(
                f"WHICH file or video is the {test} quality test, and the CSV file of its SIGNAL"
                " (column value)."
            ),
        )
        for test in ("visual", "auditory")
    ]
    rate = setting(
        "--signal-fps", default=60.0, help="Samples of a signal per second, without a column t_ms."
    )
    return with_options(function, *tests, rate)


Following = tuple[tuple[str, Path], ...]


@command.command()
@_of_a_bundle
@click.option(
    "--annotators",
    type=FILE,
    help="CSV list of who counts: Participant, other columns of the exports, until_ms, File.",
)
@_known_signals
def pagan(
    files: tuple[Path, ...],
    out: Path | None,
    title: str | None,
    annotators: Path | None,
    visual: Following,
    auditory: Following,
    signal_fps: float,
) -> None:
    """Turn exports of the PAGAN annotation platform into a bundle with a traces table.

    PAGAN delivers one file per video: give all of them at once, and recordings of one participant
    become one session. Name the quality tests among them, each with its signal; everything else is
    the task. Every damaged, repeated or late row is counted and named by its line; nothing is
    guessed. External ids of participants are left out.

    \b
    Example:
      believable import pagan export.csv --out annotations
      believable import pagan green.csv tone.csv film1.csv film2.csv --visual green brightness.csv --auditory tone pitch.csv
    """
    from believable.bundle.annotators import chosen, read_annotators
    from believable.bundle.imports import (
        pagan_traces,
        readable_names,
        sessions_of,
        write_traces_bundle,
    )
    from believable.bundle.signals import attached
    from believable.instruments import INSTRUMENTS
    from believable.recordings.importers.pagan import read_pagan

    exports = [read_pagan(file) for file in files]
    readable = readable_names(exports)
    names: dict[str, set[str]] = {}
    for export in exports:
        for trace in export.traces:
            name = readable[trace.database_name]
            names.setdefault(name, set()).update(
                (name, *trace.source_names, trace.database_name, *trace.original_names)
            )
    signals = attached(_signals(visual, auditory, signal_fps), names)
    picked, left_out = None, []
    if annotators is not None:
        listed = read_annotators(annotators, exports)
        parts = {
            stimulus: signals[stimulus].test if stimulus in signals else stimulus
            for stimulus in names
        }
        choice = chosen(exports, listed, lambda trace: parts[readable[trace.database_name]])
        picked = choice.recordings
        left_out = [
            ("session", "rejected", words, count)
            for words, count in (
                ("not among the listed annotators", choice.not_listed),
                ("an earlier recording of a listed annotator", choice.repeated),
            )
            if count
        ]
    sessions = sessions_of(pagan_traces(exports, picked, signals))
    several = _several_words(sessions)
    findings = [
        (f"{file.name}: " if len(files) > 1 else "", finding)
        for file, export in zip(files, exports, strict=True)
        for finding in export.report.findings
    ]
    left_out += [
        (
            "answer",
            "damaged",
            f"{where}{len(finding.lines)} rows: {finding.about}",
            len(finding.lines),
        )
        for where, finding in findings
        if finding.fate == "left out"
    ]
    report = [*(f"{where}{finding.kind}: {finding}" for where, finding in findings), *several]
    target = out or Path(f"{files[0].stem}-bundle")
    write_traces_bundle(
        sessions,
        target,
        name=files[0].stem,
        title=title or files[0].stem,
        instruments=INSTRUMENTS,
        signals=signals,
        left_out=left_out,
        report="\n".join(report) + "\n",
    )
    rows, used = (
        sum(getattr(export.report, what) for export in exports) for what in ("rows", "used")
    )
    if picked is not None:
        used = sum(len(recording.trace.value) for recording in picked)
    click.echo(
        f"{target}: {sum(len(own.traces) for own in sessions)} traces, {used} of {rows} rows used"
    )
    for where, finding in findings:
        click.echo(f"  {where}{finding}")
    for words in (*several, *_parts_words(sessions, signals)):
        click.echo(f"  {words}")


@command.command()
@_of_a_bundle
@click.option(
    "--stimulus",
    help="What was annotated, where a single file has no such column; default: the file's name.",
)
@_known_signals
def traces(
    files: tuple[Path, ...],
    out: Path | None,
    title: str | None,
    stimulus: str | None,
    visual: Following,
    auditory: Following,
    signal_fps: float,
) -> None:
    """Turn traces that are already in bins into a bundle.

    A file has the columns participant, bin_<n>ms (the bin's number, such as bin_250ms) and value,
    and may have session, group, block and stimulus. Several files are one dataset. Rows with the
    same participant, session and group are of one person. Traces of one stimulus are compared with
    each other. Use block if sessions showed different clips under the same name.

    \b
    Example:
      believable import traces traces_250ms.csv --auditory traces_250ms pitch.csv --out prepared
    """
    from believable.bundle.imports import (
        pooled_stimuli,
        prepared_traces,
        read_prepared,
        sessions_of,
        write_traces_bundle,
    )
    from believable.bundle.signals import attached
    from believable.core.errors import InvalidInput
    from believable.instruments import INSTRUMENTS

    if stimulus is not None and len(files) > 1:
        raise InvalidInput(
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
    signals = attached(_signals(visual, auditory, signal_fps), names)
    prepared = [trace for _, own in by_file for trace in own]
    sessions = sessions_of(prepared_traces(prepared, signals))
    pooled = [
        f"{name} is in {len(several)} sessions of several people each"
        f" ({', '.join(several[:3])}{' …' if len(several) > 3 else ''}): their traces are compared"
        " with each other. If the sessions showed different clips, add a column block"
        for name, several in pooled_stimuli(prepared, signals).items()
    ]
    target = out or Path(f"{files[0].stem}-bundle")
    written = write_traces_bundle(
        sessions,
        target,
        name=files[0].stem,
        title=title or files[0].stem,
        instruments=INSTRUMENTS,
        signals=signals,
        report="".join(f"{line}\n" for line in pooled),
    )
    click.echo(
        f"{target}: {sum(len(own.traces) for own in sessions)} traces, {written.events} values"
    )
    for words in (*_parts_words(sessions, signals), *(f"warning: {line}" for line in pooled)):
        click.echo(f"  {words}")


def _signals(
    visual: Following, auditory: Following, frames_per_s: float
) -> list[tuple[str, KnownSignal]]:
    from believable.bundle.signals import read_signal

    return [
        *(
            (which, read_signal(path, test="visual", frames_per_s=frames_per_s))
            for which, path in visual
        ),
        *(
            (which, read_signal(path, test="auditory", frames_per_s=frames_per_s))
            for which, path in auditory
        ),
    ]


def _parts_words(
    sessions: Sequence[ForeignSession], signals: Mapping[str, KnownSignal]
) -> Iterator[str]:
    """What was taken for what: nothing is analysed, or left aside, without a word."""
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


def _several_words(sessions: Sequence[ForeignSession]) -> list[str]:
    from believable.bundle.imports import contradictory

    return [
        f"{column}: {len(several)} of {len(sessions)} annotators have several values, such as"
        f" {' and '.join(several[0])}; it is left empty for them. Settle it with --annotators"
        for column, several in contradictory(sessions).items()
    ]


@command.command()
@click.argument("file", type=FILE)
@click.option("--out", type=FOLDER, help="The bundle's folder; default: named after the file.")
@click.option("--title", help="Title of the dataset; default: the file's name.")
def choices(file: Path, out: Path | None, title: str | None) -> None:
    """Turn choices between two, made elsewhere, into a bundle.

    One line per judge and pair. Columns: judge, pair; correct (1: the human one was chosen), or
    chosen and human with sides (left, right; A, B; first, second), or chosen with human or the
    agent's name. Used where they are there: agent, scenario, certainty (1 certain … 5 uncertain),
    why, familiarity_game, familiarity_genre, group.

    \b
    Example:
      believable import choices judgements.csv --out judgements
      believable analyse judgements --protocol hntt
    """
    from believable.bundle.two_choices import read_choices, write_choices_bundle
    from believable.instruments import INSTRUMENTS

    judged = read_choices(file)
    target = out or Path(f"{file.stem}-bundle")
    written = write_choices_bundle(
        judged, target, name=file.stem, title=title or file.stem, instruments=INSTRUMENTS
    )
    click.echo(
        f"{target}: {written.sessions} judges, {written.events} pairs, {judged.open} of them"
        " without a choice"
    )
    if judged.without_sides:
        click.echo(
            f"  sides are not known for {judged.without_sides} of {written.events} pairs: nothing"
            " about sides is tested there"
        )
    if judged.unread:
        click.echo(f"  columns that were not read: {', '.join(judged.unread)}")


@command.command()
@click.argument("file", type=FILE)
@click.option("--out", type=FOLDER, help="The bundle's folder; default: named after the file.")
@click.option("--title", help="Title of the dataset; default: the file's name.")
@click.option(
    "--scale",
    nargs=2,
    type=float,
    metavar="LOW HIGH",
    help="Ends of the scale of the column rating.",
)
def judgements(
    file: Path, out: Path | None, title: str | None, scale: tuple[float, float] | None
) -> None:
    """Turn yes/no judgements or ratings of single clips, made elsewhere, into a bundle.

    One line per judge and stimulus. Columns: judge, stimulus, condition (human, or the agent's
    name), and at least one of answer (human or agent), called_human (1 or 0) and rating (state its
    scale by --scale). A file may also have trial, scenario, rt_ms, why and group. The bundle
    declares its analysis: conditions are compared by judges and stimuli.

    \b
    Example:
      believable import judgements turing.csv --out turing
      believable import judgements ratings.csv --scale 1 7 --out ratings
      believable analyse turing
    """
    from believable.bundle.foreign_judgements import (
        RatingScale,
        read_judgements,
        write_judgements_bundle,
    )
    from believable.core.errors import InvalidInput
    from believable.instruments import INSTRUMENTS
    from believable.pages import KINDS

    if scale is not None and scale[0] >= scale[1]:
        raise InvalidInput(
            f"--scale: expected the low end before the high end, got {scale[0]:g} {scale[1]:g}."
        )
    judged = read_judgements(
        file, scale=None if scale is None else RatingScale(low=scale[0], high=scale[1])
    )
    target = out or Path(f"{file.stem}-bundle")
    name = title or file.stem
    written = write_judgements_bundle(
        judged, target, name=file.stem, title=name, kinds=KINDS, instruments=INSTRUMENTS
    )
    click.echo(
        f"{target}: {written.sessions} judges, {written.events} judgements, {judged.answered} with"
        f" an answer, {judged.rated} with a rating; conditions {', '.join(judged.conditions)}"
    )
    for given, own in judged.renamed.items():
        click.echo(f"  condition {given!r} is called {own}")
    if judged.unread:
        click.echo(f"  columns that were not read: {', '.join(judged.unread)}")


@command.command("generative-agents")
@click.argument("folder", type=FOLDER)
@click.option("--out", type=FILE, help="The recording; default: FOLDER.replay.json.gz.")
@click.option(
    "--maze",
    type=FOLDER,
    help="The folder of the map (maze_meta_info.json), where it is not maze/ in FOLDER.",
)
def generative_agents(folder: Path, out: Path | None, maze: Path | None) -> None:
    """Turn a run of Generative Agents into a recording with actions, plans and map.

    Reads the per-step form (movement/, movement.jsonl.gz), the compressed form
    (master_movement.json) and that of translated forks (movement.json), with `personas/` and
    `maze/` where they are there. Prints the facts by which the import can be checked, every place
    where the run's files contradict each other (the recorded steps are used), and what is missing,
    who enters later or leaves, and what was read in a way of its own.

    \b
    Example:
      believable import generative-agents run --out day.replay.json.gz
    """
    from believable.core.errors import InvalidInput
    from believable.recordings.file import write
    from believable.recordings.importers.generative_agents import import_run

    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not there. Give the folder of a run.")
    target = _recording_target(out, folder.resolve().name)
    imported = import_run(folder, maze=maze)
    size = write(imported.replay, target)
    replay = imported.replay
    click.echo(
        f"{target}: {len(replay.actors)} people, {replay.timing.frames} steps,"
        f" {len(replay.actions)} actions, {len(replay.plans)} plan steps, {imported.distinct_chats}"
        f" conversations, {size} bytes"
    )
    for fact in imported.facts:
        blocked = "unknown" if fact.steps_on_blocked_tiles is None else fact.steps_on_blocked_tiles
        click.echo(
            f"  {fact.actor}: {fact.distinct_activities} activities, {fact.tiles_walked} tiles"
            f" walked, longest move {fact.longest_move_tiles}, on blocked tiles {blocked}"
        )
    for note in imported.notes:
        click.echo(f"  note: {note}")
    for contradiction in imported.contradictions:
        click.echo(f"  contradiction: {contradiction}")


@command.command("concordia")
@click.argument("folder", type=FOLDER)
@click.option("--out", type=FILE, help="The recording; default: FOLDER.replay.json.gz.")
def concordia(folder: Path, out: Path | None) -> None:
    """Turn the memories of a Concordia run (NAME_memories.json) into a recording of what was done,
    where and when.

    Prints what was missing: such logs name places and hold no positions, no year and no plans.

    \b
    Example:
      believable import concordia run --out island.replay.json.gz
    """
    from believable.recordings.file import write
    from believable.recordings.importers.concordia import import_memories

    target = _recording_target(out, folder.resolve().name)
    imported = import_memories(folder)
    size = write(imported.recording, target)
    recording = imported.recording
    click.echo(
        f"{target}: {len(recording.actors)} people, {len(recording.world.places)} places,"
        f" {len(recording.actions)} actions, {size} bytes"
    )
    for note in imported.notes:
        click.echo(f"  note: {note}")


@command.command("minari")
@click.argument("dataset")
@click.option("--out", required=True, type=FOLDER, help="Folder for the recordings.")
@click.option(
    "--episodes", type=click.IntRange(min=1), help="Only so many, the first ones; default: all."
)
@click.option(
    "--info",
    multiple=True,
    metavar="NAME",
    help="Keep this value of the environment's info. Repeatable.",
)
@setting("--fps", default=30, type=click.IntRange(1, 240), help="Steps per second.")
def minari(dataset: str, out: Path, episodes: int | None, info: tuple[str, ...], fps: int) -> None:
    """Turn a Minari dataset into recordings, one per episode: actions, rewards, chosen values of
    info.

    DATASET is a folder, or the id of a dataset on this machine; nothing is downloaded. Episodes
    whose environment and seed are known can be filmed: `believable stimuli render`, or `believable
    new --clips`.

    \b
    Example:
      believable import minari lab/cartpole-v0 --out clips/agent --episodes 20
    """
    from believable.core.errors import Refused
    from believable.recordings.file import write
    from believable.recordings.importers.minari_dataset import open_dataset, recordings

    opened = open_dataset(dataset)
    out.mkdir(parents=True, exist_ok=True)
    filmable = count = 0
    for number, recording in recordings(opened, info=info, frames_per_s=fps):
        if episodes is not None and count >= episodes:
            break
        target = out / f"episode-{number + 1:02d}.replay.json.gz"
        if target.exists():
            raise Refused(f"{target} exists already. Choose another folder, or move it away.")
        write(recording, target)
        count += 1
        filmable += "environment" in recording.provenance
    click.echo(
        f"{out}: {count} of {opened.total_episodes} episodes, {filmable} of them can be filmed"
    )


@command.command("quake2")
@click.argument("file", type=FILE)
@click.option("--out", type=FILE, help="The recording; default: FILE.replay.json.gz.")
def quake2(file: Path, out: Path | None) -> None:
    """Turn a Quake II demo (.dm2, protocol 34) into a recording: ways, views, pickups, shots,
    jumps, deaths.

    A demo does not hold the game's maps and figures, so the recording shows the ways from above,
    not what the player saw.

    \b
    Example:
      believable import quake2 duel.dm2 --out duel.replay.json.gz
    """
    from believable.core.errors import InvalidInput
    from believable.recordings.file import write
    from believable.recordings.importers.quake2 import import_demo

    if not file.is_file():
        raise InvalidInput(f"{file} is not there. Give a demo of Quake II, a file ending in .dm2.")
    target = _recording_target(out, file.stem)
    demo = import_demo(file)
    size = write(demo.recording, target)
    counts = ", ".join(
        f"{demo.count(verb)} {words}"
        for verb, words in (
            ("pick-up", "pickups"),
            ("jump", "jumps"),
            ("shoot", "shots"),
            ("die", "deaths"),
        )
    )
    click.echo(
        f"{target}: {demo.level}, {demo.recording.timing.frames} frames, {counts}, {size} bytes"
    )


def _recording_target(out: Path | None, name: str) -> Path:
    """Where an imported recording goes; the default is named after what it came from."""
    from believable.core.errors import InvalidInput
    from believable.recordings.actions import RECORDING_SUFFIX

    target = out or Path(f"{name}{RECORDING_SUFFIX}")
    if not target.name.endswith(RECORDING_SUFFIX):
        raise InvalidInput(
            f"{target.name!r}: recordings are told by their ending. Call it NAME{RECORDING_SUFFIX}."
        )
    return target

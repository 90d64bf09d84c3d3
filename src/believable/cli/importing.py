"""`believable import`: other tools' exports become our formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from believable.bundle.signals import KnownSignal


@click.group()
def command() -> None:
    """Turn another tool's export into our formats.

    \b
    Example:
      believable import pagan export.csv --out annotations
    """


def _of_a_bundle(function: Callable[..., None]) -> Callable[..., None]:
    """The file to read, and the bundle that it becomes."""
    for add in (
        click.option("--title", help="Title of the dataset; default: the file's name."),
        click.option(
            "--out",
            type=click.Path(file_okay=False, path_type=Path),
            help="The bundle's folder; default: named after the file.",
        ),
        click.argument("file", type=click.Path(path_type=Path)),
    ):
        function = add(function)
    return function


def _known_signal(function: Callable[..., None]) -> Callable[..., None]:
    """The signal that annotators were to follow, where it is known."""
    for add in (
        click.option(
            "--signal-fps", default=60.0, show_default=True, help="Samples of the signal per second."
        ),
        click.option(
            "--test",
            type=click.Choice(["visual", "auditory"]),
            default="auditory",
            help="Which quality test it is.",
        ),
        click.option(
            "--signal",
            type=click.Path(dir_okay=False, path_type=Path),
            help="CSV file with the known signal they were to follow (column value).",
        ),
    ):
        function = add(function)
    return function


@command.command()
@_of_a_bundle
@click.option(
    "--annotators",
    type=click.Path(dir_okay=False, path_type=Path),
    help="CSV list of who counts: Participant, other columns of the export, until_ms.",
)
@_known_signal
def pagan(
    file: Path,
    out: Path | None,
    title: str | None,
    annotators: Path | None,
    signal: Path | None,
    test: str,
    signal_fps: float,
) -> None:
    """Turn an export of the PAGAN annotation platform into a bundle with a traces table.

    Every damaged, repeated or late row is counted and named by its line; nothing is guessed. External ids of participants are
    left out.

    \b
    Example:
      believable import pagan export.csv --out annotations
    """
    from believable.bundle.annotators import chosen, read_annotators
    from believable.bundle.imports import write_pagan_bundle
    from believable.instruments import INSTRUMENTS
    from believable.replay.importers.pagan import read_pagan

    found = read_pagan(file)
    target = out or Path(f"{file.stem}-bundle")
    until_ms: tuple[float | None, ...] = ()
    left_out: dict[str, int] = {}
    if annotators is not None:
        picked = chosen(found, read_annotators(annotators, found))
        found, until_ms = picked.export, picked.until_ms
        left_out = {
            "not among the listed annotators": picked.not_listed,
            "an earlier recording of a listed annotator": picked.repeated,
        }
    write_pagan_bundle(
        found,
        target,
        name=file.stem,
        title=title or file.stem,
        instruments=INSTRUMENTS,
        until_ms=until_ms,
        left_out={words: count for words, count in left_out.items() if count},
        signal=_signal(signal, test, signal_fps),
    )
    report = found.report
    click.echo(f"{target}: {len(found.traces)} traces, {report.used} of {report.rows} rows used")
    for finding in report.findings:
        click.echo(f"  {finding}")


@command.command()
@_of_a_bundle
@click.option(
    "--stimulus", help="What was annotated, where the file has no such column; default: the file's name."
)
@_known_signal
def traces(
    file: Path,
    out: Path | None,
    title: str | None,
    stimulus: str | None,
    signal: Path | None,
    test: str,
    signal_fps: float,
) -> None:
    """Turn traces that are already in bins into a bundle.

    The file has the columns participant, bin_<n>ms (the bin's number, such as bin_250ms) and value; session, group and stimulus
    are used where they are there.

    \b
    Example:
      believable import traces traces_250ms.csv --signal pitch.csv --test auditory --out prepared
    """
    from believable.bundle.imports import write_prepared_bundle
    from believable.bundle.prepared import read_prepared
    from believable.instruments import INSTRUMENTS

    found = read_prepared(file, stimulus=stimulus or file.stem)
    target = out or Path(f"{file.stem}-bundle")
    written = write_prepared_bundle(
        found,
        target,
        name=file.stem,
        title=title or file.stem,
        instruments=INSTRUMENTS,
        signal=_signal(signal, test, signal_fps),
    )
    click.echo(f"{target}: {len(found)} traces, {written.events} values")


def _signal(path: Path | None, test: str, frames_per_s: float) -> KnownSignal | None:
    from believable.bundle.signals import read_signal

    if path is None:
        return None
    return read_signal(path, test="visual" if test == "visual" else "auditory", frames_per_s=frames_per_s)


@command.command("generative-agents")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The recording; default: FOLDER.replay.json.gz.",
)
def generative_agents(folder: Path, out: Path | None) -> None:
    """Turn a run of Generative Agents into a recording with actions, plans and map.

    Reads the per-step or the compressed form, with `personas/` and `maze/` beside it. Prints the facts by which the import can
    be checked, and every place where the run's files contradict each other; the recorded steps are used.

    \b
    Example:
      believable import generative-agents run --out day.replay.json.gz
    """
    from believable.core.errors import InvalidInput
    from believable.replay.actions import RECORDING_SUFFIX
    from believable.replay.file import write
    from believable.replay.importers.generative_agents import import_run

    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not there. Give the folder of a run.")
    target = out or Path(f"{folder.resolve().name}{RECORDING_SUFFIX}")
    if not target.name.endswith(RECORDING_SUFFIX):
        raise InvalidInput(
            f"{target.name!r}: recordings are told by their ending. Call it NAME{RECORDING_SUFFIX}."
        )
    found = import_run(folder)
    size = write(found.replay, target)
    replay = found.replay
    click.echo(
        f"{target}: {len(replay.actors)} people, {replay.timing.frames} steps, {len(replay.actions)} actions, "
        f"{len(replay.plans)} plan steps, {found.distinct_chats} conversations, {size} bytes"
    )
    for one in found.facts:
        click.echo(
            f"  {one.actor}: {one.distinct_activities} activities, {one.tiles_walked} tiles walked, longest move "
            f"{one.longest_move_tiles}, on blocked tiles {one.steps_on_blocked_tiles}"
        )
    for contradiction in found.contradictions:
        click.echo(f"  contradiction: {contradiction}")

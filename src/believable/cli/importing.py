"""`believable import`: other tools' exports become our formats."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def command() -> None:
    """Turn another tool's export into our formats.

    \b
    Example:
      believable import pagan export.csv --out annotations
    """


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The bundle's folder; default: named after the file.",
)
@click.option("--title", help="Title of the dataset; default: the file's name.")
def pagan(file: Path, out: Path | None, title: str | None) -> None:
    """Turn an export of the PAGAN annotation platform into a bundle with a traces table.

    Every damaged, repeated or late row is counted and named by its line; nothing is guessed. External ids of participants are
    left out.

    \b
    Example:
      believable import pagan export.csv --out annotations
    """
    from believable.bundle.imports import write_pagan_bundle
    from believable.instruments import INSTRUMENTS
    from believable.replay.importers.pagan import read_pagan

    found = read_pagan(file)
    target = out or Path(f"{file.stem}-bundle")
    write_pagan_bundle(found, target, name=file.stem, title=title or file.stem, instruments=INSTRUMENTS)
    report = found.report
    click.echo(f"{target}: {len(found.traces)} traces, {report.used} of {report.rows} rows used")
    for finding in report.findings:
        click.echo(f"  {finding}")


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

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

"""`believable analyse`: results of a study or a dataset as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.dataset import open_dataset
from believable.cli.place import data_options

if TYPE_CHECKING:
    from believable.analysis.records import Analysis
    from believable.study.declared import Plan


@click.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="STUDY_OR_BUNDLE")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path),
    help="Where to; default: a folder named after the study, here.",
)  # fmt: skip
@click.option(
    "--protocol", metavar="NAME",
    help="For a dataset whose study declares no analysis: trace, replay, clips, hntt or qa, with its defaults.",
)  # fmt: skip
@data_options
def command(
    source: Path, out: Path | None, protocol: str | None, data: Path | None, database: str | None
) -> None:
    """Compute the declared analysis of a study.

    Takes a study folder (its database is exported first: real sessions if there are any, else simulated ones) or a bundle. Writes
    results.json and one CSV per table, and prints what was found. With a registered plan (believable preregister) every
    result is marked confirmatory or exploratory, and deviations are listed.

    \b
    Example:
      believable analyse my-study
      believable analyse my-study-bundle --out results
    """
    from believable.analysis.run import run
    from believable.analysis.write import write

    with open_dataset(source, data, database) as found:
        plan = None if found.folder is None else plan_of(found.folder)
        analysis = run(found.bundle, found.registered, plan=plan, protocol=protocol)
    name = (found.folder or source.resolve()).name
    target = out or Path(f"{name}-results")
    written = write(analysis, target)
    click.echo(told(analysis))
    click.echo(f"\n{target}: {len(written)} files")


def plan_of(folder: Path) -> Plan | None:
    """The plan as the study file has it now: sessions keep the definition they began with, the plan may have moved on."""
    from believable.instruments import INSTRUMENTS
    from believable.study.load import load

    return load(folder, instruments=INSTRUMENTS).study.analysis


def told(analysis: Analysis) -> str:
    """What was found, for the terminal."""
    lines = [analysis.title, ""]
    lines += [f"! {warning}" for warning in (*analysis.source.marks, *analysis.warnings)]
    lines += [f"≠ {deviation}" for deviation in analysis.deviations]
    lines += [
        f"{step.title}: {step.after}"
        + (f" ({step.before - step.after} left out: {step.reason})" if step.before > step.after else "")
        for step in analysis.funnel
    ]
    for section in analysis.sections:
        if section.findings:
            lines += ["", section.title]
            lines += [f"  {finding.status:<13} {finding.sentence}" for finding in section.findings]
    return "\n".join(lines)

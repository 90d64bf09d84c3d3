"""`believable report`."""

from __future__ import annotations

import click

from believable.app.report import Reports, report
from believable.cli.derive import derive


@derive(
    report,
    example="""
      believable report my-study
      believable report my-study-bundle --out report --formats pdf
      believable report symbolic hybrid shaped --out three-agents
    """,
)
def command(result: Reports) -> None:
    for written in result.reports:
        kind = " simulated" if written.analysis.source.simulated else ""
        click.echo(
            f"{written.folder.page}: {written.n_analysed}{kind} sessions analysed,"
            f" {written.folder.figures} figures, {written.folder.tables} tables"
        )
        for warning in (*written.analysis.source.marks, *written.analysis.warnings):
            click.echo(f"  {warning}")
    if result.together is not None:
        folder = result.together.folder
        click.echo(
            f"{folder.page}: {len(result.reports)} studies side by side, {folder.tables} tables"
        )

"""`believable export`."""

from __future__ import annotations

import click

from believable.app.export import ExportedDataset, export
from believable.cli.derive import derive


@derive(
    export,
    example="""
      believable export my-study
      believable export my-study --simulated --zip --out pilot.zip
    """,
)
def command(result: ExportedDataset) -> None:
    kind = "simulated sessions" if result.simulated else "sessions"
    click.echo(f"{result.path}: {result.sessions} {kind}, {result.events} events")
    if result.others:
        other = "real" if result.simulated else "simulated"
        click.echo(
            f"The study has {result.others} {other} session{'s' * (result.others != 1)}. Export"
            f" them with: {result.export_others}"
        )

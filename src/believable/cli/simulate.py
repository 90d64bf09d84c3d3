"""`believable simulate`."""

from __future__ import annotations

import click

from believable.app.simulate import Simulation, simulate
from believable.cli.derive import derive


@derive(
    simulate,
    example="""
      believable simulate my-study --participants 60 --seed 1
      believable simulate my-study --truth skill=0.4
      believable simulate my-study --http http://127.0.0.1:8000 --realtime
    """,
)
def command(result: Simulation) -> None:
    click.echo(result.summary)
    if result.export is not None:
        click.echo(f"Export them with: {result.export}")

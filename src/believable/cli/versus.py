"""`believable versus`."""

from __future__ import annotations

import click

from believable.app.versus import VersusResult, versus
from believable.cli.derive import derive


@derive(
    versus,
    example="""
      believable versus clips/v1 clips/v2
      believable versus clips/v1 clips/v2 --require not-worse
      believable versus v1.py v2.py --world maze --runs 20 --simulated
    """,
)
def command(result: VersusResult) -> None:
    mark = " (simulated judges: this says nothing about people)" if result.simulated else ""
    click.echo(f"{result.verdict}: {result.sentence}{mark}")
    for claim in result.hypotheses:
        click.echo(f"  {claim.id} {claim.verdict}")
    if result.advice:
        click.echo(result.advice)

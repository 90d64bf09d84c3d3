"""`believable preregister`."""

from __future__ import annotations

import click

from believable.app.preregister import Preregistration, preregister
from believable.cli.derive import derive


@derive(preregister, example="believable preregister my-study")
def command(result: Preregistration) -> None:
    if not result.written:
        click.echo(
            f"This plan was registered on {result.registration.registered_on} already; nothing was"
            " changed."
        )
    for file in result.written:
        click.echo(f"Wrote {file}")
    click.echo(f"SHA-256 of the plan: {result.registration.hash}")

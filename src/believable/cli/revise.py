"""`believable revise`."""

from __future__ import annotations

import click

from believable.app.revise import RecordedRevision, revise
from believable.cli.derive import derive


@derive(
    revise, example='believable revise my-study --reason "The prompt of page 3 had a typing error."'
)
def command(result: RecordedRevision) -> None:
    version = f"Version {result.number} ({result.definition[:12]}…)"
    if result.change is None:
        click.echo(f"{version} was in use without a stated reason; now it has one.")
        return
    click.echo(f"{result.change}\n{version}: new sessions begin with it from now on.")
